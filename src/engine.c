#include "shp.h"

#include <string.h>

#include "ops/ops.h"
#include "skim.h"
#include "wire.h"

enum { PAUSE_NODES = 2000 };        /* of the main graph: a few milliseconds */

typedef struct value {              /* a message of VALUE_FIELDS; dims and elements are read when it is known where to put them */
    shp_str name, type;
    bool has_shape;
    uint32_t rank, count;
    shp_wire fields;
} value;

struct shp_engine {
    shp_arena *a;
    shp_ask ask;
    shp_skim *skim;                 /* until the skeleton is there */
    shp_infer *x;
    shp_options options;
    value *input;                   /* beside options.input */
    shp_status status;
    shp_status (*phase)(shp_engine *e);     /* what the next step does: called so, no phase becomes part of another's code */
};

/* ---- options ---- */

static shp_status fail(shp_engine *e, shp_code code, shp_str path, const char *message)
{
    e->ask.code = code;
    e->ask.offset = UINT64_MAX;
    e->ask.path = path;
    e->ask.message = (shp_str){ message, (uint32_t)strlen(message) };
    return e->status = SHP_ERROR;
}

static shp_status no_memory(shp_engine *e) { return fail(e, SHP_E_MEMORY, (shp_str){ "", 0 }, ""); }

static bool is_dim(uint32_t field) { return field >= SHP_FIELD_DIM && field <= SHP_FIELD_DIM_UNKNOWN; }

static value read_value(shp_wire w)
{
    value v = { .fields = w };
    for (shp_field f; shp_next(&w, &f);) {
        uint32_t field = f.key >> 3;
        if (field == SHP_FIELD_VALUE_NAME) v.name = f.text;
        else if (field == SHP_FIELD_TYPE) v.type = f.text;
        else if (field == SHP_FIELD_SHAPE) v.has_shape = true;
        else if (is_dim(field)) v.rank++;
        else v.count++;
    }
    return v;
}

static shp_dim_proto *read_dims(shp_arena *a, const value *v)
{
    shp_dim_proto *dim = shp_alloc_array(a, v->rank + 1u, sizeof *dim), *to = dim;
    shp_wire w = v->fields;
    for (shp_field f; dim && shp_next(&w, &f);) {
        uint32_t field = f.key >> 3;
        if (!is_dim(field)) continue;
        to->kind = field == SHP_FIELD_DIM ? SHP_DIM_VALUE : field == SHP_FIELD_DIM_TEXT ? SHP_DIM_PARAM : SHP_DIM_UNKNOWN;
        to->value = (int64_t)f.value;
        to++->param = f.text;
    }
    return dim;
}

static shp_binding read_binding(shp_wire w)
{
    shp_binding b = { { NULL, 0 }, 0, false };
    for (shp_field f; shp_next(&w, &f);) {
        if (f.key >> 3 == SHP_FIELD_NAME) b.name = f.text;
        else if (f.key >> 3 == SHP_FIELD_SIZE) b.value = (int64_t)f.value;
    }
    return b;
}

static bool read_options(shp_engine *e, shp_wire w)
{
    shp_options *o = &e->options;
    /* In the order of their fields, NESTING to SEED: what holds by default, and the most (of terms and depth: shp_dims_new). */
    uint64_t limit[] = { 64, SHP_RANK_MAX, SHP_ELEMENTS_MAX, 64, 16, 4000000, 1 << 30, 1000000000, 0 };
    static const uint32_t most[] = { SHP_NESTING_MAX, SHP_RANK_MAX, SHP_ELEMENTS_MAX };
    uint32_t count[3] = { 0, 0, 0 };
    shp_wire all = w;
    *o = (shp_options){ .strict = false };
    for (shp_field f; shp_next(&all, &f);) {
        uint32_t list = (f.key >> 3) - SHP_FIELD_BINDING;
        if (list < 3) count[list]++;
    }
    o->binding = shp_alloc_array(e->a, count[0], sizeof *o->binding);
    o->input = shp_alloc_array(e->a, count[1], sizeof *o->input);
    e->input = shp_alloc_array(e->a, count[1], sizeof *e->input);
    o->host_op = shp_alloc_array(e->a, count[2], sizeof *o->host_op);
    if (e->a->failed) return false;
    for (shp_field f; shp_next(&w, &f);) {
        switch (f.key >> 3) {
        case SHP_FIELD_STRICT: o->strict = f.value; break;
        case SHP_FIELD_OVERRIDE: o->override_declared = f.value; break;
        case SHP_FIELD_BINDING: o->binding[o->bindings++] = read_binding(f.sub); break;
        case SHP_FIELD_INPUT: e->input[o->inputs++] = read_value(f.sub); break;
        case SHP_FIELD_HOST_OP: o->host_op[o->host_ops++] = f.text; break;
        default: if ((f.key >> 3) - SHP_FIELD_NESTING < sizeof limit / sizeof *limit) limit[(f.key >> 3) - SHP_FIELD_NESTING] = f.value;
        }
    }
    for (uint32_t i = 0; i < sizeof most / sizeof *most; i++) if (limit[i] > most[i]) limit[i] = most[i];
    o->nesting = (uint32_t)limit[0];
    o->rank = (uint32_t)limit[1];
    o->elements = (uint32_t)limit[2];
    o->terms = (uint32_t)limit[3];
    o->depth = (uint32_t)limit[4];
    o->values = limit[5];
    uint64_t memory = limit[6];
    o->operations = limit[7];
    o->seed = limit[8];
    if (o->terms < 2) o->terms = 2;
    e->a->limit = memory < SIZE_MAX / 2 ? (size_t)memory : SIZE_MAX / 2;
    return true;
}

/* ---- an input's elements ---- */

/* What the file declares of an input, where that is a tensor; else NULL. */
static const shp_type_proto *declared(const shp_graph *g, shp_str name)
{
    for (uint32_t i = 0; i < g->inputs; i++)
        if (shp_str_eq(g->slot[g->input[i]].name, name))
            return g->input_info[i] && g->input_info[i]->type.kind == SHP_T_TENSOR ? &g->input_info[i]->type : NULL;
    return NULL;
}

/* The elements given of a value as they came, where they are numbers; else NULL. Inference casts them to its type, which need not be known here:
 * dtype 0. */
static const shp_content *read_data(shp_engine *e, const value *v, int dtype)
{
    shp_node n = { .x = e->x, .dims = e->x->dims };
    shp_content *c = v->count ? shp_content_new(&n, v->count) : NULL;
    shp_elem *to = c ? c->elem : NULL;
    char kind = shp_dtype_kind(dtype);
    bool whole = kind == 'I' || kind == 'U' || kind == 'B';
    shp_wire w = v->fields;
    for (shp_field f; c && shp_next(&w, &f);) {
        uint32_t field = f.key >> 3;
        double real = shp_float64(f.value);
        if (field < SHP_FIELD_DATA) continue;
        if (field == SHP_FIELD_DATA) *to = shp_elem_int(&n, (int64_t)f.value);
        else if (field == SHP_FIELD_DATA_REAL) *to = shp_elem_real(real);
        if (field == SHP_FIELD_DATA_REAL && whole && !(real > -9e18 && real < 9e18 && real == (double)(int64_t)real)) {
            fail(e, SHP_E_OPTION, v->name, "its data has an element that is no integer");
            return NULL;
        }
        if (!*to++) return NULL;
    }
    return c;
}

/* Whether the shape, where it is all numbers, has that many elements. */
static bool fits(const shp_input_option *o, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < o->rank; i++) {
        if (o->dim[i].kind != SHP_DIM_VALUE) return true;
        product = product && (uint64_t)o->dim[i].value > UINT32_MAX / product ? UINT32_MAX : product * (uint64_t)o->dim[i].value;
    }
    return product == count;
}

static bool read_inputs(shp_engine *e, const shp_graph *g)
{
    for (uint32_t i = 0; i < e->options.inputs; i++) {
        const value *v = &e->input[i];
        shp_input_option *o = &e->options.input[i];
        *o = (shp_input_option){ .name = v->name, .has_shape = v->has_shape, .rank = v->rank, .dim = read_dims(e->a, v) };
        if (v->type.len && !(o->type = shp_type_parse(e->x, v->type))) {
            fail(e, SHP_E_OPTION, v->name, "its type is none: write it as \"float32\", \"seq(int64)\" or \"tensor(float)\"");
            return false;
        }
        if (v->rank > e->options.rank) {
            fail(e, SHP_E_OPTION, v->name, "its shape has more axes than limits.rank allows");
            return false;
        }
        if (!o->dim) continue;
        const shp_type_proto *type = declared(g, v->name);
        if (v->count && !v->has_shape && type && type->has_shape) {       /* elements alone: of the shape that the file declares */
            o->has_shape = true;
            o->rank = type->rank;
            o->dim = type->dim;
        }
        if (v->count && o->has_shape && !fits(o, v->count)) {
            fail(e, SHP_E_OPTION, v->name, "its data has not as many elements as its shape says");
            return false;
        }
        o->data = read_data(e, v, o->type ? o->type : type ? type->elem_type : 0);
        if (e->status == SHP_ERROR) return false;
    }
    return true;
}

/* ---- a host's answer ---- */

static shp_dim find_symbol(void *arg, shp_str name)
{
    shp_dims *t = arg;
    shp_str rest = name;
    if (shp_str_starts(&rest, "unk__")) {           /* one that the host has seen printed */
        uint64_t number = 0;
        for (uint32_t i = 0; i < rest.len && rest.at[i] >= '0' && rest.at[i] <= '9' && number < UINT32_MAX; i++)
            number = number * 10 + (uint64_t)(rest.at[i] - '0');
        for (uint32_t i = shp_dims_symbols(t); i--;) {
            const shp_symbol *s = shp_dims_symbol(t, i);
            if (s->printed == number + 1 && !s->name.len) return shp_dims_symbol_dim(t, i);
        }
    }
    return shp_dim_named(t, name, SHP_SIZE, false);
}

static shp_dim parse_dim(shp_dims *t, shp_str text)
{
    shp_dim d = shp_dim_parse(t, text, find_symbol, t);
    return d ? d : find_symbol(t, text);
}

static void read_fact(shp_engine *e, shp_node *n, uint32_t output, const value *v, shp_fact *f)
{
    shp_dims *t = e->x->dims;
    if (v->type.len && !(f->type = shp_type_parse(e->x, v->type)))
        shp_note(n, SHP_D_HOST_RULE, "the host's rule gives output %d a type that is none: %n", (int64_t)output, &v->type);
    shp_shape *shape = v->has_shape && v->rank <= e->options.rank
        ? shp_alloc(e->a, sizeof *shape + v->rank * sizeof(shp_dim)) : NULL;
    shp_content *c = v->count ? shp_content_new(n, v->count) : NULL;
    if (shape) shape->rank = (int32_t)v->rank;
    uint32_t axis = 0, at = 0;
    shp_wire w = v->fields;
    for (shp_field field; shp_next(&w, &field);) {
        uint32_t number = field.key >> 3;
        if (is_dim(number) && shape) {
            int64_t size = (int64_t)field.value;
            shp_dim d = number == SHP_FIELD_DIM_TEXT ? parse_dim(t, field.text) : number == SHP_FIELD_DIM ? shp_dim_const(t, size) : 0;
            const int64_t *known = shp_dim_number(t, d);
            if (known && *known < 0) {
                shp_note(n, SHP_D_HOST_RULE, "the host's rule gives axis %d of output %d the size %d", (int64_t)axis, (int64_t)output, *known);
                d = 0;
            }
            shape->dim[axis] = d ? d : shp_fresh(n, output, axis, SHP_WHY_DATA);
            axis++;
        } else if (number >= SHP_FIELD_DATA && c) {
            shp_elem *to = &c->elem[at++];
            bool real = shp_dtype_kind(f->type) == 'F';
            if (number == SHP_FIELD_DATA_REAL || (number == SHP_FIELD_DATA && real))
                *to = shp_elem_real(number == SHP_FIELD_DATA ? (double)(int64_t)field.value : shp_float64(field.value));
            else if (number != SHP_FIELD_DATA_UNKNOWN)
                *to = shp_elem_dim(number == SHP_FIELD_DATA ? shp_dim_const(t, (int64_t)field.value) : parse_dim(t, field.text));
            if (shp_elem_is_real(*to) && !real) *to = 0;
        }
    }
    f->shape = shape;
    if (c && shp_shape_count(e->x, shape) != c->count)
        shp_note(n, SHP_D_HOST_RULE, "the host's rule gives output %d %d elements and the shape %h", (int64_t)output, (int64_t)c->count, shape);
    else f->content = c;
}

static void answer(shp_engine *e, shp_wire w)
{
    shp_node *n = e->x->request.node;
    uint32_t count = 0, o = 0;
    shp_wire all = w;
    for (shp_field f; shp_next(&all, &f);) count++;
    if (count > n->nout) shp_note(n, SHP_D_HOST_RULE, "the host's rule gives %d outputs, the node has %d", (int64_t)count, (int64_t)n->nout);
    shp_fact *out = shp_alloc_array(e->a, count + 1u, sizeof *out);
    if (!out) return;
    for (shp_field f; shp_next(&w, &f); o++) {
        value v = read_value(f.sub);
        read_fact(e, n, o, &v, &out[o]);
    }
    shp_infer_rule(e->x, true, out, count, (shp_str){ "", 0 });
}

/* ---- the machine ---- */

shp_engine *shp_engine_new(shp_arena *a)
{
    shp_engine *e = shp_alloc(a, sizeof *e);
    if (e) e->a = a;
    return e;
}

const shp_ask *shp_engine_ask(const shp_engine *e) { return &e->ask; }

void shp_engine_give(shp_engine *e, bool ok, const uint8_t *bytes, size_t len)
{
    shp_str why = { (const char *)bytes, (uint32_t)len };
    if (e->skim) {
        if (ok && e->status == SHP_NEED_BYTES) shp_skim_feed(e->skim, e->ask.offset, bytes, len);
        return;
    }
    if (e->status == SHP_NEED_BYTES) shp_infer_bytes(e->x, ok, ok ? bytes : NULL, ok ? len : 0, ok ? (shp_str){ "", 0 } : why);
    else if (e->status == SHP_NEED_RULE && ok) answer(e, shp_wire_of(bytes, len));
    else if (e->status == SHP_NEED_RULE) shp_infer_rule(e->x, false, NULL, 0, why);
}

void shp_engine_end(shp_engine *e, uint64_t size)
{
    if (e->skim && e->status == SHP_NEED_BYTES) shp_skim_feed(e->skim, size, NULL, 0);
}

/* From the skeleton to a call of inference. false: failed. */
static bool read_model(shp_engine *e)
{
    shp_read_error error = { .code = SHP_OK, .offset = UINT64_MAX, .path = "" };
    size_t size = 0;
    const uint8_t *skeleton = shp_skim_done(e->skim, &size, &error);
    const shp_options *o = &e->options;
    shp_model *m = skeleton ? shp_model_read(e->a, skeleton, size, o->seed, o->nesting, o->values, SHP_ELEMENTS_MAX, &error) : NULL;
    if (!error.code && !m) error.code = SHP_E_MEMORY;
    if (!error.code && !m->graph) error.code = SHP_E_NOT_ONNX, error.path = "it has no graph";
    if (error.code) {
        const char *path = error.path ? error.path : "";
        fail(e, error.code, (shp_str){ path, (uint32_t)strlen(path) }, "");
        e->ask.offset = error.offset;
        return false;
    }
    e->skim = NULL;
    e->ask.nodes = m->graph->nodes;
    e->x = shp_infer_new(e->a, m, o);       /* the inputs' options, read next, are where it was told */
    if (!e->x) no_memory(e);
    return e->x && read_inputs(e, m->graph);
}

static shp_status report(shp_engine *e)
{
    e->ask.report = shp_report_make(e->x);
    return e->ask.report ? SHP_DONE : no_memory(e);
}

static shp_status infer(shp_engine *e)
{
    shp_infer *x = e->x;
    e->status = shp_infer_step(x, PAUSE_NODES);
    e->ask.nodes_done = x->done;
    e->ask.location = (shp_str){ "", 0 };
    switch (e->status) {
    case SHP_NEED_BYTES:
        e->ask.offset = x->request.offset;
        e->ask.length = x->request.length;
        e->ask.location = x->request.location;
        break;
    case SHP_NEED_RULE:
        e->ask.report = shp_report_node(x, x->request.node);
        if (!e->ask.report) return no_memory(e);
        break;
    case SHP_DONE:
        e->phase = report;
        return e->phase(e);
    case SHP_ERROR:
        fail(e, x->error ? x->error : SHP_E_MEMORY, (shp_str){ "", 0 }, "");
        e->ask.message = x->error_message;
        break;
    case SHP_PAUSE: break;
    }
    return e->status;
}

static shp_status skim(shp_engine *e)
{
    e->ask.length = 0;
    if (shp_skim_wants(e->skim, &e->ask.offset)) return e->status = SHP_NEED_BYTES;
    if (!read_model(e)) return e->status = SHP_ERROR;
    e->phase = infer;
    return e->phase(e);
}

shp_status shp_engine_step(shp_engine *e)
{
    return e->status == SHP_ERROR ? e->status : e->phase(e);
}

shp_status shp_engine_start(shp_engine *e, const uint8_t *options, size_t len, uint64_t size)
{
    if (!read_options(e, shp_wire_of(options, len))) return no_memory(e);
    e->skim = shp_skim_new(e->a, size, e->options.nesting * 3 + 16);
    e->phase = skim;
    return e->skim ? shp_engine_step(e) : no_memory(e);
}

/* ---- evaluation ---- */

typedef struct binding_list {
    shp_dims *dims;
    const shp_binding *at;
    uint32_t count;
    bool symbols;               /* to tell what has no value from what is no expression */
    shp_str missing;
} binding_list;

static const shp_binding *bound(binding_list *l, shp_str name)
{
    for (uint32_t i = 0; i < l->count; i++) if (shp_str_eq(l->at[i].name, name)) return &l->at[i];
    return NULL;
}

static shp_dim find_bound(void *arg, shp_str name)
{
    binding_list *l = arg;
    const shp_binding *b = bound(l, name);
    if (!b && !l->missing.len) l->missing = name;
    if (!l->symbols) return b ? shp_dim_const(l->dims, b->value) : 0;
    return shp_dim_named(l->dims, name, SHP_ANY, true);
}

shp_evaluation shp_evaluate(shp_arena *a, shp_str text, const uint8_t *bindings, size_t len, int64_t *result, shp_str *name)
{
    shp_binding *list = NULL;
    size_t room = 0;
    binding_list l = { .dims = shp_dims_new(a, 4096, 64, 0), .missing = { "", 0 } };
    shp_wire w = shp_wire_of(bindings, len);
    for (shp_field f; shp_next(&w, &f);) {
        if (f.key != SHP_KEY(SHP_FIELD_BINDING, SHP_LEN)) continue;
        list = shp_grow_array(a, list, l.count, &room, sizeof *list);
        if (!list) return SHP_UNDEFINED;
        list[l.count++] = read_binding(f.sub);
    }
    l.at = list;
    if (!l.dims) return SHP_UNDEFINED;
    const shp_binding *whole = bound(&l, text);
    if (whole) { *result = whole->value; return SHP_EVALUATED; }
    const int64_t *number = shp_dim_number(l.dims, shp_dim_parse(l.dims, text, find_bound, &l));
    if (number) { *result = *number; return SHP_EVALUATED; }
    l.symbols = true;
    shp_dim d = shp_dim_parse(l.dims, text, find_bound, &l);
    *name = l.missing;
    return !d ? SHP_NO_EXPRESSION : l.missing.len ? SHP_NO_VALUE : SHP_UNDEFINED;
}
