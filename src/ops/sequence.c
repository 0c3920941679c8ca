/* sequence - sequences and optionals. The element shape of a sequence holds for every item; a size in it that differs from item to item
 * is an unnamed symbol that merging (or an input) made, and whoever takes an item out gets a symbol of its own for it. */
#include "index.h"
#include "../infer.h"

#include <string.h>

enum { ITEMS_MAX = SHP_SYMBOLS_MAX };   /* most items whose facts are kept */

static bool is_varying(void *arg, const shp_symbol *s)
{
    (void)arg;
    return !s->name.len && (s->origin.why == SHP_WHY_MERGE || s->origin.why == SHP_WHY_INPUT);
}

/* Whether a size of an element shape may differ from item to item. */
static bool varies(shp_node *n, shp_dim d) { return shp_dim_any(n->dims, d, is_varying, NULL); }

const shp_shape *shp_item_shape(shp_node *n, const shp_shape *s, uint32_t o, shp_why why)
{
    shp_shape *item = s && s->rank > 0 ? shp_copied(n, s) : NULL;
    for (int32_t k = 0; item && k < item->rank; k++)
        if (varies(n, item->dim[k])) item->dim[k] = shp_fresh(n, o, (uint32_t)k, why);
    return item ? item : s;
}

/* What both element shapes have in common (shp_shape_none: nothing yet). */
static const shp_shape *merged(shp_node *n, const shp_shape *a, const shp_shape *b)
{
    shp_fact x = { .shape = a }, y = { .shape = b };
    return shp_fact_merge(n, 0, &x, &y).shape;
}

/* The number of items, where it is a number; else -1. */
static int64_t items(shp_node *n, const shp_content *c)
{
    int64_t v;
    return c && is_num(n, c->length, &v) && v >= 0 && v <= UINT32_MAX ? v : -1;
}

/* The length of sequence input i, 0 where it is not known. */
static shp_dim length(shp_node *n, uint32_t i)
{
    const shp_content *c = shp_in_items(n, i);
    return c ? shp_dim_resolve(n->dims, c->length) : 0;
}

/* A sequence of as many parts as an axis of size `whole` has, each of size `part`, the last perhaps smaller. */
static shp_content *parts_content(shp_node *n, shp_dim length, int32_t axis, shp_dim whole, shp_dim part)
{
    shp_content *c = shp_content_new(n, 3);
    if (!c) return shp_content_length(n, length);
    c->length = length;
    c->elem[0] = shp_elem_dim(num(n, axis));
    c->elem[1] = shp_elem_dim(whole);
    c->elem[2] = shp_elem_dim(part);
    return c;
}

/* Whether a content is one of these, and then the axis, and the sizes of the whole and of a part. */
static bool cut_along(shp_node *n, const shp_content *c, int64_t *axis, shp_dim *whole, shp_dim *part)
{
    if (!c || c->item || c->count != 3 || !is_num(n, shp_elem_num(c->elem[0]), axis)) return false;
    *whole = shp_dim_resolve(n->dims, shp_elem_num(c->elem[1]));
    *part = shp_dim_resolve(n->dims, shp_elem_num(c->elem[2]));
    return true;
}

/* Input i as a position among `count`: true where it is a number, *at counted from the front; fails outside [-count, count - 1 + extra]. */
static bool position(shp_node *n, uint32_t i, int64_t count, int64_t extra, int64_t *at)
{
    if (count < 0 || !shp_in_int(n, i, at)) return false;
    if (*at < -count || *at >= count + extra) {
        shp_fail2(n, SHP_D_VALUE, "position %d in a sequence of %d", *at, count);
        return false;
    }
    if (*at < 0) *at += count;
    return true;
}

static void out_sequence(shp_node *n, shp_type element, const shp_shape *shape, const shp_content *c)
{
    if (element) shp_out_type(n, 0, shp_type_make(n->x, SHP_KIND_SEQ, element, 0));
    shp_out_shape(n, 0, shape);
    shp_out_content(n, 0, c);
}

/* ---- making ---- */

/* SequenceConstruct: the inputs as items. Source: ONNX SequenceConstruct-11. */
void infer_sequence_construct(shp_node *n)
{
    uint32_t count = shp_inputs(n);
    const shp_shape *shape = &shp_shape_none;
    shp_type type = 0;
    shp_fact *item = count <= ITEMS_MAX ? shp_items(n, count + 1, sizeof *item) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const shp_fact *f = shp_in(n, i);
        if (!type) type = f->type;
        shape = merged(n, shape, f->shape);
        if (item) item[i] = *f;
    }
    shp_content *c = item ? shp_content_items(n, count) : shp_content_length(n, num(n, count));
    if (c && item) c->item = item;
    out_sequence(n, type, shape, c);
}

/* SequenceEmpty: no items, of type dtype (float where absent). Source: ONNX SequenceEmpty-11. */
void infer_sequence_empty(shp_node *n)
{
    int64_t dtype = shp_attr_int_or(n, "dtype", SHP_FLOAT);
    if (dtype < 1 || dtype >= SHP_DTYPE_COUNT) { shp_fail1(n, SHP_D_ATTRIBUTE, "%d is no element type", dtype); return; }
    out_sequence(n, (shp_type)dtype, &shp_shape_none, shp_content_items(n, 0));
}

/* The sequence with an item more (f) or less (f NULL), at the position that input ip says (the end where absent). */
static void edited(shp_node *n, uint32_t ip, const shp_fact *f)
{
    const shp_fact *q = shp_in(n, 0);
    const shp_content *c = shp_in_items(n, 0);
    shp_type type = shp_type_inner(n->x, q->type);
    int64_t more = f ? 1 : 0, less = 1 - more, count = items(n, c), at = count - less;
    if (f && type && f->type && type != f->type) shp_fail2(n, SHP_D_TYPE, "an item of type %t in a sequence of %t", f->type, type);
    if (less && !count) shp_fail2(n, SHP_D_VALUE, "position %d in a sequence of %d", at, count);
    bool placed = !shp_has(n, ip) || position(n, ip, count, more, &at);
    if (n->failed) return;
    shp_fact *item = c && c->item && placed && count < ITEMS_MAX + less ? shp_items(n, (size_t)count + 1, sizeof *item) : NULL;
    shp_content *out = item ? shp_content_items(n, (uint32_t)(count + more - less)) : shp_content_length(n, add(n, length(n, 0), num(n, more - less)));
    if (item && out) {
        memcpy(item, c->item, (size_t)at * sizeof *item);
        if (f) item[at] = *f;
        memcpy(item + at + more, c->item + at + less, (size_t)(count - at - less) * sizeof *item);
        out->item = item;
    }
    out_sequence(n, type || !f ? type : f->type, f ? merged(n, q->shape, f->shape) : q->shape, out);
}

/* Source: ONNX SequenceInsert-11, SequenceErase-11. */
void infer_sequence_insert(shp_node *n) { edited(n, 2, shp_in(n, 1)); }
void infer_sequence_erase(shp_node *n) { edited(n, 1, NULL); }

/* One item for each part along an axis, with its elements where they are known. */
static shp_content *cut_items(shp_node *n, const shp_shape *x, int32_t axis, bool keep, const shp_dim *part, int64_t parts)
{
    static const shp_elem none;
    int64_t first[SHP_RANK_MAX] = { 0 }, v = 0;
    shp_content *out = shp_content_items(n, (uint32_t)parts);
    shp_fact *item = shp_items(n, (size_t)parts + 1, sizeof *item);
    bool move = true;
    for (int64_t i = 0; item && i < parts; i++) {
        item[i] = (shp_fact){ .type = shp_in_type(n, 0), .shape = shp_spliced(n, x, axis, axis + 1, &part[i], keep), .id = shp_mix(shp_mix(n->id, 0x5711), (uint64_t)i) };
        move = move && is_num(n, part[i], &v) && v <= SHP_ELEMENTS_MAX;
        if (move) item[i].content = shp_mapped(n, shp_spliced(n, x, axis, axis + 1, &part[i], 1), &(shp_map){ .first = first, .fill = &none });
        first[axis] += v;
    }
    if (out && item) out->item = item;
    return out;
}

/* SplitToSequence: parts along `axis`: of size 1 where `split` is absent, of one size (the last perhaps smaller) where it is a scalar, else of
 * the listed sizes. keepdims 0 drops the axis where `split` is absent, or the number 1: the specification ignores it then, but that is how
 * PyTorch writes unbind, and ONNX Runtime drops the axis.
 * Source: ONNX SplitToSequence-11; onnxruntime 1.32. */
void infer_split_to_sequence(shp_node *n)
{
    int64_t total = 0, size = 0, parts = -1;
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0), *s = shp_want_rank(n, 1, 0, 1);
    bool has = shp_has(n, 1), even = !has || (s && !s->rank);
    shp_list l = shp_list_of(n, NULL, 1);
    if (n->failed) return;
    shp_dim whole = x ? x->dim[axis] : 0, k = has ? shp_list_at(n, &l, 0) : lit(1), length = 0, each = 0, *part = NULL;
    bool drop = shp_attr_int(n, "keepdims") == 0, one = even && is(n, k, 1), open = drop && !one && (even ? shp_dim_eq(n->dims, k, lit(1)) != 0 : !s);
    bool keep = !drop || !one;
    if (even) {
        bool number = is_num(n, k, &size);
        if (number && size < 1) { shp_fail1(n, SHP_D_VALUE, "parts of size %d", size); return; }
        length = ceil_div(n, whole, k);
        if (one || (whole && div_exact(n, whole, k))) each = k;
        else if (ge(n, k, whole) == 1) each = whole;
        if (number && is_num(n, whole, &total)) is_num(n, length, &parts);
    } else if (s) {
        length = s->dim[0];
        each = shp_elem_whole(shp_in_value(n, 1));
        if (l.known) parts = l.count;
    }
    if (parts > SHP_ELEMENTS_MAX) parts = -1;
    if (parts >= 0) part = shp_items(n, (size_t)parts + 1, sizeof *part);
    if (part && !even && !shp_part_sizes(n, &l, parts, whole, part)) return;
    for (int64_t i = 0; part && i < parts; i++) {
        if (even) part[i] = num(n, i < parts - 1 ? size : total - i * size);
        else each = i && each != part[i] ? 0 : part[i];
        if (!part[i]) part[i] = shp_fresh(n, 0, (uint32_t)(SHP_RANK_MAX + i), SHP_WHY_CONTENT);
    }
    shp_content *c = x && part && parts <= ITEMS_MAX ? cut_items(n, x, axis, keep, part, parts)
                   : x && even && !each && !open ? parts_content(n, length, axis, whole, k) : shp_content_length(n, length);
    if (!each) each = shp_fresh(n, 0, x ? (uint32_t)axis : 0, SHP_WHY_MERGE);
    out_sequence(n, shp_in_type(n, 0), x && !open ? shp_spliced(n, x, axis, axis + 1, &each, keep) : NULL, c);
}

/* ---- taking apart ---- */

/* SequenceAt: the item where it is known, else what holds for every item. Source: ONNX SequenceAt-11. */
void infer_sequence_at(shp_node *n)
{
    const shp_content *c = shp_in_items(n, 0);
    const shp_shape *s = shp_item_shape(n, shp_in_shape(n, 0), 0, SHP_WHY_DATA);
    int64_t at, axis;
    shp_dim d[SHP_RANK_MAX], whole, part;
    bool placed = position(n, 1, items(n, c), 0, &at);
    if (n->failed) return;
    if (placed && c->item) { shp_out_fact(n, 0, &c->item[at]); return; }
    shp_out_type(n, 0, shp_type_inner(n->x, shp_in_type(n, 0)));
    if (!s) return;
    for (int32_t k = 0; k < s->rank; k++) d[k] = s->dim[k];
    if (cut_along(n, c, &axis, &whole, &part) && shp_in_int(n, 1, &at))
        d[axis] = at >= 0 ? dim_min(n, part, sub(n, whole, mul(n, num(n, at), part))) : at < -1 ? part : sub(n, whole, mul(n, part, sub(n, length(n, 0), lit(1))));
    shp_out(n, 0, s->rank, d);
}

/* SequenceLength: the number of items. Source: ONNX SequenceLength-11. */
void infer_sequence_length(shp_node *n) { shp_out_scalar(n, length(n, 0)); }

/* ConcatFromSequence: the items joined along `axis`, or stacked along a new one. Items agree but for the axis (R1).
 * Source: ONNX ConcatFromSequence-11. */
void infer_concat_from_sequence(shp_node *n)
{
    const shp_content *c = shp_in_items(n, 0);
    const shp_shape *e = shp_in_shape(n, 0);
    bool stack = shp_attr_int(n, "new_axis") != 0, seen = false;
    uint32_t listed = c && c->item ? c->count : 0;
    shp_dim d[SHP_RANK_MAX + 1], many = length(n, 0), sum = lit(0), whole, part;
    shp_out_type(n, 0, shp_type_inner(n->x, shp_in_type(n, 0)));
    if (!e) return;
    int64_t rank = e->rank + stack, axis = shp_axis(n, shp_attr_int(n, "axis"), rank), along;
    if (axis < 0) return;
    for (int32_t k = 0; k < e->rank; k++) d[k] = varies(n, e->dim[k]) ? 0 : e->dim[k];
    if (!listed && !stack) sum = cut_along(n, c, &along, &whole, &part) && along == axis ? whole : mul(n, d[axis], many);
    for (uint32_t i = 0; i < listed; i++) {
        const shp_shape *s = c->item[i].shape;
        if (!s || s->rank < 0) sum = 0;
        else if (s->rank != e->rank) { shp_fail2(n, SHP_D_RANK, "item %d has rank %d", i, s->rank); return; }
        for (int32_t k = 0; s && k < s->rank; k++) {
            if (!stack && k == axis) sum = add(n, sum, s->dim[k]);
            else if (!d[k] && !seen) d[k] = s->dim[k];
            else if (d[k] && !(d[k] = shp_equal(n, d[k], s->dim[k]))) shp_note(n, SHP_D_SHAPE, "items differ along axis %d", (int64_t)k);
        }
        seen = seen || s;
    }
    if (stack) memmove(d + axis + 1, d + axis, (size_t)(e->rank - axis) * sizeof *d);
    d[axis] = stack ? many : sum;
    shp_out(n, 0, rank, d);
    shp_piece *piece = listed ? shp_items(n, listed, sizeof *piece) : NULL;
    if (!piece) return;
    for (uint32_t i = 0; i < listed; i++) piece[i] = (shp_piece){ shp_fact_content(n, &c->item[i]), shp_count(n, c->item[i].shape) };
    shp_out_joined(n, 0, axis, piece, listed);
}

/* ---- optionals: a content of one item, or of none ---- */

/* The shape that a declared type gives its tensors; where it gives none, what merges with any. */
static const shp_shape *declared_shape(shp_node *n, const shp_type_proto *t)
{
    t = shp_declared_tensor(t);
    if (!t || !t->has_shape || t->rank > SHP_RANK_MAX) return &shp_shape_none;
    shp_dim d[SHP_RANK_MAX];
    for (uint32_t k = 0; k < t->rank; k++)
        d[k] = t->dim[k].kind == SHP_DIM_VALUE && t->dim[k].value >= 0 ? num(n, t->dim[k].value) : shp_fresh(n, 0, k, SHP_WHY_INPUT);
    shp_out(n, 0, t->rank, d);
    return n->nout ? n->out[0].shape : NULL;
}

/* Optional: holds the input, or nothing of the type that `type` says. Source: ONNX Optional-15. */
void infer_optional(shp_node *n)
{
    bool full = shp_has(n, 0);
    const shp_fact *f = shp_in(n, 0);
    const shp_attr *a = shp_attr_get(n, "type");
    shp_type type = full ? f->type : a && a->tp ? shp_declared_type(n->x, a->tp) : 0;
    shp_fact *item = shp_items(n, 1, sizeof *item);
    shp_content *c = shp_content_items(n, full);
    if (!full && !a) { shp_fail(n, SHP_D_ATTRIBUTE, "has neither an input nor the attribute type"); return; }
    if (type) shp_out_type(n, 0, shp_type_make(n->x, SHP_KIND_OPT, type, 0));
    if (full && item && c) {
        *item = *f;
        c->item = item;
    }
    shp_out_shape(n, 0, full ? f->shape : declared_shape(n, a->tp));
    shp_out_content(n, 0, c);
}

/* OptionalGetElement: what the optional holds; what is no optional is passed on.
 * Source: ONNX OptionalGetElement (15; 18: tensors and sequences too). */
void infer_optional_get_element(shp_node *n)
{
    const shp_fact *f = shp_in(n, 0);
    const shp_content *c = f->type ? shp_in_items(n, 0) : NULL;
    if (shp_type_kind(n->x, f->type) != SHP_KIND_OPT) { shp_out_fact(n, 0, f); return; }
    if (items(n, c) == 0) { shp_fail(n, SHP_D_VALUE, "the optional is empty"); return; }
    if (c && c->item) { shp_out_fact(n, 0, &c->item[0]); return; }
    shp_out_type(n, 0, shp_type_inner(n->x, f->type));
    shp_out_shape(n, 0, shp_in_shape(n, 0));
}

/* OptionalHasElement: a scalar; true of what is no optional, false of an absent input.
 * Source: ONNX OptionalHasElement (15; 18: tensors, sequences and no input). */
void infer_optional_has_element(shp_node *n)
{
    const shp_fact *f = shp_in(n, 0);
    shp_kind kind = shp_type_kind(n->x, f->type);
    int64_t count = !shp_has(n, 0) ? 0 : kind == SHP_KIND_OPT ? items(n, shp_in_items(n, 0)) : kind == SHP_KIND_UNKNOWN ? -1 : 1;
    shp_out_scalar(n, count < 0 ? 0 : num(n, count));
}
