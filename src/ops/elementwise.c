/* elementwise - operators that go element by element: arithmetic, comparisons, casts, Where, and what keeps the shape of its input. */
#include "../infer.h"
#include "index.h"
#include "nn.h"

#include <string.h>

/* ---- contents through broadcasting ---- */

/* The elements of input i as the output repeats them, aligned `shift` axes before the last; NULL where they are not known. */
static const shp_content *spread(shp_node *n, uint32_t i, int32_t shift)
{
    const shp_shape *out = n->nout ? n->out[0].shape : NULL;
    int64_t count = shp_count(n, out);
    const shp_content *c = count >= 0 && count <= SHP_ELEMENTS_MAX ? shp_in_worth(n, i) : NULL;
    return !c || c->count == count ? c : shp_mapped(n, out, &(shp_map){ .input = i, .shift = shift });        /* the same: none is repeated */
}

/* An exponent in the type of the base. */
static shp_elem exponent(shp_node *n, int from, int to, shp_elem e)
{
    if (shp_dtype_kind(to) == 'F') return shp_elem_cast(n, from, to, e);
    shp_elem i = shp_elem_cast(n, from, SHP_INT64, e);
    return shp_elem_eq(n, i, e) == 1 ? i : 0;
}

/* Elements of output 0: op over the inputs, from the first to the last, broadcast; input 1 lies `shift` axes before the last. mean: divided by their
 * number. */
static void out_elements(shp_node *n, shp_calc op, int32_t shift, bool mean)
{
    uint32_t count = shp_inputs(n);
    int dtype = shp_in_dtype(n, 0);
    shp_content *c = NULL;
    if (!n->nout || (uint64_t)shp_count(n, n->out[0].shape) > SHP_ELEMENTS_MAX || !shp_in_contents(n, 0, count)) return;
    for (uint32_t i = 0; i < count; i++) {
        const shp_content *x = spread(n, i, i == 1 ? shift : 0);
        if (!i && x) c = shp_content_new(n, x->count);
        if (!x || !c) return;
        for (uint32_t p = 0; p < c->count; p++) {
            shp_elem e = x->elem[p];
            if (op == SHP_POW && i) e = exponent(n, shp_in_dtype(n, 1), dtype, e);
            c->elem[p] = i || op >= SHP_NEG ? shp_elem_calc(n, op, dtype, i ? c->elem[p] : e, e) : e;
            if (mean && i + 1 == count) c->elem[p] = shp_elem_calc(n, SHP_DIV, dtype, c->elem[p], shp_elem_real(count));
        }
    }
    shp_out_content(n, 0, c);
}

/* The same, or else bounds. */
static void out_calc(shp_node *n, shp_calc op, int32_t shift)
{
    out_elements(n, op, shift, false);
    shp_out_calc_bounds(n, op);
}

/* ---- shapes of two and more inputs ---- */

/* All inputs have the same shape: Sum, Min, Max and Mean below opset 8, the binary operators below 7 without `broadcast`, SwiGLU. */
void infer_same_shapes(shp_node *n)
{
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = -1;
    for (uint32_t i = 0; i < shp_inputs(n); i++) {
        const shp_shape *s = shp_in_shape(n, i);
        if (!s) continue;
        if (rank < 0) memcpy(d, s->dim, (size_t)(rank = s->rank) * sizeof *d);
        if (rank != s->rank) shp_fail2(n, SHP_D_SHAPE, "%i has not rank %d", i, rank);
        for (int32_t k = 0; k < rank; k++)
            if (n->failed || !(d[k] = shp_want_dim(n, i, k, d[k]))) return;
    }
    if (rank >= 0) shp_out(n, 0, rank, d);
}

/* `broadcast` and `axis` (below opset 7): the output has A's shape, B's axes are some of A's in a row, from `axis` on, by default the last. */
static void legacy_broadcast(shp_node *n, int32_t *shift)
{
    const shp_shape *a = shp_in_shape(n, 0), *b = shp_in_shape(n, 1);
    if (!shp_attr_int(n, "broadcast")) { infer_same_shapes(n); return; }
    if (!a || !b) { shp_out_same(n, 0, 0); return; }
    shp_dim d[SHP_RANK_MAX];
    memcpy(d, a->dim, (size_t)a->rank * sizeof *d);
    int64_t axis = shp_attr_int_or(n, "axis", -1), last = a->rank - b->rank;
    if (axis < 0) axis = last;
    if (!is(n, shp_numel(n, b), 1)) {
        if (axis < 0 || axis > last) { shp_fail3(n, SHP_D_AXIS, "%i at axis %d does not lie within %i", 1u, axis, 0); return; }
        for (int32_t k = 0; k < b->rank; k++)
            if (!is(n, b->dim[k], 1) && !(d[axis + k] = shp_want_dim(n, 1, k, d[axis + k]))) return;
        *shift = (int32_t)(last - axis);
    }
    shp_out(n, 0, a->rank, d);
}

/* Two inputs, numpy's broadcasting from opset 7 on. Elements: op of each pair. */
static void binary(shp_node *n, shp_calc op)
{
    int32_t shift = 0;
    if (n->opset < 7) legacy_broadcast(n, &shift);
    else shp_out_broadcast(n, 0, 0, 2);
    out_calc(n, op, shift);
}

/* Add, Sub, Mul, Div, Pow; comparisons; logic; bits (all versions). */
void infer_binary(shp_node *n) { binary(n, (shp_calc)shp_variant(n)); }
void infer_mod(shp_node *n) { binary(n, shp_attr_int(n, "fmod") ? SHP_FMOD : SHP_MOD); }

/* ---- floor_divide ---- */

static const shp_node_proto *maker(const shp_node *n, uint32_t slot, const char *op)
{
    const shp_node_proto *p = shp_maker(n->scope, slot);
    return p && shp_str_is(p->op->op_type, op) ? p : NULL;
}

static shp_dim only(shp_node *n, uint32_t slot) { return slot == SHP_NONE ? 0 : shp_only(n, &n->scope->fact[slot]); }

/* PyTorch writes a // b as Div(a, b) - Cast(And(Not(Equal(Sign(a), Sign(b))), Cast(Mod(a, b)))). Under R2b, which that Div takes up, a is
 * not negative, and a 0 leaves no rest: the And is false. Inputs i and 1 - i are its two sides. */
static bool no_rest(shp_node *n, uint32_t i)
{
    n->own = true;
    if (n->proto->inputs != 2) return false;
    const shp_node_proto *p = maker(n, n->proto->input[1 - i], "Cast"), *mod = p ? maker(n, p->input[0], "Mod") : NULL;
    if (!mod || mod->inputs != 2) return false;
    uint32_t slot = n->proto->input[i];
    for (int k = 0; k < 2 && (p = maker(n, slot, k ? "Equal" : "Not")) != NULL; k++) slot = p->input[0];
    p = maker(n, slot, "Sign");
    if (!p || p->input[0] != mod->input[0]) return false;
    shp_dim a = only(n, mod->input[0]), b = only(n, mod->input[1]);
    if (!a || lo(n, b) <= 0) return false;
    if (!shp_at_least(n, a, 0, "division")) shp_assume(n, a, lit(0), "division");
    return true;
}

void infer_and(shp_node *n)
{
    binary(n, SHP_AND);
    if (n->failed) return;
    const shp_content *known = n->nout ? n->out[0].content : NULL;
    int64_t v;
    if (known && (known->count != 1 || shp_elem_is_int(n, known->elem[0], &v))) return;
    if (!no_rest(n, 0) && !no_rest(n, 1)) return;
    shp_out_content(n, 0, shp_content_one(n, shp_elem_int(n, 0)));
}

void infer_bit_shift(shp_node *n)
{
    int right = shp_choice(n, "direction", "LEFT|RIGHT");
    if (!n->failed) binary(n, right ? SHP_SHIFT_RIGHT : SHP_SHIFT_LEFT);
}

/* StringConcat-20, and what has no contents here. */
void infer_broadcast(shp_node *n) { shp_out_broadcast(n, 0, 0, shp_inputs(n)); }

/* Any number of inputs, broadcast from opset 8 on, before that of one shape. */
static void joined(shp_node *n)
{
    if (n->opset < 8) infer_same_shapes(n);
    else infer_broadcast(n);
}

/* Sum, Min, Max. */
void infer_variadic(shp_node *n)
{
    joined(n);
    out_calc(n, (shp_calc)shp_variant(n), 0);
}

void infer_mean(shp_node *n)
{
    joined(n);
    out_elements(n, SHP_ADD, 0, true);
}


/* PRelu: X's shape; the slope broadcasts to it and never beyond (before opset 7 it has one element or one for each channel). */
void infer_prelu(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_dim d[SHP_RANK_MAX];
    if (n->opset < 7 || !x) { shp_out_same(n, 0, 0); return; }
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    if (shp_want_fits(n, 1, x->rank, d)) shp_out(n, 0, x->rank, d);
}

/* Where: three inputs broadcast. An element is known where its condition is, where both choices are the same, or as both and the
 * condition are made of sizes. */
void infer_where(shp_node *n)
{
    shp_out_broadcast(n, 0, 0, 3);
    if (n->failed) return;
    const shp_content *x[3] = { spread(n, 0, 0) };
    for (uint32_t i = 1; x[0] && i < 3; i++) x[i] = spread(n, i, 0);
    shp_content *c = x[0] ? shp_content_new(n, x[0]->count) : NULL;
    for (uint32_t p = 0; c && p < c->count; p++)
        c->elem[p] = shp_elem_choose(n, x[0]->elem[p], x[1] ? x[1]->elem[p] : 0, x[2] ? x[2]->elem[p] : 0);
    shp_out_content(n, 0, c);
    if (shp_elem_is_num(n, shp_in_value(n, 0))) shp_out_bounds_of(n, 0, n->number ? 1 : 2);
}

/* ---- one input ---- */

/* The first input's shape: activations, trigonometry, everything that contents do not pass through. */
void infer_same(shp_node *n) { shp_out_same(n, 0, 0); }

/* The same with each element made by `make`. */
typedef shp_elem make_elem(shp_node *n, int dtype, shp_elem e, int arg);
static void mapped(shp_node *n, make_elem *make, int dtype, int arg)
{
    shp_out_same(n, 0, 0);
    const shp_content *x = spread(n, 0, 0);
    shp_content *c = x ? shp_content_new(n, x->count) : NULL;
    for (uint32_t p = 0; c && p < x->count; p++) c->elem[p] = make(n, dtype, x->elem[p], arg);
    shp_out_content(n, 0, c);
}

/* Operators that contents pass through (all versions). */
void infer_unary(shp_node *n)
{
    shp_out_same(n, 0, 0);
    out_calc(n, (shp_calc)shp_variant(n), 0);
}

/* IsNaN and IsInf: a symbolic float is a finite size. What counts: 1 NaN, 2 positive, 4 negative infinity. */
static shp_elem make_is(shp_node *n, int dtype, shp_elem e, int counts)
{
    (void)dtype;
    if (!e) return e;
    double v = shp_elem_is_real(e) ? shp_elem_value(e) : 0;
    return shp_elem_int(n, ((v != v ? 1 : v - v == 0 ? 0 : v > 0 ? 2 : 4) & counts) != 0);
}

void infer_is_nan(shp_node *n) { mapped(n, make_is, 0, 1); }

void infer_is_inf(shp_node *n)
{
    mapped(n, make_is, 0, (shp_attr_int(n, "detect_positive") ? 2 : 0) | (shp_attr_int(n, "detect_negative") ? 4 : 0));
}

/* Clip: bounds as attributes below opset 11, as optional inputs from there on. */
static shp_elem make_clip(shp_node *n, int dtype, shp_elem e, int old)
{
    for (uint32_t i = 1; i < 3; i++) {
        const char *name = i > 1 ? "max" : "min";
        if (old ? !shp_attr_has(n, name) : !shp_has(n, i)) continue;
        e = shp_elem_calc(n, i > 1 ? SHP_MIN : SHP_MAX, dtype, e, old ? shp_elem_real(shp_attr_float_or(n, name, 0)) : shp_in_only(n, i));
    }
    return e;
}

void infer_clip(shp_node *n) { mapped(n, make_clip, shp_in_dtype(n, 0), n->opset < 11); }

/* Softmax, LogSoftmax, Hardmax: the input's shape, of rank 1 or more. The axis: any from opset 13 on; before, where to make two axes of all. */
void infer_softmax(shp_node *n)
{
    const shp_shape *x = n->opset < 13 ? shp_in_shape(n, 0) : shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    int64_t axis = shp_attr_int(n, "axis");
    if (x && !(n->opset < 11 && axis == x->rank) && shp_axis(n, axis, x->rank) < 0) return;
    shp_out_same(n, 0, 0);
}

/* ---- the same value ---- */

/* Identity: its input, whatever that is. */
void infer_identity(shp_node *n) { shp_out_fact(n, 0, shp_in(n, 0)); }

/* Dropout: output and mask have the input's shape; in inference (`is_test` below opset 7; always in 7 to 11; training_mode absent or false
 * from 12 on) the output is the input. The mask's type (T below 10) is in the schema. */
void infer_dropout(shp_node *n)
{
    bool inference = n->opset < 7 ? shp_attr_int(n, "is_test") != 0 : true;
    if (n->opset >= 12) {
        int64_t training = 0;
        for (uint32_t i = 1; i < 3; i++) shp_want_rank(n, i, 0, 0);
        inference = !shp_has(n, 2) || (shp_in_int(n, 2, &training) && !training);
    }
    shp_out_same(n, 1, 0);
    if (inference) infer_identity(n);
    else shp_out_same(n, 0, 0);
}

/* ---- casts ---- */

static shp_elem make_cast(shp_node *n, int dtype, shp_elem e, int from)
{
    return shp_elem_cast(n, from, dtype, e);
}

static void cast(shp_node *n, int64_t to)
{
    int from = shp_in_dtype(n, 0);
    if (from == to) { infer_identity(n); return; }
    mapped(n, make_cast, (int)to, from);
    shp_out_cast_bounds(n, from, (int)to);
}

/* The element type that Cast-1 names in words, in the order of their numbers. */
static const char types[] = "|FLOAT|UINT8|INT8|UINT16|INT16|INT32|INT64|STRING|BOOL|FLOAT16|DOUBLE|UINT32|UINT64|COMPLEX64|COMPLEX128|BFLOAT16";

/* Cast: the type is `to`, a string below opset 6. Contents are converted as the types' arithmetic does. */
void infer_cast(shp_node *n)
{
    const shp_attr *a = shp_attr_get(n, "to");
    int64_t to = a && a->type == SHP_ATTR_STRING ? shp_choice(n, "to", types) : shp_attr_int(n, "to");
    if (shp_out_dtype(n, 0, to)) cast(n, to);
}

/* CastLike: the type of the second input. */
void infer_cast_like(shp_node *n)
{
    cast(n, shp_in_dtype(n, 1));
}

/* BitCast-26: the type is `to`, of as many bits; the shape stays. */
void infer_bit_cast(shp_node *n)
{
    int64_t to = shp_attr_int(n, "to");
    int from = shp_in_dtype(n, 0);
    shp_out_dtype(n, 0, to);
    if (from && shp_dtype_bits(from) != shp_dtype_bits((int)to)) shp_fail2(n, SHP_D_TYPE, "%t has not as many bits as %t", to, from);
    shp_out_same(n, 0, 0);
}
