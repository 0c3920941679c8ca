#include "wire.h"

#include <string.h>

enum { PATH_ENDS = 6 };             /* fields kept at either end of a long path */

static bool fail(shp_wire *w)
{
    w->failed = true;
    w->at = w->end;
    return false;
}

/* NULL where the message ends before the varint does. */
static inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; p < end && shift < 70; shift += 7) {
        value |= (uint64_t)(*p & 0x7f) << shift;
        if (*p++ >= 0x80) continue;
        *out = value;
        return p;
    }
    return NULL;
}

uint64_t shp_varint(shp_wire *w)
{
    uint64_t value = 0;
    const uint8_t *p = varint(w->at, w->end, &value);
    if (p) w->at = p;
    else fail(w);
    return value;
}

uint64_t shp_little(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

bool shp_next(shp_wire *w, shp_field *f)
{
    uint64_t open = 0;              /* groups entered: counted, so that none is recursion */
    const uint8_t *p = w->at;
    if (shp_next_len(w, &f->key, &f->text)) {
        f->value = 0;
        f->sub = (shp_wire){ (const uint8_t *)f->text.at, w->at, false };
        return true;
    }
    do {
        uint64_t key = 0, len = 0;
        if (p == w->end) return open ? fail(w) : false;
        if (!(p = varint(p, w->end, &key))) return fail(w);
        if (key < SHP_KEY(1, 0) || key > UINT32_MAX) return fail(w);
        f->key = (uint32_t)key;
        f->value = 0;
        switch (key & 7) {
        case SHP_LEN:       p = varint(p, w->end, &len); break;
        case SHP_VARINT:    p = varint(p, w->end, &f->value); break;
        case SHP_FIXED64:   len = 8; break;
        case SHP_FIXED32:   len = 4; break;
        case SHP_GROUP:     open++; break;
        case SHP_GROUP_END: if (open--) break; return fail(w);
        default:            return fail(w);
        }
        if (!p || len > (uint64_t)(w->end - p)) return fail(w);
        if (key & 1) f->value |= shp_little(p, (unsigned)len);      /* fixed32, fixed64; a group has none */
        f->sub = (shp_wire){ p, p + (size_t)len, false };
        f->text = (shp_str){ (const char *)p, len < UINT32_MAX ? (uint32_t)len : UINT32_MAX };
        p = f->sub.end;
    } while (open);
    w->at = p;
    return true;
}

float shp_float32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

double shp_float64(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* ---- paths ---- */
const char *shp_path_text(shp_arena *a, const shp_path *leaf)
{
    const shp_path *part[2 * PATH_ENDS];            /* the innermost fields from the front, the outermost as a ring behind */
    size_t depth = 0, size = 8;
    for (const shp_path *p = leaf; p; p = p->up, depth++)
        part[depth < PATH_ENDS ? depth : PATH_ENDS + depth % PATH_ENDS] = p;
    size_t shown = depth < 2 * PATH_ENDS ? depth : 2 * PATH_ENDS;
    for (size_t i = 0; i < shown; i++) size += 16 + (part[i]->name ? strlen(part[i]->name) : 0);
    char *text = shp_alloc(a, size), *to = text;
    if (!text) return "";
    for (size_t i = shown; i-- > 0; ) {
        size_t from = i < PATH_ENDS ? i : PATH_ENDS + (depth - shown + i) % PATH_ENDS;
        const shp_path *p = part[from];
        if (to != text) *to++ = '.';
        if (i == PATH_ENDS - 1 && shown < depth) to = shp_put_text(to, "..");
        if (!p->name) *to++ = '#';
        else to = shp_put_text(to, p->name);
        if (!p->name) to = shp_put_number(to, p->index);
        else if (p->index != UINT32_MAX) {
            *to++ = '[';
            to = shp_put_number(to, p->index);
            *to++ = ']';
        }
    }
    *to = 0;
    return text;
}
