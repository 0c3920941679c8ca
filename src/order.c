/* The order in which a graph's nodes can be done. */
#include "reader.h"

/* Walks what a node depends on: its inputs, then what its bodies take from this graph. */
typedef struct walk {
    uint32_t input, attr, graph, slot;
} walk;

static uint32_t maker(const shp_graph *g, uint32_t slot) { return slot == SHP_NONE ? SHP_NONE : shp_from(&g->slot[slot], SHP_FROM_NODE); }

/* The next node of the same graph that `node` depends on, SHP_NONE at the end. */
static uint32_t next_dependency(const shp_graph *g, const shp_node_proto *node, walk *at)
{
    uint32_t def;
    while (at->input < node->inputs)
        if ((def = maker(g, node->input[at->input++])) != SHP_NONE) return def;
    if (!node->attrs->has_graph) return SHP_NONE;
    for (; at->attr < node->attrs->count; at->attr++, at->graph = 0) {
        const shp_attr *a = &node->attrs->item[at->attr];
        for (; at->graph < shp_attr_bodies(a); at->graph++, at->slot = 0) {
            const shp_graph *body = shp_attr_body(a, at->graph);
            while (at->slot < body->slots)
                if ((def = maker(g, shp_from(&body->slot[at->slot++], SHP_FROM_OUTER))) != SHP_NONE) return def;
        }
    }
    return SHP_NONE;
}

enum { NEW, OPEN, GOOD, CYCLIC, SEEN };     /* CYCLIC: on a cycle, or dependent on one; SEEN: so, and looked at */

typedef struct stack {
    uint32_t *node;
    size_t count, room;
} stack;

static bool push(shp_reader *r, stack *s, uint32_t node)
{
    uint32_t *more = shp_append(r, s->node, s->count, &s->room, sizeof *more);
    if (!more) return false;
    s->node = more;
    more[s->count++] = node;
    return true;
}

/* Goes back from a node that waits, to one that it waits for, as long as the state is that one. Each such node has another. */
static uint32_t go_back(const shp_graph *g, uint8_t *state, uint32_t node, uint8_t from, uint32_t *steps)
{
    for (*steps = 0; state[node] == from; ++*steps) {
        walk at = { 0 };
        uint32_t def;
        do def = next_dependency(g, &g->node[node], &at); while (state[def] < CYCLIC);
        state[node]++;
        if (from == SEEN) g->order[g->sorted + *steps] = node;
        node = def;
    }
    return node;
}

/* Depth first in file order: what a node needs comes right before it. Linear in nodes and inputs. */
static void sort(shp_reader *r, shp_graph *g)
{
    uint8_t *state = shp_take(r, g->nodes, 1);
    stack s = { 0 };
    g->order = shp_take(r, g->nodes, sizeof *g->order);
    for (uint32_t root = 0; root < g->nodes && !r->error->code; root++) {
        if (state[root] != NEW || !push(r, &s, root)) continue;
        while (s.count) {
            uint32_t node = s.node[s.count - 1], def;
            walk at = { 0 };
            if (state[node] == NEW) {
                size_t first = s.count, last;
                state[node] = OPEN;
                while ((def = next_dependency(g, &g->node[node], &at)) != SHP_NONE)
                    if (state[def] == NEW && !push(r, &s, def)) return;
                for (last = s.count; first + 1 < last; first++) {       /* the first on top */
                    def = s.node[first];
                    s.node[first] = s.node[--last];
                    s.node[last] = def;
                }
                continue;
            }
            s.count--;
            if (state[node] != OPEN) continue;
            bool good = true;       /* what is open by now is this node itself or waits for it */
            while (good && (def = next_dependency(g, &g->node[node], &at)) != SHP_NONE) good = state[def] == GOOD;
            state[node] = good ? GOOD : CYCLIC;
            if (good) g->order[g->sorted++] = node;
        }
    }
    uint32_t end, left = 0;
    if (g->sorted == g->nodes || r->error->code) return;
    while (state[left] != CYCLIC) left++;
    go_back(g, state, go_back(g, state, left, CYCLIC, &end), SEEN, &g->cycle);
    end = g->sorted + g->cycle;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (state[i] == CYCLIC || state[i] == SEEN) g->order[end++] = i;
}

/* Whether no body takes what its node or a later one makes. */
static bool is_sorted(const shp_graph *g, const shp_pendings *bodies)
{
    for (size_t i = 0; i < bodies->count; i++) {
        uint32_t node = bodies->item[i].node;
        walk at = { 0 };
        if (i && node == bodies->item[i - 1].node) continue;
        for (uint32_t def; (def = next_dependency(g, &g->node[node], &at)) != SHP_NONE; )
            if (def >= node) return false;
    }
    return true;
}

void shp_read_order(shp_reader *r, shp_graph *g, const shp_pendings *bodies, bool unsorted)
{
    if (!unsorted && is_sorted(g, bodies)) g->sorted = g->nodes;
    else sort(r, g);
}
