#include "report.h"

#include <string.h>

/* ---- what is being built ---- */

typedef struct map {                /* 64-bit keys (never 0) to u32 */
    uint64_t *key;
    uint32_t *value;
    size_t room, used;              /* room is a power of two or 0 */
} map;

typedef struct column {
    uint32_t *at;
    size_t rows, room;
} column;

typedef struct graph_names {        /* texts of a graph's names, shared by all its scopes */
    uint32_t *slot, *node;          /* node: 2 * text, + 1 where no other node of the graph has that name */
} graph_names;

typedef struct link {               /* an item of some symbol's list */
    uint32_t symbol, first, second;
} link;

typedef struct builder {
    shp_infer *x;
    shp_arena *a;
    column table[SHP_TABLE_COUNT];  /* but CHARS */
    uint8_t *chars;
    size_t chars_len, chars_room;
    uint32_t units;                 /* UTF-16 units in chars */
    size_t *byte;                   /* where string i begins in chars; as many as rows of TEXT */
    size_t byte_room;
    map strings, dims, scopes, symbols, graphs;
    graph_names *names;             /* indices are values of `graphs` */
    size_t names_room;
    const shp_scope **scope;        /* row to scope */
    size_t scope_count, scope_room;
    uint32_t *base;                 /* row of a scope's first node */
    const shp_symbol **appeared;    /* symbols that are not declared, in order of appearance */
    link *where;                    /* symbol is an index into `appeared` */
    size_t appeared_count, appeared_room, where_room;
    uint32_t type_text[SHP_TYPE_OTHER];
    uint32_t row, axis;             /* of the dim being written, for visit() */
    bool hidden;
} builder;

static const uint8_t WIDTH[SHP_TABLE_COUNT] = {
#define X(name) + 1
#define WIDTH_OF(name) [SHP_TABLE_##name] = 0 SHP_REPORT_##name(X),
    WIDTH_OF(SCOPES) WIDTH_OF(VALUES) WIDTH_OF(NODES) WIDTH_OF(SYMBOLS) WIDTH_OF(ASSUMPTIONS) WIDTH_OF(DIAGNOSTICS)
    WIDTH_OF(MODEL) WIDTH_OF(LISTS) WIDTH_OF(CELLS) WIDTH_OF(TEXT)
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
#define X(name) NODE_##name,
    SHP_REPORT_NODES(X)
#undef X
};
enum {
#define X(name) SYMBOL_##name,
    SHP_REPORT_SYMBOLS(X)
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
#define X(name) MODEL_##name,
    SHP_REPORT_MODEL(X)
#undef X
};

static uint32_t rows(const builder *b, int table) { return (uint32_t)b->table[table].rows; }

/* A new zeroed row; NULL when memory has run out (b->a->failed tells at the end). */
static uint32_t *push(builder *b, int table)
{
    column *c = &b->table[table];
    size_t width = WIDTH[table];
    uint32_t *at = shp_grow_array(b->a, c->at, c->rows, &c->room, width * sizeof *at);
    if (!at || c->rows >= SHP_NONE - 1) return NULL;
    c->at = at;
    return at + c->rows++ * width;
}

static uint32_t *row_of(builder *b, int table, uint32_t row) { return b->table[table].at + (size_t)row * WIDTH[table]; }

/* Where the value of a key is, made (SHP_NONE) if it is new; NULL without memory. */
static uint32_t *map_at(builder *b, map *m, uint64_t key)
{
    if (m->used * 2 >= m->room) {
        size_t room = m->room ? m->room * 2 : 64;
        map more = { shp_alloc_array(b->a, room, sizeof *more.key), shp_alloc_array(b->a, room, sizeof *more.value), room, m->used };
        if (!more.key || !more.value) return NULL;
        for (size_t i = 0; i < m->room; i++) {
            if (!m->key[i]) continue;
            size_t at = (size_t)shp_mix(m->key[i], 1) & (room - 1);
            while (more.key[at]) at = (at + 1) & (room - 1);
            more.key[at] = m->key[i];
            more.value[at] = m->value[i];
        }
        *m = more;
    }
    size_t at = (size_t)shp_mix(key, 1) & (m->room - 1);
    while (m->key[at] && m->key[at] != key) at = (at + 1) & (m->room - 1);
    if (!m->key[at]) {
        m->key[at] = key;
        m->value[at] = SHP_NONE;
        m->used++;
    }
    return &m->value[at];
}

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

/* ---- text ---- */

/* Length of the well-formed UTF-8 sequence at p (1 to 4), or 0. */
static uint32_t sequence(const uint8_t *p, size_t left)
{
    uint32_t c = p[0], n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (n > left) return 0;
    for (uint32_t i = 1; i < n; i++) if ((p[i] & 0xC0) != 0x80) return 0;
    if (c == 0xE0 && p[1] < 0xA0) return 0;         /* overlong */
    if (c == 0xED && p[1] >= 0xA0) return 0;        /* a surrogate */
    if (c == 0xF0 && p[1] < 0x90) return 0;         /* overlong */
    if (c == 0xF4 && p[1] >= 0x90) return 0;        /* past U+10FFFF */
    return n;
}

static bool chars_room(builder *b, size_t more)
{
    if (b->chars_room - b->chars_len >= more) return true;
    size_t room = b->chars_room * 2 + more + 4096;
    uint8_t *chars = shp_alloc(b->a, room);
    if (!chars) return false;
    if (b->chars_len) memcpy(chars, b->chars, b->chars_len);
    b->chars = chars;
    b->chars_room = room;
    return true;
}

/* Appends bytes as valid UTF-8, counting UTF-16 units. */
static void append(builder *b, shp_str s)
{
    uint32_t ascii = 0;
    while (ascii < s.len && s.at && (uint8_t)s.at[ascii] < 0x80) ascii++;
    if (!s.at || s.len > UINT32_MAX / 4 || !chars_room(b, ascii == s.len ? s.len : (size_t)s.len * 3)) return;
    const uint8_t *p = (const uint8_t *)s.at;
    uint8_t *out = b->chars + b->chars_len;
    if (ascii) memcpy(out, p, ascii);
    out += ascii;
    b->units += ascii;
    for (size_t i = ascii; i < s.len;) {
        uint32_t n = sequence(p + i, s.len - i);
        const uint8_t *from = n ? p + i : (const uint8_t *)"\xEF\xBF\xBD";
        i += n ? n : 1;
        b->units += n == 4 ? 2 : 1;
        for (uint32_t k = n ? n : 3; k; k--) *out++ = *from++;
    }
    b->chars_len = (size_t)(out - b->chars);
}

/* Closes the string of what was appended since the last one, and gives its number. */
static uint32_t close_text(builder *b)
{
    uint32_t id = rows(b, SHP_TABLE_TEXT);
    uint32_t *start = push(b, SHP_TABLE_TEXT);
    size_t *byte = shp_grow_array(b->a, b->byte, id, &b->byte_room, sizeof *byte);
    if (!start || !byte) return 0;
    b->byte = byte;
    *start = b->units;
    byte[id] = b->chars_len;
    return id - 1;
}

/* A string of its own, for names that hardly repeat. */
static uint32_t new_text(builder *b, shp_str s)
{
    if (!s.at || !s.len) return 0;
    append(b, s);
    return close_text(b);
}

/* The number of a string, the same for equal ones. */
static uint32_t text(builder *b, shp_str s)
{
    if (!s.at || !s.len) return 0;
    uint64_t key = shp_hash(1, s.at, s.len);
    uint32_t *id = map_at(b, &b->strings, key | 1);
    if (!id) return 0;
    if (*id != SHP_NONE) {
        size_t at = b->byte[*id], len = b->byte[*id + 1] - at;
        if (len == s.len && !memcmp(b->chars + at, s.at, len)) return *id;
    }
    append(b, s);
    return *id = close_text(b);
}

static shp_str zstr(const char *s) { return (shp_str){ s, (uint32_t)strlen(s) }; }

static void append_number(builder *b, uint64_t v)
{
    char digits[20];
    uint32_t n = 0;
    do digits[sizeof digits - ++n] = (char)('0' + v % 10); while (v /= 10);
    append(b, (shp_str){ digits + sizeof digits - n, n });
}

static void append_int(builder *b, int64_t v)
{
    if (v < 0) append(b, SHP_STR("-"));
    append_number(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
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
    uint32_t at = rows(b, SHP_TABLE_CELLS), *bits = push(b, SHP_TABLE_CELLS);
    if (bits) memcpy(bits, &v, sizeof v);
    return mark(SHP_CELL_REAL, at);
}

static void visit_hidden(void *arg, const shp_symbol *s)
{
    if (!s->name.len && !s->printed) ((builder *)arg)->hidden = true;
}

static void visit_new(void *arg, const shp_symbol *s)
{
    builder *b = arg;
    uint32_t *known = s->declared ? NULL : map_at(b, &b->symbols, address(s));
    if (!known || *known != SHP_NONE) return;
    const shp_symbol **list = shp_grow_array(b->a, b->appeared, b->appeared_count, &b->appeared_room, sizeof *list);
    link *where = shp_grow_array(b->a, b->where, b->appeared_count, &b->where_room, sizeof *where);
    if (!list || !where) return;
    b->appeared = list;
    b->where = where;
    where[b->appeared_count] = (link){ 0, b->row, b->axis };
    *known = (uint32_t)b->appeared_count;
    list[b->appeared_count++] = s;
}

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
    int64_t v;
    d = shp_dim_resolve(b->x->dims, d);
    if (!d) return mark(SHP_CELL_NULL, 0);
    if (shp_dim_number(b->x->dims, d, &v)) return cell_int(b, v);
    uint32_t *known = map_at(b, &b->dims, d);
    if (!known) return mark(SHP_CELL_NULL, 0);
    if (*known == SHP_NONE) {
        b->hidden = false;
        if (content) shp_dim_visit(b->x->dims, d, visit_hidden, b);
        if (b->hidden) return mark(SHP_CELL_NULL, 0);
        *known = text_dim(b, d);
        shp_dim_visit(b->x->dims, d, visit_new, b);
        if (*known == SHP_NONE) return mark(SHP_CELL_NULL, 0);
    }
    return mark(SHP_CELL_TEXT, *known);
}

static cell cell_elem(builder *b, shp_elem e, bool flag)
{
    if (e.den == -1) return cell_real(b, e.real);
    if (e.den < 1) return mark(SHP_CELL_NULL, 0);
    cell c = cell_dim(b, e.num, true);
    if (flag && c <= 1) return mark(c ? SHP_CELL_TRUE : SHP_CELL_FALSE, 0);
    if (e.den == 1 || marked(c, SHP_CELL_NULL)) return c;
    int64_t v;
    if (shp_dim_number(b->x->dims, shp_dim_resolve(b->x->dims, e.num), &v)) return cell_real(b, (double)v / e.den);
    uint32_t id = (uint32_t)c;
    size_t at = b->byte[id];
    uint32_t len = (uint32_t)(b->byte[id + 1] - at);
    bool sum = !shp_dim_symbol(b->x->dims, shp_dim_resolve(b->x->dims, e.num));
    if (!chars_room(b, (size_t)len * 3 + 32)) return mark(SHP_CELL_NULL, 0);      /* so that the view stays */
    if (sum) append(b, SHP_STR("("));
    append(b, (shp_str){ (const char *)b->chars + at, len });
    if (sum) append(b, SHP_STR(")"));
    append(b, SHP_STR("/"));
    append_number(b, (uint64_t)e.den);
    return mark(SHP_CELL_TEXT, close_text(b));
}

/* Adds `count` cells; the first one's index. */
static uint32_t cells(builder *b, size_t count)
{
    uint32_t first = rows(b, SHP_TABLE_CELLS);
    for (size_t i = 0; i < count; i++) push(b, SHP_TABLE_CELLS);
    return first;
}

static void set_cell(builder *b, uint32_t at, cell c)
{
    uint32_t word[2] = { (uint32_t)c, (uint32_t)(c >> 32) };
    if (at < rows(b, SHP_TABLE_CELLS)) memcpy(row_of(b, SHP_TABLE_CELLS, at), word, sizeof word);
}

static uint32_t one_cell(builder *b, cell c)
{
    uint32_t at = cells(b, 1);
    set_cell(b, at, c);
    return at;
}

static void list_item(builder *b, uint32_t item)
{
    uint32_t *at = push(b, SHP_TABLE_LISTS);
    if (at) *at = item;
}

/* ---- types ---- */

static void append_type(builder *b, shp_type t)
{
    uint32_t open = 0;
    while (t) {
        shp_kind kind = shp_type_kind(b->x, t);
        if (kind == SHP_KIND_TENSOR) {
            append(b, zstr(shp_dtype_name(t)));
            break;
        }
        append(b, kind == SHP_KIND_SEQ ? SHP_STR("seq(") : kind == SHP_KIND_OPT ? SHP_STR("optional(")
            : kind == SHP_KIND_MAP ? SHP_STR("map(") : SHP_STR("sparse_tensor("));
        if (kind == SHP_KIND_MAP) {
            const char *key = shp_dtype_name(shp_type_key(b->x, t));
            append(b, key ? zstr(key) : SHP_STR("?"));
            append(b, SHP_STR(","));
        }
        open++;
        t = shp_type_inner(b->x, t);
        if (!t) append(b, SHP_STR("?"));
    }
    while (open--) append(b, SHP_STR(")"));
}

static uint32_t text_type(builder *b, shp_type t)
{
    if (!t || shp_type_kind(b->x, t) == SHP_KIND_UNKNOWN) return 0;
    if (t < SHP_TYPE_OTHER && b->type_text[t]) return b->type_text[t];
    append_type(b, t);
    uint32_t id = close_text(b);
    if (t < SHP_TYPE_OTHER) b->type_text[t] = id;
    return id;
}

/* ---- graphs ---- */

static uint32_t scope_row(builder *b, const shp_scope *s)
{
    for (; s; s = s->caller) {          /* one that has been dropped: where it was called */
        uint32_t *row = map_at(b, &b->scopes, address(s));
        if (row && *row != SHP_NONE) return *row;
    }
    return 0;
}

static uint32_t node_row(builder *b, const shp_scope *s, uint32_t node)
{
    if (!s || node >= s->graph->nodes) return SHP_NONE;
    uint32_t row = scope_row(b, s);
    return b->scope[row] == s ? b->base[row] + node : SHP_NONE;
}

/* All graphs, depth first. */
static void collect(builder *b)
{
    for (const shp_scope *s = b->x->main; s;) {
        const shp_scope **list = shp_grow_array(b->a, b->scope, b->scope_count, &b->scope_room, sizeof *list);
        uint32_t *row = map_at(b, &b->scopes, address(s));
        if (!list || !row) return;
        b->scope = list;
        *row = (uint32_t)b->scope_count;
        list[b->scope_count++] = s;
        if (s->first) { s = s->first; continue; }
        while (s && !s->next) s = s->caller;
        if (s) s = s->next;
    }
}

/* Marks the nodes whose name no other one has; `table` has room for twice as many, a power of two. */
static void mark_unique(const shp_graph *g, graph_names *n, uint32_t *table, size_t room)
{
    for (uint32_t i = 0; i < g->nodes; i++) {
        shp_str name = g->node[i].name;
        if (!n->node[i]) continue;
        n->node[i] |= 1;
        size_t at = (size_t)shp_hash(2, name.at, name.len) & (room - 1);
        while (table[at] && !shp_str_eq(g->node[table[at] - 1].name, name)) at = (at + 1) & (room - 1);
        if (table[at]) n->node[i] &= ~1u, n->node[table[at] - 1] &= ~1u;
        else table[at] = i + 1;
    }
}

/* The texts of a graph's names, made when it is first met. */
static graph_names *names_of(builder *b, const shp_graph *g)
{
    uint32_t *known = map_at(b, &b->graphs, address(g));
    if (!known) return NULL;
    if (*known != SHP_NONE) return &b->names[*known];
    uint32_t at = (uint32_t)b->graphs.used - 1;
    size_t room = 16;
    while (room < (size_t)g->nodes * 2) room *= 2;
    graph_names *list = shp_grow_array(b->a, b->names, at, &b->names_room, sizeof *list);
    graph_names n = { shp_alloc_array(b->a, g->slots + 1u, sizeof *n.slot), shp_alloc_array(b->a, g->nodes + 1u, sizeof *n.node) };
    uint32_t *table = shp_alloc_array(b->a, room, sizeof *table);
    if (!list || !n.slot || !n.node || !table) return NULL;
    for (uint32_t i = 0; i < g->slots; i++) n.slot[i] = new_text(b, g->slot[i].name);
    for (uint32_t i = 0; i < g->nodes; i++) n.node[i] = 2 * new_text(b, g->node[i].name);
    mark_unique(g, &n, table, room);
    b->names = list;
    list[at] = n;
    *known = at;
    return &list[at];
}

static uint32_t list_names(builder *b, const graph_names *n, const uint32_t *slot, uint32_t count)
{
    uint32_t first = rows(b, SHP_TABLE_LISTS);
    for (uint32_t i = 0; i < count; i++) list_item(b, slot[i] == SHP_NONE ? 0 : n->slot[slot[i]]);
    return first;
}

static void write_node(builder *b, const shp_node_proto *p, const graph_names *n, uint32_t scope, uint32_t i, uint64_t read)
{
    uint32_t *row = push(b, SHP_TABLE_NODES);
    if (!row) return;
    row[NODE_SCOPE] = scope;
    row[NODE_INDEX] = i;
    row[NODE_NAME] = n->node[i] / 2;
    row[NODE_UNIQUE] = n->node[i] & 1;
    row[NODE_DOMAIN] = text(b, p->op->domain);
    row[NODE_OP] = text(b, p->op->op_type);
    row[NODE_INPUTS] = list_names(b, n, p->input, p->inputs);
    row[NODE_INPUT_COUNT] = p->inputs;
    row[NODE_OUTPUTS] = list_names(b, n, p->output, p->outputs);
    row[NODE_OUTPUT_COUNT] = p->outputs;
    row[NODE_READ_LOW] = (uint32_t)read;
    row[NODE_READ_HIGH] = (uint32_t)(read >> 32);
}

static void write_nodes(builder *b, uint32_t scope)
{
    const shp_scope *s = b->scope[scope];
    const graph_names *n = names_of(b, s->graph);
    b->base[scope] = rows(b, SHP_TABLE_NODES);
    for (uint32_t i = 0; n && i < s->graph->nodes; i++)
        write_node(b, &s->graph->node[i], n, scope, i, s->read ? s->read[i] : 0);
}

static void write_scope(builder *b, uint32_t scope)
{
    const shp_scope *s = b->scope[scope];
    uint32_t *row = push(b, SHP_TABLE_SCOPES);
    if (!row) return;
    row[SCOPE_PARENT] = row[SCOPE_NODE] = SHP_NONE;
    if (!s->caller) return;
    uint32_t parent = row[SCOPE_PARENT] = scope_row(b, s->caller);
    uint32_t at = row[SCOPE_NODE] = node_row(b, s->caller, s->node);
    if (at == SHP_NONE) return;
    const uint32_t *node = row_of(b, SHP_TABLE_NODES, at);
    uint32_t path = row_of(b, SHP_TABLE_SCOPES, parent)[SCOPE_PATH];
    uint32_t pieces[2] = { path, node[NODE_UNIQUE] ? node[NODE_NAME] : node[NODE_OP] };
    for (uint32_t i = 0; i < 2; i++) {
        size_t from = b->byte[pieces[i]], len = b->byte[pieces[i] + 1] - from;
        if (!chars_room(b, len * 3 + 1)) return;        /* so that the view stays */
        append(b, (shp_str){ (const char *)b->chars + from, (uint32_t)len });
        if (!i && len) append(b, SHP_STR("/"));
    }
    if (!node[NODE_UNIQUE]) append(b, SHP_STR("#")), append_number(b, s->node);
    if (s->attr.len) append(b, SHP_STR("/")), append(b, s->attr);
    row[SCOPE_PATH] = close_text(b);
}

/* ---- values ---- */

static void write_shape(builder *b, uint32_t at, const shp_fact *f)
{
    uint32_t *row = row_of(b, SHP_TABLE_VALUES, at);
    row[VALUE_TYPE] = text_type(b, f->type);
    row[VALUE_RANK] = row[VALUE_CONTENT] = row[VALUE_LENGTH] = SHP_NONE;
    if (!f->shape || f->shape->rank < 0) return;
    uint32_t rank = row[VALUE_RANK] = (uint32_t)f->shape->rank, first = row[VALUE_SHAPE] = cells(b, rank);
    b->row = at;
    for (b->axis = 0; b->axis < rank; b->axis++) set_cell(b, first + b->axis, cell_dim(b, f->shape->dim[b->axis], false));
}

static void write_content(builder *b, uint32_t at, const shp_fact *f)
{
    const shp_content *c = shp_known_content(b->x, f);
    shp_kind kind = shp_type_kind(b->x, f->type);
    if (c && kind == SHP_KIND_SEQ && c->length) {
        cell length = cell_dim(b, c->length, true);
        if (!marked(length, SHP_CELL_NULL)) row_of(b, SHP_TABLE_VALUES, at)[VALUE_LENGTH] = one_cell(b, length);
    }
    if (!c || kind != SHP_KIND_TENSOR || c->item) return;
    bool flag = shp_dtype_kind(f->type) == 'B', known = !c->count;
    uint32_t first = cells(b, c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        cell e = cell_elem(b, c->elem[i], flag);
        known |= !marked(e, SHP_CELL_NULL);
        set_cell(b, first + i, e);
    }
    if (!known) return;
    uint32_t *row = row_of(b, SHP_TABLE_VALUES, at);
    row[VALUE_CONTENT] = first;
    row[VALUE_COUNT] = c->count;
}

static void write_value(builder *b, const graph_names *n, uint32_t scope, uint32_t slot, uint8_t *listed, uint32_t node)
{
    const shp_scope *s = b->scope[scope];
    if (slot == SHP_NONE || listed[slot]) return;
    listed[slot] = 1;
    const shp_slot *v = &s->graph->slot[slot];
    uint32_t at = rows(b, SHP_TABLE_VALUES), *row = push(b, SHP_TABLE_VALUES);
    if (!row) return;
    row[VALUE_NAME] = n->slot[slot];
    row[VALUE_SCOPE] = scope;
    row[VALUE_NODE] = node == SHP_NONE ? SHP_NONE : b->base[scope] + node;
    row[VALUE_KIND] = v->is_input ? SHP_VALUE_INPUT : v->source == SHP_FROM_INITIALIZER ? SHP_VALUE_INITIALIZER
        : v->is_output ? SHP_VALUE_OUTPUT : SHP_VALUE_INTERMEDIATE;
    row[VALUE_COUNT] = slot;            /* until write_content */
    write_shape(b, at, &s->fact[slot]);
}

static void write_values(builder *b, uint32_t scope)
{
    const shp_graph *g = b->scope[scope]->graph;
    const graph_names *n = names_of(b, g);
    uint8_t *listed = shp_alloc(b->a, (size_t)g->slots + 1);
    if (!n || !listed) return;
    for (uint32_t i = 0; i < g->inputs; i++) write_value(b, n, scope, g->input[i], listed, SHP_NONE);
    for (uint32_t i = 0; i < g->initializers; i++) write_value(b, n, scope, g->initializer_slot[i], listed, SHP_NONE);
    for (uint32_t i = 0; i < g->nodes; i++) {
        const shp_node_proto *p = &g->node[i];
        for (uint32_t o = 0; o < p->outputs; o++) write_value(b, n, scope, p->output[o], listed, i);
    }
}

/* ---- symbols ---- */

/* Hands each symbol row its items, in order: column `first` and the one after it are the list; `pair` lists both numbers. */
static void group(builder *b, const link *item, size_t count, int first, bool pair)
{
    uint32_t symbols = rows(b, SHP_TABLE_SYMBOLS), size = pair ? 2 : 1;
    for (size_t i = 0; i < count; i++) if (item[i].symbol < symbols) row_of(b, SHP_TABLE_SYMBOLS, item[i].symbol)[first + 1]++;
    uint32_t at = rows(b, SHP_TABLE_LISTS), total = 0;
    for (uint32_t i = 0; i < symbols; i++) {
        uint32_t *row = row_of(b, SHP_TABLE_SYMBOLS, i);
        row[first] = at + total;
        total += row[first + 1] * size;
        row[first + 1] = 0;
    }
    for (uint32_t i = 0; i < total; i++) list_item(b, 0);
    if (b->a->failed) return;
    for (size_t i = 0; i < count; i++) {
        if (item[i].symbol >= symbols) continue;
        uint32_t *row = row_of(b, SHP_TABLE_SYMBOLS, item[i].symbol);
        uint32_t *to = row_of(b, SHP_TABLE_LISTS, row[first] + size * row[first + 1]++);
        to[0] = item[i].first;
        if (pair) to[1] = item[i].second;
    }
}

static void write_symbol(builder *b, const shp_symbol *s)
{
    uint32_t at = rows(b, SHP_TABLE_SYMBOLS), *row = push(b, SHP_TABLE_SYMBOLS), *known = map_at(b, &b->symbols, address(s));
    if (!row || !known) return;
    *known = at;
    if (s->name.len) {
        row[SYMBOL_NAME] = text(b, s->name);
    } else {
        append(b, SHP_STR("unk__"));
        append_number(b, s->printed - 1);
        row[SYMBOL_NAME] = close_text(b);
    }
    row[SYMBOL_ORIGIN] = s->declared ? SHP_ORIGIN_DECLARED : s->name.len ? SHP_ORIGIN_ADOPTED : SHP_ORIGIN_WHY + s->origin.why;
    row[SYMBOL_NODE] = s->name.len ? SHP_NONE : node_row(b, s->origin.scope, s->origin.node);
}

static uint32_t symbol_row(builder *b, shp_dim d)
{
    const shp_symbol *s = shp_dim_symbol(b->x->dims, shp_dim_resolve(b->x->dims, d));
    uint32_t *row = s ? map_at(b, &b->symbols, address(s)) : NULL;
    return row ? *row : SHP_NONE;
}

static void add_link(builder *b, link **list, size_t *count, size_t *room, link l)
{
    link *more = shp_grow_array(b->a, *list, *count, room, sizeof l);
    if (!more) return;
    *list = more;
    more[(*count)++] = l;
}

/* The inputs' axes that are a symbol, nothing else. */
static void write_where(builder *b, uint32_t declared)
{
    link *list = NULL;
    size_t count = 0, room = 0;
    const shp_scope *s = b->x->main;
    for (uint32_t v = 0; v < rows(b, SHP_TABLE_VALUES); v++) {
        const uint32_t *row = row_of(b, SHP_TABLE_VALUES, v);
        if (row[VALUE_SCOPE] || row[VALUE_KIND] != SHP_VALUE_INPUT) break;      /* inputs come first */
        const shp_shape *shape = s->fact[row[VALUE_COUNT]].shape;
        for (uint32_t i = 0; shape && row[VALUE_RANK] != SHP_NONE && i < row[VALUE_RANK]; i++) {
            uint32_t symbol = symbol_row(b, shape->dim[i]);
            if (symbol < declared) add_link(b, &list, &count, &room, (link){ symbol, v, i });
        }
    }
    for (size_t i = 0; i < b->appeared_count; i++) {
        link l = b->where[i];
        l.symbol = declared + (uint32_t)i;
        add_link(b, &list, &count, &room, l);
    }
    group(b, list, count, SYMBOL_WHERE, true);
}

static void write_equal(builder *b)
{
    link *list = NULL;
    size_t count = 0, room = 0;
    for (uint32_t i = 0; i < shp_dims_equal_count(b->x->dims); i++) {
        shp_dim side[2] = { 0, 0 };
        shp_dims_equal(b->x->dims, i, &side[0], &side[1]);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t symbol = symbol_row(b, side[k]), other;
            if (symbol == SHP_NONE) continue;
            int64_t v;
            shp_dim d = shp_dim_resolve(b->x->dims, side[!k]);
            if (shp_dim_number(b->x->dims, d, &v)) {
                append_int(b, v);
                other = close_text(b);
            } else {
                cell c = cell_dim(b, d, true);
                if (!marked(c, SHP_CELL_TEXT)) continue;
                other = (uint32_t)c;
            }
            add_link(b, &list, &count, &room, (link){ symbol, other, 0 });
        }
    }
    group(b, list, count, SYMBOL_EQUAL, false);
}

static void write_symbols(builder *b)
{
    const shp_dims *t = b->x->dims;
    for (uint32_t i = 0; i < shp_dims_symbols(t); i++) {
        const shp_symbol *s = shp_dims_symbol(t, i);
        if (s->declared) write_symbol(b, s);
    }
    uint32_t declared = rows(b, SHP_TABLE_SYMBOLS);
    for (size_t i = 0; i < b->appeared_count; i++) write_symbol(b, b->appeared[i]);
    if (b->a->failed) return;
    write_where(b, declared);
    write_equal(b);
}

/* ---- the rest ---- */

static void write_assumptions(builder *b)
{
    for (size_t i = 0; i < b->x->assumptions; i++) {
        const shp_assumption *from = &b->x->assumption[i];
        uint32_t *row = push(b, SHP_TABLE_ASSUMPTIONS);
        if (!row) return;
        row[ASSUMPTION_LHS] = one_cell(b, cell_dim(b, from->lhs, false));
        row[ASSUMPTION_RHS] = one_cell(b, cell_dim(b, from->rhs, false));
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
        if (!row) return;
        row[DIAGNOSTIC_SEVERITY] = (uint8_t)from->severity;
        row[DIAGNOSTIC_CODE] = from->code;
        row[DIAGNOSTIC_SCOPE] = scope_row(b, from->scope);
        row[DIAGNOSTIC_NODE] = from->node == SHP_NONE ? SHP_NONE : node_row(b, from->scope, from->node);
        row[DIAGNOSTIC_VALUE] = text(b, from->value);
        row[DIAGNOSTIC_MESSAGE] = text(b, from->message);
    }
}

static void write_model(builder *b)
{
    const shp_model *m = b->x->model;
    uint32_t *row = push(b, SHP_TABLE_MODEL);
    if (!row) return;
    row[MODEL_IR_VERSION] = one_cell(b, cell_int(b, m->ir_version));
    append(b, m->producer_name);
    if (m->producer_name.len && m->producer_version.len) append(b, SHP_STR(" "));
    append(b, m->producer_version);
    row[MODEL_PRODUCER] = close_text(b);
    row[MODEL_OPSETS] = rows(b, SHP_TABLE_LISTS);
    row[MODEL_OPSET_COUNT] = m->opsets;
    for (uint32_t i = 0; i < m->opsets; i++) {
        list_item(b, text(b, m->opset[i].domain));
        list_item(b, one_cell(b, cell_int(b, m->opset[i].version)));
    }
}

static builder *begin(shp_infer *x)
{
    builder *b = shp_alloc(x->arena, sizeof *b);
    if (!b) return NULL;
    b->x = x;
    b->a = x->arena;
    uint32_t *zero = push(b, SHP_TABLE_TEXT);           /* string 0 begins at 0 … */
    b->byte = shp_grow_array(b->a, NULL, 0, &b->byte_room, sizeof *b->byte);
    if (!zero || !b->byte) return NULL;
    close_text(b);                                      /* … and ends there */
    return b;
}

static const shp_report *end(builder *b)
{
    shp_report *r = shp_alloc(b->a, sizeof *r);
    if (!r || b->a->failed) return NULL;
    for (int i = 0; i < SHP_TABLE_CHARS; i++) r->table[i] = (shp_table){ b->table[i].at, rows(b, i) };
    r->table[SHP_TABLE_CHARS] = (shp_table){ b->chars, (uint32_t)b->chars_len };
    return r;
}

static void reserve(builder *b, int table, size_t count)
{
    column *c = &b->table[table];
    uint32_t *at = shp_alloc_array(b->a, count + 1, WIDTH[table] * sizeof *at);
    if (!at) return;
    if (c->rows) memcpy(at, c->at, c->rows * WIDTH[table] * sizeof *at);
    c->at = at;
    c->room = count + 1;
}

/* Room for what graphs of that size need, at once: tables that grow leave their old selves behind. */
static void reserve_all(builder *b)
{
    size_t nodes = 0, values = 0, items = 0, dims = 0, strings = 64, bytes = 4096;
    for (size_t k = 0; k < b->scope_count; k++) {
        const shp_scope *s = b->scope[k];
        const shp_graph *g = s->graph;
        nodes += g->nodes;
        for (uint32_t i = 0; i < g->slots; i++) {
            if (g->slot[i].source == SHP_FROM_OUTER) continue;
            values++;
            if (s->fact[i].shape && s->fact[i].shape->rank > 0) dims += (size_t)s->fact[i].shape->rank;
        }
        for (uint32_t i = 0; i < g->nodes; i++) items += (size_t)g->node[i].inputs + g->node[i].outputs;
        if (k && s->graph == b->scope[k - 1]->graph) continue;
        strings += g->slots + (size_t)g->nodes;
        for (uint32_t i = 0; i < g->slots; i++) bytes += g->slot[i].name.len;
        for (uint32_t i = 0; i < g->nodes; i++) bytes += g->node[i].name.len;
    }
    reserve(b, SHP_TABLE_SCOPES, b->scope_count);
    reserve(b, SHP_TABLE_NODES, nodes);
    reserve(b, SHP_TABLE_VALUES, values);
    reserve(b, SHP_TABLE_LISTS, items);
    reserve(b, SHP_TABLE_CELLS, dims);
    reserve(b, SHP_TABLE_TEXT, strings);
    size_t *byte = shp_alloc_array(b->a, strings + 1, sizeof *byte);
    uint8_t *chars = shp_alloc(b->a, bytes);
    if (!byte || !chars) return;
    b->byte = byte;             /* begin() has only put zeros there */
    b->byte_room = strings + 1;
    b->chars = chars;
    b->chars_room = bytes;
}

const shp_report *shp_report_make(shp_infer *x)
{
    builder *b = begin(x);
    if (!b) return NULL;
    collect(b);
    b->base = shp_alloc_array(b->a, b->scope_count + 1, sizeof *b->base);
    reserve_all(b);
    if (b->a->failed) return NULL;
    for (uint32_t i = 0; i < b->scope_count && !b->a->failed; i++) {
        write_scope(b, i);
        write_nodes(b, i);
        write_values(b, i);
    }
    if (b->a->failed) return NULL;
    write_symbols(b);
    for (uint32_t i = 0; i < rows(b, SHP_TABLE_VALUES) && !b->a->failed; i++) {     /* last: shapes alone name symbols */
        uint32_t *row = row_of(b, SHP_TABLE_VALUES, i), slot = row[VALUE_COUNT];
        row[VALUE_COUNT] = 0;
        write_content(b, i, &b->scope[row[VALUE_SCOPE]]->fact[slot]);
    }
    write_assumptions(b);
    write_diagnostics(b);
    write_model(b);
    return end(b);
}

/* ---- one node, for a host's rule ---- */

static void attribute(builder *b, shp_node *n, const shp_attr *a)
{
    uint32_t at = rows(b, SHP_TABLE_VALUES), *row = push(b, SHP_TABLE_VALUES);
    if (!row) return;
    row[VALUE_RANK] = row[VALUE_CONTENT] = row[VALUE_LENGTH] = SHP_NONE;
    row[VALUE_NAME] = text(b, a->name);
    row[VALUE_KIND] = (uint32_t)a->type;
    uint32_t count = a->type == SHP_ATTR_FLOAT || a->type == SHP_ATTR_INT || a->type == SHP_ATTR_STRING ? 1
        : a->type == SHP_ATTR_FLOATS ? (a->floats ? a->count : 0) : a->type == SHP_ATTR_INTS ? (a->ints ? a->count : 0)
        : a->type == SHP_ATTR_STRINGS ? (a->strings ? a->count : 0) : 0;
    if (a->type == SHP_ATTR_TENSOR && a->t) {
        shp_fact f = shp_tensor_fact(n, a->t);
        write_shape(b, at, &f);
        write_content(b, at, &f);
        return;
    }
    uint32_t first = row[VALUE_CONTENT] = cells(b, count);
    row[VALUE_COUNT] = count;
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
        set_cell(b, first + i, c);
    }
}

const shp_report *shp_report_node(shp_infer *x, shp_node *n)
{
    builder *b = begin(x);
    if (!b) return NULL;
    const shp_node_proto *p = n->proto;
    for (uint32_t i = 0; i < p->inputs; i++) {
        uint32_t *row = push(b, SHP_TABLE_VALUES);
        if (!row) return NULL;
        row[VALUE_NAME] = p->input[i] == SHP_NONE ? 0 : text(b, n->scope->graph->slot[p->input[i]].name);
        shp_fact f = *shp_in(n, i);
        write_shape(b, i, &f);
        write_content(b, i, &f);
    }
    for (uint32_t i = 0; i < p->attrs->count; i++) {
        const shp_attr *a = &p->attrs->item[i];
        if (a->ref.len) {
            char name[64];
            if (a->name.len >= sizeof name) continue;
            memcpy(name, a->name.at, a->name.len);
            name[a->name.len] = 0;
            a = shp_attr_get(n, name);
        }
        if (a) attribute(b, n, a);
    }
    uint32_t *row = push(b, SHP_TABLE_NODES);
    if (!row) return NULL;
    row[NODE_INDEX] = n->index;
    row[NODE_NAME] = text(b, p->name);
    row[NODE_DOMAIN] = text(b, p->op->domain);
    row[NODE_OP] = text(b, p->op->op_type);
    row[NODE_INPUT_COUNT] = p->inputs;
    row[NODE_OUTPUTS] = rows(b, SHP_TABLE_LISTS);
    row[NODE_OUTPUT_COUNT] = p->outputs;
    for (uint32_t i = 0; i < p->outputs; i++)
        list_item(b, p->output[i] == SHP_NONE ? 0 : text(b, n->scope->graph->slot[p->output[i]].name));
    row[NODE_SCOPE] = (uint32_t)n->opset;       /* there is no scope table here */
    return end(b);
}
