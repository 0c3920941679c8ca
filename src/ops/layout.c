/* layout - operators that rearrange a tensor's elements: Reshape, Transpose, Concat, Split, Pad and their kin. */
#include "index.h"
#include "../infer.h"

#include <string.h>

/* ---- Reshape ---- */

static void find_any(void *arg, const shp_symbol *s)
{
    if (s->kind == SHP_ANY) *(bool *)arg = true;
}

/* Whether an element of a Reshape target may be 0 or -1 at run time: a value that nothing bounds. */
static bool may_be_special(shp_node *n, shp_dim e)
{
    bool any = false;
    if (shp_dim_lo(n->dims, e) < 0) shp_dim_visit(n->dims, e, find_any, &any);
    return any;
}

/* A target as it is read: dim 0 marks what is not known (yet). */
typedef struct target {
    shp_dim d[SHP_RANK_MAX];
    bool element[SHP_RANK_MAX];     /* the dim is the target's own symbolic element, not a number and not copied */
    int64_t hole, open, opened;     /* the place of -1 (or -1), how many elements are not known, and the last of these */
} target;

static bool read_target(shp_node *n, const shp_list *l, const shp_shape *x, target *t)
{
    bool allowzero = shp_attr_int(n, "allowzero") != 0, zero = false;
    t->hole = -1;
    t->open = t->opened = 0;
    for (int64_t i = 0; i < l->count; i++) {
        shp_dim e = shp_list_at(n, l, i);
        int64_t v;
        t->element[i] = false;
        t->d[i] = e;
        if (!e || may_be_special(n, e)) {
            t->d[i] = 0;
            t->open++;
            t->opened = i;
        } else if (!is_num(n, e, &v)) {
            t->element[i] = true;
            if (allowzero) shp_assume(n, e, num(n, 0), "reshape");
            else if (!x || i >= x->rank || x->dim[i] != e) shp_assume(n, e, num(n, 1), "reshape");
        } else if (v == -1) {
            if (t->hole >= 0) return !shp_fail(n, SHP_D_VALUE, "the target has -1 twice");
            t->hole = i;
        } else if (v < -1) {
            return !shp_fail(n, SHP_D_VALUE, "the target's element %d is %d", i, v);
        } else if (v == 0 && allowzero) {
            zero = true;
        } else if (v == 0) {
            if (x && i >= x->rank) return !shp_fail(n, SHP_D_SHAPE, "the target copies axis %d of %i", i, (uint32_t)0);
            t->d[i] = x ? x->dim[i] : 0;
        }
    }
    if (zero && t->hole >= 0) return !shp_fail(n, SHP_D_VALUE, "the target has 0 and -1, which allowzero forbids");
    return true;
}

/* The one size that makes the element counts equal: what -1 stands for. 0 where it cannot be told, or the node has failed.
 * certain: the element may be something else than -1, so the others must not be 0. */
static shp_dim fill(shp_node *n, const shp_shape *x, const target *t, int64_t count, int64_t hole, bool certain)
{
    shp_dim total = shp_numel(n, x), rest = num(n, 1);
    int64_t a, b;
    for (int64_t i = 0; i < count; i++) {
        if (i == hole) continue;
        rest = mul(n, rest, t->d[i]);
        if (!certain || shp_dim_lo(n->dims, t->d[i]) >= 1) continue;
        if (!t->element[i]) return 0;
        shp_assume(n, t->d[i], num(n, 1), "reshape");
    }
    if (is(n, rest, 0)) {
        shp_fail(n, SHP_D_SHAPE, "-1 cannot be told: the other sizes multiply to 0");
        return 0;
    }
    if (is_num(n, total, &a) && is_num(n, rest, &b) && a % b) {
        shp_fail(n, SHP_D_SHAPE, "%i has %d elements, which %d does not divide", (uint32_t)0, a, b);
        return 0;
    }
    shp_dim exact = shp_dim_div_exact(n->dims, total, rest);
    return exact ? exact : floor_div(n, total, rest);
}

/* Both shapes have the same number of elements (R1). Where one size alone is unnamed and the others are not 0, that decides it. */
static bool same_count(shp_node *n, const shp_shape *x, const shp_dim *d, int64_t count)
{
    shp_dim total = shp_numel(n, x), wanted = shp_product(n, d, (uint32_t)count);
    if (total && wanted && !shp_equal(n, total, wanted))
        return !shp_fail(n, SHP_D_SHAPE, "%i has %x elements, the target %x", (uint32_t)0, total, wanted);
    int32_t fresh = -1;
    shp_dim rest = num(n, 1);
    for (int32_t k = 0; k < x->rank; k++) {
        const shp_symbol *s = shp_dim_symbol(n->dims, x->dim[k]);
        if (s && !s->name.len && fresh < 0) fresh = k;
        else rest = mul(n, rest, x->dim[k]);
    }
    if (fresh < 0 || shp_dim_has_fresh(n->dims, rest) || shp_dim_has_fresh(n->dims, wanted) || shp_dim_lo(n->dims, rest) < 1) return true;
    shp_dim q = shp_dim_div_exact(n->dims, wanted, rest);
    return !q || shp_equal(n, x->dim[fresh], q) || !shp_fail(n, SHP_D_SHAPE, "%i does not fit the target", (uint32_t)0);
}

/* Reshape: the sizes of the target; 0 copies the input's (unless allowzero), -1 is what is left.
 * A symbolic element is taken as not 0 (assumed, R2d); a value of either sign is neither.
 * Source: ONNX Reshape (1: attribute; 5: input; 14: allowzero). */
int infer_reshape(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "shape", 1);
    target t;
    if (!l.ints && !shp_want_rank(n, 1, 1, 1) && n->failed) return n->failed;
    if (!l.known || l.count > SHP_RANK_MAX) return shp_out_unknown(n, 0, l.count, SHP_WHY_CONTENT);
    if (!read_target(n, &l, x, &t)) return n->failed;
    if (x && t.hole < 0 && !t.open && !same_count(n, x, t.d, l.count)) return n->failed;
    if (x && t.open + (t.hole >= 0) == 1) {
        int64_t hole = t.hole >= 0 ? t.hole : t.opened;
        t.d[hole] = fill(n, x, &t, l.count, hole, t.hole < 0);
        if (n->failed) return n->failed;
    } else if (t.hole >= 0) {
        t.d[t.hole] = 0;
    }
    for (int64_t i = 0; i < l.count; i++)
        if (!t.d[i]) t.d[i] = shp_fresh(n, 0, (uint32_t)i, x ? SHP_WHY_CONTENT : SHP_WHY_RANK);
    shp_out(n, 0, l.count, t.d);
    shp_out_elements(n, 0, 0);
    return SHP_OK;
}

/* Flatten: two axes, the products before and after `axis` (which may be the rank, and from 11 on negative).
 * Source: ONNX Flatten. */
int infer_flatten(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t axis = shp_attr_int(n, "axis");
    shp_dim d[2] = { axis == 0 ? num(n, 1) : 0, 0 };
    if (x) {
        if (axis < -x->rank || axis > x->rank) return shp_fail(n, SHP_D_AXIS, "axis %d is outside [%d, %d]", axis, -(int64_t)x->rank, (int64_t)x->rank);
        if (axis < 0) axis += x->rank;
        d[0] = shp_product(n, x->dim, (uint32_t)axis);
        d[1] = shp_product(n, x->dim + axis, (uint32_t)(x->rank - axis));
    }
    for (uint32_t k = 0; k < 2; k++)
        if (!d[k]) d[k] = shp_fresh(n, 0, k, x ? SHP_WHY_LIMIT : SHP_WHY_RANK);
    shp_out(n, 0, 2, d);
    shp_out_elements(n, 0, 0);
    return SHP_OK;
}

/* Transpose: axis k of the output is axis perm[k] of the input; perm reverses all axes where it is absent.
 * Source: ONNX Transpose. */
int infer_transpose(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "perm", 0);
    int64_t perm[SHP_RANK_MAX], size[SHP_RANK_MAX], stride[SHP_RANK_MAX], rank = x ? x->rank : l.count;
    if (!x && (!l.has || l.count > SHP_RANK_MAX)) return SHP_OK;
    if (l.has) {
        if (l.count != rank) return shp_fail(n, SHP_D_ATTRIBUTE, "perm names %d axes, %i has rank %d", l.count, (uint32_t)0, rank);
        if (!shp_list_axes(n, &l, rank, perm)) return n->failed ? (int)n->failed : shp_out_unknown(n, 0, rank, SHP_WHY_LIMIT);
    } else {
        for (int64_t k = 0; k < rank; k++) perm[k] = rank - 1 - k;
    }
    if (!x) return shp_out_unknown(n, 0, rank, SHP_WHY_RANK);
    shp_dim d[SHP_RANK_MAX];
    for (int64_t k = 0; k < rank; k++) d[k] = x->dim[perm[k]];
    shp_out(n, 0, rank, d);
    const shp_content *c = shp_in_content(n, 0);
    if (c && shp_sizes(n, x, size, stride)) {
        shp_view v = shp_view_new(0);
        for (int64_t k = 0; k < rank; k++) shp_view_axis(&v, size[perm[k]], stride[perm[k]]);
        shp_view_out(n, 0, &v, c);
    }
    return SHP_OK;
}

/* Squeeze: the named axes, each of size 1 (R1), go away; without axes all that are 1, which takes known sizes.
 * Source: ONNX Squeeze (1: attribute; 13: input). */
int infer_squeeze(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "axes", 1);
    int64_t axes[SHP_RANK_MAX], v;
    bool gone[SHP_RANK_MAX] = { false };
    shp_dim d[SHP_RANK_MAX];
    uint32_t rank = 0;
    if (!x) return SHP_OK;
    if (l.has && l.count) {
        if (!shp_list_axes(n, &l, x->rank, axes))
            return n->failed || l.count < 0 || l.count > x->rank ? (int)n->failed : shp_out_unknown(n, 0, x->rank - l.count, SHP_WHY_CONTENT);
        for (int64_t i = 0; i < l.count; i++) {
            shp_dim one = num(n, 1);
            if (is_num(n, x->dim[axes[i]], &v) ? v != 1 : !shp_equal(n, x->dim[axes[i]], one))
                return shp_fail(n, SHP_D_SHAPE, "axis %d of %i is not 1", axes[i], (uint32_t)0);
            gone[axes[i]] = true;
        }
    } else {
        for (int32_t k = 0; k < x->rank; k++) {
            if (is(n, x->dim[k], 1) && !l.has) gone[k] = true;
            else if (shp_dim_eq(n->dims, x->dim[k], num(n, 1)) != 0) return SHP_OK;     /* 1 or not: the rank is open */
        }
    }
    for (int32_t k = 0; k < x->rank; k++)
        if (!gone[k]) d[rank++] = x->dim[k];
    shp_out(n, 0, rank, d);
    shp_out_elements(n, 0, 0);
    return SHP_OK;
}

/* Unsqueeze: an axis of size 1 at each of `axes`, which are axes of the output.
 * Source: ONNX Unsqueeze (1: attribute; 13: input). */
int infer_unsqueeze(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "axes", 1);
    int64_t axes[SHP_RANK_MAX];
    bool made[SHP_RANK_MAX] = { false };
    shp_dim d[SHP_RANK_MAX];
    if (!x || l.count < 0) return SHP_OK;
    int64_t rank = x->rank + l.count;
    if (rank > SHP_RANK_MAX) return shp_fail(n, SHP_D_RANK, "rank %d is too large", rank);
    if (!shp_list_axes(n, &l, rank, axes)) return n->failed ? (int)n->failed : shp_out_unknown(n, 0, rank, SHP_WHY_CONTENT);
    for (int64_t i = 0; i < l.count; i++) made[axes[i]] = true;
    for (int64_t k = 0, from = 0; k < rank; k++) d[k] = made[k] ? num(n, 1) : x->dim[from++];
    shp_out(n, 0, rank, d);
    shp_out_elements(n, 0, 0);
    return SHP_OK;
}

/* ---- repeating ---- */

/* Expand: input and target broadcast against each other.
 * Source: ONNX Expand-8. */
int infer_expand(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, NULL, 1);
    if (!shp_want_rank(n, 1, 1, 1) && n->failed) return n->failed;
    if (!x || l.count < 0 || l.count > SHP_RANK_MAX) return SHP_OK;
    int64_t rank = l.count > x->rank ? l.count : x->rank, lead = rank - x->rank, skip = rank - l.count, v;
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX];
    shp_dim d[SHP_RANK_MAX];
    shp_view view = shp_view_new(0);
    const shp_content *c = shp_in_content(n, 0);
    bool move = c && shp_sizes(n, x, size, stride);
    for (int64_t k = 0; k < rank; k++) {
        shp_dim a = k < lead ? num(n, 1) : x->dim[k - lead], t = k < skip ? num(n, 1) : shp_list_at(n, &l, k - skip);
        if (is_num(n, t, &v) && v < 0) return shp_fail(n, SHP_D_VALUE, "the target's element %d is %d", k - skip, v);
        if (t) d[k] = shp_dim_broadcast(n->dims, a, t);
        else d[k] = is_num(n, a, &v) && v != 1 ? a : shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
        if (!d[k] && a && t) return shp_fail(n, SHP_D_SHAPE, "%i does not broadcast to the target: %x against %x", (uint32_t)0, a, t);
        if (!is_num(n, d[k], &v)) move = false;
        else if (move) shp_view_axis(&view, v, is(n, a, 1) ? 0 : stride[k - lead]);
    }
    shp_out(n, 0, rank, d);
    if (move) shp_view_out(n, 0, &view, c);
    return SHP_OK;
}

/* The output of Tile from one repeat count an axis (0: not known). */
static int tile(shp_node *n, const shp_shape *x, const shp_dim *repeat)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], v;
    shp_dim d[SHP_RANK_MAX];
    shp_view view = shp_view_new(0);
    const shp_content *c = shp_in_content(n, 0);
    bool move = c && shp_sizes(n, x, size, stride);
    for (int32_t k = 0; k < x->rank; k++) {
        if (is_num(n, repeat[k], &v) && v < 0) return shp_fail(n, SHP_D_VALUE, "repeats axis %d %d times", (int64_t)k, v);
        d[k] = repeat[k] ? mul(n, x->dim[k], repeat[k]) : shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
        if (!move || !is_num(n, repeat[k], &v)) {
            move = false;
            continue;
        }
        shp_view_axis(&view, v, 0);
        shp_view_axis(&view, size[k], stride[k]);
    }
    shp_out(n, 0, x->rank, d);
    if (move) shp_view_out(n, 0, &view, c);
    return SHP_OK;
}

/* Tile below 6: one axis is repeated `tiles` times.
 * Source: ONNX Tile-1. */
static int tile1(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_dim repeat[SHP_RANK_MAX];
    shp_list tiles = shp_list_of(n, NULL, 1), al = shp_list_of(n, NULL, 2);
    int64_t axis = -1;
    if (!x) return SHP_OK;
    bool known = is_num(n, shp_list_at(n, &al, 0), &axis);
    if (known && (axis = shp_axis(n, axis, x->rank)) < 0) return n->failed;
    for (int32_t k = 0; k < x->rank; k++) repeat[k] = known ? num(n, 1) : 0;
    if (known) repeat[axis] = shp_list_at(n, &tiles, 0);
    return tile(n, x, repeat);
}

/* Tile: each axis is repeated as often as its element of `repeats` says.
 * Source: ONNX Tile-6. */
int infer_tile(shp_node *n)
{
    if (n->opset < 6) return tile1(n);
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, NULL, 1);
    shp_dim repeat[SHP_RANK_MAX];
    if (!shp_want_rank(n, 1, 1, 1) && n->failed) return n->failed;
    if (!x) return l.count > SHP_RANK_MAX ? SHP_OK : shp_out_unknown(n, 0, l.count, SHP_WHY_RANK);
    if (l.count >= 0 && l.count != x->rank) return shp_fail(n, SHP_D_SHAPE, "%d repeats for %i", l.count, (uint32_t)0);
    for (int32_t k = 0; k < x->rank; k++) repeat[k] = shp_list_at(n, &l, k);
    return tile(n, x, repeat);
}

/* ---- joining and cutting ---- */

/* Concat: sizes along `axis` add up, all others are equal (R1).
 * Source: ONNX Concat (1: axis is 1 where absent; 4: required; 11: may be negative). */
int infer_concat(shp_node *n)
{
    uint32_t inputs = shp_inputs(n), first = 0;
    shp_dim d[SHP_RANK_MAX];
    int32_t rank = -1;
    for (uint32_t i = 0; i < inputs; i++) {
        const shp_shape *s = shp_in_shape(n, i);
        if (!s) continue;
        if (rank >= 0 && rank != s->rank) return shp_fail(n, SHP_D_RANK, "%i and %i differ in rank", first, i);
        if (rank < 0) {
            rank = s->rank;
            first = i;
            memcpy(d, s->dim, (size_t)rank * sizeof *d);
        }
    }
    if (rank < 0) return SHP_OK;
    int64_t axis = shp_axis(n, shp_attr_int_or(n, "axis", 1), rank);
    if (axis < 0) return n->failed;
    shp_dim sum = num(n, 0);
    for (uint32_t i = 0; i < inputs; i++) {
        const shp_shape *s = shp_in_shape(n, i);
        sum = s ? add(n, sum, s->dim[axis]) : 0;
        for (int32_t k = 0; s && k < rank; k++)
            if (k != axis && !shp_same_dim(n, &d[k], s->dim[k], "sizes beside the axis")) return n->failed;
        if (!sum && s) break;
    }
    d[axis] = sum ? sum : shp_fresh(n, 0, (uint32_t)axis, SHP_WHY_RANK);
    shp_out(n, 0, rank, d);
    shp_piece *piece = sum && is_num(n, sum, NULL) ? shp_alloc_array(n->x->arena, inputs, sizeof *piece) : NULL;
    for (uint32_t i = 0; piece && i < inputs; i++) piece[i] = (shp_piece){ shp_in_content(n, i), shp_count(n, shp_in_shape(n, i)) };
    if (piece) shp_out_joined(n, 0, axis, piece, inputs);
    return SHP_OK;
}

/* The sizes that Split's `split` lists: they add up to the axis, which decides a single unknown one (R1). */
static bool split_sizes(shp_node *n, const shp_list *l, shp_dim whole, shp_dim *part)
{
    shp_dim sum = num(n, 0);
    int64_t v, unknown = -1;
    if (l->count >= 0 && l->count != (int64_t)n->proto->outputs)
        return !shp_fail(n, SHP_D_SHAPE, "%d sizes for %d outputs", l->count, (int64_t)n->proto->outputs);
    for (int64_t i = 0; i < (int64_t)n->nout; i++) {
        part[i] = shp_list_at(n, l, i);
        if (is_num(n, part[i], &v) && v < 0) return !shp_fail(n, SHP_D_VALUE, "part %d has size %d", i, v);
        const shp_symbol *s = part[i] ? shp_dim_symbol(n->dims, part[i]) : NULL;
        if (s && !s->name.len) unknown = unknown == -1 ? i : -2;
        sum = add(n, sum, part[i]);
    }
    if (sum && whole && unknown >= 0) {
        shp_dim left = add(n, sub(n, whole, sum), part[unknown]);
        return shp_same_dim(n, &part[unknown], left, "the parts' sum and the axis");
    }
    return shp_same_dim(n, &sum, whole, "the parts' sum and the axis");
}

/* Equal parts; with num_outputs (18) the last may be smaller. */
static bool split_equal(shp_node *n, shp_dim whole, int64_t parts, bool uneven, shp_dim *part)
{
    shp_dim count = num(n, parts), exact = shp_dim_div_exact(n->dims, whole, count), chunk = exact, last = exact;
    int64_t v;
    if (!exact && uneven) {
        chunk = ceil_div(n, whole, count);
        last = parts == 2 ? floor_div(n, whole, count) : sub(n, whole, mul(n, chunk, num(n, parts - 1)));
    } else if (!exact) {
        if (is_num(n, whole, NULL)) return !shp_fail(n, SHP_D_SHAPE, "%x is not cut evenly into %d parts", whole, parts);
        chunk = last = floor_div(n, whole, count);
    }
    if (is_num(n, last, &v) && v < 0) return !shp_fail(n, SHP_D_SHAPE, "%x cannot be cut into %d parts of %x: the last would be %x", whole, parts, chunk, last);
    for (int64_t i = 0; i < (int64_t)n->nout; i++) part[i] = i < parts - 1 ? chunk : last;
    return true;
}

/* Split: parts along `axis`, of the sizes that `split` lists, else equal.
 * Source: ONNX Split (1: attribute or input; 2: attribute; 13: input; 18: num_outputs). */
int infer_split(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "split", 1);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], at = 0, v, parts = shp_attr_int_or(n, "num_outputs", 0);
    shp_dim d[SHP_RANK_MAX], *part = shp_alloc_array(n->x->arena, n->nout, sizeof *part);
    if (!x || !part) return SHP_OK;
    int64_t axis = shp_axis(n, shp_attr_int_or(n, "axis", 0), x->rank);
    if (axis < 0) return n->failed;
    bool uneven = shp_attr_has(n, "num_outputs");
    if (uneven && parts != (int64_t)n->proto->outputs) return shp_fail(n, SHP_D_ATTRIBUTE, "num_outputs is %d for %d outputs", parts, (int64_t)n->proto->outputs);
    if (l.has ? !split_sizes(n, &l, x->dim[axis], part) : !split_equal(n, x->dim[axis], n->proto->outputs, uneven, part)) return n->failed;
    const shp_content *c = shp_in_content(n, 0);
    bool move = c && shp_sizes(n, x, size, stride);
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    for (uint32_t o = 0; o < n->nout; o++) {
        d[axis] = part[o] ? part[o] : shp_fresh(n, o, (uint32_t)axis, SHP_WHY_CONTENT);
        shp_out(n, o, x->rank, d);
        if (!move || !is_num(n, d[axis], &v) || v < 0 || v > size[axis] - at) {
            move = false;
            continue;
        }
        shp_view view = shp_view_new(at * stride[axis]);
        for (int32_t k = 0; k < x->rank; k++) shp_view_axis(&view, k == axis ? v : size[k], stride[k]);
        shp_view_out(n, o, &view, c);
        at += v;
    }
    return SHP_OK;
}

/* ---- padding ---- */

/* The elements of a Pad in constant mode: the output's all pad elements, then the input's that are kept. */
static void pad_elements(shp_node *n, const shp_shape *x, const shp_dim *d, const int64_t *before)
{
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], out_size[SHP_RANK_MAX], count = 1;
    const shp_content *c = shp_in_content(n, 0), *value = n->opset < 11 ? NULL : shp_in_content(n, 2);
    bool filled = n->opset < 11 || !shp_has(n, 2);
    char kind = shp_dtype_kind(shp_in_dtype(n, 0));
    if (!c || !shp_sizes(n, x, size, stride)) return;
    for (int32_t k = 0; k < x->rank; k++) {
        if (!is_num(n, d[k], &out_size[k]) || out_size[k] < 0 || out_size[k] > SHP_ELEMENTS_MAX) return;
        if ((count *= out_size[k]) > SHP_ELEMENTS_MAX) return;
    }
    shp_content *out = shp_content_new(n, (uint64_t)count);
    shp_elem e = { 0 };
    if (value && value->count == 1) e = value->elem[0];
    else if (filled && kind == 'F') e = shp_elem_real(n->opset < 11 ? shp_attr_float_or(n, "value", 0) : 0);
    else if (filled) e = shp_elem_int(n, 0);
    for (int64_t p = 0; out && p < count; p++) {
        int64_t left = p, at = 0;
        bool inside = true;
        for (int32_t k = x->rank; k-- > 0; left /= out_size[k]) {
            int64_t i = left % out_size[k] - before[k];
            inside = inside && i >= 0 && i < size[k];
            at += i * stride[k];
        }
        out->elem[p] = inside ? c->elem[at] : e;
    }
    shp_out_content(n, 0, out);
}

/* Pad: each axis grows by what is put before and after it (negative: shrinks).
 * Source: ONNX Pad (1: paddings; 2: pads; 11: an input; 18: axes). */
int infer_pad(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, n->opset < 2 ? "paddings" : "pads", 1), al = shp_list_of(n, NULL, n->opset < 18 ? 0 : 3);
    int64_t axes[SHP_RANK_MAX], before[SHP_RANK_MAX] = { 0 }, v;
    shp_dim d[SHP_RANK_MAX];
    if (!x) return al.has || l.count % 2 || l.count > 2 * SHP_RANK_MAX ? SHP_OK : shp_out_unknown(n, 0, l.count / 2, SHP_WHY_RANK);
    int64_t count = al.has ? al.count : x->rank;
    if (count >= 0 && l.count >= 0 && l.count != 2 * count) return shp_fail(n, SHP_D_SHAPE, "%d pads for %d axes", l.count, count);
    if (al.has && !shp_list_axes(n, &al, x->rank, axes)) return n->failed ? (int)n->failed : shp_out_unknown(n, 0, x->rank, SHP_WHY_CONTENT);
    bool move = true;
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = al.has ? axes[i] : i;
        shp_dim begin = shp_list_at(n, &l, i), grow = add(n, begin, shp_list_at(n, &l, count + i));
        d[k] = grow ? add(n, d[k], grow) : shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
        if (is_num(n, d[k], &v) && v < 0) return shp_fail(n, SHP_D_SHAPE, "axis %d of %i would become %d", k, (uint32_t)0, v);
        move = move && is_num(n, begin, &before[k]) && before[k] > -SHP_ELEMENTS_MAX && before[k] < SHP_ELEMENTS_MAX;
    }
    shp_out(n, 0, x->rank, d);
    if (move && shp_str_is(shp_attr_str(n, "mode"), "constant")) pad_elements(n, x, d, before);
    return SHP_OK;
}

/* ---- blocks, and what keeps its shape ---- */

/* a/b by R1: the run fails where it does not divide. */
static shp_dim divide(shp_node *n, shp_dim a, int64_t b)
{
    shp_dim q = shp_dim_div_exact(n->dims, a, num(n, b));
    if (!q && is_num(n, a, NULL)) shp_fail(n, SHP_D_SHAPE, "%x of %i is no multiple of %d", a, (uint32_t)0, b);
    return q ? q : floor_div(n, a, num(n, b));
}

/* Both ways between depth and space, four axes. */
static int blocks(shp_node *n, bool to_space)
{
    const shp_shape *x = shp_want_rank(n, 0, 4, 4);
    int64_t b = shp_attr_int(n, "blocksize");
    if (n->failed) return n->failed;
    if (b < 1 || b > INT32_MAX) return shp_fail(n, SHP_D_ATTRIBUTE, "blocksize is %d", b);
    if (!x) return shp_out_unknown(n, 0, 4, SHP_WHY_RANK);
    shp_dim d[4] = { x->dim[0], x->dim[1], x->dim[2], x->dim[3] };
    d[1] = to_space ? divide(n, d[1], b * b) : mul(n, d[1], num(n, b * b));
    for (int k = 2; k < 4; k++) d[k] = to_space ? mul(n, d[k], num(n, b)) : divide(n, d[k], b);
    return n->failed ? (int)n->failed : shp_out(n, 0, 4, d);
}

/* DepthToSpace: [N, C/(b*b), H*b, W*b]. Source: ONNX DepthToSpace-1. */
int infer_depth_to_space(shp_node *n) { return blocks(n, true); }

/* SpaceToDepth: [N, C*b*b, H/b, W/b]. Source: ONNX SpaceToDepth-1. */
int infer_space_to_depth(shp_node *n) { return blocks(n, false); }

/* ReverseSequence: the input's shape; as many lengths as the batch has. Source: ONNX ReverseSequence-10. */
int infer_reverse_sequence(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX), *lens = shp_want_rank(n, 1, 1, 1);
    int64_t batch = shp_attr_int(n, "batch_axis"), time = shp_attr_int(n, "time_axis");
    if (n->failed) return n->failed;
    if ((batch != 0 && batch != 1) || time != 1 - batch) return shp_fail(n, SHP_D_ATTRIBUTE, "batch_axis %d and time_axis %d must be 0 and 1", batch, time);
    if (!x) return SHP_OK;
    shp_dim d = x->dim[batch];
    if (lens && !shp_same_dim(n, &d, lens->dim[0], "batch and number of lengths")) return n->failed;
    return shp_out_same(n, 0, 0);
}

/* Trilu: the input's shape; what is beyond the diagonal is 0. Source: ONNX Trilu-14. */
int infer_trilu(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    const shp_content *c = shp_in_content(n, 0);
    int64_t size[SHP_RANK_MAX], k = 0;
    if (n->failed) return n->failed;
    shp_out_same(n, 0, 0);
    if (!x || !c || !shp_sizes(n, x, size, NULL) || (shp_has(n, 1) && !shp_in_int(n, 1, &k))) return SHP_OK;
    bool upper = shp_attr_int(n, "upper") != 0;
    shp_content *out = shp_content_new(n, c->count);
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        int64_t column = p % size[x->rank - 1], row = p / size[x->rank - 1] % size[x->rank - 2], beyond = column - row;
        bool keep = upper ? beyond >= k : beyond <= k;
        out->elem[p] = keep ? c->elem[p] : shp_dtype_kind(shp_in_dtype(n, 0)) == 'F' ? shp_elem_real(0) : shp_elem_int(n, 0);
    }
    shp_out_content(n, 0, out);
    return SHP_OK;
}
