#include "../infer.h"
#include "index.h"

#include <string.h>

/* ---- contents through broadcasting ---- */

/* The axes of an output that have more than one element, from the last to the first. */
typedef struct grid {
    int64_t count, size[SHP_VIEW_AXES], stride[SHP_VIEW_AXES];
    int32_t axes, axis[SHP_VIEW_AXES];
} grid;

static bool grid_of(shp_node *n, const shp_shape *s, grid *g)
{
    *g = (grid){ .count = 1 };
    for (int32_t k = 0; s && k < s->rank; k++) {
        int64_t v;
        if (!is_num(n, s->dim[k], &v) || v < 0 || v > SHP_ELEMENTS_MAX || (g->count *= v) > SHP_ELEMENTS_MAX) return false;
        if (v < 2) continue;
        if (g->axes == SHP_VIEW_AXES) return false;
        g->size[g->axes] = v;
        g->axis[g->axes++] = k;
    }
    return s != NULL;
}

/* The strides of an input whose first axis lies at axis `at` of the output; an axis of one element is repeated. */
static void grid_input(shp_node *n, grid *g, const shp_shape *s, int64_t at)
{
    int64_t stride = 1, v;
    memset(g->stride, 0, sizeof g->stride);
    for (int32_t k = s->rank, j = g->axes; k-- > 0;) {
        while (j > 0 && g->axis[j - 1] > at + k) j--;
        if (!is_num(n, s->dim[k], &v)) return;
        if (v != 1 && j > 0 && g->axis[j - 1] == at + k) g->stride[j - 1] = stride;
        stride *= v;
    }
}

/* Element p of the output, in the input that grid_input was told. */
static shp_elem grid_elem(const grid *g, const shp_content *c, int64_t p)
{
    int64_t at = shp_offset(p, g->size, g->stride, g->axes);
    return at < (int64_t)c->count ? c->elem[at] : (shp_elem){ 0 };
}

static const shp_shape *out_shape(const shp_node *n) { return n->nout ? n->out[0].shape : NULL; }

/* An exponent in the type of the base. */
static shp_elem exponent(shp_node *n, int from, int to, shp_elem e)
{
    if (shp_dtype_kind(to) == 'F') return shp_elem_cast(n, from, to, e);
    shp_elem i = shp_elem_cast(n, from, SHP_INT64, e);
    return shp_elem_eq(n, i, e) == 1 ? i : (shp_elem){ 0 };
}

/* Elements of output 0: op over the inputs, from the first to the last, broadcast; input 1 lies at axis `at` (below 0: at the end). */
static void out_elements(shp_node *n, shp_calc op, int64_t at)
{
    grid g;
    const shp_shape *out = out_shape(n);
    uint32_t count = shp_inputs(n);
    if (!grid_of(n, out, &g) || !shp_in_contents(n, 0, count)) return;
    shp_content *c = shp_content_new(n, (uint64_t)g.count);
    int dtype = shp_in_dtype(n, 0);
    for (uint32_t i = 0; c && i < count; i++) {
        const shp_content *x = shp_in_content(n, i);
        const shp_shape *s = shp_in_shape(n, i);
        if (!x || !s) return;
        grid_input(n, &g, s, i == 1 && at >= 0 ? at : out->rank - s->rank);
        for (int64_t p = 0; p < g.count; p++) {
            shp_elem e = grid_elem(&g, x, p);
            if (op == SHP_POW && i) e = exponent(n, shp_in_dtype(n, 1), dtype, e);
            c->elem[p] = i ? shp_elem_calc(n, op, dtype, c->elem[p], e) : e;
        }
    }
    if (c) shp_out_content(n, 0, c);
}

/* ---- shapes of two and more inputs ---- */

/* All inputs have the same shape: Sum, Min, Max and Mean below opset 8, the binary operators below 7 without `broadcast`, SwiGLU. */
static int same_shapes(shp_node *n)
{
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = -1;
    for (uint32_t i = 0; i < shp_inputs(n); i++) {
        const shp_shape *s = shp_in_shape(n, i);
        if (!s) continue;
        if (rank < 0) memcpy(d, s->dim, (size_t)(rank = s->rank) * sizeof *d);
        if (rank != s->rank) return shp_fail(n, SHP_D_SHAPE, "wants inputs of one shape, %i has rank %d, not %d", i, (int64_t)s->rank, rank);
        for (int32_t k = 0; k < rank; k++)
            if (!shp_same_dim(n, &d[k], s->dim[k], "wants inputs of one shape")) return n->failed;
    }
    return rank < 0 ? SHP_OK : shp_out(n, 0, rank, d);
}

/* `broadcast` and `axis` (below opset 7): the output has A's shape, B's axes are some of A's in a row, from `axis` on, by default the last. */
static int legacy_broadcast(shp_node *n, int64_t *at)
{
    const shp_shape *a = shp_in_shape(n, 0), *b = shp_in_shape(n, 1);
    *at = -1;
    if (!shp_attr_int(n, "broadcast")) return same_shapes(n);
    if (!a || !b) return shp_out_same(n, 0, 0);
    shp_dim d[SHP_RANK_MAX];
    memcpy(d, a->dim, (size_t)a->rank * sizeof *d);
    int64_t axis = shp_attr_int_or(n, "axis", -1);
    if (axis < 0) axis = a->rank - b->rank;
    if (!is(n, shp_numel(n, b), 1)) {
        if (axis < 0 || axis > a->rank - b->rank) return shp_fail(n, SHP_D_AXIS, "%i at axis %d does not lie within %i", 1u, axis, 0u);
        for (int32_t k = 0; k < b->rank; k++)
            if (!is(n, b->dim[k], 1) && !shp_same_dim(n, &d[axis + k], b->dim[k], "broadcast")) return n->failed;
        *at = axis;
    }
    return shp_out(n, 0, a->rank, d);
}

/* Two inputs, numpy's broadcasting from opset 7 on. Elements: op of each pair. */
static int binary(shp_node *n, shp_calc op)
{
    int64_t at = -1;
    if (n->opset < 7 ? legacy_broadcast(n, &at) : shp_out_broadcast(n, 0, 0, 2)) return n->failed;
    out_elements(n, op, at);
    return SHP_OK;
}

/* Add, Sub, Mul, Div, Pow; comparisons; logic; bits (all versions). */
int infer_add(shp_node *n) { return binary(n, SHP_ADD); }
int infer_sub(shp_node *n) { return binary(n, SHP_SUB); }
int infer_mul(shp_node *n) { return binary(n, SHP_MUL); }
int infer_div(shp_node *n) { return binary(n, SHP_DIV); }
int infer_pow(shp_node *n) { return binary(n, SHP_POW); }
int infer_equal(shp_node *n) { return binary(n, SHP_EQUAL); }
int infer_less(shp_node *n) { return binary(n, SHP_LESS); }
int infer_less_or_equal(shp_node *n) { return binary(n, SHP_LESS_EQUAL); }
int infer_greater(shp_node *n) { return binary(n, SHP_GREATER); }
int infer_greater_or_equal(shp_node *n) { return binary(n, SHP_GREATER_EQUAL); }
int infer_or(shp_node *n) { return binary(n, SHP_OR); }
int infer_xor(shp_node *n) { return binary(n, SHP_XOR); }
int infer_bitwise_and(shp_node *n) { return binary(n, SHP_BIT_AND); }
int infer_bitwise_or(shp_node *n) { return binary(n, SHP_BIT_OR); }
int infer_bitwise_xor(shp_node *n) { return binary(n, SHP_BIT_XOR); }
int infer_mod(shp_node *n) { return binary(n, shp_attr_int(n, "fmod") ? SHP_FMOD : SHP_MOD); }

/* ---- floor_divide ---- */

static const shp_node_proto *maker(const shp_node *n, uint32_t slot, const char *op)
{
    const shp_graph *g = n->scope->graph;
    const shp_node_proto *p = slot != SHP_NONE && g->slot[slot].def != SHP_NONE ? &g->node[g->slot[slot].def] : NULL;
    return p && p->inputs && (!op || shp_str_is(p->op_type, op)) ? p : NULL;
}

static shp_elem only_elem(shp_node *n, uint32_t slot)
{
    const shp_content *c = slot == SHP_NONE ? NULL : shp_fact_content(n, &n->scope->fact[slot]);
    return c && c->count == 1 ? c->elem[0] : (shp_elem){ 0 };
}

/* PyTorch writes a // b as Div(a, b) - Cast(And(Not(Equal(Sign(a), Sign(b))), Cast(Mod(a, b)))). Under R2b, which that Div takes up, a is
 * not negative, and a 0 leaves no rest: the And is false. Inputs i and 1 - i are its two sides. */
static bool no_rest(shp_node *n, uint32_t i)
{
    if (n->proto->inputs != 2) return false;
    const shp_node_proto *p = maker(n, n->proto->input[1 - i], "Cast"), *mod = p ? maker(n, p->input[0], "Mod") : NULL;
    if (!mod || mod->inputs != 2) return false;
    uint32_t slot = n->proto->input[i];
    for (int k = 0; k < 2 && (p = maker(n, slot, k ? "Equal" : "Not")) != NULL; k++) slot = p->input[0];
    p = maker(n, slot, "Sign");
    if (!p || p->input[0] != mod->input[0]) return false;
    shp_elem a = only_elem(n, mod->input[0]), b = only_elem(n, mod->input[1]);
    if (a.den != 1 || b.den != 1 || shp_dim_lo(n->dims, b.num) <= 0) return false;
    if (!shp_at_least(n, a.num, 0, "division")) shp_assume(n, a.num, num(n, 0), "division");
    return true;
}

int infer_and(shp_node *n)
{
    if (binary(n, SHP_AND)) return n->failed;
    const shp_content *known = n->nout ? n->out[0].content : NULL;
    int64_t v;
    if (known && (known->count != 1 || is_num(n, known->elem[0].num, &v))) return SHP_OK;
    if (!no_rest(n, 0) && !no_rest(n, 1)) return SHP_OK;
    shp_content *c = shp_content_new(n, 1);
    if (c) c->elem[0] = shp_elem_int(n, 0);
    shp_out_content(n, 0, c);
    return SHP_OK;
}

int infer_bit_shift(shp_node *n)
{
    shp_str way = shp_attr_str(n, "direction");
    bool left = shp_str_is(way, "LEFT");
    if (!left && !shp_str_is(way, "RIGHT")) return shp_fail(n, SHP_D_ATTRIBUTE, "direction is LEFT or RIGHT, not \"%n\"", way);
    return binary(n, left ? SHP_SHIFT_LEFT : SHP_SHIFT_RIGHT);
}

/* Any number of inputs, broadcast from opset 8 on, before that of one shape. */
static int variadic(shp_node *n, shp_calc op)
{
    if (n->opset < 8 ? same_shapes(n) : shp_out_broadcast(n, 0, 0, shp_inputs(n))) return n->failed;
    out_elements(n, op, -1);
    return SHP_OK;
}

int infer_sum(shp_node *n) { return variadic(n, SHP_ADD); }
int infer_min(shp_node *n) { return variadic(n, SHP_MIN); }
int infer_max(shp_node *n) { return variadic(n, SHP_MAX); }

int infer_mean(shp_node *n)
{
    if (variadic(n, SHP_ADD)) return n->failed;
    const shp_content *sum = n->nout ? n->out[0].content : NULL;
    shp_content *c = sum ? shp_content_new(n, sum->count) : NULL;
    for (uint32_t p = 0; c && p < sum->count; p++)
        c->elem[p] = shp_elem_calc(n, SHP_DIV, shp_in_dtype(n, 0), sum->elem[p], shp_elem_real(shp_inputs(n)));
    if (c) shp_out_content(n, 0, c);
    return SHP_OK;
}

/* StringConcat-20: broadcast, no contents. SwiGLU-28: one shape. */
int infer_broadcast(shp_node *n) { return shp_out_broadcast(n, 0, 0, shp_inputs(n)); }
int infer_same_shapes(shp_node *n) { return same_shapes(n); }

/* PRelu: X's shape; the slope broadcasts to it and never beyond (before opset 7 it has one element or one for each channel). */
int infer_prelu(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0), *slope = shp_in_shape(n, 1);
    if (n->opset < 7 || !x || !slope) return shp_out_same(n, 0, 0);
    shp_dim d[SHP_RANK_MAX];
    int64_t at = x->rank - slope->rank;
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    if (at < 0) return shp_fail(n, SHP_D_RANK, "%i has more axes than %i", 1u, 0u);
    for (int32_t k = 0; k < slope->rank; k++)
        if (shp_dim_eq(n->dims, slope->dim[k], num(n, 1)) == 0 && !shp_same_dim(n, &d[at + k], slope->dim[k], "slope")) return n->failed;
    return shp_out(n, 0, x->rank, d);
}

/* Where: three inputs broadcast. An element is known where its condition is, or where both choices are the same. */
int infer_where(shp_node *n)
{
    grid g[3];
    if (shp_out_broadcast(n, 0, 0, 3)) return n->failed;
    const shp_shape *out = out_shape(n);
    if (!grid_of(n, out, &g[0]) || !shp_in_contents(n, 0, 1)) return SHP_OK;
    const shp_content *x[3] = { shp_in_content(n, 0) };
    for (uint32_t i = 0; i < 3; i++) {
        const shp_shape *s = shp_in_shape(n, i);
        g[i] = g[0];
        grid_input(n, &g[i], s, out->rank - s->rank);
        if (i) x[i] = shp_in_contents(n, i, 1) ? shp_in_content(n, i) : NULL;
    }
    shp_content *c = shp_content_new(n, (uint64_t)g[0].count);
    for (int64_t p = 0; c && p < g[0].count; p++) {
        shp_elem e[3] = { { 0 } };
        for (int i = 0; i < 3; i++)
            if (x[i]) e[i] = grid_elem(&g[i], x[i], p);
        int64_t yes;
        if (shp_elem_is_int(n, e[0], &yes)) c->elem[p] = yes ? e[1] : e[2];
        else if (e[1].den && e[1].num == e[2].num && e[1].den == e[2].den && e[1].real == e[2].real) c->elem[p] = e[1];
    }
    if (c) shp_out_content(n, 0, c);
    return SHP_OK;
}

/* ---- one input ---- */

/* The input's shape: activations, trigonometry, everything that contents do not pass through. */
int infer_same(shp_node *n) { return shp_out_same(n, 0, 0); }

/* The same with each element made by `make`. */
typedef shp_elem make_elem(shp_node *n, int dtype, shp_elem e, const shp_elem *arg);
static int mapped(shp_node *n, make_elem *make, int dtype, const shp_elem *arg)
{
    shp_out_same(n, 0, 0);
    int64_t size;
    if (!is_num(n, shp_numel(n, shp_in_shape(n, 0)), &size) || size > SHP_ELEMENTS_MAX || !shp_in_contents(n, 0, 1)) return SHP_OK;
    const shp_content *x = shp_in_content(n, 0);
    shp_content *c = x ? shp_content_new(n, x->count) : NULL;
    for (uint32_t p = 0; c && p < x->count; p++) c->elem[p] = make(n, dtype, x->elem[p], arg);
    if (c) shp_out_content(n, 0, c);
    return SHP_OK;
}

/* arg->den is the operation: one function serves them all. */
static shp_elem make_unary(shp_node *n, int dtype, shp_elem e, const shp_elem *arg)
{
    return shp_elem_calc(n, (shp_calc)arg->den, dtype, e, (shp_elem){ 0 });
}

static int unary(shp_node *n, shp_calc op)
{
    return mapped(n, make_unary, shp_in_dtype(n, 0), &(shp_elem){ .den = (int32_t)op });
}

/* Operators that contents pass through (all versions). */
int infer_abs(shp_node *n) { return unary(n, SHP_ABS); }
int infer_neg(shp_node *n) { return unary(n, SHP_NEG); }
int infer_sign(shp_node *n) { return unary(n, SHP_SIGN); }
int infer_relu(shp_node *n) { return unary(n, SHP_RELU); }
int infer_floor(shp_node *n) { return unary(n, SHP_FLOOR); }
int infer_ceil(shp_node *n) { return unary(n, SHP_CEIL); }
int infer_round(shp_node *n) { return unary(n, SHP_ROUND); }
int infer_sqrt(shp_node *n) { return unary(n, SHP_SQRT); }
int infer_reciprocal(shp_node *n) { return unary(n, SHP_RECIPROCAL); }
int infer_not(shp_node *n) { return unary(n, SHP_NOT); }
int infer_bitwise_not(shp_node *n) { return unary(n, SHP_BIT_NOT); }

/* IsNaN and IsInf: a symbolic float is a finite size. */
static shp_elem make_is_nan(shp_node *n, int dtype, shp_elem e, const shp_elem *arg)
{
    (void)dtype, (void)arg;
    return e.den ? shp_elem_int(n, e.den == -1 && e.real != e.real) : e;
}

static shp_elem make_is_inf(shp_node *n, int dtype, shp_elem e, const shp_elem *arg)
{
    (void)dtype;
    if (e.den != -1) return e.den ? shp_elem_int(n, 0) : e;
    return shp_elem_int(n, (e.real > 0x1.fffffffffffffp1023 && arg[0].den) || (e.real < -0x1.fffffffffffffp1023 && arg[1].den));
}

int infer_is_nan(shp_node *n) { return mapped(n, make_is_nan, 0, NULL); }

int infer_is_inf(shp_node *n)
{
    shp_elem arg[2] = { { .den = shp_attr_int(n, "detect_positive") != 0 }, { .den = shp_attr_int(n, "detect_negative") != 0 } };
    return mapped(n, make_is_inf, 0, arg);
}

/* Clip: bounds as attributes below opset 11, as optional inputs from there on. arg: the bounds, and whether each is given. */
static shp_elem make_clip(shp_node *n, int dtype, shp_elem e, const shp_elem *arg)
{
    if (arg[2].den) e = shp_elem_calc(n, SHP_MAX, dtype, e, arg[0]);
    return arg[3].den ? shp_elem_calc(n, SHP_MIN, dtype, e, arg[1]) : e;
}

int infer_clip(shp_node *n)
{
    static const char *const name[2] = { "min", "max" };
    shp_elem arg[4] = { { 0 } };
    for (uint32_t i = 0; i < 2; i++) {
        bool given = n->opset < 11 ? shp_attr_has(n, name[i]) : shp_has(n, i + 1);
        arg[2 + i].den = given;
        if (!given) continue;
        if (n->opset < 11) {
            arg[i] = shp_elem_real(shp_attr_float_or(n, name[i], 0));
            continue;
        }
        const shp_content *c = shp_in_contents(n, 0, 1) ? shp_in_content(n, i + 1) : NULL;
        if (c && c->count) arg[i] = c->elem[0];
    }
    return mapped(n, make_clip, shp_in_dtype(n, 0), arg);
}

/* Softmax, LogSoftmax, Hardmax: the input's shape, of rank 1 or more. The axis: any from opset 13 on; before, where to make two axes of all. */
int infer_softmax(shp_node *n)
{
    const shp_shape *x = n->opset < 13 ? shp_in_shape(n, 0) : shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    if (n->failed) return n->failed;
    int64_t axis = shp_attr_int(n, "axis");
    if (x && !(n->opset < 11 && axis == x->rank) && shp_axis(n, axis, x->rank) < 0) return n->failed;
    return shp_out_same(n, 0, 0);
}

/* ---- the same value ---- */

/* Identity: its input, whatever that is. */
int infer_identity(shp_node *n) { return shp_out_value(n, 0, shp_in(n, 0)); }

/* Dropout: output and mask have the input's shape; in inference (`is_test` below opset 7; always in 7 to 11; training_mode absent or false
 * from 12 on) the output is the input. The mask's type (T below 10) is in the schema. */
int infer_dropout(shp_node *n)
{
    bool inference = n->opset < 7 ? shp_attr_int(n, "is_test") != 0 : true;
    if (n->opset >= 12) {
        int64_t training = 0;
        if (shp_want_rank(n, 1, 0, 0), shp_want_rank(n, 2, 0, 0), n->failed) return n->failed;
        inference = !shp_has(n, 2) || (shp_in_int(n, 2, &training) && !training);
    }
    shp_out_same(n, 1, 0);
    return inference ? infer_identity(n) : shp_out_same(n, 0, 0);
}

/* ---- casts ---- */

static shp_elem make_cast(shp_node *n, int dtype, shp_elem e, const shp_elem *arg)
{
    return shp_elem_cast(n, arg->den, dtype, e);
}

static int cast(shp_node *n, int64_t to)
{
    int from = shp_in_dtype(n, 0);
    if (from == to) return infer_identity(n);
    return mapped(n, make_cast, (int)to, &(shp_elem){ .den = from });
}

/* The element type that Cast-1 names in words: DataType's names, in capitals. */
static int64_t type_named(shp_str s)
{
    char name[16] = { 0 };
    if (s.len >= sizeof name) return 0;
    for (uint32_t i = 0; i < s.len; i++) name[i] = (char)(s.at[i] >= 'A' && s.at[i] <= 'Z' ? s.at[i] + 32 : s.at[i]);
    if (!strcmp(name, "float")) return SHP_FLOAT;
    if (!strcmp(name, "double")) return SHP_DOUBLE;
    for (int t = 1; t < SHP_DTYPE_COUNT; t++)
        if (!strcmp(name, shp_dtype_name(t))) return t;
    return 0;
}

/* Cast: the type is `to`, a string below opset 6. Contents are converted as the types' arithmetic does. */
int infer_cast(shp_node *n)
{
    const shp_attr *a = shp_attr_get(n, "to");
    int64_t to = a && a->type == SHP_ATTR_STRING ? type_named(a->s) : shp_attr_int(n, "to");
    if (shp_out_dtype(n, 0, to)) return n->failed;
    return cast(n, to);
}

/* CastLike: the type of the second input. */
int infer_cast_like(shp_node *n)
{
    return cast(n, shp_in_dtype(n, 1));
}

/* BitCast-26: the type is `to`, of as many bits; the shape stays. */
int infer_bit_cast(shp_node *n)
{
    int64_t to = shp_attr_int(n, "to");
    int from = shp_in_dtype(n, 0);
    if (shp_out_dtype(n, 0, to)) return n->failed;
    if (from && shp_dtype_bits(from) != shp_dtype_bits((int)to))
        return shp_fail(n, SHP_D_TYPE, "%t has not as many bits as %t", (shp_type)to, (shp_type)from);
    return shp_out_same(n, 0, 0);
}
