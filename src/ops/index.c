#include "index.h"

#include <string.h>

void shp_view_axis(shp_view *v, int64_t size, int64_t stride)
{
    if (size == 1 || v->count <= 0) return;
    if (size < 0 || size > SHP_ELEMENTS_MAX || v->count * size > SHP_ELEMENTS_MAX) {
        v->count = -1;
        return;
    }
    v->count *= size;
    if (!size) return;
    v->size[v->axes] = size;
    v->stride[v->axes++] = stride;
}

const shp_content *shp_view_content(shp_node *n, const shp_view *v, const shp_content *c)
{
    shp_content *out = c && v->count >= 0 ? shp_content_new(n, (uint64_t)v->count) : NULL;
    for (int64_t p = 0; out && p < v->count; p++) {
        int64_t at = v->base + shp_offset(p, v->size, v->stride, v->axes);
        if (at >= 0 && at < (int64_t)c->count) out->elem[p] = c->elem[at];
    }
    return out;
}

void shp_view_out(shp_node *n, uint32_t o, const shp_view *v, const shp_content *c)
{
    shp_out_content(n, o, shp_view_content(n, v, c));
}

int64_t shp_count(shp_node *n, const shp_shape *s)
{
    int64_t v;
    return s && is_num(n, shp_numel(n, s), &v) ? v : -1;
}

void shp_out_joined(shp_node *n, uint32_t o, int64_t axis, const shp_piece *piece, uint32_t pieces)
{
    const shp_shape *s = o < n->nout ? n->out[o].shape : NULL;
    int64_t size[SHP_RANK_MAX], outer = 1, at = 0;
    if (!shp_sizes(n, s, size, NULL)) return;
    for (int64_t k = 0; k < axis; k++) outer *= size[k];
    shp_content *out = shp_content_new(n, (uint64_t)shp_count(n, s));
    for (uint32_t i = 0; out && outer && i < pieces; i++) {
        int64_t whole = out->count / outer, block = piece[i].count / outer;
        if (piece[i].count < 0 || block > whole - at) return;
        const shp_content *c = piece[i].content;
        for (int64_t b = 0; c && c->count == piece[i].count && b < outer; b++)
            memcpy(out->elem + b * whole + at, c->elem + b * block, (size_t)block * sizeof *c->elem);
        at += block;
    }
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

void shp_out_elements(shp_node *n, uint32_t o, uint32_t i)
{
    shp_out_content(n, o, shp_in_content(n, i));
}

shp_list shp_list_of(shp_node *n, const char *attr, uint32_t i)
{
    shp_list l = { .count = -1 };
    if (attr && shp_attr_has(n, attr)) {
        uint32_t count;
        l.ints = shp_attr_ints(n, attr, &count);
        l.has = true;
        l.known = l.ints != NULL;
        l.count = l.ints ? (int64_t)count : -1;
    } else if (i && shp_has(n, i)) {
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
    if (e.den == -1 && e.real >= -0x1p53 && e.real <= 0x1p53 && (double)(int64_t)e.real == e.real) return num(n, (int64_t)e.real);
    return e.den == 1 ? e.num : 0;
}

bool shp_list_ints(shp_node *n, const shp_list *l, int64_t *out)
{
    if (!l->known || l->count > SHP_RANK_MAX)
        return false;
    for (int64_t i = 0; i < l->count; i++)
        if (!is_num(n, shp_list_at(n, l, i), &out[i]))
            return false;
    return true;
}

bool shp_list_axes(shp_node *n, const shp_list *l, int64_t rank, int64_t *out)
{
    bool set[SHP_RANK_MAX] = { false };
    if (!shp_list_ints(n, l, out))
        return false;
    for (int64_t i = 0; i < l->count; i++) {
        if ((out[i] = shp_axis(n, out[i], rank)) < 0)
            return false;
        if (set[out[i]]) {
            shp_fail(n, SHP_D_AXIS, "axis %d is named twice", out[i]);
            return false;
        }
        set[out[i]] = true;
    }
    return true;
}

int shp_out_unknown(shp_node *n, uint32_t o, int64_t rank, shp_why why)
{
    shp_dim d[SHP_RANK_MAX];
    if (rank < 0)
        return SHP_OK;
    for (int64_t k = 0; k < rank && k < SHP_RANK_MAX; k++)
        d[k] = shp_fresh(n, o, (uint32_t)k, why);
    return shp_out(n, o, rank, d);
}

bool shp_same_dim(shp_node *n, shp_dim *dim, shp_dim other, const char *what)
{
    if (!*dim || !other)
        return true;                /* one failed earlier or is not known: nothing to compare */
    shp_dim d = shp_equal(n, *dim, other);
    if (!d) {
        shp_fail(n, SHP_D_SHAPE, "%s: %x and %x differ", what, *dim, other);
        return false;
    }
    *dim = d;
    return true;
}
