/* Control flow: If, Loop, Scan, SequenceMap. Bodies are inferred where they stand (infer.h); here it is decided what goes in,
 * what holds on every turn, and what comes out. A symbol born in a body never leaves it. */
#include "../infer.h"
#include "ops.h"

enum { TURNS_MAX = 40,              /* a fixed point widens at least one axis a turn; past this the rank goes */
       UNROLL_MAX = 16 };           /* turns that are followed one by one */

/* Input i of a Loop's body, its turn number or condition: a scalar, or [1] where the body declares it so (runtimes then give that). */
static shp_fact scalar_fact(shp_node *n, uint32_t i, int dtype, uint64_t id)
{
    const shp_attr *a = shp_attr_get(n, "body");
    shp_shape *s = shp_alloc(n->x->arena, sizeof *s + sizeof(shp_dim));
    if (s && a && a->g && i < a->g->inputs && a->g->input_info[i]->type.kind == SHP_T_TENSOR && a->g->input_info[i]->type.rank == 1) {
        s->rank = 1;
        s->dim[0] = num(n, 1);
    }
    return (shp_fact){ .type = (shp_type)dtype, .shape = s, .id = id };
}

static const shp_content *scalar_content(shp_node *n, int64_t v)
{
    shp_content *c = shp_content_new(n, 1);
    if (c) c->elem[0] = shp_elem_int(n, v);
    return c;
}

/* ---- what leaves a body ---- */

typedef struct shp_birth {
    const shp_scope *body;
    bool inside;
} shp_birth;

static void born(void *arg, const shp_symbol *s)
{
    shp_birth *b = arg;
    for (const shp_scope *scope = s->origin.scope; scope && !b->inside; scope = scope->caller) b->inside = scope == b->body;
}

static bool born_inside(shp_node *n, const shp_scope *body, shp_dim d)
{
    shp_birth b = { body, false };
    shp_dim_visit(n->dims, d, born, &b);
    return b.inside;
}

/* A fact as it may leave the body as output o: symbols born there become fresh ones of this node, elements unknown ones. */
static shp_fact leave(shp_node *n, uint32_t o, const shp_scope *body, shp_fact f)
{
    if (f.shape && f.shape->rank > 0) {
        shp_shape *s = shp_alloc(n->x->arena, sizeof *s + (size_t)f.shape->rank * sizeof(shp_dim));
        if (!s) return (shp_fact){ .type = f.type };
        s->rank = f.shape->rank;
        for (int32_t i = 0; i < s->rank; i++)
            s->dim[i] = born_inside(n, body, f.shape->dim[i]) ? shp_fresh(n, o, (uint32_t)i, SHP_WHY_MERGE) : f.shape->dim[i];
        f.shape = s;
    }
    const shp_content *c = f.content ? shp_fact_content(n, &f) : NULL;
    f.content = NULL;
    if (c && c->item) c = shp_content_length(n, c->length);
    if (c && c->length) f.content = born_inside(n, body, c->length) ? NULL : c;
    else if (c) {
        shp_content *copy = shp_content_new(n, c->count);
        for (uint32_t i = 0; copy && i < c->count; i++)
            if (!born_inside(n, body, shp_elem_num(c->elem[i]))) copy->elem[i] = c->elem[i];
        f.content = copy;
    }
    f.id = shp_mix(n->id, o);
    return f;
}

/* ---- If ---- */

static bool ranks_differ(const shp_fact *a, const shp_fact *b)
{
    return a->shape && b->shape && a->shape->rank >= 0 && b->shape->rank >= 0 && a->shape->rank != b->shape->rank;
}

/* If: the branch taken where the condition is known, or where the other one cannot be the one taken: it contradicts itself, or, where
 * the two differ in rank, what follows contradicts what it gives (a run that takes it fails). Else what holds for both. Both branches are
 * inferred and are in the result; contradictions in one that may not be taken are warnings.
 * Source: ONNX If, all versions. */
int infer_if(shp_node *n)
{
    int64_t condition = -1;
    if (!shp_in_int(n, 0, &condition)) condition = -1;
    shp_scope *yes = shp_body(n, "then_branch", NULL, 0, condition <= 0, 1);
    shp_scope *no = yes ? shp_body(n, "else_branch", NULL, 0, condition != 0, 2) : NULL;
    if (!yes || !no) return SHP_OK;
    if (shp_body_outputs(yes) != shp_body_outputs(no) || shp_body_outputs(yes) < n->nout)
        return shp_fail3(n, SHP_D_ARITY, "then_branch gives %d outputs, else_branch %d, the node has %d", shp_body_outputs(yes), shp_body_outputs(no), n->nout);
    shp_fact *a = shp_alloc_array(n->x->arena, n->nout, sizeof *a), *b = shp_alloc_array(n->x->arena, n->nout, sizeof *b);
    if (!a || !b) return SHP_OK;
    if (condition < 0 && yes->fails != no->fails) condition = no->fails;
    bool differ = false;
    for (uint32_t o = 0; o < n->nout; o++) {
        a[o] = shp_body_output(n, yes, o);
        b[o] = shp_body_output(n, no, o);
        differ |= ranks_differ(&a[o], &b[o]);
        if (a[o].type && b[o].type && a[o].type != b[o].type && shp_type_kind(n->x, a[o].type) == SHP_KIND_TENSOR && shp_type_kind(n->x, b[o].type) == SHP_KIND_TENSOR)
            shp_fail3(n, SHP_D_TYPE, "output %d is %t in then_branch and %t in else_branch", o, a[o].type, b[o].type);
    }
    if (condition < 0 && differ) {
        bool first = shp_survives(n, a), second = shp_survives(n, b);
        if (first != second) condition = first;
    }
    n->scope->fails |= condition > 0 ? yes->fails : no->fails;
    for (uint32_t o = 0; o < n->nout; o++) {
        shp_fact f = condition > 0 ? a[o] : condition == 0 ? b[o] : shp_fact_merge(n, o, &a[o], &b[o]);
        shp_out_fact(n, o, &f);
    }
    return SHP_OK;
}

/* ---- what is carried from turn to turn ---- */

static bool same_shape(const shp_shape *a, const shp_shape *b)
{
    if (a == b || !a || !b || a->rank != b->rank) return a == b;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

static bool same_content(const shp_content *a, const shp_content *b)
{
    if (a == b || !a || !b) return a == b;
    if (a->count != b->count || a->length != b->length || a->item || b->item) return a->length != 0 && a->length == b->length && !a->item && !b->item;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->elem[i] != b->elem[i]) return false;
    return true;
}

/* What holds of a carried value before and after a turn; axes that differ become symbols of the body, one per state and axis. */
static shp_fact widen(shp_node *n, const shp_scope *body, uint32_t state, const shp_fact *before, const shp_fact *after, bool forget)
{
    shp_fact f = shp_fact_merge(n, 0, before, after);
    f.id = before->id;
    if (!before->type) f.type = after->type;
    else if (!after->type) f.type = before->type;
    const shp_shape *a = before->shape, *b = after->shape;
    if (forget || !a || !b || a->rank < 0 || b->rank < 0 || a->rank != b->rank) {
        if (forget) f.shape = NULL;
        return f;
    }
    shp_shape *s = shp_alloc(n->x->arena, sizeof *s + (size_t)a->rank * sizeof(shp_dim));
    if (!s) return f;
    s->rank = a->rank;
    for (int32_t i = 0; i < a->rank; i++) {
        shp_origin origin = { body, n->index, state, (uint32_t)i, SHP_WHY_MERGE };
        uint64_t key = shp_mix(shp_mix(shp_mix(n->id, 0x57a7e), n->scope->seed), ((uint64_t)state << 32) + (uint32_t)i);
        s->dim[i] = a->dim[i] == b->dim[i] ? a->dim[i] : shp_dim_fresh(n->dims, key, SHP_COUNT, origin);
    }
    f.shape = s;
    return f;
}

/* Runs the body until the carried values in[first .. first + states) hold on every turn; out is the body's output of the first state.
 * widened[i] says whether state i changed on the way. NULL: must be done again, or no body. */
static shp_scope *fixed_point(shp_node *n, const char *attr, shp_fact *in, uint32_t count, uint32_t first, uint32_t states, uint32_t out, bool maybe, bool *widened)
{
    for (uint32_t turn = 0;; turn++) {
        shp_scope *body = shp_body(n, attr, in, count, maybe, 1);
        if (!body) return NULL;
        bool changed = false;
        for (uint32_t i = 0; i < states; i++) {
            shp_fact after = shp_body_output(n, body, out + i), *before = &in[first + i];
            if (after.id == before->id && same_shape(after.shape, before->shape)) continue;
            shp_fact wide = widen(n, body, i, before, &after, turn >= TURNS_MAX);
            if (n->x->error) return NULL;
            if (wide.type == before->type && same_shape(wide.shape, before->shape) && same_content(shp_fact_content(n, &wide), shp_fact_content(n, before))) continue;
            *before = wide;
            before->tensor = NULL;
            changed = widened[i] = true;
        }
        if (!changed || turn > TURNS_MAX + 2) return body;
    }
}

/* ---- Loop ---- */

typedef struct shp_loop {
    uint32_t states, scans;
    shp_fact *in, *start;           /* the body's inputs (turn number, condition, states); the states as they were before */
    bool *widened;
    shp_dim trips;                  /* how often the body runs; 0 where unknown */
    bool runs;                      /* at least once, for sure */
} shp_loop;

/* The condition that a turn ends with, -1 where it is not known. */
static int64_t condition_of(shp_node *n, const shp_scope *body)
{
    shp_fact f = shp_body_output(n, body, 0);
    const shp_content *c = shp_fact_content(n, &f);
    int64_t v;
    return c && c->count == 1 && shp_elem_is_int(n, c->elem[0], &v) ? v : -1;
}

/* Follows the loop turn by turn from its states at the start, for `most` turns or until a turn's condition ends it: how many turns there were,
 * with the states after them; -1 where a turn cannot be followed or there are too many. The body is then as the last turn left it. */
static int64_t follow(shp_node *n, shp_loop *l, int64_t most, shp_fact *state)
{
    shp_fact *in = shp_alloc_array(n->x->arena, 2 + l->states, sizeof *in);
    if (!in) return -1;
    for (uint32_t i = 0; i < l->states; i++) state[i] = l->start[i];
    for (int64_t turn = 0; turn < UNROLL_MAX; turn++) {
        uint64_t seed = 16 + (uint64_t)turn;
        in[0] = scalar_fact(n, 0, SHP_INT64, shp_mix(n->id, seed));
        in[0].content = scalar_content(n, turn);
        in[1] = l->in[1];
        for (uint32_t i = 0; i < l->states; i++) in[2 + i] = state[i];
        shp_scope *body = shp_body(n, "body", in, 2 + l->states, false, seed);
        if (!body) return -1;
        for (uint32_t i = 0; i < l->states; i++) state[i] = shp_body_output(n, body, 1 + i);
        int64_t stays = turn + 1 == most ? 0 : condition_of(n, body);
        if (stays < 1) return stays ? -1 : turn + 1;
    }
    return -1;
}

static void loop_states(shp_node *n, shp_loop *l, const shp_scope *body, const shp_fact *exact)
{
    for (uint32_t i = 0; i < l->states; i++) {
        shp_fact after = shp_body_output(n, body, 1 + i);
        bool passed = after.id == l->in[2 + i].id && !l->widened[i];
        shp_fact f;
        if (passed || is(n, l->trips, 0)) f = l->start[i];
        else if (exact) f = exact[i];
        else {
            f = leave(n, i, body, after);
            if (!l->runs) {
                f = shp_fact_merge(n, i, &l->start[i], &f);
                f.id = shp_mix(n->id, i);
            }
            f.tensor = NULL;
        }
        if (!f.type) f.type = after.type;
        shp_out_fact(n, i, &f);
    }
}

static void loop_scans(shp_node *n, shp_loop *l, const shp_scope *body)
{
    for (uint32_t k = 0; k < l->scans; k++) {
        uint32_t o = l->states + k;
        shp_fact each = leave(n, o, body, shp_body_output(n, body, 1 + o));
        shp_out_type(n, o, each.type);
        if (!each.shape || each.shape->rank < 0 || !shp_wants(n, o)) continue;
        shp_shape *s = shp_alloc(n->x->arena, sizeof *s + ((size_t)each.shape->rank + 1) * sizeof(shp_dim));
        if (!s) return;
        s->rank = each.shape->rank + 1;
        /* every scan output has as many rows as the body ran: the same fresh symbol for all */
        s->dim[0] = l->trips ? l->trips : shp_fresh(n, UINT32_MAX, 0, SHP_WHY_DATA);
        for (int32_t i = 0; i < each.shape->rank; i++) {
            shp_dim d = each.shape->dim[i];
            const shp_symbol *symbol = shp_dim_symbol(n->dims, d);
            bool fresh = symbol && symbol->origin.scope == n->scope && symbol->origin.node == n->index;
            s->dim[i + 1] = fresh ? shp_fresh(n, o, (uint32_t)i + 1, SHP_WHY_MERGE) : d;
        }
        shp_out_shape(n, o, s);
    }
}

/* Loop: the states hold what holds on every turn (a fixed point that widens only the axes that change), followed turn by turn where the
 * count is a small number; scan outputs are stacked on a new first axis, whose size is the trip count where nothing can end the loop early.
 * Source: ONNX Loop, all versions. */
int infer_loop(shp_node *n)
{
    shp_loop l = { .states = n->proto->inputs > 2 ? n->proto->inputs - 2 : 0 };
    uint32_t count = 2 + l.states;
    l.in = shp_alloc_array(n->x->arena, count, sizeof *l.in);
    l.start = shp_alloc_array(n->x->arena, count, sizeof *l.start);
    l.widened = shp_alloc_array(n->x->arena, count, sizeof *l.widened);
    shp_fact *exact = shp_alloc_array(n->x->arena, count, sizeof *exact);
    if (!l.in || !l.start || !l.widened || !exact) return SHP_OK;

    int64_t first = 1, turns = -1, most = INT64_MAX;
    bool open = shp_has(n, 1) && !shp_in_int(n, 1, &first);         /* whether the first turn runs is not known */
    shp_dim limit = shp_has(n, 0) ? shp_in_scalar(n, 0) : 0;
    l.in[0] = scalar_fact(n, 0, SHP_INT64, shp_mix(n->id, 0x17e4));
    l.in[1] = scalar_fact(n, 1, SHP_BOOL, shp_mix(n->id, 0xc04d));
    l.in[1].content = scalar_content(n, 1);                         /* inside, the condition was true */
    for (uint32_t i = 0; i < l.states; i++) {
        l.start[i] = l.in[2 + i] = *shp_in(n, 2 + i);
        l.in[2 + i].id = shp_mix(shp_mix(n->id, 0x57a7), i);
        if (l.in[2 + i].content && l.in[2 + i].content->bounds) l.in[2 + i].content = NULL;         /* they need not hold after a turn */
        if (!l.in[2 + i].content && l.in[2 + i].tensor) l.in[2 + i].content = shp_in_content(n, 2 + i);
    }
    l.runs = !open && first && (!shp_has(n, 0) || shp_dim_lo(n->dims, limit) >= 1);
    shp_scope *body = fixed_point(n, "body", l.in, count, 2, l.states, 1, !l.runs, l.widened);
    if (!body) return SHP_OK;
    if (shp_body_outputs(body) < 1 + l.states)
        return shp_fail2(n, SHP_D_ARITY, "the body gives %d outputs, at least %d expected", shp_body_outputs(body), (1 + l.states));
    l.scans = shp_body_outputs(body) - 1 - l.states;
    n->scope->fails |= l.runs && body->fails;

    int64_t stays = !open && first ? condition_of(n, body) : 0;
    if (!open && !first) l.trips = num(n, 0);
    else if (limit && (stays == 1 || shp_dim_hi(n->dims, limit) <= 0)) l.trips = dim_max(n, limit, num(n, 0));
    bool changes = false, ends = !l.trips && l.runs && stays < 0 && (!shp_has(n, 0) || is_num(n, limit, &most));
    for (uint32_t i = 0; i < l.states; i++) changes |= l.widened[i];
    if (ends || (is_num(n, l.trips, &most) && most > 0 && (most == 1 || (changes && most <= UNROLL_MAX)))) {
        turns = follow(n, &l, most, exact);
        if (turns > 0) l.trips = num(n, turns);
        /* the result shows what holds on every turn */
        body = n->x->error ? NULL : turns == 1 ? body : shp_body(n, "body", l.in, count, !l.runs, 1);
        if (!body) return SHP_OK;
    }
    loop_states(n, &l, body, turns > 0 ? exact : NULL);
    loop_scans(n, &l, body);
    return SHP_OK;
}

/* ---- Scan ---- */

/* A scan input as the body sees it: without the scanned axis (and the batch axis of Scan-8). */
static shp_fact slice_fact(shp_node *n, uint32_t i, int64_t axis, int64_t batch, shp_dim *length)
{
    shp_fact f = *shp_in(n, i);
    f.id = shp_mix(shp_mix(n->id, 0x51ce), i);
    f.content = NULL;
    f.tensor = NULL;
    if (!f.shape || f.shape->rank < 0) return f;
    const shp_shape *whole = f.shape;
    f.shape = NULL;
    if (whole->rank <= batch) { shp_fail2(n, SHP_D_RANK, "scan input %i needs at least rank %d", i, batch + 1); return f; }
    axis = shp_axis(n, axis, whole->rank - batch);
    if (axis < 0) return f;
    axis += batch;
    shp_dim same = *length ? shp_equal(n, *length, whole->dim[axis]) : whole->dim[axis];
    if (!same) { shp_fail4(n, SHP_D_SHAPE, "scan input %i has %x turns on axis %d, an earlier one %x", i, whole->dim[axis], axis, *length); return f; }
    *length = same;
    shp_shape *s = shp_alloc(n->x->arena, sizeof *s + (size_t)whole->rank * sizeof(shp_dim));
    if (!s) return f;
    for (int64_t k = batch; k < whole->rank; k++)
        if (k != axis) s->dim[s->rank++] = whole->dim[k];
    f.shape = s;
    return f;
}

static int64_t list_at(shp_node *n, const char *attr, uint32_t i)
{
    uint32_t count;
    const int64_t *v = shp_attr_ints(n, attr, &count);
    return v && i < count ? v[i] : 0;
}

/* The body of a Scan. A state has one shape on every turn (a requirement): what a turn makes of it may only decide sizes that were open. */
static shp_scope *scan_body(shp_node *n, shp_fact *in, uint32_t count, uint32_t states, bool *widened)
{
    for (uint32_t i = 0; i < states; i++) in[i].content = NULL, in[i].tensor = NULL;
    shp_scope *body = shp_body(n, "body", in, count, true, 1);
    for (uint32_t i = 0; body && i < states; i++) {
        shp_fact after = shp_body_output(n, body, i);
        const shp_shape *a = in[i].shape, *b = after.shape;
        if (!a || !b || a->rank < 0 || b->rank < 0) continue;
        bool same = a->rank == b->rank;
        for (int32_t k = 0; same && k < a->rank; k++) same = shp_equal(n, a->dim[k], b->dim[k]) != 0;
        if (same) continue;
        shp_failf(n, SHP_D_SHAPE, "state %d enters the body as %h and leaves it as %h: its shape must not change", (int64_t)i, a, b);
        return fixed_point(n, "body", in, count, 0, states, 0, true, widened);
    }
    return body;
}

/* Scan with `batch` leading batch axes (1 in version 8, where sequence_lens is input 0 and both axes are fixed). */
static int scan(shp_node *n, uint32_t offset, int64_t batch)
{
    int64_t scans = shp_attr_int(n, "num_scan_inputs"), inputs = (int64_t)n->proto->inputs - offset;
    if (scans < 1 || scans > inputs) return shp_fail2(n, SHP_D_ATTRIBUTE, "num_scan_inputs is %d, but there are %d inputs", scans, inputs);
    uint32_t count = (uint32_t)inputs, states = count - (uint32_t)scans;
    shp_fact *in = shp_alloc_array(n->x->arena, count, sizeof *in), *start = shp_alloc_array(n->x->arena, count, sizeof *start);
    bool *widened = shp_alloc_array(n->x->arena, count, sizeof *widened);
    if (!in || !start || !widened) return SHP_OK;
    shp_dim length = 0, rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool state = i < states;
        if (!state) in[i] = slice_fact(n, offset + i, batch ? 0 : list_at(n, "scan_input_axes", i - states), batch, &length);
        else {
            start[i] = in[i] = *shp_in(n, offset + i);
            in[i].id = shp_mix(shp_mix(n->id, 0x57a7), i);
        }
        const shp_shape *s = shp_in_shape(n, offset + i);
        if (!batch || !s || s->rank < 1) continue;
        rows = rows ? shp_equal(n, rows, s->dim[0]) : s->dim[0];
        if (!state) continue;
        shp_shape *one = shp_alloc(n->x->arena, sizeof *one + (size_t)s->rank * sizeof(shp_dim));
        for (int32_t k = 1; one && k < s->rank; k++) one->dim[one->rank++] = s->dim[k];
        in[i] = (shp_fact){ .type = in[i].type, .shape = one, .id = in[i].id };
    }
    if (n->failed) return n->failed;
    if (batch && shp_has(n, 0)) length = length ? length : 0;       /* sequence_lens only shortens: outputs keep the full length */
    shp_scope *body = scan_body(n, in, count, states, widened);
    if (!body) return SHP_OK;
    if (shp_body_outputs(body) < states) return shp_fail2(n, SHP_D_ARITY, "the body gives %d outputs, at least %d expected", shp_body_outputs(body), states);
    for (uint32_t o = 0; o < shp_body_outputs(body) && o < n->nout; o++) {
        shp_fact f = leave(n, o, body, shp_body_output(n, body, o));
        shp_out_type(n, o, f.type);
        if (!f.shape || f.shape->rank < 0) continue;
        bool state = o < states;
        int64_t rank = f.shape->rank + batch + !state, axis = state ? -1 : batch ? 0 : list_at(n, "scan_output_axes", o - states);
        if (!state && (axis = shp_axis(n, axis, rank - batch)) < 0) continue;
        if (state && !batch) {
            const shp_shape *before = start[o].shape;
            bool kept = before && before->rank == f.shape->rank;
            if (before && !kept) continue;          /* reported where the body was done */
            shp_dim d[SHP_RANK_MAX];
            for (int32_t k = 0; k < f.shape->rank; k++) d[k] = kept ? shp_equal(n, before->dim[k], f.shape->dim[k]) : f.shape->dim[k];
            shp_out(n, o, f.shape->rank, d);
            continue;
        }
        shp_shape *s = shp_alloc(n->x->arena, sizeof *s + (size_t)rank * sizeof(shp_dim));
        if (!s) return SHP_OK;
        if (batch) s->dim[s->rank++] = rows ? rows : shp_fresh(n, o, 0, SHP_WHY_RANK);
        for (int32_t k = 0; k <= f.shape->rank; k++) {
            if (!state && k == axis) s->dim[s->rank++] = length ? length : shp_fresh(n, UINT32_MAX, 0, SHP_WHY_RANK);
            if (k < f.shape->rank) s->dim[s->rank++] = f.shape->dim[k];
        }
        shp_out_shape(n, o, s);
    }
    return SHP_OK;
}

/* Scan: the body runs once per position of the scanned axes; states keep what holds on every turn, scan outputs get the length as a new axis.
 * Scan-8 has a batch axis first and the sequence axis second, and sequence_lens as input 0. Source: ONNX Scan 8, 9 and later. */
int infer_scan(shp_node *n) { return scan(n, n->opset < 9, n->opset < 9); }

/* ---- SequenceMap ---- */

/* SequenceMap: the body runs for each element of the first input; each output is a sequence as long as that input.
 * Source: ONNX SequenceMap-17. */
int infer_sequence_map(shp_node *n)
{
    uint32_t count = shp_inputs(n);
    shp_fact *in = shp_alloc_array(n->x->arena, count + 1, sizeof *in);
    if (!in) return SHP_OK;
    for (uint32_t i = 0; i < count; i++) {
        in[i] = *shp_in(n, i);
        if (shp_type_kind(n->x, in[i].type) != SHP_KIND_SEQ) continue;
        in[i].type = shp_type_inner(n->x, in[i].type);
        in[i].content = NULL;
        in[i].id = shp_mix(shp_mix(n->id, 0xe1e), i);
        if (in[i].shape && in[i].shape->rank < 0) in[i].shape = NULL;
    }
    shp_scope *body = shp_body(n, "body", in, count, true, 1);
    if (!body) return SHP_OK;
    const shp_content *items = shp_in(n, 0)->content;
    for (uint32_t o = 0; o < shp_body_outputs(body) && o < n->nout; o++) {
        shp_fact f = leave(n, o, body, shp_body_output(n, body, o));
        f.type = f.type ? shp_type_make(n->x, SHP_KIND_SEQ, f.type, 0) : 0;
        f.content = items && items->length ? shp_content_length(n, items->length) : NULL;
        f.tensor = NULL;
        shp_out_fact(n, o, &f);
    }
    return SHP_OK;
}
