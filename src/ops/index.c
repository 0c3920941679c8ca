#include "index.h"

#include <string.h>

const shp_content *shp_mapped(shp_node *n, const shp_shape *to, const shp_map *m)
{
    const shp_shape *x = shp_in_shape(n, m->input);
    const shp_content *c = shp_in_content(n, m->input);
    int64_t size[SHP_RANK_MAX], stride[SHP_RANK_MAX], into[SHP_RANK_MAX];
    if (!c || !shp_sizes(n, x, size, stride) || !shp_sizes(n, to, into, NULL)) return NULL;
    shp_content *out = shp_content_new(n, (uint64_t)shp_count(n, to));
    if (out) out->fixed = c->fixed;
    for (uint32_t p = 0; out && p < out->count; p++) {
        int64_t left = p, at = 0;
        bool inside = true;
        for (int32_t k = to->rank; k-- > 0; left /= into[k]) {
            int32_t j = m->perm ? (int32_t)m->perm[k] : k - to->rank + x->rank + m->shift;
            if (j < 0) break;               /* an axis that repeats all of x */
            if (j >= x->rank) continue;     /* one that repeats each element */
            uint64_t i = (uint64_t)(left % into[k]), all = (uint64_t)size[j];
            if (m->step) i *= (uint64_t)m->step[j];
            if (m->first) i += (uint64_t)m->first[j];
            if (i >= all) inside = inside && !m->fill && all;
            if (inside) at += (int64_t)(i % all) * stride[j];
        }
        out->fixed &= inside;
        if (inside) out->elem[p] = c->elem[at];
        else if (m->fill) out->elem[p] = *m->fill;
    }
    return out;
}

void shp_out_mapped(shp_node *n, uint32_t o, const shp_map *m)
{
    if (o < n->nout) shp_out_content(n, o, shp_mapped(n, n->out[o].shape, m));
    if (!m->fill) shp_out_bounds_of(n, o, 0);
}

void shp_out_joined(shp_node *n, uint32_t o, int64_t axis, const shp_piece *piece, uint32_t pieces)
{
    const shp_shape *s = o < n->nout ? n->out[o].shape : NULL;
    int64_t size[SHP_RANK_MAX], outer = 1, at = 0;
    if (!shp_sizes(n, s, size, NULL)) return;
    for (int64_t k = 0; k < axis; k++) outer *= size[k];
    shp_content *out = shp_content_new(n, (uint64_t)shp_count(n, s));
    bool fixed = true;
    for (uint32_t i = 0; out && outer && i < pieces; i++) {
        int64_t whole = out->count / outer, block = piece[i].count / outer;
        if (piece[i].count < 0 || block > whole - at) return;
        const shp_content *c = piece[i].content;
        bool known = c && c->count == piece[i].count;
        fixed &= known && c->fixed;
        for (int64_t b = 0; known && b < outer; b++)
            memcpy(out->elem + b * whole + at, c->elem + b * block, (size_t)block * sizeof *c->elem);
        at += block;
    }
    if (out) out->fixed = fixed && at * outer == out->count;
    shp_out_content(n, o, out);
}

bool shp_sizes(shp_node *n, const shp_shape *s, int64_t *size, int64_t *stride)
{
    int64_t count = 1;
    for (int32_t k = s ? s->rank : 0; k-- > 0;) {
        int64_t v;
        if (!is_num(n, s->dim[k], &v) || v < 0 || v > SHP_ELEMENTS_MAX)
            return false;
        if (size)
            size[k] = v;
        if (stride)
            stride[k] = count;
        if ((count *= v) > SHP_ELEMENTS_MAX)
            return false;
    }
    return s != NULL;
}

int64_t shp_offset(int64_t p, const int64_t *size, const int64_t *stride, int32_t rank)
{
    int64_t at = 0;
    for (int32_t k = rank; k-- > 0 && p; p /= size[k])
        at += p % size[k] * stride[k];
    return at;
}

void shp_out_reshaped(shp_node *n, int64_t rank, const shp_dim *dim)
{
    shp_out(n, 0, rank, dim);
    if (!n->failed) shp_out_content(n, 0, shp_in_content(n, 0));
    shp_out_bounds_of(n, 0, 0);
}

shp_list shp_list_of(shp_node *n, const char *attr, uint32_t i)
{
    shp_list l = { .count = -1 };
    const shp_attr *a = attr ? shp_attr_get(n, attr) : NULL;
    if (a) {
        l.ints = a->ints;
        l.has = true;
        l.known = a->ints || !a->count;
        l.count = a->count;
    } else if (i && shp_has(n, i)) {
        if (attr) shp_want_rank(n, i, 1, 1);
        l.content = shp_in_content(n, i);
        l.has = true;
        l.known = l.content != NULL;
        l.count = l.content ? (int64_t)l.content->count : shp_in_length(n, i);
    }
    return l;
}

shp_dim shp_list_at(shp_node *n, const shp_list *l, int64_t i)
{
    if (!l->known || i >= l->count) return 0;
    if (l->ints) return num(n, l->ints[i]);
    shp_elem e = l->content->elem[i];
    double v = shp_elem_is_real(e) ? shp_elem_value(e) : 0.5;
    return v >= -0x1p53 && v <= 0x1p53 && (double)(int64_t)v == v ? num(n, (int64_t)v) : shp_elem_whole(e);
}

/* Axes as a set, and where they are wanted as a list, too, which has each once. */
static bool read_axes(shp_node *n, const shp_list *l, int64_t rank, bool *set, int64_t *out)
{
    memset(set, 0, (size_t)rank * sizeof *set);
    for (int64_t i = 0, v, k; i < l->count; i++) {
        if (!is_num(n, shp_list_at(n, l, i), &v) || (k = shp_axis(n, v, rank)) < 0) return false;
        if (out && set[k]) shp_fail1(n, SHP_D_AXIS, "axis %d is named twice", v);
        if (n->failed) return false;
        if (out) out[i] = k;
        set[k] = true;
    }
    return l->known;
}

bool shp_list_axes(shp_node *n, const shp_list *l, int64_t rank, int64_t *out)
{
    bool set[SHP_RANK_MAX];
    return l->count <= SHP_RANK_MAX && read_axes(n, l, rank, set, out);
}

bool shp_list_axis_set(shp_node *n, const shp_list *l, int64_t rank, bool *set) { return read_axes(n, l, rank, set, NULL); }

bool shp_list_axes_or_all(shp_node *n, shp_list *l, int64_t rank, int64_t *out)
{
    if (l->has) return shp_list_axes(n, l, rank, out);
    l->count = rank;
    for (int64_t k = 0; k < rank; k++) out[k] = k;
    return true;
}

bool shp_part_sizes(shp_node *n, const shp_list *l, int64_t count, shp_dim whole, shp_dim *part)
{
    shp_dim sum = lit(0), *open = &sum;
    int64_t v;
    for (int64_t i = 0; i < count; i++) {
        part[i] = shp_list_at(n, l, i);
        if (is_num(n, part[i], &v) && v < 0) { shp_fail2(n, SHP_D_VALUE, "size %d is %d", i, v); return false; }
        const shp_symbol *s = part[i] ? shp_dim_symbol(n->dims, part[i]) : NULL;
        if (s && !s->name.len) open = &part[i];
        sum = add(n, sum, part[i]);
    }
    if (!sum || !whole) return true;            /* one is not known: nothing to compare */
    shp_dim all = shp_equal(n, *open, add(n, sub(n, whole, sum), *open));
    if (!all) { shp_fail2(n, SHP_D_SHAPE, "the sizes add up to %x, not %x", sum, whole); return false; }
    *open = all;
    return true;
}

int32_t shp_along(shp_node *n, const char *name, int64_t otherwise)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    return x ? (int32_t)shp_axis(n, shp_attr_int_or(n, name, otherwise), x->rank) : -1;
}

shp_shape *shp_spliced(shp_node *n, const shp_shape *x, int32_t from, int32_t to, const shp_dim *dim, int32_t count)
{
    int32_t rest = x->rank - to;
    shp_shape *s = shp_items(n, 1, sizeof *s + (size_t)(from + count + rest) * sizeof *dim);
    if (!s) return NULL;
    s->rank = from + count + rest;
    memcpy(s->dim, x->dim, (size_t)from * sizeof *dim);
    memcpy(s->dim + from, dim, (size_t)count * sizeof *dim);
    memcpy(s->dim + from + count, x->dim + to, (size_t)rest * sizeof *dim);
    return s;
}

void shp_out_spliced(shp_node *n, uint32_t o, const shp_shape *x, int32_t from, int32_t to, const shp_dim *dim, int32_t count)
{
    const shp_shape *s = shp_spliced(n, x, from, to, dim, count);
    if (s) shp_out(n, o, s->rank, s->dim);
}

shp_shape *shp_copied(shp_node *n, const shp_shape *x) { return x->rank < 0 ? NULL : shp_spliced(n, x, 0, 0, x->dim, 0); }

const shp_content *shp_content_one(shp_node *n, shp_elem e)
{
    shp_content *c = shp_content_new(n, 1);
    if (c) c->elem[0] = e;
    return c;
}

void shp_out_scalar(shp_node *n, shp_dim d)
{
    shp_out(n, 0, 0, NULL);
    shp_out_content(n, 0, shp_content_one(n, shp_elem_dim(d)));
}

void shp_out_vector(shp_node *n, uint32_t o, shp_dim d) { shp_out(n, o, 1, &d); }

void shp_out_matrix(shp_node *n, uint32_t o, shp_dim rows, shp_dim columns)
{
    shp_dim d[2] = { rows, columns };
    shp_out(n, o, 2, d);
}

void shp_out_resized(shp_node *n, uint32_t o, const shp_shape *x, int32_t axis, shp_dim d)
{
    shp_out_spliced(n, o, x, axis, axis + 1, &d, 1);
}

bool shp_same_shape(shp_node *n, uint32_t i, uint32_t j, int64_t beside)
{
    const shp_shape *a = shp_in_shape(n, i), *b = shp_in_shape(n, j);
    if (a && b && a->rank != b->rank) { shp_fail2(n, SHP_D_RANK, "%i and %i differ in rank", i, j); return false; }
    for (int32_t k = 0; a && b && k < a->rank; k++)
        if (k != beside && !shp_equal(n, a->dim[k], b->dim[k])) {
            shp_fail3(n, SHP_D_SHAPE, "%i and %i differ along axis %d", i, j, k);
            return false;
        }
    return true;
}
