/* engine_fuzz - libFuzzer: any bytes as a model, through the whole engine: skimmed in windows, inferred, reported.
 * It must end in bounded time and memory; a second run in other windows gives the same report or the same error; a report's
 * rows, lists, cells and texts lie inside its tables; and with less memory, whatever the limit and whichever block the host
 * refuses, it gives that report or ends with SHP_E_MEMORY. The first byte chooses the windows, the second the options.
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/engine_fuzz.c src/ and src/ops/, all files */
#include "../../src/shp.h"

#include <stdlib.h>
#include <string.h>

#define MUST(...) do { if (!(__VA_ARGS__)) abort(); } while (0)

enum { MEMORY = 64 << 20, BLOCKS = 512, TIGHT_RUNS = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Blocks of the arena, `most` of them at most, and ranges that the engine asked for: both stay until the call ends. */
typedef struct memory { void *block[BLOCKS]; size_t blocks, grown, most, bytes; } memory;

static void *grow(void *host, size_t size)
{
    memory *m = host;
    if (m->grown == m->most || m->blocks == BLOCKS) return NULL;
    m->grown++;
    m->bytes += size;
    return m->block[m->blocks++] = calloc(1, size);
}

/* One input: a model and how to run it. */
typedef struct input { const uint8_t *data; size_t size; unsigned windows, flags; } input;
/* One run: its end, and its report, which lives in `mem`. */
typedef struct outcome { memory mem; shp_status status; shp_code code; uint64_t offset; const shp_report *report; } outcome;

static void drop(outcome *o) { while (o->mem.blocks) free(o->mem.block[--o->mem.blocks]); }

static size_t number(uint8_t *to, uint32_t field, uint64_t value)
{
    size_t n = 0;
    to[n++] = (uint8_t)(field << 3);
    for (; value > 127; value >>= 7) to[n++] = (uint8_t)((value & 127) | 128);
    to[n++] = (uint8_t)value;
    return n;
}

/* Flags: 1 strict, 2 declarations are overridden, 4 a rule of the host's for Relu, 8 N is bound to 0, 16 external data is there,
 * 32 the size of the source is not known. */
static size_t options(uint8_t *to, unsigned flags, size_t memory_limit)
{
    static const uint8_t relu[] = { SHP_FIELD_HOST_OP << 3 | 2, 4, 'R', 'e', 'l', 'u' };
    static const uint8_t bound[] = { SHP_FIELD_BINDING << 3 | 2, 5, SHP_FIELD_NAME << 3 | 2, 1, 'N', SHP_FIELD_SIZE << 3, 0 };
    size_t n = number(to, SHP_FIELD_MEMORY, memory_limit);
    n += number(to + n, SHP_FIELD_OPERATIONS, 3000);
    n += number(to + n, SHP_FIELD_VALUES, 20000);
    n += number(to + n, SHP_FIELD_STRICT, flags & 1);
    n += number(to + n, SHP_FIELD_OVERRIDE, flags >> 1 & 1);
    if (flags & 4) memcpy(to + n, relu, sizeof relu), n += sizeof relu;
    if (flags & 8) memcpy(to + n, bound, sizeof bound), n += sizeof bound;
    return n;
}

static void give_range(shp_engine *e, outcome *o, const input *in, const shp_ask *ask)
{
    static const uint8_t none[] = "not there";
    bool whole = ask->offset <= in->size && ask->length <= in->size - ask->offset;
    if (!whole || (ask->location.len && !(in->flags & 16)) || o->mem.blocks == BLOCKS) {
        shp_engine_give(e, false, none, sizeof none - 1);
        return;
    }
    uint8_t *copy = o->mem.block[o->mem.blocks++] = malloc((size_t)ask->length);
    memcpy(copy, in->data + ask->offset, (size_t)ask->length);
    shp_engine_give(e, true, copy, (size_t)ask->length);
}

static void give_window(shp_engine *e, const input *in, const shp_ask *ask, unsigned *seed)
{
    if (ask->offset >= in->size) { shp_engine_end(e, in->size); return; }
    size_t from = (size_t)ask->offset, left = in->size - from, n = 1 + *seed % 251;
    *seed = *seed * 1103515245 + 12345;
    if (n > left) n = left;
    uint8_t *window = malloc(n);
    memcpy(window, in->data + from, n);
    shp_engine_give(e, true, window, n);
    free(window);
}

static void run(outcome *o, const input *in, unsigned seed, size_t limit, size_t blocks)
{
    *o = (outcome){ .mem = { .most = blocks } };
    shp_arena a;
    shp_arena_init(&a, SIZE_MAX / 2, grow, &o->mem);
    shp_engine *e = shp_engine_new(&a);
    if (!e) { o->status = SHP_ERROR; o->code = SHP_E_MEMORY; return; }
    uint8_t opt[64];
    uint64_t steps = 0;
    shp_status s = shp_engine_start(e, opt, options(opt, in->flags, limit), in->flags & 32 ? UINT64_MAX : in->size);
    for (; s != SHP_DONE && s != SHP_ERROR; s = shp_engine_step(e)) {
        const shp_ask *ask = shp_engine_ask(e);
        MUST(steps++ < in->size + 20000);
        if (s == SHP_NEED_RULE) shp_engine_give(e, in->size & 1, in->data, in->size < 64 ? in->size : 64);
        else if (s == SHP_NEED_BYTES && ask->length) give_range(e, o, in, ask);
        else if (s == SHP_NEED_BYTES) give_window(e, in, ask, &seed);
    }
    const shp_ask *ask = shp_engine_ask(e);
    o->status = s;
    o->code = s == SHP_ERROR ? ask->code : SHP_OK;
    o->offset = ask->offset;
    o->report = s == SHP_DONE ? ask->report : NULL;
    MUST(s != SHP_ERROR || ask->code != SHP_OK);
    for (uint32_t i = 0; s == SHP_ERROR && i < ask->path.len; i++) MUST(ask->path.at[i]);
    for (uint32_t i = 0; s == SHP_ERROR && i < ask->message.len; i++) MUST(ask->message.at[i] != '\n');
}

/* ---- the report holds together ---- */

static const uint32_t widths[] = {
#define X(name) +1
#define WIDTH_OF(name) 0 SHP_REPORT_##name(X),
    SHP_REPORT_TABLES(WIDTH_OF)
#undef X
};
#define COLUMNS(table) enum { SHP_REPORT_##table(X) }
#define X(name) SCOPE_##name,
COLUMNS(SCOPES);
#undef X
#define X(name) VALUE_##name,
COLUMNS(VALUES);
#undef X
#define X(name) FACT_##name,
COLUMNS(FACTS);
#undef X
#define X(name) OP_##name,
COLUMNS(OPS);
#undef X
#define X(name) NODE_##name,
COLUMNS(NODES);
#undef X
#define X(name) SYMBOL_##name,
COLUMNS(SYMBOLS);
#undef X
#define X(name) PLACE_##name,
COLUMNS(PLACES);
#undef X
#define X(name) EQUAL_##name,
COLUMNS(EQUALS);
#undef X
#define X(name) ASSUMPTION_##name,
COLUMNS(ASSUMPTIONS);
#undef X
#define X(name) DIAGNOSTIC_##name,
COLUMNS(DIAGNOSTICS);
#undef X

static const uint32_t *row(const shp_report *r, int table, uint32_t i) { return (const uint32_t *)r->table[table].at + i * widths[table]; }
static void inside(const shp_report *r, int table, uint32_t i) { MUST(i < r->table[table].rows); }
static void inside_or_none(const shp_report *r, int table, uint32_t i) { MUST(i == SHP_NONE || i < r->table[table].rows); }
/* `text` has a last row that only ends the last string. */
static void text(const shp_report *r, uint32_t i) { MUST(i + 1 < r->table[SHP_TABLE_TEXT].rows); }
static void list(const shp_report *r, int table, uint32_t first, uint32_t count)
{
    if (count && count != SHP_NONE) MUST(first <= r->table[table].rows && count <= r->table[table].rows - first);
}
/* A list of 4 times a text each, behind their number; returns where it ends. */
static uint32_t texts(const shp_report *r, uint32_t at)
{
    inside(r, SHP_TABLE_LISTS, at);
    uint32_t count = *row(r, SHP_TABLE_LISTS, at);
    list(r, SHP_TABLE_LISTS, at + 1, count);
    for (uint32_t i = 0; i < count; i++) text(r, *row(r, SHP_TABLE_LISTS, at + 1 + i) / 4);
    return at + 1 + count;
}

static void holds(const shp_report *r)
{
    const uint32_t *n = NULL;
    for (uint32_t i = 0; i < r->table[SHP_TABLE_SCOPES].rows; i++) {
        n = row(r, SHP_TABLE_SCOPES, i);
        text(r, n[SCOPE_ATTR]);
        text(r, n[SCOPE_NAMES]);
        if (i) MUST(n[SCOPE_PARENT] < i);
        inside_or_none(r, SHP_TABLE_NODES, n[SCOPE_NODE]);
        MUST(n[SCOPE_NODES] <= r->table[SHP_TABLE_NODES].rows);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_VALUES].rows; i++) {
        n = row(r, SHP_TABLE_VALUES, i);
        text(r, n[VALUE_NAME]);
        inside(r, SHP_TABLE_SCOPES, n[VALUE_PLACE] / 4);
        inside_or_none(r, SHP_TABLE_NODES, n[VALUE_NODE]);
        inside(r, SHP_TABLE_FACTS, n[VALUE_FACT]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_FACTS].rows; i++) {
        n = row(r, SHP_TABLE_FACTS, i);
        text(r, n[FACT_TYPE]);
        inside_or_none(r, SHP_TABLE_CELLS, n[FACT_LENGTH]);
        list(r, SHP_TABLE_CELLS, n[FACT_SHAPE], n[FACT_RANK]);
        if (n[FACT_CONTENT] == SHP_NONE) continue;
        if (n[FACT_CONTENT] < SHP_REPORT_REALS_FROM) list(r, SHP_TABLE_CELLS, n[FACT_CONTENT], n[FACT_COUNT]);
        else list(r, SHP_TABLE_REALS, n[FACT_CONTENT] - SHP_REPORT_REALS_FROM, n[FACT_COUNT]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_OPS].rows; i++) {
        n = row(r, SHP_TABLE_OPS, i);
        text(r, n[OP_DOMAIN]);
        text(r, n[OP_NAME]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_NODES].rows; i++) {
        n = row(r, SHP_TABLE_NODES, i);
        inside(r, SHP_TABLE_SCOPES, n[NODE_SCOPE]);
        inside(r, SHP_TABLE_OPS, n[NODE_OP] / 2);
        const uint32_t *scope = row(r, SHP_TABLE_SCOPES, n[NODE_SCOPE]);
        MUST(i >= scope[SCOPE_NODES]);
        text(r, scope[SCOPE_NAMES] + i - scope[SCOPE_NODES]);
        texts(r, texts(r, n[NODE_ARGS]));
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_SYMBOLS].rows; i++) {
        n = row(r, SHP_TABLE_SYMBOLS, i);
        text(r, n[SYMBOL_NAME]);
        inside_or_none(r, SHP_TABLE_NODES, n[SYMBOL_NODE]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_PLACES].rows; i++) {
        n = row(r, SHP_TABLE_PLACES, i);
        inside(r, SHP_TABLE_SYMBOLS, n[PLACE_SYMBOL]);
        inside(r, SHP_TABLE_VALUES, n[PLACE_VALUE]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_EQUALS].rows; i++) {
        n = row(r, SHP_TABLE_EQUALS, i);
        inside(r, SHP_TABLE_SYMBOLS, n[EQUAL_SYMBOL]);
        text(r, n[EQUAL_TEXT]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_ASSUMPTIONS].rows; i++) {
        n = row(r, SHP_TABLE_ASSUMPTIONS, i);
        inside(r, SHP_TABLE_CELLS, n[ASSUMPTION_LHS]);
        inside(r, SHP_TABLE_CELLS, n[ASSUMPTION_RHS]);
        inside(r, SHP_TABLE_SCOPES, n[ASSUMPTION_SCOPE]);
        inside_or_none(r, SHP_TABLE_NODES, n[ASSUMPTION_NODE]);
        text(r, n[ASSUMPTION_REASON]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_DIAGNOSTICS].rows; i++) {
        n = row(r, SHP_TABLE_DIAGNOSTICS, i);
        MUST(n[DIAGNOSTIC_CODE] < SHP_CODE_COUNT);
        inside(r, SHP_TABLE_SCOPES, n[DIAGNOSTIC_SCOPE]);
        inside_or_none(r, SHP_TABLE_NODES, n[DIAGNOSTIC_NODE]);
        text(r, n[DIAGNOSTIC_VALUE]);
        text(r, n[DIAGNOSTIC_MESSAGE]);
    }
    for (uint32_t i = 0; i < r->table[SHP_TABLE_CELLS].rows; i++) {
        n = row(r, SHP_TABLE_CELLS, i);
        if (n[1] == (uint32_t)SHP_CELL_TEXT || n[1] == (uint32_t)SHP_CELL_BIG) text(r, n[0]);
        if (n[1] == (uint32_t)SHP_CELL_REAL) inside(r, SHP_TABLE_REALS, n[0]);
    }
    for (uint32_t i = 1; i < r->table[SHP_TABLE_TEXT].rows; i++) MUST(*row(r, SHP_TABLE_TEXT, i - 1) <= *row(r, SHP_TABLE_TEXT, i));
}

static void same(const shp_report *a, const shp_report *b)
{
    for (int t = 0; t < SHP_TABLE_COUNT; t++) {
        size_t bytes = a->table[t].rows * (t == SHP_TABLE_CHARS ? 1 : widths[t] * sizeof(uint32_t));
        MUST(a->table[t].rows == b->table[t].rows);
        MUST(!bytes || !memcmp(a->table[t].at, b->table[t].at, bytes));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 16) return 0;
    input in = { data + 2, size - 2, data[0], data[1] };
    outcome first, again;
    run(&first, &in, in.windows, MEMORY, BLOCKS / 2);
    if (first.report) holds(first.report);
    run(&again, &in, ~in.windows, MEMORY, BLOCKS / 2);
    MUST(first.status == again.status && first.code == again.code && first.offset == again.offset);
    if (first.report) same(first.report, again.report);
    drop(&again);
    /* Less memory: limits all over what it took, and blocks refused one after the other. */
    if (first.code != SHP_E_MEMORY) {
        for (unsigned i = 0; i < TIGHT_RUNS; i++) {
            size_t limit = first.mem.bytes / TIGHT_RUNS * i + (in.windows * 131u + in.flags * 17u) % (first.mem.bytes / TIGHT_RUNS + 1);
            bool by_limit = i % 3;
            run(&again, &in, in.windows, by_limit ? limit : MEMORY, by_limit ? BLOCKS / 2 : i / 3);
            MUST(again.code == SHP_E_MEMORY || (again.status == first.status && again.code == first.code));
            if (again.report) same(first.report, again.report);
            drop(&again);
        }
    }
    drop(&first);
    return 0;
}
