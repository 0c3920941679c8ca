/* Graphs: nodes, and the names of values. */
#include "reader.h"

#include "skim.h"

#include <string.h>

enum part { NODE, INITIALIZER, SPARSE, INPUT, OUTPUT, INFO, PARTS, GRAPH_NAME, OTHER };

/* GraphProto and FunctionProto, seen as one: field numbers differ, and a function's inputs and outputs are only names. */
static const uint8_t parts[2][16] = {
    { OTHER, NODE, GRAPH_NAME, OTHER, OTHER, INITIALIZER, OTHER, OTHER, OTHER, OTHER, OTHER, INPUT, OUTPUT, INFO, OTHER, SPARSE },
    { OTHER, GRAPH_NAME, OTHER, OTHER, INPUT, OUTPUT, OTHER, NODE, OTHER, OTHER, OTHER, OTHER, INFO, OTHER, OTHER, OTHER },
};

static inline enum part part_of(bool function, uint32_t key)
{
    return (key & 7) == SHP_LEN && key >> 3 < 16 ? (enum part)parts[function][key >> 3] : OTHER;
}

/* shp_read_next where only the field's key and text are looked at. */
static inline bool next_text(shp_reader *r, shp_wire *w, uint32_t *key, shp_str *text)
{
    if (shp_next_len(w, key, text)) return true;
    shp_wire rest = *w;
    shp_field f;
    if (rest.at == rest.end || !shp_read_next(r, &rest, &f)) return false;
    *w = rest;
    *key = f.key;
    *text = f.text;
    return true;
}

/* ---- names ---- */
enum { AHEAD = 64 };

typedef struct shp_names {
    shp_graph *g;
    struct shp_names *around;       /* the enclosing graph's */
    size_t room;                    /* slots there is memory for */
    uint32_t defined;               /* slots that something defines */
    uint32_t node;                  /* being read */
    bool unsorted;                  /* a node uses what a later one makes */
    bool function;
    shp_wire part[PARTS];           /* where in the message the fields of each part stand: from the first to behind the last */
    uint32_t count[PARTS];
    shp_pendings bodies;
    size_t again_room;
    uint32_t body;                  /* the node whose body is being read */
    uint32_t *out;                  /* outputs of the node being read */
    size_t out_room;
    uint32_t ahead[AHEAD], aheads;  /* hashes of the last slots, which are not in the table yet */
    bool again, eager;              /* one of those was there; the nodes since the mark are read again, and from there on none waits */
} shp_names;

/* The last bytes of a name, 8 at most, as one number: equal ones only where the bytes are, among names of one length. */
static inline uint64_t tail_of(shp_str s)
{
    uint64_t word = 0;
    uint32_t low, high;
    if (s.len >= 8) memcpy(&word, s.at + s.len - 8, 8);
    else if (s.len >= 4) {
        memcpy(&low, s.at, 4);
        memcpy(&high, s.at + s.len - 4, 4);
        word = low | (uint64_t)high << 32;
    } else if (s.len) word = (uint8_t)s.at[0] | (uint64_t)(uint8_t)s.at[s.len / 2] << 8 | (uint64_t)(uint8_t)s.at[s.len - 1] << 16;
    return word;
}

/* Names are short and many: one multiplication by what the author of a file cannot know. The upper half is well mixed. */
static inline uint32_t hash_of(uint64_t seed, shp_str name)
{
    uint64_t h = seed ^ name.len, word;
    for (uint32_t i = 0; i + 8 < name.len; i += 8) {
        memcpy(&word, name.at + i, 8);
        h = shp_mix(h, word);
    }
    return (uint32_t)((h ^ tail_of(name)) * (seed | 1) >> 32);
}

static inline bool same(shp_str a, shp_str b)
{
    uint64_t x, y;
    if (a.len != b.len || !a.len) return a.len == b.len;
    for (uint32_t i = 0; i + 8 < a.len; i += 8) {
        memcpy(&x, a.at + i, 8);
        memcpy(&y, b.at + i, 8);
        if (x != y) return false;
    }
    return tail_of(a) == tail_of(b);
}

/* The place where the name is, or belongs: the upper bits of its hash say where. The others stand there above 1 + its slot, 0 where the
 * place is free: slots and names, which are far away, are looked at where they are the same. */
static inline uint32_t *place(const shp_graph *g, shp_str name, uint32_t hash)
{
    uint32_t mask = (1u << g->bits) - 1, i = hash >> (32 - g->bits), others = hash << g->bits, at;
    for (; (at = g->table[i]); i = (i + 1) & mask)
        if (!((at ^ others) >> g->bits) && same(g->slot[(at & mask) - 1].name, name)) break;
    return &g->table[i];
}

/* The slot at a place, SHP_NONE where it is free. */
static inline uint32_t slot_at(const shp_graph *g, const uint32_t *at) { return (*at & ((1u << g->bits) - 1)) - 1; }

static inline void enter(const shp_graph *g, uint32_t *at, uint32_t slot, uint32_t hash) { *at = hash << g->bits | (slot + 1); }

static bool table_for(shp_reader *r, shp_graph *g, uint64_t slots)
{
    g->bits = 3;
    while (g->bits < 31 && 1u << g->bits < slots + slots / 4) g->bits++;
    g->table = shp_take(r, (size_t)1 << g->bits, sizeof *g->table);
    if (slots >> 30) shp_read_fail(r, SHP_E_MEMORY);
    if (r->error->code) return false;
    memset(g->table, 0, sizeof *g->table << g->bits);       /* it is zero: but new memory that is read before it is written costs twice */
    for (uint32_t i = 0; i < g->slots; i++) {
        uint32_t hash = hash_of(g->seed, g->slot[i].name);
        enter(g, place(g, g->slot[i].name, hash), i, hash);
    }
    return true;
}

/* A new slot at its place in the table, which is made for as many as there is memory for. */
static uint32_t add(shp_reader *r, shp_names *n, uint32_t *at, shp_str name, uint32_t hash)
{
    shp_graph *g = n->g;
    uint32_t slot = g->slots;
    if (++r->slots > r->values) { shp_read_fail(r, SHP_E_VALUES); return SHP_NONE; }
    if (slot == n->room) {
        shp_slot *more = shp_append(r, g->slot, slot, &n->room, sizeof *more);
        if (!more) return SHP_NONE;
        g->slot = more;
        if (!table_for(r, g, n->room)) return SHP_NONE;
        at = place(g, name, hash);
    }
    enter(g, at, slot, hash);
    g->slot[slot].name = name;
    g->slot[slot].from = n->node;
    return g->slots++;
}

/* Enters the last outputs in the table. Their places are far from each other in memory: looked up one right after the other they are waited
 * for together, which of a million names takes a third. */
static void settle(shp_names *n)
{
    shp_graph *g = n->g;
    uint32_t first = g->slots - n->aheads;
    for (uint32_t i = 0; i < n->aheads; i++) {
        uint32_t *at = place(g, g->slot[first + i].name, n->ahead[i]);
        if (*at) n->again = true;
        else enter(g, at, first + i, n->ahead[i]);
    }
    n->aheads = 0;
}

/* The slot of a name, made where there is none yet; SHP_NONE and an error. */
static uint32_t slot_for(shp_reader *r, shp_names *n, shp_str name, uint32_t hash)
{
    uint32_t *at = place(n->g, name, hash), slot = slot_at(n->g, at);
    if (slot == SHP_NONE && n->aheads) {
        settle(n);
        slot = slot_at(n->g, at = place(n->g, name, hash));
    }
    return slot == SHP_NONE ? add(r, n, at, name, hash) : slot;
}

static uint32_t slot_of(shp_reader *r, shp_names *n, shp_str name) { return slot_for(r, n, name, hash_of(r->seed, name)); }

uint32_t shp_graph_find(const shp_graph *g, shp_str name)
{
    return slot_at(g, place(g, name, hash_of(g->seed, name)));
}

/* The slot that means this name in graph n, or in one around it: then a slot of n stands for that. SHP_NONE where nothing defines it. */
static uint32_t captured(shp_reader *r, shp_names *n, shp_str name, uint32_t hash)
{
    if (!n) return SHP_NONE;
    shp_graph *g = n->g;
    uint32_t *at = place(g, name, hash), slot = slot_at(g, at);
    if (slot != SHP_NONE) return g->slot[slot].source ? slot : SHP_NONE;
    uint32_t outer = captured(r, n->around, name, hash);
    if (outer == SHP_NONE || (slot = add(r, n, at, name, hash)) == SHP_NONE) return SHP_NONE;
    g->slot[slot].source = SHP_FROM_OUTER;
    g->slot[slot].from = outer;
    return slot;
}

/* The first definition of a value stands. */
static bool define(shp_names *n, uint32_t slot, shp_source source, uint32_t from)
{
    shp_slot *s = &n->g->slot[slot];
    if (s->source) return false;
    s->source = source;
    s->from = from;
    n->defined++;
    return true;
}

/* A value is defined again, by that node, or where there is none of that number by the graph. */
static void defined_again(shp_reader *r, shp_names *n, uint32_t slot, uint32_t node, bool hides)
{
    shp_graph *g = n->g;
    struct shp_again *more = shp_append(r, g->again, g->agains, &n->again_room, sizeof *more);
    if (!more) return;
    g->again = more;
    more[g->agains++] = (struct shp_again){ slot, node, hides };
    g->slot[slot].twice = g->flawed = true;
}

/* Names that nothing in this graph defines: of a graph around it, or of none. */
static void resolve(shp_reader *r, shp_names *n)
{
    shp_graph *g = n->g;
    r->shown += n->defined;
    for (uint32_t i = 0; n->defined < g->slots && i < g->slots && !r->error->code; i++) {
        shp_slot *s = &g->slot[i];
        if (s->source) continue;
        uint32_t outer = captured(r, n->around, s->name, hash_of(r->seed, s->name));
        if (outer != SHP_NONE) define(n, i, SHP_FROM_OUTER, outer);
        else g->flawed = true;
    }
}

/* ---- nodes ---- */

static inline bool is_op(const shp_op_proto *op, shp_str domain, shp_str op_type, shp_str overload)
{
    return same(op->op_type, op_type) && op->domain.len == domain.len && op->overload.len == overload.len
        && (!(domain.len | overload.len) || (shp_str_eq(op->domain, domain) && shp_str_eq(op->overload, overload)));
}

static shp_op_proto **op_place(const shp_reader *r, const shp_op_proto *key)
{
    for (uint32_t at = key->hash; ; at++) {
        shp_op_proto **op = &r->op[at & ((1u << r->op_bits) - 1)];
        if (!*op || ((*op)->hash == key->hash && is_op(*op, key->domain, key->op_type, key->overload))) return op;
    }
}

static bool more_ops(shp_reader *r)
{
    shp_op_proto **before = r->op;
    uint32_t room = before ? 1u << r->op_bits : 0;
    r->op_bits = before ? r->op_bits + 1 : 6;
    r->op = shp_take(r, (size_t)1 << r->op_bits, sizeof *r->op);
    for (uint32_t i = 0; r->op && i < room; i++)
        if (before[i]) *op_place(r, before[i]) = before[i];
    return r->op;
}

static shp_op_proto *find_op(shp_reader *r, shp_op_proto key)
{
    if ((!r->op || r->ops >> (r->op_bits - 1)) && !more_ops(r)) return NULL;
    uint64_t hash = shp_hash(shp_hash(r->seed, key.op_type.at, key.op_type.len), key.domain.at, key.domain.len);
    key.hash = (uint32_t)shp_hash(hash, key.overload.at, key.overload.len);
    shp_op_proto **op = op_place(r, &key);
    if (*op || !(*op = shp_take(r, 1, sizeof **op))) return *op;
    r->ops++;
    **op = key;
    return *op;
}

/* What is called: a model has thousands of nodes of a few operators, most of them just seen, of the default domain and with a short name. */
static inline shp_op_proto *op_of(shp_reader *r, shp_str domain, shp_str name, shp_str overload)
{
    uint64_t tail = tail_of(name);
    struct shp_recent *recent = &r->recent[(name.len + (uint32_t)tail) % SHP_RECENT];
    shp_op_proto *op = recent->op;
    if (op && recent->tail == tail && op->op_type.len == name.len) {
        bool plain = name.len <= 8 && !(domain.len | overload.len | op->domain.len | op->overload.len);
        if (plain || is_op(op, domain, name, overload)) return op;
    }
    *recent = (struct shp_recent){ tail, find_op(r, (shp_op_proto){ .domain = domain, .op_type = name, .overload = overload }) };
    return recent->op;
}

/* Room for a node's slots; those that it takes move the pool on. */
static uint32_t *room_for_slots(shp_reader *r, size_t most)
{
    enum { POOL = 1024 };
    if (most > r->pool_left) {
        r->pool_left = most > POOL ? most : POOL;
        r->pool = shp_take(r, r->pool_left, sizeof *r->pool);
        if (!r->pool) r->pool_left = 0;
    }
    return r->pool;
}

/* The slot of an input; an omitted one, "", has none. Most nodes use what the node before them made: the last slot. */
static uint32_t input_of(shp_reader *r, shp_names *n, shp_str name)
{
    const shp_graph *g = n->g;
    if (!name.len) return SHP_NONE;
    return g->slots && same(g->slot[g->slots - 1].name, name) ? g->slots - 1 : slot_of(r, n, name);
}

/* Whether a graph around n gives a value of that name before the node to which n belongs. */
static bool is_taken(const shp_names *n, shp_str name, uint32_t hash)
{
    while ((n = n->around)) {
        uint32_t slot = slot_at(n->g, place(n->g, name, hash));
        const shp_slot *s = slot == SHP_NONE ? NULL : &n->g->slot[slot];
        if (s && s->source != SHP_FROM_OUTER) return s->source && (s->source != SHP_FROM_NODE || s->from < n->body);
    }
    return false;
}

/* The slot of an output. A name that had one before anything defined it was used before. */
static uint32_t output_of(shp_reader *r, shp_names *n, shp_str name, uint32_t node)
{
    shp_graph *g = n->g;
    if (!name.len) return SHP_NONE;
    uint32_t before = g->slots, hash = hash_of(r->seed, name), slot = before;
    if (!n->around && !n->eager && slot < n->room && r->slots < r->values) {
        if (n->aheads == AHEAD) settle(n);
        n->ahead[n->aheads++] = hash;
        g->slot[slot].name = name;
        g->slots++;
        r->slots++;
        define(n, slot, SHP_FROM_NODE, node);
        return slot;
    }
    settle(n);
    if ((slot = slot_for(r, n, name, hash)) == SHP_NONE) return slot;
    bool first = define(n, slot, SHP_FROM_NODE, node), hides = first && is_taken(n, name, hash);
    if (first) n->unsorted |= slot < before;
    if ((!first && !g->slot[slot].twice) || hides) defined_again(r, n, slot, node, hides);
    return slot;
}

enum { ALIKE_MAX = 1 << 10 };       /* bytes of attributes; longer ones, bodies mostly, have one place for all */

/* Most nodes have the attributes of one before them, byte for byte: then they share them. */
static const shp_attrs *read_attributes(shp_reader *r, shp_names *n, shp_wire w, uint32_t index, uint32_t count)
{
    const uint8_t *bytes = w.at;
    size_t size = (size_t)(w.end - w.at);
    struct shp_alike *alike = &r->alike[size > ALIKE_MAX ? 0 : shp_hash(r->seed, bytes, size) % SHP_ALIKE];
    if (alike->size == size && !memcmp(alike->bytes, bytes, size)) {
        r->refs += alike->attrs->has_ref;
        return alike->attrs;
    }
    shp_attrs *attrs = shp_take(r, 1, sizeof *attrs);
    shp_attr *attr = shp_take(r, count, sizeof *attr);
    size_t before = n->bodies.count;
    uint64_t refs = r->refs;
    if (!attrs || !attr) return NULL;
    attrs->item = attr;
    for (shp_field f; shp_read_next(r, &w, &f); ) {
        if (f.key != SHP_KEY(5, SHP_LEN)) continue;
        shp_read_attr(r, &f.sub, &attr[attrs->count], &n->bodies, index, attrs->count);
        if (n->bodies.count == before)      /* their lengths are written in more than one way */
            attrs->hash = shp_hash(attrs->hash, f.sub.at, (size_t)(f.sub.end - f.sub.at));
        attrs->count++;
    }
    attrs->has_graph = n->bodies.count > before;
    attrs->has_ref = r->refs > refs;
    if (attrs->has_graph) attrs->hash = (uintptr_t)bytes;
    else *alike = (struct shp_alike){ bytes, size, attrs };
    return attrs;
}

static void read_node(shp_reader *r, shp_names *n, shp_wire w, uint32_t index)
{
    static const shp_attrs none;
    shp_str name = { NULL, 0 }, domain = SHP_STR(""), op_type = SHP_STR(""), overload = SHP_STR(""), text;
    shp_wire attributes = w;
    uint32_t inputs = 0, outputs = 0, attrs = 0, key, *slot = room_for_slots(r, (size_t)(w.end - w.at) / 2 + 1);     /* a name takes two bytes at least */
    n->node = index;
    if (!slot) return;
    for (const uint8_t *at; at = w.at, next_text(r, &w, &key, &text); )
        switch (key) {
        case SHP_KEY(1, SHP_LEN): slot[inputs++] = input_of(r, n, text); break;
        case SHP_KEY(2, SHP_LEN):
            if (outputs == n->out_room && !(n->out = shp_append(r, n->out, outputs, &n->out_room, sizeof *n->out))) return;
            n->out[outputs++] = output_of(r, n, text, index);
            break;
        case SHP_KEY(3, SHP_LEN): name = text; break;
        case SHP_KEY(4, SHP_LEN): op_type = text; break;
        case SHP_KEY(5, SHP_LEN):
            if (!attrs++) attributes.at = at;
            attributes.end = w.at;
            break;
        case SHP_KEY(7, SHP_LEN): domain = shp_domain(text); break;
        case SHP_KEY(8, SHP_LEN): overload = text; break;
        case SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN): shp_read_fail(r, SHP_E_WIRE); break;       /* a name beyond 64 KiB */
        }
    if (r->error->code) return;
    shp_node_proto *node = &n->g->node[index];
    *node = (shp_node_proto){ name, op_of(r, domain, op_type, overload), &none, inputs, outputs, slot };
    slot += inputs;
    for (uint32_t i = 0; i < outputs; i++) slot[i] = n->out[i];
    slot += outputs;
    r->pool_left -= (size_t)(slot - r->pool);
    r->pool = slot;
    if (attrs) node->attrs = read_attributes(r, n, attributes, index, attrs);
}

/* Reads the nodes. Outputs are taken as new, which all are in a graph that is sound and sorted; where one is not, the last nodes are read
 * again, and from there on each output is looked up at once. */
static void read_nodes(shp_reader *r, shp_names *n)
{
    struct mark { shp_wire w; uint64_t slots, refs; size_t bodies; uint32_t i, own, defined; } mark = { 0 };
    shp_graph *g = n->g;
    shp_wire w = n->part[NODE];
    uint32_t i = 0, key = 0;
    shp_str text;
    shp_where here;
    shp_enter(r, &here, "node", i, &w);
    for (bool more = n->count[NODE]; more; ) {
        if (!n->aheads && !n->eager) mark = (struct mark){ w, r->slots, r->refs, n->bodies.count, i, g->slots, n->defined };
        more = !r->error->code && next_text(r, &w, &key, &text);
        if (more && part_of(n->function, key) == NODE) {
            here.message = shp_wire_of((const uint8_t *)text.at, text.len);
            here.path.index = i;
            read_node(r, n, here.message, i++);
        } else if (!more) settle(n);
        if (!n->again) continue;
        memset(g->slot + mark.own, 0, (g->slots - mark.own) * sizeof *g->slot);
        w = mark.w;
        i = mark.i;
        r->slots = mark.slots;
        r->refs = mark.refs;
        g->slots = mark.own;
        n->bodies.count = mark.bodies;
        n->defined = mark.defined;
        n->aheads = 0;
        n->again = false;
        more = n->eager = true;
        if (!table_for(r, g, n->room)) break;
    }
    shp_leave(r, &here);
}

static void read_bodies(shp_reader *r, shp_names *n)
{
    for (size_t i = 0; i < n->bodies.count && !r->error->code; i++) {
        const shp_pending *b = &n->bodies.item[i];
        n->body = b->node;
        uint64_t refs = r->refs;
        shp_where in_node, in_attr, here;
        shp_enter(r, &in_node, "node", b->node, &b->message);
        shp_enter(r, &in_attr, "attribute", b->attr, &b->message);
        shp_enter(r, &here, b->index == SHP_NONE ? "g" : "graphs", b->index, &b->message);
        *b->to = shp_read_graph(r, &b->message, n, false);
        shp_leave(r, &in_node);
        if (r->refs > refs) ((shp_attrs *)n->g->node[b->node].attrs)->has_ref = true;
    }
}

/* ---- graphs ---- */

/* Counts, so that every array has its size from the start (slots for one output a node), and finds where each part is. */
static void count_parts(shp_reader *r, shp_names *n, shp_wire w)
{
    shp_graph *g = n->g;
    const uint8_t *at;
    uint32_t key, before = 0;
    enum part part = OTHER;
    for (shp_str text; at = w.at, next_text(r, &w, &key, &text); ) {
        if (key != before) part = part_of(n->function, before = key);
        if (part == GRAPH_NAME) g->name = text;
        if (part >= PARTS) continue;
        if (!n->count[part]++) n->part[part].at = at;
        n->part[part].end = w.at;
    }
    g->nodes = n->count[NODE];
    g->inputs = n->count[INPUT];
    g->outputs = n->count[OUTPUT];
    g->initializers = n->count[INITIALIZER] + n->count[SPARSE];
    g->value_infos = n->count[INFO] + (n->function ? 0 : g->outputs);
    if (g->value_infos >> SHP_INFO_BITS) shp_read_fail(r, SHP_E_VALUES);
    uint64_t room = (uint64_t)g->nodes + g->inputs + g->initializers + g->nodes / 64 + 4;
    n->room = (size_t)(room < r->values ? room : r->values + 1);
    g->slot = shp_take(r, n->room, sizeof *g->slot);
    g->node = shp_take(r, g->nodes, sizeof *g->node);
    g->input = shp_take(r, g->inputs, sizeof *g->input);
    g->input_info = shp_take(r, g->inputs, sizeof *g->input_info);
    g->output = shp_take(r, g->outputs, sizeof *g->output);
    g->initializer_slot = shp_take(r, g->initializers, sizeof *g->initializer_slot);
    g->initializer = shp_take(r, g->initializers, sizeof *g->initializer);
    g->value_info = shp_take(r, g->value_infos, sizeof *g->value_info);
    if (!r->error->code) table_for(r, g, n->room);
}

static void read_input(shp_reader *r, shp_names *n, shp_str text, uint32_t i)
{
    shp_graph *g = n->g;
    shp_value_info *info = g->input_info[i] = shp_take(r, 1, sizeof *info);
    if (!info) return;
    if (n->function) info->name = text;
    else shp_read_value_info(r, shp_wire_of((const uint8_t *)text.at, text.len), info);
    g->input[i] = slot_of(r, n, info->name);
    if (g->input[i] == SHP_NONE) return;
    g->slot[g->input[i]].is_input = true;
    if (!define(n, g->input[i], SHP_FROM_INPUT, i)) defined_again(r, n, g->input[i], g->nodes, false);
}

static void read_initializer(shp_reader *r, shp_names *n, const shp_wire *sub, uint32_t i, bool sparse)
{
    shp_graph *g = n->g;
    shp_tensor *t = g->initializer[i] = shp_take(r, 1, sizeof *t);
    if (!t) return;
    if (sparse) shp_read_sparse(r, sub, t);
    else shp_read_tensor(r, sub, t);
    uint32_t slot = g->initializer_slot[i] = slot_of(r, n, t->name);
    if (slot == SHP_NONE || define(n, slot, SHP_FROM_INITIALIZER, i)) return;
    if (g->slot[slot].source == SHP_FROM_INITIALIZER) defined_again(r, n, slot, g->nodes, false);
    g->slot[slot].source = SHP_FROM_INITIALIZER;
    g->slot[slot].from = i;
}

/* Whether there is no type, or a tensor's without a shape. */
static bool is_vague(const shp_type_proto *t) { return !t->kind || ((t->kind == SHP_T_TENSOR || t->kind == SHP_T_SPARSE) && !t->has_shape); }

/* What the file declares for a value: value_info, then outputs, which count most; but first what says a shape. */
static void read_info(shp_reader *r, shp_names *n, shp_str text, uint32_t i, bool output)
{
    shp_graph *g = n->g;
    uint32_t first = n->count[INFO], at = output ? first + i : i, slot;
    shp_value_info here = { 0 }, *info = &here;
    if (!output || !n->function) info = g->value_info[at] = shp_take(r, 1, sizeof *info);
    if (!info) return;
    if (info == &here) here.name = text;
    else shp_read_value_info(r, shp_wire_of((const uint8_t *)text.at, text.len), info);
    if (output) g->output[i] = slot = slot_of(r, n, info->name);
    else slot = shp_graph_find(g, info->name);
    if (slot == SHP_NONE) return;
    shp_slot *s = &g->slot[slot];
    bool before = s->info && (is_vague(&info->type) || (s->info > first && !is_vague(&g->value_info[s->info - 1]->type)));
    if (info != &here && (output || !before)) s->info = (at + 1) & ((1u << SHP_INFO_BITS) - 1);
    if (output) s->is_output = true;
}

static void read_part(shp_reader *r, shp_names *n, enum part part, const char *name)
{
    shp_wire w = n->part[part];
    uint32_t i = 0, key, before = 0;
    bool mine = false;
    shp_where here;
    if (!n->count[part]) return;
    shp_enter(r, &here, name, i, &w);
    for (shp_str text; next_text(r, &w, &key, &text) && !r->error->code; ) {
        if (key != before) mine = part_of(n->function, before = key) == part;
        if (!mine) continue;
        here.message = shp_wire_of((const uint8_t *)text.at, text.len);
        here.path.index = i;
        if (part == INPUT) read_input(r, n, text, i);
        else if (part == OUTPUT || part == INFO) read_info(r, n, text, i, part == OUTPUT);
        else read_initializer(r, n, &here.message, part == SPARSE ? n->count[INITIALIZER] + i : i, part == SPARSE);
        i++;
    }
    shp_leave(r, &here);
}

shp_graph *shp_read_graph(shp_reader *r, const shp_wire *message, struct shp_names *around, bool function)
{
    shp_graph *g = shp_take(r, 1, sizeof *g);
    shp_names n = { .g = g, .around = around, .function = function };
    if (!g) return NULL;
    g->seed = r->seed;
    g->outer = around ? around->g : NULL;
    g->depth = around ? around->g->depth + 1 : 0;
    if (g->depth > r->nesting) { shp_read_fail(r, SHP_E_NESTING); return NULL; }
    count_parts(r, &n, *message);
    read_part(r, &n, INPUT, "input");               /* inputs and initializers define names before any node does */
    read_part(r, &n, INITIALIZER, "initializer");
    read_part(r, &n, SPARSE, "sparse_initializer");
    read_nodes(r, &n);
    n.node = g->nodes;
    read_part(r, &n, OUTPUT, "output");
    read_part(r, &n, INFO, "value_info");
    resolve(r, &n);
    read_bodies(r, &n);
    if (r->error->code) return NULL;
    shp_read_order(r, g, &n.bodies, n.unsorted);
    return r->error->code ? NULL : g;
}
