/* check - a node against its operator's schema: arity, attributes, input types; the output types that follow from them. */
#include "driver.h"

#include <string.h>

enum { TYPE_VARS = 32 };

void shp_signature_read(shp_arena *a, shp_signature *s, const shp_schema *schema)
{
    *s = (shp_signature){ .schema = schema };
    if (!schema) return;
    s->min_inputs = shp_schema_min_inputs(schema);
    s->max_inputs = shp_schema_max_inputs(schema);
    s->max_outputs = shp_schema_max_outputs(schema);
    s->mixed_inputs = shp_schema_heterogeneous(schema, false);
    s->mixed_outputs = shp_schema_heterogeneous(schema, true);
    s->variadic_output = shp_schema_output(schema, INT16_MAX);
    for (int i = 0; i < SHP_FORMALS; i++) {
        int in = shp_schema_input(schema, i), out = shp_schema_output(schema, i);
        s->input[i] = in == SHP_FORMAL_NONE ? INT16_MIN : (int16_t)in;
        s->output[i] = out == SHP_FORMAL_NONE ? INT16_MIN : (int16_t)out;
        s->only[i] = out >= 0 ? (int16_t)shp_schema_only_type(schema, out) : 0;
    }
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
        if (name.len && s->attr[i].name[0] == name.at[0] && shp_str_is(name, s->attr[i].name)) return &s->attr[i];
    return NULL;
}

/* The type constraint of actual input (or output) i, SHP_FORMAL_NONE past the end. */
static int formal(const shp_signature *s, bool output, uint32_t i)
{
    if (i >= SHP_FORMALS) return output ? shp_schema_output(s->schema, (int)i) : shp_schema_input(s->schema, (int)i);
    int16_t f = output ? s->output[i] : s->input[i];
    return f == INT16_MIN ? SHP_FORMAL_NONE : f;
}

static bool check_arity(shp_node *n, const shp_signature *s)
{
    int inputs = (int)shp_inputs(n), outputs = (int)n->proto->outputs;
    while (outputs && n->proto->output[outputs - 1] == SHP_NONE) outputs--;
    if (inputs < s->min_inputs || inputs > s->max_inputs || outputs > s->max_outputs)
        return !shp_fail(n, SHP_D_ARITY, "has %d inputs and %d outputs, but opset %d takes %d to %d inputs and at most %d outputs", (int64_t)inputs, (int64_t)outputs,
                         (int64_t)n->opset, (int64_t)s->min_inputs, (int64_t)s->max_inputs, (int64_t)s->max_outputs);
    for (int i = 0; i < inputs; i++)
        if (!shp_has(n, (uint32_t)i) && !shp_schema_input_optional(s->schema, i))
            return !shp_fail(n, SHP_D_ARITY, "input %d is required but left out", (int64_t)i);
    return true;
}

/* An attribute that this version does not have: said where a later one has it; what no version knows is left to itself. */
static void note_unknown(shp_node *n, shp_str name)
{
    int64_t first = shp_schema_first(n->proto->op->domain, n->proto->op->op_type, name);
    if (first > n->opset) shp_note(n, SHP_D_ATTRIBUTE, "attribute '%n' needs opset %d or later, but the model imports opset %d", name, first, (int64_t)n->opset);
}

static bool check_attributes(shp_node *n, const shp_signature *s)
{
    uint32_t required = 0;
    for (uint32_t i = 0; i < n->proto->attrs->count; i++) {
        const shp_attr *own = &n->proto->attrs->item[i];
        const shp_schema_attr *a = shp_signature_attr(s, own->name);
        if (!a) { note_unknown(n, own->name); continue; }
        if (own->ref.len && !(own = shp_attr_get(n, a->name))) continue;        /* a reference to what the call leaves out */
        required += a->required;
        if (own->type && own->type != a->type && a->type)
            return !shp_fail(n, SHP_D_ATTRIBUTE, "attribute '%s' has AttributeType %d, expected %d", a->name, (int64_t)own->type, (int64_t)a->type);
    }
    for (uint32_t i = 0; required < s->required && i < s->attrs; i++)
        if (s->attr[i].required && !shp_attr_get(n, s->attr[i].name)) return !shp_fail(n, SHP_D_ATTRIBUTE, "attribute '%s' is required", s->attr[i].name);
    return true;
}

/* Input types against the schema; which type each type variable stands for goes to bound. */
static void bind_types(shp_node *n, const shp_signature *s, shp_type *bound)
{
    for (uint32_t i = 0, count = shp_inputs(n); i < count; i++) {
        shp_type type = shp_in_type(n, i);
        int f = formal(s, false, i);
        if (!type || f == SHP_FORMAL_NONE || f >= TYPE_VARS) continue;
        if (f < 0) {
            if (type != -1 - f) shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, expected %t", (int64_t)i, i, (int)type, -1 - f);
        } else if (!shp_schema_allows(s->schema, f, type)) {
            shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, which opset %d does not take", (int64_t)i, i, (int)type, (int64_t)n->opset);
        } else if (!bound[f]) {
            bound[f] = type;
        } else if (bound[f] != type && !(s->mixed_inputs && s->max_inputs == INT32_MAX)) {
            shp_note(n, SHP_D_TYPE, "input %d (%i) is %t, but an earlier input of the same type parameter is %t", (int64_t)i, i, (int)type, (int)bound[f]);
        }
    }
}

bool shp_signature_check(shp_node *n, const shp_signature *s)
{
    bool sound = check_arity(n, s) && check_attributes(n, s);
    shp_type bound[TYPE_VARS] = { 0 };
    bind_types(n, s, bound);
    for (uint32_t o = 0; o < n->nout; o++) {
        int f = formal(s, true, o);
        if (f == SHP_FORMAL_NONE || f >= TYPE_VARS || (s->mixed_outputs && f == s->variadic_output)) continue;
        n->out[o].type = f < 0 ? (shp_type)(-1 - f) : bound[f] || o >= SHP_FORMALS ? bound[f] : (shp_type)s->only[o];
    }
    return sound;
}
