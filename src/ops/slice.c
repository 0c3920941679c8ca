/* slice - Slice on symbolic sizes. */
#include "index.h"
#include "nn.h"

/* Indices from here on (of either sign) mean "to the end" of an axis that is no number: exporters write INT_MAX of 32 or 64 bits, or 1e9. */
#define FAR 1000000000

/* Min(a, b), where need be taking free input sizes as >= 1 (R2a). */
static shp_dim at_most(shp_node *n, shp_dim a, shp_dim b)
{
    if (ge(n, b, a) == 1) return a;
    if (ge(n, a, b) == 1) return b;
    if (shp_at_least(n, sub(n, b, a), 0, "slice")) return a;
    if (shp_at_least(n, sub(n, a, b), 0, "slice")) return b;
    return dim_min(n, a, b);
}

/* Max(a, floor), likewise. */
static shp_dim not_below(shp_node *n, shp_dim a, int64_t floor)
{
    return !a || shp_at_least(n, a, floor, "slice") ? a : dim_max(n, a, num(n, floor));
}

/* An index counted from the front: itself where it is >= 0, d + index where it is negative. Where its sign is open, both at once,
 * as far as it is made of sizes alone; else 0. far is what an index far beyond the end stands for, near one far before the begin. */
static shp_dim from_front(shp_node *n, shp_dim index, shp_dim d, shp_dim near, shp_dim far)
{
    int64_t v;
    if (is_num(n, index, &v) && !shp_is_num(n, d) && (v >= FAR || v <= -FAR)) return v > 0 ? far : near;
    if (shp_at_least(n, index, 0, "slice")) return index;
    if (is_num(n, index, &v) && v <= -INT64_MAX) return near;       /* what cannot be negated or added to */
    shp_dim back = sub(n, lit(0), index);
    if (shp_at_least(n, back, 1, "slice")) return add(n, d, index);
    if (shp_dim_has_undeclared(n->dims, index)) return 0;
    return add(n, index, mul(n, d, dim_min(n, dim_max(n, back, lit(0)), lit(1))));
}

/* How many elements [start : end : step] takes of an axis of size d, and the first one. 0 where it cannot be told. */
static shp_dim forward(shp_node *n, shp_dim d, shp_dim start, shp_dim end, int64_t step, shp_dim *first)
{
    shp_dim s = not_below(n, from_front(n, start, d, lit(0), d), 0), e = from_front(n, end, d, lit(0), d), len;
    if (ge(n, s, d) == 1) return lit(0);
    if (!s || !e) return 0;
    *first = s;
    if (ge(n, e, s) == 1 || shp_dim_taken(n->dims, sub(n, e, s), 0)) len = sub(n, at_most(n, e, d), at_most(n, s, d));
    else len = not_below(n, sub(n, at_most(n, e, d), s), 0);
    return step == 1 ? len : ceil_div(n, len, num(n, step));
}

/* INT_MAX of 32 or 64 bits as an end means all the way here too, as ONNX Runtime has it: clamped, it would leave nothing. */
static shp_dim backward(shp_node *n, shp_dim d, shp_dim start, shp_dim end, int64_t step, shp_dim *first)
{
    int64_t v;
    bool all = is_num(n, end, &v) && (v == INT32_MAX || v == INT64_MAX);
    shp_dim last = sub(n, d, lit(1)), s = from_front(n, start, d, lit(0), last), e = all ? lit(-1) : from_front(n, end, d, lit(-1), last);
    if (!s || !e) return 0;
    s = *first = s == last ? s : at_most(n, not_below(n, s, 0), last);
    e = not_below(n, e, -1);
    return ceil_div(n, not_below(n, sub(n, s, e), 0), num(n, step == INT64_MIN ? INT64_MAX : -step));
}

/* What one axis becomes; *first is outside of it where the first element is not known. 0 where it cannot be told or the node has failed. */
static shp_dim slice_axis(shp_node *n, uint32_t axis, shp_dim d, shp_dim start, shp_dim end, shp_dim by, int64_t *step, int64_t *first)
{
    shp_dim from = 0;
    if (!start || !end || !is_num(n, by, step)) return 0;
    if (!*step) {
        shp_fail(n, SHP_D_VALUE, "a step of 0");
        return 0;
    }
    shp_dim len = (*step > 0 ? forward : backward)(n, d, start, end, *step, &from);
    if (!len)
        len = shp_fresh_of(n, shp_mix(shp_mix((uint64_t)d << 32 | by, 0x51cd), (uint64_t)start << 32 | end), 0, axis, SHP_WHY_CONTENT);
    else if (!shp_is_num(n, len) && hi(n, len) == 1 && shp_dim_has_undeclared(n->dims, d))
        /* 0 or 1 of a size that data decides: a symbol of its own, so that a later requirement can decide it */
        len = shp_fresh_of(n, shp_mix(0x51ce, len), 0, axis, SHP_WHY_DATA);
    if (!is_num(n, from, first)) *first = INT64_MIN;        /* outside, whatever is added */
    return len;
}

/* Slice: along each named axis the elements [start : end : step], indices counted and clamped as numpy does.
 * Source: ONNX Slice (1: attributes; 10: inputs, steps; 11: negative axes). */
void infer_slice(shp_node *n)
{
    static const shp_elem none;
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l[4] = { shp_list_of(n, "starts", 1), shp_list_of(n, "ends", 2), shp_list_of(n, "axes", 3), shp_list_of(n, NULL, 4) };
    int64_t axes[SHP_RANK_MAX], step[SHP_RANK_MAX], first[SHP_RANK_MAX], count = -1;
    shp_dim d[SHP_RANK_MAX];
    if (!x) return;
    for (int k = 0; k < 4; k++) {
        if (l[k].count >= 0 && count >= 0 && l[k].count != count) shp_fail(n, SHP_D_SHAPE, "lists of different lengths");
        if (l[k].count >= 0 && k < 3) count = l[k].count;
    }
    if (count > x->rank) { shp_fail2(n, SHP_D_SHAPE, "%d entries for %d axes", count, x->rank); return; }
    if (count < 0 || !shp_list_axes_or_all(n, &l[2], x->rank, axes)) { shp_out_unknown(n, 0, x->rank, SHP_WHY_CONTENT); return; }
    for (int32_t k = 0; k < x->rank; k++) {
        d[k] = x->dim[k];
        first[k] = 0;
        step[k] = 1;
    }
    for (int64_t i = 0; i < count && !n->failed; i++) {
        int64_t k = axes[i];
        shp_dim by = l[3].has ? shp_list_at(n, &l[3], i) : lit(1);
        d[k] = slice_axis(n, (uint32_t)k, d[k], shp_list_at(n, &l[0], i), shp_list_at(n, &l[1], i), by, &step[k], &first[k]);
    }
    shp_out(n, 0, x->rank, d);
    shp_out_mapped(n, 0, &(shp_map){ .first = first, .step = step, .fill = &none });
    shp_out_bounds_of(n, 0, 0);
}
