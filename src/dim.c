/* dim.c - the intern table, and sums, products, floor, Min and broadcast in canonical form. */
#include "dim_table.h"

#include <string.h>

/* ---- the intern table: every record is found by its class and the bytes that define it ---- */

enum { OF_EXPR = 1, OF_MONO, OF_NAME, OF_KEY, OF_ATOM };    /* OF_ATOM + its kind for atoms; names and keys are atoms' too */

void *dim_push(shp_dims *t, shp_list *list, size_t size)
{
    void *items = shp_grow_array(t->arena, list->at, list->n, &list->room, size);
    if (!items) return NULL;
    list->at = items;
    return (uint8_t *)items + size * list->n++;
}

static bool push_record(shp_dims *t, shp_list *list, void *record)
{
    void **slot = record ? dim_push(t, list, sizeof *slot) : NULL;
    if (slot) *slot = record;
    return slot != NULL;
}

static bool rehash(shp_dims *t)
{
    uint32_t old = t->slots ? t->mask + 1 : 0, room = old ? old * 2 : 256;
    shp_slot *slots = room ? shp_alloc_array(t->arena, room, sizeof *slots) : NULL;
    if (!slots) return false;
    for (uint32_t i = 0; i < old; i++) {
        uint32_t j = t->slots[i].hash & (room - 1);
        while (slots[j].ref) j = (j + 1) & (room - 1);
        slots[j] = t->slots[i];
    }
    t->slots = slots;
    t->mask = room - 1;
    return true;
}

/* The slot of what these bytes define: ref is 0 where there is none yet. NULL without memory. */
static shp_slot *probe(shp_dims *t, unsigned class, const void *at, size_t size)
{
    if (t->used / 3 >= t->mask / 4 && !rehash(t)) return NULL;
    uint32_t hash = (uint32_t)shp_hash(t->seed + class, at, size);
    for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        shp_slot *s = t->slots + i;
        if (!s->ref) s->hash = hash;
        else if (s->hash != hash || (s->ref & 15) != class || s->size != size || memcmp(s->at, at, size) != 0) continue;
        return s;
    }
}

/* The index of what these bytes define, 0 without memory. Where it is new, so is the record returned: empty, but for the
 * bytes at that offset. Else NULL. */
static void *intern(shp_dims *t, unsigned class, const void *at, size_t size, size_t offset, uint32_t *id)
{
    shp_list *list = class == OF_EXPR ? &t->exprs : class == OF_MONO ? &t->monos : &t->atoms;
    shp_slot *s = probe(t, class, at, size);
    *id = s ? s->ref >> 4 : 0;
    if (!s || s->ref) return NULL;
    uint8_t *record = shp_alloc(t->arena, offset + size);
    if (list->n >> 28 || !push_record(t, list, record)) return NULL;
    if (size) memcpy(record + offset, at, size);
    *id = (uint32_t)list->n - 1;
    s->ref = *id << 4 | class;
    s->at = record + offset;
    s->size = (uint32_t)size;
    t->used++;
    return record;
}

static shp_dim fail(shp_dims *t, shp_dim_failure why)
{
    t->failure = why;
    return 0;
}

/* ---- traits ---- */

static const shp_symset *unite(shp_dims *t, const shp_symset *a, const shp_symset *b)
{
    if (!a || a == b) return b;
    if (!b) return a;
    shp_symset *u = shp_alloc(t->arena, sizeof *u + ((size_t)a->n + b->n) * sizeof u->id[0]);
    if (!u) return NULL;
    uint32_t i = 0, j = 0;
    while (i < a->n || j < b->n) {
        uint32_t x = i < a->n ? a->id[i] : UINT32_MAX, y = j < b->n ? b->id[j] : UINT32_MAX;
        u->id[u->n++] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
    }
    return u->n == a->n ? a : u->n == b->n ? b : u;
}

/* Adds what `part` holds to `whole`; bounds are the caller's. */
static void gather(shp_dims *t, shp_traits *whole, const shp_traits *part)
{
    whole->symbols = unite(t, whole->symbols, part->symbols);
    whole->weight += part->weight;
    if (part->depth > whole->depth) whole->depth = part->depth;
    whole->compound |= part->compound;
    whole->broadcast |= part->broadcast;
    whole->fresh |= part->fresh;
    whole->undeclared |= part->undeclared;
}

/* ---- terms ---- */

void dim_terms(const shp_dims *t, shp_dim d, shp_terms *s)
{
    const shp_expr *e = open_at(t, d);
    s->own = (shp_term){ small_value(d), 0, 0 };
    s->n = is_small(d) ? d != ZERO : e->n;
    s->at = is_small(d) ? &s->own : e->term;
}

int64_t dim_lead(const shp_dims *t, shp_dim d)
{
    shp_terms s;
    dim_terms(t, d, &s);
    return s.n ? s.at->coef : 0;
}

/* ---- order: symbols by name, unnamed ones by age, then other atoms by what they hold; products by degree, then
 * atoms; so that what is printed does not depend on what was made before ---- */

static int compare_dims(const shp_dims *t, shp_dim a, shp_dim b);

static int compare_symbols(const shp_dims *t, uint32_t a, uint32_t b)
{
    shp_str p = symbol_at(t, a)->s.name, q = symbol_at(t, b)->s.name;
    if (!p.len && !q.len) return a < b ? -1 : 1;
    if (!p.len || !q.len) return p.len ? -1 : 1;
    int c = memcmp(p.at, q.at, p.len < q.len ? p.len : q.len);
    return c ? c : p.len < q.len ? -1 : 1;
}

static int compare_atoms(const shp_dims *t, uint32_t a, uint32_t b)
{
    if (a == b) return 0;
    const shp_atom *x = atom_at(t, a), *y = atom_at(t, b);
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind == ATOM_SYMBOL) return compare_symbols(t, x->symbol, y->symbol);
    for (uint32_t i = 0; i < x->n && i < y->n; i++) {
        int c = compare_dims(t, x->arg[i], y->arg[i]);
        if (c) return c;
    }
    return x->n < y->n ? -1 : 1;
}

static int compare_monos(const shp_dims *t, uint32_t a, uint32_t b)
{
    if (a == b) return 0;
    const shp_mono *x = mono_at(t, a), *y = mono_at(t, b);
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    uint32_t i = 0;
    while (x->atom[i] == y->atom[i]) i++;
    return compare_atoms(t, x->atom[i], y->atom[i]);
}

static int compare_dims(const shp_dims *t, shp_dim a, shp_dim b)
{
    if (a == b) return 0;
    shp_terms x, y;
    dim_terms(t, a, &x);
    dim_terms(t, b, &y);
    for (uint32_t i = 0; i < x.n && i < y.n; i++) {
        int c = compare_monos(t, x.at[i].mono, y.at[i].mono);
        if (c) return c;
        if (x.at[i].coef != y.at[i].coef) return x.at[i].coef < y.at[i].coef ? -1 : 1;
    }
    return x.n > y.n ? -1 : 1;
}

/* Sorts a list and drops repetitions; returns its new length. */
static uint32_t sort_dims(const shp_dims *t, shp_dim *list, uint32_t n)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        shp_dim d = list[i];
        uint32_t j = out;
        while (j > 0 && compare_dims(t, d, list[j - 1]) < 0) j--;
        if (j > 0 && list[j - 1] == d) continue;
        memmove(list + j + 1, list + j, (out - j) * sizeof *list);
        list[j] = d;
        out++;
    }
    return out;
}

/* ---- products ---- */

static uint32_t make_mono(shp_dims *t, const uint32_t *atom, uint32_t n)
{
    uint32_t id;
    shp_mono *m = intern(t, OF_MONO, atom, n * sizeof *atom, offsetof(shp_mono, atom), &id);
    if (!m) return id;
    m->n = n;
    m->is.lo = m->is.hi = 1;
    for (uint32_t i = 0; i < n; i++) {
        const shp_traits *x = &atom_at(t, atom[i])->is;
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int k = 0; k < 4; k++) {
            int64_t p = dim_bound_mul(k & 1 ? m->is.hi : m->is.lo, k & 2 ? x->hi : x->lo);
            if (p < lo) lo = p;
            if (p > hi) hi = p;
        }
        m->is.lo = lo;
        m->is.hi = hi;
        gather(t, &m->is, x);
    }
    return id;
}

typedef enum join { PRODUCT, REST, COMMON } join;

/* Of two products: x*y; x/y, where y divides x; the atoms that both hold. false: it does not, or past the limits. */
static bool join_monos(shp_dims *t, uint32_t a, uint32_t b, join how, uint32_t *out)
{
    const shp_mono *x = mono_at(t, a), *y = mono_at(t, b);
    uint32_t atom[MAX_DEGREE], n = 0, i = 0, j = 0;
    if (!b || (how == PRODUCT && !a)) { *out = how == COMMON ? 0 : a | b; return true; }
    if (how == PRODUCT && x->n + y->n > MAX_DEGREE) return fail(t, FAIL_LIMIT);
    if (how == REST && x->n < y->n) return false;
    while (i < x->n || j < y->n) {
        int c = i == x->n ? 1 : j == y->n ? -1 : how == REST ? -(x->atom[i] != y->atom[j]) : compare_atoms(t, x->atom[i], y->atom[j]);
        if (c > 0 && how == REST) return false;
        if (c == 0 ? how != REST : how == PRODUCT || (c < 0 && how == REST)) atom[n++] = c > 0 ? y->atom[j] : x->atom[i];
        i += c <= 0;
        j += c > 0 || (c == 0 && how != PRODUCT);
    }
    *out = n ? make_mono(t, atom, n) : 0;
    return !n || *out != 0;
}

static bool divide_monos(shp_dims *t, uint32_t a, uint32_t b, uint32_t *out) { return join_monos(t, a, b, REST, out); }

/* ---- sums ---- */

typedef struct poly { uint32_t n; shp_term at[MAX_TERMS]; } poly;

/* Appends coef*mono unless coef is 0; false where there is no room. */
static inline bool push_term(poly *p, int64_t coef, uint32_t mono)
{
    if (coef && p->n < MAX_TERMS) p->at[p->n++] = (shp_term){ coef, mono, 0 };
    else return coef == 0;
    return true;
}

/* The integer at the end of a sum, 0 where there is none. */
static int64_t constant_of(const shp_expr *e)
{
    return e->n && !e->term[e->n - 1].mono ? e->term[e->n - 1].coef : 0;
}

/* Bounds of a sum, term by term; the bounds of compound atoms see no correlation (dimfact.c does). */
static void bound_sum(const shp_dims *t, shp_expr *e)
{
    int64_t lo = 0, hi = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const shp_traits *m = &mono_at(t, e->term[i].mono)->is;
        int64_t c = e->term[i].coef;
        lo = dim_bound_add(lo, dim_bound_mul(c, c > 0 ? m->lo : m->hi), INT64_MIN);
        hi = dim_bound_add(hi, dim_bound_mul(c, c > 0 ? m->hi : m->lo), INT64_MAX);
    }
    e->is.lo = lo == INT64_MAX ? INT64_MAX - 1 : lo;    /* no bound is infinite the wrong way */
    e->is.hi = hi == INT64_MIN ? INT64_MIN + 1 : hi;
}

static shp_dim intern_sum(shp_dims *t, const shp_term *term, uint32_t n)
{
    uint32_t id, weight = 0;
    for (uint32_t i = 0; i < n; i++) weight += mono_at(t, term[i].mono)->is.weight;
    if (n > t->max_terms || weight > MAX_WEIGHT) return fail(t, FAIL_LIMIT);
    shp_expr *e = intern(t, OF_EXPR, term, n * sizeof *term, offsetof(shp_expr, term), &id);
    if (!e) return id << 1;
    e->n = n;
    for (uint32_t i = 0; i < n; i++) gather(t, &e->is, &mono_at(t, term[i].mono)->is);
    bound_sum(t, e);
    /* One atom alone and a constant: nothing moves together that the atom's own bounds do not see. */
    bool alone = n == 1 + (constant_of(e) != 0) && mono_at(t, term[0].mono)->n < 2;
    e->lo_done = e->hi_done = alone || !e->is.compound;
    return id << 1;
}

static shp_dim make_expr(shp_dims *t, const shp_term *term, uint32_t n)
{
    if (!n) return ZERO;
    return n == 1 && !term->mono && shp_dim_fits(term->coef) ? shp_dim_small(term->coef) : intern_sum(t, term, n);
}

shp_dim shp_dim_large(shp_dims *t, int64_t value)
{
    return intern_sum(t, &(shp_term){ value, 0, 0 }, 1);
}

shp_dim dim_sum(shp_dims *t, shp_dim a, int64_t ka, shp_dim b, int64_t kb)
{
    if (!a || !b) return 0;
    shp_terms x, y;
    poly p;
    p.n = 0;
    dim_terms(t, a, &x);
    dim_terms(t, b, &y);
    for (uint32_t i = 0, j = 0; i < x.n || j < y.n;) {
        int c = i == x.n ? 1 : j == y.n ? -1 : compare_monos(t, x.at[i].mono, y.at[j].mono);
        uint32_t mono = c <= 0 ? x.at[i].mono : y.at[j].mono;
        int64_t k = 0, l = 0;
        if ((c <= 0 && !mul64(ka, x.at[i++].coef, &k)) || (c >= 0 && !mul64(kb, y.at[j++].coef, &l)) || !add64(k, l, &k))
            return fail(t, FAIL_OVERFLOW);
        if (!push_term(&p, k, mono)) return fail(t, FAIL_LIMIT);
    }
    return make_expr(t, p.at, p.n);
}

shp_dim dim_add(shp_dims *t, shp_dim a, shp_dim b) { return dim_sum(t, a, 1, b, 1); }
shp_dim dim_less(shp_dims *t, shp_dim a, shp_dim b) { return dim_sum(t, a, 1, b, -1); }
shp_dim dim_minus(shp_dims *t, shp_dim a) { return dim_sum(t, a, -1, ZERO, 0); }

shp_dim dim_plus(shp_dims *t, shp_dim a, int64_t k)
{
    return k ? dim_add(t, a, shp_dim_const(t, k)) : a;
}

typedef enum way { TIMES, SHRINK, QUOTIENT, REMAINDER, ONES, POSITIVE, WITH, WITHOUT } way;

/* The sum of what becomes of each term of d; none of it changes the order of terms.
 *   TIMES      k*m times it
 *   SHRINK     it divided by k*m, which divides each term (failing otherwise)
 *   QUOTIENT   its coefficient divided by k, rounded down; m: 0 where k does not divide it, but for the constant
 *   REMAINDER  what that leaves
 *   ONES       its product alone; nothing for the constant
 *   POSITIVE   itself where its coefficient is positive
 *   WITH       it divided by m, an atom; nothing where m does not divide it; failing where m does so twice
 *   WITHOUT    itself where m does not divide it */
static shp_dim each(shp_dims *t, shp_dim d, way how, int64_t k, uint32_t m)
{
    if (!d) return 0;
    shp_terms s;
    poly p;
    p.n = 0;
    dim_terms(t, d, &s);
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t mono = s.at[i].mono, q = mono;
        int64_t c = s.at[i].coef;
        switch (how) {
        case TIMES:
            if (!join_monos(t, mono, m, PRODUCT, &q)) return 0;
            if (!mul64(c, k, &c)) return fail(t, FAIL_OVERFLOW);
            break;
        case SHRINK:
            if (!divide_monos(t, mono, m, &q)) return 0;
            c /= k;
            break;
        case QUOTIENT: c = m && mono && c % k ? 0 : floor64(c, k); break;
        case REMAINDER: c = m && mono && c % k ? c : mod64(c, k); break;
        case ONES: c = mono != 0; break;
        case POSITIVE: if (c < 0) continue; break;
        case WITH:
            if (!divide_monos(t, mono, m, &q)) continue;
            if (divide_monos(t, q, m, &mono)) return 0;
            break;
        case WITHOUT: if (divide_monos(t, mono, m, &q)) continue; break;
        }
        push_term(&p, c, q);
    }
    return make_expr(t, p.at, p.n);
}

shp_dim dim_times(shp_dims *t, shp_dim a, shp_dim b)
{
    if (!a || !b) return 0;
    if (is_small(b) || open_at(t, a)->n > open_at(t, b)->n) { shp_dim swap = a; a = b; b = swap; }
    shp_terms s;
    shp_dim out = ZERO;
    dim_terms(t, a, &s);
    for (uint32_t i = 0; i < s.n; i++) {
        shp_dim part = each(t, b, TIMES, s.at[i].coef, s.at[i].mono);
        out = i ? dim_add(t, out, part) : part;
    }
    return out;
}

static int64_t gcd64(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) { uint64_t r = x % y; x = y; y = r; }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

int64_t dim_content(const shp_dims *t, shp_dim d)
{
    shp_terms s;
    int64_t g = 0;
    dim_terms(t, d, &s);
    for (uint32_t i = 0; i < s.n && g != 1; i++) g = gcd64(s.at[i].coef, g);
    return g;
}

/* d/(g*m) where that divides each term. */
static shp_dim shrink(shp_dims *t, shp_dim d, int64_t g, uint32_t m)
{
    return g == 1 && !m ? d : each(t, d, SHRINK, g, m);
}

shp_dim dim_shrink(shp_dims *t, shp_dim d, int64_t g) { return shrink(t, d, g, 0); }

/* The product that all terms of all dims of a list share. */
static uint32_t shared_mono(shp_dims *t, const shp_dim *list, uint32_t n)
{
    bool any = false;
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        shp_terms s;
        dim_terms(t, list[i], &s);
        for (uint32_t j = 0; j < s.n; j++) {
            if (!any) m = s.at[j].mono;
            else if (!join_monos(t, m, s.at[j].mono, COMMON, &m)) return 0;
            if (!m) return 0;
            any = true;
        }
    }
    return m;
}

/* coef*m as a dim. */
static shp_dim single(shp_dims *t, int64_t coef, uint32_t m)
{
    shp_term k = { coef, m, 0 };
    return make_expr(t, &k, coef != 0);
}

/* ---- atoms ---- */

/* Makes the product and the sum that are a new atom alone. */
static shp_dim seal_atom(shp_dims *t, shp_atom *x, uint32_t id)
{
    x->id = id;
    x->is.weight++;
    x->mono = make_mono(t, &x->id, 1);
    if (x->mono) x->dim = single(t, 1, x->mono);
    return x->dim;
}

shp_dim dim_atom(shp_dims *t, shp_atom_kind kind, const shp_dim *arg, uint32_t n)
{
    uint32_t id;
    for (uint32_t i = 0; i < n; i++) {
        if (!arg[i]) return 0;
        if (open_at(t, arg[i])->is.depth >= t->max_depth) return fail(t, FAIL_LIMIT);
    }
    shp_atom *x = intern(t, OF_ATOM + (unsigned)kind, arg, n * sizeof *arg, offsetof(shp_atom, arg), &id);
    if (!x) return atom_at(t, id)->dim;
    x->kind = kind;
    x->n = n;
    for (uint32_t i = 0; i < n; i++) gather(t, &x->is, &open_at(t, arg[i])->is);
    x->is.compound = true;
    x->is.depth++;
    x->is.broadcast |= kind == ATOM_BROADCAST;
    dim_bound_atom(t, x);
    return seal_atom(t, x, id);
}

shp_atom *dim_lone(const shp_dims *t, shp_dim d)
{
    const shp_expr *e = open_at(t, d);
    if (e->n != 1 || e->term[0].coef != 1) return NULL;
    const shp_mono *m = mono_at(t, e->term[0].mono);
    return m->n == 1 ? atom_at(t, m->atom[0]) : NULL;
}

shp_atom *dim_compound(const shp_dims *t, shp_dim d, uint32_t below)
{
    const shp_expr *e = open_at(t, d);
    shp_atom *best = NULL;
    for (uint32_t i = 0; e->is.compound && i < e->n; i++) {
        const shp_mono *m = mono_at(t, e->term[i].mono);
        for (uint32_t j = 0; j < m->n; j++) {
            shp_atom *x = atom_at(t, m->atom[j]);
            if (x->kind != ATOM_SYMBOL && x->id < below && (!best || x->id > best->id)) best = x;
        }
    }
    return best;
}

bool dim_split(shp_dims *t, shp_dim d, const shp_atom *x, shp_dim *c, shp_dim *rest)
{
    *c = each(t, d, WITH, 0, x->mono);
    *rest = *c ? each(t, d, WITHOUT, 0, x->mono) : 0;
    return *rest != 0;
}

/* ---- symbols ---- */

static shp_dim symbol(shp_dims *t, unsigned class, const void *key, size_t size, const shp_symbol *init)
{
    uint32_t id;
    shp_atom *x = intern(t, class, key, size, offsetof(shp_atom, arg), &id);
    if (!x) return atom_at(t, id)->dim;
    shp_named *n = shp_alloc(t->arena, sizeof *n);
    shp_symset *set = shp_alloc(t->arena, sizeof *set + sizeof set->id[0]);
    if (!set || !push_record(t, &t->symbols, n)) return 0;
    n->s = *init;
    n->atom = id;
    x->symbol = (uint32_t)t->symbols.n - 1;
    set->n = 1;
    set->id[0] = x->symbol;
    x->is.symbols = set;
    x->is.lo = init->kind == SHP_ANY ? INT64_MIN : 0;
    x->is.hi = init->kind == SHP_FLAG ? 1 : shp_dim_hi(t, init->most);
    x->is.compound = init->most != 0;
    x->is.fresh = init->name.len == 0;
    x->is.undeclared = !init->declared;
    return seal_atom(t, x, id);
}

shp_dim shp_dims_symbol_dim(const shp_dims *t, uint32_t i) { return atom_at(t, symbol_at(t, i)->atom)->dim; }

shp_dim shp_dim_named(shp_dims *t, shp_str name, shp_symbol_kind kind, bool declared)
{
    shp_symbol s = { .name = name, .kind = kind, .declared = declared };
    return name.len ? symbol(t, OF_NAME, name.at, name.len, &s) : 0;
}

shp_dim shp_dim_fresh(shp_dims *t, uint64_t key, shp_symbol_kind kind, const shp_origin *origin)
{
    shp_symbol s = { .kind = kind, .origin = *origin };
    return symbol(t, OF_KEY, &key, sizeof key, &s);
}

shp_dim shp_dim_fresh_upto(shp_dims *t, uint64_t key, const shp_origin *origin, shp_dim most)
{
    shp_symbol s = { .kind = SHP_COUNT, .origin = *origin, .most = most };
    return symbol(t, OF_KEY, &key, sizeof key, &s);
}

bool dim_find_name(shp_dims *t, shp_str name)
{
    shp_slot *s = probe(t, OF_NAME, name.at, name.len);
    return s && s->ref;
}

/* ---- division ---- */

/* a/b with a b whose leading term is positive. */
static void upright(shp_dims *t, shp_dim *a, shp_dim *b)
{
    if (dim_lead(t, *b) >= 0) return;
    *a = dim_minus(t, *a);
    *b = dim_minus(t, *b);
}

/* a = b*q + r as polynomials, the leading term of b first; quotients of coefficients round down, so that what remains has
 * coefficients in [0, lead) on the products that the lead divides. */
static bool divmod(shp_dims *t, shp_dim a, shp_dim b, shp_dim *q, shp_dim *r)
{
    shp_terms y, left;
    dim_terms(t, b, &y);
    if (!y.n || y.at[0].coef < 0) return false;
    *q = ZERO;
    *r = a;
    for (uint32_t i = 0, step = 0; dim_terms(t, *r, &left), i < left.n; step++) {
        shp_term x = left.at[i];
        int64_t k = floor64(x.coef, y.at[0].coef);
        uint32_t m;
        if (k == 0 || !divide_monos(t, x.mono, y.at[0].mono, &m)) { i++; continue; }
        if (step > 4 * MAX_TERMS) return fail(t, FAIL_LIMIT);
        shp_dim part = single(t, k, m);
        *q = dim_add(t, *q, part);
        *r = dim_less(t, *r, dim_times(t, part, b));
        if (!*q || !*r) return false;
        dim_terms(t, *r, &left);                   /* a remainder of this term stays where it is */
        if (i < left.n && left.at[i].mono == x.mono) i++;
    }
    return true;
}

/* floor(a/b), coefficients of a in [0, b): the complement has b - c for each c, and b - 1 - d for the constant. */
shp_dim dim_complement(shp_dims *t, shp_dim a, int64_t b, shp_dim *x)
{
    *x = each(t, a, ONES, 0, 0);
    return dim_plus(t, dim_sum(t, *x, b, a, -1), b - 1);
}

/* Of the two ways to write a floor, the one whose first differing coefficient is smaller: floor((H + 1)/2) is
 * H - floor(H/2), and what is equal has one handle. */
static bool prefer_complement(const shp_expr *e, int64_t b)
{
    uint32_t n = e->n;
    for (uint32_t i = 0; i < n && e->term[i].mono; i++)
        if (e->term[i].coef != b - e->term[i].coef) return e->term[i].coef > b - e->term[i].coef;
    return constant_of(e) > b - 1 - constant_of(e);
}

/* a = b*q + r with each coefficient of r in [0, b); exact: only whole multiples of b go to q, but for the constant. */
static bool pull_out(shp_dims *t, shp_dim a, int64_t b, bool exact, shp_dim *q, shp_dim *r)
{
    *q = each(t, a, QUOTIENT, b, exact);
    *r = each(t, a, REMAINDER, b, exact);
    return *q && *r;
}

/* floor((floor(x/c) + p)/b) = floor((x + c*p)/(b*c)) for positive b and c; likewise for -floor(x/c), which is
 * floor((c - 1 - x)/c); and for multiples of b more of it. 0 with no failure where there is none. */
static shp_dim unnest(shp_dims *t, shp_dim a, shp_dim b)
{
    const int64_t *number = shp_dim_number(t, b);
    int64_t n = number ? *number : 0;
    for (shp_atom *f = dim_compound(t, a, UINT32_MAX); f; f = dim_compound(t, a, f->id)) {
        shp_dim c, rest;
        if (f->kind != ATOM_FLOOR || shp_dim_lo(t, f->arg[1]) < 0 || !dim_split(t, a, f, &c, &rest)
            || !(number = shp_dim_number(t, c))) continue;
        int64_t k = *number, sign = k == 1 || k == -1 ? k : 0;
        if (!sign && n) {
            int64_t left = mod64(k, n);
            sign = left == 1 && (n > 2 || k > 0) ? 1 : left == n - 1 ? -1 : 0;
        }
        if (!sign) continue;
        shp_dim top = dim_sum(t, dim_times(t, f->arg[1], rest), 1, f->arg[0], sign);
        if (sign < 0) top = dim_plus(t, dim_add(t, top, f->arg[1]), -1);
        shp_dim out = dim_floor(t, top, dim_times(t, b, f->arg[1]));
        if (out && k != sign) out = dim_sum(t, out, 1, f->dim, n ? (k - sign) / n : 0);
        return out;
    }
    return 0;
}

/* floor(a/b) for an integer b > 0 and an a that is no number. */
static shp_dim floor_by_number(shp_dims *t, shp_dim a, int64_t b)
{
    const shp_expr *e = open_at(t, a);
    int64_t g = b;
    for (uint32_t i = 0; i < e->n && e->term[i].mono && g != 1; i++) g = gcd64(g, e->term[i].coef);
    if (g != 1) {           /* floor((2*H + 1)/4) = floor(H/2) */
        a = dim_plus(t, a, -mod64(constant_of(e), g));
        a = a ? dim_shrink(t, a, g) : 0;
        b /= g;
        if (!a || b == 1) return a;
    }
    shp_dim q, r, x;
    if (!pull_out(t, a, b, true, &q, &r)) return 0;
    int64_t lo = shp_dim_lo(t, r), hi = shp_dim_hi(t, r);
    if (lo != INT64_MIN && hi != INT64_MAX && floor64(lo, b) == floor64(hi, b)) return dim_plus(t, q, floor64(lo, b));
    if (open_at(t, r)->is.compound) {
        t->failure = FAIL_NONE;
        shp_dim flat = unnest(t, r, shp_dim_const(t, b));
        if (flat || t->failure) return dim_add(t, q, flat);
    }
    if (!pull_out(t, a, b, false, &q, &r)) return 0;     /* all of a again: q is replaced */
    bool swap = prefer_complement(open_at(t, r), b);
    if (swap) {
        r = dim_complement(t, r, b, &x);
        q = r ? dim_add(t, q, x) : 0;
    }
    shp_dim arg[2] = { r, shp_dim_const(t, b) };
    return dim_sum(t, q, 1, dim_atom(t, ATOM_FLOOR, arg, 2), swap ? -1 : 1);
}

/* floor(a/b) for a b that is no number; what cancels is not 0, since the division is made (R1). */
static shp_dim floor_by_dim(shp_dims *t, shp_dim a, shp_dim b)
{
    shp_dim q, r;
    if (!divmod(t, a, b, &q, &r)) return 0;
    if (r == ZERO) return q;
    int64_t g = gcd64(dim_content(t, r), dim_content(t, b));
    shp_dim both[2] = { r, b };
    uint32_t m = shared_mono(t, both, 2);
    if (g != 1 || m) return dim_add(t, q, dim_floor(t, shrink(t, r, g, m), shrink(t, b, g, m)));
    if (shp_dim_lo(t, b) >= 0) {                /* so b >= 1 */
        if (shp_dim_lo(t, r) >= 0 && shp_dim_ge(t, b, dim_plus(t, r, 1)) == 1) return q;
        t->failure = FAIL_NONE;
        shp_dim flat = open_at(t, r)->is.compound ? unnest(t, r, b) : 0;
        if (flat || t->failure) return dim_add(t, q, flat);
        if (dim_lead(t, r) < 0)   /* floor(-x/b) = -1 - floor((x - 1)/b) */
            return dim_less(t, dim_plus(t, q, -1), dim_floor(t, dim_plus(t, dim_minus(t, r), -1), b));
    }
    shp_dim arg[2] = { r, b };
    return dim_add(t, q, dim_atom(t, ATOM_FLOOR, arg, 2));
}

shp_dim dim_floor(shp_dims *t, shp_dim a, shp_dim b)
{
    const int64_t *number;
    upright(t, &a, &b);
    if (!a || !b || b == ZERO) return 0;
    if (!(number = shp_dim_number(t, b))) {
        if (t->level > MAX_DEPTH) return fail(t, FAIL_LIMIT);
        t->level++;
        shp_dim d = floor_by_dim(t, a, b);
        t->level--;
        return d;
    }
    int64_t y = *number;
    if ((number = shp_dim_number(t, a))) return shp_dim_const(t, floor64(*number, y));
    return y == 1 ? a : floor_by_number(t, a, y);
}

static shp_dim dim_ceil(shp_dims *t, shp_dim a, shp_dim b)
{
    return dim_minus(t, dim_floor(t, dim_minus(t, a), b));
}

static shp_dim dim_mod(shp_dims *t, shp_dim a, shp_dim b)
{
    return dim_less(t, a, dim_times(t, b, dim_floor(t, a, b)));
}

/* ---- Min ---- */

/* Writes the elements of k*Min(…) + rest for each element of that form in place of it. */
static bool flatten_min(shp_dims *t, shp_dim *list, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++) {
        for (shp_atom *x = dim_compound(t, list[i], UINT32_MAX); x; x = dim_compound(t, list[i], x->id)) {
            shp_dim c, rest;
            const int64_t *number;
            if (x->kind != ATOM_MIN || !dim_split(t, list[i], x, &c, &rest) || !(number = shp_dim_number(t, c)) || *number < 0) continue;
            int64_t k = *number;
            if (*n + x->n - 1 > MAX_ARGS) return fail(t, FAIL_LIMIT);
            for (uint32_t j = 0; j < x->n; j++) {
                shp_dim e = dim_sum(t, rest, 1, x->arg[j], k);
                if (!e) return false;
                list[j ? *n + j - 1 : i] = e;
            }
            *n += x->n - 1;
            i--;
            break;
        }
    }
    return true;
}

/* Drops from a list each element that another one, or an earlier one, makes needless; returns its new length. */
static uint32_t drop(shp_dims *t, shp_dim *list, uint32_t n, bool (*needless)(shp_dims *t, shp_dim x, shp_dim other, bool earlier))
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (i == j || !needless(t, list[i], list[j], j < i)) continue;
            memmove(list + i, list + i + 1, (--n - i) * sizeof *list);
            i--;
            break;
        }
    }
    return n;
}

static bool never_below(shp_dims *t, shp_dim x, shp_dim other, bool earlier)
{
    (void)earlier;
    return shp_dim_ge(t, x, other) == 1;
}

/* The smaller coefficient of a and b for each product, 0 where there is none. */
static shp_dim lesser(shp_dims *t, shp_dim a, shp_dim b)
{
    return dim_less(t, a, each(t, dim_less(t, a, b), POSITIVE, 0, 0));
}

/* Min(a + c, b + c) = Min(a, b) + c and Min(k*a, k*b) = k*Min(a, b): what remains has, for each product, 0 as its
 * least coefficient, and no common factor. */
shp_dim dim_min(shp_dims *t, const shp_dim *from, uint32_t n)
{
    shp_dim list[MAX_ARGS];
    if (n > MAX_ARGS) return fail(t, FAIL_LIMIT);
    for (uint32_t i = 0; i < n; i++) if (!(list[i] = from[i])) return 0;
    if (!flatten_min(t, list, &n)) return 0;
    n = drop(t, list, sort_dims(t, list, n), never_below);
    if (n == 1) return list[0];
    shp_dim common = list[0];
    for (uint32_t i = 1; i < n && common; i++) common = lesser(t, common, list[i]);
    int64_t g = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!(list[i] = dim_less(t, list[i], common))) return 0;
        g = gcd64(dim_content(t, list[i]), g);
    }
    uint32_t m = shared_mono(t, list, n);
    if (mono_at(t, m)->is.lo < 0) m = 0;
    for (uint32_t i = 0; i < n; i++) if (!(list[i] = shrink(t, list[i], g, m))) return 0;
    n = sort_dims(t, list, n);
    shp_dim out = dim_atom(t, ATOM_MIN, list, n);
    return dim_add(t, common, dim_times(t, single(t, g, m), out));
}

static shp_dim dim_max(shp_dims *t, shp_dim a, shp_dim b)
{
    shp_dim list[2] = { a, b };
    if (shp_dim_ge(t, a, b) == 1) return a;
    if (shp_dim_ge(t, b, a) == 1) return b;
    return dim_less(t, dim_add(t, a, b), dim_min(t, list, 2));
}

/* ---- broadcast ---- */

/* Whether x is Min(a, …) + rest with a == `of` and every other element >= 2: then x == 1 only where a == 1, and
 * broadcast(x, a) = a. */
static bool min_of(shp_dims *t, shp_dim x, shp_dim of)
{
    for (shp_atom *m = dim_compound(t, x, UINT32_MAX); m; m = dim_compound(t, x, m->id)) {
        shp_dim c, rest;
        if (m->kind != ATOM_MIN || !dim_split(t, x, m, &c, &rest) || c != ONE) continue;
        bool has = false, rest_ok = true;
        for (uint32_t i = 0; i < m->n; i++) {
            shp_dim e = dim_add(t, rest, m->arg[i]);
            if (!e) return false;
            if (e == of) has = true;
            else if (shp_dim_lo(t, e) < 2) rest_ok = false;
        }
        if (has && rest_ok) return true;
    }
    return false;
}

static bool decided(shp_dims *t, shp_dim x, shp_dim by, bool earlier)
{
    return min_of(t, x, by) || (earlier && shp_dim_eq(t, x, by) == 1);
}

/* The arguments of nested broadcasts as one sorted list. */
static bool flatten_broadcast(shp_dims *t, const shp_dim *from, uint32_t n, shp_dim *list, uint32_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!from[i]) return false;
        const shp_atom *x = dim_lone(t, from[i]);
        bool nested = x && x->kind == ATOM_BROADCAST;
        const shp_dim *arg = nested ? x->arg : from + i;
        uint32_t count = nested ? x->n : 1;
        if (*out + count > MAX_ARGS) return fail(t, FAIL_LIMIT);
        for (uint32_t j = 0; j < count; j++) if (arg[j] != ONE) list[(*out)++] = arg[j];
    }
    *out = sort_dims(t, list, *out);
    return true;
}

shp_dim dim_broadcast(shp_dims *t, const shp_dim *from, uint32_t n)
{
    shp_dim list[MAX_ARGS], number = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (from[i] == ONE || from[i] == number || !shp_dim_number(t, from[i])) continue;
        if (number) return 0;                   /* two different ones: a contradiction */
        number = from[i];
    }
    if (number) return number;
    if (!flatten_broadcast(t, from, n, list, &n)) return 0;
    if (n == 0) return ONE;
    for (uint32_t i = 0; i < n; i++)
        if (dim_never_one(t, list[i])) return list[i];
    n = drop(t, list, n, decided);
    return n == 1 ? list[0] : dim_atom(t, ATOM_BROADCAST, list, n);
}

/* ---- the public arithmetic: a failure becomes the fresh symbol of its operands ---- */

shp_dim dim_apply(shp_dims *t, shp_dim_op o, shp_dim a, shp_dim b)
{
    shp_dim list[2] = { a, b };
    switch (o) {
    case SHP_DIM_ADD: return dim_add(t, a, b);
    case SHP_DIM_SUB: return dim_less(t, a, b);
    case SHP_DIM_MUL: return dim_times(t, a, b);
    case SHP_DIM_FLOOR_DIV: return dim_floor(t, a, b);
    case SHP_DIM_CEIL_DIV: return dim_ceil(t, a, b);
    case SHP_DIM_MOD: return dim_mod(t, a, b);
    case SHP_DIM_MIN: return dim_min(t, list, 2);
    case SHP_DIM_MAX: return dim_max(t, a, b);
    default: return dim_broadcast(t, list, 2);
    }
}

/* The fresh symbol that stands for an operation past the limits. */
static shp_dim stand_in(shp_dims *t, shp_dim_op o, shp_dim a, shp_dim b)
{
    if (t->failure == FAIL_OVERFLOW) t->overflow = true;
    bool ordered = o == SHP_DIM_SUB || o == SHP_DIM_FLOOR_DIV || o == SHP_DIM_CEIL_DIV || o == SHP_DIM_MOD;
    if (!ordered && a > b) { shp_dim swap = a; a = b; b = swap; }
    bool size = o != SHP_DIM_SUB && shp_dim_lo(t, a) >= 0 && shp_dim_lo(t, b) >= 0;
    uint64_t key = shp_mix(shp_mix(0x64696d0000000000u + (uint64_t)o, a), b);
    return shp_dim_fresh(t, key, size ? SHP_COUNT : SHP_ANY, &(shp_origin){ 0 });
}

/* Models repeat themselves: what was last asked with this hash. Noted pairs change what broadcast answers. */
static shp_dim remember(shp_dims *t, shp_dim_op o, shp_dim a, shp_dim b)
{
    uint32_t epoch = o == SHP_DIM_BROADCAST ? t->epoch : 0;
    shp_memo *m = t->memo + (((a * 31 + b) * 31 + o) & (MEMO - 1));
    if (m->a == a && m->b == b && m->op == (uint32_t)o && m->epoch == epoch) return m->result;
    shp_dim d = dim_apply(t, o, a, b);
    if (d) *m = (shp_memo){ a, b, (uint32_t)o, epoch, d };
    return d;
}

shp_dim dim_less_again(shp_dims *t, shp_dim a, shp_dim b) { return a && b ? remember(t, SHP_DIM_SUB, a, b) : 0; }

shp_dim shp_dim_operate(shp_dims *t, shp_dim_op o, shp_dim a, shp_dim b)
{
    if (!a || !b) return 0;
    bool small = is_small(a & b);
    int64_t x = small_value(a), y = small_value(b);
    if (small && o <= SHP_DIM_MUL) return shp_dim_const(t, o == SHP_DIM_ADD ? x + y : o == SHP_DIM_SUB ? x - y : x * y);
    t->failure = FAIL_NONE;
    shp_dim d = small ? dim_apply(t, o, a, b) : remember(t, o, a, b);
    return d || t->failure == FAIL_NONE || t->arena->failed ? d : stand_in(t, o, a, b);
}

shp_dim shp_dim_div_exact(shp_dims *t, shp_dim a, shp_dim b)
{
    shp_dim q, r;
    upright(t, &a, &b);
    return a && b && b != ZERO && divmod(t, a, b, &q, &r) && r == ZERO ? q : 0;
}

/* ---- the table and its simplest questions ---- */

shp_dims *shp_dims_new(shp_arena *a, uint32_t terms, uint32_t depth, uint64_t seed)
{
    shp_dims *t = shp_alloc(a, sizeof *t);
    if (!t) return NULL;
    t->arena = a;
    t->seed = seed;
    t->max_terms = terms < 2 ? 2 : terms > MAX_TERMS ? MAX_TERMS : terms;
    t->max_depth = depth > MAX_DEPTH ? MAX_DEPTH : depth;
    shp_mono *unit = shp_alloc(a, sizeof *unit);
    shp_atom *none = shp_alloc(a, sizeof *none);        /* handle 0 is no dim, index 0 no atom */
    shp_expr *nothing = shp_alloc(a, sizeof *nothing);
    if (!unit || !rehash(t) || !push_record(t, &t->monos, unit) || !push_record(t, &t->exprs, nothing) || !push_record(t, &t->atoms, none))
        return NULL;
    unit->is.lo = unit->is.hi = 1;
    nothing->lo_done = nothing->hi_done = true;
    return t;
}

bool *shp_dims_overflow(shp_dims *t) { return &t->overflow; }

const int64_t *shp_dim_number(const shp_dims *t, shp_dim d)
{
    const shp_expr *e = open_at(t, d);
    if (!is_small(d)) return e->n == 1 && !e->term[0].mono ? &e->term[0].coef : NULL;
    ((shp_dims *)t)->number = small_value(d);
    return &t->number;
}

const shp_symbol *shp_dim_symbol(const shp_dims *t, shp_dim d)
{
    const shp_atom *x = dim_lone(t, d);
    return x && x->kind == ATOM_SYMBOL ? &symbol_at(t, x->symbol)->s : NULL;
}

bool shp_dim_has_undeclared(const shp_dims *t, shp_dim d) { return open_at(t, d)->is.undeclared; }

bool shp_dim_any(const shp_dims *t, shp_dim d, bool (*is)(void *arg, const shp_symbol *s), void *arg)
{
    const shp_symset *set = open_at(t, d)->is.symbols;
    for (uint32_t i = 0; set && i < set->n; i++) if (is(arg, &symbol_at(t, set->id[i])->s)) return true;
    return false;
}

static bool is_this(void *arg, const shp_symbol *s) { return arg == s; }

bool shp_dim_mentions(const shp_dims *t, shp_dim d, const shp_symbol *s) { return shp_dim_any(t, d, is_this, (void *)s); }

uint32_t shp_dims_symbols(const shp_dims *t) { return (uint32_t)t->symbols.n; }
const shp_symbol *shp_dims_symbol(const shp_dims *t, uint32_t i) { return &symbol_at(t, i)->s; }
