/* check - a node against its operator's schema: arity, attributes, input types; the output types that follow from them. And what is wrong
 * with a graph as it was read. */
#include "driver.h"

#include <string.h>

enum { TYPE_VARS = 16, ABSENT = UINT16_MAX /* no type: an input that is left out */ };

/* Types of attributes, a bit each, that hold a message: without it there is nothing to take. */
enum { WITH_MESSAGE = 1 << SHP_ATTR_TENSOR | 1 << SHP_ATTR_GRAPH | 1 << SHP_ATTR_SPARSE_TENSOR };

void shp_signature_read(shp_arena *a, shp_signature *s, const shp_schema *schema)
{
    *s = (shp_signature){ .schema = schema };
    if (!schema) return;
    size_t room = 0;
    shp_schema_attr *attr = NULL, at = { 0 };
    while (shp_schema_attr_next(schema, &at)) {
        shp_schema_attr *more = shp_grow_array(a, attr, s->attrs, &room, sizeof *more);
        if (!more) break;
        attr = more;
        attr[s->attrs++] = at;
        s->required += at.required;
    }
    s->attr = attr;
}

const shp_schema_attr *shp_signature_attr(const shp_signature *s, shp_str name)
{
    for (uint32_t i = 0; i < s->attrs; i++)
        if (shp_str_eq(name, (shp_str){ s->attr[i].name, s->attr[i].len })) return &s->attr[i];
    return NULL;
}

static bool check_arity(shp_node *n, const shp_schema *s)
{
    int inputs = (int)shp_inputs(n), outputs = (int)n->proto->outputs;
    int min = shp_schema_min_inputs(s), max = shp_schema_max_inputs(s), most = shp_schema_max_outputs(s);
    while (outputs && shp_output(n->proto)[outputs - 1] == SHP_NONE) outputs--;
    bool bare = (int)n->proto->inputs < min;        /* one that is left out at the end counts as there */
    if (bare || inputs > max || outputs > most) {
        if (s->gone) return false;                  /* that is said, and ends the search */
        bool in = outputs <= most;
        int have = in ? inputs : outputs, want = !in ? most : bare ? min : max;
        shp_failf(n, SHP_D_ARITY, "has %d %sput%s, but opset %d takes %s %d", (int64_t)have, in ? "in" : "out", have == 1 ? "" : "s", (int64_t)n->opset,
                  in && min == max ? "exactly" : in && bare ? "at least" : "at most", (int64_t)want);
        return false;
    }
    for (int i = 0; i < inputs || i < min; i++)
        if (!shp_has(n, (uint32_t)i) && !shp_schema_input_optional(s, i)) {
            shp_fail1(n, SHP_D_ARITY, "input %d is required but left out", i);
            return false;
        }
    return true;
}

/* An attribute that this version does not have. What no version has is an error where the table is complete: com.microsoft's operators
 * take more with each release. A name that begins with __ is a tool's own (ONNX OpSchema::Verify, and so onnxruntime, let it pass: onnxoptimizer
 * leaves __control_inputs). */
static void note_unknown(shp_node *n, shp_str name)
{
    if (shp_str_starts(&name, "__")) return;
    const shp_op_proto *op = n->proto->op;
    int64_t first = shp_schema_first(n->x->p->schemas, op->domain, op->op_type, name);
    if (first > n->opset) shp_note(n, SHP_D_ATTRIBUTE, "attribute '%n' needs opset %d or later, but the model imports opset %d", &name, first, (int64_t)n->opset);
    else if (first || !op->domain.len)
        shp_note(n, SHP_D_ATTRIBUTE, "attribute '%n' is none of opset %d%s", &name, (int64_t)n->opset, first ? " any more (it may be an input)" : "");
}

/* What AttributeProto calls a type, from 1 on. */
static const char type_name[][8] = { "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors", "graphs", "another" };

static const char *name_of(int type) { return type_name[type > 0 && type <= SHP_ATTR_GRAPHS ? type - 1 : SHP_ATTR_GRAPHS]; }

/* A tensor that the file holds: an initializer, or, with its node, what the attribute of that name holds. */
static void check_tensor(shp_infer *x, const shp_scope *s, shp_node *n, const shp_tensor *t, const shp_str *name)
{
    const char *what = n ? "attribute" : "initializer";
    const shp_str *value = n ? shp_first_output(n) : name;
    uint64_t have, want;
    if (t->external && !t->cache && !shp_has_place(x, s, t)) return;
    if (!shp_dtype_kind(t->elem_type)) shp_diagnose(x, s, n, SHP_D_NO_TYPE, value, "%s '%n' has no element type", what, name);
    if (t->count < 0) shp_diagnose(x, s, n, SHP_D_NEGATIVE, value, "%s '%n' has a negative dim, or more elements than 64 bits count", what, name);
    if (!t->sparse && !shp_tensor_data_fits(t, &have, &want))
        shp_diagnose(x, s, n, SHP_D_DATA_SIZE, value, "%s '%n': %d bytes or entries of data, %d expected", what, name, (int64_t)have, (int64_t)want);
}

static bool check_attributes(shp_node *n, shp_signature *s)
{
    const shp_attrs *all = n->proto->attrs;
    uint64_t seen = 0;                  /* attributes, a bit each */
    bool again = false;                 /* tensors: whatever is wrong with one is told of each */
    if (s->attrs_known && all->hash == s->attrs_hash && !all->has_ref) return true;
    for (uint32_t i = 0; i < all->count; i++) {
        const shp_attr *own = &all->item[i];
        const shp_schema_attr *a = shp_signature_attr(s, own->name);
        if (!a) {
            n->foreign = true;
            note_unknown(n, own->name);
            continue;
        }
        uint64_t bit = (uint64_t)1 << (a - s->attr) % 64;
        if (seen & bit) { shp_failf(n, SHP_D_ATTRIBUTE, "attribute '%s' is there twice", a->name); return false; }
        seen |= bit;
        if (own->ref.len && !(own = shp_attr_get(n, a->name))) continue;        /* a reference to what the call leaves out */
        bool cast = n->opset == 6 && own->type == SHP_ATTR_STRING && shp_str_is(own->name, "to");      /* files of opset 6 have it as before */
        if (own->type && own->type != a->type && a->type && !cast) {
            shp_failf(n, SHP_D_ATTRIBUTE, "attribute '%s' is of type %s, %s expected", a->name, name_of(own->type), name_of(a->type));
            return false;
        }
        if (!own->t && !own->g && (WITH_MESSAGE >> a->type & 1)) {
            shp_failf(n, SHP_D_ATTRIBUTE, "attribute '%s' holds no %s", a->name, a->type == SHP_ATTR_GRAPH ? "graph" : "tensor");
            return false;
        }
        again |= own->t != NULL;
        if (own->t) check_tensor(n->x, n->scope, n, own->t, &own->name);
    }
    for (uint32_t i = 0; s->required && i < s->attrs; i++)
        if (s->attr[i].required && !shp_attr_get(n, s->attr[i].name)) {
            shp_failf(n, SHP_D_ATTRIBUTE, "attribute '%s' is required", s->attr[i].name);
            return false;
        }
    if (n->foreign || again) return true;
    s->attrs_known = true;
    s->attrs_hash = all->hash;
    return true;
}

/* Input types against the schema; which type each type variable stands for goes to bound. */
static void bind_types(shp_node *n, const shp_schema *s, shp_type *bound)
{
    bool mixed = shp_schema_heterogeneous(s, false);
    for (uint32_t i = 0, count = shp_inputs(n); i < count; i++) {
        shp_type type = shp_in_type(n, i);
        int f = shp_schema_input(s, (int)i);
        if (!type || f == SHP_FORMAL_NONE) continue;
        if (f < 0) {
            if (type != -1 - f) shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, expected %t", (int64_t)i, (int64_t)i, (int64_t)type, (int64_t)(-1 - f));
        } else {
            if (!shp_schema_allows(s, f, type))
                shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, which opset %d does not take", (int64_t)i, (int64_t)i, (int64_t)type, (int64_t)n->opset);
            if (!bound[f]) bound[f] = type;
            else if (bound[f] != type && !mixed)
                shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, an earlier one of that type parameter %t", (int64_t)i, (int64_t)i, (int64_t)type, (int64_t)bound[f]);
        }
    }
}

/* The output types that follow from those of the inputs. */
static void type_outputs(shp_node *n, const shp_schema *s, const shp_type *bound)
{
    int mixed = shp_schema_heterogeneous(s, true) ? shp_schema_output(s, INT32_MAX) : SHP_FORMAL_NONE;
    for (uint32_t o = 0; o < n->nout; o++) {
        int f = shp_schema_output(s, (int)o);
        if (f == mixed || f == SHP_FORMAL_NONE) continue;
        n->out[o].type = f < 0 ? (shp_type)(-1 - f) : bound[f] ? bound[f] : (shp_type)shp_schema_only_type(s, f);
    }
}

/* The type of input i, ABSENT where it is left out. */
static shp_type type_of(const shp_node *n, uint32_t i)
{
    uint32_t slot = n->proto->input[i];
    const shp_fact *f = slot == SHP_NONE ? NULL : &n->scope->fact[slot];
    return f && f->id != SHP_ABSENT ? f->type : ABSENT;
}

static bool is_sound(const shp_node *n, const shp_sound *s)
{
    const shp_node_proto *p = n->proto;
    if (!s->known || p->inputs != s->inputs || p->outputs != s->outputs) return false;
    for (uint32_t i = 0; i < p->inputs; i++)
        if (type_of(n, i) != s->input[i]) return false;
    return true;
}

static void keep_sound(const shp_node *n, shp_sound *s)
{
    const shp_node_proto *p = n->proto;
    if (p->inputs > SHP_FORMALS || p->outputs > SHP_FORMALS || (p->outputs && shp_output(p)[p->outputs - 1] == SHP_NONE)) return;
    *s = (shp_sound){ .known = true, .inputs = p->inputs, .outputs = p->outputs };
    for (uint32_t i = 0; i < p->inputs; i++) s->input[i] = type_of(n, i);
    for (uint32_t o = 0; o < p->outputs; o++) s->output[o] = n->out[o].type;
}

bool shp_signature_check(shp_node *n, shp_signature *s)
{
    if (is_sound(n, &s->sound)) {
        for (uint32_t o = 0; o < n->nout; o++) n->out[o].type = s->sound.output[o];
        return check_attributes(n, s);
    }
    shp_type bound[TYPE_VARS] = { 0 };
    bool sound = check_attributes(n, s) && check_arity(n, s->schema);     /* what was an attribute may be the input that is missing */
    n->noted = false;
    int outputs = (int)n->proto->outputs, least = shp_schema_min_outputs(s->schema);
    if (outputs < least) shp_note(n, SHP_D_ARITY, "has %d outputs, but opset %d gives at least %d", (int64_t)outputs, (int64_t)n->opset, (int64_t)least);
    if (s->schema->gone) shp_note(n, SHP_D_OPSET, "is gone in opset %d", (int64_t)n->opset);
    n->told &= !sound;                  /* an attribute too many, say, has nothing to do with the inputs */
    bind_types(n, s->schema, bound);
    type_outputs(n, s->schema, bound);
    if (sound && !n->noted) keep_sound(n, &s->sound);
    return sound;
}

/* ---- graphs ---- */

/* A node for messages; NULL where the graph has none of that number. */
static shp_node *node_at(shp_node *n, shp_infer *x, shp_scope *s, uint32_t index)
{
    if (index >= s->graph->nodes) return NULL;
    *n = (shp_node){ .x = x, .scope = s, .proto = &s->graph->node[index], .index = index };
    return n;
}

void shp_check_graph(shp_infer *x, shp_scope *s)
{
    const shp_graph *g = s->graph;
    shp_node n, first;
    for (uint32_t i = 0; g->flawed && i < g->slots; i++) {
        const shp_slot *slot = &g->slot[i];
        if (slot->source == SHP_FROM_NOTHING)
            shp_diagnose(x, s, node_at(&n, x, s, slot->from), SHP_D_UNDEFINED, &slot->name, "value '%v' is used but never defined");
    }
    for (uint32_t i = 0; i < g->agains; i++) {
        const struct shp_again *second = &g->again[i];
        const shp_slot *slot = &g->slot[second->slot];
        uint32_t by = second->hides ? SHP_NONE : shp_from(slot, SHP_FROM_NODE);
        shp_diagnose(x, s, node_at(&n, x, s, second->node), SHP_D_DUPLICATE, &slot->name, "value '%v' is defined by %s%p already",
                     second->hides ? "a graph around it" : by == SHP_NONE ? "the graph" : "", node_at(&first, x, s, by));
    }
    if (g->sorted < g->nodes) {
        const shp_str *path[SHP_PATH];
        int64_t count = 0;
        for (uint32_t i = g->cycle + 1; i-- && count < SHP_PATH; ) path[count++] = shp_first_output(node_at(&n, x, s, shp_ordered(g, g->sorted + i % g->cycle)));
        shp_diagnose(x, s, node_at(&n, x, s, shp_ordered(g, g->sorted)), SHP_D_CYCLE, path[0], "waits for its own output (%c%s): %d nodes stay undone", path, count,
                     g->cycle < SHP_PATH ? "" : " → …", (int64_t)(g->nodes - g->sorted));
    }
    for (uint32_t i = 0; i < g->initializers; i++) check_tensor(x, s, NULL, g->initializer[i], &g->initializer[i]->name);
}
