/* Rows checked by hand against the operators' documentation (docs/Changelog.md of ONNX, docs/ContribOperators.md of
 * ONNX Runtime); then what must hold for every schema of the table. */
#include "../../src/dtype.h"
#include "../../src/schema.h"
#include "../../src/schema_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static shp_arena arena;
static shp_schemas *schemas;

static void *host_grow(void *host, size_t size)
{
    (void)host;
    return calloc(1, size);
}

static void fail(const char *domain, const char *op, int64_t opset, const char *what, const char *got)
{
    printf("FAIL %s::%s opset %lld: %s, got %s\n", domain, op, (long long)opset, what, got);
    failures++;
}

static shp_str str(const char *text)
{
    return (shp_str){ text, (uint32_t)strlen(text) };
}

static const shp_schema *find(const char *domain, const char *op, int64_t opset)
{
    const shp_schema *s = shp_schema_find(schemas, str(domain), str(op), opset);
    if (!s) fail(domain, op, opset, "a schema", "none");
    return s;
}

/* Versions */

static const struct {
    const char *domain, *op;
    int64_t opset, since, first;    /* since 0: none */
} versions[] = {
    { "", "Shape", 1, 1, 1 },       { "", "Shape", 12, 1, 1 },      { "", "Shape", 13, 13, 1 },
    { "", "Shape", 14, 13, 1 },     { "", "Shape", 15, 15, 1 },     { "", "Shape", 18, 15, 1 },
    { "", "Shape", 19, 19, 1 },     { "", "Shape", 20, 19, 1 },     { "", "Shape", 21, 21, 1 },
    { "", "Shape", 22, 21, 1 },     { "", "Shape", 23, 23, 1 },     { "", "Shape", 24, 24, 1 },
    { "", "Shape", 25, 25, 1 },     { "", "Shape", INT64_MAX, 25, 1 },
    { "", "Shape", 0, 0, 1 },       { "", "Shape", INT64_MIN, 0, 1 },
    { "ai.onnx", "Shape", 13, 13, 1 },
    { "", "Abs", 13, 13, 1 },       { "", "Xor", 13, 7, 1 },        /* first and last of a domain */
    { "", "If", 25, 25, 1 },        { "", "Reshape", 4, 1, 1 },     { "", "Reshape", 5, 5, 1 },
    { "", "Gelu", 19, 0, 20 },      { "", "Gelu", 20, 20, 20 },
    { "", "Shap", 25, 0, 0 },       { "", "Shapes", 25, 0, 0 },     { "", "shape", 25, 0, 0 },
    { "", "", 25, 0, 0 },           { "", "~", 25, 0, 0 },          { "", "Zzz", 25, 0, 0 },
    { "ai.onnx.", "Shape", 25, 0, 0 },                              { "com.example", "Shape", 25, 0, 0 },
    { "ai.onnx.ml", "ZipMap", 3, 1, 1 },                            { "ai.onnx.ml", "TreeEnsemble", 4, 0, 5 },
    { "ai.onnx.ml", "LabelEncoder", 3, 2, 1 },                      { "ai.onnx.ml", "ArrayFeatureExtractor", 1, 1, 1 },
    { "com.microsoft", "FusedMatMul", 1, 1, 1 },                    { "com.microsoft", "WordConvEmbedding", 1, 1, 1 },
    { "ai.onnx.preview.training", "Adam", 1, 1, 1 },
    /* of tools/data */
    { "", "LayerNormalization", 11, 1, 1 },                         { "", "LayerNormalization", 17, 17, 1 },
    { "", "SimplifiedLayerNormalization", 21, 1, 1 },               { "", "ImageScaler", 9, 1, 1 },
    { "", "ImageScaler", 10, 10, 1 },                               { "", "ThresholdedRelu", 9, 1, 1 },
    { "", "ThresholdedRelu", 10, 10, 1 },                           { "", "MeanVarianceNormalization", 8, 1, 1 },
    { "", "ConstantFill", 9, 1, 1 },                                { "org.pytorch.aten", "ATen", 1, 1, 1 },
    { "com.microsoft.nchwc", "Conv", 1, 1, 1 },                     { "com.ms.internal.nhwc", "Conv", 17, 11, 1 },
    { "com.microsoft", "QLinearConvTranspose", 1, 1, 1 },
};

static void check_versions(void)
{
    for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
        const char *domain = versions[k].domain, *op = versions[k].op;
        const shp_schema *s = shp_schema_find(schemas, str(domain), str(op), versions[k].opset);
        if ((s ? s->since : 0) != versions[k].since) fail(domain, op, versions[k].opset, "since_version", s ? "another" : "none");
        if (shp_schema_first(schemas, str(domain), str(op), str("")) != versions[k].first) fail(domain, op, versions[k].opset, "first", "another");
    }
    const shp_schema *s = shp_schema_find(schemas, (shp_str){ NULL, 0 }, SHP_STR("Shape"), 13);
    if (!s || s->op != SHP_OP_onnx_Shape) fail("NULL", "Shape", 13, "the default domain", "another");
    if (shp_schema_first(schemas, str(""), str("Shape"), str("start")) != 15 || shp_schema_first(schemas, str(""), str("Shape"), str("stop"))) fail("", "Shape", 1, "start since 15", "another");
    if (shp_schema_find(schemas, SHP_STR(""), SHP_STR("Shape\0"), 13)) fail("", "Shape\\0", 13, "none", "a schema");
}

/* Formals' constraints: a variable's index or @ and a fixed type code; ? optional, * variadic, ** and heterogeneous. */

static const struct {
    const char *domain, *op;
    int opset;
    const char *signature;
    int min_in, max_in, min_out, max_out;
} formals[] = {
    { "", "Shape", 25, "0 -> 1", 1, 1, 1, 1 },
    { "", "Add", 7, "0, 0 -> 0", 2, 2, 1, 1 },
    { "", "Conv", 11, "0, 0, 0? -> 0", 2, 3, 1, 1 },
    { "", "Concat", 13, "0* -> 0", 1, INT32_MAX, 1, 1 },
    { "", "Max", 13, "0* -> 0", 1, INT32_MAX, 1, 1 },
    { "", "If", 13, "1 -> 0**", 1, 1, 1, INT32_MAX },
    { "", "Loop", 13, "1?, 2?, 0** -> 0**", 2, INT32_MAX, 1, INT32_MAX },
    { "", "Scan", 8, "0?, 1** -> 1**", 2, INT32_MAX, 1, INT32_MAX },
    { "", "Scan", 9, "0** -> 0**", 1, INT32_MAX, 1, INT32_MAX },
    { "", "Split", 18, "0, @7? -> 0*", 1, 2, 1, INT32_MAX },
    { "", "Dropout", 7, "0 -> 0, 0", 1, 1, 1, 2 },
    { "", "Dropout", 10, "0 -> 0, 1", 1, 1, 1, 2 },
    { "", "Dropout", 13, "0, 1?, 2? -> 0, 2", 1, 3, 1, 2 },
    { "", "LSTM", 14, "0, 0, 0, 0?, 1?, 0?, 0?, 0? -> 0, 0, 0", 3, 8, 0, 3 },
    { "", "TopK", 1, "0 -> 0, 1", 1, 1, 2, 2 },
    { "", "TopK", 11, "0, @7 -> 0, 1", 2, 2, 2, 2 },
    { "", "Clip", 13, "0, 0?, 0? -> 0", 1, 3, 1, 1 },
    { "", "Resize", 19, "0, 1?, @1?, @7? -> 0", 1, 4, 1, 1 },
    { "", "BatchNormalization", 15, "0, 1, 1, 2, 2 -> 0, 2, 2", 5, 5, 1, 3 },
    { "", "Constant", 13, "-> 0", 0, 0, 1, 1 },
    { "", "NonMaxSuppression", 11, "@1, @1, @7?, @1?, @1? -> @7", 2, 5, 1, 1 },
    { "", "LayerNormalization", 17, "0, 0, 0? -> 0, 1, 1", 2, 3, 1, 3 },
    { "", "LayerNormalization", 16, "0, 2, 2? -> 2, 1, 1", 2, 3, 1, 3 },
    { "", "SimplifiedLayerNormalization", 13, "0, 2 -> 2, 1", 2, 2, 1, 2 },
    { "", "Crop", 1, "0 -> 0", 1, 1, 1, 1 },
    { "", "ATen", 1, "0** -> 0**", 0, INT32_MAX, 0, INT32_MAX },
    { "ai.onnx.ml", "ZipMap", 1, "@1 -> 0", 1, 1, 1, 1 },
    { "com.microsoft", "FusedMatMul", 1, "0, 0 -> 0", 2, 2, 1, 1 },
    { "com.microsoft", "SkipLayerNormalization", 1, "0, 0, 0, 0?, 0? -> 0, 1, 1, 0", 3, 5, 1, 4 },
    { "com.microsoft.nchwc", "Conv", 1, "0, 0, 0?, 0? -> 0", 2, 4, 1, 1 },
};

static char *write_formals(const shp_schema *s, bool output, char *at)
{
    int count = (int)strlen((const char *)s->list[output]);
    for (int i = 0; i < count; i++) {
        int constraint = shp_schema_formal(s, output, i);
        bool last = i + 1 == count && shp_schema_max(s, output) == INT32_MAX;
        const char *mark = last ? (shp_schema_heterogeneous(s, output) ? "**" : "*") : !output && shp_schema_input_optional(s, i) ? "?" : "";
        at += sprintf(at, constraint < 0 ? "%s@%d%s" : "%s%d%s", i ? ", " : "", constraint < 0 ? -1 - constraint : constraint, mark);
    }
    return at;
}

static void signature(const shp_schema *s, char *at)
{
    char *arrow = write_formals(s, false, at);
    write_formals(s, true, arrow + sprintf(arrow, arrow > at ? " -> " : "-> "));
}

static void check_formals(void)
{
    for (size_t k = 0; k < sizeof formals / sizeof *formals; k++) {
        const shp_schema *s = find(formals[k].domain, formals[k].op, formals[k].opset);
        char got[1000];
        if (!s) continue;
        signature(s, got);
        if (strcmp(got, formals[k].signature) != 0) fail(formals[k].domain, formals[k].op, formals[k].opset, formals[k].signature, got);
        int n[4] = { shp_schema_min_inputs(s), shp_schema_max_inputs(s), shp_schema_min_outputs(s), shp_schema_max_outputs(s) };
        sprintf(got, "%d %d %d %d", n[0], n[1], n[2], n[3]);
        if (n[0] != formals[k].min_in || n[1] != formals[k].max_in || n[2] != formals[k].min_out || n[3] != formals[k].max_out)
            fail(formals[k].domain, formals[k].op, formals[k].opset, "its counts", got);
    }
    const shp_schema *conv = find("", "Conv", 11);
    if (conv && (shp_schema_input(conv, 3) != SHP_FORMAL_NONE || shp_schema_input(conv, -1) != SHP_FORMAL_NONE
                 || shp_schema_output(conv, INT32_MAX) != SHP_FORMAL_NONE || shp_schema_output(conv, 1) != SHP_FORMAL_NONE))
        fail("", "Conv", 11, "nothing past the end", "a formal");
}

/* Attributes, as attribute() writes them: type, "required" or "= default" (of those that a rule reads); "none" where the schema lacks it. */

static const struct {
    const char *domain, *op;
    int opset;
    const char *name, *attribute;
} attributes[] = {
    { "", "Shape", 13, "start", "none" },               { "", "Shape", 15, "start", "int = 0" },
    { "", "Shape", 15, "end", "int" },                  { "", "Shape", 15, "star", "none" },
    { "", "Shape", 15, "starts", "none" },              { "", "Shape", 15, "", "none" },
    { "", "Conv", 1, "group", "int = 1" },              { "", "Conv", 11, "group", "int = 1" },
    { "", "Conv", 22, "group", "int = 1" },             { "", "Conv", 11, "auto_pad", "string = NOTSET" },
    { "", "Conv", 11, "kernel_shape", "ints" },         { "", "MaxPool", 12, "kernel_shape", "ints required" },
    { "", "Softmax", 1, "axis", "int = 1" },            { "", "Softmax", 11, "axis", "int = 1" },
    { "", "Softmax", 13, "axis", "int = -1" },          { "", "LogSoftmax", 11, "axis", "int = 1" },
    { "", "Dropout", 1, "ratio", "float" },       { "", "Dropout", 6, "is_test", "int = 0" },
    { "", "Dropout", 10, "ratio", "float" },      { "", "Dropout", 12, "ratio", "none" },
    { "", "Dropout", 12, "seed", "int" },
    { "", "BatchNormalization", 15, "epsilon", "float" },
    { "", "BatchNormalization", 15, "momentum", "float" },
    { "", "Resize", 19, "cubic_coeff_a", "float" },
    { "", "Concat", 1, "axis", "int" },                 { "", "Concat", 4, "axis", "int required" },
    { "", "Cast", 1, "to", "string required" },         { "", "Cast", 6, "to", "int required" },
    { "", "Cast", 19, "saturate", "int" },          { "", "ConstantOfShape", 9, "value", "tensor" },
    { "", "Constant", 1, "value", "tensor required" },  { "", "Constant", 13, "sparse_value", "sparse_tensor" },
    { "", "If", 1, "then_branch", "graph required" },   { "", "Optional", 15, "type", "type_proto" },
    { "", "MeanVarianceNormalization", 13, "axes", "ints = 0,2,3" },
    { "", "RNN", 14, "activations", "strings" },
    { "", "RNN", 14, "layout", "int = 0" },             
    { "", "LSTM", 14, "activations", "strings" },       { "", "LSTM", 14, "direction", "string = forward" },
    { "", "LSTM", 7, "layout", "none" },
    { "", "TopK", 10, "largest", "none" },              { "", "TopK", 11, "largest", "int = 1" },
    { "", "TopK", 1, "k", "int required" },             { "", "TopK", 10, "axis", "int = -1" },
    { "", "Gemm", 13, "alpha", "float" },           { "", "Selu", 1, "alpha", "float" },
    { "", "Clip", 6, "min", "float" },
    { "", "ReduceMean", 13, "axes", "ints" },           { "", "ReduceMean", 18, "axes", "none" },
    { "", "ReduceMean", 18, "noop_with_empty_axes", "int = 0" },
    { "ai.onnx.ml", "ZipMap", 1, "classlabels_strings", "strings" },
    { "ai.onnx.ml", "LabelEncoder", 2, "default_string", "string" },
    { "com.microsoft", "FusedMatMul", 1, "transA", "int = 0" },
    { "com.microsoft", "FusedMatMul", 1, "alpha", "float" },
    { "", "LayerNormalization", 11, "axis", "int = -1" },
    { "", "SimplifiedLayerNormalization", 11, "stash_type", "int = 1" },
    { "", "Affine", 1, "alpha", "float" },          { "", "Crop", 1, "border", "ints" },
    { "com.ms.internal.nhwc", "Conv", 11, "activation", "string" },
};

/* The first attribute of that name into *out. */
static bool find_attr(const shp_schema *s, const char *name, shp_schema_attr *out)
{
    for (*out = (shp_schema_attr){ 0 }; shp_schema_attr_next(s, out);)
        if (!strcmp(out->name, name)) return true;
    return false;
}

static void attribute(const shp_schema *s, const char *name, char *at)
{
    static const char *const types[] = { "?", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors",
                                         "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos" };
    shp_schema_attr a;
    if (!find_attr(s, name, &a)) {
        strcpy(at, "none");
        return;
    }
    at += sprintf(at, "%s%s", types[a.type], a.required ? " required" : "");
    if (!a.has_default) return;
    at += sprintf(at, " = ");
    if (a.type == 2) sprintf(at, "%lld", (long long)a.i);
    if (a.type == 3) sprintf(at, "%s", a.s);
    for (int64_t k = 0; a.type == 7 && k < a.i; k++) at += sprintf(at, "%s%lld", k ? "," : "", (long long)a.ints[k]);
}

static void check_attributes(void)
{
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        const shp_schema *s = find(attributes[k].domain, attributes[k].op, attributes[k].opset);
        const char *want = attributes[k].attribute, *name = attributes[k].name;
        char got[1000];
        if (!s) continue;
        attribute(s, name, got);
        if (strcmp(got, want) != 0) fail(attributes[k].domain, attributes[k].op, attributes[k].opset, want, got);
        if (shp_schema_has_attr(s, str(name)) != (strcmp(want, "none") != 0)) fail(attributes[k].domain, attributes[k].op, attributes[k].opset, name, "has_attr");
    }
    const shp_schema *conv = find("", "Conv", 11);
    int count = 0;
    for (shp_schema_attr a = { 0 }; conv && shp_schema_attr_next(conv, &a);) count++;
    if (count != 6) fail("", "Conv", 11, "6 attributes", "another count");
    if (conv && (!shp_schema_has_attr(conv, (shp_str){ "groups", 5 }) || shp_schema_has_attr(conv, (shp_str){ "group\0", 6 })))
        fail("", "Conv", 11, "names compared by length", "by NUL");
}

/* Types */

static const struct {
    const char *domain, *op;
    int opset, variable, code;
    bool allowed;
} types[] = {
    { "", "Shape", 1, 0, SHP_FLOAT, true },             { "", "Shape", 1, 0, SHP_BFLOAT16, false },
    { "", "Shape", 13, 0, SHP_BFLOAT16, true },         { "", "Shape", 15, 0, SHP_FLOAT8E4M3FN, false },
    { "", "Shape", 19, 0, SHP_FLOAT8E4M3FN, true },     { "", "Shape", 19, 0, SHP_UINT4, false },
    { "", "Shape", 21, 0, SHP_UINT4, true },            { "", "Shape", 21, 0, SHP_FLOAT4E2M1, false },
    { "", "Shape", 23, 0, SHP_FLOAT4E2M1, true },       { "", "Shape", 24, 0, SHP_FLOAT8E8M0, true },
    { "", "Shape", 24, 0, SHP_UINT2, false },           { "", "Shape", 25, 0, SHP_UINT2, true },
    { "", "Shape", 25, 0, SHP_TYPE_SEQ + SHP_FLOAT, false },
    { "", "Shape", 25, 1, SHP_INT64, true },            { "", "Shape", 25, 1, SHP_INT32, false },
    { "", "Shape", 25, 2, SHP_INT64, false },           { "", "Shape", 25, -1, SHP_INT64, false },
    { "", "Conv", 11, 0, SHP_FLOAT, true },             { "", "Conv", 11, 0, SHP_INT32, false },
    { "", "Identity", 13, 0, SHP_TYPE_SEQ + SHP_FLOAT, false },
    { "", "Identity", 14, 0, SHP_TYPE_SEQ + SHP_FLOAT, true },
    { "", "Identity", 14, 0, SHP_TYPE_OPT + SHP_FLOAT, false },
    { "", "Identity", 16, 0, SHP_TYPE_OPT + SHP_FLOAT, true },
    { "", "Identity", 16, 0, SHP_TYPE_OPTSEQ + SHP_STRING, true },
    { "", "Identity", 16, 0, 0, false },                { "", "Identity", 16, 0, -1, false },
    { "", "Identity", 16, 0, 29, false },               { "", "Identity", 16, 0, INT32_MAX, false },
    { "ai.onnx.ml", "ZipMap", 1, 0, SHP_FLOAT, false },
};

static void check_types(void)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const shp_schema *s = find(types[k].domain, types[k].op, types[k].opset);
        char what[60];
        sprintf(what, "variable %d, type code %d", types[k].variable, types[k].code);
        if (s && shp_schema_allows(s, types[k].variable, types[k].code) != types[k].allowed)
            fail(types[k].domain, types[k].op, types[k].opset, what, types[k].allowed ? "refused" : "allowed");
    }
    static const struct { const char *domain, *op; int variable, code; } only[] = {
        { "", "Shape", 0, 0 },      { "", "Shape", 1, SHP_INT64 },  { "", "Shape", 2, 0 },  { "", "Shape", -1, 0 },
        { "", "IsNaN", 1, SHP_BOOL }, { "", "If", 1, SHP_BOOL },    { "ai.onnx.ml", "ZipMap", 0, 0 },
        { "com.microsoft.nchwc", "Conv", 0, SHP_FLOAT },            { "", "SequenceMap", 0, 0 },
    };
    for (size_t k = 0; k < sizeof only / sizeof *only; k++) {
        const shp_schema *s = find(only[k].domain, only[k].op, 25);
        if (s && shp_schema_only_type(s, only[k].variable) != only[k].code) fail(only[k].domain, only[k].op, 25, "its only type", "another");
    }
    const shp_schema *zip = find("ai.onnx.ml", "ZipMap", 1);
    int maps = 0, code = SHP_TYPE_OTHER;
    for (const char *text; (text = shp_schema_other_type(code)) != NULL; code++) {
        bool expected = strcmp(text, "seq(map(string, float))") == 0 || strcmp(text, "seq(map(int64, float))") == 0;
        if (zip && shp_schema_allows(zip, 0, code) != expected) fail("ai.onnx.ml", "ZipMap", 1, text, "another");
        maps += expected;
    }
    if (maps != 2 || shp_schema_other_type(SHP_TYPE_OTHER - 1) || shp_schema_other_type(INT32_MAX)) fail("", "other types", 0, "maps", "none");
}

/* Every schema: the rows of tests/data/schemas.tsv, which tools/schema.mjs writes beside the table, oldest first. */

static void check_one(const shp_schema *s, const char *domain, const char *op)
{
    for (int i = 0; i < 40; i++) {
        int in = shp_schema_input(s, i), out = shp_schema_output(s, i);
        if ((in == SHP_FORMAL_NONE) != (i >= shp_schema_max_inputs(s))) fail(domain, op, s->since, "as many inputs as max says", "others");
        if ((out == SHP_FORMAL_NONE) != (i >= shp_schema_max_outputs(s))) fail(domain, op, s->since, "as many outputs as max says", "others");
        for (int side = 0; side < 2; side++) {
            int v = side ? out : in, allowed = 0;
            for (int code = 0; v >= 0 && code < 160; code++) allowed += shp_schema_allows(s, v, code);
            if (v >= 0 && (allowed == 0 || (allowed == 1) != (shp_schema_only_type(s, v) != 0))) fail(domain, op, s->since, "types of a variable", "none");
            if (v < 0 && v != SHP_FORMAL_NONE && (v < -1 - 28 || v == -1)) fail(domain, op, s->since, "a fixed type", "none");
        }
    }
    const char *previous = "";
    for (shp_schema_attr a = { 0 }, b; shp_schema_attr_next(s, &a); previous = a.name) {
        bool found = shp_schema_has_attr(s, (shp_str){ a.name, a.len });
        if (!found || !find_attr(s, a.name, &b) || a.name != b.name) fail(domain, op, s->since, a.name, "not found");
        if (a.type < 1 || a.type > 14 || (a.required && a.has_default)) fail(domain, op, s->since, a.name, "no attribute");
        if (strcmp(previous, a.name) >= 0) fail(domain, op, s->since, a.name, "out of order");
    }
}

static void check_all(void)
{
    FILE *rows = fopen("tests/data/schemas.tsv", "r");
    char line[200], domain[60], op[80], last[200] = "";
    int since, count = 0, number = -1, first = 0, older = 0;
    while (rows && fgets(line, sizeof line, rows)) {
        const char *tab = strchr(line, '\t');
        if (!tab || sscanf(tab, "\t%79[^\t]\t%d", op, &since) != 2) continue;
        sprintf(domain, "%.*s", (int)(tab - line), line);
        size_t key = (size_t)(strchr(tab + 1, '\t') - line);
        bool next = strncmp(last, line, key + 1) != 0;
        if (next) number++, first = since, older = 0;
        strcpy(last, line);
        count++;
        const shp_schema *s = find(domain, op, since);
        if (!s) continue;
        if (s->op != number || s->since != since) fail(domain, op, since, "its row", "another");
        if (shp_schema_first(schemas, str(domain), str(op), str("")) != first) fail(domain, op, since, "first", "another");
        const shp_schema *before = shp_schema_find(schemas, str(domain), str(op), since - 1);
        if ((before ? before->since : 0) != older) fail(domain, op, since, "the version before", "another");
        older = since;
        check_one(s, domain, op);
    }
    if (rows) fclose(rows);
    if (count < 890 || number + 1 != SHP_OP_COUNT) fail("", "table", 0, "all schemas", "fewer");
}

int main(void)
{
    shp_arena_init(&arena, 1 << 26, host_grow, NULL);
    schemas = shp_schemas_new(&arena);
    check_versions();
    check_formals();
    check_attributes();
    check_types();
    check_all();
    if (failures == 0) puts("schema: ok");
    return failures != 0;
}
