/* gather - operators that pick elements, or put them: the Gather and Scatter families, TopK, NonZero and what data decides. */
#include "index.h"

#include <string.h>

/* Element i of an index tensor, counted from the front of an axis of size d (negative: none known): -1 where it is not known.
 * Fails where it is certainly out of range. */
static int64_t index_at(shp_node *n, const shp_content *c, int64_t i, int64_t d)
{
    int64_t v;
    if (!c || i >= (int64_t)c->count || !shp_elem_is_int(n, c->elem[i], &v) || d < 0) return -1;
    if (v < -d || v >= d) {
        shp_fail(n, SHP_D_VALUE, "index %d is outside an axis of %d", v, d);
        return -1;
    }
    return v < 0 ? v + d : v;
}

static int64_t number_or(shp_node *n, shp_dim d, int64_t otherwise)
{
    int64_t v;
    return is_num(n, d, &v) ? v : otherwise;
}

/* Checks all known indices against an axis. */
static bool in_range(shp_node *n, const shp_content *c, int64_t d)
{
    for (uint32_t i = 0; c && i < c->count && !n->failed; i++) index_at(n, c, i, d);
    return !n->failed;
}

/* ---- Gather ---- */

/* Gather: the indices' shape stands in for the axis.
 * Source: ONNX Gather (1; 11: negative indices). */
int infer_gather(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX), *at = shp_in_shape(n, 1);
    shp_dim d[2 * SHP_RANK_MAX];
    int64_t size[SHP_RANK_MAX];
    if (n->failed || !x) return n->failed;
    int64_t axis = shp_axis(n, shp_attr_int(n, "axis"), x->rank);
    if (axis < 0) return n->failed;
    const shp_content *ic = shp_in_content(n, 1), *c;
    if (!in_range(n, ic, number_or(n, x->dim[axis], -1))) return n->failed;
    if (!at) return SHP_OK;
    memcpy(d, x->dim, (size_t)axis * sizeof *d);
    memcpy(d + axis, at->dim, (size_t)at->rank * sizeof *d);
    memcpy(d + axis + at->rank, x->dim + axis + 1, (size_t)(x->rank - axis - 1) * sizeof *d);
    shp_out(n, 0, x->rank - 1 + at->rank, d);
    if (!ic || !(c = shp_in_content(n, 0)) || !shp_sizes(n, x, size, NULL)) return SHP_OK;
    int64_t outer = 1, inner = 1, count = (int64_t)ic->count;
    for (int64_t k = 0; k < axis; k++) outer *= size[k];
    for (int64_t k = axis + 1; k < x->rank; k++) inner *= size[k];
    shp_content *out = shp_content_new(n, (uint64_t)(outer * count * inner));
    for (int64_t p = 0; out && p < outer * count * inner; p++) {
        int64_t i = index_at(n, ic, p / inner % count, size[axis]);
        if (i >= 0) out->elem[p] = c->elem[(p / inner / count * size[axis] + i) * inner + p % inner];
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* What GatherElements and ScatterElements check: ranks and the axis, which is returned, -1 where it is not known or the node has failed. */
static int64_t elements_axis(shp_node *n, const shp_shape *x, const shp_shape *at)
{
    const shp_shape *s = x ? x : at;
    if (x && at && x->rank != at->rank) shp_fail(n, SHP_D_RANK, "%i and %i differ in rank", (uint32_t)0, (uint32_t)1);
    if (n->failed || !s) return -1;
    int64_t axis = shp_axis(n, shp_attr_int(n, "axis"), s->rank);
    if (axis >= 0 && x && !in_range(n, shp_in_content(n, 1), number_or(n, x->dim[axis], -1))) return -1;
    return axis;
}

/* Where element p of the indices points in a tensor of those sizes: -1 where it is not known. */
static int64_t element_at(shp_node *n, const shp_content *ic, int64_t p, const int64_t *isize, const int64_t *size, const int64_t *stride,
                          int32_t rank, int64_t axis)
{
    int64_t i = index_at(n, ic, p, size[axis]), at = i * stride[axis], left = p;
    if (i < 0) return -1;
    for (int32_t k = rank; k-- > 0; left /= isize[k]) {
        int64_t own = left % isize[k];
        if (k == axis) continue;
        if (own >= size[k]) return -1;
        at += own * stride[k];
    }
    return at;
}

/* GatherElements: the indices' shape.
 * Source: ONNX GatherElements-11. */
int infer_gather_elements(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX), *at = shp_in_shape(n, 1);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], isize[SHP_RANK_MAX], axis = elements_axis(n, x, at);
    if (n->failed) return n->failed;
    if (!at) return x ? shp_out_unknown(n, 0, x->rank, SHP_WHY_RANK) : SHP_OK;
    shp_out_same(n, 0, 1);
    const shp_content *c = shp_in_content(n, 0), *ic = shp_in_content(n, 1);
    if (!c || !ic || !shp_sizes(n, x, size, stride) || !shp_sizes(n, at, isize, NULL)) return SHP_OK;
    shp_content *out = shp_content_new(n, ic->count);
    for (int64_t p = 0; out && p < (int64_t)ic->count; p++) {
        int64_t from = element_at(n, ic, p, isize, size, stride, x->rank, axis);
        if (from >= 0) out->elem[p] = c->elem[from];
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* What GatherND and ScatterND share: indices of shape [..., depth] name slices of the data, whose first `batch` axes both share. */
typedef struct slices {
    const shp_shape *x, *at;
    int64_t batch, depth;           /* depth -1: not known */
} slices;

static bool read_slices(shp_node *n, slices *s)
{
    s->x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    s->at = shp_want_rank(n, 1, 1, SHP_RANK_MAX);
    s->batch = shp_attr_int_or(n, "batch_dims", 0);
    s->depth = -1;
    if (n->failed || !s->at) return false;
    if (s->batch < 0 || s->batch >= s->at->rank || (s->x && s->batch >= s->x->rank)) return !shp_fail(n, SHP_D_ATTRIBUTE, "batch_dims is %d", s->batch);
    if (!is_num(n, s->at->dim[s->at->rank - 1], &s->depth)) return false;
    if (s->x && (s->depth < 0 || s->depth > s->x->rank - s->batch))
        return !shp_fail(n, SHP_D_SHAPE, "%i names %d axes of %i", (uint32_t)1, s->depth, (uint32_t)0);
    return s->x != NULL;
}

/* Where slice p of the indices begins in data of those sizes: -1 where it is not known. */
static int64_t slice_at(shp_node *n, const slices *s, const shp_content *ic, int64_t p, const int64_t *isize, const int64_t *size, const int64_t *stride)
{
    int64_t at = 0, batch = p;
    for (int64_t k = s->at->rank - 1; k-- > 0; batch /= isize[k])
        if (k < s->batch) at += batch % isize[k] * stride[k];
    for (int64_t j = 0; j < s->depth; j++) {
        int64_t i = index_at(n, ic, p * s->depth + j, size[s->batch + j]);
        if (i < 0) return -1;
        at += i * stride[s->batch + j];
    }
    return at;
}

/* GatherND: the indices' shape without its last axis, then what is left of the data's.
 * Source: ONNX GatherND (11; 12: batch_dims). */
int infer_gather_nd(shp_node *n)
{
    slices s;
    shp_dim d[2 * SHP_RANK_MAX];
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], isize[SHP_RANK_MAX], inner = 1;
    if (!read_slices(n, &s)) return n->failed;
    int64_t lead = s.at->rank - 1, rest = s.x->rank - s.batch - s.depth;
    memcpy(d, s.at->dim, (size_t)lead * sizeof *d);
    memcpy(d + lead, s.x->dim + s.batch + s.depth, (size_t)rest * sizeof *d);
    for (int64_t k = 0; k < s.batch; k++)
        if (!shp_same_dim(n, &d[k], s.x->dim[k], "batch axes")) return n->failed;
    shp_out(n, 0, lead + rest, d);
    const shp_content *c = shp_in_content(n, 0), *ic = shp_in_content(n, 1);
    if (!c || !ic || !s.depth || !shp_sizes(n, s.x, size, stride) || !shp_sizes(n, s.at, isize, NULL)) return SHP_OK;
    for (int64_t k = 0; k < rest; k++) inner *= size[s.batch + s.depth + k];
    int64_t count = (int64_t)ic->count / s.depth;
    shp_content *out = shp_content_new(n, (uint64_t)(count * inner));
    for (int64_t p = 0; out && p < count; p++) {
        int64_t from = slice_at(n, &s, ic, p, isize, size, stride);
        if (from >= 0) memcpy(out->elem + p * inner, c->elem + from, (size_t)inner * sizeof *c->elem);
    }
    if (n->failed) return n->failed;
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* ---- Scatter ---- */

/* One element as an update leaves it. */
static shp_elem reduced(shp_node *n, shp_str how, shp_elem old, shp_elem update)
{
    int dtype = shp_in_dtype(n, 0);
    if (shp_str_is(how, "add")) return shp_elem_calc(n, SHP_ADD, dtype, old, update);
    if (shp_str_is(how, "mul")) return shp_elem_calc(n, SHP_MUL, dtype, old, update);
    if (shp_str_is(how, "min")) return shp_elem_calc(n, SHP_MIN, dtype, old, update);
    if (shp_str_is(how, "max")) return shp_elem_calc(n, SHP_MAX, dtype, old, update);
    return update;
}

/* A copy of the data's elements to update, NULL where they are not known. */
static shp_content *copied(shp_node *n)
{
    const shp_content *c = shp_in_content(n, 0);
    shp_content *out = c ? shp_content_new(n, c->count) : NULL;
    if (out) memcpy(out->elem, c->elem, c->count * sizeof *c->elem);
    return out;
}

/* Scatter, ScatterElements: the data's shape; updates and indices have one shape (R1).
 * Source: ONNX Scatter-9, ScatterElements (11; 16: reduction). */
int infer_scatter_elements(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX), *at = shp_in_shape(n, 1), *u = shp_in_shape(n, 2);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], isize[SHP_RANK_MAX], axis = elements_axis(n, x, at);
    if (n->failed) return n->failed;
    if (at && u && at->rank != u->rank) return shp_fail(n, SHP_D_RANK, "%i and %i differ in rank", (uint32_t)1, (uint32_t)2);
    for (int32_t k = 0; at && u && k < at->rank; k++) {
        shp_dim d = at->dim[k];
        if (!shp_same_dim(n, &d, u->dim[k], "indices and updates")) return n->failed;
    }
    if (!x) return at || u ? shp_out_unknown(n, 0, (at ? at : u)->rank, SHP_WHY_RANK) : SHP_OK;
    shp_out_same(n, 0, 0);
    const shp_content *ic = shp_in_content(n, 1), *uc = shp_in_content(n, 2);
    shp_content *out = ic && shp_sizes(n, x, size, stride) && shp_sizes(n, at, isize, NULL) ? copied(n) : NULL;
    for (int64_t p = 0; out && p < (int64_t)ic->count; p++) {
        int64_t to = element_at(n, ic, p, isize, size, stride, x->rank, axis);
        if (to < 0) return n->failed;
        shp_elem none = { 0 };
        out->elem[to] = reduced(n, shp_attr_str(n, "reduction"), out->elem[to], uc && p < (int64_t)uc->count ? uc->elem[p] : none);
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* ScatterND: the data's shape; the updates have GatherND's (R1).
 * Source: ONNX ScatterND (11; 16: reduction). */
int infer_scatter_nd(shp_node *n)
{
    slices s;
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], isize[SHP_RANK_MAX], inner = 1;
    const shp_shape *u = shp_in_shape(n, 2);
    shp_out_same(n, 0, 0);
    if (!read_slices(n, &s)) return n->failed;
    int64_t lead = s.at->rank - 1, rest = s.x->rank - s.depth;
    if (u && u->rank != lead + rest) return shp_fail(n, SHP_D_SHAPE, "%i has rank %d, %d wanted", (uint32_t)2, (int64_t)u->rank, lead + rest);
    for (int64_t k = 0; u && k < lead + rest; k++) {
        shp_dim d = k < lead ? s.at->dim[k] : s.x->dim[s.depth + k - lead];
        if (!shp_same_dim(n, &d, u->dim[k], "updates")) return n->failed;
    }
    const shp_content *ic = shp_in_content(n, 1), *uc = shp_in_content(n, 2);
    shp_content *out = ic && s.depth && shp_sizes(n, s.x, size, stride) && shp_sizes(n, s.at, isize, NULL) ? copied(n) : NULL;
    if (!out) return SHP_OK;
    for (int64_t k = s.depth; k < s.x->rank; k++) inner *= size[k];
    for (int64_t p = 0; p < (int64_t)ic->count / s.depth; p++) {
        int64_t to = slice_at(n, &s, ic, p, isize, size, stride);
        if (to < 0) return n->failed;
        for (int64_t k = 0; k < inner; k++) {
            shp_elem none = { 0 };
            uint64_t from = (uint64_t)(p * inner + k);
            out->elem[to + k] = reduced(n, shp_attr_str(n, "reduction"), out->elem[to + k], uc && from < uc->count ? uc->elem[from] : none);
        }
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* TensorScatter: the cache's shape; the update differs from it in the sequence axis alone, one write index a batch entry.
 * Source: ONNX TensorScatter-24. */
int infer_tensor_scatter(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX), *u = shp_in_shape(n, 1), *at = shp_want_rank(n, 2, 1, 1);
    if (n->failed) return n->failed;
    if (!x) return u ? shp_out_unknown(n, 0, u->rank, SHP_WHY_RANK) : SHP_OK;
    int64_t axis = shp_axis(n, shp_attr_int(n, "axis"), x->rank);
    if (axis < 0) return n->failed;
    if (!axis) return shp_fail(n, SHP_D_AXIS, "axis 0 is the batch");
    if (u && u->rank != x->rank) return shp_fail(n, SHP_D_RANK, "%i and %i differ in rank", (uint32_t)0, (uint32_t)1);
    for (int32_t k = 0; u && k < x->rank; k++) {
        shp_dim d = x->dim[k];
        if (k == axis ? shp_dim_ge(n->dims, d, u->dim[k]) == 0 : !shp_same_dim(n, &d, u->dim[k], "cache and update"))
            return shp_fail(n, SHP_D_SHAPE, "%i does not fit %i", (uint32_t)1, (uint32_t)0);
    }
    shp_dim batch = x->dim[0];
    if (at && !shp_same_dim(n, &batch, at->dim[0], "batch and write indices")) return n->failed;
    return shp_out_same(n, 0, 0);
}

/* ---- what data decides ---- */

/* Whether an element is not 0: 1, 0, or -1 not known. */
static int truth(shp_node *n, shp_elem e)
{
    double v;
    if (shp_elem_number(n, e, &v)) return v != 0;
    if (e.den < 1) return -1;
    return shp_dim_lo(n->dims, e.num) > 0 || shp_dim_hi(n->dims, e.num) < 0 ? 1 : -1;
}

/* How many elements of c (its first `cap`) are not 0, -1 where that is not known. */
static int64_t trues(shp_node *n, const shp_content *c, int64_t cap)
{
    int64_t count = 0;
    for (int64_t i = 0; c && i < (int64_t)c->count && i < cap; i++) {
        int t = truth(n, c->elem[i]);
        if (t < 0) return -1;
        count += t;
    }
    return c ? count : -1;
}

/* Compress: the slices along `axis`, or the elements, whose condition holds.
 * Source: ONNX Compress-9. */
int infer_compress(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    shp_dim d[SHP_RANK_MAX], whole = shp_numel(n, x);
    bool flat = !shp_attr_has(n, "axis");
    int64_t axis = 0, size[SHP_RANK_MAX], v = -1, inner = 1;
    if (!shp_want_rank(n, 1, 1, 1) && n->failed) return n->failed;
    if (n->failed || (!x && !flat)) return n->failed;
    int32_t rank = flat ? 1 : x->rank;
    if (!flat) {
        if ((axis = shp_axis(n, shp_attr_int(n, "axis"), rank)) < 0) return n->failed;
        memcpy(d, x->dim, (size_t)rank * sizeof *d);
        whole = d[axis];
    }
    const shp_content *test = shp_in_content(n, 1), *c = shp_in_content(n, 0);
    bool known = test && (is_num(n, whole, &v) || shp_dim_ge(n->dims, whole, num(n, test->count)) == 1);
    int64_t count = known ? trues(n, test, v < 0 ? INT64_MAX : v) : -1;
    d[axis] = count < 0 ? shp_fresh(n, 0, (uint32_t)axis, SHP_WHY_DATA) : num(n, count);
    shp_out(n, 0, rank, d);
    if (count < 0 || !c || !shp_sizes(n, x, size, NULL)) return SHP_OK;
    for (int64_t k = axis + 1; k < rank; k++) inner *= size[k];
    int64_t block = (flat ? (int64_t)c->count : size[axis]) * inner, at = 0;
    shp_content *out = block ? shp_content_new(n, c->count / (uint64_t)(block / inner) * (uint64_t)count) : NULL;
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        int64_t i = p % block / inner;
        if (i < (int64_t)test->count && truth(n, test->elem[i]) == 1 && at < (int64_t)out->count) out->elem[at++] = c->elem[p];
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* NonZero: [rank, count], the indices of what is not 0, axis by axis. Of a scalar [0, count].
 * Source: ONNX NonZero-9. */
int infer_nonzero(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    const shp_content *c = shp_in_content(n, 0);
    int64_t count = trues(n, c, INT64_MAX), size[SHP_RANK_MAX], stride[SHP_RANK_MAX], at = 0;
    shp_dim d[2] = { x ? num(n, x->rank) : shp_fresh(n, 0, 0, SHP_WHY_RANK), count < 0 ? shp_fresh(n, 0, 1, SHP_WHY_DATA) : num(n, count) };
    if (x && is(n, shp_numel(n, x), 0)) d[1] = num(n, 0);
    shp_out(n, 0, 2, d);
    if (count < 0 || !shp_sizes(n, x, size, stride) || x->rank > SHP_ELEMENTS_MAX) return SHP_OK;
    shp_content *out = shp_content_new(n, (uint64_t)(x->rank * count));
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        if (truth(n, c->elem[p]) != 1) continue;
        for (int32_t k = 0; k < x->rank; k++) out->elem[k * count + at] = shp_elem_int(n, p / stride[k] % size[k]);
        at++;
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}

/* Unique: as many values (or slices along `axis`) as data decides, the same number for all outputs but the inverse.
 * Source: ONNX Unique-11. */
int infer_unique(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_dim d[SHP_RANK_MAX], whole = shp_numel(n, x);
    int64_t axis = 0, v;
    bool flat = !shp_attr_has(n, "axis");
    if (x && !flat) {
        if ((axis = shp_axis(n, shp_attr_int(n, "axis"), x->rank)) < 0) return n->failed;
        memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
        whole = d[axis];
    }
    shp_dim count = is_num(n, whole, &v) && v < 2 ? whole : shp_fresh(n, 0, 0, SHP_WHY_DATA);
    if (flat) shp_out(n, 0, 1, &count);
    else if (x) {
        d[axis] = count;
        shp_out(n, 0, x->rank, d);
    }
    if (!whole) whole = shp_fresh(n, 2, 0, SHP_WHY_RANK);
    shp_out(n, 1, 1, &count);
    shp_out(n, 2, 1, &whole);
    return shp_out(n, 3, 1, &count);
}

/* The index along a line of what comes first among the elements not yet taken, the lower one of equals: -1 where that is not known. */
static int64_t first_of(shp_node *n, const shp_elem *e, int64_t step, int64_t count, const bool *taken, bool largest)
{
    int64_t best = -1;
    for (int64_t i = 0; i < count; i++) {
        if (taken[i]) continue;
        int stays = best < 0 ? 0 : largest ? shp_elem_ge(n, e[best * step], e[i * step]) : shp_elem_ge(n, e[i * step], e[best * step]);
        if (stays < 0) return -1;
        if (!stays) best = i;
    }
    return best;
}

/* The k first elements of each line along `axis` in TopK's order, and their indices. */
static void topk_elements(shp_node *n, const shp_shape *x, int64_t axis, int64_t k)
{
    const shp_content *c = shp_in_content(n, 0);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    bool largest = shp_attr_int_or(n, "largest", 1) != 0;
    if (!c || !shp_sizes(n, x, size, stride) || k < 1 || size[axis] < k) return;
    int64_t count = size[axis], step = stride[axis], lines = (int64_t)c->count / count;
    shp_content *values = shp_content_new(n, (uint64_t)(lines * k)), *indices = shp_content_new(n, (uint64_t)(lines * k));
    for (int64_t l = 0; values && indices && l < lines; l++) {
        bool taken[SHP_ELEMENTS_MAX] = { false };
        const shp_elem *from = c->elem + l / step * count * step + l % step;
        int64_t to = l / step * k * step + l % step;
        for (int64_t j = 0; j < k; j++) {
            int64_t best = first_of(n, from, step, count, taken, largest);
            if (best < 0) return;
            taken[best] = true;
            values->elem[to + j * step] = from[best * step];
            indices->elem[to + j * step] = shp_elem_int(n, best);
        }
    }
    shp_out_content(n, 0, values);
    shp_out_content(n, 1, indices);
}

/* TopK: k along `axis`, at most its size.
 * Source: ONNX TopK (1: attribute k; 10: input; 11: negative axis, smallest). */
int infer_topk(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX), *ks = n->opset < 10 ? NULL : shp_want_rank(n, 1, 0, 1);
    shp_dim d[SHP_RANK_MAX], k = n->opset < 10 ? num(n, shp_attr_int(n, "k")) : shp_in_scalar(n, 1);
    int64_t v = -1, size;
    if (n->failed || !x) return n->failed;
    if (ks && ks->rank == 1 && !shp_equal(n, ks->dim[0], num(n, 1))) return shp_fail(n, SHP_D_SHAPE, "%i must hold one number", (uint32_t)1);
    int64_t axis = shp_axis(n, shp_attr_int(n, "axis"), x->rank);
    if (axis < 0) return n->failed;
    if (is_num(n, k, &v) && (v < 0 || (is_num(n, x->dim[axis], &size) && v > size)))
        return shp_fail(n, SHP_D_VALUE, "k is %d, axis %d of %i has %x", v, axis, (uint32_t)0, x->dim[axis]);
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    d[axis] = k ? k : shp_fresh(n, 0, (uint32_t)axis, SHP_WHY_CONTENT);
    shp_out(n, 0, x->rank, d);
    shp_out(n, 1, x->rank, d);
    topk_elements(n, x, axis, v);
    return SHP_OK;
}

/* NonMaxSuppression: [count, 3]; none where the largest number of boxes a class is absent or 0.
 * Source: ONNX NonMaxSuppression-10. */
int infer_non_max_suppression(shp_node *n)
{
    const shp_shape *boxes = shp_want_rank(n, 0, 3, 3), *scores = shp_want_rank(n, 1, 3, 3);
    int64_t most = -1;
    if (n->failed) return n->failed;
    if (boxes) {
        shp_dim batch = boxes->dim[0], count = boxes->dim[1], four = boxes->dim[2];
        if (!shp_same_dim(n, &four, num(n, 4), "coordinates of a box")) return n->failed;
        if (scores && (!shp_same_dim(n, &batch, scores->dim[0], "batches") || !shp_same_dim(n, &count, scores->dim[2], "boxes and scores"))) return n->failed;
    }
    bool none = !shp_has(n, 2) || (shp_in_int(n, 2, &most) && most == 0);
    shp_dim d[2] = { none ? num(n, 0) : shp_fresh(n, 0, 0, SHP_WHY_DATA), num(n, 3) };
    return shp_out(n, 0, 2, d);
}
