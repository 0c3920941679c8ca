/* dim_fuzz - programs of dim operations from bytes. Properties: a dim evaluates to what naive arithmetic gives, lies within
 * its bounds, keeps its value through resolve, and prints; printed text parses back to the same value; any text parses or not.
 * clang -fsanitize=fuzzer,address,undefined tests/fuzz/dim_fuzz.c src/dim*.c src/arena.c */
#include "../../src/dim.h"

#include <stdlib.h>
#include <string.h>

enum { LEAVES = 8, STEPS = 48, BLOCKS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct value { shp_dim d; int64_t is; bool dead; } value;
typedef struct pool { void *block[BLOCKS]; size_t n; } pool;
typedef struct world { shp_dims *t; value v[LEAVES + 4 + STEPS + 1]; uint32_t n; const uint8_t *at, *end; } world;

static void *grow(void *host, size_t size)
{
    pool *p = host;
    return p->n < BLOCKS ? p->block[p->n++] = calloc(1, size) : NULL;
}

static uint8_t next(world *w) { return w->at < w->end ? *w->at++ : 0; }

/* Values of symbols: those of the dims that are symbols alone. */
static bool value_of(void *arg, const shp_symbol *s, int64_t *v)
{
    const world *w = arg;
    for (uint32_t i = 0; i < w->n; i++) {
        if (shp_dim_symbol(w->t, w->v[i].d) != s) continue;
        *v = w->v[i].is;
        return !w->v[i].dead;
    }
    return false;
}

static shp_dim by_name(void *arg, shp_str name)
{
    const world *w = arg;
    for (uint32_t i = 0; i < w->n; i++) {
        const shp_symbol *s = shp_dim_symbol(w->t, w->v[i].d);
        char text[64];
        size_t len = 0;
        if (s && shp_dim_print(w->t, w->v[i].d, text, sizeof text, &len) && len == name.len && memcmp(text, name.at, len) == 0)
            return w->v[i].d;
    }
    return 0;
}

/* d is that number, or has no value as a term of its sum leaves int64. */
static void verify(const world *w, shp_dim d, int64_t is)
{
    int64_t got;
    bool *overflow = shp_dims_overflow(w->t);
    *overflow = false;
    if (shp_dim_eval(w->t, d, value_of, (void *)(uintptr_t)w, &got) ? got != is : !*overflow) abort();
    if (shp_dim_lo(w->t, d) > is || shp_dim_hi(w->t, d) < is) abort();
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* One operation, and the same on numbers: dead where the run would fail, or the numbers get large. */
static value step(shp_dims *t, uint8_t op, const value *a, const value *b)
{
    value v = { 0, 0, a->dead || b->dead };
    int64_t x = a->is, y = b->is;
    switch (op % 9) {
    case 0: v.d = shp_dim_add(t, a->d, b->d); v.is = x + y; break;
    case 1: v.d = shp_dim_sub(t, a->d, b->d); v.is = x - y; break;
    case 2: v.d = shp_dim_mul(t, a->d, b->d); v.is = x * y; break;
    case 3: v.d = shp_dim_floor_div(t, a->d, b->d); if (y) v.is = floor_of(x, y); else v.dead = true; break;
    case 4: v.d = shp_dim_ceil_div(t, a->d, b->d); if (y) v.is = -floor_of(-x, y); else v.dead = true; break;
    case 5: v.d = shp_dim_mod(t, a->d, b->d); if (y) v.is = x - y * floor_of(x, y); else v.dead = true; break;
    case 6: v.d = shp_dim_min(t, a->d, b->d); v.is = x < y ? x : y; break;
    case 7: v.d = shp_dim_max(t, a->d, b->d); v.is = x > y ? x : y; break;
    default: v.d = shp_dim_broadcast(t, a->d, b->d); v.is = x == 1 ? y : x; v.dead |= x != y && x != 1 && y != 1; break;
    }
    if (v.is > 100000 || v.is < -100000) { v.dead = true; v.is = 0; }
    return v;
}

static void run(world *w)
{
    static const char *const names[LEAVES] = { "S", "H", "W", "a b", "", "", "", "" };
    static const shp_symbol_kind kinds[LEAVES] = { SHP_SIZE, SHP_SIZE, SHP_SIZE, SHP_SIZE, SHP_SIZE, SHP_COUNT, SHP_ANY, SHP_FLAG };
    for (uint32_t i = 0; i < LEAVES; i++, w->n++) {
        uint8_t k = next(w);
        shp_str name = { names[i], (uint32_t)strlen(names[i]) };
        w->v[i].d = name.len ? shp_dim_named(w->t, name, kinds[i], i < 3) : shp_dim_fresh(w->t, i, kinds[i], &(shp_origin){ 0 });
        w->v[i].is = kinds[i] == SHP_FLAG ? k & 1 : kinds[i] == SHP_ANY ? (int8_t)k : k & 31;
    }
    for (int64_t k = -1; k < 3; k++, w->n++) w->v[w->n] = (value){ shp_dim_const(w->t, k), k, false };
    while (w->at + 3 <= w->end && w->n < LEAVES + 4 + STEPS) {
        uint8_t op = next(w), i = next(w), j = next(w);
        const value *a = w->v + i % w->n, *b = w->v + j % w->n;
        if (op % 10 == 9) {             /* what is equal here is taken as a fact */
            if (!a->dead && !b->dead && a->is == b->is && !shp_dim_unify(w->t, a->d, b->d)) abort();
            continue;
        }
        value v = step(w->t, op, a, b);
        const shp_symbol *s = v.d ? shp_dim_symbol(w->t, v.d) : NULL;
        int64_t had;
        bool known = s && (value_of(w, s, &had) || v.dead);
        w->v[w->n] = v;
        if (!v.d || (s && v.dead && !known)) continue;
        w->n++;
        if (!v.dead) { verify(w, v.d, v.is); verify(w, shp_dim_resolve(w->t, v.d), v.is); }
    }
    shp_dims_rewind(w->t, 0);
    for (uint32_t i = 0; i < w->n; i++) {
        char text[4096];
        size_t len = 0;
        if (!shp_dim_print(w->t, w->v[i].d, text, sizeof text, &len)) continue;
        shp_dim back = shp_dim_parse(w->t, (shp_str){ text, (uint32_t)len }, by_name, w);
        if (back && !w->v[i].dead) verify(w, back, w->v[i].is);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pool p = { .n = 0 };
    shp_arena a;
    shp_arena_init(&a, 16 << 20, grow, &p);
    world w = { .t = shp_dims_new(&a, 32, 8, 0), .at = data, .end = data + size };
    if (w.t && !a.failed) {
        run(&w);
        shp_dim_parse(w.t, (shp_str){ (const char *)data, (uint32_t)size }, by_name, &w);
    }
    while (p.n) free(p.block[--p.n]);
    return 0;
}
