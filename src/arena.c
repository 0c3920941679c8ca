#include "arena.h"

#include <string.h>

enum { ALIGN = 8, SMALLEST_BLOCK = 64 << 10, LARGEST_BLOCK = 4 << 20 };

void shp_arena_init(shp_arena *a, size_t limit, shp_grow *grow, void *host)
{
    *a = (shp_arena){ .limit = limit, .grow = grow, .host = host };
}

/* A block that has room for size bytes, or continues the last one: an eighth of what there is, as a host may have to clear it. */
static bool add_block(shp_arena *a, size_t size)
{
    size_t left = (a->limit - a->used) & ~(size_t)(ALIGN - 1), block = a->used / 8 & ~(size_t)(ALIGN - 1);
    if (block < SMALLEST_BLOCK) block = SMALLEST_BLOCK;
    if (block > LARGEST_BLOCK) block = LARGEST_BLOCK;
    if (block < size) block = size;
    if (block > left) block = left;                 /* the last bytes below the limit still count */
    uint8_t *fresh = block < size ? NULL : a->grow(a->host, block);
    if (!fresh && block > size) fresh = a->grow(a->host, block = size);
    if (!fresh) return false;
    if (fresh != a->end) a->at = fresh;
    a->end = fresh + block;
    a->used += block;
    return true;
}

void *shp_alloc(shp_arena *a, size_t size)
{
    size_t rounded = (size + (ALIGN - 1)) & ~(size_t)(ALIGN - 1);
    if (a->failed || size > a->limit || ((!a->at || rounded > (size_t)(a->end - a->at)) && !add_block(a, rounded))) {
        a->failed = true;
        return NULL;
    }
    void *p = a->at;
    a->at += rounded;
    return p;
}

void *shp_alloc_array(shp_arena *a, size_t count, size_t size)
{
    if (size && count > a->limit / size) { a->failed = true; return NULL; }
    return shp_alloc(a, count * size);
}

void *shp_grow_array(shp_arena *a, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return items;
    size_t room = *capacity < 8 ? 8 : *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    void *more = shp_alloc_array(a, room, size);
    if (!more) return NULL;
    if (count) memcpy(more, items, count * size);
    *capacity = room;
    return more;
}

/* Where the key stands, or belongs. */
static inline struct shp_entry *place(const shp_dict *d, uint64_t key)
{
    uint32_t at = (uint32_t)shp_mix(key, 1) & (d->room - 1);
    while (d->at[at].key && d->at[at].key != key) at = (at + 1) & (d->room - 1);
    return &d->at[at];
}

uint32_t *shp_dict_find(const shp_dict *d, uint64_t key)
{
    struct shp_entry *e = d->room ? place(d, key) : NULL;
    return e && e->key ? &e->value : NULL;
}

uint32_t *shp_dict_add(shp_arena *a, shp_dict *d, uint64_t key)
{
    if (d->used * 2 >= d->room) {
        shp_dict more = { .room = d->room ? d->room * 2 : 256, .used = d->used };
        if (!(more.at = shp_alloc_array(a, more.room, sizeof *more.at))) return NULL;
        for (uint32_t i = 0; i < d->room; i++)
            if (d->at[i].key) *place(&more, d->at[i].key) = d->at[i];
        *d = more;
    }
    struct shp_entry *e = place(d, key);
    d->used += !e->key;
    e->key = key;
    return &e->value;
}

bool shp_str_eq(shp_str a, shp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool shp_str_starts(shp_str *s, const char *prefix)
{
    size_t len = strlen(prefix);
    if (s->len < len || memcmp(s->at, prefix, len) != 0) return false;
    *s = (shp_str){ s->at + len, s->len - (uint32_t)len };
    return true;
}

bool shp_str_is(shp_str a, const char *text)
{
    return a.len == strlen(text) && (a.len == 0 || memcmp(a.at, text, a.len) == 0);
}

char *shp_put_text(char *to, const char *text)
{
    size_t len = strlen(text);
    memcpy(to, text, len);
    return to + len;
}

char *shp_put_number(char *to, uint64_t value)
{
    char digits[SHP_DIGITS];
    unsigned n = 0;
    do digits[n++] = (char)('0' + value % 10); while (value /= 10);
    while (n) *to++ = digits[--n];
    return to;
}

char *shp_put_int(char *to, int64_t value)
{
    if (value < 0) *to++ = '-';
    return shp_put_number(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

uint64_t shp_hash(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *p = bytes, *end = p + size;
    uint64_t h = shp_mix(seed, size), word = 0;
    for (; end - p > 8; p += 8) {
        memcpy(&word, p, 8);
        h = shp_mix(h, word);
    }
    if (size >= 8) memcpy(&word, end - 8, 8);
    else while (p < end) word = word << 8 | *p++;
    return shp_mix(h, word);
}
