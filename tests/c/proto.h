/* proto - for tests: protobuf written by nested calls, and reading it as the library's users do. Memory is freed by report().
 *
 *     bytes m = all(num(1, 8), sub(7, str(2, "g")));
 */
#ifndef SHP_TEST_PROTO_H
#define SHP_TEST_PROTO_H

#include "../../src/skim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes { const uint8_t *at; size_t len; } bytes;

static int checks, failures;
#define CHECK(...) check((__VA_ARGS__) != 0, #__VA_ARGS__, __FILE__, __LINE__)
static inline void check(int ok, const char *what, const char *file, int line)
{
    checks++;
    if (!ok && ++failures < 50) fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

static void *kept[1024];            /* blocks of messages */
static size_t kept_blocks;

static inline uint8_t *keep(size_t size)
{
    static uint8_t *block;
    static size_t left;
    if (size > left) {
        left = size > 1 << 20 ? size : 1 << 20;
        if (kept_blocks == sizeof kept / sizeof *kept || !(kept[kept_blocks++] = block = malloc(left))) abort();
    }
    left -= size;
    return (block += size) - size;
}

static inline bytes joined(const bytes *part, size_t parts)
{
    size_t len = 0;
    for (size_t i = 0; i < parts; i++) len += part[i].len;
    uint8_t *to = keep(len);
    bytes all = { to, len };
    for (size_t i = 0; i < parts; to += part[i].len, i++) if (part[i].len) memcpy(to, part[i].at, part[i].len);
    return all;
}
#define all(...) joined((bytes[]){ __VA_ARGS__ }, sizeof((bytes[]){ __VA_ARGS__ }) / sizeof(bytes))

static inline bytes varint(uint64_t v)
{
    uint8_t *to = keep(10);
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return (bytes){ to, n };
}
static inline bytes lit(const void *at, size_t len) { return (bytes){ at, len }; }
static inline bytes little(uint64_t v, unsigned n)
{
    uint8_t *to = keep(n);
    for (unsigned i = 0; i < n; i++) to[i] = (uint8_t)(v >> (8 * i));
    return (bytes){ to, n };
}
static inline bytes num(uint32_t field, uint64_t v) { return all(varint((uint64_t)field << 3), varint(v)); }
static inline bytes len_field(uint32_t field, bytes content) { return all(varint((uint64_t)field << 3 | 2), varint(content.len), content); }
static inline bytes str(uint32_t field, const char *text) { return len_field(field, lit(text, strlen(text))); }
#define sub(field, ...) len_field(field, all(__VA_ARGS__))
#define none() lit("", 0)
static inline bytes f32(uint32_t field, float v) { uint32_t bits; memcpy(&bits, &v, 4); return all(varint((uint64_t)field << 3 | 5), little(bits, 4)); }
static inline bytes f64(uint32_t field, double v) { uint64_t bits; memcpy(&bits, &v, 8); return all(varint((uint64_t)field << 3 | 1), little(bits, 8)); }
static inline bytes filled(size_t n, int byte) { uint8_t *to = keep(n); memset(to, byte, n); return (bytes){ to, n }; }
static inline bytes times(size_t n, bytes b)
{
    uint8_t *to = keep(n * b.len);
    for (size_t i = 0; i < n; i++) memcpy(to + i * b.len, b.at, b.len);
    return (bytes){ to, n * b.len };
}

/* ---- an arena over malloc, freed as a whole ---- */
typedef struct memory { void *block[4096]; size_t blocks, budget; } memory;
static inline void *grow(void *host, size_t size)
{
    memory *m = host;
    if (size > m->budget || m->blocks == 4096) return NULL;
    m->budget -= size;
    return m->block[m->blocks++] = calloc(1, size);
}
static inline void release(memory *m) { while (m->blocks) free(m->block[--m->blocks]); }

/* ---- skimming bytes in memory ---- */
enum { NESTING = 64 * 3 + 16 };
static inline bytes skimmed(shp_arena *a, bytes source, size_t window, bool sized, shp_read_error *error, uint64_t *fed)
{
    shp_skim *s = shp_skim_new(a, sized ? source.len : UINT64_MAX, NESTING);
    uint64_t at;
    bytes out = { NULL, 0 };
    *error = (shp_read_error){ SHP_E_MEMORY, 0, "" };
    if (!s) return out;
    while (shp_skim_wants(s, &at)) {
        uint64_t from = at < source.len ? at : source.len;
        size_t n = source.len - from < window ? (size_t)(source.len - from) : window;
        uint8_t *copy = malloc(n ? n : 1);              /* so that the sanitizer sees reads beyond the window */
        if (n) memcpy(copy, source.at + from, n);
        shp_skim_feed(s, from, copy, n);
        free(copy);
        if (fed) *fed += n;
    }
    out.at = shp_skim_done(s, &out.len, error);
    return out;
}

static inline int report(const char *name)
{
    printf("%s: %d checks, %d failures\n", name, checks, failures);
    while (kept_blocks) free(kept[--kept_blocks]);
    return failures != 0;
}

#endif
