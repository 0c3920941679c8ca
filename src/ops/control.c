/* Control flow: If, Loop, Scan, SequenceMap. Bodies are inferred where they stand (infer.h); here it is decided what goes in,
 * what holds on every turn, and what comes out. A symbol born in a body never leaves it. */
#include "../infer.h"
#include "index.h"

#include <string.h>

enum { TURNS_MAX = 40,              /* a fixed point widens at least one axis a turn; past this the rank goes */
       UNROLL_MAX = 16,             /* turns that are followed one by one */
       FOLLOW_MAX = 2 };            /* loops, one in another, whose turns are */

/* Input i of a Loop's body, its turn number or condition: a scalar, or [1] where the body declares it so (runtimes then give that). Its value
 * is v. */
static void scalar_fact(shp_node *n, uint32_t i, uint64_t seed, shp_dim v, shp_fact *f)
{
    const shp_attr *a = shp_attr_get(n, "body");
    shp_shape *s = shp_items(n, 1, sizeof *s + sizeof(shp_dim));
    if (s && a && a->g && i < a->g->inputs && a->g->input_info[i]->type.kind == SHP_T_TENSOR && a->g->input_info[i]->type.rank == 1) {
        s->rank = 1;
        s->dim[0] = lit(1);
    }
    *f = (shp_fact){ .type = i ? SHP_BOOL : SHP_INT64, .shape = s, .content = shp_content_one(n, shp_elem_dim(v)), .id = shp_mix(n->id, seed) };
}

/* The number of any turn of a Loop: below the limit, where there is one. */
static shp_dim any_turn(shp_node *n, shp_dim limit)
{
    shp_origin origin = { n->scope, n->index, 0, 0, SHP_WHY_CONTENT };
    n->own = true;
    return shp_dim_fresh_upto(n->dims, shp_mix(shp_mix(n->id, 0x17e4), limit), &origin, hi(n, limit) > 0 ? sub(n, limit, lit(1)) : 0);
}

/* ---- what leaves a body ---- */

typedef struct shp_birth {
    const shp_node *node;
    const shp_scope *body;
} shp_birth;

/* The node makes symbols for elements that the body is given, where it asks for them first. (Scopes are told by their graphs: that of a body
 * inside one that is done again is another, but the symbol is that of the first.) */
static bool born(void *arg, const shp_symbol *s)
{
    const shp_birth *b = arg;
    const shp_scope *scope = s->origin.scope;
    if (scope && s->origin.why == SHP_WHY_CONTENT && scope->graph == b->node->scope->graph && s->origin.node == b->node->index) return true;
    while (scope && scope->graph != b->body->graph) scope = scope->caller;
    return scope;
}

static bool born_inside(shp_node *n, const shp_scope *body, shp_dim d)
{
    return shp_dim_any(n->dims, d, born, &(shp_birth){ n, body });
}

/* Output i of a body as it may leave that as output o: symbols born there become fresh ones of this node, elements unknown ones. The first
 * axis of its shape will be axis `first` of the output. */
static void leave(shp_node *n, uint32_t o, const shp_scope *body, uint32_t i, uint32_t first, shp_fact *f)
{
    shp_body_output(n, body, i, f);
    if (f->shape && f->shape->rank > 0) {
        shp_shape *s = shp_copied(n, f->shape);
        for (int32_t k = 0; s && k < s->rank; k++)
            if (born_inside(n, body, s->dim[k])) s->dim[k] = shp_fresh(n, o, (uint32_t)k + first, SHP_WHY_MERGE);
        f->shape = s;
    }
    const shp_content *c = f->content ? shp_fact_content(n, f) : NULL;
    f->content = NULL;
    if (c && c->length) c = shp_content_length(n, c->length);
    if (c && c->length) f->content = born_inside(n, body, c->length) ? NULL : c;
    else if (c) {
        shp_content *copy = shp_content_new(n, c->count);
        for (uint32_t k = 0; copy && k < c->count; k++)
            if (!born_inside(n, body, shp_elem_num(c->elem[k]))) copy->elem[k] = c->elem[k];
        f->content = copy;
    }
    f->id = shp_mix(n->id, o);
}

/* The elements of sequences may not be known yet, and what an optional holds may stand for it. */
static bool types_differ(shp_node *n, shp_type a, shp_type b)
{
    shp_kind p = shp_type_kind(n->x, a), q = shp_type_kind(n->x, b);
    return a && b && a != b && (p == SHP_KIND_TENSOR || q == SHP_KIND_TENSOR) && p != SHP_KIND_OPT && q != SHP_KIND_OPT;
}

/* Says where a body does not fit its node: it is given in[0 .. count), in[first .. first + states) are carried from turn to turn, and its first
 * `own` outputs are conditions, none of the node's. (Last: doing a body again takes back what was said since.) */
static void fits(shp_node *n, const char *attr, const shp_scope *body, const shp_fact *in, uint32_t count, uint32_t first, uint32_t states, uint32_t own)
{
    const shp_graph *g = body->graph;
    uint32_t takes = g->inputs, gives = own + (n->proto->outputs > states ? n->proto->outputs : states);
    while (takes > count && g->slot[g->input[takes - 1]].source == SHP_FROM_INITIALIZER) takes--;
    if (takes != count) shp_note(n, SHP_D_ARITY, "%s has %d inputs, %d expected", attr, (int64_t)takes, (int64_t)count);
    if (g->outputs != gives) shp_note(n, SHP_D_ARITY, "%s has %d outputs, %d expected", attr, (int64_t)g->outputs, (int64_t)gives);
    for (uint32_t i = 0; i < count && i < g->inputs; i++) {
        shp_type declared = shp_declared_type(n->x, &g->input_info[i]->type);
        if (types_differ(n, declared, in[i].type))
            shp_note(n, SHP_D_TYPE, "%s takes '%n' as %t, but is given %t", attr, &g->slot[g->input[i]].name, (int64_t)declared, (int64_t)in[i].type);
    }
    for (uint32_t i = 0; i < g->outputs; i++)
        if (g->slot[g->output[i]].source == SHP_FROM_OUTER)
            shp_note(n, SHP_D_OUTER, "%s gives '%n' of a graph around it: put an Identity between", attr, &g->slot[g->output[i]].name);
    for (uint32_t i = 0; i < own + states; i++) {
        shp_fact f;
        shp_body_output(n, body, i, &f);
        shp_type want = i < own ? SHP_BOOL : in[first + i - own].type;
        if (types_differ(n, f.type, want))
            shp_note(n, SHP_D_TYPE, "%s gives '%n' as %t, expected %t", attr, &g->slot[g->output[i]].name, (int64_t)f.type, (int64_t)want);
    }
}

/* ---- conditions ---- */

/* A single integer as a dim, as a float too; 0 where it is none. */
static shp_dim compared(shp_node *n, const shp_scope *s, uint32_t slot)
{
    const shp_node_proto *p = shp_maker(s, slot);
    if (p && shp_str_is(p->op->op_type, "Cast")) slot = p->input[0];
    shp_fact f = slot == SHP_NONE ? (shp_fact){ 0 } : s->fact[slot];
    const shp_content *c = shp_fact_content(n, &f);
    double v;
    if (c && c->count == 1 && !c->item && shp_elem_is_real(c->elem[0]) && shp_elem_number(n, c->elem[0], &v) && v > -0x1p30 && v < 0x1p30 && v == (double)(int32_t)v)
        return num(n, (int32_t)v);
    return shp_only(n, &f);
}

/* What is at least 1 where a bool is true, and only there; 0 where that is not known. `depth` bounds what is looked at. */
static shp_dim margin(shp_node *n, const shp_scope *s, uint32_t slot, int depth)
{
    while (slot != SHP_NONE && s->graph->slot[slot].source == SHP_FROM_OUTER && s->outer) {
        slot = s->graph->slot[slot].from;
        s = s->outer;
    }
    const shp_node_proto *p = shp_maker(s, slot);
    if (!p || !depth) return 0;
    shp_str op = p->op->op_type;
    if (shp_str_is(op, "Identity") || shp_str_is(op, "Cast")) return margin(n, s, p->input[0], depth - 1);
    if (p->inputs != 2) return 0;
    if (shp_str_is(op, "And")) return dim_min(n, margin(n, s, p->input[0], depth - 1), margin(n, s, p->input[1], depth - 1));
    bool less = shp_str_starts(&op, "Less");
    if (!less && !shp_str_starts(&op, "Greater")) return 0;
    shp_dim a = compared(n, s, p->input[less]), b = compared(n, s, p->input[!less]);
    return sub(n, add(n, a, lit(op.len != 0)), b);                  /* "OrEqual" is left */
}

/* ---- If ---- */

static bool ranks_differ(const shp_fact *a, const shp_fact *b)
{
    return a->shape && b->shape && a->shape->rank >= 0 && b->shape->rank >= 0 && a->shape->rank != b->shape->rank;
}

/* Sizes and elements that differ are known where the condition is made of sizes: `if pad > 0: x = pad(x, pad)`. Else the same two sizes,
 * by the same condition, make the same one. */
static void join(shp_node *n, uint32_t o, const shp_fact *a, const shp_fact *b, shp_fact *both)
{
    const shp_content *c = shp_in_content(n, 0), *p = shp_fact_content(n, a), *q = shp_fact_content(n, b);
    shp_elem flag = c && c->count ? c->elem[0] : 0;
    shp_content *some = both->content && p != q && !both->content->length ? shp_content_new(n, p->count) : NULL;
    for (uint32_t k = 0; some && k < some->count; k++) some->elem[k] = shp_elem_choose(n, flag, p->elem[k], q->elem[k]);
    if (some) both->content = some;
    if (!both->shape || both->shape == b->shape || !a->shape || !b->shape || a->shape->rank != b->shape->rank) return;
    shp_shape *s = shp_copied(n, both->shape);
    for (int32_t k = 0; s && k < s->rank; k++) {
        shp_dim yes = a->shape->dim[k], no = b->shape->dim[k];
        shp_dim d = shp_elem_num(shp_elem_choose(n, flag, shp_elem_dim(yes), shp_elem_dim(no)));
        if (!d) d = shp_fresh_of(n, shp_mix(shp_mix(shp_in(n, 0)->id, 0xe17e), (uint64_t)yes << 32 | no), o, (uint32_t)k, SHP_WHY_MERGE);
        s->dim[k] = d;
    }
    n->own = true;
    both->shape = s;
}

/* If: the branch taken where the condition is known, or where the other one cannot be the one taken: it contradicts itself, or, where
 * the two differ in rank, what follows contradicts what it gives (a run that takes it fails). Else what holds for both. Both branches are
 * inferred and are in the result; contradictions in one that may not be taken are warnings.
 * Source: ONNX If, all versions. */
void infer_if(shp_node *n)
{
    int64_t condition = -1;
    if (!shp_in_int(n, 0, &condition)) condition = -1;
    shp_scope *yes = shp_body(n, "then_branch", NULL, 0, condition <= 0, 1);
    shp_scope *no = yes ? shp_body(n, "else_branch", NULL, 0, condition != 0, 2) : NULL;
    if (!yes || !no) return;
    fits(n, "then_branch", yes, NULL, 0, 0, 0, 0);
    fits(n, "else_branch", no, NULL, 0, 0, 0, 0);
    shp_fact *a = shp_items(n, (size_t)2 * n->nout, sizeof *a), *b = a + n->nout, both;
    if (!a) return;
    if (condition < 0 && yes->fails != no->fails) condition = no->fails;
    if (condition < 0 && yes->fails) shp_note(n, SHP_D_SHAPE, "then_branch and else_branch both contradict themselves");
    bool differ = false;
    for (uint32_t o = 0; o < n->nout; o++) {
        shp_body_output(n, yes, o, a + o);
        shp_body_output(n, no, o, b + o);
        differ |= ranks_differ(&a[o], &b[o]);
        if (types_differ(n, a[o].type, b[o].type))
            shp_fail3(n, SHP_D_TYPE, "output %d is %t in then_branch and %t in else_branch", o, a[o].type, b[o].type);
    }
    /* The second first: where a size of 1 decides whether an axis goes, it does, so that this ends sooner. */
    if (condition < 0 && differ && !shp_survives(n, b)) condition = 1;
    if (condition < 0 && differ && !shp_survives(n, a)) condition = 0;
    n->scope->fails |= condition > 0 ? yes->fails : no->fails;
    for (uint32_t o = 0; o < n->nout; o++) {
        if (condition < 0) {
            both = shp_fact_merge(n, o, &a[o], &b[o]);
            join(n, o, &a[o], &b[o], &both);
        }
        shp_out_fact(n, o, condition > 0 ? a + o : condition == 0 ? b + o : &both);
    }
}

/* ---- what is carried from turn to turn ---- */

static bool same_shape(const shp_shape *a, const shp_shape *b)
{
    return a == b || (a && b && a->rank == b->rank && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim) == 0);
}

static bool same_content(const shp_content *a, const shp_content *b)
{
    if (a == b || !a || !b) return a == b;
    if (a->item || b->item || a->length != b->length) return false;
    return a->count == b->count && memcmp(a->elem, b->elem, a->count * sizeof *a->elem) == 0;
}

/* A symbol of the body for an axis of a state, one for each seed. */
static shp_dim of_turn(shp_node *n, const shp_scope *body, uint32_t state, uint32_t axis, uint64_t seed)
{
    shp_origin origin = { body, n->index, state, axis, SHP_WHY_MERGE };
    return shp_dim_fresh(n->dims, shp_mix(shp_mix(shp_mix(n->id, seed), n->scope->seed), ((uint64_t)state << 32) + axis), SHP_COUNT, &origin);
}

/* What holds of a carried value before and after a turn; axes that differ become symbols of the body, one per state and axis: for what they
 * have grown by where no turn takes anything away, so that what holds of the first size still does, else for all of them. */
static shp_fact widen(shp_node *n, const shp_scope *body, uint32_t state, const shp_fact *before, const shp_fact *after, bool forget)
{
    shp_fact f = shp_fact_merge(n, 0, before, after);
    const shp_shape *a = before->shape, *b = after->shape;
    f.id = before->id;
    if (forget) f.shape = NULL;
    bool first = a == &shp_shape_none;                  /* a sequence that was empty: items of this turn, and then of others */
    if (!f.shape || a == b || (!first && a->rank != b->rank)) return f;
    shp_shape *s = shp_copied(n, first ? b : a);
    for (int32_t i = 0; s && i < s->rank; i++) {
        shp_dim d = s->dim[i];
        if (first ? !born_inside(n, body, d) : d == b->dim[i]) continue;
        shp_dim all = of_turn(n, body, state, (uint32_t)i, 0x57a7e), more = of_turn(n, body, state, (uint32_t)i, 0x57a7f);
        if (d == all) continue;
        if (first || lo(n, sub(n, b->dim[i], d)) < 0) s->dim[i] = all;
        else if (!shp_dim_mentions(n->dims, d, shp_dim_symbol(n->dims, more))) s->dim[i] = add(n, d, more);
    }
    f.shape = s;
    return f;
}

/* Runs the body until the carried values in[first .. first + states) hold on every turn; out is the body's output of the first state.
 * widened[i] says whether state i changed on the way. NULL: must be done again, or no body. */
static shp_scope *fixed_point(shp_node *n, const char *attr, shp_fact *in, uint32_t count, uint32_t first, uint32_t states, uint32_t out, bool maybe, bool *widened)
{
    for (uint32_t turn = 0, mark = shp_dims_mark(n->dims);; turn++) {
        shp_scope *body = shp_body(n, attr, in, count, maybe, 1);
        if (!body) return NULL;
        bool changed = false;
        for (uint32_t i = 0; i < states; i++) {
            shp_fact after, *before = &in[first + i];
            shp_body_output(n, body, out + i, &after);
            if (after.id == before->id && same_shape(after.shape, before->shape)) continue;
            shp_fact wide = widen(n, body, i, before, &after, turn >= TURNS_MAX);
            if (n->x->error) return NULL;
            if (wide.type == before->type && same_shape(wide.shape, before->shape) && same_content(shp_fact_content(n, &wide), shp_fact_content(n, before))) continue;
            *before = wide;
            before->tensor = NULL;
            changed = widened[i] = true;
        }
        if (!changed || turn > TURNS_MAX + 2 || (!turn && body->fails)) return body;        /* what contradicts itself at once does so */
        shp_dims_rewind(n->dims, mark);             /* what that turn required need not hold on others */
    }
}

/* ---- Loop ---- */

typedef struct shp_loop {
    uint32_t states;
    shp_fact *in, *start, *exact;   /* the body's inputs (turn number, condition, states) on every turn; before the first; after the last */
    bool *widened;                  /* states that change from turn to turn */
    bool counted;                   /* there is a limit */
    shp_dim limit, trips;           /* the limit; how often the body runs; 0 where unknown */
    bool never, enters, runs;       /* the first turn: the condition forbids it, it allows it, it takes place for sure */
} shp_loop;

/* The condition that a turn ends with, -1 where it is not known. */
static int64_t condition_of(shp_node *n, const shp_scope *body)
{
    shp_fact f;
    shp_body_output(n, body, 0, &f);
    int64_t v;
    return is_num(n, shp_only(n, &f), &v) ? v : -1;
}

/* Takes what is `start` at first, and `after` where it was `before`, as growing by the same every turn if it does. */
static void counts_turns(shp_node *n, shp_dim turn, shp_dim start, shp_dim before, shp_dim after)
{
    shp_dim each = sub(n, after, before);
    if (shp_is_num(n, each)) shp_dim_unify(n->dims, sub(n, before, start), mul(n, turn, each));
}

/* How often the body runs before a condition ends it that compares what grows by the same every turn; 0 where that is not known. */
static shp_dim turns_until(shp_node *n, const shp_loop *l, const shp_scope *body)
{
    int64_t k;
    shp_fact f;
    shp_dim turn = shp_only(n, l->in), d = body->graph->outputs ? margin(n, body, body->graph->output[0], 6) : 0, at[2];
    uint32_t before = shp_dims_mark(n->dims), inside;
    if (!d) return 0;
    for (uint32_t i = 0; i < l->states; i++) {
        shp_body_output(n, body, 1 + i, &f);
        const shp_fact *in = l->in + 2 + i, *start = l->start + 2 + i;
        counts_turns(n, turn, shp_only(n, start), shp_only(n, in), shp_only(n, &f));
        if (!l->widened[i] || !in->shape || !start->shape || !f.shape || in->shape->rank != start->shape->rank || in->shape->rank != f.shape->rank) continue;
        for (int32_t axis = 0; axis < in->shape->rank; axis++)
            counts_turns(n, turn, start->shape->dim[axis], in->shape->dim[axis], f.shape->dim[axis]);
    }
    d = shp_dim_resolve(n->dims, d);
    inside = shp_dims_mark(n->dims);
    for (int i = 0; i < 2; i++) {
        shp_dim_unify(n->dims, turn, lit(i));
        at[i] = shp_dim_resolve(n->dims, d);
        shp_dims_rewind(n->dims, inside);
    }
    shp_dim each = sub(n, at[0], at[1]), all = add(n, at[0], each);
    bool steady = is_num(n, each, &k) && k > 0 && is(n, sub(n, add(n, d, mul(n, shp_dim_resolve(n->dims, turn), each)), at[0]), 0);
    shp_dims_rewind(n->dims, before);
    n->own = true;
    if (!steady || born_inside(n, body, all) || (!l->enters && margin(n, n->scope, n->proto->input[1], 6) != all)) return 0;
    return l->enters ? add(n, dim_max(n, ceil_div(n, at[0], each), lit(0)), lit(1)) : dim_max(n, ceil_div(n, all, each), lit(0));
}

/* How often the body runs, whose turns end with that condition (-1: not known). */
static shp_dim trips_of(shp_node *n, const shp_loop *l, const shp_scope *body, int64_t stays)
{
    if (l->never) return lit(0);
    if (l->limit && (stays == 1 || hi(n, l->limit) <= 0)) return dim_max(n, l->limit, lit(0));
    shp_dim trips = turns_until(n, l, body);
    return trips && l->counted ? dim_min(n, trips, dim_max(n, l->limit, lit(0))) : trips;
}

/* Whether the turns are worth following one by one: a few that change something, or that a condition ends which only they tell. *most: how many there
 * are then at most. */
static bool is_short(shp_node *n, const shp_loop *l, int64_t stays, int64_t *most)
{
    bool changes = false;
    *most = INT64_MAX;
    for (uint32_t i = 0; i < l->states; i++) changes |= l->widened[i];
    if (is_num(n, l->trips, most)) return *most == 1 || (changes && *most > 0 && *most <= UNROLL_MAX);
    return !l->trips && l->runs && stays < 0 && (!l->counted || is_num(n, l->limit, most));
}

/* Follows the loop turn by turn from its start, for `most` turns or until a turn's condition ends it: how many turns there were, with the
 * states after them in `exact`; -1 where a turn cannot be followed or there are too many. */
static int64_t follow(shp_node *n, const shp_loop *l, int64_t most)
{
    int64_t turns = -1;
    shp_fact *in = memcpy(l->exact, l->start, (2 + l->states) * sizeof *in);
    if (n->x->following == FOLLOW_MAX) return turns;
    n->x->following++;
    for (int64_t turn = 0; turns < 0 && turn < UNROLL_MAX; turn++) {
        uint64_t seed = 16 + (uint64_t)turn;
        scalar_fact(n, 0, seed, num(n, turn), in);
        shp_scope *body = shp_body(n, "body", in, 2 + l->states, false, seed);
        if (!body || body->fails) break;
        for (uint32_t i = 0; i < l->states; i++) shp_body_output(n, body, 1 + i, in + 2 + i);
        int64_t stays = turn + 1 == most ? 0 : condition_of(n, body);
        if (stays < 0) break;
        if (!stays) turns = turn + 1;
    }
    n->x->following--;
    return turns;
}

/* How often the body runs. */
static shp_dim turns_of(shp_node *n, shp_dim trips, shp_why why) { return trips ? trips : shp_fresh(n, UINT32_MAX, 0, why); }

/* A size, or an integer, in the end, if every turn adds the same to it; else 0. */
static shp_dim grown(shp_node *n, const shp_loop *l, const shp_scope *body, shp_dim start, shp_dim before, shp_dim after)
{
    shp_dim each = sub(n, after, shp_dim_resolve(n->dims, before));
    if (is(n, each, 0)) return start;
    return each && !born_inside(n, body, each) ? add(n, start, mul(n, turns_of(n, l->trips, SHP_WHY_DATA), each)) : 0;
}

/* Gives a tensor in the end the sizes that grow by the same every turn. */
static void grow(shp_node *n, const shp_loop *l, const shp_scope *body, const shp_shape *start, const shp_shape *before, const shp_shape *after, shp_fact *f)
{
    if (!f->shape || shp_type_kind(n->x, f->type) != SHP_KIND_TENSOR || !start || !before || start->rank != f->shape->rank || start->rank != before->rank) return;
    shp_shape *s = shp_copied(n, start);
    for (int32_t k = 0; s && k < s->rank; k++) {
        shp_dim d = grown(n, l, body, start->dim[k], before->dim[k], after->dim[k]);
        s->dim[k] = d ? d : f->shape->dim[k];
    }
    f->shape = s;
}

/* The states in the end; followed: they are known. */
static void loop_states(shp_node *n, const shp_loop *l, const shp_scope *body, bool followed)
{
    for (uint32_t i = 0; i < l->states; i++) {
        shp_fact f, *start = l->start + 2 + i;
        shp_body_output(n, body, 1 + i, &f);
        shp_type type = f.type;
        if (is(n, l->trips, 0) || (f.id == l->in[2 + i].id && !l->widened[i])) f = *start;
        else if (followed) f = l->exact[2 + i];
        else {
            const shp_shape *after = f.shape;
            bool counts = l->trips && shp_dtype_kind((int)type) != 'F';
            shp_dim count = counts ? grown(n, l, body, shp_only(n, start), shp_only(n, l->in + 2 + i), shp_only(n, &f)) : 0;
            leave(n, i, body, 1 + i, 0, &f);
            if (!l->runs) {
                f = shp_fact_merge(n, i, start, &f);
                f.id = shp_mix(n->id, i);
            }
            f.tensor = NULL;
            if (count) f.content = shp_content_one(n, shp_elem_cast(n, SHP_INT64, (int)type, shp_elem_dim(count)));
            grow(n, l, body, start->shape, l->in[2 + i].shape, after, &f);
        }
        if (!f.type) f.type = type;
        shp_out_fact(n, i, &f);
    }
}

/* Output o: what each turn gives, stacked along an axis. All such outputs have as many rows as the body ran. */
static void out_rows(shp_node *n, uint32_t o, const shp_shape *each, int32_t axis, shp_dim rows, shp_why why)
{
    rows = turns_of(n, rows, why);
    shp_out_shape(n, o, shp_spliced(n, each, axis, axis, &rows, 1));
}

/* Reads a Loop's inputs. false: no memory. */
static bool read_loop(shp_node *n, shp_loop *l)
{
    uint32_t count = 2 + l->states;
    int64_t first = 1;
    l->in = shp_items(n, (size_t)3 * count, sizeof *l->in);
    l->widened = shp_items(n, count, sizeof *l->widened);
    if (!l->in || !l->widened) return false;
    l->start = l->in + count;
    l->exact = l->start + count;
    bool open = shp_has(n, 1) && !shp_in_int(n, 1, &first);
    l->enters = !open && first;
    l->never = !open && !first;
    l->counted = shp_has(n, 0);
    l->limit = l->counted ? shp_in_scalar(n, 0) : 0;
    l->runs = l->enters && (!l->counted || lo(n, l->limit) >= 1);
    scalar_fact(n, 0, 0x17e4, any_turn(n, l->limit), l->in);
    scalar_fact(n, 1, 0xc04d, lit(1), l->in + 1);                       /* inside, the condition was true */
    memcpy(l->start, l->in, 2 * sizeof *l->in);
    for (uint32_t i = 2; i < count; i++) {
        shp_fact *in = l->in + i;
        *in = *shp_in(n, i);
        l->start[i] = *in;
        in->id = shp_mix(shp_mix(n->id, 0x57a7), i - 2);
        if (in->content && in->content->bounds) in->content = NULL;     /* they need not hold after a turn */
        if (!in->content && in->tensor) in->content = shp_in_content(n, i);
    }
    return true;
}

/* Loop: the states hold what holds on every turn (a fixed point that widens only the axes that change), followed turn by turn where the
 * count is a small number; scan outputs are stacked on a new first axis, whose size is the trip count where nothing can end the loop early, or
 * where what ends it compares a counter.
 * Source: ONNX Loop, all versions. */
void infer_loop(shp_node *n)
{
    shp_loop l = { .states = n->proto->inputs > 2 ? n->proto->inputs - 2 : 0 };
    uint32_t count = 2 + l.states;
    if (!read_loop(n, &l)) return;
    shp_scope *body = fixed_point(n, "body", l.in, count, 2, l.states, 1, !l.runs, l.widened);
    if (!body) return;
    int64_t stays = l.enters ? condition_of(n, body) : 0, most, turns = -1;
    l.trips = trips_of(n, &l, body, stays);
    if (!body->fails && is_short(n, &l, stays, &most)) {
        turns = follow(n, &l, most);
        if (turns > 0) l.trips = num(n, turns);
        /* the result shows what holds on every turn, or the one that contradicts itself */
        body = n->x->error ? NULL : turns == 1 || body->fails ? body : shp_body(n, "body", l.in, count, !l.runs, 1);
        if (!body) return;
    }
    fits(n, "body", body, l.start, count, 2, l.states, 1);
    loop_states(n, &l, body, turns > 0);
    for (uint32_t o = l.states; o + 1 < body->graph->outputs; o++) {
        shp_fact f;
        leave(n, o, body, o + 1, 1, &f);
        shp_out_type(n, o, f.type);
        if (f.shape && f.shape->rank >= 0) out_rows(n, o, f.shape, 0, l.trips, SHP_WHY_DATA);
    }
}

/* ---- Scan ---- */

/* A scan input as the body sees it: without the scanned axis (and the batch axis of Scan-8). */
static void slice_fact(shp_node *n, uint32_t i, int64_t from, int32_t batch, shp_dim *length, shp_fact *f)
{
    const shp_fact *in = shp_in(n, i);
    const shp_shape *whole = in->shape;
    *f = (shp_fact){ .type = in->type, .shape = whole, .id = shp_mix(shp_mix(n->id, 0x51ce), i) };
    if (!whole || whole->rank < 0) return;
    f->shape = NULL;
    if (!shp_want_rank(n, i, batch + 1, SHP_RANK_MAX)) return;
    int32_t axis = (int32_t)shp_axis(n, from, whole->rank - batch);
    if (axis < 0) return;
    axis += batch;
    shp_dim same = shp_equal(n, *length, whole->dim[axis]);
    if (!same) { shp_fail4(n, SHP_D_SHAPE, "scan input %i has %x turns on axis %d, an earlier one %x", i, whole->dim[axis], axis, *length); return; }
    *length = same;
    f->shape = shp_spliced(n, whole, axis - batch, axis + 1, whole->dim, 0);
}

static int64_t list_at(shp_node *n, const char *attr, uint32_t i)
{
    uint32_t count;
    const int64_t *v = shp_attr_ints(n, attr, &count);
    return v && i < count ? v[i] : 0;
}

/* The body of a Scan. A state has one shape on every turn (a requirement): what a turn makes of it may only decide sizes that were open. */
static shp_scope *scan_body(shp_node *n, shp_fact *in, uint32_t count, uint32_t states, bool maybe, bool *widened)
{
    for (uint32_t i = 0; i < states; i++) in[i].content = NULL, in[i].tensor = NULL;
    shp_scope *body = shp_body(n, "body", in, count, maybe, 1);
    for (uint32_t i = 0; body && i < states; i++) {
        shp_fact after;
        shp_body_output(n, body, i, &after);
        const shp_shape *a = in[i].shape, *b = after.shape;
        if (!a || !b || a->rank < 0 || b->rank < 0) continue;
        bool same = a->rank == b->rank;
        for (int32_t k = 0; same && k < a->rank; k++) same = shp_equal(n, a->dim[k], b->dim[k]) != 0;
        if (same) continue;
        body = fixed_point(n, "body", in, count, 0, states, 0, maybe, widened);      /* first: doing a body again takes back what was said since */
        shp_failf(n, SHP_D_SHAPE, "state %d enters the body as %h and leaves it as %h", (int64_t)i, a, b);
        return body;
    }
    return body;
}

/* Scan with `batch` leading batch axes (1 in version 8, where sequence_lens is input 0 and both axes are fixed). */
static void scan(shp_node *n, uint32_t offset, int32_t batch)
{
    int64_t scans = shp_attr_int(n, "num_scan_inputs"), inputs = (int64_t)n->proto->inputs - offset;
    if (scans < 1 || scans > inputs) { shp_fail2(n, SHP_D_ATTRIBUTE, "num_scan_inputs is %d, but there are %d inputs", scans, inputs); return; }
    uint32_t count = (uint32_t)inputs, states = count - (uint32_t)scans;
    shp_fact f, *in = shp_items(n, count, sizeof *in);
    bool *widened = shp_items(n, count, sizeof *widened);
    if (!in || !widened) return;
    shp_dim length = 0, rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool state = i < states;
        if (!state) slice_fact(n, offset + i, batch ? 0 : list_at(n, "scan_input_axes", i - states), batch, &length, &in[i]);
        else {
            in[i] = *shp_in(n, offset + i);
            in[i].id = shp_mix(shp_mix(n->id, 0x57a7), i);
        }
        const shp_shape *s = shp_in_shape(n, offset + i);
        if (!batch || !s || s->rank < 1) continue;
        rows = shp_equal(n, rows, s->dim[0]);
        if (state) in[i].shape = shp_spliced(n, s, 0, 1, s->dim, 0);
    }
    if (n->failed) return;
    shp_scope *body = scan_body(n, in, count, states, batch || lo(n, length) < 1, widened);
    if (!body) return;
    fits(n, "body", body, in, count, 0, states, 0);
    for (uint32_t o = 0; o < body->graph->outputs && o < n->nout; o++) {
        leave(n, o, body, o, 0, &f);
        shp_out_type(n, o, f.type);
        if (!f.shape || f.shape->rank < 0) continue;
        bool state = o < states;
        if (state && !batch) {
            const shp_shape *before = shp_in_shape(n, o);
            if (before && before->rank != f.shape->rank) continue;          /* reported where the body was done */
            shp_shape *s = shp_copied(n, f.shape);      /* not an array here: Scans nest */
            for (int32_t k = 0; s && before && k < s->rank; k++) s->dim[k] = shp_equal(n, before->dim[k], s->dim[k]);
            if (s) shp_out(n, o, s->rank, s->dim);
            continue;
        }
        if (batch) {
            shp_dim first = rows ? rows : shp_fresh(n, o, 0, SHP_WHY_RANK);
            f.shape = shp_spliced(n, f.shape, 0, 0, &first, 1);
            if (!f.shape) return;
        }
        int64_t axis = state || batch ? batch : shp_axis(n, list_at(n, "scan_output_axes", o - states), f.shape->rank + 1);
        if (state) shp_out_shape(n, o, f.shape);
        else if (axis >= 0) out_rows(n, o, f.shape, (int32_t)axis, length, SHP_WHY_RANK);
    }
}

/* Scan: the body runs once per position of the scanned axes; states keep what holds on every turn, scan outputs get the length as a new axis.
 * Scan-8 has a batch axis first and the sequence axis second, and sequence_lens as input 0, which only shortens: outputs keep the full length.
 * Source: ONNX Scan 8, 9 and later. */
void infer_scan(shp_node *n) { scan(n, n->opset < 9, n->opset < 9); }

/* ---- SequenceMap ---- */

/* The body's inputs on that turn (below 0: on any). */
static void map_inputs(shp_node *n, int64_t turn, shp_fact *in, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const shp_content *c = shp_in_items(n, i);
        in[i] = *shp_in(n, i);
        if (shp_type_kind(n->x, in[i].type) != SHP_KIND_SEQ) continue;
        if (turn >= 0 && c && c->item && turn < c->count) {
            in[i] = c->item[turn];
            continue;
        }
        in[i].type = shp_type_inner(n->x, in[i].type);
        in[i].content = NULL;
        in[i].shape = in[i].shape && in[i].shape->rank < 0 ? NULL : shp_item_shape(n, in[i].shape, (uint32_t)in[i].id, SHP_WHY_CONTENT);
        in[i].id = shp_mix(shp_mix(n->id, 0xe1e), i + ((uint64_t)(turn + 1) << 32));
    }
}

/* SequenceMap: the body runs for each element of the first input; each output is a sequence as long as that input. Where its elements are few
 * and known, so are those of the outputs.
 * Source: ONNX SequenceMap-17. */
void infer_sequence_map(shp_node *n)
{
    uint32_t count = shp_inputs(n);
    const shp_content *items = shp_in_items(n, 0);
    uint32_t turns = items && items->item && items->count <= UNROLL_MAX ? items->count : 0;
    shp_fact f, *in = shp_items(n, count + 1, sizeof *in), *made = shp_items(n, (size_t)turns * n->nout + 1, sizeof *made);
    if (!in || !made) return;
    for (uint32_t turn = 0; turn < turns; turn++) {
        map_inputs(n, turn, in, count);
        const shp_scope *body = shp_body(n, "body", in, count, true, 16 + turn);
        if (!body) return;
        for (uint32_t o = 0; o < n->nout; o++) shp_body_output(n, body, o, made + o * turns + turn);
    }
    map_inputs(n, -1, in, count);
    shp_scope *body = shp_body(n, "body", in, count, !items || lo(n, items->length) < 1, 1);
    if (!body) return;
    fits(n, "body", body, in, count, 0, 0, 0);
    for (uint32_t o = 0; o < body->graph->outputs && o < n->nout; o++) {
        leave(n, o, body, o, 0, &f);
        f.type = f.type ? shp_type_make(n->x, SHP_KIND_SEQ, f.type, 0) : 0;
        f.content = items && items->length ? shp_content_length(n, items->length) : NULL;
        f.tensor = NULL;
        shp_content *c = turns ? shp_content_items(n, turns) : NULL;
        if (c) {
            c->item = made + o * turns;
            f.content = c;
            for (uint32_t turn = 0; turn < turns; turn++) f.shape = turn ? shp_fact_merge(n, o, &f, &c->item[turn]).shape : c->item[0].shape;
        }
        shp_out_fact(n, o, &f);
    }
}
