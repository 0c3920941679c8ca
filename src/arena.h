/* arena - memory of one call, freed all at once.
 *
 * Everything that a call makes lives in one arena. Nothing is freed on its own. An arena has a limit in bytes;
 * once an allocation would pass it (or the host has no more memory) that allocation and all later ones return NULL
 * and `failed` stays set. Constructors above this layer turn NULL into their "unknown" state, so rules need no check;
 * the driver looks at `failed` after each node and stops the call with SHP_E_MEMORY.
 */
#ifndef SHP_ARENA_H
#define SHP_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where blocks come from: at least `size` zeroed bytes, aligned to 16, or NULL. Never given back one by one. */
typedef void *shp_grow(void *host, size_t size);

typedef struct shp_arena {
    uint8_t *at, *end;      /* free part of the current block */
    size_t used, limit;     /* bytes handed out and their limit */
    shp_grow *grow;
    void *host;
    bool failed;            /* an allocation was refused; sticky */
} shp_arena;

/* Prepares an empty arena that takes at most `limit` bytes from `grow`. */
void shp_arena_init(shp_arena *a, size_t limit, shp_grow *grow, void *host);

/* `size` zeroed bytes aligned to 8, or NULL past the limit. size 0 gives a valid pointer. A block that the host puts right behind the
 * last one continues it. */
void *shp_alloc(shp_arena *a, size_t size);

/* `count` zeroed elements of `size` bytes, or NULL past the limit or where count * size overflows. */
void *shp_alloc_array(shp_arena *a, size_t count, size_t size);

/* Gives back the end of what was allocated last, all but its first `size` bytes: it must still be zeros. */
static inline void shp_shrink(shp_arena *a, void *last, size_t size) { a->at = (uint8_t *)last + ((size + 7) & ~(size_t)7); }

/* Room for a growing array: returns `items` where `count` < *capacity, else a copy with twice the capacity
 * (at least 8) and *capacity updated; NULL past the limit, *capacity unchanged. The old array is left behind,
 * so a growing array costs at most twice its final size. */
void *shp_grow_array(shp_arena *a, void *items, size_t count, size_t *capacity, size_t size);

/* A number for each of many keys, which are not 0: two that are equal mean the same. All zero it is empty. */
typedef struct shp_dict {
    struct shp_entry { uint64_t key; uint32_t value; } *at;     /* open addressing; key 0: free */
    uint32_t room, used;            /* room is a power of two */
} shp_dict;
uint32_t *shp_dict_find(const shp_dict *d, uint64_t key);       /* where the key's number stands; NULL: it has none */
uint32_t *shp_dict_add(shp_arena *a, shp_dict *d, uint64_t key);        /* the same, 0 where it had none; NULL: no memory */

/* A view of bytes that live as long as the call: names, mostly. UTF-8 by the format, but nothing guarantees it. */
typedef struct shp_str {
    const char *at;
    uint32_t len;
} shp_str;

bool shp_str_eq(shp_str a, shp_str b);
/* Whether *s begins with prefix (NUL-terminated); *s then moves past it. */
bool shp_str_starts(shp_str *s, const char *prefix);
bool shp_str_is(shp_str a, const char *text);       /* text is NUL-terminated */
uint64_t shp_hash(uint64_t seed, const void *bytes, size_t size);   /* 64 well-mixed bits; equal bytes and seed, equal hash */
/* Combines two hashes; order matters. */
static inline uint64_t shp_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ (b + 0x94d049bb133111ebu) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

/* Write a text, and a number in decimal (SHP_DIGITS at most); return the place behind it. */
enum { SHP_DIGITS = 20 };
char *shp_put_text(char *to, const char *text);
char *shp_put_number(char *to, uint64_t value);
char *shp_put_int(char *to, int64_t value);

#define SHP_STR(literal) ((shp_str){ (literal), sizeof(literal) - 1 })

#endif
