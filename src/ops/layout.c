/* layout - operators that rearrange a tensor's elements: Reshape, Transpose, Concat, Split, Pad and their kin. */
#include "index.h"
#include "nn.h"

#include <string.h>

/* ---- Reshape ---- */

static bool is_any(void *arg, const shp_symbol *s)
{
    (void)arg;
    return s->kind == SHP_ANY;
}

/* Whether an element of a Reshape target may be 0 or -1 at run time: a value that nothing bounds. */
static bool may_be_special(shp_node *n, shp_dim e) { return lo(n, e) < 0 && shp_dim_any(n->dims, e, is_any, NULL); }

/* Reads the target's sizes, 0 for what is not known, -1 included. *minus is the place of -1, or -1. */
static bool read_target(shp_node *n, const shp_list *l, const shp_shape *x, shp_dim *d, int64_t *minus)
{
    bool allowzero = shp_attr_int(n, "allowzero") == 1;
    *minus = -1;
    for (int64_t i = 0; i < l->count; i++) {
        int64_t v;
        d[i] = shp_list_at(n, l, i);
        if (!d[i] || may_be_special(n, d[i])) {
            d[i] = 0;
        } else if (!is_num(n, d[i], &v)) {
            if (!x || i >= x->rank || x->dim[i] != d[i]) shp_assume(n, d[i], num(n, !allowzero), "reshape");
        } else if (v < -1 || (v == -1 && *minus >= 0)) {
            shp_failf(n, SHP_D_VALUE, "element %d of the target is %d%s", i, v, v == -1 ? " again" : "");
            return false;
        } else if (v == -1) {
            d[*minus = i] = 0;
        } else if (v == 0 && !allowzero) {
            if (x && i >= x->rank) { shp_fail2(n, SHP_D_SHAPE, "the target copies axis %d of %i", i, 0); return false; }
            d[i] = x ? x->dim[i] : 0;
        }
    }
    return true;
}

/* The one size that makes the element counts equal: what -1 stands for. 0 where it cannot be told, or the node has failed.
 * certain: the element may be something else than -1, so the others must not be 0. */
static shp_dim fill(shp_node *n, const shp_shape *x, const shp_list *l, const shp_dim *d, int64_t hole, bool certain)
{
    shp_dim total = shp_numel(n, x), rest = lit(1);
    bool allowzero = shp_attr_int(n, "allowzero") == 1, zero = false;
    int64_t a, b;
    for (int64_t i = 0; i < l->count; i++) {
        if (i == hole) continue;
        if (is(n, d[i], 0)) zero = true;
        else rest = mul(n, rest, d[i]);
        if (lo(n, d[i]) >= 1) continue;
        if (certain && is(n, shp_list_at(n, l, i), 0)) return 0;
        if (certain || (allowzero && !is(n, d[i], 0) && (i >= x->rank || x->dim[i] != d[i]))) shp_assume(n, d[i], lit(1), "reshape");
    }
    if (zero && allowzero && lo(n, total) < 1) {
        total = lit(1);
        for (int32_t k = 0; k < x->rank; k++)
            if (!is(n, x->dim[k], 0)) total = mul(n, total, x->dim[k]);
        if (!is_num(n, total, &a) || !is_num(n, rest, &b)) return 0;
    } else if (zero) rest = lit(0);
    if (is(n, rest, 0)) { shp_failf(n, SHP_D_SHAPE, "-1 can be anything beside a size of 0"); return 0; }
    if (is_num(n, total, &a) && is_num(n, rest, &b) && a % b) {
        shp_fail3(n, SHP_D_SHAPE, "%i has %x elements, no multiple of %x", 0, total, rest);
        return 0;
    }
    shp_dim exact = div_exact(n, total, rest);
    return exact ? exact : floor_div(n, total, rest);
}

/* Both shapes have the same number of elements (R1). Where the others are not 0, that decides the first unnamed size. */
static void same_count(shp_node *n, const shp_shape *x, const shp_dim *d, int64_t count)
{
    shp_dim total = shp_numel(n, x), wanted = shp_product(n, d, (uint32_t)count), rest = lit(1), fresh = 0;
    bool fits = shp_equal(n, total, wanted) || !total || !wanted;
    int32_t at = 0;
    for (; at < x->rank && !fresh; at++) {
        const shp_symbol *s = shp_dim_symbol(n->dims, x->dim[at]);
        if (s && !s->name.len) fresh = x->dim[at];
    }
    for (int32_t k = 0; fresh && k < x->rank; k++)
        if (k != at - 1) rest = mul(n, rest, x->dim[k]);
    if (fits && fresh && lo(n, rest) >= 1) {
        shp_dim q = div_exact(n, wanted, rest);
        fits = !q || shp_equal(n, fresh, q);
    }
    if (!fits) shp_fail3(n, SHP_D_SHAPE, "%i has %x elements, the target %x", 0, total, wanted);
}

/* Reshape: the sizes of the target; 0 copies the input's (unless allowzero), -1 is what is left.
 * A symbolic element is taken as not 0 (assumed, R2d); a value of either sign is neither.
 * ONNX forbids 0 beside -1 under allowzero, but torch writes what becomes that for an empty batch; for an empty input
 * onnxruntime 1.32 takes it, and leaves out the zeros on both sides.
 * Source: ONNX Reshape (1: attribute; 5: input; 14: allowzero). */
void infer_reshape(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "shape", 1);
    shp_dim d[SHP_RANK_MAX];
    int64_t minus, holes = 0, hole = 0;
    if (!l.known || l.count > SHP_RANK_MAX) { shp_out_unknown(n, 0, l.count, SHP_WHY_CONTENT); return; }
    if (!read_target(n, &l, x, d, &minus)) return;
    for (int64_t i = 0; i < l.count; i++)
        if (!d[i]) { hole = i; holes++; }
    if (x && !holes) same_count(n, x, d, l.count);
    if (x && holes == 1) d[hole] = fill(n, x, &l, d, hole, minus < 0);
    shp_out_reshaped(n, l.count, d);
}

/* Flatten: two axes, the products before and after `axis` (which may be the rank, and from 11 on negative).
 * Source: ONNX Flatten. */
void infer_flatten(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t axis = shp_attr_int(n, "axis");
    shp_dim d[2] = { axis ? 0 : lit(1), 0 };
    if (axis < 0 && n->opset < 11) shp_bad_attr(n, "axis", axis);
    if (x) {
        if (axis < -x->rank || axis > x->rank) { shp_fail3(n, SHP_D_AXIS, "axis %d is outside [%d, %d]", axis, -(int64_t)x->rank, x->rank); return; }
        if (axis < 0) axis += x->rank;
        d[0] = shp_product(n, x->dim, (uint32_t)axis);
        d[1] = shp_product(n, x->dim + axis, (uint32_t)(x->rank - axis));
    }
    shp_out_reshaped(n, 2, d);
}

/* Transpose: axis k of the output is axis perm[k] of the input, none of them negative; perm reverses all axes where it is absent.
 * Source: ONNX Transpose; its inference and onnxruntime 1.32 refuse negative axes. */
void infer_transpose(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "perm", 0);
    int64_t perm[SHP_RANK_MAX], rank = x ? x->rank : l.count;
    shp_dim d[SHP_RANK_MAX];
    if (rank < 0 || rank > SHP_RANK_MAX) return;
    if (l.has && l.count != rank) { shp_fail2(n, SHP_D_ATTRIBUTE, "%d entries for %d axes", l.count, rank); return; }
    if (!(l.has ? shp_list_axes(n, &l, rank, perm) : x != NULL) || !x) { shp_out_unknown(n, 0, rank, SHP_WHY_RANK); return; }
    for (int64_t k = 0; k < rank; k++) {
        if (!l.has) perm[k] = rank - 1 - k;
        else if (shp_list_at(n, &l, k) != num(n, perm[k])) shp_note(n, SHP_D_AXIS, "perm counts an axis from the end");
        d[k] = x->dim[perm[k]];
    }
    shp_out(n, 0, rank, d);
    shp_out_mapped(n, 0, &(shp_map){ .perm = perm });
}

/* Squeeze: the named axes, each of size 1 (R1), go away; without axes all that are 1, which takes known sizes.
 * Source: ONNX Squeeze (1: attribute; 13: input). */
void infer_squeeze(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "axes", 1);
    bool gone[SHP_RANK_MAX];
    shp_dim d[SHP_RANK_MAX], one = lit(1);
    uint32_t rank = 0;
    if (!x) return;
    if (!shp_list_axis_set(n, &l, x->rank, gone) && l.has) {
        if (l.count == 1) shp_out_unknown(n, 0, x->rank - 1, SHP_WHY_CONTENT);     /* more may name one twice */
        return;
    }
    for (int32_t k = 0; k < x->rank; k++) {
        bool drop = gone[k];
        if (drop && !shp_want_dim(n, 0, k, one)) return;
        if (l.count <= 0 && !(drop = !l.has && x->dim[k] == one) && shp_dim_eq(n->dims, x->dim[k], one) != 0) {
            shp_out_shape(n, 0, &shp_shape_apart);      /* 1 or not: the rank is open */
            return;
        }
        if (!drop) d[rank++] = x->dim[k];
    }
    shp_out_reshaped(n, rank, d);
}

/* Unsqueeze: an axis of size 1 at each of `axes`, which are axes of the output.
 * Source: ONNX Unsqueeze (1: attribute; 13: input). */
void infer_unsqueeze(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, n->opset < 13 ? "axes" : NULL, 1);      /* a scalar will do */
    int64_t axes[SHP_RANK_MAX];
    shp_dim d[SHP_RANK_MAX];
    if (!x || l.count < 0) return;
    int64_t rank = x->rank + l.count;
    if (rank > SHP_RANK_MAX) { shp_out_unknown(n, 0, rank, SHP_WHY_RANK); return; }
    memset(d, 0, (size_t)rank * sizeof *d);
    if (!shp_list_axes(n, &l, rank, axes)) { shp_out_unknown(n, 0, rank, SHP_WHY_CONTENT); return; }
    for (int64_t i = 0; i < l.count; i++) d[axes[i]] = lit(1);
    for (int64_t k = 0, from = 0; k < rank; k++)
        if (!d[k]) d[k] = x->dim[from++];
    shp_out_reshaped(n, rank, d);
}

/* ---- repeating ---- */

/* Expand: input and target broadcast against each other.
 * Source: ONNX Expand-8. */
void infer_expand(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, NULL, 1);
    shp_want_rank(n, 1, 1, 1);
    if (n->failed || l.count > SHP_RANK_MAX) { shp_out_unknown(n, 0, l.count, SHP_WHY_RANK); return; }
    if (!x || l.count < 0) return;
    int64_t rank = l.count > x->rank ? l.count : x->rank, lead = rank - x->rank, skip = rank - l.count, v;
    shp_dim d[SHP_RANK_MAX], one = lit(1);
    for (int64_t k = 0; k < rank; k++) {
        shp_dim a = k < lead ? one : x->dim[k - lead], t = k < skip ? one : shp_list_at(n, &l, k - skip);
        if (is_num(n, t, &v) && v < 0) shp_fail2(n, SHP_D_VALUE, "element %d of the target is %d", k - skip, v);
        d[k] = t || a == one ? shp_broadcast(n, 0, 1, a, t) : shp_is_num(n, a) ? a : 0;
    }
    if (n->failed) return;
    shp_out(n, 0, rank, d);
    shp_out_mapped(n, 0, &(shp_map){ 0 });
    const shp_content *c = shp_in_worth(n, 0);
    if (c && c->count == 1) shp_out_bounds(n, 0, c->elem[0], c->elem[0]);
}

/* Tile: each axis is repeated as often as its element of `repeats` says; below 6 one axis is, `tiles` times.
 * Source: ONNX Tile (1, 6). */
void infer_tile(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, NULL, 1), al = shp_list_of(n, NULL, 2);
    shp_dim d[SHP_RANK_MAX];
    int64_t axis = -1, v;
    if (n->opset >= 6) shp_want_rank(n, 1, 1, 1);
    if (!x) {
        if (n->opset >= 6) shp_out_unknown(n, 0, l.count, SHP_WHY_RANK);
        return;
    }
    if (n->opset < 6) {
        if (!is_num(n, shp_list_at(n, &al, 0), &axis)) { shp_out_unknown(n, 0, x->rank, SHP_WHY_CONTENT); return; }
        axis = shp_axis(n, axis, x->rank);
    } else if (l.count >= 0 && l.count != x->rank) shp_fail2(n, SHP_D_SHAPE, "%d entries for %d axes", l.count, x->rank);
    for (int32_t k = 0; k < x->rank; k++) {
        shp_dim repeat = axis < 0 ? shp_list_at(n, &l, k) : k == axis ? shp_list_at(n, &l, 0) : lit(1);
        if (is_num(n, repeat, &v) && v < 0) shp_fail2(n, SHP_D_VALUE, "repeats axis %d %d times", k, v);
        d[k] = mul(n, x->dim[k], repeat);
    }
    shp_out(n, 0, x->rank, d);
    shp_out_mapped(n, 0, &(shp_map){ 0 });
}

/* ---- joining and cutting ---- */

/* Concat: sizes along `axis` add up, all others are equal (R1), which is assumed where they may be others: those of an empty input are, as
 * onnxruntime takes it, for what strides cut from a single row or column is empty.
 * Source: ONNX Concat (1: axis is 1 where absent; 4: required; 11: may be negative), onnxruntime 1.32. */
void infer_concat(shp_node *n)
{
    uint32_t inputs = shp_inputs(n), first = 0;
    shp_dim d[SHP_RANK_MAX], sum = lit(0);
    int64_t axis = 0;
    int32_t rank = -1;
    bool bare = true, odd = false;                  /* all so far are empty: no size but the axis' is decided; the sizes are not all inputs' */
    shp_piece *piece = shp_items(n, inputs + 1, sizeof *piece);
    for (uint32_t i = 0; i < inputs; i++) {
        const shp_shape *s = shp_in_shape(n, i);
        if (s && rank < 0) {
            rank = s->rank;
            axis = shp_axis(n, shp_attr_int_or(n, "axis", 1), rank);
            memcpy(d, s->dim, (size_t)rank * sizeof *d);
            first = i;
        } else if (s && rank != s->rank) shp_fail2(n, SHP_D_RANK, "%i and %i differ in rank", first, i);
        if (n->failed) return;
        sum = s ? add(n, sum, s->dim[axis]) : 0;
        bool empty = !s || is(n, shp_numel(n, s), 0);
        odd |= !s;
        for (int32_t k = 0; s && k < rank; k++) {
            shp_dim a = d[k], b = s->dim[k];
            bool differ = shp_is_num(n, a) && shp_is_num(n, b) && a != b;
            if (k == axis || (differ && empty)) continue;
            if (differ && bare) d[k] = b, first = i, odd = true;
            else if (!(d[k] = shp_want_dim(n, i, k, a))) return;
            if (differ || a == b) continue;
            shp_assume(n, a, b, "concat");
            shp_assume(n, b, a, "concat");
        }
        bare &= empty;
    }
    if (rank < 0) return;
    for (int32_t k = 0; bare && !sum && k < rank; k++) d[k] = 0;       /* what is not known yet decides them */
    if (odd && !bare) shp_at_least(n, shp_numel(n, shp_in_shape(n, first)), 1, "concat");
    d[axis] = sum;
    shp_out(n, 0, rank, d);
    if (!piece || !shp_is_num(n, sum)) return;
    for (uint32_t i = 0; i < inputs; i++) piece[i] = (shp_piece){ shp_in_content(n, i), shp_count(n, shp_in_shape(n, i)) };
    shp_out_joined(n, 0, axis, piece, inputs);
}

/* Equal parts; with num_outputs (18) the last may be smaller. */
static bool split_equal(shp_node *n, shp_dim whole, int64_t parts, bool uneven, shp_dim *part)
{
    shp_dim count = num(n, parts), chunk = div_exact(n, whole, count), last = chunk;
    int64_t v;
    if (!chunk && uneven) {
        chunk = ceil_div(n, whole, count);
        last = parts == 2 ? floor_div(n, whole, count) : sub(n, whole, mul(n, chunk, num(n, parts - 1)));
    } else if (!chunk) chunk = last = shp_is_num(n, whole) ? lit(-1) : floor_div(n, whole, count);
    if (is_num(n, last, &v) && v < 0) { shp_fail2(n, SHP_D_SHAPE, "axis of %x cannot be cut into %d parts", whole, parts); return false; }
    for (int64_t i = 0; i < (int64_t)n->nout; i++) part[i] = i < parts - 1 ? chunk : last;
    return true;
}

/* Split: parts along `axis`, of the sizes that `split` lists, else equal.
 * Source: ONNX Split (1: attribute or input; 2: attribute; 13: input; 18: num_outputs). */
void infer_split(shp_node *n)
{
    static const shp_elem none;
    int64_t v, outputs = n->proto->outputs, first[SHP_RANK_MAX];
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, "split", 1);
    shp_dim *part = shp_items(n, n->nout, sizeof *part);
    bool uneven = shp_attr_has(n, "num_outputs");
    if (axis < 0 || !part) return;
    if (n->opset >= 18 && uneven == l.has) shp_note(n, SHP_D_ATTRIBUTE, "wants either split or num_outputs");
    if ((uneven && shp_attr_int(n, "num_outputs") != outputs) || (l.count >= 0 && l.count != outputs)) {
        shp_fail2(n, l.has ? SHP_D_SHAPE : SHP_D_ATTRIBUTE, "%d sizes for %d outputs", l.has ? l.count : shp_attr_int(n, "num_outputs"), outputs);
        return;
    }
    if (l.has ? !shp_part_sizes(n, &l, n->nout, x->dim[axis], part) : !split_equal(n, x->dim[axis], outputs, uneven, part)) return;
    bool move = true;
    memset(first, 0, (size_t)x->rank * sizeof *first);
    for (uint32_t o = 0; o < n->nout; o++) {
        shp_out_resized(n, o, x, axis, part[o]);
        move = move && is_num(n, part[o], &v) && v <= SHP_ELEMENTS_MAX;
        if (!move) continue;
        shp_out_mapped(n, o, &(shp_map){ .first = first, .fill = &none });
        first[axis] += v;
    }
}

/* ---- padding ---- */

/* v of the input's element type. */
static shp_elem padding(shp_node *n, double v)
{
    return shp_dtype_kind(shp_in_dtype(n, 0)) == 'F' ? shp_elem_real(v) : shp_elem_int(n, 0);
}

/* Pad: each axis grows by what is put before and after it (negative: shrinks).
 * Source: ONNX Pad (1: paddings; 2: pads; 11: an input; 18: axes). */
void infer_pad(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list l = shp_list_of(n, n->opset < 2 ? "paddings" : "pads", 1), al = shp_list_of(n, NULL, n->opset < 18 ? 0 : 3);
    int64_t axes[SHP_RANK_MAX], first[SHP_RANK_MAX], v = 0;
    shp_dim d[SHP_RANK_MAX];
    if (!x) {
        if (!al.has && l.count % 2 == 0) shp_out_unknown(n, 0, l.count / 2, SHP_WHY_RANK);
        return;
    }
    int64_t count = al.has ? al.count : x->rank;
    if (count >= 0 && l.count >= 0 && l.count != 2 * count) { shp_fail2(n, SHP_D_SHAPE, "%d pads, %d expected", l.count, 2 * count); return; }
    if (!shp_list_axes_or_all(n, &al, x->rank, axes)) { shp_out_unknown(n, 0, x->rank, SHP_WHY_CONTENT); return; }
    bool move = shp_str_is(shp_attr_str(n, "mode"), "constant");
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    memset(first, 0, (size_t)x->rank * sizeof *first);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = axes[i];
        shp_dim begin = shp_list_at(n, &l, i);
        d[k] = add(n, d[k], add(n, begin, shp_list_at(n, &l, count + i)));
        move = move && is_num(n, begin, &v);
        first[k] = (int64_t)(0 - (uint64_t)v);
    }
    shp_out(n, 0, x->rank, d);
    const shp_content *value = !move || n->opset < 11 ? NULL : shp_in_content(n, 2);
    shp_elem e = { 0 };
    if (value && value->count == 1) e = value->elem[0];
    else if (n->opset < 11 || !shp_has(n, 2)) e = padding(n, shp_attr_float_or(n, "value", 0));
    if (move) shp_out_mapped(n, 0, &(shp_map){ .first = first, .fill = &e });
}

/* ---- blocks, and what keeps its shape ---- */

/* Both ways between depth and space, four axes. DepthToSpace (1): [N, C/(b*b), H*b, W*b]; SpaceToDepth: [N, C*b*b, H/b, W/b]; with 2 more channels
 * come last. Source: ONNX DepthToSpace-1, SpaceToDepth-1. */
void infer_blocks(shp_node *n)
{
    int channel = shp_variant(n) & 2 ? 3 : 1;
    bool to_space = shp_variant(n) & 1;
    const shp_shape *x = shp_want_rank(n, 0, 4, 4);
    int64_t b = shp_positive(n, "blocksize", 0);
    shp_dim d[4] = { 0 };
    if (n->failed) return;
    for (int k = 0; x && k < 4; k++) {
        int64_t by = k == channel ? b * b : b;
        d[k] = !k ? x->dim[0] : (k == channel) == to_space ? shp_whole_div(n, x->dim[k], by) : mul(n, x->dim[k], num(n, by));
    }
    shp_out(n, 0, 4, d);
}

/* ReverseSequence: the input's shape; as many lengths as the batch has, and of each item so many are turned round. Source: ONNX ReverseSequence-10. */
void infer_reverse_sequence(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    int64_t batch = shp_attr_int(n, "batch_axis"), time = shp_attr_int(n, "time_axis");
    if ((batch != 0 && batch != 1) || time != 1 - batch) {
        shp_fail2(n, SHP_D_ATTRIBUTE, "batch_axis %d and time_axis %d must be 0 and 1", batch, time);
        return;
    }
    shp_want_vector(n, 1, x ? x->dim[batch] : 0);
    const shp_content *c = shp_in_content(n, 0), *length = shp_in_content(n, 1);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], v;
    shp_out_same(n, 0, 0);
    bool whole = c && length && shp_sizes(n, x, size, stride) && length->count == size[batch];
    shp_content *out = whole ? shp_content_new(n, c->count) : NULL;
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        int64_t at = p / stride[time] % size[time];
        if (!is_num(n, shp_elem_whole(length->elem[p / stride[batch] % size[batch]]), &v) || v > size[time]) continue;
        out->elem[p] = c->elem[at < v ? p + (v - 1 - 2 * at) * stride[time] : p];
    }
    shp_out_content(n, 0, out);
}

/* Trilu: the input's shape; what is beyond the diagonal is 0. Source: ONNX Trilu-14. */
void infer_trilu(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    const shp_content *c = shp_in_content(n, 0);
    int64_t size[SHP_RANK_MAX], k = 0;
    shp_out_same(n, 0, 0);
    if (!c || !shp_sizes(n, x, size, NULL) || (shp_has(n, 1) && !shp_in_int(n, 1, &k))) return;
    bool upper = shp_attr_int(n, "upper") != 0;
    shp_content *out = shp_content_new(n, c->count);
    for (int64_t p = 0; out && p < (int64_t)c->count; p++) {
        int64_t width = size[x->rank - 1], beyond = p % width - p / width % size[x->rank - 2];
        out->elem[p] = (upper ? beyond >= k : beyond <= k) ? c->elem[p] : padding(n, 0);
    }
    shp_out_content(n, 0, out);
}
