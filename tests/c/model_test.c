/* The model reader: names, order, types, tensors, attributes, functions, merging, limits. model_test [MODEL…] */
#include "proto.h"

#include "../../src/dtype.h"

#include <math.h>

static memory mem;
static shp_arena arena;
static shp_read_error error;

static shp_model *read_with(bytes source, uint32_t nesting, uint64_t values, uint32_t elements)
{
    release(&mem);
    mem.budget = (size_t)1 << 30;
    shp_arena_init(&arena, (size_t)1 << 30, grow, &mem);
    bytes s = skimmed(&arena, source, 1000, true, &error, NULL);
    return s.at ? shp_model_read(&arena, s.at, s.len, 1, nesting, values, elements, &error) : NULL;
}
static shp_model *read_model(bytes source) { return read_with(source, 64, 4000000, 1024); }
static shp_graph *read_graph(bytes graph)
{
    shp_model *m = read_model(all(num(1, 8), len_field(7, graph)));
    CHECK(m && m->graph);
    if (!m) { fprintf(stderr, "%s at %" PRIu64 ": %s\n", shp_code_name(error.code), error.offset, error.path); exit(1); }
    return m->graph;
}

static shp_str text(const char *s) { return (shp_str){ s, (uint32_t)strlen(s) }; }
static const shp_slot *slot(const shp_graph *g, const char *name)
{
    uint32_t s = shp_graph_find(g, text(name));
    return s == SHP_NONE ? NULL : &g->slot[s];
}

/* The node that defines it a second time. */
static uint32_t again(const shp_graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->agains; i++)
        if (&g->slot[g->again[i].slot] == slot(g, name)) return slot(g, name)->twice ? g->again[i].node : SHP_NONE;
    return SHP_NONE;
}
static uint32_t from(const shp_graph *g, const char *name, shp_source source) { return slot(g, name) ? shp_from(slot(g, name), source) : SHP_NONE; }

/* "a b" "c" → a node that makes c of a and b; with attributes */
static bytes node(const char *in, const char *out, bytes more)
{
    bytes b = more;
    for (int output = 0; output < 2; output++)
        for (const char *p = output ? out : in; *p; ) {
            size_t n = strcspn(p, " ");
            b = all(b, len_field(output ? 2 : 1, n == 1 && *p == '-' ? none() : lit(p, n)));
            p += n + (p[n] == ' ');
        }
    return len_field(1, b);
}
static bytes body(const char *attr, bytes graph) { return sub(5, str(1, attr), len_field(6, graph), num(20, SHP_ATTR_GRAPH)); }

/* ---- names ---- */
static void names(void)
{
    bytes inner = all(node("x deep_in", "r", none()), node("r missing", "q", none()), sub(12, str(1, "q")), str(2, "inner"));
    bytes middle = all(node("c", "m", body("then_branch", inner)), node("c", "x", none()), node("c", "deep_in", none()), sub(12, str(1, "late")), str(2, "middle"));
    shp_graph *g = read_graph(all(node("c - w", "y z -", body("body", middle)), node("x", "late", none()), node("x", "y", none()), node("x", "w", none()),
                                  sub(11, str(1, "x")), sub(11, str(1, "c")), sub(5, str(8, "w")), sub(5, str(8, "c")), sub(12, str(1, "y")),
                                  sub(13, str(1, "late"), sub(2, sub(1, num(1, 7)))), sub(13, str(1, "y"), sub(2, sub(1, num(1, 1)))), sub(13, str(1, "nobody"))));
    CHECK(g->nodes == 4 && g->inputs == 2 && g->initializers == 2 && g->outputs == 1 && g->value_infos == 4 && g->depth == 0 && !g->outer);
    const shp_node_proto *n = &g->node[0];
    CHECK(n->inputs == 3 && n->input[1] == SHP_NONE && n->outputs == 3 && shp_output(n)[2] == SHP_NONE && n->attrs->has_graph && !n->attrs->has_ref);
    CHECK(&g->slot[n->input[0]] == slot(g, "c") && &g->slot[shp_output(n)[1]] == slot(g, "z"));
    CHECK(slot(g, "c")->is_input && from(g, "c", SHP_FROM_INITIALIZER) == 1 && !slot(g, "c")->twice);
    CHECK(from(g, "y", SHP_FROM_NODE) == 0 && again(g, "y") == 2 && slot(g, "y")->is_output && slot(g, "y")->info == 4);
    CHECK(from(g, "w", SHP_FROM_INITIALIZER) == 0 && again(g, "w") == 3 && !slot(g, "w")->is_input);
    CHECK(from(g, "late", SHP_FROM_NODE) == 1 && slot(g, "late")->info == 1 && g->value_info[0]->type.elem_type == 7 && !slot(g, "nobody"));
    /* the body takes `late` before it is made; its own x hides the outer one, from the innermost graph too */
    const shp_graph *m = n->attrs->item[0].g, *i = m->node[0].attrs->item[0].g;
    CHECK(m->outer == g && m->depth == 1 && i->outer == m && i->depth == 2 && shp_str_is(i->name, "inner"));
    CHECK(&g->slot[from(m, "late", SHP_FROM_OUTER)] == slot(g, "late") && slot(m, "late")->is_output);
    CHECK(from(m, "x", SHP_FROM_NODE) == 1 && &m->slot[from(i, "x", SHP_FROM_OUTER)] == slot(m, "x"));
    CHECK(&m->slot[from(i, "deep_in", SHP_FROM_OUTER)] == slot(m, "deep_in") && slot(i, "r")->source == SHP_FROM_NODE);
    CHECK(slot(i, "missing")->source == SHP_FROM_NOTHING && slot(i, "missing")->from == 1 && i->flawed && !slot(m, "missing"));
    CHECK(again(m, "x") == 1 && m->agains == 1 && m->again[0].hides && m->flawed && !i->agains && !g->again[0].hides);
    /* order: node 0 needs `late` through its body; the middle body's node 0 needs the others through the inner one */
    CHECK(g->sorted == 4 && g->order[0] == 1 && g->order[1] == 0 && g->order[2] == 2 && g->order[3] == 3);
    CHECK(m->sorted == 3 && m->order[0] == 1 && m->order[1] == 2 && m->order[2] == 0);

    /* a name two levels down gets a slot in between */
    g = read_graph(all(node("x", "y", body("a", all(node("x", "u", body("b", node("far", "v", none())))))), sub(11, str(1, "x")), sub(5, str(8, "far"))));
    m = g->node[0].attrs->item[0].g;
    i = m->node[0].attrs->item[0].g;
    CHECK(slot(i, "far") && slot(m, "far") && &m->slot[from(i, "far", SHP_FROM_OUTER)] == slot(m, "far") && &g->slot[from(m, "far", SHP_FROM_OUTER)] == slot(g, "far"));
}

static void order(void)
{
    shp_graph *g = read_graph(all(node("b", "c", none()), node("x", "a", none()), node("a", "b", none()), node("c", "d", none()), sub(11, str(1, "x"))));
    CHECK(g->sorted == 4 && g->order[0] == 1 && g->order[1] == 2 && g->order[2] == 0 && g->order[3] == 3);
    /* nodes on a cycle, and what depends on it, come last */
    g = read_graph(all(node("e", "f", none()), node("q", "p", none()), node("p", "q", none()), node("q", "r", none()), node("self", "self", none()), node("x", "e", none()),
                       sub(11, str(1, "x"))));
    static const uint32_t want[] = { 5, 0, 1, 2, 3, 4 };
    CHECK(g->sorted == 2 && g->cycle == 2 && !memcmp(g->order, want, sizeof want));
    /* a long chain backwards: linear, and no recursion */
    enum { LONG = 100000 };
    bytes *part = malloc((LONG + 1) * sizeof *part);
    for (int i = 0; i < LONG; i++) {
        char in[16], out[16];
        sprintf(in, "v%d", LONG - i - 1);
        sprintf(out, "v%d", LONG - i);
        part[i] = node(in, out, none());
    }
    part[LONG] = sub(11, str(1, "v0"));
    g = read_graph(joined(part, LONG + 1));
    CHECK(g->sorted == LONG && g->order[0] == LONG - 1 && g->order[LONG - 1] == 0);
    free(part);
}

/* ---- types ---- */
static const shp_type_proto *type_of(bytes type)
{
    shp_graph *g = read_graph(sub(11, str(1, "x"), len_field(2, type)));
    return &g->input_info[0]->type;
}

static void types(void)
{
    const shp_type_proto *t = type_of(sub(1, num(1, 10), sub(2, sub(1, num(1, 5)), sub(1, str(2, "N")), sub(1), sub(1, str(2, "")), sub(1, num(1, (uint64_t)-1)), sub(1, num(1, 0)))));
    CHECK(t->kind == SHP_T_TENSOR && t->elem_type == 10 && t->has_shape && t->rank == 6);
    CHECK(t->dim[0].kind == SHP_DIM_VALUE && t->dim[0].value == 5 && t->dim[1].kind == SHP_DIM_PARAM && shp_str_is(t->dim[1].param, "N"));
    CHECK(t->dim[2].kind == SHP_DIM_UNKNOWN && t->dim[3].kind == SHP_DIM_UNKNOWN && t->dim[4].value == -1 && t->dim[5].kind == SHP_DIM_VALUE && t->dim[5].value == 0);
    t = type_of(sub(1, num(1, 1)));
    CHECK(t->kind == SHP_T_TENSOR && !t->has_shape);
    t = type_of(sub(1, num(1, 1), sub(2)));
    CHECK(t->has_shape && t->rank == 0);
    CHECK(type_of(none())->kind == SHP_T_NONE);
    t = type_of(sub(8, num(1, 11), sub(2, sub(1, num(1, 3)))));
    CHECK(t->kind == SHP_T_SPARSE && t->elem_type == 11 && t->rank == 1);
    t = type_of(sub(9, sub(1, sub(4, sub(1, sub(1, num(1, 7), sub(2)))))));
    CHECK(t->kind == SHP_T_OPTIONAL && t->inner->kind == SHP_T_SEQUENCE && t->inner->inner->kind == SHP_T_TENSOR && t->inner->inner->elem_type == 7);
    t = type_of(sub(5, num(1, 8), sub(2, sub(1, num(1, 1)))));
    CHECK(t->kind == SHP_T_MAP && t->elem_type == 8 && t->inner->elem_type == 1);
    t = type_of(sub(4));
    CHECK(t->kind == SHP_T_SEQUENCE && t->inner && t->inner->kind == SHP_T_NONE);
    CHECK(type_of(sub(7, str(1, "d"), str(2, "n")))->kind == SHP_T_OPAQUE);
    /* merging: the last scalar, all dims; of a oneof the last member */
    t = type_of(all(sub(1, num(1, 1), sub(2, sub(1, num(1, 2)))), sub(1, num(1, 6), sub(2, sub(1, num(1, 3))))));
    CHECK(t->elem_type == 6 && t->rank == 2 && t->dim[0].value == 2 && t->dim[1].value == 3);
    CHECK(type_of(all(sub(1, num(1, 1)), sub(4)))->kind == SHP_T_SEQUENCE);
    t = type_of(sub(1, sub(2, sub(1, num(1, 2), str(2, "N")))));
    CHECK(t->dim[0].kind == SHP_DIM_PARAM);
}

/* ---- tensors ---- */
static const shp_tensor *tensor(bytes more) { return read_graph(sub(5, str(8, "t"), more))->initializer[0]; }

#define FP16 "\0\x3c\0\xc0\x01\0\0\x7c\xff\x7b"             /* 1, -2, 2^-24, inf, 65504 */
static const struct { int dtype; uint64_t dims; bytes data; int n; double want[8]; } decoded[] = {
    { SHP_BOOL,     3, { (const uint8_t *)"\x4a\3\0\1\2", 5 },                 3, { 0, 1, 1 } },
    { SHP_INT8,     2, { (const uint8_t *)"\x4a\2\xff\x7f", 4 },               2, { -1, 127 } },
    { SHP_UINT8,    2, { (const uint8_t *)"\x4a\2\xff\x7f", 4 },               2, { 255, 127 } },
    { SHP_INT16,    2, { (const uint8_t *)"\x4a\4\xff\xff\0\x80", 6 },         2, { -1, -32768 } },
    { SHP_UINT16,   2, { (const uint8_t *)"\x4a\4\xff\xff\0\x80", 6 },         2, { 65535, 32768 } },
    { SHP_INT32,    2, { (const uint8_t *)"\x4a\x8\xfe\xff\xff\xff\1\0\0\0", 10 }, 2, { -2, 1 } },
    { SHP_UINT32,   1, { (const uint8_t *)"\x4a\4\xff\xff\xff\xff", 6 },       1, { 4294967295.0 } },
    { SHP_INT64,    1, { (const uint8_t *)"\x4a\x8\xfd\xff\xff\xff\xff\xff\xff\xff", 10 }, 1, { -3 } },
    { SHP_INT4,     3, { (const uint8_t *)"\x4a\2\x8f\7", 4 },                 3, { -1, -8, 7 } },
    { SHP_UINT4,    3, { (const uint8_t *)"\x4a\2\x8f\7", 4 },                 3, { 15, 8, 7 } },
    { SHP_INT2,     5, { (const uint8_t *)"\x4a\2\xe4\3", 4 },                 5, { 0, 1, -2, -1, -1 } },
    { SHP_UINT2,    5, { (const uint8_t *)"\x4a\2\xe4\3", 4 },                 5, { 0, 1, 2, 3, 3 } },
    { SHP_FLOAT,    2, { (const uint8_t *)"\x4a\x8\0\0\x80\x3f\0\0\0\xc0", 10 }, 2, { 1, -2 } },
    { SHP_DOUBLE,   1, { (const uint8_t *)"\x4a\x8\0\0\0\0\0\0\xf8\x3f", 10 }, 1, { 1.5 } },
    { SHP_FLOAT16,  5, { (const uint8_t *)"\x4a\xa" FP16, 12 },                5, { 1, -2, 1 / 16777216.0, INFINITY, 65504 } },
    { SHP_BFLOAT16, 2, { (const uint8_t *)"\x4a\4\x80\x3f\0\xc0", 6 },         2, { 1, -2 } },
    /* typed fields, packed */
    { SHP_INT64,    2, { (const uint8_t *)"\x3a\xb\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 13 }, 2, { 3, -1 } },
    { SHP_INT32,    2, { (const uint8_t *)"\x2a\xb\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 13 }, 2, { 3, -1 } },
    { SHP_INT8,     2, { (const uint8_t *)"\x2a\xb\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 13 }, 2, { 3, -1 } },
    { SHP_UINT8,    1, { (const uint8_t *)"\x2a\2\xff\1", 4 },                 1, { 255 } },
    { SHP_BOOL,     2, { (const uint8_t *)"\x2a\2\1\0", 4 },                   2, { 1, 0 } },
    { SHP_UINT16,   1, { (const uint8_t *)"\x2a\3\xff\xff\3", 5 },             1, { 65535 } },
    { SHP_FLOAT16,  1, { (const uint8_t *)"\x2a\2\x80\x78", 4 },               1, { 1 } },
    { SHP_BFLOAT16, 1, { (const uint8_t *)"\x2a\2\x80\x7f", 4 },               1, { 1 } },
    { SHP_INT4,     3, { (const uint8_t *)"\x2a\3\x8f\1\7", 5 },               3, { -1, -8, 7 } },
    { SHP_UINT2,    5, { (const uint8_t *)"\x2a\3\xe4\1\3", 5 },               5, { 0, 1, 2, 3, 3 } },
    { SHP_UINT64,   1, { (const uint8_t *)"\x5a\2\x80\1", 4 },                 1, { 128 } },
    { SHP_UINT32,   1, { (const uint8_t *)"\x5a\2\x80\1", 4 },                 1, { 128 } },
    { SHP_FLOAT,    1, { (const uint8_t *)"\x22\4\0\0\x80\x3f", 6 },           1, { 1 } },
    { SHP_DOUBLE,   1, { (const uint8_t *)"\x52\x8\0\0\0\0\0\0\xf8\x3f", 10 }, 1, { 1.5 } },
    /* unpacked, and mixed */
    { SHP_INT64,    3, { (const uint8_t *)"\x38\5\x3a\1\6\x38\x80\1", 8 },     3, { 5, 6, 128 } },
    { SHP_FLOAT,    2, { (const uint8_t *)"\x25\0\0\x80\x3f\x25\0\0\0\xc0", 10 }, 2, { 1, -2 } },
    { SHP_DOUBLE,   1, { (const uint8_t *)"\x51\0\0\0\0\0\0\xf8\x3f", 9 },     1, { 1.5 } },
    /* a field that its type does not go into, types without elements here */
    { SHP_FLOAT,    1, { (const uint8_t *)"\x3a\1\1", 3 },                     0, { 0 } },
    { SHP_INT64,    1, { (const uint8_t *)"\x2a\1\1", 3 },                     0, { 0 } },
    { SHP_FLOAT8E5M2, 1, { (const uint8_t *)"\x4a\1\1", 3 },                   0, { 0 } },
    { SHP_UINT64,   1, { (const uint8_t *)"\x4a\x8\xff\xff\xff\xff\xff\xff\xff\xff", 10 }, 0, { 0 } },
};

static void elements(void)
{
    for (size_t i = 0; i < sizeof decoded / sizeof *decoded; i++) {
        const shp_tensor *t = tensor(all(num(2, (uint64_t)decoded[i].dtype), num(1, decoded[i].dims), decoded[i].data));
        shp_elements e = shp_tensor_elements(t, t->data, t->data_len);
        int n = 0;
        for (; n < 8; n++) {
            int64_t k;
            double d;
            if (shp_next_int(&e, &k)) d = (double)k;
            else if (!shp_next_float(&e, &d)) break;
            if (n < decoded[i].n && d != decoded[i].want[n]) { CHECK(d == decoded[i].want[n]); fprintf(stderr, "row %zu element %d: %g\n", i, n, d); }
        }
        bool nibbles = shp_dtype_bits(decoded[i].dtype) < 8;        /* padding shows as elements: the caller knows how many there are */
        CHECK(nibbles ? n >= decoded[i].n : n == decoded[i].n);
        if (!(nibbles ? n >= decoded[i].n : n == decoded[i].n)) fprintf(stderr, "row %zu: %d elements\n", i, n);
        uint64_t have, want;
        if (decoded[i].n) CHECK(shp_tensor_data_fits(t, &have, &want) && have == want);
    }
}

static void tensors(void)
{
    uint64_t have, want;
    const shp_tensor *t = tensor(all(num(2, 7), len_field(1, all(varint(1000000))), len_field(9, filled(16, 1))));
    CHECK(t->rank == 1 && t->count == 1000000 && !shp_tensor_data_fits(t, &have, &want) && have == 16 && want == 8000000);
    t = tensor(all(num(2, 7), num(1, 4)));
    CHECK(t->field == SHP_DATA_NONE && shp_tensor_data_fits(t, &have, &want) && shp_tensor_bytes(t) == 32);
    t = tensor(all(num(2, 1), num(1, 600), len_field(9, filled(2400, 0))));
    CHECK(t->field == SHP_DATA_RAW && !t->data && t->data_len == 2400 && t->data_offset > 8 && shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 7), num(1, 600), len_field(7, filled(1200, 0x81))));      /* a payload of varints: counted later */
    CHECK(t->field == SHP_DATA_INT64 && !t->data && t->data_len == 1200 && t->elements == UINT64_MAX && shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 7), num(1, 2000), len_field(7, filled(1200, 1))));
    CHECK(!shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 7), num(1, 1500), times(1500, num(7, 3))));               /* unpacked and long: only counted */
    CHECK(t->field == SHP_DATA_INT64 && !t->data && !t->data_offset && t->elements == 1500 && shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 7), num(1, 3), len_field(7, filled(1200, 1)), num(7, 3)));
    CHECK(!t->data && !t->data_offset);
    t = tensor(all(num(2, 8), num(1, 2), str(6, "a"), len_field(6, filled(2000, 'b'))));
    CHECK(t->field == SHP_DATA_STRING && t->elements == 2 && shp_tensor_data_fits(t, &have, &want) && shp_tensor_bytes(t) == UINT64_MAX);
    t = tensor(all(num(2, 14), num(1, 2), len_field(4, filled(16, 0))));            /* complex: two floats each */
    CHECK(shp_tensor_data_fits(t, &have, &want) && have == 4);
    t = tensor(all(num(2, 27), num(1, 5), len_field(9, filled(4, 0))));             /* 6 bits each */
    CHECK(shp_tensor_bytes(t) == 4 && shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 27), num(1, 5), len_field(5, filled(5, 0))));
    CHECK(shp_tensor_data_fits(t, &have, &want));
    t = tensor(all(num(2, 1), num(1, (uint64_t)-1), num(1, 3)));
    CHECK(t->count == -1 && t->dim[0] == -1 && shp_tensor_bytes(t) == UINT64_MAX);
    t = tensor(all(num(2, 1), num(1, (uint64_t)1 << 40), num(1, (uint64_t)1 << 40)));
    CHECK(t->count == -1);
    t = tensor(all(num(2, 1), num(1, (uint64_t)1 << 40), num(1, (uint64_t)1 << 40), num(1, 0)));
    CHECK(t->count == 0 && shp_tensor_bytes(t) == 0);
    t = tensor(num(2, 1));
    CHECK(t->rank == 0 && t->count == 1);
    t = tensor(all(num(2, 1), num(1, 4), num(14, 1), sub(13, str(1, "location"), str(2, "w/a.bin")), sub(13, str(1, "offset"), str(2, "4096")), sub(13, str(1, "length"), str(2, "16"))));
    CHECK(t->external && shp_str_is(t->location, "w/a.bin") && t->external_offset == 4096 && t->external_length == 16 && shp_tensor_data_fits(t, &have, &want));
    double d;
    shp_elements e = shp_tensor_elements(t, (const uint8_t *)"\0\0\x80\x3f\0\0\0\xc0", 8);
    CHECK(shp_next_float(&e, &d) && d == 1 && shp_next_float(&e, &d) && d == -2 && !shp_next_float(&e, &d) && !shp_next_float(&e, &d));
    int64_t k;
    t = tensor(all(num(2, 13), num(1, 2), num(11, UINT64_MAX), num(11, 7)));       /* one beyond int64, one within */
    e = shp_tensor_elements(t, t->data, t->data_len);
    CHECK(!shp_next_int(&e, &k) && shp_next_int(&e, &k) && k == 7 && !shp_next_int(&e, &k));
    t = tensor(all(num(14, 1), sub(13, str(1, "offset"), str(2, "99999999999999999999"))));
    CHECK(t->external_offset == UINT64_MAX);
    shp_graph *g = read_graph(all(sub(15, sub(1, str(8, "s"), num(2, 1), num(1, 2)), sub(2, str(8, "i")), num(3, 10), num(3, 20)), sub(5, str(8, "d"))));
    CHECK(g->initializers == 2 && shp_str_is(g->initializer[0]->name, "d"));
    t = g->initializer[1];
    CHECK(t->sparse && shp_str_is(t->name, "s") && t->elem_type == 1 && t->rank == 2 && t->count == 200 && from(g, "s", SHP_FROM_INITIALIZER) == 1);
    /* the same content under two names has one hash */
    g = read_graph(all(sub(5, num(2, 1), str(8, "a"), str(9, "data")), sub(5, num(2, 1), str(8, "b"), str(9, "data")), sub(5, num(2, 1), str(8, "c"), str(9, "Data"))));
    CHECK(g->initializer[0]->wire == g->initializer[1]->wire && g->initializer[0]->wire != g->initializer[2]->wire);
}

/* ---- attributes ---- */
static const shp_attr *attribute(bytes more) { return read_graph(node("", "y", sub(5, str(1, "a"), more)))->node[0].attrs->item; }

static void attributes(void)
{
    const shp_attr *a = attribute(all(f32(2, 0.5f), num(20, 1)));
    CHECK(a->type == SHP_ATTR_FLOAT && a->f == 0.5f && shp_str_is(a->name, "a"));
    a = attribute(num(3, (uint64_t)-5));            /* IR version 1 writes no type */
    CHECK(a->type == SHP_ATTR_INT && a->i == -5);
    a = attribute(num(20, 2));
    CHECK(a->type == SHP_ATTR_INT && a->i == 0);
    a = attribute(all(str(4, "ij->ji"), num(20, 3)));
    CHECK(a->type == SHP_ATTR_STRING && shp_str_is(a->s, "ij->ji"));
    a = attribute(all(len_field(4, filled(5000, 's')), num(20, 3)));
    CHECK(a->type == SHP_ATTR_STRING && !a->s.at && a->s.len == 5000);
    a = attribute(all(sub(5, num(1, 2)), sub(5, num(1, 3), num(2, 1)), num(20, 4)));
    CHECK(a->t && a->t->rank == 2 && a->t->dim[1] == 3 && a->t->elem_type == 1);    /* merged */
    a = attribute(all(f32(7, 1), f32(7, 2), len_field(7, little(0x40400000, 4)), num(20, 6)));
    CHECK(a->type == SHP_ATTR_FLOATS && a->count == 3 && a->floats[2] == 3);
    a = attribute(all(num(8, 1), num(8, (uint64_t)-1), len_field(8, all(varint(300), varint(7))), num(20, 7)));
    CHECK(a->type == SHP_ATTR_INTS && a->count == 4 && a->ints[1] == -1 && a->ints[2] == 300 && a->ints[3] == 7);
    a = attribute(all(times(1024, num(8, 300)), num(20, 7)));
    CHECK(a->count == 1024 && a->ints && a->ints[1023] == 300);
    a = attribute(all(times(1025, num(8, 300)), num(20, 7)));
    CHECK(a->count == 1025 && !a->ints);
    a = attribute(all(len_field(8, filled(1024, 9)), num(20, 7)));
    CHECK(a->count == 1024 && a->ints && a->ints[1023] == 9);
    a = attribute(all(len_field(7, filled(40000, 0)), num(20, 6)));
    CHECK(a->count == 10000 && !a->floats);
    a = attribute(num(20, 7));
    CHECK(a->count == 0 && a->ints);
    a = attribute(all(str(9, "x"), str(9, ""), num(20, 8)));
    CHECK(a->type == SHP_ATTR_STRINGS && a->count == 2 && shp_str_is(a->strings[0], "x") && a->strings[1].len == 0);
    a = attribute(all(times(2000, str(9, "BRANCH_LEQ")), num(20, 8)));
    CHECK(a->count == 2000 && !a->strings);
    a = attribute(all(sub(11, str(2, "g1")), sub(11, str(2, "g2")), num(20, 10)));
    CHECK(a->type == SHP_ATTR_GRAPHS && a->count == 2 && shp_str_is(a->graphs[1]->name, "g2") && a->graphs[1]->depth == 1);
    a = attribute(all(sub(22, sub(1, num(2, 1)), num(3, 5)), num(20, 11)));
    CHECK(a->type == SHP_ATTR_SPARSE_TENSOR && a->t->sparse && a->t->dim[0] == 5);
    a = attribute(all(sub(14, sub(1, num(1, 9))), num(20, 13)));
    CHECK(a->type == SHP_ATTR_TYPE_PROTO && a->tp->elem_type == 9);
    a = attribute(all(sub(10), sub(10), num(20, 9)));
    CHECK(a->type == SHP_ATTR_TENSORS && a->count == 2);
    a = attribute(all(str(21, "alpha"), num(20, 1)));
    CHECK(shp_str_is(a->ref, "alpha"));
    shp_graph *g = read_graph(all(node("", "y", all(sub(5, str(1, "a"), num(3, 1)), str(7, "ai.onnx"), str(4, "Op"), str(8, "over"), str(3, "name"))),
                                  node("", "z", sub(5, str(1, "a"), num(3, 1))), node("", "u", sub(5, str(1, "a"), num(3, 2))),
                                  node("", "v", body("b", node("", "w", sub(5, str(1, "k"), str(21, "alpha")))))));
    CHECK(g->node[0].op->domain.len == 0 && shp_str_is(g->node[0].op->op_type, "Op") && shp_str_is(g->node[0].op->overload, "over") && shp_str_is(g->node[0].name, "name"));
    CHECK(g->node[0].attrs->hash == g->node[1].attrs->hash && g->node[0].attrs->hash != g->node[2].attrs->hash);
    CHECK(!g->node[0].attrs->has_ref && g->node[3].attrs->has_ref && g->node[3].attrs->item[0].g->node[0].attrs->has_ref);
}

/* ---- functions, the model ---- */
static void models(void)
{
    bytes fn = sub(25, str(1, "Dense"), str(10, "my"), str(13, "v2"), str(4, "x"), str(4, "w"), str(5, "y"), str(6, "alpha"), sub(11, str(1, "beta"), f32(2, 2), num(20, 1)),
                   sub(11, str(1, "act"), sub(6, str(2, "default")), num(20, 5)), sub(9, str(1, "ai.onnx"), num(2, 18)),
                   len_field(7, all(str(1, "x"), str(1, "w"), str(2, "y"), str(4, "MatMul"))), sub(12, str(1, "y"), sub(2, sub(1, num(1, 1)))));
    shp_model *m = read_model(all(num(1, 10), num(5, 3), str(2, "test"), str(3, "1.0"), str(4, "dom"), sub(7, str(2, "first"), node("x", "y", none())),
                                  sub(8, num(2, 17)), sub(8, str(1, "my"), num(2, 1)), fn, sub(7, str(2, "second"), node("y", "z", none()), sub(11, str(1, "x")))));
    CHECK(m && m->ir_version == 10 && m->model_version == 3 && shp_str_is(m->producer_name, "test") && shp_str_is(m->producer_version, "1.0"));
    CHECK(m->opsets == 2 && m->opset[0].version == 17 && m->opset[0].domain.len == 0 && shp_str_is(m->opset[1].domain, "my"));
    CHECK(shp_str_is(m->graph->name, "second") && m->graph->nodes == 2 && from(m->graph, "y", SHP_FROM_NODE) == 0 && slot(m->graph, "x")->is_input);
    const shp_function *f = &m->function[0];
    CHECK(m->functions == 1 && shp_str_is(f->name, "Dense") && shp_str_is(f->domain, "my") && shp_str_is(f->overload, "v2") && f->attrs == 1 && f->defaults == 2);
    CHECK(f->attr_default[0].f == 2 && shp_str_is(f->attr_default[1].g->name, "default") && f->opset[0].domain.len == 0 && f->opset[0].version == 18);
    CHECK(f->body->inputs == 2 && f->body->outputs == 1 && f->body->nodes == 1 && f->body->value_infos == 1 && shp_str_is(f->body->input_info[1]->name, "w"));
    CHECK(slot(f->body, "y")->is_output && slot(f->body, "y")->info == 1 && from(f->body, "y", SHP_FROM_NODE) == 0 && f->body->sorted == 1);
    CHECK(m->values == 3 + 3);
    m = read_model(all(num(1, 8), fn));
    CHECK(m && !m->graph && m->functions == 1);
}

/* ---- limits and errors ---- */
static bytes nested(int levels)
{
    bytes g = node("x", "y", none());
    for (int i = 0; i < levels; i++) g = node("c", "y", body("then_branch", g));
    return all(num(1, 8), len_field(7, g));
}

static void limits(void)
{
    CHECK(read_model(nested(64)));
    CHECK(!read_model(nested(65)) && error.code == SHP_E_NESTING && error.offset > 2);
    CHECK(!read_with(nested(3), 2, 100, 1024) && error.code == SHP_E_NESTING && !strcmp(error.path, "graph.node[0].attribute[0].g.node[0].attribute[0].g.node[0].attribute[0].g"));
    CHECK(!read_with(nested(3), 64, 5, 1024) && error.code == SHP_E_VALUES);
    bytes type = sub(1, num(1, 1));
    for (int i = 0; i < 70; i++) type = sub(4, len_field(1, type));
    CHECK(!read_model(all(num(1, 8), sub(7, sub(11, str(1, "x"), len_field(2, type))))) && error.code == SHP_E_NESTING);
    /* names up to 64 KiB */
    CHECK(read_model(all(num(1, 8), sub(7, sub(1, len_field(1, filled(65536, 'x')))))));
    CHECK(!read_model(all(num(1, 8), sub(7, node("x", "y", none()), sub(1, len_field(1, filled(65537, 'x')))))) && error.code == SHP_E_WIRE && !strcmp(error.path, "graph.node[1]"));
    CHECK(error.offset == 6);                       /* of the graph's content */
    CHECK(!read_model(all(num(1, 8), sub(7, sub(5, len_field(8, filled(65537, 'x')))))) && !strcmp(error.path, "graph.initializer[0]"));
    CHECK(!read_model(all(num(1, 8), sub(7, sub(5, times(1025, num(1, 1)))))) && error.code == SHP_E_WIRE);
    CHECK(!read_model(all(num(1, 8), sub(7, sub(5, len_field(7, varint(300)), len_field(7, lit("\x80", 1)))))) && error.code == SHP_E_WIRE);
    CHECK(!read_model(all(num(1, 8), sub(7, sub(5, len_field(4, lit("123", 3)))))) && error.code == SHP_E_WIRE);
    const shp_attr *a = read_with(all(num(1, 8), sub(7, node("", "y", sub(5, times(11, num(8, 1)), num(20, 7))))), 64, 100, 10)->graph->node[0].attrs->item;
    CHECK(a->count == 11 && !a->ints);
    /* a skeleton that no skimmer made */
    static const uint8_t bad[] = "\x3a\x20\x0a\x02";
    shp_read_error e;
    CHECK(!shp_model_read(&arena, bad, 4, 1, 64, 100, 1024, &e) && e.code == SHP_E_WIRE);
    CHECK(shp_model_read(&arena, bad, 0, 1, 64, 100, 1024, &e));
}

static void in_little_memory(bytes source)
{
    for (size_t limit = 4096; limit < 400000; limit += 1999) {
        release(&mem);
        mem.budget = limit;
        shp_arena_init(&arena, limit, grow, &mem);
        bytes s = skimmed(&arena, source, 4096, true, &error, NULL);
        shp_model *m = s.at ? shp_model_read(&arena, s.at, s.len, 1, 64, 100000, 1024, &error) : NULL;
        CHECK(m ? !error.code : error.code == SHP_E_MEMORY);
    }
}

int main(int argc, char **argv)
{
    names();
    order();
    types();
    elements();
    tensors();
    attributes();
    models();
    limits();
    in_little_memory(nested(20));
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) { perror(argv[i]); return 2; }
        static uint8_t data[1 << 24];
        bytes b = { data, fread(data, 1, sizeof data, f) };
        fclose(f);
        if (!read_model(b)) { fprintf(stderr, "%s: %s at %" PRIu64 ": %s\n", argv[i], shp_code_name(error.code), error.offset, error.path); continue; }
        in_little_memory(b);
    }
    release(&mem);
    return report("model_test");
}
