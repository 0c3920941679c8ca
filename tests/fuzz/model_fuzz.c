/* model_fuzz - libFuzzer: any bytes, skimmed in windows of varying size, then read.
 * It must end in bounded time and memory; every split into windows gives the same skeleton or the same error, and reading twice the
 * same model, whatever the seed. The first byte chooses the windows; bytes that begin with 0xff are a skeleton itself, as a host may hand one over.
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/model_fuzz.c src/{wire,skim,model,graph,tensor,arena,error,dtype}.c */
#include "../../src/skim.h"
#include "../c/skeleton.h"

#include <stdlib.h>
#include <string.h>

#define MUST(...) do { if (!(__VA_ARGS__)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct memory { void *block[256]; size_t blocks; } memory;
static void *grow(void *host, size_t size)
{
    memory *m = host;
    return m->blocks == 256 ? NULL : (m->block[m->blocks++] = calloc(1, size));
}
static void release(memory *m) { while (m->blocks) free(m->block[--m->blocks]); }

static const uint8_t *skim(shp_arena *a, const uint8_t *data, size_t size, unsigned seed, bool sized, size_t *out, shp_read_error *error)
{
    shp_skim *s = shp_skim_new(a, sized ? size : UINT64_MAX, 64 * 3 + 16);
    MUST(s);
    uint64_t at, steps = 0;
    while (shp_skim_wants(s, &at)) {
        size_t from = at < size ? (size_t)at : size, left = size - from, n = 1 + seed % 97;
        seed = seed * 1103515245 + 12345;
        if (n > left) n = left;
        uint8_t *window = malloc(n ? n : 1);
        if (n) memcpy(window, data + from, n);
        shp_skim_feed(s, from, window, n);
        free(window);
        MUST(steps++ <= size + 1);
    }
    return shp_skim_done(s, out, error);
}

/* Looks at everything, so that what points nowhere is seen. */
static uint64_t visit(const shp_graph *g, uint32_t depth)
{
    uint64_t sum = g->slots + g->sorted;
    MUST(depth <= 64 && g->sorted <= g->nodes);
    for (uint32_t i = 0; i < g->slots; i++) {
        const shp_slot *s = &g->slot[i];
        for (uint32_t k = 0; k < s->name.len; k++) sum = sum * 31 + (uint8_t)s->name.at[k];
        const uint32_t most[] = { g->nodes + 1, g->inputs, g->initializers, g->nodes, g->outer ? g->outer->slots : 0 };
        MUST(s->source <= SHP_FROM_OUTER && s->from < most[s->source]);
        MUST(g->flawed || (s->source != SHP_FROM_NOTHING && !s->twice));
        MUST(s->info <= g->value_infos);
        MUST(shp_graph_find(g, s->name) == i);
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        const shp_node_proto *n = &g->node[i];
        MUST(shp_ordered(g, i) < g->nodes);
        for (uint32_t k = 0; k < n->inputs; k++) MUST(n->input[k] == SHP_NONE || n->input[k] < g->slots);
        for (uint32_t k = 0; k < n->outputs; k++) MUST(shp_output(n)[k] == SHP_NONE || shp_output(n)[k] < g->slots);
        for (uint32_t k = 0; k < n->attrs->count; k++) {
            const shp_attr *a = &n->attrs->item[k];
            for (uint32_t b = 0; a->ints && b < a->count; b++) sum += (uint64_t)a->ints[b];
            for (uint32_t b = 0; a->strings && b < a->count; b++) sum += a->strings[b].len;
            if (a->g) sum += visit(a->g, depth + 1);
            for (uint32_t b = 0; a->graphs && b < a->count; b++) sum += visit(a->graphs[b], depth + 1);
        }
    }
    for (uint32_t i = 0; i < g->initializers; i++) {
        const shp_tensor *t = g->initializer[i];
        int64_t k;
        double d;
        uint64_t have, want;
        for (uint32_t r = 0; r < t->rank; r++) sum += (uint64_t)t->dim[r];
        sum += shp_tensor_bytes(t) + shp_tensor_data_fits(t, &have, &want);
        shp_elements e = shp_tensor_elements(t, t->data, t->data_len);
        for (int n = 0; n < 16; n++) sum += shp_next_int(&e, &k) + shp_next_float(&e, &d);
    }
    return sum;
}

static uint64_t read_all(shp_arena *a, const uint8_t *skeleton, size_t size, unsigned seed)
{
    shp_read_error error;
    shp_model *m = shp_model_read(a, skeleton, size, seed, 64, 100000, 1024, &error);
    MUST(!m == (error.code != SHP_OK));
    MUST(error.path && strlen(error.path) < 1000);
    if (!m) return error.code;
    uint64_t sum = m->values;
    if (m->graph) sum += visit(m->graph, 0);
    for (uint32_t i = 0; i < m->functions; i++) sum += visit(m->function[i].body, 0);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memory m = { .blocks = 0 };
    shp_arena a;
    shp_arena_init(&a, 256u << 20, grow, &m);
    if (size && data[0] == 0xff) {
        read_all(&a, data + 1, size - 1, 0);
        release(&m);
        return 0;
    }
    unsigned seed = size ? data[0] : 0;
    if (size) { data++; size--; }
    size_t one_size, two_size, three_size;
    shp_read_error one_error, two_error, three_error;
    const uint8_t *one = skim(&a, data, size, seed, true, &one_size, &one_error);
    const uint8_t *two = skim(&a, data, size, ~seed, true, &two_size, &two_error);
    const uint8_t *three = skim(&a, data, size, seed + 1, false, &three_size, &three_error);
    MUST(one_error.code == two_error.code && one_error.offset == two_error.offset && !strcmp(one_error.path, two_error.path));
    MUST(!one == !two && (!one || same_skeleton(one, one_size, two, two_size)));
    MUST(!one == !three && (!one || same_skeleton(one, one_size, three, three_size)));
    MUST(one ? !one_error.code : one_error.offset <= size);
    if (one) MUST(read_all(&a, one, one_size, seed) == read_all(&a, two, two_size, ~seed));
    release(&m);
    return 0;
}
