/* reduce - operators that make one element of many: the Reduce family, ArgMax, CumSum, losses. */
#include "index.h"
#include "nn.h"

#include <string.h>

/* What a reduction does to each axis of its input. */
typedef struct reduction {
    bool known;                     /* which axes it takes is known */
    int64_t count;                  /* how many; -1 unknown */
    bool axis[SHP_RANK_MAX];
} reduction;

/* What becomes of elements: nothing; one operation over each group; the mean; the place of the largest or smallest. */
typedef enum { NONE, FOLD, MEAN, ARG } way;

/* The axes: an attribute, or input 1 (ReduceSum from 13, the others from 18 on). None given: all of them, or none with noop_with_empty_axes. */
static bool axes_of(shp_node *n, int64_t rank, reduction *r)
{
    shp_list l = shp_list_of(n, "axes", 1);
    if (!l.has || l.count == 0) {
        bool all = shp_attr_int(n, "noop_with_empty_axes") != 1;
        r->known = true;
        for (int64_t k = 0; k < rank; k++) r->axis[k] = all;
        r->count = all ? rank : 0;
        return true;
    }
    r->count = l.count;
    r->known = shp_list_axis_set(n, &l, rank, r->axis);
    return !n->failed;
}

/* The output's shape: reduced axes are 1, or dropped without keepdims. */
static void reduced_shape(shp_node *n, const shp_shape *x, const reduction *r)
{
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = 0;
    bool keep = shp_attr_int(n, "keepdims") == 1;
    if (!r->known && !keep) { if (r->count == 1) shp_out_unknown(n, 0, x->rank - 1, SHP_WHY_CONTENT); return; }    /* more may name one twice */
    for (int32_t k = 0; k < x->rank; k++) {
        if (!r->known && !is(n, x->dim[k], 1)) d[rank++] = shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
        else if (!r->axis[k]) d[rank++] = x->dim[k];
        else if (keep) d[rank++] = lit(1);
    }
    shp_out(n, 0, rank, d);
}

/* The elements: op over each group. Nothing is left of an empty group but Sum's 0 and Prod's 1. */
static void reduced_elements(shp_node *n, const shp_shape *x, const reduction *r, way how, shp_calc op)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], count = 1, group = 1, inner = 1;
    const shp_content *in = r->known && shp_sizes(n, x, size, NULL) ? shp_in_worth(n, 0) : NULL;
    if (!in) return;
    for (int32_t k = x->rank; k-- > 0;) {
        stride[k] = r->axis[k] ? 0 : count;
        if (r->axis[k]) group *= size[k], inner = count;
        else count *= size[k];
    }
    shp_content *c = shp_content_new(n, (uint64_t)count), *best = c && how == ARG ? shp_content_new(n, (uint64_t)count) : c;
    if (!best) return;
    int dtype = shp_in_dtype(n, 0);
    bool seen[SHP_ELEMENTS_MAX] = { false }, floats = shp_dtype_kind(dtype) == 'F', last = how == ARG && shp_attr_int(n, "select_last_index");
    for (uint32_t p = 0; p < in->count; p++) {
        int64_t o = shp_offset(p, size, stride, x->rank);
        shp_elem *to = &c->elem[o], e = in->elem[p];
        if (how == ARG) {
            shp_elem a = best->elem[o], b = e;
            if (op == SHP_MIN) b = a, a = e;
            int beats = !seen[o] ? last : last ? shp_elem_ge(n, b, a) : shp_elem_ge(n, a, b);
            if (last == beats) best->elem[o] = e, *to = shp_elem_int(n, p / inner % group);
            if (beats < 0) best->elem[o] = *to = 0;
        } else *to = seen[o] ? shp_elem_calc(n, op, dtype, *to, e) : e;
        seen[o] = true;
    }
    for (int64_t o = 0; o < count; o++) {
        int64_t by = seen[o] ? group : op == SHP_MUL;
        shp_elem e = floats ? shp_elem_real((double)by) : shp_elem_int(n, by);
        if (!seen[o] && how == FOLD && (op == SHP_ADD || op == SHP_MUL)) c->elem[o] = e;
        if (seen[o] && how == MEAN) c->elem[o] = shp_elem_calc(n, SHP_DIV, dtype, c->elem[o], e);
    }
    shp_out_content(n, 0, c);
}

/* The bounds of a tensor of one value: Max and Min keep it, of a group with elements; Sum of integers has it as many times as the group has. */
static void reduced_bounds(shp_node *n, const shp_shape *x, const reduction *r, way how, shp_calc op)
{
    shp_elem e = shp_in_value(n, 0);
    shp_dim group = lit(1);
    int dtype = shp_in_dtype(n, 0);
    if (how != FOLD || op == SHP_MUL || !r->known || !e || (op == SHP_ADD && shp_dtype_kind(dtype) == 'F')) return;
    for (int32_t k = 0; k < x->rank; k++) {
        if (!r->axis[k]) continue;
        if (op != SHP_ADD && !shp_at_least(n, x->dim[k], 1, "reduction")) return;
        group = mul(n, group, x->dim[k]);
    }
    if (op == SHP_ADD) e = shp_elem_calc(n, SHP_MUL, dtype, e, shp_elem_dim(group));
    shp_out_bounds(n, 0, e, e);
}

/* Reduce…: the input's shape with the reduced axes 1 or dropped. Of an unknown rank only the scalar is certain that is left when all axes go. */
static void reduce(shp_node *n, way how, shp_calc op)
{
    reduction r;
    const shp_shape *x = shp_in_shape(n, 0);
    if (!x) {
        shp_list l = shp_list_of(n, "axes", 1);
        bool scalar = (!l.has || l.count == 0) && shp_attr_int(n, "keepdims") != 1 && shp_attr_int(n, "noop_with_empty_axes") != 1;
        if (scalar) shp_out(n, 0, 0, NULL);
        return;
    }
    if (!axes_of(n, x->rank, &r)) return;
    reduced_shape(n, x, &r);
    if (n->failed) return;
    if (how != NONE) reduced_elements(n, x, &r, how, op);
    reduced_bounds(n, x, &r, how, op);
}

/* ReduceSum, Prod, Min, Max. */
void infer_fold(shp_node *n) { reduce(n, FOLD, (shp_calc)shp_variant(n)); }
void infer_reduce_mean(shp_node *n) { reduce(n, MEAN, SHP_ADD); }
/* ReduceL1, L2, LogSum, LogSumExp, SumSquare: no contents. */
void infer_reduce(shp_node *n) { reduce(n, NONE, SHP_ADD); }

/* ArgMax, ArgMin: one axis becomes 1 or is dropped. */
void infer_arg(shp_node *n)
{
    reduction r;
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t axis = x ? shp_axis(n, shp_attr_int(n, "axis"), x->rank) : -1;
    if (axis < 0) return;
    memset(r.axis, 0, (size_t)x->rank);
    r.known = r.axis[axis] = true;
    reduced_shape(n, x, &r);
    reduced_elements(n, x, &r, ARG, (shp_calc)shp_variant(n));
}

/* CumSum, CumProd: the input's shape; elements from the first on, or from the last on with `reverse`; each without itself with `exclusive`. */
void infer_cumulate(shp_node *n)
{
    shp_calc op = (shp_calc)shp_variant(n);
    int64_t axis, size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    const shp_shape *x = shp_in_shape(n, 0);
    shp_out_same(n, 0, 0);
    if (!x || !shp_in_int(n, 1, &axis)) return;
    if ((axis = shp_axis(n, axis, x->rank)) < 0) return;
    const shp_content *in = shp_sizes(n, x, size, stride) ? shp_in_worth(n, 0) : NULL;
    shp_content *c = in ? shp_content_new(n, in->count) : NULL;
    int dtype = shp_in_dtype(n, 0), one = op == SHP_MUL;
    bool reverse = shp_attr_int(n, "reverse") != 0, exclusive = shp_attr_int(n, "exclusive") != 0;
    shp_elem none = shp_dtype_kind(dtype) == 'F' ? shp_elem_real(one) : shp_elem_int(n, one);
    for (int64_t q = 0; c && q < c->count; q++) {
        int64_t p = reverse ? c->count - 1 - q : q, before = reverse ? p + stride[axis] : p - stride[axis];
        bool first = p / stride[axis] % size[axis] == (reverse ? size[axis] - 1 : 0);
        const shp_elem *sum = first ? &none : &c->elem[before];
        c->elem[p] = first && exclusive ? none : shp_elem_calc(n, op, dtype, *sum, in->elem[exclusive ? before : p]);
    }
    shp_out_content(n, 0, c);
}

/* ---- matrices and losses ---- */

/* The loss of scores [N, C, d1, …] against labels [N, d1, …] and class weights [C]: the labels' shape, or a scalar where it is reduced. */
void infer_nll_loss(shp_node *n)
{
    int how = shp_choice(n, "reduction", "none|mean|sum");
    shp_patterns(n, "N C .; N .; C > N .");
    if (how) shp_out(n, 0, 0, NULL);
}

/* SoftmaxCrossEntropyLoss-12: log_prob has the scores' shape. */
void infer_cross_entropy_loss(shp_node *n)
{
    shp_out_same(n, 1, 0);
    infer_nll_loss(n);
}
