#include "driver.h"

#include <stdarg.h>
#include <string.h>

enum { FAR = 1 << 30 };             /* bounds beyond are no sizes to reason with */

const shp_shape shp_shape_none = { .rank = -1 }, shp_shape_apart = { .rank = -2 };

/* ---- types ---- */

shp_kind shp_type_kind(const shp_infer *x, shp_type t)
{
    if (t == 0) return SHP_KIND_UNKNOWN;
    if (t < SHP_TYPE_SEQ) return SHP_KIND_TENSOR;
    if (t < SHP_TYPE_OPT) return SHP_KIND_SEQ;
    if (t < SHP_TYPE_OTHER) return SHP_KIND_OPT;
    size_t row = (size_t)t - SHP_TYPE_OTHER;
    return row < x->p->types ? x->p->type[row].kind : SHP_KIND_UNKNOWN;
}

shp_type shp_type_inner(const shp_infer *x, shp_type t)
{
    if (t < SHP_TYPE_SEQ) return 0;
    if (t < SHP_TYPE_OTHER) return (shp_type)(t - (t < SHP_TYPE_OPT ? SHP_TYPE_SEQ : SHP_TYPE_OPT));
    size_t row = (size_t)t - SHP_TYPE_OTHER;
    return row < x->p->types ? x->p->type[row].inner : 0;
}

/* The tensor's element type at the bottom of sequences and optionals; 0: none. */
static int dtype_of(const shp_infer *x, shp_type t)
{
    for (int depth = 0; depth < SHP_TYPE_DEPTH; depth++) {
        switch (shp_type_kind(x, t)) {
        case SHP_KIND_TENSOR: return t;
        case SHP_KIND_SEQ: case SHP_KIND_OPT: case SHP_KIND_SPARSE: t = shp_type_inner(x, t); break;
        default: return 0;
        }
    }
    return 0;
}

int shp_type_key(const shp_infer *x, shp_type t)
{
    return shp_type_kind(x, t) == SHP_KIND_MAP ? x->p->type[t - SHP_TYPE_OTHER].key : 0;
}

shp_type shp_type_make(shp_infer *x, shp_kind kind, shp_type inner, int key)
{
    bool tensor = inner > 0 && inner < SHP_TYPE_SEQ;
    if (kind == SHP_KIND_TENSOR) return inner;
    if (kind == SHP_KIND_SEQ && tensor) return (shp_type)(SHP_TYPE_SEQ + inner);
    if (kind == SHP_KIND_OPT && tensor) return (shp_type)(SHP_TYPE_OPT + inner);
    if (kind == SHP_KIND_OPT && inner > SHP_TYPE_SEQ && inner < SHP_TYPE_OPT) return (shp_type)(SHP_TYPE_OPTSEQ + inner - SHP_TYPE_SEQ);
    struct shp_private *p = x->p;
    for (size_t i = 0; i < p->types; i++)
        if (p->type[i].kind == kind && p->type[i].inner == inner && p->type[i].key == key) return (shp_type)(SHP_TYPE_OTHER + i);
    if (p->types >= 4096) return 0;         /* a model that makes thousands of types is no model */
    shp_type_row *more = shp_grow_array(x->arena, p->type, p->types, &p->type_room, sizeof *more);
    if (!more) return 0;
    p->type = more;
    p->type[p->types] = (shp_type_row){ kind, inner, key };
    return (shp_type)(SHP_TYPE_OTHER + p->types++);
}

/* How types begin, in the order of their kinds. */
static const char begins[][16] = { "", "tensor(", "seq(", "optional(", "map(", "sparse_tensor(" };

static char *put_dtype(char *to, int dtype)
{
    const char *name = shp_dtype_name(dtype);
    return shp_put_text(to, name ? name : "?");
}

shp_str shp_type_text(shp_infer *x, shp_type t)
{
    enum { LEVEL = 32 };            /* bytes for each */
    size_t room = LEVEL, levels = 0;
    for (shp_type in = t; in >= SHP_TYPE_SEQ; in = shp_type_inner(x, in)) room += LEVEL;
    char *text = shp_alloc(x->arena, room), *to = text;
    if (!text) return (shp_str){ "", 0 };
    for (shp_kind kind; (kind = shp_type_kind(x, t)) > SHP_KIND_TENSOR; t = shp_type_inner(x, t), levels++) {
        to = shp_put_text(to, begins[kind]);
        if (kind != SHP_KIND_MAP) continue;
        to = put_dtype(to, shp_type_key(x, t));
        *to++ = ',';
    }
    to = put_dtype(to, t);
    while (levels--) *to++ = ')';
    return (shp_str){ text, (uint32_t)(to - text) };
}

/* The element type that s begins with, by either of its names or its number; s moves past it. 0: none. */
static int parse_dtype(shp_str *s)
{
    shp_str word = { s->at, 0 };
    int number = 0;
    while (word.len < s->len && ((s->at[word.len] >= 'a' && s->at[word.len] <= 'z') || (s->at[word.len] >= '0' && s->at[word.len] <= '9'))) {
        number = number < SHP_DTYPE_COUNT && s->at[word.len] <= '9' ? number * 10 + s->at[word.len] - '0' : SHP_DTYPE_COUNT;
        word.len++;
    }
    *s = (shp_str){ s->at + word.len, s->len - word.len };
    if (number < SHP_DTYPE_COUNT) return number;
    if (shp_str_is(word, "float")) return SHP_FLOAT;
    if (shp_str_is(word, "double")) return SHP_DOUBLE;
    return shp_dtype_named(word.at, word.len);
}

static shp_type parse_part(shp_infer *x, shp_str *s, int depth)
{
    for (int kind = SHP_KIND_TENSOR; depth < SHP_TYPE_DEPTH && kind <= SHP_KIND_SPARSE; kind++) {
        int key = 0;
        if (!shp_str_starts(s, begins[kind])) continue;
        if (kind == SHP_KIND_MAP && (!(key = parse_dtype(s)) || !shp_str_starts(s, ","))) return 0;
        while (shp_str_starts(s, " ")) {}
        shp_type inner = parse_part(x, s, depth + 1);
        if (!inner || !shp_str_starts(s, ")")) return 0;
        return kind == SHP_KIND_TENSOR ? inner : shp_type_make(x, (shp_kind)kind, inner, key);
    }
    return (shp_type)parse_dtype(s);
}

/* "float32", "tensor(float)", "seq(map(int64,float))", "1" (a TensorProto.DataType), …; 0 for what is none. */
shp_type shp_type_parse(shp_infer *x, shp_str s)
{
    shp_type t = parse_part(x, &s, 0);
    return s.len ? 0 : t;
}

/* ---- shapes and contents ---- */

shp_shape *shp_shape_new(shp_infer *x, int64_t rank)
{
    if (rank < 0 || rank > SHP_RANK_MAX) return NULL;
    shp_shape *s = shp_alloc(x->arena, sizeof *s + (size_t)rank * sizeof(shp_dim));
    if (s) s->rank = (int32_t)rank;
    return s;
}

const shp_shape *shp_shape_resolve(shp_infer *x, const shp_shape *s)
{
    if (!s || s->rank <= 0 || !shp_dims_mark(x->dims) || (s->hash && !(s->hash & 1))) return s;
    for (int32_t i = 0; i < s->rank; i++) {
        if (shp_dim_resolve(x->dims, s->dim[i]) == s->dim[i]) continue;
        shp_shape *r = shp_shape_new(x, s->rank);
        if (!r) return s;
        for (int32_t k = 0; k < s->rank; k++) r->dim[k] = shp_dim_resolve(x->dims, s->dim[k]);
        return r;
    }
    return s;
}

uint64_t shp_shape_hash(shp_infer *x, const shp_shape *s)
{
    if (!s || s->hash) return s ? s->hash : 0;
    uint64_t hash = shp_mix(x->options.seed, (uint64_t)s->rank);
    bool open = false;
    for (int32_t i = 0; i < s->rank; i++) {
        hash = shp_mix(hash, s->dim[i]);
        open |= !(s->dim[i] & SHP_DIM_NUMBER);
    }
    hash = (hash & ~(uint64_t)3) | 2 | open;
    if (s->rank >= 0) ((shp_shape *)s)->hash = hash;
    return hash;
}

static shp_elem resolved(shp_infer *x, shp_elem e)
{
    return shp_elem_den(e) > 0 ? (e - shp_elem_num(e)) | shp_dim_resolve(x->dims, shp_elem_num(e)) : e;
}

const shp_content *shp_content_resolve(shp_infer *x, const shp_content *c)
{
    if (!c || c->item || c->fixed || !shp_dims_mark(x->dims)) return c;
    for (uint32_t i = 0; i < c->count; i++) {
        if (resolved(x, c->elem[i]) == c->elem[i]) continue;
        shp_content *r = shp_alloc(x->arena, sizeof *r + c->count * sizeof(shp_elem));
        if (!r) return c;
        *r = *c;
        for (uint32_t k = 0; k < c->count; k++) r->elem[k] = resolved(x, c->elem[k]);
        return r;
    }
    return c;
}

int64_t shp_shape_count(const shp_infer *x, const shp_shape *s)
{
    int64_t count = 1;
    bool zero = false;
    for (int32_t i = 0; s && i < s->rank; i++) {
        const int64_t *v = shp_dim_number(x->dims, s->dim[i]);
        if (!v || *v < 0) return -1;
        zero |= *v == 0;
        count = !*v || count > INT64_MAX / *v ? INT64_MAX : count * *v;
    }
    return !s || s->rank < 0 ? -1 : zero ? 0 : count;
}

/* ---- inputs ---- */

static uint32_t in_slot(const shp_node *n, uint32_t i)
{
    return i < n->proto->inputs ? n->proto->input[i] : SHP_NONE;
}

static void mark_read(shp_node *n, uint32_t i, bool content)
{
    if (n->read && i < 32) *n->read |= (uint64_t)1 << (2 * i + content);
}

bool shp_has(const shp_node *n, uint32_t i)
{
    uint32_t slot = in_slot(n, i);
    return slot != SHP_NONE && n->scope->fact[slot].id != SHP_ABSENT;
}

uint32_t shp_inputs(const shp_node *n)
{
    uint32_t count = n->proto->inputs;
    while (count && !shp_has(n, count - 1)) count--;
    return count;
}

static const shp_fact no_fact;

const shp_fact *shp_in(shp_node *n, uint32_t i)
{
    uint32_t slot = in_slot(n, i);
    if (slot == SHP_NONE) return &no_fact;
    mark_read(n, i, false);
    shp_fact *f = &n->scope->fact[slot];
    f->shape = shp_shape_resolve(n->x, f->shape);
    return f;
}

shp_type shp_in_type(shp_node *n, uint32_t i)
{
    uint32_t slot = in_slot(n, i);
    return slot == SHP_NONE ? 0 : n->scope->fact[slot].type;
}

int shp_in_dtype(shp_node *n, uint32_t i) { return dtype_of(n->x, shp_in_type(n, i)); }

const shp_shape *shp_in_shape(shp_node *n, uint32_t i)
{
    const shp_shape *s = shp_in(n, i)->shape;
    return s && s->rank >= 0 ? s : NULL;
}

int shp_in_rank(shp_node *n, uint32_t i)
{
    const shp_shape *s = shp_in_shape(n, i);
    return s ? s->rank : -1;
}

/* c (or nothing) with a value symbol for each integer or bool element that is not known; NULL where that makes too many. */
static const shp_content *with_symbols(shp_infer *x, const shp_scope *scope, uint32_t node, const shp_fact *f, const shp_content *c)
{
    if (c && c->fixed) return c;
    char kind = shp_type_kind(x, f->type) == SHP_KIND_TENSOR ? shp_dtype_kind(f->type) : 0;
    if (kind != 'I' && kind != 'U' && kind != 'B') return c;
    uint32_t missing = 0;
    if (c) {
        for (uint32_t i = 0; i < c->count; i++) missing += !c->elem[i];
        if (!missing) return c;
    }
    int64_t count = c ? (int64_t)c->count : shp_shape_count(x, f->shape);
    if (count < 0 || count > SHP_SYMBOLS_MAX) return c;
    shp_content *r = shp_alloc(x->arena, sizeof *r + (size_t)count * sizeof(shp_elem));
    if (!r) return c;
    r->count = (uint32_t)count;
    for (uint32_t i = 0; i < r->count; i++) {
        if (c && c->elem[i]) { r->elem[i] = c->elem[i]; continue; }
        shp_origin origin = { scope, node, 0, i, SHP_WHY_CONTENT };
        r->elem[i] = shp_elem_dim(shp_dim_fresh(x->dims, shp_mix(f->id, i), kind == 'B' ? SHP_FLAG : SHP_ANY, &origin));
        if (!r->elem[i]) return c;
    }
    return r;
}

/* c where it is a tensor's and as long as its shape says: options may give a shape that is not the data's, and a file may contradict itself. Rules
 * count on both. */
static const shp_content *elements(shp_infer *x, const shp_fact *f, const shp_content *c)
{
    if (!c || c->length) return NULL;
    int64_t count = shp_shape_count(x, f->shape);
    return count < 0 || count == c->count ? c : NULL;
}

static const shp_content *fact_content(shp_node *n, shp_fact *f, uint32_t node)
{
    if (f->content && f->content->bounds) return NULL;
    if ((f->content && f->content->fixed) || shp_type_kind(n->x, f->type) != SHP_KIND_TENSOR) return f->content;
    if (!f->content && f->tensor) {
        f->content = elements(n->x, f, shp_tensor_content(n->x, n->scope, f->tensor));
        n->own |= n->x->p->probing && !f->content;
        if (n->x->p->waiting) return NULL;
    }
    f->shape = shp_shape_resolve(n->x, f->shape);
    f->content = with_symbols(n->x, n->scope, node, f, shp_content_resolve(n->x, f->content));
    return f->content;
}

/* Says once that an input's default decides sizes: the caller may feed another value. */
static void tell_default(shp_node *n, uint32_t slot)
{
    const shp_scope *s = n->scope;
    if (n->x->p->default_told || n->x->p->probing || !s->fact[slot].tensor || n->x->model->ir_version < 4) return;
    for (; s->graph->slot[slot].source == SHP_FROM_OUTER && s->outer; s = s->outer) slot = s->graph->slot[slot].from;
    const shp_slot *at = &s->graph->slot[slot];
    if (s != n->x->main || !at->is_input || at->source != SHP_FROM_INITIALIZER || s->fact[slot].tensor != s->graph->initializer[at->from]) return;
    n->x->p->default_told = true;
    shp_diagnose(n->x, s, NULL, SHP_D_DEFAULT, &at->name, "the default of input '%v' decides sizes (give its value with options.inputs if it is fed another)");
}

const shp_content *shp_in_items(shp_node *n, uint32_t i)
{
    uint32_t slot = in_slot(n, i);
    if (slot == SHP_NONE) return NULL;
    mark_read(n, i, true);
    uint32_t def = shp_from(&n->scope->graph->slot[slot], SHP_FROM_NODE);
    tell_default(n, slot);
    return fact_content(n, &n->scope->fact[slot], def == SHP_NONE ? n->index : def);
}

const shp_content *shp_in_content(shp_node *n, uint32_t i) { return elements(n->x, shp_in(n, i), shp_in_items(n, i)); }

const shp_content *shp_in_bounds(shp_node *n, uint32_t i)
{
    const shp_content *c = in_slot(n, i) == SHP_NONE ? NULL : n->scope->fact[in_slot(n, i)].content;
    if (!c || !c->bounds) return NULL;
    mark_read(n, i, true);
    return shp_content_resolve(n->x, c);
}

const shp_content *shp_fact_content(shp_node *n, const shp_fact *f)
{
    shp_fact copy = *f;
    return fact_content(n, &copy, n->index);
}

shp_elem shp_in_only(shp_node *n, uint32_t i)
{
    const shp_content *c = shp_in_content(n, i);
    if (c && c->count > 1) shp_fail2(n, SHP_D_SHAPE, "%i has %d elements, 1 expected", i, c->count);
    return c && c->count == 1 ? c->elem[0] : 0;
}

shp_dim shp_in_scalar(shp_node *n, uint32_t i) { return shp_elem_whole(shp_in_only(n, i)); }

bool shp_in_number(shp_node *n, uint32_t i)
{
    return shp_is_num(n, shp_in_scalar(n, i));
}

int64_t shp_in_length(shp_node *n, uint32_t i)
{
    const shp_shape *s = shp_in_shape(n, i);
    return s && s->rank == 1 && shp_is_num(n, s->dim[0]) ? n->number : -1;
}

/* ---- attributes ---- */

static const shp_attr *attr_in(const shp_attr *list, uint32_t count, shp_str name)
{
    for (uint32_t i = 0; i < count; i++)
        if (shp_str_eq(list[i].name, name)) return &list[i];
    return NULL;
}

static const shp_attr *own_attr(const shp_node_proto *proto, shp_str name) { return attr_in(proto->attrs->item, proto->attrs->count, name); }

/* What a reference inside a function's body stands for: the call's attribute (perhaps itself a reference, which may stand for nothing), else
 * the function's default. As deep as calls are nested. */
static const shp_attr *referred(const shp_scope *scope, shp_str name)
{
    if (!scope->function) return NULL;
    const shp_attr *a = own_attr(scope->call, name);
    if (a && a->ref.len) a = referred(scope->call_scope, a->ref);
    return a ? a : attr_in(scope->function->attr_default, scope->function->defaults, name);
}

static shp_str key_of(const char *name) { return (shp_str){ name, (uint32_t)strlen(name) }; }

const shp_attr *shp_attr_named(const shp_node *n, shp_str name)
{
    const shp_attr *a = own_attr(n->proto, name);
    if (a && n->foreign && !shp_signature_attr(n->signature, name)) return NULL;            /* not in this version */
    return a && a->ref.len ? referred(n->scope, a->ref) : a;
}

/* The node's attribute; else NULL, and in *s the schema's default, or NULL. */
static const shp_attr *attr_or(const shp_node *n, shp_str name, const shp_schema_attr **s)
{
    const shp_attr *a = shp_attr_named(n, name);
    *s = a || !n->signature ? NULL : shp_signature_attr(n->signature, name);
    if (*s && !(*s)->has_default) *s = NULL;
    return a;
}

const shp_attr *shp_attr_get(const shp_node *n, const char *name) { return shp_attr_named(n, key_of(name)); }
bool shp_attr_has(const shp_node *n, const char *name) { return shp_attr_get(n, name) != NULL; }

int64_t shp_attr_number(const shp_node *n, shp_str name, int64_t otherwise)
{
    const shp_schema_attr *s;
    const shp_attr *a = attr_or(n, name, &s);
    if (a) return a->type == SHP_ATTR_INT || a->type == 0 ? a->i : otherwise;
    return s && s->type == SHP_ATTR_INT ? s->i : otherwise;
}

int64_t shp_attr_int_or(const shp_node *n, const char *name, int64_t otherwise) { return shp_attr_number(n, key_of(name), otherwise); }
int64_t shp_attr_int(const shp_node *n, const char *name) { return shp_attr_int_or(n, name, 0); }

double shp_attr_float_or(const shp_node *n, const char *name, double otherwise)
{
    const shp_attr *a = shp_attr_get(n, name);
    return a && (a->type == SHP_ATTR_FLOAT || a->type == 0) ? (double)a->f : otherwise;
}

shp_str shp_attr_str(const shp_node *n, const char *name)
{
    const shp_schema_attr *s;
    const shp_attr *a = attr_or(n, key_of(name), &s);
    return a && a->s.at ? a->s : key_of(s && s->s ? s->s : "");
}

const int64_t *shp_attr_ints(const shp_node *n, const char *name, uint32_t *count)
{
    static const int64_t none[1];
    const shp_schema_attr *s;
    const shp_attr *a = attr_or(n, key_of(name), &s);
    *count = 0;
    if (a) {
        *count = a->count;
        return a->count ? a->ints : none;
    }
    if (!s || s->type != SHP_ATTR_INTS) return NULL;
    *count = (uint32_t)s->i;
    return s->ints;
}

shp_fact shp_tensor_fact(shp_node *n, const shp_tensor *t)
{
    shp_infer *x = n->x;
    shp_fact f = { .tensor = t, .id = shp_mix(t->wire, (uint64_t)t->elem_type) };
    if (shp_dtype_kind(t->elem_type)) f.type = (shp_type)t->elem_type;
    if (t->sparse) f = (shp_fact){ .type = f.type, .id = f.id };
    shp_shape *s = shp_shape_new(x, t->rank);
    if (!s) return f;
    for (uint32_t i = 0; i < t->rank; i++)
        s->dim[i] = t->dim[i] >= 0 ? shp_dim_const(x->dims, t->dim[i])
                                   : shp_dim_fresh(x->dims, shp_mix(f.id, i), SHP_COUNT, &(shp_origin){ n->scope, n->index, 0, i, SHP_WHY_DATA });
    f.shape = s;
    return f;
}

/* ---- outputs ---- */

bool shp_wants(const shp_node *n, uint32_t o) { return o < n->nout && shp_output(n->proto)[o] != SHP_NONE; }

void shp_size(shp_node *n, shp_dim d, int least)
{
    if (!n->scope->caller && !n->x->p->probing) shp_dim_take(n->dims, d, least);    /* a body's sizes say nothing where it is not run */
}

/* A size that is not known (all, without dims) is fresh, for that reason. */
static void out(shp_node *n, uint32_t o, int64_t rank, const shp_dim *dim, shp_why why)
{
    if (o >= n->nout) return;
    if ((uint64_t)rank > n->x->options.rank) {      /* it cannot be, or is above the limit: of that no more is known */
        shp_fail2(n, (uint64_t)rank > SHP_RANK_MAX ? SHP_D_RANK : SHP_D_LIMIT, "rank %d is outside [0, %d]", rank, n->x->options.rank);
        return;
    }
    shp_shape *s = shp_shape_new(n->x, rank);
    if (!s) return;
    for (uint32_t i = 0; i < (uint32_t)rank; i++) {
        shp_dim d = dim ? dim[i] : 0;
        const int64_t *size = shp_dim_number(n->dims, d);
        bool negative = size && *size < 0;
        if (negative) shp_fail3(n, SHP_D_SHAPE, "axis %d of output %d would have size %d", i, o, *size);
        s->dim[i] = d && !negative ? d : shp_fresh(n, o, i, why);
        shp_size(n, s->dim[i], 0);
    }
    n->out[o].shape = s;
}

void shp_out(shp_node *n, uint32_t o, int64_t rank, const shp_dim *dim) { out(n, o, rank, dim, SHP_WHY_CONTENT); }

void shp_out_unknown(shp_node *n, uint32_t o, int64_t rank, shp_why why)
{
    if (rank >= 0) out(n, o, rank, NULL, why);
}

void shp_out_shape(shp_node *n, uint32_t o, const shp_shape *shape)
{
    if (o < n->nout) n->out[o].shape = shape;
}

void shp_out_same(shp_node *n, uint32_t o, uint32_t i) { shp_out_shape(n, o, shp_in(n, i)->shape); }

void shp_out_type(shp_node *n, uint32_t o, shp_type type)
{
    if (o < n->nout) n->out[o].type = type;
}

void shp_out_fact(shp_node *n, uint32_t o, const shp_fact *f)
{
    if (o < n->nout) n->out[o] = *f;
}

shp_content *shp_content_new(shp_node *n, uint64_t count)
{
    if (count > SHP_ELEMENTS_MAX || count > n->x->options.elements) return NULL;
    shp_content *c = shp_alloc(n->x->arena, sizeof *c + (size_t)count * sizeof(shp_elem));
    if (c) c->count = (uint32_t)count;
    return c;
}

void shp_out_content(shp_node *n, uint32_t o, const shp_content *c)
{
    if (o >= n->nout || !c) return;
    if (c->fixed) { n->out[o].content = c; return; }
    uint32_t known = 0, open = 0;
    for (uint32_t i = 0; i < c->count && !c->item; i++) {
        shp_elem e = c->elem[i];
        known += e != 0;
        open += !shp_elem_is_real(e) && !shp_dim_number(n->dims, shp_elem_num(e));
    }
    bool tensor = !c->item && shp_type_kind(n->x, n->out[o].type) <= SHP_KIND_TENSOR;
    if (tensor && ((c->count && !known) || (open && c->count > SHP_SYMBOLS_MAX))) return;
    ((shp_content *)c)->fixed = tensor && known == c->count && !open;
    n->out[o].content = c;
}

shp_content *shp_content_items(shp_node *n, uint32_t count)
{
    shp_content *c = shp_content_new(n, 0);
    shp_fact *item = count <= SHP_ELEMENTS_MAX ? shp_alloc_array(n->x->arena, count ? count : 1, sizeof *item) : NULL;
    if (!c || !item) return NULL;
    c->count = count;
    c->length = shp_dim_const(n->dims, count);
    c->item = item;
    return c;
}

shp_content *shp_content_length(shp_node *n, shp_dim length)
{
    shp_content *c = shp_content_new(n, 0);
    if (c) c->length = length;
    return c;
}

/* ---- dims ---- */

shp_dim shp_fresh_of(shp_node *n, uint64_t key, uint32_t o, uint32_t axis, shp_why why)
{
    shp_origin origin = { n->scope, n->index, o, axis, why };
    n->own = true;
    return shp_dim_fresh(n->dims, key, SHP_COUNT, &origin);
}

shp_dim shp_fresh(shp_node *n, uint32_t o, uint32_t axis, shp_why why)
{
    return shp_fresh_of(n, shp_mix(shp_mix(n->id, 0x5ab1e + (uint64_t)o), axis), o, axis, why);
}

shp_dim shp_equal(shp_node *n, shp_dim a, shp_dim b)
{
    if (!a || !b || a == b) return a ? a : b;
    if (!shp_dim_unify(n->dims, a, b)) return 0;
    a = shp_dim_resolve(n->dims, a);
    b = shp_dim_resolve(n->dims, b);
    if (shp_dim_number(n->dims, b)) return b;
    if (shp_dim_number(n->dims, a)) return a;
    return shp_dim_has_undeclared(n->dims, a) && !shp_dim_has_undeclared(n->dims, b) ? b : a;
}

bool shp_assumed(shp_node *n, shp_dim d)
{
    const shp_infer *x = n->x;
    n->own = true;
    for (size_t i = x->assumptions, tries = 16; i-- > 0 && tries > 0; tries--) {
        const shp_assumption *a = &x->assumption[i];
        const shp_scope *s = n->scope;
        while (s && s != a->scope) s = s->caller;
        if (s && shp_dim_ge(n->dims, d, shp_dim_sub(n->dims, a->lhs, a->rhs)) == 1) return true;
    }
    return false;
}

void shp_assume(shp_node *n, shp_dim lhs, shp_dim rhs, const char *reason)
{
    shp_infer *x = n->x;
    struct shp_private *p = x->p;
    if (!lhs || !rhs || shp_dim_ge(x->dims, lhs, rhs) == 1) return;
    n->own = true;
    if (p->probing) return;
    uint32_t *before = shp_dict_add(x->arena, &p->assumed, shp_mix(lhs, rhs) | 1);
    if (!before || (*before)++) return;
    if (shp_assumed(n, shp_dim_sub(x->dims, lhs, rhs))) return;        /* S >= 1 says 2*S >= 1, and S + unk >= 1 on every turn of a loop */
    shp_assumption *more = shp_grow_array(x->arena, x->assumption, x->assumptions, &x->assumption_room, sizeof *more);
    if (!more) return;
    x->assumption = more;
    x->assumption[x->assumptions++] = (shp_assumption){ lhs, rhs, n->scope, n->index, reason };
}

bool shp_at_least(shp_node *n, shp_dim a, int64_t k, const char *reason)
{
    if (!a) return false;
    int64_t lo = shp_dim_lo(n->dims, a);
    if (lo >= k || (k >= 0 && shp_dim_taken(n->dims, a, k))) return true;
    if (shp_dim_lo_assuming(n->dims, a) < k) return false;
    if (lo > -FAR && lo < FAR && k < FAR) {             /* said of the part that is open: S >= 1, not S - 1 >= 0 */
        a = shp_dim_sub(n->dims, a, shp_dim_const(n->dims, lo));
        k -= lo;
    }
    shp_assume(n, a, shp_dim_const(n->dims, k), reason);
    return true;
}

/* ---- messages ---- */

enum { OTHERS = 5 };                /* inputs that a message shows of those that it does not speak of */

typedef struct shp_text {
    char at[600];
    size_t len;
    uint64_t named;                 /* a bit for each input that it names */
} shp_text;

static void put(shp_text *t, const char *bytes, size_t len)
{
    size_t room = sizeof t->at - t->len;
    if (len > room) len = room;
    memcpy(t->at + t->len, bytes, len);
    t->len += len;
}

static void put_str(shp_text *t, const char *s) { put(t, s, strlen(s)); }

/* At most so many bytes of it, cut at a character. */
static void put_most(shp_text *t, shp_str s, uint32_t most)
{
    uint32_t len = s.len > most ? most : s.len;
    while (len && len < s.len && ((unsigned char)s.at[len] & 0xC0) == 0x80) len--;
    put(t, s.at ? s.at : "", len);
    if (len < s.len) put_str(t, "…");
}

static void put_name(shp_text *t, shp_str s) { put_most(t, s, 80); }

static void put_int(shp_text *t, int64_t v)
{
    char digits[SHP_DIGITS];
    put(t, digits, (size_t)(shp_put_int(digits, v) - digits));
}

static void put_dim(shp_text *t, shp_infer *x, shp_dim d)
{
    char text[128];
    size_t len = 0;
    if (d && shp_dim_print(x->dims, d, text, sizeof text, &len)) put(t, text, len);
    else put_str(t, d ? "…" : "?");
}

static void put_shape(shp_text *t, shp_infer *x, const shp_shape *s)
{
    if (!s || s->rank < 0) { put_str(t, "of unknown rank"); return; }
    put_str(t, "[");
    for (int32_t i = 0; i < s->rank && i < 8; i++) {
        if (i) put_str(t, ", ");
        put_dim(t, x, s->dim[i]);
    }
    put_str(t, s->rank > 8 ? ", …]" : "]");
}

static void put_type(shp_text *t, shp_infer *x, shp_type type)
{
    shp_str text = type ? shp_type_text(x, type) : SHP_STR("unknown");
    put(t, text.at, text.len);
}

static void put_input(shp_text *t, shp_node *n, uint32_t i)
{
    uint32_t slot = in_slot(n, i);
    t->named |= (uint64_t)1 << (i & 63);
    if (slot == SHP_NONE) { put_str(t, "(absent)"); return; }
    put_name(t, n->scope->graph->slot[slot].name);
    put_str(t, " ");
    put_shape(t, n->x, shp_shape_resolve(n->x, n->scope->fact[slot].shape));
}

/* The first of the other inputs, where a message names fewer than two, so that what contradicts what can be seen. */
static void put_others(shp_text *t, shp_node *n)
{
    uint64_t named = t->named;
    int shown = 0;
    if (named & (named - 1)) return;
    for (uint32_t i = 0; i < n->proto->inputs && shown < OTHERS; i++) {
        if (!shp_has(n, i) || named >> (i & 63) & 1) continue;
        put_str(t, shown++ ? ", " : " (");
        put_input(t, n, i);
    }
    if (shown) put_str(t, ")");
}

static void put_node(shp_text *t, const shp_node *n)
{
    put_name(t, n->proto->op->op_type);
    put_str(t, " ");
    if (n->proto->name.len) put_name(t, n->proto->name);
    else { put_str(t, "#"); put_int(t, n->index); }
}

static void put_format(shp_text *t, shp_infer *x, shp_node *n, const shp_str *value, const char *format, va_list args)
{
    const shp_node *other;
    const shp_str *const *list;
    for (const char *f = format;; f++) {
        const char *from = f;
        while (*f && *f != '%') f++;
        put(t, from, (size_t)(f - from));
        if (!*f) return;
        switch (*++f) {
        case 's': put_str(t, va_arg(args, const char *)); break;
        case 'n': put_name(t, *va_arg(args, const shp_str *)); break;
        case 'm': put_most(t, *va_arg(args, const shp_str *), 300); break;
        case 'v': put_name(t, *value); break;
        case 'd': put_int(t, va_arg(args, int64_t)); break;
        case 'x': put_dim(t, x, (shp_dim)va_arg(args, int64_t)); break;
        case 'h': put_shape(t, x, va_arg(args, const shp_shape *)); break;
        case 't': put_type(t, x, (shp_type)va_arg(args, int64_t)); break;
        case 'p':
            if ((other = va_arg(args, const shp_node *))) put_node(t, other);
            break;
        case 'c':
            list = va_arg(args, const shp_str *const *);
            for (int64_t k = 0, count = va_arg(args, int64_t); k < count; k++) {
                if (k) put_str(t, " → ");
                put_name(t, *list[k]);
            }
            break;
        case 'i': put_input(t, n, (uint32_t)va_arg(args, int64_t)); break;
        case '\0': f--; break;
        default: put(t, f, 1);
        }
    }
}

static shp_str keep(shp_infer *x, const shp_text *t)
{
    size_t len = t->len;
    while (len && len == sizeof t->at && ((unsigned char)t->at[len - 1] & 0xC0) == 0x80) len--;     /* cut at a character */
    char *copy = shp_alloc(x->arena, len + 1);
    if (!copy) return (shp_str){ "", 0 };
    memcpy(copy, t->at, len);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)copy[i] < ' ') copy[i] = ' ';
    return (shp_str){ copy, (uint32_t)len };
}

static void diagnose(shp_infer *x, const shp_scope *scope, shp_node *n, shp_code code, const shp_str *value, const char *format, va_list args)
{
    if (x->p->probing) return;
    char letter = shp_code_severity(code), severity = letter < 'a' ? (char)(letter - 'A' + 'a') : letter;
    bool stops = x->options.strict && (letter == 'e' || letter != severity);
    if (severity == 'e' && n) {
        if (n->told) return;            /* from what is wrong already, more follows */
        n->told = true;
    }
    if (letter == 'e' && scope && scope->maybe) severity = 'w';
    shp_text t = { .len = 0, .named = 0 };
    if (n) { put_node(&t, n); put_str(&t, ": "); }
    put_format(&t, x, n, value, format, args);
    if (n && n->failed == (int)code && code != SHP_D_UNKNOWN_OP) put_others(&t, n);
    shp_str message = keep(x, &t);
    if (stops && !x->error) {
        x->error = code;
        x->error_message = message;
    }
    shp_diag *more = shp_grow_array(x->arena, x->diag, x->diags, &x->diag_room, sizeof *more);
    if (!more) return;
    x->diag = more;
    x->diag[x->diags++] = (shp_diag){ code, severity, scope, n ? n->index : SHP_NONE, value ? *value : (shp_str){ "", 0 }, message };
}

const shp_str *shp_first_output(const shp_node *n)
{
    for (uint32_t o = 0; o < n->proto->outputs; o++)
        if (shp_output(n->proto)[o] != SHP_NONE) return &n->scope->graph->slot[shp_output(n->proto)[o]].name;
    return NULL;
}

void shp_diagnose(shp_infer *x, const shp_scope *scope, shp_node *n, shp_code code, const shp_str *value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diagnose(x, scope, n, code, value, format, args);
    va_end(args);
}

void shp_failf(shp_node *n, shp_code code, const char *format, ...)
{
    if (n->failed || n->x->p->waiting) return;
    n->failed = (int)code;
    n->nout = 0;                        /* what the rule still sets is ignored */
    n->scope->fails |= shp_code_severity(code) == 'e';
    va_list args;
    va_start(args, format);
    diagnose(n->x, n->scope, n, code, shp_first_output(n), format, args);
    va_end(args);
}

void shp_fail(shp_node *n, shp_code code, const char *text) { shp_failf(n, code, text); }
void shp_fail1(shp_node *n, shp_code code, const char *format, int64_t a) { shp_failf(n, code, format, a); }
void shp_fail2(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b) { shp_failf(n, code, format, a, b); }
void shp_fail3(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b, int64_t c) { shp_failf(n, code, format, a, b, c); }
void shp_fail4(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b, int64_t c, int64_t d) { shp_failf(n, code, format, a, b, c, d); }

void shp_note(shp_node *n, shp_code code, const char *format, ...)
{
    n->noted = true;
    va_list args;
    va_start(args, format);
    diagnose(n->x, n->scope, n, code, shp_first_output(n), format, args);
    va_end(args);
}

void shp_stop(shp_infer *x, shp_code code, const char *format, ...)
{
    if (x->error) return;
    shp_text t = { .len = 0, .named = 0 };
    va_list args;
    va_start(args, format);
    put_format(&t, x, NULL, NULL, format, args);
    va_end(args);
    x->error = code;
    x->error_message = keep(x, &t);
}
