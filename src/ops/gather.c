/* gather - operators that pick elements, or put them: the Gather and Scatter families, TopK, NonZero and what data decides. */
#include "index.h"
#include "nn.h"

#include <string.h>

/* Element i of an index tensor, counted from the front of an axis of size d (negative: none known): -1 where it is not known.
 * Fails where it is certainly out of range. */
static int64_t index_at(shp_node *n, const shp_content *c, int64_t i, int64_t d)
{
    int64_t v;
    if (!c || i >= (int64_t)c->count || !shp_elem_is_int(n, c->elem[i], &v) || d < 0) return -1;
    if (v < -d || v >= d) {
        shp_fail2(n, SHP_D_VALUE, "index %d is outside an axis of %d", v, d);
        return -1;
    }
    return v < 0 ? v + d : v;
}

/* Checks what is known of the indices of input 1: rows of `depth` of them, each against its axis. */
static bool in_range(shp_node *n, const shp_dim *size, int64_t depth)
{
    const shp_content *c = shp_in_content(n, 1);
    for (uint32_t i = 0; c && i < c->count && !n->failed; i++) {
        int64_t d = -1;
        is_num(n, size[i % depth], &d);
        index_at(n, c, i, d);
    }
    return !n->failed;
}

/* ---- Gather ---- */

/* Gather: the indices' shape stands in for the axis.
 * Source: ONNX Gather (1; 11: negative indices). */
void infer_gather(shp_node *n)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0), *at = shp_in_shape(n, 1);
    if (axis < 0) return;
    const shp_content *ic = shp_in_content(n, 1), *c;
    if (!in_range(n, &x->dim[axis], 1) || !at) return;
    shp_out_spliced(n, 0, x, axis, axis + 1, at->dim, at->rank);
    shp_out_bounds_of(n, 0, 0);
    if (!ic || !(c = shp_in_content(n, 0)) || !shp_sizes(n, x, size, stride)) return;
    int64_t wide = size[axis], inner = stride[axis], count = (int64_t)ic->count;
    shp_content *out = wide ? shp_content_new(n, c->count / (uint64_t)wide * ic->count) : NULL;
    for (int64_t p = 0; out && p < (int64_t)out->count; p++) {
        int64_t i = index_at(n, ic, p / inner % count, wide);
        if (i >= 0) out->elem[p] = c->elem[(p / inner / count * wide + i) * inner + p % inner];
    }
    shp_out_content(n, 0, out);
}

/* ArrayFeatureExtractor: elements of the last axis; a vector is one row; indices of any shape count as a list.
 * Source: ONNX ArrayFeatureExtractor 1; the new axis of a vector: ONNX Runtime. */
void infer_array_feature_extractor(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    if (!x || !in_range(n, &x->dim[x->rank - 1], 1)) return;
    shp_dim d[2] = { lit(1), shp_numel(n, shp_in_shape(n, 1)) };
    bool row = x->rank == 1;
    shp_out_spliced(n, 0, x, x->rank - 1, x->rank, row ? d : d + 1, row ? 2 : 1);
}

/* What the other operators share: each row of `depth` indices names a place in the data, along the axes from `first` on; the other axes that
 * indices and data have in common (elements: all; else those before first) are those of the row. */
typedef struct picks {
    const shp_shape *x, *at;
    int64_t depth;                  /* -1: not known */
    int32_t first;
    bool elements;                  /* an index an element; else one a row of indices, for the axes that follow */
    const shp_content *index, *data;
    int64_t count, inner;           /* places, and elements at each of them */
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], wide[SHP_RANK_MAX];   /* of the data; of the indices */
} picks;

/* GatherElements and ScatterElements: ranks and the axis are checked. */
static bool read_elements(shp_node *n, picks *s)
{
    s->first = shp_along(n, "axis", 0);
    s->x = shp_in_shape(n, 0);
    s->at = shp_in_shape(n, 1);
    s->depth = 1;
    s->elements = true;
    if (n->failed || !s->at) return false;
    if (!s->x) shp_axis(n, shp_attr_int(n, "axis"), s->at->rank);
    else if (s->x->rank != s->at->rank) shp_fail2(n, SHP_D_RANK, "%i and %i differ in rank", 0, 1);
    else in_range(n, &s->x->dim[s->first], 1);
    for (int32_t k = 0; s->x && k < s->x->rank && !n->failed; k++)      /* an index stands at its own place along the other axes */
        if (k != s->first && ge(n, s->x->dim[k], s->at->dim[k]) == 0) shp_fail3(n, SHP_D_SHAPE, "axis %d of %i is longer than that of %i", k, 1, 0);
    return s->x && !n->failed;
}

/* GatherND and ScatterND: the first `batch_dims` axes are shared, the last of the indices is a row of them. */
static bool read_slices(shp_node *n, picks *s)
{
    s->x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    s->at = shp_want_rank(n, 1, 1, SHP_RANK_MAX);
    int64_t first = shp_attr_int_or(n, "batch_dims", 0);
    s->first = (int32_t)first;
    s->elements = false;
    if (n->failed || !s->at) return false;
    if (first < 0 || first >= s->at->rank || (s->x && first >= s->x->rank)) { shp_bad_attr(n, "batch_dims", first); return false; }
    if (!is_num(n, s->at->dim[s->at->rank - 1], &s->depth) || !s->x) return false;
    if ((uint64_t)s->depth <= (uint64_t)(s->x->rank - s->first)) return in_range(n, s->x->dim + s->first, s->depth);
    shp_fail3(n, SHP_D_SHAPE, "%i names %d axes of %i", 1, s->depth, 0);
    return false;
}

/* Whether data and indices have contents. */
static bool open_picks(shp_node *n, picks *s)
{
    s->data = shp_in_content(n, 0);
    s->index = shp_in_content(n, 1);
    if (!s->data || !s->index || !s->depth || !shp_sizes(n, s->x, s->size, s->stride) || !shp_sizes(n, s->at, s->wide, NULL)) return false;
    s->count = (int64_t)s->index->count / s->depth;
    s->inner = s->elements ? 1 : s->stride[s->first + s->depth - 1];
    return true;
}

/* Where row p of the indices points to: -1 where it is not known. */
static int64_t pick(shp_node *n, const picks *s, int64_t p)
{
    int64_t at = 0, left = p;
    for (int32_t k = s->at->rank - !s->elements; k-- > 0; left /= s->wide[k]) {
        int64_t own = left % s->wide[k];
        if (s->elements ? k == s->first : k >= s->first) continue;
        if (own >= s->size[k]) return -1;
        at += own * s->stride[k];
    }
    for (int64_t j = 0; j < s->depth; j++) {
        int64_t i = index_at(n, s->index, p * s->depth + j, s->size[s->first + j]);
        if (i < 0) return -1;
        at += i * s->stride[s->first + j];
    }
    return at;
}

/* Gives output 0 the elements that indices pick. */
static void picked(shp_node *n, picks *s)
{
    shp_content *out = !n->failed && open_picks(n, s) ? shp_content_new(n, (uint64_t)(s->count * s->inner)) : NULL;
    for (int64_t p = 0; out && p < s->count; p++) {
        int64_t from = pick(n, s, p);
        if (from >= 0) memcpy(out->elem + p * s->inner, s->data->elem + from, (size_t)s->inner * sizeof *out->elem);
    }
    if (!n->failed) shp_out_content(n, 0, out);
}

/* GatherElements: the indices' shape.
 * Source: ONNX GatherElements-11. */
void infer_gather_elements(shp_node *n)
{
    picks s;
    bool known = read_elements(n, &s);
    if (!s.at) { shp_out_unknown(n, 0, s.x ? s.x->rank : -1, SHP_WHY_RANK); return; }
    shp_out_same(n, 0, 1);
    if (known) picked(n, &s);
}

/* GatherND: the indices' shape without its last axis, then what is left of the data's.
 * Source: ONNX GatherND (11; 12: batch_dims). */
void infer_gather_nd(shp_node *n)
{
    picks s;
    shp_dim d[SHP_RANK_MAX];
    if (!read_slices(n, &s)) return;
    int32_t lead = s.at->rank - 1;
    memcpy(d, s.at->dim, (size_t)lead * sizeof *d);
    for (int32_t k = 0; k < s.first; k++)
        if (!(d[k] = shp_want_dim(n, 0, k, d[k]))) return;
    shp_out_spliced(n, 0, s.x, 0, s.first + (int32_t)s.depth, d, lead);
    picked(n, &s);
}

/* ---- Scatter ---- */

/* Gives output 0 the data's elements with the updates put where indices pick. */
static void scattered(shp_node *n, picks *s)
{
    static const char names[][4] = { "add", "mul", "min", "max" };
    static const shp_calc calcs[] = { SHP_ADD, SHP_MUL, SHP_MIN, SHP_MAX };
    const shp_content *u = shp_in_content(n, 2);
    shp_str how = shp_attr_str(n, "reduction");
    int op = 0;
    while (op < 4 && !shp_str_is(how, names[op])) op++;
    if (!op && shp_in_dtype(n, 0) == SHP_BOOL) op = 3;      /* true and true add up to true */
    shp_content *out = !n->failed && open_picks(n, s) ? shp_content_new(n, s->data->count) : NULL;
    if (!out) return;
    memcpy(out->elem, s->data->elem, out->count * sizeof *out->elem);
    for (int64_t p = 0; p < s->count; p++) {
        int64_t to = pick(n, s, p);
        if (to < 0) return;
        for (int64_t k = p * s->inner; k < (p + 1) * s->inner; k++, to++) {
            shp_elem e = 0;
            if (u && k < (int64_t)u->count) e = u->elem[k];
            out->elem[to] = op < 4 ? shp_elem_calc(n, calcs[op], shp_in_dtype(n, 0), out->elem[to], e) : e;
        }
    }
    shp_out_content(n, 0, out);
}

/* Scatter, ScatterElements: the data's shape; updates and indices have one shape (R1).
 * Source: ONNX Scatter-9, ScatterElements (11; 16: reduction). */
void infer_scatter_elements(shp_node *n)
{
    picks s;
    const shp_shape *u = shp_in_shape(n, 2);
    bool known = read_elements(n, &s);
    if (n->failed || !shp_same_shape(n, 1, 2, -1)) return;
    if (!s.x) { shp_out_unknown(n, 0, s.at ? s.at->rank : u ? u->rank : -1, SHP_WHY_RANK); return; }
    shp_out_same(n, 0, 0);
    if (known) scattered(n, &s);
}

/* ScatterND: the data's shape; the updates have GatherND's (R1).
 * Source: ONNX ScatterND (11; 16: reduction). */
void infer_scatter_nd(shp_node *n)
{
    picks s;
    const shp_shape *u = shp_in_shape(n, 2);
    shp_out_same(n, 0, 0);
    if (!read_slices(n, &s)) return;
    int64_t lead = s.at->rank - 1, rank = lead + s.x->rank - s.depth;
    shp_want_rank(n, 2, rank, rank);
    for (int64_t k = 0; u && k < rank && !n->failed; k++) shp_want_dim(n, 2, k, k < lead ? s.at->dim[k] : s.x->dim[s.depth + k - lead]);
    scattered(n, &s);
}

/* TensorScatter: the cache's shape; the update differs from it in the sequence axis alone, one write index a batch entry.
 * Source: ONNX TensorScatter-24. */
void infer_tensor_scatter(shp_node *n)
{
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX), *u = shp_in_shape(n, 1);
    if (!x) { shp_out_unknown(n, 0, u ? u->rank : -1, SHP_WHY_RANK); return; }
    if (!axis) { shp_fail(n, SHP_D_AXIS, "axis 0 is the batch"); return; }
    if (axis < 0 || !shp_same_shape(n, 0, 1, axis)) return;
    if (u && ge(n, x->dim[axis], u->dim[axis]) == 0) { shp_fail2(n, SHP_D_SHAPE, "%i does not fit %i", 1, 0); return; }
    shp_want_vector(n, 2, x->dim[0]);
    shp_out_same(n, 0, 0);
}

/* ---- what data decides ---- */

/* Whether an element is not 0: 1, 0, or -1 not known. */
static int truth(shp_node *n, shp_elem e)
{
    double v;
    if (shp_elem_number(n, e, &v)) return v != 0;
    if (shp_elem_den(e) < 1) return -1;
    return lo(n, shp_elem_num(e)) > 0 || hi(n, shp_elem_num(e)) < 0 ? 1 : -1;
}

/* How many elements of c (its first `cap`) are not 0; 0 where that is not known. Bools that are made of sizes count as what they are. */
static shp_dim trues(shp_node *n, const shp_content *c, int64_t cap)
{
    shp_dim count = c ? lit(0) : 0;
    for (int64_t i = 0; count && i < (int64_t)c->count && i < cap; i++) {
        int t = truth(n, c->elem[i]);
        shp_dim d = t < 0 ? shp_elem_whole(c->elem[i]) : lit(t);
        count = lo(n, d) < 0 || hi(n, d) > 1 || shp_dim_has_undeclared(n->dims, d) ? 0 : add(n, count, d);
    }
    return count;
}

/* How many elements of input i are not 0, where data decides: the same wherever `whole` of them, which is all, are counted. */
static shp_dim counted(shp_node *n, uint32_t i, uint32_t axis, shp_dim whole)
{
    bool all = whole && whole == shp_numel(n, shp_in_shape(n, i));
    return all ? shp_fresh_of(n, shp_mix(shp_in(n, i)->id, 0xc0817), 0, axis, SHP_WHY_DATA) : shp_fresh(n, 0, axis, SHP_WHY_DATA);
}

/* Compress: the slices along `axis`, or the elements, whose condition holds. Its elements are a list, whatever its rank (Paddle's masks).
 * Source: ONNX Compress-9; the ranks: ONNX Runtime. */
void infer_compress(shp_node *n)
{
    bool flat = !shp_attr_has(n, "axis");
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], v = INT64_MAX;
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0);
    if (axis < 0 && !flat) return;
    shp_dim whole = flat ? shp_numel(n, x) : x->dim[axis], kept;
    const shp_content *test = shp_in_content(n, 1), *c = shp_in_content(n, 0);
    bool known = test && (is_num(n, whole, &v) || ge(n, whole, num(n, test->count)) == 1);
    int64_t count = -1;
    kept = known ? trues(n, test, v) : 0;
    is_num(n, kept, &count);
    if (!kept) kept = counted(n, 1, flat ? 0 : (uint32_t)axis, whole);
    if (flat) shp_out_vector(n, 0, kept);
    else shp_out_resized(n, 0, x, axis, kept);
    if (count < 0 || !c || !shp_sizes(n, x, size, stride)) return;
    int64_t wide = flat ? (int64_t)c->count : size[axis], at = 0;
    shp_content *out = wide ? shp_content_new(n, c->count / (uint64_t)wide * (uint64_t)count) : NULL;
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        int64_t i = flat ? p : p / stride[axis] % wide;
        if (i < (int64_t)test->count && truth(n, test->elem[i]) == 1 && at < (int64_t)out->count) out->elem[at++] = c->elem[p];
    }
    shp_out_content(n, 0, out);
}

/* NonZero: [rank, count], the indices of what is not 0, axis by axis. Of a scalar [0, count].
 * Source: ONNX NonZero-9. */
void infer_nonzero(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    const shp_content *c = shp_in_content(n, 0), *bounds = x ? shp_in_bounds(n, 0) : NULL;
    int64_t count = -1, size[SHP_RANK_MAX], stride[SHP_RANK_MAX], at = 0;
    shp_dim all = shp_numel(n, x), some = trues(n, c, INT64_MAX);
    is_num(n, some, &count);
    if (!some) some = counted(n, 0, 1, all);
    if (is(n, all, 0) || (bounds && truth(n, bounds->elem[0]) == 0 && truth(n, bounds->elem[1]) == 0)) some = lit(0);
    else if (bounds && (shp_elem_ge(n, bounds->elem[0], shp_elem_int(n, 1)) == 1 || shp_elem_ge(n, shp_elem_int(n, -1), bounds->elem[1]) == 1)) some = all;
    shp_out_matrix(n, 0, x ? num(n, x->rank) : 0, some);
    if (count < 0 || !shp_sizes(n, x, size, stride)) return;
    shp_content *out = shp_content_new(n, (uint64_t)(x->rank * count));
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        if (truth(n, c->elem[p]) != 1) continue;
        for (int32_t k = 0; k < x->rank; k++) out->elem[k * count + at] = shp_elem_int(n, p / stride[k] % size[k]);
        at++;
    }
    shp_out_content(n, 0, out);
}

/* The elements of Unique's outputs for a list of values, which is one where each of its entries has one element; returns how many differ,
 * -1 where that is not known. Where only their order is not known, elements are missing. */
static int64_t unique_elements(shp_node *n, const shp_content *c, shp_content *out[4])
{
    uint32_t first[SHP_ELEMENTS_MAX], of[SHP_ELEMENTS_MAX], count = 0;
    for (uint32_t i = 0, j; i < c->count; i++) {
        int same = shp_elem_eq(n, c->elem[i], c->elem[i]) - 1;      /* neither unknown nor NaN */
        for (j = 0; j < count && !same && !(same = shp_elem_eq(n, c->elem[first[j]], c->elem[i])); j++) {}
        if (same < 0) return -1;
        if (j == count) first[count++] = i;
        of[i] = first[j];
    }
    for (uint32_t o = 0; o < 4; o++)
        if (!(out[o] = shp_content_new(n, o == 2 ? c->count : count))) return count;
    bool sorted = shp_attr_int(n, "sorted") != 0;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t place = sorted ? 0 : j, times = 0;
        for (uint32_t k = 0; sorted && k < count; k++) {
            int ge = shp_elem_ge(n, c->elem[first[k]], c->elem[first[j]]);
            if (ge < 0) return count;
            place += !ge;
        }
        for (uint32_t i = 0; i < c->count; i++)
            if (of[i] == first[j]) out[2]->elem[i] = shp_elem_int(n, place), times++;
        out[0]->elem[place] = c->elem[first[j]];
        out[1]->elem[place] = shp_elem_int(n, first[j]);
        out[3]->elem[place] = shp_elem_int(n, times);
    }
    return count;
}

/* Unique: as many values (or slices along `axis`) as data decides, the same number for all outputs but the inverse.
 * Source: ONNX Unique-11. */
void infer_unique(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    bool flat = !shp_attr_has(n, "axis");
    int32_t axis = x && !flat ? (int32_t)shp_axis(n, shp_attr_int(n, "axis"), x->rank) : 0;
    int64_t v, found = -1;
    if (axis < 0) return;
    shp_dim whole = x && !flat ? x->dim[axis] : shp_numel(n, x);
    const shp_content *c = flat || (x && x->rank == 1) ? shp_in_worth(n, 0) : NULL;
    shp_content *out[4] = { 0 };
    if (c) found = unique_elements(n, c, out);
    shp_dim count = found >= 0 ? num(n, found) : is_num(n, whole, &v) && v < 2 ? whole : shp_fresh(n, 0, 0, SHP_WHY_DATA);
    if (flat) shp_out_vector(n, 0, count);
    else if (x) shp_out_resized(n, 0, x, axis, count);
    shp_out_vector(n, 1, count);
    shp_out_vector(n, 2, whole);
    shp_out_vector(n, 3, count);
    for (uint32_t o = 0; o < 4; o++) shp_out_content(n, o, out[o]);
}

/* The k first elements of each line along `axis` in TopK's order (the lower one of equals first), and their indices. */
static void topk_elements(shp_node *n, const shp_shape *x, int32_t axis, int64_t k)
{
    const shp_content *c = shp_in_content(n, 0);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    bool smallest = !shp_attr_int_or(n, "largest", 1);
    if (!c || !shp_sizes(n, x, size, stride) || k < 1 || size[axis] < k) return;
    int64_t count = size[axis], step = stride[axis], lines = (int64_t)c->count / count;
    shp_content *values = shp_content_new(n, (uint64_t)(lines * k)), *indices = shp_content_new(n, (uint64_t)(lines * k));
    for (int64_t l = 0; values && indices && l < lines; l++) {
        bool taken[SHP_ELEMENTS_MAX] = { false };
        const shp_elem *from = c->elem + l / step * count * step + l % step;
        int64_t to = l / step * k * step + l % step;
        for (int64_t j = 0; j < k; j++, to += step) {
            int64_t best = -1;
            for (int64_t i = 0; i < count; i++) {
                if (taken[i]) continue;
                if (best < 0) best = i;
                int64_t a = smallest ? i : best, b = smallest ? best : i;
                int stays = i == best ? 1 : shp_elem_ge(n, from[a * step], from[b * step]);
                if (stays < 0) return;
                if (!stays) best = i;
            }
            taken[best] = true;
            values->elem[to] = from[best * step];
            indices->elem[to] = shp_elem_int(n, best);
        }
    }
    shp_out_content(n, 0, values);
    shp_out_content(n, 1, indices);
}

/* TopK: k along `axis`, at most its size.
 * Source: ONNX TopK (1: attribute k; 10: input; 11: negative axis, smallest). */
void infer_topk(shp_node *n)
{
    bool old = n->opset < 10;
    int64_t v = -1, size = INT64_MAX;
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0);
    if (!old) shp_want_vector(n, 1, lit(1));
    shp_dim k = old ? num(n, shp_attr_int(n, "k")) : shp_in_scalar(n, 1);
    if (axis < 0) return;
    is_num(n, x->dim[axis], &size);
    if (is_num(n, k, &v) && (v < 0 || v > size)) shp_fail4(n, SHP_D_VALUE, "k is %d, axis %d of %i has %x", v, axis, 0, x->dim[axis]);
    if (!k) k = shp_fresh(n, 0, (uint32_t)axis, SHP_WHY_CONTENT);
    for (uint32_t o = 0; o < 2; o++) shp_out_resized(n, o, x, axis, k);
    topk_elements(n, x, axis, v);
}

/* NonMaxSuppression: [count, 3]; none where the largest number of boxes a class is absent or 0. A box alone overlaps no other: with no
 * threshold for its score it is taken in every class.
 * Source: ONNX NonMaxSuppression-10. */
void infer_non_max_suppression(shp_node *n)
{
    shp_dim *letter = shp_letters(n), most = shp_has(n, 2) ? shp_element(shp_in_content(n, 2), 0) : lit(0);
    shp_lay(n, "N S 4; N C S >");
    shp_dim *boxes = &letter['S' - 'A'], *count = &letter['K' - 'A'];
    if (is(n, most, 0) || is(n, *boxes, 0)) *count = lit(0);
    else if (is(n, *boxes, 1) && most && lo(n, most) >= 1 && !shp_has(n, 4)) *count = mul(n, letter['N' - 'A'], letter['C' - 'A']);
    shp_lay(n, *count ? "> K 3" : "> _ 3");
}
