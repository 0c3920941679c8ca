/* list MODEL [WINDOW] - what the reader makes of a model, one line a fact, for comparing with another reader; and what it cost.
 * A development program: nothing depends on it. */
#include "../../src/dtype.h"
#include "../../src/skim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *grow(void *host, size_t size) { (void)host; return calloc(1, size); }

static void text(shp_str s)
{
    putchar('"');
    fwrite(s.at ? s.at : "", 1, s.at ? s.len : 0, stdout);
    putchar('"');
}

static void type(const shp_type_proto *t)
{
    static const char *const kinds[] = { "none", "tensor", "sparse", "seq", "optional", "map", "opaque" };
    printf("%s(", kinds[t->kind]);
    if (t->kind == SHP_T_TENSOR || t->kind == SHP_T_SPARSE || t->kind == SHP_T_MAP) printf("%d", t->elem_type);
    if (t->has_shape) {
        printf(" [");
        for (uint32_t i = 0; i < t->rank; i++) {
            printf(i ? "," : "");
            if (t->dim[i].kind == SHP_DIM_VALUE) printf("%" PRId64, t->dim[i].value);
            else if (t->dim[i].kind == SHP_DIM_PARAM) text(t->dim[i].param);
            else printf("?");
        }
        printf("]");
    }
    if (t->inner) { printf(" "); type(t->inner); }
    printf(")");
}

static void tensor(const shp_tensor *t)
{
    uint64_t have, want;
    printf("tensor(%d [", t->elem_type);
    for (uint32_t i = 0; i < t->rank; i++) printf(i ? ",%" PRId64 : "%" PRId64, t->dim[i]);
    printf("]%s%s", t->sparse ? " sparse" : "", shp_tensor_data_fits(t, &have, &want) ? "" : " misfit");
    if (t->external) { printf(" external "); text(t->location); printf(" %" PRIu64 " %" PRIu64, t->external_offset, t->external_length); }
    else if (t->data) {
        for (uint64_t i = 0; i < 12 && i < (uint64_t)t->count; i++) {
            int64_t n;
            double d;
            if (shp_tensor_int(t, t->data, t->data_len, i, &n)) printf(" %" PRId64, n);
            else if (shp_tensor_float(t, t->data, t->data_len, i, &d)) printf(" %.9g", d);
        }
    }
    printf(")");
}

static void attr(const shp_attr *a)
{
    printf(" ");
    text(a->name);
    printf(":%d=", a->type);
    if (a->ref.len) { printf("ref "); text(a->ref); return; }
    switch (a->type) {
    case SHP_ATTR_FLOAT:  printf("%.9g", (double)a->f); break;
    case SHP_ATTR_INT:    printf("%" PRId64, a->i); break;
    case SHP_ATTR_STRING: if (a->s.at) text(a->s); else printf("(%u bytes)", a->s.len); break;
    case SHP_ATTR_TENSOR: case SHP_ATTR_SPARSE_TENSOR: if (a->t) tensor(a->t); break;
    case SHP_ATTR_TYPE_PROTO: if (a->tp) type(a->tp); break;
    case SHP_ATTR_FLOATS: case SHP_ATTR_INTS: case SHP_ATTR_STRINGS:
        printf("%u", a->count);
        for (uint32_t i = 0; i < a->count && i < 12; i++) {
            if (a->floats) printf(" %.9g", (double)a->floats[i]);
            if (a->ints) printf(" %" PRId64, a->ints[i]);
            if (a->strings) { printf(" "); text(a->strings[i]); }
        }
        break;
    default: printf("%u", a->count);
    }
}

static void slot(const shp_graph *g, uint32_t s)
{
    printf(" ");
    if (s == SHP_NONE) { printf("-"); return; }
    text(g->slot[s].name);
    if (g->slot[s].undefined) printf("!");
    for (const shp_graph *o = g; g->slot[s].outer != SHP_NONE; o = o->outer) {
        s = g->slot[s].outer;
        g = o->outer;
        printf("^");
    }
}

static void graph(const shp_graph *g, const char *path)
{
    printf("graph %s ", path);
    text(g->name);
    printf("\n");
    for (uint32_t i = 0; i < g->inputs; i++) { printf("input"); slot(g, g->input[i]); printf(" "); type(&g->input_info[i]->type); printf("\n"); }
    for (uint32_t i = 0; i < g->initializers; i++) { printf("initializer"); slot(g, g->initializer_slot[i]); printf(" "); tensor(g->initializer[i]); printf("\n"); }
    for (uint32_t i = 0; i < g->nodes; i++) {
        const shp_node_proto *n = &g->node[i];
        printf("node %u ", i);
        text(n->name); printf(" "); text(n->domain); printf(" "); text(n->op_type); printf(" "); text(n->overload);
        printf(" in");
        for (uint32_t k = 0; k < n->inputs; k++) slot(g, n->input[k]);
        printf(" out");
        for (uint32_t k = 0; k < n->outputs; k++) slot(g, n->output[k]);
        for (uint32_t k = 0; k < n->attrs; k++) attr(&n->attr[k]);
        printf("\n");
    }
    for (uint32_t i = 0; i < g->outputs; i++) { printf("output"); slot(g, g->output[i]); printf("\n"); }
    for (uint32_t i = 0; i < g->value_infos; i++) { printf("info "); text(g->value_info[i]->name); printf(" "); type(&g->value_info[i]->type); printf("\n"); }
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t k = 0; k < g->node[i].attrs; k++) {
            const shp_attr *a = &g->node[i].attr[k];
            for (uint32_t b = 0; b < (a->graphs ? a->count : a->g ? 1 : 0); b++) {
                char *sub = malloc(strlen(path) + 64 + a->name.len);
                sprintf(sub, "%s/%u.%.*s", path, i, (int)a->name.len, a->name.at);
                graph(a->graphs ? a->graphs[b] : a->g, sub);
                free(sub);
            }
        }
}

static double ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 2) { fprintf(stderr, "usage: list MODEL [WINDOW] [q]\n"); return 2; }
    FILE *f = fopen(argv[1], "rb");
    if (!f) { perror(argv[1]); return 2; }
    fseeko(f, 0, SEEK_END);
    uint64_t size = (uint64_t)ftello(f), offset, bytes = 0, reads = 0;
    size_t window = argc > 2 ? (size_t)atol(argv[2]) : 65536, skeleton_size, len;
    uint8_t *buffer = malloc(window);
    bool quiet = argc > 3;
    shp_arena arena;
    shp_read_error error;
    shp_arena_init(&arena, (size_t)1 << 32, grow, NULL);
    setvbuf(f, NULL, _IONBF, 0);
    double t0 = ms();
    shp_skim *s = shp_skim_new(&arena, size, 64 * 3 + 16);
    while (shp_skim_wants(s, &offset)) {
        fseeko(f, (off_t)offset, SEEK_SET);
        len = fread(buffer, 1, window, f);
        shp_skim_feed(s, offset, buffer, len);
        bytes += len;
        reads++;
    }
    const uint8_t *skeleton = shp_skim_done(s, &skeleton_size, &error);
    double t1 = ms();
    size_t used = arena.used;
    shp_model *m = skeleton ? shp_model_read(&arena, skeleton, skeleton_size, 64, 4000000, 1024, &error) : NULL;
    double t2 = ms();
    if (!m) { printf("error %s at %" PRIu64 ": %s\n", shp_code_name(error.code), error.offset, error.path); return 1; }
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " bytes in %" PRIu64 " reads; skeleton %zu; skim %.3f ms, read %.3f ms; memory %zu, then %zu\n", bytes, size, reads,
            skeleton_size, t1 - t0, t2 - t1, used, arena.used);
    if (m->graph) fprintf(stderr, "%u nodes: %.0f ns a node\n", m->graph->nodes, (t2 - t0) * 1e6 / (m->graph->nodes ? m->graph->nodes : 1));
    if (quiet) return 0;
    printf("model %" PRId64 " ", m->ir_version);
    text(m->producer_name); printf(" "); text(m->producer_version);
    for (uint32_t i = 0; i < m->opsets; i++) { printf(" "); text(m->opset[i].domain); printf("=%" PRId64, m->opset[i].version); }
    printf("\n");
    if (m->graph) graph(m->graph, "");
    for (uint32_t i = 0; i < m->functions; i++) {
        const shp_function *fn = &m->function[i];
        printf("function ");
        text(fn->domain); printf(" "); text(fn->name); printf(" "); text(fn->overload); printf(" attrs");
        for (uint32_t k = 0; k < fn->attrs; k++) { printf(" "); text(fn->attr[k]); }
        for (uint32_t k = 0; k < fn->defaults; k++) attr(&fn->attr_default[k]);
        for (uint32_t k = 0; k < fn->opsets; k++) { printf(" "); text(fn->opset[k].domain); printf("=%" PRId64, fn->opset[k].version); }
        printf("\n");
        char name[32];
        sprintf(name, "function%u", i);
        graph(fn->body, name);
    }
    return 0;
}
