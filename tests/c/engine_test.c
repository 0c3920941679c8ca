/* The state machine: a small model in windows of every size, a host's rule, memory that runs out at any place, evaluation. */
#include "shp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x: float32 [N, 3]; y = Shape(x); z = my::Foo(x). */
static const uint8_t MODEL[] = "\010\012\022\001t:>\012\015\012\001x\022\001y\042\005Shape\012\017\012\001x\022\001z\042\003Foo:\002my\022\001g"
    "Z\024\012\001x\022\017\012\015\010\001\022\011\012\003\022\001N\012\002\010\003b\003\012\001yB\002\020\022B\006\012\002my\020\001";
enum { SIZE = sizeof MODEL - 1, BLOCKS = 4096 };

static int failures;
static void *block[BLOCKS];
static size_t blocks;

static void *grow(void *host, size_t size)
{
    (void)host;
    return blocks < BLOCKS ? block[blocks++] = calloc(1, size) : NULL;
}

static void drop(void)
{
    while (blocks) free(block[--blocks]);
}

static void check(bool right, const char *what, long at)
{
    if (right) return;
    failures++;
    fprintf(stderr, "%s (%ld)\n", what, at);
}

/* Options: the limit of memory, and a rule for my::Foo where asked. */
static size_t options(uint8_t *to, uint32_t memory, bool rule)
{
    static const uint8_t foo[] = { SHP_FIELD_HOST_OP << 3 | 2, 7, 'm', 'y', ':', ':', 'F', 'o', 'o' };
    size_t len = 0;
    to[len++] = SHP_FIELD_MEMORY << 3;
    for (int i = 0; i < 4; i++, memory >>= 7) to[len++] = (uint8_t)((memory & 127) | 128);
    to[len++] = (uint8_t)memory;
    if (rule) memcpy(to + len, foo, sizeof foo), len += sizeof foo;
    return len;
}

/* What the host's rule answers: int64 [2] with elements 4 and floor(N/2). */
static const uint8_t ANSWER[] = "\012\031\022\005int64\030\001\040\002\070\004\102\012floor(N/2)";

static shp_status run(shp_engine *e, const uint8_t *bytes, size_t size, size_t window, const uint8_t *opt, size_t opt_len)
{
    shp_status s = shp_engine_start(e, opt, opt_len, size);
    for (; s != SHP_DONE && s != SHP_ERROR; s = shp_engine_step(e)) {
        const shp_ask *ask = shp_engine_ask(e);
        if (s == SHP_NEED_RULE) {
            shp_engine_give(e, true, ANSWER, sizeof ANSWER - 1);
        } else if (ask->offset >= size) {
            shp_engine_end(e, size);
        } else {
            size_t len = size - (size_t)ask->offset < window ? size - (size_t)ask->offset : window;
            uint8_t *copy = malloc(len);        /* of exact size, so that the sanitizer sees what reads beyond */
            if (!copy) abort();
            memcpy(copy, bytes + ask->offset, len);
            shp_engine_give(e, true, copy, len);
            free(copy);
        }
    }
    return s;
}

static const uint32_t *column(const shp_report *r, int table, uint32_t width, uint32_t row)
{
    return (const uint32_t *)r->table[table].at + (size_t)row * width;
}

/* String i of an ASCII pool. */
static bool says(const shp_report *r, uint32_t i, const char *text)
{
    const uint32_t *start = r->table[SHP_TABLE_TEXT].at;
    size_t len = start[i + 1] - start[i];
    return len == strlen(text) && !memcmp((const char *)r->table[SHP_TABLE_CHARS].at + start[i], text, len);
}

/* What is known of value i. */
static const uint32_t *fact(const shp_report *r, uint32_t i)
{
    return column(r, SHP_TABLE_FACTS, 6, column(r, SHP_TABLE_VALUES, 4, i)[3]);
}

static void check_report(const shp_report *r, long at)
{
    static const char *const names[] = { "x", "y", "z" }, *const types[] = { "float32", "int64", "int64" };
    check(r->table[SHP_TABLE_VALUES].rows == 3 && r->table[SHP_TABLE_NODES].rows == 2 && r->table[SHP_TABLE_SCOPES].rows == 1, "rows", at);
    check(r->table[SHP_TABLE_DIAGNOSTICS].rows == 0, "diagnostics", at);
    for (uint32_t i = 0; i < 3; i++) {
        check(says(r, column(r, SHP_TABLE_VALUES, 4, i)[0], names[i]) && says(r, fact(r, i)[0], types[i]), names[i], at);
    }
    const uint32_t *z = fact(r, 2), *size = column(r, SHP_TABLE_CELLS, 2, z[1]);
    check(z[2] == 1 && size[0] == 2 && size[1] == 0, "z's shape", at);
    const uint32_t *first = column(r, SHP_TABLE_CELLS, 2, z[3]);
    check(z[4] == 2 && first[0] == 4 && first[1] == 0 && first[3] == (uint32_t)SHP_CELL_TEXT && says(r, first[2], "floor(N/2)"), "z's elements", at);
}

static void check_windows(void)
{
    uint8_t opt[64];
    size_t len = options(opt, 1 << 24, true);
    for (size_t window = 1; window <= SIZE; window++) {
        shp_arena a;
        shp_arena_init(&a, SIZE_MAX / 2, grow, NULL);
        shp_engine *e = shp_engine_new(&a);
        check(e && run(e, MODEL, SIZE, window, opt, len) == SHP_DONE, "done", (long)window);
        if (e && shp_engine_ask(e)->report) check_report(shp_engine_ask(e)->report, (long)window);
        drop();
    }
}

static void check_cuts(void)
{
    uint8_t opt[64];
    size_t len = options(opt, 1 << 24, false);
    for (size_t size = 0; size < SIZE - 8; size++) {       /* what follows the graph may be missing */
        shp_arena a;
        shp_arena_init(&a, SIZE_MAX / 2, grow, NULL);
        shp_engine *e = shp_engine_new(&a);
        uint8_t *copy = malloc(size + 1);
        if (!e || !copy) abort();
        memcpy(copy, MODEL, size);
        check(run(e, copy, size, 16, opt, len) == SHP_ERROR || size > SIZE - 16, "a cut model", (long)size);
        free(copy);
        drop();
    }
}

static void check_memory(void)
{
    uint8_t opt[64];
    int failed = 0;
    for (uint32_t memory = 0; memory < 400000; memory += 1000) {
        shp_arena a;
        shp_arena_init(&a, SIZE_MAX / 2, grow, NULL);
        shp_engine *e = shp_engine_new(&a);
        if (!e) abort();
        shp_status s = run(e, MODEL, SIZE, 64, opt, options(opt, memory, true));
        if (s == SHP_ERROR) failed++, check(shp_engine_ask(e)->code == SHP_E_MEMORY, "memory", (long)memory);
        else check_report(shp_engine_ask(e)->report, (long)memory);
        drop();
    }
    check(failed > 3 && failed < 400, "times without memory", failed);
}

typedef struct {
    const char *text;
    shp_evaluation status;
    int64_t value;
    const char *name;
} evaluation;

/* N is 7, "a b" is 3, M is -2. */
static const uint8_t BINDINGS[] = "\032\005\012\001N\020\007\032\007\012\003a b\020\003\032\016\012\001M\020\376\377\377\377\377\377\377\377\377\001";
static const evaluation EVALUATIONS[] = {
    { "N", SHP_EVALUATED, 7, "" },
    { "a b", SHP_EVALUATED, 3, "" },
    { "2*N + 1", SHP_EVALUATED, 15, "" },
    { "floor((N - 1)/4)", SHP_EVALUATED, 1, "" },
    { "N*`a b` - M", SHP_EVALUATED, 23, "" },
    { "Max(M, 0)", SHP_EVALUATED, 0, "" },
    { "floor(M/3)", SHP_EVALUATED, -1, "" },
    { "broadcast(N, 1)", SHP_EVALUATED, 7, "" },
    { "-9223372036854775807", SHP_EVALUATED, -INT64_MAX, "" },
    { "Q + 1", SHP_NO_VALUE, 0, "Q" },
    { "0*Q", SHP_NO_VALUE, 0, "Q" },
    { "N +", SHP_NO_EXPRESSION, 0, "" },
    { "", SHP_NO_EXPRESSION, 0, "" },
    { "broadcast(N, `a b`)", SHP_UNDEFINED, 0, "" },
};

static void check_evaluation(void)
{
    for (size_t i = 0; i < sizeof EVALUATIONS / sizeof *EVALUATIONS; i++) {
        const evaluation *row = &EVALUATIONS[i];
        shp_arena a;
        int64_t value = 0;
        shp_str name = { "", 0 };
        shp_arena_init(&a, SIZE_MAX / 2, grow, NULL);
        shp_evaluation s = shp_evaluate(&a, (shp_str){ row->text, (uint32_t)strlen(row->text) }, BINDINGS, sizeof BINDINGS - 1, &value, &name);
        check(s == row->status && (s != SHP_EVALUATED || value == row->value) && (s != SHP_NO_VALUE || shp_str_is(name, row->name)), row->text, (long)value);
        drop();
    }
}

int main(void)
{
    check_windows();
    check_cuts();
    check_memory();
    check_evaluation();
    return failures != 0;
}
