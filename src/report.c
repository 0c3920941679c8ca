#include "report.h"

#include <string.h>

/* ---- what is being built ---- */

typedef struct column {
    void *at;
    size_t rows, room;
} column;

/* What has a number already: keys are a kind below and what is unique within it. */
enum { KEY_TEXT = 1, KEY_TYPE, KEY_FACT, KEY_DIM, KEY_SCOPE, KEY_GRAPH, KEY_SYMBOL, KEY_CONTENT };
enum { WIDEST = 8, MOST_ROWS = 1 << 30 };      /* 4 times a row fits a word */

typedef struct builder {
    shp_infer *x;
    shp_arena *a;
    column table[SHP_TABLE_COUNT];
    uint32_t spare[WIDEST];         /* what is written there where memory has run out */
    shp_dict known;
    const shp_scope **scope;        /* row to scope */
    size_t scope_room;
    const shp_shape *shape;         /* of the last value, its type and its fact: the next one is often alike */
    shp_type type;
    uint32_t fact;
    uint32_t value, axis;           /* of the dim being written, for list_new() */
    bool closed;                    /* all shapes are written: what appears later is listed nowhere */
} builder;

static const uint8_t WIDTH[SHP_TABLE_COUNT] = {     /* words of a row */
#define X(name) + 1
#define WIDTH_OF(name) [SHP_TABLE_##name] = 0 SHP_REPORT_##name(X),
    SHP_REPORT_TABLES(WIDTH_OF)
#undef X
};
enum {
#define X(name) SCOPE_##name,
    SHP_REPORT_SCOPES(X)
#undef X
};
enum {
#define X(name) VALUE_##name,
    SHP_REPORT_VALUES(X)
#undef X
};
enum {
#define X(name) FACT_##name,
    SHP_REPORT_FACTS(X)
#undef X
};
enum {
#define X(name) NODE_##name,
    SHP_REPORT_NODES(X)
#undef X
};
enum {
#define X(name) OP_##name,
    SHP_REPORT_OPS(X)
#undef X
};
enum {
#define X(name) SYMBOL_##name,
    SHP_REPORT_SYMBOLS(X)
#undef X
};
enum {
#define X(name) PLACE_##name,
    SHP_REPORT_PLACES(X)
#undef X
};
enum {
#define X(name) EQUAL_##name,
    SHP_REPORT_EQUALS(X)
#undef X
};
enum {
#define X(name) ASSUMPTION_##name,
    SHP_REPORT_ASSUMPTIONS(X)
#undef X
};
enum {
#define X(name) DIAGNOSTIC_##name,
    SHP_REPORT_DIAGNOSTICS(X)
#undef X
};
enum {
#define X(name) OPSET_##name,
    SHP_REPORT_OPSETS(X)
#undef X
};
enum {
#define X(name) MODEL_##name,
    SHP_REPORT_MODEL(X)
#undef X
};

static inline uint32_t rows(const builder *b, int table) { return (uint32_t)b->table[table].rows; }

/* Room for that many more rows at once, and then some: tables that grow leave their old selves behind, and what is not used costs nothing. */
static bool reserve(builder *b, int table, size_t more)
{
    column *c = &b->table[table];
    if (c->at && c->room - c->rows >= more) return true;
    size_t room = c->rows + (more > c->rows ? more : c->rows) + more / 4 + 16, size = table == SHP_TABLE_CHARS ? 1 : WIDTH[table] * sizeof(uint32_t);
    void *at = more < MOST_ROWS && room < MOST_ROWS ? shp_alloc_array(b->a, room, size) : NULL;
    if (!at) {
        b->a->failed = true;
        return false;
    }
    if (c->rows) memcpy(at, c->at, c->rows * size);
    c->at = at;
    c->room = room;
    return true;
}

static inline uint32_t *row_of(const builder *b, int table, uint32_t row)
{
    return (uint32_t *)b->table[table].at + (size_t)row * WIDTH[table];
}

/* The first of that many new rows, or NULL. */
static uint32_t *add(builder *b, int table, size_t count)
{
    if (!reserve(b, table, count)) return NULL;
    uint32_t *row = row_of(b, table, rows(b, table));
    b->table[table].rows += count;
    return row;
}

/* A new row. Without memory it is one that nobody reads. */
static uint32_t *push(builder *b, int table)
{
    uint32_t *row = add(b, table, 1);
    return row ? row : b->spare;
}

/* The number that set() gave, SHP_NONE for none. */
static uint32_t get(const builder *b, int kind, uint64_t key)
{
    const uint32_t *value = shp_dict_find(&b->known, key << 4 | (uint64_t)kind);
    return value ? *value : SHP_NONE;
}

static void set(builder *b, int kind, uint64_t key, uint32_t value)
{
    uint32_t *at = shp_dict_add(b->a, &b->known, key << 4 | (uint64_t)kind);
    if (at) *at = value;
}

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

/* ---- text ---- */

static void append(builder *b, shp_str s)
{
    if (!s.at || !s.len || !reserve(b, SHP_TABLE_CHARS, s.len)) return;
    column *c = &b->table[SHP_TABLE_CHARS];
    memcpy((char *)c->at + c->rows, s.at, s.len);
    c->rows += s.len;
}

/* Closes the string of what was appended since the last one, and gives its number. */
static uint32_t close_text(builder *b)
{
    if (!reserve(b, SHP_TABLE_TEXT, 1)) return 0;
    *push(b, SHP_TABLE_TEXT) = rows(b, SHP_TABLE_CHARS);
    return rows(b, SHP_TABLE_TEXT) - 2;
}

static uint32_t new_text(builder *b, shp_str s)
{
    append(b, s);
    return close_text(b);
}

static shp_str text_at(const builder *b, uint32_t id)
{
    const uint32_t *start = row_of(b, SHP_TABLE_TEXT, id);
    return (shp_str){ (const char *)b->table[SHP_TABLE_CHARS].at + start[0], start[1] - start[0] };
}

/* The number of a string, the same for equal ones. */
static uint32_t text(builder *b, shp_str s)
{
    if (!s.at || !s.len) return 0;
    uint64_t key = shp_hash(b->x->options.seed, s.at, s.len);
    uint32_t id = get(b, KEY_TEXT, key);
    if (id != SHP_NONE && shp_str_eq(text_at(b, id), s)) return id;
    set(b, KEY_TEXT, key, id = new_text(b, s));
    return id;
}

static shp_str zstr(const char *s) { return (shp_str){ s, (uint32_t)strlen(s) }; }

static void append_int(builder *b, int64_t v)
{
    char digits[SHP_DIGITS];
    append(b, (shp_str){ digits, (uint32_t)(shp_put_int(digits, v) - digits) });
}

/* ---- cells ---- */

typedef uint64_t cell;              /* the low word below, the high one above */

static cell mark(int high, uint32_t low) { return (uint64_t)(uint32_t)high << 32 | low; }
static bool marked(cell c, int high) { return (uint32_t)(c >> 32) == (uint32_t)high; }

static cell cell_int(builder *b, int64_t v)
{
    if ((uint64_t)v - ((uint64_t)1 << 63) >= (uint64_t)16 << 32) return (cell)v;        /* no mark */
    append_int(b, v);
    return mark(SHP_CELL_BIG, close_text(b));
}

static cell cell_real(builder *b, double v)
{
    uint32_t at = rows(b, SHP_TABLE_REALS);
    memcpy(push(b, SHP_TABLE_REALS), &v, sizeof v);
    return mark(SHP_CELL_REAL, at);
}

static void store(uint32_t *row, cell c)
{
    row[0] = (uint32_t)c;
    row[1] = (uint32_t)(c >> 32);
}

static bool is_hidden(void *arg, const shp_symbol *s)
{
    (void)arg;
    return !s->name.len && !s->printed;
}

static bool list_new(void *arg, const shp_symbol *s);

/* The text of an expression: number of the string, SHP_NONE where it cannot be had. */
static uint32_t text_dim(builder *b, shp_dim d)
{
    for (size_t cap = 1024; cap <= (1u << 22); cap *= 8) {
        char local[1024], *out = cap == sizeof local ? local : shp_alloc(b->a, cap);
        size_t len = 0;
        if (out && shp_dim_print(b->x->dims, d, out, cap, &len)) return text(b, (shp_str){ out, (uint32_t)len });
    }
    return SHP_NONE;
}

/* A dim; contents tell nothing of unnamed symbols that stand in no shape: `content` gives null for these. */
static cell cell_dim(builder *b, shp_dim d, bool content)
{
    d = shp_dim_resolve(b->x->dims, d);
    if (!d) return mark(SHP_CELL_NULL, 0);
    const int64_t *v = shp_dim_number(b->x->dims, d);
    if (v) return cell_int(b, *v);
    uint32_t id = get(b, KEY_DIM, d);
    if (id == SHP_NONE) {
        if ((content && shp_dim_any(b->x->dims, d, is_hidden, NULL)) || (id = text_dim(b, d)) == SHP_NONE) return mark(SHP_CELL_NULL, 0);
        set(b, KEY_DIM, d, id);
        if (!b->closed) shp_dim_any(b->x->dims, d, list_new, b);
    }
    return mark(SHP_CELL_TEXT, id);
}

static cell cell_elem(builder *b, shp_elem e, bool flag)
{
    if (shp_elem_is_real(e)) return cell_real(b, shp_elem_value(e));
    int32_t den = shp_elem_den(e);
    if (!den) return mark(SHP_CELL_NULL, 0);
    shp_dim d = shp_elem_num(e);
    cell c = cell_dim(b, d, true);
    if (flag && c <= 1) return mark(c ? SHP_CELL_TRUE : SHP_CELL_FALSE, 0);
    if (den == 1 || marked(c, SHP_CELL_NULL)) return c;
    d = shp_dim_resolve(b->x->dims, d);
    const int64_t *v = shp_dim_number(b->x->dims, d);
    if (v) return cell_real(b, (double)*v / den);
    bool sum = !shp_dim_symbol(b->x->dims, d);
    if (sum) append(b, SHP_STR("("));
    append(b, text_at(b, (uint32_t)c));
    append(b, sum ? SHP_STR(")/") : SHP_STR("/"));
    append_int(b, den);
    return mark(SHP_CELL_TEXT, close_text(b));
}

static uint32_t add_cell(builder *b, cell c)
{
    uint32_t at = rows(b, SHP_TABLE_CELLS);
    store(push(b, SHP_TABLE_CELLS), c);
    return at;
}

/* ---- facts ---- */

static uint32_t text_type(builder *b, shp_type t)
{
    if (!t || shp_type_kind(b->x, t) == SHP_KIND_UNKNOWN) return 0;
    uint32_t id = get(b, KEY_TYPE, t);
    if (id != SHP_NONE) return id;
    set(b, KEY_TYPE, t, id = new_text(b, shp_type_text(b->x, t)));
    return id;
}

/* The row of a type and shape; equal hashes are equal, as value numbers are. */
static uint32_t find_fact(builder *b, const shp_fact *f, uint32_t value)
{
    const shp_shape *shape = f->shape && f->shape->rank >= 0 ? f->shape : NULL;
    uint32_t rank = shape ? (uint32_t)shape->rank : SHP_NONE;
    uint64_t key = shp_mix(shp_shape_hash(b->x, shape), f->type);
    uint32_t at = get(b, KEY_FACT, key);
    if (at != SHP_NONE) return at;
    set(b, KEY_FACT, key, at = rows(b, SHP_TABLE_FACTS));
    uint32_t *row = push(b, SHP_TABLE_FACTS);
    row[FACT_TYPE] = text_type(b, f->type);
    row[FACT_SHAPE] = rows(b, SHP_TABLE_CELLS);
    row[FACT_RANK] = rank;
    row[FACT_CONTENT] = row[FACT_LENGTH] = SHP_NONE;
    b->value = value;
    uint32_t *to = shape && rank ? add(b, SHP_TABLE_CELLS, rank) : NULL;
    for (b->axis = 0; to && b->axis < rank; b->axis++, to += WIDTH[SHP_TABLE_CELLS]) store(to, cell_dim(b, shape->dim[b->axis], false));
    return at;
}

/* value: its row, 0 where there was none before. */
static uint32_t fact_row(builder *b, const shp_fact *f, uint32_t value)
{
    if (!value || f->shape != b->shape || f->type != b->type) b->fact = find_fact(b, f, value);
    b->shape = f->shape;
    b->type = f->type;
    return b->fact;
}

/* The elements of a tensor that are all floating-point constants: the first of them, SHP_NONE where they are not. */
static uint32_t write_reals(builder *b, const shp_content *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (!shp_elem_is_real(c->elem[i])) return SHP_NONE;
    uint32_t first = rows(b, SHP_TABLE_REALS), *row = add(b, SHP_TABLE_REALS, c->count);
    for (uint32_t i = 0; row && i < c->count; i++, row += WIDTH[SHP_TABLE_REALS]) {
        double v = shp_elem_value(c->elem[i]);
        memcpy(row, &v, sizeof v);
    }
    return SHP_REPORT_REALS_FROM + first;
}

/* The elements of a tensor, as FACT_CONTENT tells them; SHP_NONE where none is known. Values that share a content share its cells. */
static uint32_t write_elements(builder *b, const shp_content *c, bool flag)
{
    uint64_t key = address(c) | flag;
    uint32_t first = get(b, KEY_CONTENT, key);
    if (first != SHP_NONE) return first;
    if (c->count) first = write_reals(b, c);
    if (first == SHP_NONE) {
        first = rows(b, SHP_TABLE_CELLS);
        uint32_t *row = add(b, SHP_TABLE_CELLS, c->count);
        bool told = !c->count;
        for (uint32_t i = 0; row && i < c->count; i++, row += WIDTH[SHP_TABLE_CELLS]) {
            cell e = cell_elem(b, c->elem[i], flag);
            told |= !marked(e, SHP_CELL_NULL);
            store(row, e);
        }
        if (!told) {
            b->table[SHP_TABLE_CELLS].rows = first;
            return SHP_NONE;
        }
    }
    set(b, KEY_CONTENT, key, first);
    return first;
}

/* Gives a value a fact of its own where there is more to say. */
static void write_content(builder *b, uint32_t *value, const shp_fact *f)
{
    const shp_content *c = shp_known_content(b->x, f);
    if (!c) return;
    shp_kind kind = shp_type_kind(b->x, f->type);
    cell length = kind == SHP_KIND_SEQ && c->length ? cell_dim(b, c->length, true) : mark(SHP_CELL_NULL, 0);
    uint32_t first = kind == SHP_KIND_TENSOR && !c->item ? write_elements(b, c, shp_dtype_kind(f->type) == 'B') : SHP_NONE;
    if (first == SHP_NONE && marked(length, SHP_CELL_NULL)) return;
    uint32_t at = rows(b, SHP_TABLE_FACTS), *row = push(b, SHP_TABLE_FACTS);
    memcpy(row, row_of(b, SHP_TABLE_FACTS, value[VALUE_FACT]), WIDTH[SHP_TABLE_FACTS] * sizeof *row);
    value[VALUE_FACT] = at;
    if (first != SHP_NONE) row[FACT_CONTENT] = first, row[FACT_COUNT] = c->count;
    if (!marked(length, SHP_CELL_NULL)) row[FACT_LENGTH] = add_cell(b, length);
}

/* ---- graphs ---- */

static uint32_t scope_row(const builder *b, const shp_scope *s)
{
    for (; s; s = s->caller) {          /* one that has been dropped: where it was called */
        uint32_t row = get(b, KEY_SCOPE, address(s));
        if (row != SHP_NONE) return row;
    }
    return 0;
}

static uint32_t node_row(const builder *b, const shp_scope *s, uint32_t node)
{
    if (!s || node >= s->graph->nodes) return SHP_NONE;
    uint32_t row = scope_row(b, s);
    return b->scope[row] == s ? row_of(b, SHP_TABLE_SCOPES, row)[SCOPE_NODES] + node : SHP_NONE;
}

static inline const shp_str *name_of(const shp_graph *g, size_t i) { return i < g->nodes ? &g->node[i].name : &g->slot[i - g->nodes].name; }

/* The text of the first of a graph's names: its nodes', then its slots'. They hardly repeat, so each is one of its own, and all scopes
 * of the graph share them. */
static uint32_t names_of(builder *b, const shp_graph *g)
{
    uint32_t first = get(b, KEY_GRAPH, address(g));
    if (first != SHP_NONE) return first;
    size_t bytes = 0, count = (size_t)g->nodes + g->slots;
    set(b, KEY_GRAPH, address(g), first = rows(b, SHP_TABLE_TEXT) - 1);
    uint32_t *end = add(b, SHP_TABLE_TEXT, count);
    for (size_t i = 0; end && i < count; i++) {
        const shp_str *name = name_of(g, i);
        if (name->at) bytes += name->len;
        end[i] = rows(b, SHP_TABLE_CHARS) + (uint32_t)bytes;
    }
    if (!end || !reserve(b, SHP_TABLE_CHARS, bytes)) return first;
    column *chars = &b->table[SHP_TABLE_CHARS];
    for (size_t i = 0; i < count; i++) {
        const shp_str *name = name_of(g, i);
        if (end[i] == chars->rows) continue;
        memcpy((char *)chars->at + chars->rows, name->at, name->len);
        chars->rows = end[i];
    }
    return first;
}

/* All graphs, depth first. */
static void write_scopes(builder *b)
{
    uint32_t nodes = 0;
    for (const shp_scope *s = b->x->main; s && !b->a->failed;) {
        uint32_t at = rows(b, SHP_TABLE_SCOPES);
        const shp_scope **list = shp_grow_array(b->a, b->scope, at, &b->scope_room, sizeof *list);
        if (!list) return;
        b->scope = list;
        list[at] = s;
        set(b, KEY_SCOPE, address(s), at);
        uint32_t *row = push(b, SHP_TABLE_SCOPES);
        row[SCOPE_PARENT] = s->caller ? scope_row(b, s->caller) : SHP_NONE;
        row[SCOPE_NODE] = node_row(b, s->caller, s->node);
        row[SCOPE_ATTR] = text(b, s->attr);
        row[SCOPE_NODES] = nodes;
        row[SCOPE_NAMES] = names_of(b, s->graph);
        nodes += row[SCOPE_COUNT] = s->graph->nodes;
        if (s->first) { s = s->first; continue; }
        while (s && !s->next) s = s->caller;
        if (s) s = s->next;
    }
}

/* ---- nodes and values ---- */

/* A graph being written. */
typedef struct graph_writer {
    builder *b;
    const shp_scope *s;
    uint32_t scope, node_name, slot_name;       /* names of nodes and slots are texts from there on */
    uint8_t *listed;                /* slots that have a row */
    uint32_t *node, *value, *item;  /* the next rows */
} graph_writer;

static uint32_t write_op(builder *b, const shp_op_proto *op)
{
    uint32_t at = rows(b, SHP_TABLE_OPS), *row = push(b, SHP_TABLE_OPS);
    row[OP_DOMAIN] = text(b, op->domain);
    row[OP_NAME] = text(b, op->op_type);
    return at;
}

static void write_args(graph_writer *w, uint32_t count, const uint32_t *slot, uint64_t read)
{
    *w->item++ = count;
    for (uint32_t i = 0; i < count; i++, read = i < 32 ? read >> 2 : 3)
        *w->item++ = (slot[i] == SHP_NONE ? 0 : 4 * (w->slot_name + slot[i])) + ((uint32_t)read & 3);
}

static void write_node(graph_writer *w, uint32_t i, uint64_t read)
{
    const shp_node_proto *p = &w->s->graph->node[i];
    uint32_t *row = w->node;
    w->node += WIDTH[SHP_TABLE_NODES];
    row[NODE_SCOPE] = w->scope;
    if (!p->op->row) p->op->row = write_op(w->b, p->op) + 1;
    row[NODE_OP] = p->op->row - 1;
    row[NODE_ARGS] = (uint32_t)(w->item - row_of(w->b, SHP_TABLE_LISTS, 0));
    write_args(w, p->inputs, p->input, read);
    write_args(w, p->outputs, shp_output(p), 0);
}

static void write_value(graph_writer *w, uint32_t slot, uint32_t node)
{
    if (slot == SHP_NONE || w->listed[slot]) return;
    w->listed[slot] = 1;
    const shp_slot *v = &w->s->graph->slot[slot];
    uint32_t *row = w->value;
    w->value += WIDTH[SHP_TABLE_VALUES];
    row[VALUE_NAME] = w->slot_name + slot;
    row[VALUE_NODE] = node;
    row[VALUE_PLACE] = 4 * w->scope + (v->is_input ? SHP_VALUE_INPUT : v->source == SHP_FROM_INITIALIZER ? SHP_VALUE_INITIALIZER
        : v->is_output ? SHP_VALUE_OUTPUT : SHP_VALUE_INTERMEDIATE);
    row[VALUE_FACT] = fact_row(w->b, &w->s->fact[slot], (uint32_t)w->b->table[SHP_TABLE_VALUES].rows++);
}

static void write_graph(builder *b, uint32_t scope)
{
    const shp_scope *s = b->scope[scope];
    const shp_graph *g = s->graph;
    const uint32_t *at = row_of(b, SHP_TABLE_SCOPES, scope);
    graph_writer w = { .b = b, .s = s, .scope = scope, .node_name = at[SCOPE_NAMES], .slot_name = at[SCOPE_NAMES] + g->nodes,
                       .listed = shp_alloc(b->a, (size_t)g->slots + 1) };
    size_t items = 2 * (size_t)g->nodes;
    for (uint32_t i = 0; i < g->nodes; i++) items += (size_t)g->node[i].inputs + g->node[i].outputs;
    w.item = add(b, SHP_TABLE_LISTS, items);
    w.node = add(b, SHP_TABLE_NODES, g->nodes);
    if (!w.listed || !w.item || !w.node || !reserve(b, SHP_TABLE_VALUES, g->slots)) return;
    w.value = row_of(b, SHP_TABLE_VALUES, rows(b, SHP_TABLE_VALUES));
    for (uint32_t i = 0; i < g->inputs; i++) write_value(&w, g->input[i], SHP_NONE);
    for (uint32_t i = 0; i < g->initializers; i++) write_value(&w, g->initializer_slot[i], SHP_NONE);
    for (uint32_t i = 0; i < g->nodes; i++) {
        const shp_node_proto *p = &g->node[i];
        write_node(&w, i, s->read ? s->read[i] : 0);
        for (uint32_t o = 0; o < p->outputs; o++) write_value(&w, shp_output(p)[o], at[SCOPE_NODES] + i);
    }
}

/* The fact behind a row of a value. */
static inline const shp_fact *fact_of(const builder *b, const uint32_t *value)
{
    uint32_t row = value[VALUE_PLACE] / 4;
    const shp_scope *s = b->scope[row];
    return &s->fact[value[VALUE_NAME] - row_of(b, SHP_TABLE_SCOPES, row)[SCOPE_NAMES] - s->graph->nodes];
}

/* ---- symbols ---- */

static void write_symbol(builder *b, const shp_symbol *s)
{
    uint32_t at = rows(b, SHP_TABLE_SYMBOLS), *row = push(b, SHP_TABLE_SYMBOLS);
    set(b, KEY_SYMBOL, address(s), at);
    if (s->name.len) {
        row[SYMBOL_NAME] = text(b, s->name);
    } else {
        append(b, SHP_STR("unk__"));
        append_int(b, s->printed - 1);
        row[SYMBOL_NAME] = close_text(b);
    }
    row[SYMBOL_ORIGIN] = s->declared ? SHP_ORIGIN_DECLARED : s->name.len ? SHP_ORIGIN_ADOPTED : SHP_ORIGIN_WHY + s->origin.why;
    row[SYMBOL_NODE] = s->name.len ? SHP_NONE : node_row(b, s->origin.scope, s->origin.node);
}

static void write_place(builder *b, uint32_t symbol, uint32_t value, uint32_t axis)
{
    uint32_t *row = push(b, SHP_TABLE_PLACES);
    row[PLACE_SYMBOL] = symbol;
    row[PLACE_VALUE] = value;
    row[PLACE_AXIS] = axis;
}

/* A symbol that no input declares is listed where it appears first. */
static bool list_new(void *arg, const shp_symbol *s)
{
    builder *b = arg;
    if (s->declared || get(b, KEY_SYMBOL, address(s)) != SHP_NONE) return false;
    write_place(b, rows(b, SHP_TABLE_SYMBOLS), b->value, b->axis);
    write_symbol(b, s);
    return false;
}

static void write_declared(builder *b)
{
    const shp_dims *t = b->x->dims;
    for (uint32_t i = 0; i < shp_dims_symbols(t); i++) {
        const shp_symbol *s = shp_dims_symbol(t, i);
        if (s->declared) write_symbol(b, s);
    }
}

static const shp_symbol *symbol_of(const builder *b, shp_dim d)
{
    return shp_dim_symbol(b->x->dims, shp_dim_resolve(b->x->dims, d));
}

/* The inputs' axes that are a declared symbol, nothing else. */
static void write_places(builder *b)
{
    for (uint32_t i = 0; i < rows(b, SHP_TABLE_VALUES); i++) {
        const uint32_t *value = row_of(b, SHP_TABLE_VALUES, i);
        if (value[VALUE_PLACE] != SHP_VALUE_INPUT) break;          /* the main graph's inputs come first */
        const shp_shape *shape = fact_of(b, value)->shape;
        for (int32_t k = 0; shape && k < shape->rank; k++) {
            const shp_symbol *s = symbol_of(b, shape->dim[k]);
            if (s && s->declared) write_place(b, get(b, KEY_SYMBOL, address(s)), i, (uint32_t)k);
        }
    }
}

static void write_equals(builder *b)
{
    for (uint32_t i = 0; i < shp_dims_equal_count(b->x->dims); i++) {
        shp_dim side[2] = { 0, 0 };
        shp_dims_equal(b->x->dims, i, &side[0], &side[1]);
        for (uint32_t k = 0; k < 2; k++) {
            const shp_symbol *s = symbol_of(b, side[k]);
            uint32_t symbol = s ? get(b, KEY_SYMBOL, address(s)) : SHP_NONE, other;
            if (symbol == SHP_NONE) continue;
            shp_dim d = shp_dim_resolve(b->x->dims, side[!k]);
            const int64_t *v = shp_dim_number(b->x->dims, d);
            if (v) {
                append_int(b, *v);
                other = close_text(b);
            } else {
                cell c = cell_dim(b, d, true);
                if (!marked(c, SHP_CELL_TEXT)) continue;
                other = (uint32_t)c;
            }
            uint32_t *row = push(b, SHP_TABLE_EQUALS);
            row[EQUAL_SYMBOL] = symbol;
            row[EQUAL_TEXT] = other;
        }
    }
}

/* ---- the rest ---- */

static void write_assumptions(builder *b)
{
    for (size_t i = 0; i < b->x->assumptions; i++) {
        const shp_assumption *from = &b->x->assumption[i];
        uint32_t *row = push(b, SHP_TABLE_ASSUMPTIONS);
        row[ASSUMPTION_LHS] = add_cell(b, cell_dim(b, from->lhs, false));
        row[ASSUMPTION_RHS] = add_cell(b, cell_dim(b, from->rhs, false));
        row[ASSUMPTION_SCOPE] = scope_row(b, from->scope);
        row[ASSUMPTION_NODE] = node_row(b, from->scope, from->node);
        row[ASSUMPTION_REASON] = from->reason ? text(b, zstr(from->reason)) : 0;
    }
}

static void write_diagnostics(builder *b)
{
    for (size_t i = 0; i < b->x->diags; i++) {
        const shp_diag *from = &b->x->diag[i];
        uint32_t *row = push(b, SHP_TABLE_DIAGNOSTICS);
        row[DIAGNOSTIC_SEVERITY] = (uint8_t)from->severity;
        row[DIAGNOSTIC_CODE] = from->code;
        row[DIAGNOSTIC_SCOPE] = scope_row(b, from->scope);
        row[DIAGNOSTIC_NODE] = node_row(b, from->scope, from->node);
        row[DIAGNOSTIC_VALUE] = text(b, from->value);
        row[DIAGNOSTIC_MESSAGE] = text(b, from->message);
    }
}

static void write_model(builder *b)
{
    const shp_model *m = b->x->model;
    uint32_t *row = push(b, SHP_TABLE_MODEL);
    row[MODEL_IR_VERSION] = add_cell(b, cell_int(b, m->ir_version));
    append(b, m->producer_name);
    if (m->producer_name.len && m->producer_version.len) append(b, SHP_STR(" "));
    append(b, m->producer_version);
    row[MODEL_PRODUCER] = close_text(b);
    for (uint32_t i = 0; i < m->opsets; i++) {
        row = push(b, SHP_TABLE_OPSETS);
        row[OPSET_DOMAIN] = text(b, m->opset[i].domain);
        row[OPSET_VERSION] = add_cell(b, cell_int(b, m->opset[i].version));
    }
}

static builder *begin(shp_infer *x)
{
    builder *b = shp_alloc(x->arena, sizeof *b);
    if (!b) return NULL;
    b->x = x;
    b->a = x->arena;
    *push(b, SHP_TABLE_TEXT) = 0;       /* string 0 begins at 0 … */
    close_text(b);                      /* … and ends there */
    return b->a->failed ? NULL : b;
}

static const shp_report *end(builder *b)
{
    shp_report *r = shp_alloc(b->a, sizeof *r);
    if (!r || b->a->failed) return NULL;
    for (int i = 0; i < SHP_TABLE_COUNT; i++) r->table[i] = (shp_table){ b->table[i].at, rows(b, i) };
    return r;
}

const shp_report *shp_report_make(shp_infer *x)
{
    builder *b = begin(x);
    if (!b) return NULL;
    write_scopes(b);
    if (b->a->failed) return NULL;
    write_declared(b);
    for (uint32_t i = 0; i < rows(b, SHP_TABLE_SCOPES) && !b->a->failed; i++) write_graph(b, i);
    b->closed = true;
    if (b->a->failed) return NULL;
    write_places(b);
    write_equals(b);
    for (uint32_t i = 0; i < rows(b, SHP_TABLE_VALUES) && !b->a->failed; i++) {     /* last: shapes alone name symbols */
        uint32_t *value = row_of(b, SHP_TABLE_VALUES, i);
        const shp_fact *f = fact_of(b, value);
        if (f->content || f->tensor) write_content(b, value, f);
    }
    write_assumptions(b);
    write_diagnostics(b);
    write_model(b);
    return end(b);
}

/* ---- one node, for a host's rule ---- */

static uint32_t *write_tensor(builder *b, shp_str name, uint32_t kind, const shp_fact *f)
{
    uint32_t *row = push(b, SHP_TABLE_VALUES);
    row[VALUE_NAME] = text(b, name);
    row[VALUE_NODE] = kind;
    row[VALUE_FACT] = fact_row(b, f, 0);
    if (!b->a->failed) write_content(b, row, f);
    return row;
}

static void write_attribute(builder *b, shp_node *n, const shp_attr *a)
{
    shp_fact f = { .type = 0 };
    if (a->type == SHP_ATTR_TENSOR && a->t) f = shp_tensor_fact(n, a->t);
    uint32_t *value = write_tensor(b, a->name, (uint32_t)a->type, &f);
    if (a->type == SHP_ATTR_TENSOR && a->t) return;
    bool single = a->type >= SHP_ATTR_FLOAT && a->type <= SHP_ATTR_STRING;
    uint32_t count = single ? 1 : a->floats || a->ints || a->strings ? a->count : 0;
    value[VALUE_FACT] = rows(b, SHP_TABLE_FACTS);
    uint32_t *row = push(b, SHP_TABLE_FACTS);
    row[FACT_RANK] = row[FACT_LENGTH] = SHP_NONE;
    row[FACT_CONTENT] = rows(b, SHP_TABLE_CELLS);
    row[FACT_COUNT] = count;
    for (uint32_t i = 0; i < count; i++) {
        cell c;
        switch (a->type) {
        case SHP_ATTR_FLOAT: c = cell_real(b, a->f); break;
        case SHP_ATTR_FLOATS: c = cell_real(b, a->floats[i]); break;
        case SHP_ATTR_INT: c = cell_int(b, a->i); break;
        case SHP_ATTR_INTS: c = cell_int(b, a->ints[i]); break;
        case SHP_ATTR_STRING: c = mark(SHP_CELL_TEXT, text(b, a->s)); break;
        default: c = mark(SHP_CELL_TEXT, text(b, a->strings[i]));
        }
        add_cell(b, c);
    }
}

/* The name of an input or output, "" for an omitted one. */
static shp_str slot_name(const shp_node *n, uint32_t slot)
{
    return slot == SHP_NONE ? SHP_STR("") : n->scope->graph->slot[slot].name;
}

static void list_names(builder *b, const shp_node *n, uint32_t count, const uint32_t *slot)
{
    *push(b, SHP_TABLE_LISTS) = count;
    for (uint32_t i = 0; i < count; i++) *push(b, SHP_TABLE_LISTS) = 4 * text(b, slot_name(n, slot[i]));
}

const shp_report *shp_report_node(shp_infer *x, shp_node *n)
{
    builder *b = begin(x);
    if (!b) return NULL;
    const shp_node_proto *p = n->proto;
    b->closed = true;
    add_cell(b, cell_int(b, n->opset));
    for (uint32_t i = 0; i < p->inputs; i++) {
        shp_fact f = *shp_in(n, i);
        write_tensor(b, slot_name(n, p->input[i]), 0, &f);
    }
    for (uint32_t i = 0; i < p->attrs->count && !b->a->failed; i++) {
        const shp_attr *a = &p->attrs->item[i];
        if (a->ref.len) a = shp_attr_named(n, a->name);
        if (a) write_attribute(b, n, a);
    }
    push(b, SHP_TABLE_SCOPES)[SCOPE_NAMES] = text(b, p->name);
    uint32_t *row = push(b, SHP_TABLE_NODES);
    row[NODE_OP] = write_op(b, p->op);
    list_names(b, n, p->inputs, p->input);
    list_names(b, n, p->outputs, shp_output(p));
    return end(b);
}
