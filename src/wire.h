/* wire - protobuf's wire format: a cursor over bytes in memory. Knows no schema.
 *
 * A sub-message is a smaller cursor. The first error sticks, and a failed cursor is empty, so loops end:
 *
 *     shp_field f;
 *     while (shp_next(&w, &f))
 *         switch (f.key) {
 *         case SHP_KEY(1, SHP_VARINT): version = (int64_t)f.value; break;
 *         case SHP_KEY(7, SHP_LEN):    graph = f.sub; break;
 *         }
 *     if (w.failed) …
 *
 * Fields that the switch does not name are stepped over; groups with all that is in them, unseen.
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef SHP_WIRE_H
#define SHP_WIRE_H

#include "arena.h"

typedef struct shp_wire {
    const uint8_t *at, *end;
    bool failed;                    /* malformed: then at == end */
} shp_wire;

enum { SHP_VARINT = 0, SHP_FIXED64 = 1, SHP_LEN = 2, SHP_GROUP = 3, SHP_GROUP_END = 4, SHP_FIXED32 = 5 };

/* A field's number and wire type, as one number to switch on. */
#define SHP_KEY(number, wire_type) ((uint32_t)(number) << 3 | (uint32_t)(wire_type))

typedef struct shp_field {
    uint32_t key;
    uint64_t value;                 /* of a varint, fixed32 or fixed64; else 0 */
    shp_wire sub;                   /* content of a length-delimited field, as a message and as a text; else empty */
    shp_str text;
} shp_field;

/* A cursor over `size` bytes. */
static inline shp_wire shp_wire_of(const uint8_t *bytes, size_t size) { return (shp_wire){ bytes, size ? bytes + size : bytes, false }; }
/* Reads the next field. false at the end of the message, or where it is malformed. */
bool shp_next(shp_wire *w, shp_field *f);
/* The same for a text or message as most are: its tag one byte, its length five at most. false: it is another field, or none; ask
 * shp_next. */
static inline bool shp_next_len(shp_wire *w, uint32_t *key, shp_str *text)
{
    const uint8_t *p = w->at, *end = w->end;
    if (end - p < 2 || (p[0] - SHP_KEY(1, SHP_LEN)) & 0x87) return false;       /* not one of the keys 10, 18, ... 122 */
    *key = *p++;
    uint32_t len = *p++;
    if (len >= 0x80) {
        len &= 0x7f;
        for (unsigned shift = 7; ; shift += 7) {
            if (p == end || (shift == 28 && *p >= 0x10)) return false;
            len |= (uint32_t)(*p & 0x7f) << shift;
            if (*p++ < 0x80) break;
        }
    }
    if (len > (size_t)(end - p)) return false;
    *text = (shp_str){ (const char *)p, len };
    w->at = p + len;
    return true;
}
/* Reads a varint; its bits beyond 64 are dropped. 0 where the message ends before it does. */
uint64_t shp_varint(shp_wire *w);

/* Little-endian numbers in memory, as packed fields and raw_data hold them. */
uint64_t shp_little(const uint8_t *p, unsigned bytes);
float shp_float32(uint32_t bits);
double shp_float64(uint64_t bits);

/* Where a reader is: a chain from the innermost field outward, on the reader's stack. */
typedef struct shp_path {
    const struct shp_path *up;      /* NULL at the top */
    const char *name;               /* of the field; NULL: known by its number only */
    uint32_t index;                 /* which of a repeated field; UINT32_MAX for a singular one; the number where name is NULL */
} shp_path;

/* The chain as text, "graph.node[12].attribute[0]", the middle of a long one left out. In the arena; "" where that is full. */
const char *shp_path_text(shp_arena *a, const shp_path *leaf);

#endif
