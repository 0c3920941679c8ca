#include "driver.h"

#include <string.h>

enum { LOOK_AHEAD = 32 /* nodes */, FEW_OUTPUTS = 8 /* that need no memory of their own */, INPUT_LINK = 0x1201, SEED_MAIN = 0x5eed };

/* ---- declared types and dims ---- */

shp_type shp_declared_type(shp_infer *x, const shp_type_proto *t)
{
    shp_kind wrap[SHP_TYPE_DEPTH];
    int key[SHP_TYPE_DEPTH], depth = 0;
    for (; t && depth < SHP_TYPE_DEPTH; t = t->inner) {
        switch (t->kind) {
        case SHP_T_TENSOR: case SHP_T_SPARSE: {
            shp_type type = shp_dtype_kind(t->elem_type) ? (shp_type)t->elem_type : 0;
            if (!type) return 0;
            if (t->kind == SHP_T_SPARSE) type = shp_type_make(x, SHP_KIND_SPARSE, type, 0);
            while (depth--) type = shp_type_make(x, wrap[depth], type, key[depth]);
            return type;
        }
        case SHP_T_SEQUENCE: wrap[depth] = SHP_KIND_SEQ; break;
        case SHP_T_OPTIONAL: wrap[depth] = SHP_KIND_OPT; break;
        case SHP_T_MAP: wrap[depth] = SHP_KIND_MAP; break;
        default: return 0;
        }
        key[depth++] = t->elem_type;
    }
    return 0;
}

const shp_type_proto *shp_declared_tensor(const shp_type_proto *t)
{
    for (int depth = 0; t && depth < SHP_TYPE_DEPTH; depth++, t = t->inner) {
        if (t->kind == SHP_T_TENSOR || t->kind == SHP_T_SPARSE) return t;
        if (t->kind != SHP_T_SEQUENCE && t->kind != SHP_T_OPTIONAL) return NULL;
    }
    return NULL;
}

static uint64_t name_key(const shp_infer *x, shp_str name) { return shp_hash(x->options.seed, name.at, name.len) | 1; }

/* What is known of a name that the file or the options declare; NULL: none do. */
static shp_name_use *find_name(const shp_infer *x, shp_str name)
{
    const uint32_t *at = shp_dict_find(&x->p->name_at, name_key(x, name));
    return at ? &x->p->name[*at - 1] : NULL;
}

/* of: the declaration that has the name for itself. */
static void use_name(shp_infer *x, shp_str name, bool input, const shp_dim_proto *of)
{
    struct shp_private *p = x->p;
    shp_name_use *more = shp_grow_array(x->arena, p->name, p->names, &p->name_room, sizeof *more);
    uint32_t *at = more ? shp_dict_add(x->arena, &p->name_at, name_key(x, name)) : NULL;
    if (!at) return;
    p->name = more;
    if (!*at) *at = (uint32_t)++p->names;
    more[*at - 1].input |= input;
    if (of) more[*at - 1].of = of;
}

static void use_names(shp_infer *x, const shp_type_proto *t, bool input, bool own)
{
    t = shp_declared_tensor(t);
    for (uint32_t i = 0; t && i < t->rank; i++)
        if (t->dim[i].kind == SHP_DIM_PARAM) use_name(x, t->dim[i].param, input, own ? &t->dim[i] : NULL);
}

static shp_input_option *input_option(shp_infer *x, shp_str name)
{
    for (uint32_t i = 0; i < x->options.inputs; i++)
        if (shp_str_eq(x->options.input[i].name, name)) return &x->options.input[i];
    return NULL;
}

/* Notes which names the file and the options declare, and where; names of the main graph's inputs are symbols of their own. */
static void collect_names(shp_infer *x)
{
    const shp_graph *g = x->model->graph;
    for (uint32_t i = 0; i < g->inputs; i++) {
        const shp_input_option *o = input_option(x, g->slot[g->input[i]].name);
        bool replaced = o && o->has_shape;          /* then its names are of sizes that the options have: no other size is to be called so */
        use_names(x, &g->input_info[i]->type, !replaced, replaced);
    }
    for (uint32_t i = 0; i < x->options.inputs; i++)
        for (uint32_t k = 0; k < x->options.input[i].rank; k++)
            if (x->options.input[i].dim[k].kind == SHP_DIM_PARAM) use_name(x, x->options.input[i].dim[k].param, true, NULL);
    for (uint32_t i = 0; i < g->value_infos; i++) use_names(x, &g->value_info[i]->type, false, false);
}

typedef struct shp_parse_names {
    shp_infer *x;
    shp_str self;
    bool any;
} shp_parse_names;

static shp_binding *find_binding(const shp_infer *x, shp_str name)
{
    for (uint32_t i = 0; i < x->options.bindings; i++)
        if (shp_str_eq(x->options.binding[i].name, name)) return &x->options.binding[i];
    return NULL;
}

static shp_dim plain_name(shp_infer *x, shp_str name)
{
    shp_binding *bound = find_binding(x, name);
    const shp_name_use *u = find_name(x, name);
    bool declared = u && u->input && !bound;
    shp_dim d = shp_dim_named(x->dims, name, declared ? SHP_SIZE : SHP_COUNT, declared);     /* a bound one, too: no fresh symbol is to have its name */
    if (!bound) return d;
    bound->used = true;
    return shp_dim_const(x->dims, bound->value);
}

static shp_dim lookup_name(void *arg, shp_str name)
{
    shp_parse_names *names = arg;
    shp_name_use *u = find_name(names->x, name);
    if (!u || !u->input || shp_str_eq(name, names->self)) return 0;
    names->any = true;
    return u->dim ? u->dim : plain_name(names->x, name);
}

/* A name that is an expression over those of inputs; else 0. One with blanks around it is a name: nobody writes sums so. */
static shp_dim expression_of(shp_infer *x, shp_str name)
{
    shp_parse_names names = { x, name, false };
    if (name.len && (name.at[0] == ' ' || name.at[name.len - 1] == ' ')) return 0;
    shp_dim d = shp_dim_parse(x->dims, name, lookup_name, &names);
    return names.any ? d : 0;
}

static shp_dim named_dim(shp_infer *x, shp_str name)
{
    shp_name_use *u = find_name(x, name);
    if (u && u->dim) return u->dim;
    shp_dim d = find_binding(x, name) ? 0 : expression_of(x, name);
    if (!d) d = plain_name(x, name);
    if (u) u->dim = d;
    return d;
}

/* The dim that a declared dim stands for: bound, an expression, or a symbol. fresh_key: of an unnamed one. */
static shp_dim declared_dim(shp_infer *x, const shp_dim_proto *d, uint64_t fresh_key, const shp_origin *origin)
{
    if (d->kind == SHP_DIM_VALUE && d->value >= 0) return shp_dim_const(x->dims, d->value);
    if (d->kind == SHP_DIM_PARAM) return named_dim(x, d->param);
    return shp_dim_fresh(x->dims, fresh_key, SHP_COUNT, origin);
}

/* ---- scopes ---- */

/* The shape that these dims declare; NULL: they are more than axes may be. id: of the value, the slot's. */
static shp_shape *declared_shape(shp_infer *x, uint32_t rank, const shp_dim_proto *dim, uint64_t id, const shp_scope *s, uint32_t slot)
{
    shp_shape *shape = shp_shape_new(x, rank);
    for (uint32_t i = 0; shape && i < rank; i++)
        shape->dim[i] = declared_dim(x, &dim[i], shp_mix(id, 0xd1 + i), &(shp_origin){ s, SHP_NONE, slot, i, SHP_WHY_INPUT });
    return shape;
}

/* What the file declares for a slot of a graph, as a fact. */
static shp_fact declared_fact(shp_infer *x, shp_scope *s, uint32_t slot, const shp_type_proto *type)
{
    shp_fact f = { .type = shp_declared_type(x, type), .id = shp_mix(shp_mix(s->seed, INPUT_LINK), slot) };
    const shp_type_proto *t = shp_declared_tensor(type);
    if (!t || !t->has_shape) return f;
    f.shape = declared_shape(x, t->rank, t->dim, f.id, s, slot);
    if (!f.shape)
        shp_diagnose(x, s, NULL, SHP_D_LIMIT, &s->graph->slot[slot].name, "'%v' has %d axes, more than %d: its shape stays unknown", (int64_t)t->rank, (int64_t)SHP_RANK_MAX);
    for (uint32_t i = 0; f.shape && i < t->rank; i++)
        if (t->dim[i].kind == SHP_DIM_VALUE && t->dim[i].value < 0)
            shp_diagnose(x, s, NULL, SHP_D_NEGATIVE, &s->graph->slot[slot].name, "'%v': dim_value %d of axis %d is negative (treated as unknown)", t->dim[i].value, (int64_t)i);
    return f;
}

/* Gives a value the elements that options.inputs has for it, as its type has them. false: they are not as many as it has. A vector may have any number. */
static bool give_elements(shp_infer *x, shp_fact *f, const shp_content *given)
{
    shp_node n = { .x = x, .dims = x->dims };
    shp_shape *s = f->shape && f->shape->rank == 1 && !shp_dim_number(x->dims, f->shape->dim[0]) ? shp_shape_new(x, 1) : NULL;
    if (s) s->dim[0] = shp_dim_const(x->dims, given->count), f->shape = s;
    if (!f->shape || shp_shape_count(x, f->shape) != given->count) return false;
    shp_content *c = shp_content_new(&n, given->count);
    int dtype = f->type < SHP_TYPE_SEQ ? f->type : 0;
    for (uint32_t i = 0; c && i < c->count; i++) {
        shp_elem e = given->elem[i];
        c->elem[i] = dtype ? shp_elem_cast(&n, shp_elem_is_real(e) ? SHP_DOUBLE : SHP_INT64, dtype, e) : e;
        if (!c->elem[i]) return true;               /* a type without contents */
    }
    if (c) c->fixed = true;
    f->content = c;
    return true;
}

/* Replaces a fact's parts by what options.inputs says of that name. What is known of elements stays where type and shape do. */
static void apply_option(shp_infer *x, shp_scope *s, shp_node *n, uint32_t slot, shp_fact *f, shp_input_option *o)
{
    shp_fact was = *f;
    o->used = true;
    if (o->type) f->type = o->type;
    if (o->has_shape) f->shape = declared_shape(x, o->rank, o->dim, f->id, NULL, 0);
    if (f->type != was.type || shp_shape_hash(x, f->shape) != shp_shape_hash(x, was.shape)) f->content = NULL, f->tensor = NULL;
    if (!o->data) return;
    f->tensor = NULL;
    f->content = NULL;
    if (!give_elements(x, f, o->data))
        shp_diagnose(x, s, n, SHP_D_SHAPE, &s->graph->slot[slot].name, "'%v' is given %d elements, but it is %h: give its shape, too", (int64_t)o->data->count, f->shape);
}

/* Whether a shape of numbers may be one of the declared shape. */
static bool fits(const shp_infer *x, const shp_shape *declared, const shp_shape *s)
{
    for (int32_t i = 0; i < s->rank && declared->rank == s->rank; i++)
        if (declared->dim[i] != s->dim[i] && shp_dim_number(x->dims, declared->dim[i])) return false;
    return declared->rank == s->rank;
}

static bool all_numbers(const shp_infer *x, const shp_shape *s)
{
    for (int32_t k = 0; k < s->rank; k++)
        if (!shp_dim_number(x->dims, s->dim[k])) return false;
    return true;
}

/* The fact of an initializer. Of an input that has one it is what the file declares, as the caller may feed another (from IR version 4 on): its elements are
 * the initializer's only where it surely is of that type and shape. */
static shp_fact initializer_fact(shp_infer *x, const shp_scope *s, uint32_t slot, const shp_tensor *t)
{
    const shp_slot *sl = &s->graph->slot[slot];
    shp_fact in = s->fact[slot], f = shp_tensor_fact(&(shp_node){ .x = x, .dims = x->dims, .scope = (shp_scope *)s, .index = SHP_NONE }, t);
    if (!t->data) f.id = shp_mix(shp_mix(s->seed, INPUT_LINK), slot);       /* equal dims do not make equal weights */
    if (!sl->is_input) return f;
    bool fit = !in.shape || !f.shape || fits(x, in.shape, f.shape), same = !in.type || in.type == f.type;
    if (!fit) shp_diagnose(x, s, NULL, SHP_D_DECLARED, &sl->name, "input '%v' is declared as %h, but its initializer is %h", in.shape, f.shape);
    if (!same && f.type)
        shp_diagnose(x, s, NULL, SHP_D_DECLARED, &sl->name, "input '%v' is declared as %t, but its initializer is %t", (int64_t)in.type, (int64_t)f.type);
    if (x->model->ir_version < 4 || !in.shape) return f;
    if (f.shape && fit && same && all_numbers(x, in.shape)) in.tensor = f.tensor;
    if (!in.type) in.type = f.type;
    return in;
}

/* A scope's facts before any of its nodes: captured values, inputs, initializers. */
static void enter_inputs(shp_infer *x, shp_scope *s)
{
    const shp_graph *g = s->graph;
    for (uint32_t i = 0; s->outer && i < g->slots; i++)
        if (g->slot[i].source == SHP_FROM_OUTER) s->fact[i] = s->outer->fact[g->slot[i].from];
    for (uint32_t i = 0; i < g->inputs; i++) s->fact[g->input[i]] = declared_fact(x, s, g->input[i], &g->input_info[i]->type);
    for (uint32_t i = 0; i < g->initializers; i++) {
        uint32_t slot = g->initializer_slot[i];
        s->fact[slot] = initializer_fact(x, s, slot, g->initializer[i]);
    }
}

static shp_scope *new_scope(shp_infer *x, const shp_graph *g)
{
    shp_scope *s = shp_alloc(x->arena, sizeof *s);
    if (!s) return NULL;
    s->graph = g;
    s->fact = shp_alloc_array(x->arena, g->slots ? g->slots : 1, sizeof *s->fact);
    s->read = shp_alloc_array(x->arena, g->nodes ? g->nodes : 1, sizeof *s->read);
    return s->fact && s->read ? s : NULL;
}

/* The child scope of a node for one of its graphs (or its function): the one there was, or a new one in its place. */
static shp_scope *child_scope(shp_infer *x, shp_scope *parent, uint32_t node, shp_str attr, uint64_t place, const shp_graph *g, bool *old)
{
    shp_scope *before = NULL, *s = parent->first, *last = parent->last;
    if (last && (last->node < node || (last->node == node && last->place < place))) { before = last; s = NULL; }
    for (; s && (s->node < node || (s->node == node && s->place < place)); s = s->next) before = s;
    if ((*old = s && s->node == node && s->place == place)) return s;
    shp_scope *fresh = new_scope(x, g);
    if (!fresh) return NULL;
    fresh->caller = parent;
    fresh->function = parent->function;
    fresh->call = parent->call;
    fresh->call_scope = parent->call_scope;
    fresh->maybe = parent->maybe;
    fresh->node = node;
    fresh->attr = attr;
    fresh->place = place;
    fresh->next = before ? before->next : parent->first;
    fresh->diag_mark = x->diags;
    if (before) before->next = fresh; else parent->first = fresh;
    if (!fresh->next) parent->last = fresh;
    return fresh;
}

/* What a function (NULL: the model) imports of a domain, NULL where nothing. */
static const shp_opset *import_of(const shp_infer *x, const shp_function *f, shp_str domain)
{
    const shp_opset *o = f ? f->opset : x->model->opset;
    for (uint32_t i = f ? f->opsets : x->model->opsets; i-- > 0; o++)
        if (shp_str_eq(o->domain, domain)) return o;
    return NULL;
}

/* The version of a domain that a scope's nodes are of: what its function imports, else the model; where neither does (or it is none) the newest,
 * as runtimes take it, and the first in a file from before there were imports. */
static int opset_of(const shp_infer *x, const shp_scope *s, shp_str domain)
{
    const shp_opset *o = import_of(x, s->function, domain);
    if (!o) o = import_of(x, NULL, domain);
    if (!o || o->version < 1) return x->model->ir_version < 3 ? 1 : SHP_OPSET_NEWEST;
    return o->version > 10000 ? 10000 : (int)o->version;
}

/* ---- one node ---- */

static bool random_op(shp_str op)
{
    static const char dropout[] = "Dropout";            /* and Bias…, Bitmask… of com.microsoft */
    enum { LEN = sizeof dropout - 1 };
    if (op.len >= LEN && memcmp(op.at + op.len - LEN, dropout, LEN) == 0) return true;
    return shp_str_starts(&op, "Random") || shp_str_is(op, "Multinomial") || shp_str_is(op, "Bernoulli") || shp_str_is(op, "Sampling");
}

static bool is_host_op(const shp_infer *x, shp_str domain, shp_str op_type)
{
    for (uint32_t i = 0; i < x->options.host_ops; i++) {
        shp_str name = x->options.host_op[i], before = { name.at, domain.len };
        if (domain.len) {
            if (name.len < domain.len || !shp_str_eq(before, domain)) continue;
            name = (shp_str){ name.at + domain.len, name.len - domain.len };
            if (!shp_str_starts(&name, "::")) continue;
        }
        if (shp_str_eq(name, op_type)) return true;
    }
    return false;
}

static const shp_function *find_function(shp_infer *x, const shp_op_proto *op)
{
    const shp_function *found = NULL;
    for (uint32_t i = 0; i < x->model->functions; i++) {
        const shp_function *f = &x->model->function[i];
        if (!shp_str_eq(f->name, op->op_type) || !shp_str_eq(f->domain, op->domain) || !shp_str_eq(f->overload, op->overload)) continue;
        if (found) shp_diagnose(x, x->main, NULL, SHP_D_DUPLICATE, NULL, "function '%n' is defined already", &f->name);
        else found = f;
    }
    return found;
}

/* The value number of what the node computes. */
static uint64_t node_id(const shp_scope *s, uint32_t index, const shp_op_entry *e)
{
    const shp_node_proto *p = &s->graph->node[index];
    uint64_t id = shp_mix(p->attrs->hash, e->id);
    for (uint32_t i = 0; i < p->inputs; i++) id = shp_mix(id, p->input[i] == SHP_NONE ? 0 : s->fact[p->input[i]].id);
    if (p->attrs->has_graph || e->single) id = shp_mix(shp_mix(id, s->seed), index);
    const shp_attrs *a = p->attrs;
    for (; a->has_ref && s->call; s = s->call_scope) id = shp_mix(id, (a = s->call->attrs)->hash);
    return id;
}

/* ---- declared against inferred ---- */

/* One dim of a graph's output or not: what stands, given what the file says. *verdict: 0 fine, 1 the file says less, 2 it contradicts. */
static shp_dim merge_dim(shp_infer *x, const shp_scope *s, shp_dim d, const shp_dim_proto *p, bool output, int *verdict)
{
    d = shp_dim_resolve(x->dims, d);
    const shp_symbol *symbol = shp_dim_symbol(x->dims, d);
    bool fresh = symbol && !symbol->name.len;
    if (p->kind == SHP_DIM_UNKNOWN || (p->kind == SHP_DIM_VALUE && p->value < 0)) return d;
    if (p->kind == SHP_DIM_VALUE) {
        shp_dim k = shp_dim_const(x->dims, p->value);
        if (d == k) return d;
        /* An input may be fed with any size; where branches or turns differ, the number is that of one; and 0 is what tools write for an output's size
         * that they do not know (onnx.compose.expand_out_dim). */
        fresh = fresh && (p->value || !output) && symbol->origin.why != SHP_WHY_INPUT && symbol->origin.why != SHP_WHY_MERGE;
        if (fresh && shp_dim_unify(x->dims, d, k)) return k;
        bool contradicts = shp_dim_lo(x->dims, d) > p->value || shp_dim_hi(x->dims, d) < p->value;
        if (contradicts) *verdict = 2;
        else if (*verdict == 0 && !fresh) *verdict = 1;
        return d;
    }
    if (s->function) return d;
    shp_name_use *u = find_name(x, p->param);
    if (fresh) {
        bool own = u && !u->input;       /* never an input's: what it names was declared already */
        if (!own || expression_of(x, p->param)) return d;
        shp_dim name = named_dim(x, p->param);
        /* What a body makes must not leave it. Of sizes that rules made the first keeps the name: two that the file only calls alike may differ. Where
         * not even the rank is inferred there is only the file's word. */
        if (!shp_dim_number(x->dims, name) && (s != x->main || (u->of && u->of != p && symbol->origin.why != SHP_WHY_UNKNOWN_OP))) return d;
        u->of = p;
        return shp_dim_unify(x->dims, d, name) ? shp_dim_resolve(x->dims, d) : d;
    }
    shp_dim name = named_dim(x, p->param);
    if (name == d) return d;
    if (shp_dim_has_undeclared(x->dims, d)) return d;
    if (!shp_dim_has_undeclared(x->dims, name) && shp_dim_eq(x->dims, d, name) == 0) *verdict = 2;
    else if (*verdict == 0) *verdict = 1;
    return d;
}

/* Merges an inferred fact with what the file declares for its slot. whole: an unknown operator's outputs take the declaration as it is. */
static void merge_declared(shp_infer *x, shp_scope *s, uint32_t slot, shp_fact *f, shp_node *n, bool whole)
{
    const shp_slot *sl = &s->graph->slot[slot];
    if (!sl->info || (x->options.override_declared && !whole)) return;
    const shp_type_proto *declared = &s->graph->value_info[sl->info - 1]->type;
    shp_type type = shp_declared_type(x, declared);
    if (!f->type) f->type = type;
    else if (type && type != f->type) {
        shp_diagnose(x, s, n, SHP_D_DECLARED, &sl->name, "the file declares '%v' as %t, but it is %t", (int64_t)type, (int64_t)f->type);
        return;
    }
    const shp_type_proto *t = shp_declared_tensor(declared);
    if (!t || !t->has_shape) return;
    if (!f->shape) {
        shp_shape *shape = shp_shape_new(x, t->rank);
        if (!shape) return;
        for (uint32_t i = 0; i < t->rank; i++) {
            shp_origin origin = { s, n->index, 0, i, SHP_WHY_UNKNOWN_OP };
            uint64_t key = shp_mix(f->id, 0xdec + i);
            int verdict = 0;
            shape->dim[i] = whole && !s->function ? declared_dim(x, &t->dim[i], key, &origin)
                                                  : merge_dim(x, s, shp_dim_fresh(x->dims, key, SHP_COUNT, &origin), &t->dim[i], sl->is_output, &verdict);
        }
        f->shape = shape;
        return;
    }
    if (f->shape->rank < 0) return;
    if ((uint32_t)f->shape->rank != t->rank) {
        shp_diagnose(x, s, n, SHP_D_DECLARED, &sl->name, "the file declares '%v' with rank %d, but it is %h", (int64_t)t->rank, f->shape);
        return;
    }
    int verdict = 0;
    uint32_t axis = 0;
    shp_shape *shape = NULL;
    for (uint32_t i = 0; i < t->rank; i++) {
        int before = verdict;
        shp_dim d = merge_dim(x, s, f->shape->dim[i], &t->dim[i], sl->is_output, &verdict);
        if (verdict > before) axis = i;
        if (d == f->shape->dim[i]) continue;
        if (!shape && !(shape = shp_shape_new(x, t->rank))) return;
        if (shape != f->shape) memcpy(shape->dim, f->shape->dim, t->rank * sizeof(shp_dim));
        shape->dim[i] = d;
        f->shape = shape;
    }
    if (!verdict) return;
    const shp_dim_proto *p = &t->dim[axis];
    shp_code code = verdict == 2 ? SHP_D_DECLARED : SHP_D_NARROWER;
    if (p->kind == SHP_DIM_VALUE) shp_diagnose(x, s, n, code, &sl->name, "the file declares axis %d of '%v' as %d, but it is %x", (int64_t)axis, p->value, (int64_t)f->shape->dim[axis]);
    else shp_diagnose(x, s, n, code, &sl->name, "the file declares axis %d of '%v' as '%n', but it is %x", (int64_t)axis, &p->param, (int64_t)f->shape->dim[axis]);
}

/* ---- functions ---- */

static void walk(shp_infer *x, shp_scope *s);
static void other_bodies(shp_node *n);

/* What is done up to here is not done again where a later node waits. */
static inline void settle(shp_infer *x)
{
    if (x->p->probing || x->p->turning) return;
    x->p->diags_done = x->diags;
    x->p->answers_done = x->p->answer_at;
}

static void begin(shp_infer *x, shp_scope *s)
{
    s->mark = shp_dims_mark(x->dims);
    s->epoch = shp_dims_epoch(x->dims);
    if (!x->p->probing) shp_check_graph(x, s);
    enter_inputs(x, s);
}

/* Whether no more bodies and functions may be inferred inside each other; ends the call. */
static bool too_deep(shp_node *n, uint32_t most)
{
    shp_infer *x = n->x;
    if (most > SHP_NESTING_MAX) most = SHP_NESTING_MAX;
    if (x->p->calls < most) return false;
    shp_stop(x, SHP_E_NESTING, "more than %d functions and subgraphs inside each other at %p", (int64_t)most, n);
    return true;
}

/* Whether a function is being called by now, however deep: ends the inference, naming the last calls. */
static bool calls_itself(shp_infer *x, const shp_scope *s, const shp_function *f)
{
    const shp_str *path[SHP_PATH];
    uint32_t at = SHP_PATH - 1;
    path[at] = &f->name;
    for (; s; s = s->caller) {
        if (s->attr.len || !s->function) continue;
        if (at) path[--at] = &s->function->name;
        if (s->function != f) continue;
        shp_stop(x, SHP_E_RECURSION, "%c", &path[at], (int64_t)(SHP_PATH - at));
        return true;
    }
    return false;
}

static bool call_function(shp_node *n, shp_op_entry *e)
{
    shp_infer *x = n->x;
    const shp_function *f = e->function;
    if (calls_itself(x, n->scope, f) || too_deep(n, x->options.nesting)) return false;
    bool old;
    shp_scope *s = child_scope(x, n->scope, n->index, (shp_str){ "", 0 }, 0, f->body, &old);
    if (!s) return false;
    if (old) x->diags = x->p->diags_done;
    else {
        s->function = f;
        s->call = n->proto;
        s->call_scope = n->scope;
        s->seed = shp_mix(shp_mix(n->id, n->scope->seed), n->index);      /* what is random in it is another at each call */
        if (shp_inputs(n) > f->body->inputs || n->nout > f->body->outputs)
            shp_note(n, SHP_D_ARITY, "has %d inputs and %d outputs, the function %d and %d", (int64_t)shp_inputs(n), (int64_t)n->nout,
                     (int64_t)f->body->inputs, (int64_t)f->body->outputs);
        if (!import_of(x, n->scope->function, f->domain) && !shp_str_is(f->domain, "com.microsoft"))      /* which runtimes import by themselves */
            shp_note(n, SHP_D_OPSET, "domain '%n' is not imported", &f->domain);
        begin(x, s);
        for (uint32_t i = 0; i < f->body->inputs; i++) {
            shp_fact in = *shp_in(n, i);
            s->fact[f->body->input[i]] = shp_has(n, i) ? in : (shp_fact){ .id = SHP_ABSENT };
        }
    }
    walk(x, s);
    n->scope->fails |= s->fails;
    for (uint32_t o = 0; o < f->body->outputs && !x->p->waiting; o++) {
        const shp_fact *r = &s->fact[f->body->output[o]];
        shp_out_fact(n, o, r);
    }
    return false;
}

/* ---- host rules ---- */

/* Output o is like f, but a value of its own. */
static inline void give(shp_node *n, uint32_t o, const shp_fact *f)
{
    uint64_t id = n->out[o].id;
    n->out[o] = *f;
    n->out[o].id = id;
}

static bool host_rule(shp_node *n, shp_op_entry *e)
{
    shp_infer *x = n->x;
    struct shp_private *p = x->p;
    (void)e;
    if (p->answer_at >= p->answers) {
        for (uint32_t i = 0; i < n->proto->inputs; i++) shp_in_content(n, i);       /* decoded, for the host to see */
        if (p->waiting) return false;
        shp_node *asked = shp_alloc(x->arena, sizeof *asked);     /* outlives this turn */
        if (!asked) return false;
        *asked = *n;
        asked->read = NULL;
        p->waiting = true;
        x->request = (shp_request){ .node = asked, .scope = n->scope };
        return false;
    }
    const struct shp_answer *a = &p->answer[p->answer_at++];
    if (!a->ok) {
        shp_failf(n, SHP_D_HOST_RULE, "the host's rule failed: %m", &a->message);
        return true;
    }
    for (uint32_t o = 0; o < n->nout && o < a->count; o++) give(n, o, &a->out[o]);
    return false;
}

void shp_infer_rule(shp_infer *x, bool ok, const shp_fact *out, uint32_t count, shp_str message)
{
    struct shp_private *p = x->p;
    if (!p->waiting) return;
    p->waiting = false;
    struct shp_answer *more = shp_grow_array(x->arena, p->answer, p->answers, &p->answer_room, sizeof *more);
    if (!more) return;
    p->answer = more;
    p->answer[p->answers++] = (struct shp_answer){ ok, out, count, message };
}

/* ---- the walk ---- */

/* Said once, but again where what was said is taken back with its turn, or was of a branch that may not run. */
static bool unknown_op(shp_node *n, shp_op_entry *e)
{
    shp_infer *x = n->x;
    const shp_op_proto *op = n->proto->op;
    const shp_diag *said = e->told && e->told <= x->diags ? &x->diag[e->told - 1] : NULL;
    if (said && said->node != SHP_NONE && said->scope->graph->node[said->node].op == op
        && (said->code == SHP_D_UNKNOWN_OP || (said->code == SHP_D_OPSET && (said->severity == 'e' || n->scope->maybe)))) return true;
    if (x->p->probing) return true;
    int64_t first = shp_schema_first(x->p->schemas, op->domain, op->op_type, (shp_str){ "", 0 });
    if (first > n->opset) shp_failf(n, SHP_D_OPSET, "needs opset %d or later, but the model imports opset %d%s%n", first, (int64_t)n->opset, op->domain.len ? " of " : "", &op->domain);
    else shp_failf(n, SHP_D_UNKNOWN_OP, "no rule for operator %n%s%n%s%n: its outputs stay unknown unless the file declares them (give one with options.operators)",
                  &op->domain, op->domain.len ? "::" : "", &op->op_type, op->overload.len ? " with overload " : "", &op->overload);
    e->told = x->diags;
    return true;
}

/* ---- nodes that are alike ---- */

enum { ALIKE_INPUTS = 16, ALIKE_OUTPUTS = 8, ALIKE_ELEMENTS = 16, DONE_MAX = 1024 };

/* What is seen of a node, hashed. */
typedef struct shp_sight {
    uint64_t key;
    bool open;                      /* there are dims that may turn out to be others */
    uint32_t asked;                 /* inputs whose contents are not there before somebody asks for them */
} shp_sight;

static inline void see(shp_sight *s, uint64_t what) { s->key = shp_mix(s->key, what); }

/* A node's operator, attributes and inputs but for their contents. false: there is more to it than is looked at. */
static bool see_node(const shp_node *n, const shp_op_entry *e, shp_sight *s)
{
    const shp_node_proto *p = n->proto;
    bool learned = shp_dims_epoch(n->dims) > 0;
    *s = (shp_sight){ .key = shp_mix(p->attrs->hash + (uint64_t)n->opset, e->id + p->outputs) };
    if (!p->inputs || p->inputs > ALIKE_INPUTS || p->outputs > ALIKE_OUTPUTS || p->attrs->has_graph || p->attrs->has_ref) return false;
    for (uint32_t o = 1; o < p->outputs; o++) see(s, shp_output(p)[o] == SHP_NONE);
    for (uint32_t i = 0; i < p->inputs; i++) {
        uint32_t slot = p->input[i];
        if (slot == SHP_NONE) { see(s, 0); continue; }
        if (i && (slot == p->input[0] || slot == p->input[i - 1])) return false;       /* rules may show one of them in another form */
        const shp_fact *f = &n->scope->fact[slot];
        if (f->type >= SHP_TYPE_SEQ) return false;
        uint64_t shape = shp_shape_hash(n->x, f->shape);
        uint32_t parts = (f->id == SHP_ABSENT ? 16u : 0) | (f->tensor ? 8u : 0) | (f->content ? 4u : 0);
        see(s, shape + ((uint32_t)f->type << 5 | parts));
        s->open |= learned && (shape & 1);
    }
    return true;
}

/* The elements, hashed; 0 where there are many, or some that nothing tells apart. */
static uint64_t content_hash(const shp_content *c)
{
    if (!c->hash) {
        uint64_t hash = (uint64_t)c->count << 1 | c->bounds;
        bool whole = c->count <= ALIKE_ELEMENTS;
        for (uint32_t k = 0; whole && k < c->count; k++) {
            whole = c->elem[k] != 0;
            hash = shp_mix(hash, c->elem[k]);
        }
        ((shp_content *)c)->hash = whole ? hash | 1 : 2;
    }
    return c->hash == 2 ? 0 : c->hash;
}

/* The contents of the inputs in the set. One that nothing tells apart is seen by its value number. */
static void see_contents(const shp_node *n, uint32_t inputs, shp_sight *s)
{
    for (uint32_t i = 0; inputs >> i; i++) {
        if (!(inputs >> i & 1)) continue;
        const shp_fact *f = &n->scope->fact[n->proto->input[i]];
        const shp_content *c = f->content ? f->content : shp_known_content(n->x, f);
        uint64_t hash = c ? content_hash(c) : !f->tensor && shp_dtype_kind(f->type) == 'F';
        if (f->tensor || !hash) s->asked |= 1u << i;
        s->open |= !hash || (c && !c->fixed);
        see(s, hash ? hash : f->id);
    }
}

static inline uint64_t key_of(const shp_node *n, const shp_sight *s)
{
    return shp_mix(s->key, s->open ? shp_dims_epoch(n->dims) : 0) | 1;
}

static inline shp_done *done_at(const struct shp_private *p, uint64_t key) { return &p->done[key >> 1 & p->done_mask]; }

static void keep_done(shp_node *n, shp_done *d, uint64_t key)
{
    if (d->room < n->nout) {
        *d = (shp_done){ .out = shp_alloc_array(n->x->arena, n->nout, sizeof *d->out) };
        if (!d->out) return;
        d->room = n->nout;
    }
    if (n->nout) memcpy(d->out, n->out, n->nout * sizeof *d->out);
    d->key = key;
    d->read = *n->read;
    d->contents = 0;
}

/* The outputs of a node that was done and is alike. asked: inputs whose contents the rule would have made. */
static void take_done(shp_node *n, const shp_done *d, uint32_t asked)
{
    for (uint32_t i = 0; asked >> i; i++)
        if ((asked >> i & 1) && (d->read >> (2 * i + 1) & 1)) shp_in_content(n, i);
    for (uint32_t o = 0; o < n->nout; o++) give(n, o, &d->out[o]);
    *n->read = d->read;
}

/* Whether what a rule gave is the node's alone. */
static bool is_own(const shp_node *n)
{
    if (n->own || n->failed || n->noted || n->foreign || n->x->p->waiting || *shp_dims_overflow(n->dims)) return true;
    for (uint32_t o = 0; o < n->nout; o++)
        if (n->out[o].tensor || n->out[o].type >= SHP_TYPE_SEQ || n->out[o].id != (o ? shp_mix(n->id, o) : n->id)) return true;
    return false;
}

/* A rule is pure: it runs once for nodes that are alike. Which contents it reads is known from the last one of that sight. */
static bool apply_rule(shp_node *n, shp_op_entry *e)
{
    struct shp_private *p = n->x->p;
    shp_sight seen, all;
    bool seeing = see_node(n, e, &seen);
    uint64_t key = key_of(n, &seen), whole = key;
    shp_done *like = done_at(p, key), *d = like;
    all = seen;
    if (seeing && like->key == key && like->contents) {
        see_contents(n, like->contents, &all);
        d = done_at(p, whole = key_of(n, &all));
    }
    if (seeing && d->key == whole) {
        take_done(n, d, all.asked);
        return false;
    }
    uint32_t epoch = shp_dims_epoch(n->dims), contents = 0;
    n->schema = e->signature.schema;
    n->signature = &e->signature;
    if (shp_signature_check(n, &e->signature)) e->rule(n);
    if (!seeing || is_own(n) || shp_dims_epoch(n->dims) != epoch) return false;
    for (uint32_t i = 0; i < n->proto->inputs; i++) contents |= (uint32_t)(*n->read >> (2 * i + 1) & 1) << i;
    if (like->key == key) contents |= like->contents;
    if (contents) {
        like->key = key;
        like->contents = contents;
        see_contents(n, contents, &seen);
        d = done_at(p, whole = key_of(n, &seen));
    }
    keep_done(n, d, whole);
    return false;
}

/* What there is to know about an operator at that opset. NULL: no memory. */
static shp_op_entry *new_op(shp_infer *x, shp_op_proto *op, int opset)
{
    shp_op_entry *e = shp_alloc(x->arena, sizeof *e);
    if (!e) return NULL;
    const shp_schema *schema = shp_schema_find(x->p->schemas, op->domain, op->op_type, opset);
    *e = (shp_op_entry){ .next = op->cache, .opset = opset, .rule = schema ? shp_op_rule(schema->op) : NULL };
    e->id = shp_hash(shp_hash(0, op->domain.at, op->domain.len), op->op_type.at, op->op_type.len);
    e->function = find_function(x, op);
    shp_signature_read(x->arena, &e->signature, schema);
    /* As runtimes do: an operator wins, but none has overloads, and none is what has fewer attributes than that requires. */
    if (e->function && e->rule && !op->overload.len && e->function->attrs + e->function->defaults >= e->signature.required) e->function = NULL;
    e->apply = is_host_op(x, op->domain, op->op_type) ? host_rule : e->function ? call_function : e->rule ? apply_rule : unknown_op;
    e->single = e->apply == host_rule || e->apply == unknown_op || random_op(op->op_type);
    return op->cache = e;
}

/* The same at the opset that the scope's graph imports. */
static shp_op_entry *find_op(shp_infer *x, const shp_scope *s, shp_op_proto *op)
{
    shp_op_entry *e = op->cache;
    if (e && e->importer == s->function) return e;
    int opset = opset_of(x, s, op->domain);
    while (e && e->opset != opset) e = e->next;
    if (e || (e = new_op(x, op, opset))) e->importer = s->function;
    return e;
}

/* Does a node and stores what comes out. It is as good as not done while x->p->waiting. */
static void do_node(shp_infer *x, shp_scope *s, uint32_t index)
{
    const shp_node_proto *proto = &s->graph->node[index];
    settle(x);
    shp_op_entry *e = find_op(x, s, proto->op);
    shp_fact few[FEW_OUTPUTS];
    if (!e) return;
    shp_node n = { .x = x, .dims = x->dims, .scope = s, .proto = proto, .index = index, .opset = e->opset, .id = node_id(s, index, e),
                   .nout = proto->outputs, .out = few, .read = &s->read[index] };
    if (n.nout > FEW_OUTPUTS && !(n.out = shp_alloc_array(x->arena, n.nout, sizeof *n.out))) return;
    for (uint32_t o = 0; o < n.nout; o++) n.out[o] = (shp_fact){ .id = o ? shp_mix(n.id, o) : n.id };
    *n.read = 0;
    x->p->asking = proto;
    x->p->asking_index = index;
    bool bodies = proto->attrs->has_graph && !x->p->probing, host = e->apply == host_rule;
    if (bodies && host) other_bodies(&n);           /* first: what they ask the host is settled before the node is asked about */
    bool whole = !x->p->waiting && e->apply(&n, e);
    if (bodies && !host) other_bodies(&n);
    if (x->p->waiting) return;
    if (*shp_dims_overflow(x->dims)) {
        *shp_dims_overflow(x->dims) = false;
        shp_note(&n, SHP_D_OVERFLOW, "a size leaves 64 bits: it becomes an unknown one");
    }
    for (uint32_t o = 0; o < proto->outputs; o++) {
        uint32_t slot = shp_output(proto)[o];
        if (slot == SHP_NONE || shp_from(&s->graph->slot[slot], SHP_FROM_NODE) != index) continue;
        for (uint32_t i = 0; i < proto->inputs && !n.out[o].shape && !whole; i++)       /* what leaves this rank open does so of that one */
            if (shp_in(&n, i)->shape == &shp_shape_apart) n.out[o].shape = &shp_shape_apart;
        shp_input_option *pin = x->options.inputs && s == x->main ? input_option(x, s->graph->slot[slot].name) : NULL;
        if (pin) apply_option(x, s, &n, slot, &n.out[o], pin);
        else merge_declared(x, s, slot, &n.out[o], &n, whole);
        s->fact[slot] = n.out[o];
    }
}

/* Counts an operation. Whether it is one too many; that ends the call. */
static inline bool too_many(shp_infer *x)
{
    bool over = ++x->operations > x->options.operations;
    if (over) shp_stop(x, SHP_E_OPERATIONS, "more than %d", (int64_t)x->options.operations);
    return over;
}

static void walk(shp_infer *x, shp_scope *s)
{
    x->p->calls++;
    while (s->at < s->graph->sorted && !x->error && !x->arena->failed && !(x->p->probing && s->fails)) {
        if (too_many(x)) break;
        do_node(x, s, shp_ordered(s->graph, s->at));
        if (x->p->waiting) break;
        s->at++;
    }
    x->p->calls--;
    if (!x->p->waiting) settle(x);
}

/* Keeps the facts that nodes from .. to - 1 read and give, or puts them back. Returns how many there are. */
static uint32_t keep_facts(shp_scope *s, uint32_t from, uint32_t to, shp_fact *kept, bool back)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        const shp_node_proto *p = &s->graph->node[shp_ordered(s->graph, i)];
        for (uint32_t k = 0; k < p->inputs + p->outputs; k++, count++) {
            uint32_t slot = p->input[k];
            if (slot == SHP_NONE || !kept) continue;
            if (back) s->fact[slot] = kept[count];
            else kept[count] = s->fact[slot];
        }
    }
    return count;
}

bool shp_survives(shp_node *n, const shp_fact *out)
{
    shp_infer *x = n->x;
    shp_scope *s = n->scope, scope = *s;
    if (x->p->probing || s->fails) return true;
    uint32_t mark = shp_dims_mark(x->dims), left = s->graph->sorted - s->at - 1, end = s->at + 1 + (left < LOOK_AHEAD ? left : LOOK_AHEAD);
    shp_fact *kept = shp_alloc_array(x->arena, keep_facts(s, s->at, end, NULL, false), sizeof *kept);
    if (!kept) return true;
    keep_facts(s, s->at, end, kept, false);
    for (uint32_t o = 0; o < n->nout; o++)
        if (shp_output(n->proto)[o] != SHP_NONE) s->fact[shp_output(n->proto)[o]] = out[o];
    s->first = s->last = NULL;
    x->p->probing = true;
    while (++s->at < end && !s->fails && !x->p->waiting && !x->error) {
        do_node(x, s, shp_ordered(s->graph, s->at));
        x->operations++;
    }
    x->p->probing = false;
    shp_dims_rewind(x->dims, mark);
    bool fails = s->fails;
    *s = scope;
    keep_facts(s, s->at, end, kept, true);
    return !fails;
}

/* ---- bodies ---- */

/* Resolves what a scope and the scopes below it hold, before facts that must not travel are taken back. */
static void resolve_scope(shp_infer *x, shp_scope *top)
{
    for (shp_scope *s = top;;) {
        for (uint32_t i = 0; i < s->graph->slots; i++) {
            s->fact[i].shape = shp_shape_resolve(x, s->fact[i].shape);
            s->fact[i].content = shp_content_resolve(x, s->fact[i].content);
        }
        if (s->first) { s = s->first; continue; }
        while (s != top && !s->next) s = s->caller;
        if (s == top) return;
        s = s->next;
    }
}

/* A body before another turn. What was said before its node is not taken back: that is of the answer it waited for. */
static void empty(shp_infer *x, shp_scope *s)
{
    if (s->diag_mark < x->p->diags_done) s->diag_mark = x->p->diags_done;
    if (s->diag_mark < x->diags) x->diags = s->diag_mark;
    s->first = s->last = NULL;
    s->fails = false;
    s->at = 0;
    memset(s->fact, 0, s->graph->slots * sizeof *s->fact);
}

static shp_scope *do_body(shp_node *n, shp_str attr, uint64_t place, const shp_graph *g, const shp_fact *in, uint32_t count, bool maybe, uint64_t seed)
{
    shp_infer *x = n->x;
    if (x->p->waiting || x->error || too_deep(n, 2 * x->options.nesting)) return NULL;
    bool old, turn = count > 0;
    shp_scope *s = child_scope(x, n->scope, n->index, attr, place, g, &old);
    if (!s) return NULL;
    if (old && !turn) x->diags = x->p->diags_done;
    else {
        if (old) empty(x, s);
        s->outer = n->scope;
        s->seed = shp_mix(shp_mix(n->id, n->scope->seed), seed);
        s->maybe = n->scope->maybe || maybe;
        begin(x, s);
    }
    if (s->at == g->sorted && old && !turn) return s;
    for (uint32_t i = 0; i < g->inputs && i < count; i++) {
        shp_fact *to = &s->fact[g->input[i]];
        shp_type declared = to->type;
        uint64_t id = to->id;
        *to = in[i];
        if (!to->type) to->type = declared;
        if (!to->id) to->id = id;
    }
    x->p->turning += turn;
    walk(x, s);
    x->p->turning -= turn;
    n->scope->fails |= !maybe && s->fails;
    if (x->p->waiting && turn) shp_dims_rewind(x->dims, s->mark);
    if (maybe && !x->p->waiting && shp_dims_epoch(x->dims) != s->epoch) {
        resolve_scope(x, s);
        shp_dims_rewind(x->dims, s->mark);
    }
    return x->p->waiting || x->error ? NULL : s;
}

shp_scope *shp_body(shp_node *n, const char *attr, const shp_fact *in, uint32_t count, bool maybe, uint64_t seed)
{
    const shp_attr *a = shp_attr_get(n, attr), *item = n->proto->attrs->item;
    uint32_t i = 0;
    if (!a || !a->g) return NULL;
    while (!shp_str_is(item[i].name, attr)) i++;
    if (i < 64) n->bodies |= (uint64_t)1 << i;
    return do_body(n, item[i].name, (uint64_t)(i + 1) << 32, a->g, in, count, maybe, seed);
}

/* "graphs[2]" */
static shp_str item_name(shp_infer *x, shp_str list, uint32_t i)
{
    char *text = shp_alloc(x->arena, (size_t)list.len + 12), *to = text;
    if (!text) return list;
    memcpy(text, list.at, list.len);
    to += list.len;
    *to++ = '[';
    to = shp_put_number(to, i);
    *to++ = ']';
    return (shp_str){ text, (uint32_t)(to - text) };
}

/* Bodies that no rule has come to: those of an operator that has none, or whose node is wrong. As they declare, for they are listed, too. */
static void other_bodies(shp_node *n)
{
    const shp_attrs *attrs = n->proto->attrs;
    for (uint32_t i = 0; i < attrs->count; i++) {
        const shp_attr *a = &attrs->item[i];
        bool done = i < 64 && n->bodies >> i & 1;       /* no operator has more */
        for (uint32_t k = 0; k < shp_attr_bodies(a) && !done; k++)
            do_body(n, a->graphs ? item_name(n->x, a->name, k) : a->name, (uint64_t)(i + 1) << 32 | k, shp_attr_body(a, k), NULL, 0, true, i);
    }
}

void shp_body_output(shp_node *n, const shp_scope *s, uint32_t i, shp_fact *f)
{
    *f = i < s->graph->outputs ? s->fact[s->graph->output[i]] : (shp_fact){ 0 };
    f->shape = shp_shape_resolve(n->x, f->shape);
}

static const shp_content *merge_content(shp_node *n, const shp_content *a, const shp_content *b)
{
    if (!a || !b || a == b) return a == b ? a : NULL;
    if (a->item || b->item || a->length || b->length) return a->length && a->length == b->length ? shp_content_length(n, a->length) : NULL;
    if (a->count != b->count) return NULL;
    shp_content *c = shp_content_new(n, a->count);
    for (uint32_t i = 0; c && i < c->count; i++)
        if (a->elem[i] == b->elem[i]) c->elem[i] = a->elem[i];
    return c;
}

shp_fact shp_fact_merge(shp_node *n, uint32_t o, const shp_fact *a, const shp_fact *b)
{
    shp_infer *x = n->x;
    shp_fact f = { .type = !a->type ? b->type : !b->type || a->type == b->type ? a->type : 0, .id = a->id == b->id ? a->id : shp_mix(n->id, o) };
    const shp_shape *sa = shp_shape_resolve(x, a->shape), *sb = shp_shape_resolve(x, b->shape);
    if (sa == &shp_shape_none) f.shape = sb;
    else if (sb == &shp_shape_none || sa == sb) f.shape = sa;
    else if (sa && sb && sa->rank == sb->rank) {
        shp_shape *shape = shp_shape_new(x, sa->rank);
        for (int32_t i = 0; shape && i < sa->rank; i++)
            shape->dim[i] = sa->dim[i] == sb->dim[i] ? sa->dim[i] : shp_fresh(n, o, (uint32_t)i, SHP_WHY_MERGE);
        f.shape = shape;
    } else if (sa && sb) f.shape = &shp_shape_apart;
    if (a->tensor && a->tensor == b->tensor) f.tensor = a->tensor;
    f.content = merge_content(n, shp_fact_content(n, a), shp_fact_content(n, b));
    return f;
}

/* ---- the call ---- */

shp_infer *shp_infer_new(shp_arena *a, const shp_model *m, const shp_options *options)
{
    shp_infer *x = shp_alloc(a, sizeof *x);
    struct shp_private *p = shp_alloc(a, sizeof *p);
    if (!x || !p) return NULL;
    x->arena = a;
    x->model = m;
    x->options = *options;
    x->p = p;
    x->dims = shp_dims_new(a, options->terms, options->depth, options->seed);
    p->schemas = shp_schemas_new(a);
    /* The schema table's own codes come first, in its order, so that both mean the same by a code. */
    for (int code = SHP_TYPE_OTHER; shp_schema_other_type(code); code++) {
        shp_type_row *more = shp_grow_array(a, p->type, p->types, &p->type_room, sizeof *more);
        if (!more) return NULL;
        p->type = more;
        const char *text = shp_schema_other_type(code);
        size_t before = p->types;
        shp_type made = shp_type_parse(x, (shp_str){ text, (uint32_t)strlen(text) });
        if (p->types == before || made != code) return NULL;
    }
    return x->dims && p->schemas ? x : NULL;
}

static void start(shp_infer *x)
{
    const shp_graph *g = x->model->graph;
    struct shp_private *p = x->p;
    p->started = true;
    collect_names(x);
    for (p->done_mask = 63; p->done_mask < x->model->values && p->done_mask < DONE_MAX - 1;) p->done_mask = 2 * p->done_mask + 1;
    p->done = shp_alloc_array(x->arena, p->done_mask + 1, sizeof *p->done);
    x->main = p->done ? new_scope(x, g) : NULL;
    if (!x->main) return;
    x->main->seed = SEED_MAIN;
    shp_check_graph(x, x->main);
    if (!x->model->opsets && x->model->ir_version >= 3)
        shp_diagnose(x, x->main, NULL, SHP_D_OPSET, NULL, "the model imports no opset: %d is taken", (int64_t)SHP_OPSET_NEWEST);
    for (uint32_t i = 0; i < x->model->opsets; i++) {
        int64_t version = x->model->opset[i].version;
        if (!x->model->opset[i].domain.len && (version < 1 || version > SHP_OPSET_NEWEST))
            shp_diagnose(x, x->main, NULL, version < 1 ? SHP_D_OPSET : SHP_D_LIMIT, NULL, "the model imports opset %d: %d is taken", version, (int64_t)SHP_OPSET_NEWEST);
    }
    enter_inputs(x, x->main);
    for (uint32_t i = 0; i < x->options.inputs; i++) {          /* others when their node is done */
        uint32_t slot = shp_graph_find(g, x->options.input[i].name);
        shp_source source = slot == SHP_NONE ? SHP_FROM_NOTHING : (shp_source)g->slot[slot].source;
        if (source == SHP_FROM_INPUT || source == SHP_FROM_INITIALIZER) apply_option(x, x->main, NULL, slot, &x->main->fact[slot], &x->options.input[i]);
    }
    for (uint32_t i = 0; i < g->inputs; i++) {
        uint32_t slot = g->input[i];
        if (!x->main->fact[slot].type && g->input_info[i]->type.kind != SHP_T_OPAQUE)
            shp_diagnose(x, x->main, NULL, SHP_D_NO_TYPE, &g->slot[slot].name, "input '%v' has no type (give one with options.inputs)");
    }
}

static void finish(shp_infer *x)
{
    for (uint32_t i = 0; i < x->options.bindings; i++)
        if (!x->options.binding[i].used && !find_name(x, x->options.binding[i].name))
            shp_diagnose(x, x->main, NULL, SHP_D_BINDING, NULL, "no dim is named '%n': the override has no effect", &x->options.binding[i].name);
    for (uint32_t i = 0; i < x->options.inputs; i++)
        if (!x->options.input[i].used)
            shp_diagnose(x, x->main, NULL, SHP_D_BINDING, &x->options.input[i].name, "the main graph has no value '%v': what is given of it has no effect");
}

shp_status shp_infer_step(shp_infer *x, uint32_t pause)
{
    struct shp_private *p = x->p;
    if (!p->started) start(x);
    const shp_graph *g = x->model->graph;
    for (uint32_t count = 0; x->main && !x->error && !x->arena->failed && x->main->at < g->sorted; count++) {
        if (count >= pause) return SHP_PAUSE;
        if (too_many(x)) break;
        p->answer_at = p->answers_done;
        do_node(x, x->main, shp_ordered(g, x->main->at));
        if (p->waiting) {
            x->diags = p->diags_done;       /* what is said behind it is said again */
            return x->request.node ? SHP_NEED_RULE : SHP_NEED_BYTES;
        }
        p->answers = p->answers_done = 0;
        x->done = ++x->main->at;
    }
    if (x->arena->failed) shp_stop(x, SHP_E_MEMORY, "");
    if (x->error) return SHP_ERROR;
    finish(x);
    return x->error ? SHP_ERROR : SHP_DONE;
}
