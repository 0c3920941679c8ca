/* shp - the engine: from a model's bytes to a report, one step at a time. This header is its manual.
 *
 * The engine never reads, waits or calls back. A host makes one for each call and asks it to `step` until it is done;
 * whatever it needs in between it says in a block of 32-bit words, and goes on once the host has answered:
 *
 *     status = shp_engine_start(e, options, options_len, size);
 *     while (status != SHP_DONE && status != SHP_ERROR) {
 *         if (status == SHP_NEED_BYTES) … shp_engine_give(e, true, bytes, len);
 *         if (status == SHP_NEED_RULE)  … shp_engine_give(e, true, outputs, len);
 *         status = shp_engine_step(e);
 *     }
 *
 * SHP_NEED_BYTES   bytes from OFFSET on. LENGTH 0: as many as the host sees fit, 1 at least (reading of the model itself: offsets only
 *                  grow; what lies between them is payload and never asked for). Where the source has ended: shp_engine_end.
 *                  LENGTH > 0: exactly that range, and the bytes must stay where they are until the call ends: of the model's
 *                  source, or of the external file LOCATION (as the model names it).
 * SHP_NEED_RULE    the outputs of the node that REPORT describes (shp_report_node), by a rule of the host's.
 * SHP_PAUSE        nothing; a good moment to look at the clock. DONE of NODES nodes of the main graph are inferred.
 * SHP_DONE         REPORT holds the result (report.h).
 * SHP_ERROR        CODE (error.h), OFFSET in the source (all ones: none), PATH and MESSAGE (bytes, no NUL) say what is wrong.
 *
 * Phases: skimming (only NEED_BYTES with LENGTH 0), reading the skeleton (one step), inference, report (one step).
 */
#ifndef SHP_SHP_H
#define SHP_SHP_H

#include "report.h"

/* The words of the request block in wasm, where addresses are 32 bits wide: those of shp_ask, then what shp_evaluate gives, and the
 * bytes that the engine uses. */
#define SHP_REQUEST_WORDS(X) \
    X(OFFSET_LOW) X(OFFSET_HIGH) X(LENGTH_LOW) X(LENGTH_HIGH) X(LOCATION) X(LOCATION_LENGTH) X(NODES_DONE) X(NODES) \
    X(CODE) X(PATH) X(PATH_LENGTH) X(MESSAGE) X(MESSAGE_LENGTH) X(REPORT) X(VALUE_LOW) X(VALUE_HIGH) X(MEMORY)

/* Statuses, as infer.h numbers them, with the names that hosts use. */
#define SHP_STATUSES(X) X(DONE) X(NEED_BYTES) X(NEED_RULE) X(PAUSE) X(ERROR)

/* Options are a protobuf message of these fields (number, wire type: v varint, l length-delimited, d fixed64); any may be absent.
 *   BINDING  a message of BINDING_FIELDS: a dim_param and the size it stands for
 *   INPUT    a message of VALUE_FIELDS: replaces what the file declares of that value; `data` are its elements
 *   HOST_OP  an operator for which the host has a rule: "my.domain::Foo", "Foo" for the default domain
 *   NESTING to OPERATIONS  limits, as the user names them
 *   SEED     a random number: nobody can then write a file whose names collide in hash tables. No answer depends on it. */
#define SHP_OPTION_FIELDS(X) \
    X(STRICT, 1) X(OVERRIDE, 2) X(BINDING, 3) X(INPUT, 4) X(HOST_OP, 5) \
    X(NESTING, 6) X(RANK, 7) X(ELEMENTS, 8) X(TERMS, 9) X(DEPTH, 10) X(VALUES, 11) X(MEMORY, 12) X(OPERATIONS, 13) X(SEED, 14)
#define SHP_BINDING_FIELDS(X) X(NAME, 1) X(SIZE, 2)
/* A value. Dims and elements stand in their order, whichever of their fields each one is. A dim or element as text is a name or an
 * expression; an unknown one (its field's value means nothing) is neither number nor text. TYPE: "float32", "seq(int64)", ONNX's
 * "tensor(float)", … SHAPE is 1 where the rank is known. */
#define SHP_VALUE_FIELDS(X) \
    X(VALUE_NAME, 1) X(TYPE, 2) X(SHAPE, 3) X(DIM, 4) X(DIM_TEXT, 5) X(DIM_UNKNOWN, 6) \
    X(DATA, 7) X(DATA_TEXT, 8) X(DATA_UNKNOWN, 9) X(DATA_REAL, 10)
/* What a host's rule answers: its outputs in order, each a message of VALUE_FIELDS. */
#define SHP_ANSWER_FIELDS(X) X(OUTPUT, 1)

enum {
#define X(name, number) SHP_FIELD_##name = number,
    SHP_OPTION_FIELDS(X) SHP_BINDING_FIELDS(X) SHP_VALUE_FIELDS(X) SHP_ANSWER_FIELDS(X)
#undef X
};
enum {
#define X(name) SHP_WORD_##name,
    SHP_REQUEST_WORDS(X)
#undef X
};

typedef struct shp_engine shp_engine;

/* What an engine asks for or ends with, at full width. */
typedef struct shp_ask {
    uint64_t offset, length;
    shp_str location;
    uint32_t nodes_done, nodes;
    shp_code code;
    shp_str path, message;
    const shp_report *report;
} shp_ask;

/* An engine in that arena, which is its alone from then on; its limit is set by the options. NULL: no memory. */
shp_engine *shp_engine_new(shp_arena *a);
/* options: bytes as above, which must stay until the call ends (len 0: none). size: of the source, UINT64_MAX where the host does not
 * know it. Steps once. */
shp_status shp_engine_start(shp_engine *e, const uint8_t *options, size_t len, uint64_t size);
shp_status shp_engine_step(shp_engine *e);
/* Answers what the last status asked for. ok false: it cannot be had; the bytes are then one line that says why. */
void shp_engine_give(shp_engine *e, bool ok, const uint8_t *bytes, size_t len);
/* Answers SHP_NEED_BYTES of LENGTH 0 where there are no more: the source has `size` bytes, which may be less than OFFSET. */
void shp_engine_end(shp_engine *e, uint64_t size);
const shp_ask *shp_engine_ask(const shp_engine *e);

/* The value of an expression as results print them, or of a symbol's whole name, where names have these values: a message of
 * BINDING fields as in options. SHP_EVALUATED and *result, or what is wrong, with the name without a value in *name. */
#define SHP_EVALUATIONS(X) X(EVALUATED) X(NO_EXPRESSION) X(NO_VALUE) X(UNDEFINED)
typedef enum {
#define X(name) SHP_##name,
    SHP_EVALUATIONS(X)
#undef X
} shp_evaluation;
shp_evaluation shp_evaluate(shp_arena *a, shp_str text, const uint8_t *bindings, size_t len, int64_t *result, shp_str *name);

#endif
