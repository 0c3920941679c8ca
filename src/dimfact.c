/* dimfact.c - what is known of dims: bounds, comparisons, and the equalities learned on the way. */
#include "dim_table.h"

/* ---- bounds ---- */

static int64_t lower(shp_dims *t, shp_dim p, int *budget);

/* The least or greatest of the lower bounds of rest + c*e over the elements e of an atom. */
static int64_t over_elements(shp_dims *t, shp_dim rest, shp_dim c, const shp_atom *x, bool greatest, int *budget)
{
    int64_t best = greatest ? INT64_MIN : INT64_MAX;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t v = lower(t, dim_add(t, rest, dim_times(t, c, x->arg[i])), budget);
        if (greatest ? v > best : v < best) best = v;
    }
    return best;
}

/* Lower bound of rest + c*floor(a/b) through a - b + 1 <= b*floor(a/b) <= a. */
static bool over_floor(shp_dims *t, shp_dim rest, shp_dim c, const shp_atom *x, bool positive, int *budget, int64_t *lo)
{
    const int64_t *number;
    shp_dim a = x->arg[0], den = x->arg[1];
    if (positive) a = dim_plus(t, dim_less(t, a, den), 1);
    if ((number = shp_dim_number(t, den))) {
        int64_t b = *number, v = lower(t, dim_sum(t, rest, b, dim_times(t, c, a), 1), budget);
        *lo = v == INT64_MIN ? v : floor64(v, b) + (v % b != 0);
        return true;
    }
    c = shp_dim_lo(t, den) >= 0 ? shp_dim_div_exact(t, c, den) : 0;
    if (!c) return false;
    *lo = lower(t, dim_add(t, rest, dim_times(t, c, a)), budget);
    return true;
}

/* Lower bound of p, seeing that x's parts and the rest of p move together; false where x offers no way. Splitting into
 * all cases (any: a broadcast, a Min that counts up) comes before choosing the best of several. */
static bool relax(shp_dims *t, shp_dim p, const shp_atom *x, bool any, int *budget, int64_t *lo)
{
    shp_dim c, rest;
    if (x->kind == (any ? ATOM_FLOOR : ATOM_BROADCAST) || !dim_split(t, p, x, &c, &rest)) return false;
    bool positive = shp_dim_lo(t, c) >= 0, negative = shp_dim_hi(t, c) <= 0;
    if (x->kind == ATOM_MIN && any != positive) return false;
    if (any || (x->kind == ATOM_MIN && negative)) *lo = over_elements(t, rest, c, x, !any, budget);
    else return x->kind == ATOM_FLOOR && (positive || negative) && over_floor(t, rest, c, x, positive, budget, lo);
    return true;
}

/* Lower bound of p with what bounds one of its symbols in place of that; false where there is none such. */
static bool over_bounded(shp_dims *t, shp_dim p, int *budget, int64_t *lo)
{
    shp_dim c, rest;
    const shp_symset *set = open_at(t, p)->is.symbols;
    for (uint32_t i = 0; set && i < set->n; i++) {
        const shp_named *s = symbol_at(t, set->id[i]);
        if (!s->s.most || --*budget < 0 || !dim_split(t, p, atom_at(t, s->atom), &c, &rest) || c == ZERO || shp_dim_hi(t, c) > 0) continue;
        *lo = lower(t, dim_add(t, rest, dim_times(t, c, s->s.most)), budget);
        return true;
    }
    return false;
}

/* A lower bound of p: what its terms give, or better what replacing one of its atoms gives, the youngest first. What bounds a symbol goes
 * before floors, which give away a rest. */
static int64_t lower(shp_dims *t, shp_dim p, int *budget)
{
    if (!p) return INT64_MIN;
    if (is_small(p) || open_at(t, p)->lo_done) return shp_dim_lo(t, p);
    int64_t best = open_at(t, p)->is.lo, v;
    for (int any = 1; any >= 0; any--) {
        for (shp_atom *x = dim_compound(t, p, UINT32_MAX); x && --*budget >= 0; x = dim_compound(t, p, x->id))
            if (relax(t, p, x, any, budget, &v)) return v > best ? v : best;
        if (any && over_bounded(t, p, budget, &v)) return v > best ? v : best;
    }
    return best;
}

enum { BUDGET = 40 };   /* replacements tried for one bound */

int64_t shp_dim_lo(shp_dims *t, shp_dim d)
{
    if (!d) return INT64_MIN;
    if (is_small(d)) return small_value(d);
    shp_expr *e = open_at(t, d);
    if (e->lo_done) return e->is.lo;
    shp_dim_failure failure = t->failure;
    int budget = BUDGET;
    int64_t v = lower(t, d, &budget);
    e->lo_done = true;
    e->is.lo = v == INT64_MAX ? INT64_MAX - 1 : v;
    t->failure = failure;
    return e->is.lo;
}

void shp_dim_take(shp_dims *t, shp_dim d, int least)
{
    if (d && !is_small(d) && open_at(t, d)->taken <= least) open_at(t, d)->taken = (uint8_t)(least + 1);
}

bool shp_dim_taken(const shp_dims *t, shp_dim d, int64_t k) { return d && !is_small(d) && open_at(t, d)->taken > k; }

int64_t shp_dim_hi(shp_dims *t, shp_dim d)
{
    if (!d) return INT64_MAX;
    if (is_small(d)) return small_value(d);
    shp_expr *e = open_at(t, d);
    if (e->hi_done) return e->is.hi;
    shp_dim_failure failure = t->failure;
    e->hi_done = true;
    int64_t v = shp_dim_lo(t, dim_minus(t, d));
    if (v != INT64_MIN && -v < e->is.hi) e->is.hi = -v;
    t->failure = failure;
    return e->is.hi;
}

/* floor(a/b): for a b that is no number only its sign is used. */
static void bound_floor(shp_dims *t, shp_atom *x)
{
    int64_t lo = shp_dim_lo(t, x->arg[0]), hi = shp_dim_hi(t, x->arg[0]);
    const int64_t *number = shp_dim_number(t, x->arg[1]);
    int64_t b = number ? *number : 1;
    if (b < 1 || (!number && shp_dim_lo(t, x->arg[1]) < 0)) return;
    if (lo != INT64_MIN) x->is.lo = number ? floor64(lo, b) : lo < 0 ? lo : 0;
    if (hi != INT64_MAX) x->is.hi = number ? floor64(hi, b) : hi < 0 ? -1 : hi;
}

void dim_bound_atom(shp_dims *t, shp_atom *x)
{
    x->is.lo = INT64_MIN;
    x->is.hi = INT64_MAX;
    if (x->kind == ATOM_FLOOR) bound_floor(t, x);
    if (x->kind != ATOM_MIN && x->kind != ATOM_BROADCAST) return;
    bool least = x->kind == ATOM_MIN;           /* a broadcast is one of its elements */
    x->is.lo = INT64_MAX;
    x->is.hi = least ? INT64_MAX : INT64_MIN;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t lo = shp_dim_lo(t, x->arg[i]), hi = shp_dim_hi(t, x->arg[i]);
        if (lo < x->is.lo) x->is.lo = lo;
        if (least ? hi < x->is.hi : hi > x->is.hi) x->is.hi = hi;
    }
}

/* ---- comparisons ---- */

/* d/g for the gcd g of all coefficients, its leading one positive: what is zero when d is. */
static shp_dim normal(shp_dims *t, shp_dim d)
{
    if (!d || d == ZERO) return d;
    if (dim_lead(t, d) < 0) d = dim_minus(t, d);
    return d ? dim_shrink(t, d, dim_content(t, d)) : 0;
}

static shp_dim difference(shp_dims *t, shp_dim a, shp_dim b)
{
    shp_dim_failure failure = t->failure;
    shp_dim d = dim_less_again(t, a, b);
    t->failure = failure;
    return d;
}

int shp_dim_ge(shp_dims *t, shp_dim a, shp_dim b)
{
    const int64_t *number = shp_dim_number(t, a);
    int64_t x = number ? *number : 0;
    if (number && (number = shp_dim_number(t, b))) return x >= *number;
    shp_dim d = difference(t, a, b);
    return !d ? -1 : shp_dim_lo(t, d) >= 0 ? 1 : shp_dim_hi(t, d) < 0 ? 0 : -1;
}

bool shp_dim_within(shp_dims *t, shp_dim d)
{
    const shp_symset *set = open_at(t, d)->is.symbols;
    bool is = shp_dim_hi(t, d) <= 0;
    for (uint32_t i = 0; !is && set && i < set->n; i++) is = shp_dim_ge(t, atom_at(t, symbol_at(t, set->id[i])->atom)->dim, d) == 1;
    return is;
}

/* Whether d can be 0 at no integers: 2*S - 1. */
static bool never_zero(shp_dims *t, shp_dim d)
{
    const shp_expr *e = open_at(t, d);
    if (shp_dim_lo(t, d) > 0 || shp_dim_hi(t, d) < 0) return true;
    if (e->n < 2 || e->term[e->n - 1].mono) return false;
    shp_dim variable = difference(t, d, shp_dim_const(t, e->term[e->n - 1].coef));
    if (!variable) return false;
    int64_t g = dim_content(t, variable);
    return g > 1 && e->term[e->n - 1].coef % g != 0;
}

int shp_dim_eq(shp_dims *t, shp_dim a, shp_dim b)
{
    if (!a || !b) return -1;
    if (a == b) return 1;
    if (shp_dim_number(t, a) && shp_dim_number(t, b)) return 0;
    shp_dim d = difference(t, a, b);
    if (!d) return -1;
    if (never_zero(t, d)) return 0;
    if (!t->notes.n || t->shifting) return -1;
    d = normal(t, d);
    return d && open_at(t, d)->is_zero ? 1 : -1;
}

bool dim_never_one(shp_dims *t, shp_dim d)
{
    shp_dim less = difference(t, d, ONE);
    return less && never_zero(t, less);
}

/* ---- rebuilding: with replacements (resolve), with each declared size s as s + 1 (shift), or with values (evaluate) ---- */

static shp_dim rebuild(shp_dims *t, shp_dim d);

static shp_dim rebuild_atom(shp_dims *t, const shp_atom *x)
{
    if (x->to && !t->shifting) return rebuild(t, x->to);
    if (x->kind == ATOM_SYMBOL) {
        const shp_symbol *s = &symbol_at(t, x->symbol)->s;
        int64_t v;
        if (t->point) return t->point->value(t->point->arg, s, &v) ? shp_dim_const(t, v) : 0;
        if (!t->shifting) return x->dim;
        return s->most ? 0 : s->declared && s->kind == SHP_SIZE ? dim_plus(t, x->dim, 1) : x->dim;     /* what bounds it is not shifted */
    }
    shp_dim arg[MAX_ARGS];
    bool same = true;
    for (uint32_t i = 0; i < x->n; i++) {
        arg[i] = rebuild(t, x->arg[i]);
        same = same && arg[i] == x->arg[i];
    }
    if (same && x->kind != ATOM_BROADCAST) return x->dim;   /* a noted pair may join its elements */
    shp_dim d = x->kind == ATOM_FLOOR ? dim_floor(t, arg[0], arg[1])
              : x->kind == ATOM_MIN ? dim_min(t, arg, x->n) : dim_broadcast(t, arg, x->n);
    return d || t->shifting ? d : x->dim;       /* a contradiction is not this function's to report */
}

static shp_dim rebuild_terms(shp_dims *t, shp_dim d)
{
    const shp_expr *e = open_at(t, d);
    shp_dim sum = ZERO;
    for (uint32_t i = 0; i < e->n && sum; i++) {
        const shp_mono *m = mono_at(t, e->term[i].mono);
        shp_dim product = shp_dim_const(t, e->term[i].coef);
        for (uint32_t j = 0; j < m->n; j++) product = dim_times(t, product, rebuild_atom(t, atom_at(t, m->atom[j])));
        sum = dim_add(t, sum, product);
    }
    return sum;
}

/* Whether a fact concerns d at all. */
static bool concerned(const shp_dims *t, const shp_expr *e)
{
    if (e->is.broadcast) return true;
    const shp_symset *set = e->is.fresh ? e->is.symbols : NULL;
    for (uint32_t i = 0; set && i < set->n; i++) if (atom_at(t, symbol_at(t, set->id[i])->atom)->to) return true;
    return false;
}

static shp_dim resolve(shp_dims *t, shp_dim d)
{
    if (is_small(d)) return d;
    shp_expr *e = open_at(t, d);
    if (e->epoch == t->epoch + 1) return e->resolved;
    if (t->level > MAX_DEPTH) return d;
    e->epoch = t->epoch + 1;                    /* what comes back here while d is in work stays as it is: no cycles */
    e->resolved = d;
    if (!concerned(t, e)) return d;
    t->level++;
    shp_dim r = rebuild_terms(t, d);
    if (r) e->resolved = resolve(t, r);         /* what came out may be a replaced atom itself */
    t->level--;
    return e->resolved;
}

static shp_dim rebuild(shp_dims *t, shp_dim d)
{
    if (!d || shp_dim_number(t, d)) return d;
    if (!t->shifting) return resolve(t, d);
    shp_expr *e = open_at(t, d);
    if (t->point) return rebuild_terms(t, d);
    if (!e->shifted) e->shifted = rebuild_terms(t, d);
    return e->shifted;
}

int64_t shp_dim_lo_assuming(shp_dims *t, shp_dim d)
{
    if (!d) return INT64_MIN;
    shp_dim_failure failure = t->failure;
    t->shifting = true;
    shp_dim s = rebuild(t, d);
    t->shifting = false;
    int64_t plain = shp_dim_lo(t, d), lo = shp_dim_lo(t, s);
    t->failure = failure;
    return lo > plain ? lo : plain;
}

bool shp_dim_eval(shp_dims *t, shp_dim d, bool (*value)(void *arg, const shp_symbol *s, int64_t *v), void *arg, int64_t *result)
{
    shp_point p = { value, arg };
    t->failure = FAIL_NONE;
    t->shifting = true;
    t->point = &p;
    const int64_t *number = shp_dim_number(t, rebuild(t, d));
    t->point = NULL;
    t->shifting = false;
    if (number) *result = *number;
    else if (t->failure == FAIL_OVERFLOW) t->overflow = true;
    return number != NULL;
}

/* ---- equalities ---- */

shp_dim shp_dim_resolve(shp_dims *t, shp_dim d)
{
    return d && t->facts.n ? resolve(t, d) : d;
}

/* Whether atom x stands anywhere in d. */
static bool holds(const shp_dims *t, shp_dim d, const shp_atom *x)
{
    const shp_expr *e = open_at(t, d);
    if (x->kind == ATOM_SYMBOL) return shp_dim_mentions(t, d, &symbol_at(t, x->symbol)->s);
    for (uint32_t i = 0; e->is.broadcast && i < e->n; i++) {
        const shp_mono *m = mono_at(t, e->term[i].mono);
        for (uint32_t j = 0; j < m->n; j++) {
            const shp_atom *y = atom_at(t, m->atom[j]);
            if (y == x) return true;
            for (uint32_t k = 0; k < y->n; k++) if (holds(t, y->arg[k], x)) return true;
        }
    }
    return false;
}

static bool unnamed(const shp_dims *t, const shp_atom *x)
{
    const shp_symbol *s = x->kind == ATOM_SYMBOL ? &symbol_at(t, x->symbol)->s : NULL;
    return s && !s->name.len && s->kind != SHP_FLAG;
}

static bool named(const shp_dims *t, const shp_atom *x)
{
    return x && x->kind == ATOM_SYMBOL && symbol_at(t, x->symbol)->s.name.len > 0;
}

/* x where d == 0 is solved for it, if term i of d is x alone, times 1 or -1, and x is nowhere else in d; else 0. */
static shp_dim solve(shp_dims *t, shp_dim d, uint32_t i, shp_atom **x)
{
    shp_term k = open_at(t, d)->term[i];
    const shp_mono *m = mono_at(t, k.mono);
    if (m->n != 1 || (k.coef != 1 && k.coef != -1)) return 0;
    *x = atom_at(t, m->atom[0]);
    shp_dim rest = dim_sum(t, d, -k.coef, (*x)->dim, 1);
    return rest && !holds(t, rest, *x) ? rest : 0;
}

static uint32_t count_unnamed(const shp_dims *t, shp_dim d)
{
    const shp_symset *set = open_at(t, d)->is.symbols;
    uint32_t n = 0;
    for (uint32_t i = 0; set && i < set->n; i++) n += unnamed(t, atom_at(t, symbol_at(t, set->id[i])->atom));
    return n;
}

/* The atom of d == 0 that is best replaced, and by what: an unnamed symbol that is one side alone; the only unnamed
 * symbol; a broadcast that is one side alone; any broadcast. Of equals the youngest. */
static shp_atom *choose(shp_dims *t, shp_dim a, shp_dim b, shp_dim d, shp_dim *by)
{
    shp_atom *best = NULL, *x;
    int most = 0;
    bool only = count_unnamed(t, d) == 1;
    for (uint32_t i = 0; i < open_at(t, d)->n; i++) {
        shp_dim value = solve(t, d, i, &x);
        if (!value || x->to) continue;
        bool alone = x->dim == a || x->dim == b;
        int rank = unnamed(t, x) ? (alone ? 4 : only ? 3 : 0) : x->kind == ATOM_BROADCAST ? (alone ? 2 : 1) : 0;
        if (!rank || rank < most || (rank == most && x->id < best->id)) continue;
        most = rank;
        best = x;
        *by = value;
    }
    return best;
}

static void note(shp_dims *t, shp_dim a, shp_dim b, shp_dim d)
{
    shp_fact fact = { UINT32_MAX, a, b, d, t->epoch };
    shp_fact *f = dim_push(t, &t->facts, sizeof *f);
    if (!f) return;
    *f = fact;
    f = dim_push(t, &t->notes, sizeof *f);
    if (!f) { t->facts.n--; return; }
    *f = fact;
    open_at(t, d)->is_zero = true;
    t->epoch = ++t->epochs;
}

/* Notes the pair with a named symbol as its first side. */
static void note_named(shp_dims *t, shp_dim a, shp_dim b, shp_dim d)
{
    shp_atom *x = NULL;
    if (open_at(t, d)->is_zero) return;
    if (named(t, dim_lone(t, a))) { note(t, a, b, d); return; }
    if (named(t, dim_lone(t, b))) { note(t, b, a, d); return; }
    for (uint32_t i = 0; i < open_at(t, d)->n; i++) {
        shp_dim value = solve(t, d, i, &x);
        if (value && named(t, x)) { note(t, x->dim, value, d); return; }
    }
}

bool shp_dim_unify(shp_dims *t, shp_dim a, shp_dim b)
{
    a = shp_dim_resolve(t, a);
    b = shp_dim_resolve(t, b);
    if (!a || !b || a == b) return true;
    if (shp_dim_eq(t, a, b) == 0) return false;
    shp_dim d = normal(t, difference(t, a, b)), by = 0;
    if (!d) return true;
    shp_atom *x = choose(t, a, b, d, &by);
    if (!x) { note_named(t, a, b, d); return true; }
    shp_fact *f = dim_push(t, &t->facts, sizeof *f);
    if (!f) return true;
    *f = (shp_fact){ x->id, x->dim, by, 0, t->epoch };
    x->to = by;
    t->epoch = ++t->epochs;
    return true;
}

uint32_t shp_dims_epoch(const shp_dims *t) { return t->epoch; }
uint32_t shp_dims_mark(const shp_dims *t) { return (uint32_t)t->facts.n; }

void shp_dims_rewind(shp_dims *t, uint32_t mark)
{
    while (t->facts.n > mark) {
        const shp_fact *f = (const shp_fact *)t->facts.at + --t->facts.n;
        t->epoch = f->before;                   /* what was resolved before this fact holds again */
        if (f->atom != UINT32_MAX) {
            atom_at(t, f->atom)->to = 0;
        } else {
            open_at(t, f->difference)->is_zero = false;
            t->notes.n--;
        }
    }
}

uint32_t shp_dims_equal_count(const shp_dims *t) { return (uint32_t)t->notes.n; }

void shp_dims_equal(const shp_dims *t, uint32_t i, shp_dim *a, shp_dim *b)
{
    const shp_fact *f = (const shp_fact *)t->notes.at + i;
    *a = f->a;
    *b = f->b;
}
