/* error - the one list of what can go wrong: name, the code that users see, severity where it has a fixed one, sentence.
 *
 * STOP codes end the call (JS throws ModelError with that code). The rest are diagnostics of the result: inference goes on.
 * severity: 'x' ends the call, 'e' error, 'w' warning, 'i' info. In a branch that may not be taken an 'e' is a warning; 'E' is an error
 * there, too. In strict mode the first error ends the call, and so do those marked 'W' and 'I' (warnings and infos that strict
 * treats as errors).
 */
#ifndef SHP_ERROR_H
#define SHP_ERROR_H

#define SHP_CODES(X) \
    /* the file cannot be read */ \
    X(E_EMPTY,      "empty-file",         'x', "the file is empty") \
    X(E_NOT_ONNX,   "not-onnx",           'x', "not an ONNX model") \
    X(E_TRUNCATED,  "truncated",          'x', "the file ends inside a field (truncated download?)") \
    X(E_WIRE,       "malformed",          'x', "malformed protobuf (a damaged file?)") \
    X(E_NESTING,    "nesting-limit",      'x', "nested too deeply") \
    X(E_MEMORY,     "memory-limit",       'x', "out of memory") \
    X(E_VALUES,     "values-limit",       'x', "too many values") \
    X(E_OPERATIONS, "operations-limit",   'x', "too many operations") \
    X(E_OPTION,     "bad-option",         'x', "an option cannot be understood") \
    X(E_RECURSION,  "function-recursion", 'x', "a function calls itself") \
    /* the graph */ \
    X(D_CYCLE,      "cycle",              'E', "nodes depend on each other") \
    X(D_DUPLICATE,  "defined-twice",      'E', "a value is defined twice") \
    X(D_UNDEFINED,  "undefined-input",    'E', "a value is used but never defined") \
    X(D_OUTER,      "outer-output",       'w', "a body gives a value that it does not make") \
    X(D_NEGATIVE,   "negative-dim",       'w', "a dim_value is negative") \
    X(D_DATA_SIZE,  "data-size",          'E', "a tensor's data does not fit its dims") \
    X(D_NO_DATA,    "no-data",            'I', "a tensor that decides sizes has no data") \
    X(D_EXTERNAL,   "external-data",      'w', "external data cannot be read") \
    X(D_NO_TYPE,    "missing-type",       'W', "an input has no type") \
    X(D_BINDING,    "unknown-name",       'i', "an option names what the model lacks") \
    X(D_DEFAULT,    "default-used",       'i', "an input's default decides sizes") \
    /* operators */ \
    X(D_UNKNOWN_OP, "unknown-operator",   'W', "no rule for this operator") \
    X(D_OPSET,      "opset",              'e', "not in the imported opset") \
    X(D_ARITY,      "arity",              'e', "wrong number of inputs or outputs") \
    X(D_ATTRIBUTE,  "attribute",          'e', "an attribute is missing or cannot be") \
    X(D_TYPE,       "type",               'e', "an element type that the operator does not take") \
    X(D_RANK,       "rank",               'e', "a rank that the operator does not take") \
    X(D_AXIS,       "axis",               'e', "an axis out of range") \
    X(D_SHAPE,      "shape",              'e', "shapes that contradict each other") \
    X(D_VALUE,      "value",              'e', "a value that the operator does not take") \
    X(D_HOST_RULE,  "host-rule",          'e', "a host's rule failed") \
    /* declared against inferred */ \
    X(D_DECLARED,   "declared-mismatch",  'W', "the file declares something else") \
    X(D_NARROWER,   "declared-narrower",  'i', "the file declares less than holds") \
    /* limits inside expressions */ \
    X(D_OVERFLOW,   "overflow",           'W', "a size leaves 64 bits") \
    X(D_LIMIT,      "limit",              'i', "a limit leaves something unknown")

typedef enum shp_code {
    SHP_OK = 0,
#define X(name, code, severity, sentence) SHP_##name,
    SHP_CODES(X)
#undef X
    SHP_CODE_COUNT
} shp_code;

/* The code as users see it, and its severity letter; "" and 0 outside the list. Sentences are for js/layout.js: not in C. */
const char *shp_code_name(shp_code code);
char shp_code_severity(shp_code code);

#endif
