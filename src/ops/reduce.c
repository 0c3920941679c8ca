#include "index.h"

#include <string.h>

/* What a reduction does to each axis of its input. */
typedef struct reduction {
    bool known;                     /* which axes it takes is known */
    int64_t count;                  /* how many; -1 unknown */
    bool axis[SHP_RANK_MAX];
} reduction;

/* The axes: an attribute, or input 1 (ReduceSum from 13, the others from 18 on). None given: all of them, or none with noop_with_empty_axes. */
static bool axes_of(shp_node *n, int64_t rank, reduction *r)
{
    int64_t axes[SHP_RANK_MAX];
    shp_list l = shp_list_of(n, "axes", 1);
    memset(r, 0, sizeof *r);
    if (!l.has || l.count == 0) {
        bool all = !shp_attr_int(n, "noop_with_empty_axes");
        r->known = true;
        for (int64_t k = 0; k < rank; k++) r->axis[k] = all;
        r->count = all ? rank : 0;
        return true;
    }
    r->count = l.count;
    r->known = shp_list_axes(n, &l, rank, axes);
    if (n->failed) return false;
    for (int64_t i = 0; r->known && i < l.count; i++) r->axis[axes[i]] = true;
    return true;
}

/* The output's shape: reduced axes are 1, or dropped without keepdims. */
static int reduced_shape(shp_node *n, const shp_shape *x, const reduction *r)
{
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = 0;
    bool keep = shp_attr_int(n, "keepdims") != 0;
    if (!r->known && !keep) return r->count < 0 ? SHP_OK : shp_out_unknown(n, 0, x->rank - r->count, SHP_WHY_CONTENT);
    for (int32_t k = 0; k < x->rank; k++) {
        if (!r->known && !is(n, x->dim[k], 1)) d[rank++] = shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
        else if (!r->axis[k]) d[rank++] = x->dim[k];
        else if (keep) d[rank++] = num(n, 1);
    }
    return shp_out(n, 0, rank, d);
}

/* The elements: op over each group, `mean` dividing by its size. Nothing is left of an empty group but Sum's 0 and Prod's 1. */
static void reduced_elements(shp_node *n, const shp_shape *x, const reduction *r, shp_calc op, bool mean)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], count = 1, group = 1;
    if (!r->known || !shp_sizes(n, x, size, NULL) || !shp_in_contents(n, 0, 1)) return;
    for (int32_t k = x->rank; k-- > 0;) {
        stride[k] = r->axis[k] ? 0 : count;
        if (r->axis[k]) group *= size[k];
        else count *= size[k];
    }
    const shp_content *in = shp_in_content(n, 0);
    shp_content *c = in ? shp_content_new(n, (uint64_t)count) : NULL;
    if (!c) return;
    int dtype = shp_in_dtype(n, 0);
    bool seen[SHP_ELEMENTS_MAX] = { false }, floats = shp_dtype_kind(dtype) == 'F';
    for (uint32_t p = 0; p < in->count; p++) {
        int64_t o = shp_offset(p, size, stride, x->rank);
        c->elem[o] = seen[o] ? shp_elem_calc(n, op, dtype, c->elem[o], in->elem[p]) : in->elem[p];
        seen[o] = true;
    }
    for (int64_t o = 0; o < count; o++) {
        int64_t by = seen[o] ? group : op == SHP_MUL;
        shp_elem e = floats ? shp_elem_real((double)by) : shp_elem_int(n, by);
        if (!seen[o] && !mean && (op == SHP_ADD || op == SHP_MUL)) c->elem[o] = e;
        if (seen[o] && mean) c->elem[o] = shp_elem_calc(n, SHP_DIV, dtype, c->elem[o], e);
    }
    shp_out_content(n, 0, c);
}

/* Reduce…: the input's shape with the reduced axes 1 or dropped. Of an unknown rank only the scalar is certain that is left when all axes go. */
static int reduce(shp_node *n, bool elements, shp_calc op, bool mean)
{
    reduction r;
    const shp_shape *x = shp_in_shape(n, 0);
    if (!x) {
        shp_list l = shp_list_of(n, "axes", 1);
        bool scalar = (!l.has || l.count == 0) && !shp_attr_int(n, "keepdims") && !shp_attr_int(n, "noop_with_empty_axes");
        return scalar ? shp_out(n, 0, 0, NULL) : SHP_OK;
    }
    if (!axes_of(n, x->rank, &r) || reduced_shape(n, x, &r)) return n->failed;
    if (elements) reduced_elements(n, x, &r, op, mean);
    return SHP_OK;
}

int infer_reduce_sum(shp_node *n) { return reduce(n, true, SHP_ADD, false); }
int infer_reduce_mean(shp_node *n) { return reduce(n, true, SHP_ADD, true); }
int infer_reduce_prod(shp_node *n) { return reduce(n, true, SHP_MUL, false); }
int infer_reduce_min(shp_node *n) { return reduce(n, true, SHP_MIN, false); }
int infer_reduce_max(shp_node *n) { return reduce(n, true, SHP_MAX, false); }
/* ReduceL1, L2, LogSum, LogSumExp, SumSquare: no contents. */
int infer_reduce(shp_node *n) { return reduce(n, false, SHP_ADD, false); }

/* ---- one axis ---- */

/* The lines along an axis: element j of line i is at start + j*stride. */
typedef struct lines {
    int64_t count, length, stride;
} lines;

static bool lines_of(shp_node *n, const shp_shape *x, int64_t axis, lines *l)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    if (!shp_sizes(n, x, size, stride) || !shp_in_contents(n, 0, 1) || !shp_in_content(n, 0)) return false;
    *l = (lines){ .length = size[axis], .stride = stride[axis] };
    l->count = l->length ? (int64_t)shp_in_content(n, 0)->count / l->length : 0;
    return true;
}

static int64_t line_start(const lines *l, int64_t i)
{
    return i / l->stride * l->stride * l->length + i % l->stride;
}

/* Place of the largest (smallest) element of a line, where all comparisons are decided. */
static shp_elem best_place(shp_node *n, const shp_elem *e, const lines *l, bool max, bool last)
{
    int64_t best = 0;
    for (int64_t j = 1; j < l->length; j++) {
        shp_elem a = e[best * l->stride], b = e[j * l->stride];
        if (!max) { shp_elem t = a; a = b; b = t; }
        int beats = last ? shp_elem_ge(n, b, a) : shp_elem_ge(n, a, b);
        if (beats < 0) return (shp_elem){ 0 };
        if (last == (beats == 1)) best = j;
    }
    return l->length ? shp_elem_int(n, best) : (shp_elem){ 0 };
}

/* ArgMax, ArgMin: one axis becomes 1 or is dropped. */
static int arg(shp_node *n, bool max)
{
    const shp_shape *x = shp_in_shape(n, 0);
    if (!x) return SHP_OK;
    static const reduction none;
    reduction r = none;
    int64_t axis = shp_axis(n, shp_attr_int(n, "axis"), x->rank);
    if (axis < 0) return n->failed;
    r.known = r.axis[axis] = true;
    reduced_shape(n, x, &r);
    lines l;
    if (!lines_of(n, x, axis, &l)) return SHP_OK;
    shp_content *c = shp_content_new(n, (uint64_t)l.count);
    for (int64_t i = 0; c && i < l.count; i++)
        c->elem[i] = best_place(n, shp_in_content(n, 0)->elem + line_start(&l, i), &l, max, shp_attr_int(n, "select_last_index") != 0);
    if (c) shp_out_content(n, 0, c);
    return SHP_OK;
}

int infer_arg_max(shp_node *n) { return arg(n, true); }
int infer_arg_min(shp_node *n) { return arg(n, false); }

/* CumSum, CumProd: the input's shape; elements from the first on, or from the last on with `reverse`; each without itself with `exclusive`. */
static int cumulate(shp_node *n, shp_calc op)
{
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t axis;
    lines l;
    shp_out_same(n, 0, 0);
    if (!x || !shp_in_int(n, 1, &axis)) return SHP_OK;
    if ((axis = shp_axis(n, axis, x->rank)) < 0) return n->failed;
    const shp_content *in = lines_of(n, x, axis, &l) ? shp_in_content(n, 0) : NULL;
    shp_content *c = in ? shp_content_new(n, in->count) : NULL;
    if (!c) return SHP_OK;
    int dtype = shp_in_dtype(n, 0);
    bool reverse = shp_attr_int(n, "reverse") != 0, exclusive = shp_attr_int(n, "exclusive") != 0;
    shp_elem first = shp_dtype_kind(dtype) == 'F' ? shp_elem_real(op == SHP_MUL) : shp_elem_int(n, op == SHP_MUL);
    for (int64_t i = 0; i < l.count; i++) {
        shp_elem sum = first;
        for (int64_t j = 0; j < l.length; j++) {
            int64_t at = line_start(&l, i) + (reverse ? l.length - 1 - j : j) * l.stride;
            if (exclusive) c->elem[at] = sum;
            sum = shp_elem_calc(n, op, dtype, sum, in->elem[at]);
            if (!exclusive) c->elem[at] = sum;
        }
    }
    shp_out_content(n, 0, c);
    return SHP_OK;
}

int infer_cum_sum(shp_node *n) { return cumulate(n, SHP_ADD); }
int infer_cum_prod(shp_node *n) { return cumulate(n, SHP_MUL); }

/* ---- matrices and losses ---- */

/* Det-11: the last two axes are square and go. */
int infer_det(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    if (!x) return n->failed;
    shp_dim rows = x->dim[x->rank - 2];
    if (!shp_same_dim(n, &rows, x->dim[x->rank - 1], "wants square matrices")) return n->failed;
    return shp_out(n, 0, x->rank - 2, x->dim);
}

/* The loss of scores [N, C, d1, …] against labels [N, d1, …] and class weights [C]: the labels' shape, or a scalar where it is reduced. */
static int loss(shp_node *n)
{
    shp_str how = shp_attr_str(n, "reduction");
    bool none = shp_str_is(how, "none");
    if (!none && !shp_str_is(how, "mean") && !shp_str_is(how, "sum"))
        return shp_fail(n, SHP_D_ATTRIBUTE, "reduction is none, mean or sum, not \"%n\"", how);
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX), *t = shp_in_shape(n, 1), *w = shp_want_rank(n, 2, 1, 1);
    shp_dim d[SHP_RANK_MAX], classes = x ? x->dim[1] : 0;
    if (n->failed) return n->failed;
    if (x) {
        d[0] = x->dim[0];
        memcpy(d + 1, x->dim + 2, (size_t)(x->rank - 2) * sizeof *d);
    }
    if (x && t && x->rank != t->rank + 1) return shp_fail(n, SHP_D_RANK, "%i wants labels of rank %d, %i has rank %d", 0u, (int64_t)x->rank - 1, 1u, (int64_t)t->rank);
    for (int32_t k = 0; x && t && k < t->rank; k++)
        if (!shp_same_dim(n, &d[k], t->dim[k], "scores and labels")) return n->failed;
    if (w && !shp_same_dim(n, &classes, w->dim[0], "classes and their weights")) return n->failed;
    if (!none) return shp_out(n, 0, 0, NULL);
    return x ? shp_out(n, 0, x->rank - 1, d) : shp_out_same(n, 0, 1);
}

int infer_nll_loss(shp_node *n) { return loss(n); }

/* SoftmaxCrossEntropyLoss-12: log_prob has the scores' shape. */
int infer_cross_entropy_loss(shp_node *n)
{
    shp_out_same(n, 1, 0);
    return loss(n);
}
