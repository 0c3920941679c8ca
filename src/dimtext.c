/* dimtext.c - dims as text: print, parse. */
#include "dim_table.h"

#include <string.h>

/* ---- print: what reads better than the canonical form ---- */

/* Terms, and among equals those without a minus: what a form costs the reader. */
static uint32_t cost(const shp_dims *t, shp_dim d)
{
    shp_terms s;
    dim_terms(t, d, &s);
    uint32_t n = 2 * s.n;
    for (uint32_t i = 0; i < s.n; i++) n += s.at[i].coef < 0 && s.at[i].mono;
    return n;
}

/* floor(a/b) as (a - Mod(a, b))/b, times c; 0 where c has no factor b. */
static shp_dim with_mod(shp_dims *t, shp_dim c, const shp_atom *x)
{
    c = shp_dim_div_exact(t, c, x->arg[1]);
    return c ? dim_times(t, c, dim_less(t, x->arg[0], dim_atom(t, ATOM_MOD, x->arg, 2))) : 0;
}

/* floor(a/b) as its complement, times c. */
static shp_dim with_complement(shp_dims *t, shp_dim c, const shp_atom *x)
{
    const int64_t *b = shp_dim_number(t, x->arg[1]);
    if (!b) return 0;
    shp_dim whole, arg[2] = { dim_complement(t, x->arg[0], *b, &whole), x->arg[1] };
    return arg[0] ? dim_times(t, c, dim_less(t, whole, dim_atom(t, ATOM_FLOOR, arg, 2))) : 0;
}

/* Min(a, b) as a + b - Max(a, b), times c. */
static shp_dim with_max(shp_dims *t, shp_dim c, const shp_atom *x)
{
    if (x->n != 2) return 0;
    shp_dim both = dim_add(t, x->arg[0], x->arg[1]);
    return dim_times(t, c, dim_less(t, both, dim_atom(t, ATOM_MAX, x->arg, 2)));
}

/* Min(S, 510) + 2 as Min(S + 2, 512). */
static shp_dim absorb_constant(shp_dims *t, shp_dim d)
{
    const shp_atom *x = dim_compound(t, d, UINT32_MAX);
    shp_dim c, rest, arg[MAX_ARGS];
    if (!x || (x->kind != ATOM_MIN && x->kind != ATOM_MAX) || !dim_split(t, d, x, &c, &rest)
        || c != ONE || rest == ZERO || !shp_dim_number(t, rest)) return d;
    for (uint32_t i = 0; i < x->n; i++) arg[i] = dim_add(t, x->arg[i], rest);
    shp_dim whole = dim_atom(t, x->kind, arg, x->n);
    return whole ? whole : d;
}

/* d with Mod, Max and complements wherever one makes it shorter. */
static shp_dim fold(shp_dims *t, shp_dim d)
{
    static shp_dim (*const ways[])(shp_dims *, shp_dim, const shp_atom *) = { with_mod, with_complement, with_max };
    shp_atom *x = dim_compound(t, d, UINT32_MAX);
    while (x && cost(t, d) > 2) {               /* one term is as short as it gets */
        shp_dim c, rest, best = d;
        if (x->kind <= ATOM_MIN && dim_split(t, d, x, &c, &rest)) {
            for (int i = x->kind == ATOM_MIN ? 2 : 0; i < (x->kind == ATOM_MIN ? 3 : 2); i++) {
                shp_dim other = dim_add(t, rest, ways[i](t, c, x));
                if (other && cost(t, other) < cost(t, best)) best = other;
            }
        }
        d = best;
        x = dim_compound(t, d, x->id);
    }
    return absorb_constant(t, d);
}

/* ---- print: characters ---- */

typedef struct out { shp_dims *t; char *at; size_t cap, len; bool full; } out;

static void put(out *o, const char *text, size_t n)
{
    if (o->full || n > o->cap - o->len) { o->full = true; return; }
    if (n) memcpy(o->at + o->len, text, n);
    o->len += n;
}

static void put_text(out *o, const char *text) { put(o, text, strlen(text)); }

static void put_number(out *o, uint64_t v)
{
    char text[SHP_DIGITS];
    put(o, text, (size_t)(shp_put_number(text, v) - text));
}

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool name_char(char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == ':'; }

static bool identifier(shp_str s)
{
    bool ok = s.len > 0 && letter(s.at[0]);
    for (uint32_t i = 1; ok && i < s.len; i++) ok = name_char(s.at[i]);
    return ok;
}

/* unk__N, N given at first printing; names that the model uses are skipped. */
static void put_unnamed(out *o, shp_symbol *s)
{
    size_t from = o->len;
    bool first = !s->printed;
    do {
        if (first) s->printed = ++o->t->printed;
        o->len = from;
        put_text(o, "unk__");
        put_number(o, s->printed - 1);
    } while (first && dim_find_name(o->t, (shp_str){ o->at + from, (uint32_t)(o->len - from) }));
}

static void put_symbol(out *o, shp_symbol *s, bool alone)
{
    if (!s->name.len) { put_unnamed(o, s); return; }
    bool plain = alone || identifier(s->name);
    if (!plain) put_text(o, "`");
    put(o, s->name.at, s->name.len);
    if (!plain) put_text(o, "`");
}

static void put_dim(out *o, shp_dim d);

/* An argument of a division: in parentheses unless it is one factor, or (numerators) one product. */
static void put_operand(out *o, shp_dim d, bool product)
{
    d = fold(o->t, d);
    bool plain = open_at(o->t, d)->n < 2 && dim_lead(o->t, d) >= 0;
    if (plain && !product) plain = dim_lone(o->t, d) || shp_dim_number(o->t, d);
    if (!plain) put_text(o, "(");
    put_dim(o, d);
    if (!plain) put_text(o, ")");
}

static void put_list(out *o, const char *name, const shp_atom *x, bool nested)
{
    put_text(o, name);
    for (uint32_t i = 0; i < x->n; i++) {
        if (i) put_text(o, nested && i + 1 < x->n ? ", broadcast(" : ", ");
        put_dim(o, x->arg[i]);
    }
    for (uint32_t i = nested ? 1 : x->n - 1; i < x->n; i++) put_text(o, ")");
}

static void put_atom(out *o, const shp_atom *x)
{
    switch (x->kind) {
    case ATOM_SYMBOL: put_symbol(o, &symbol_at(o->t, x->symbol)->s, false); break;
    case ATOM_MIN: put_list(o, "Min(", x, false); break;
    case ATOM_MAX: put_list(o, "Max(", x, false); break;
    case ATOM_MOD: put_list(o, "Mod(", x, false); break;
    case ATOM_BROADCAST: put_list(o, "broadcast(", x, true); break;
    case ATOM_FLOOR:
        put_text(o, "floor(");
        put_operand(o, x->arg[0], true);
        put_text(o, "/");
        put_operand(o, x->arg[1], false);
        put_text(o, ")");
        break;
    }
}

/* |coef|*product. */
static void put_term(out *o, shp_term k)
{
    uint64_t c = k.coef < 0 ? 0 - (uint64_t)k.coef : (uint64_t)k.coef;
    const shp_mono *m = mono_at(o->t, k.mono);
    if (c != 1 || !m->n) put_number(o, c);
    for (uint32_t i = 0; i < m->n && !o->full; i++) {
        if (i || c != 1) put_text(o, "*");
        put_atom(o, atom_at(o->t, m->atom[i]));
    }
}

/* In order, but for a first term with a plus: 512 - S. */
static void put_sum(out *o, shp_dim d)
{
    shp_terms s;
    dim_terms(o->t, d, &s);
    uint32_t first = 0;
    while (first < s.n && s.at[first].coef < 0) first++;
    if (first == s.n) first = 0;
    if (!s.n) put_text(o, "0");
    for (uint32_t i = 0; i < s.n && !o->full; i++) {
        shp_term k = s.at[i == 0 ? first : i <= first ? i - 1 : i];
        put_text(o, k.coef < 0 ? (i ? " - " : "-") : i ? " + " : "");
        put_term(o, k);
    }
}

/* What takes folding is kept as it was printed first: larger dims hold it too. */
static void put_dim(out *o, shp_dim d)
{
    shp_expr *e = open_at(o->t, d);
    size_t from = o->len;
    if (e->text.len) put(o, e->text.at, e->text.len);
    else put_sum(o, fold(o->t, d));
    char *copy = !o->full && !e->text.len && e->is.compound ? shp_alloc(o->t->arena, o->len - from) : NULL;
    if (copy) e->text = (shp_str){ memcpy(copy, o->at + from, o->len - from), (uint32_t)(o->len - from) };
}

bool shp_dim_print(shp_dims *t, shp_dim d, char *text, size_t cap, size_t *len)
{
    if (!d || *len > cap) return false;
    out o = { t, text, cap, *len, false };
    const shp_atom *x = dim_lone(t, d);
    if (x && x->kind == ATOM_SYMBOL) put_symbol(&o, &symbol_at(t, x->symbol)->s, true);
    else put_dim(&o, d);
    *len = o.full ? *len : o.len;
    return !o.full;
}

/* ---- parse: every value is a fraction, whose denominator a floor or an exact division takes away ---- */

enum { QUOTIENT = SHP_DIM_BROADCAST + 1 };      /* an operation of fractions only */
typedef uint64_t fraction;      /* the numerator's handle, then the denominator's; 0: failed */

typedef struct reader {
    shp_dims *t;
    const char *at, *end;
    shp_dim (*lookup)(void *arg, shp_str name);
    void *arg;
    uint32_t depth;
} reader;

static fraction parse(reader *r, int rank);

static char peek(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
    return r->at < r->end ? *r->at : 0;
}

static bool accept(reader *r, char c)
{
    bool is = peek(r) == c;
    r->at += is;
    return is;
}

static fraction over(shp_dim num, shp_dim den) { return num && den ? (fraction)num << 32 | den : 0; }

/* a where it is an integer expression, else 0. */
static shp_dim whole(shp_dims *t, fraction a)
{
    return (shp_dim)a == ONE ? (shp_dim)(a >> 32) : shp_dim_div_exact(t, (shp_dim)(a >> 32), (shp_dim)a);
}

/* An operation of two, or floor and ceil of the first. */
static fraction combine(shp_dims *t, int op, fraction a, fraction b)
{
    shp_dim p = (shp_dim)(a >> 32), q = (shp_dim)a, x = (shp_dim)(b >> 32), y = (shp_dim)b;
    switch (op) {
    case SHP_DIM_ADD: case SHP_DIM_SUB:
        return over(dim_sum(t, dim_times(t, p, y), 1, dim_times(t, x, q), op == SHP_DIM_ADD ? 1 : -1), dim_times(t, q, y));
    case SHP_DIM_MUL: return over(dim_times(t, p, x), dim_times(t, q, y));
    case QUOTIENT: return x == ZERO ? 0 : over(dim_times(t, p, y), dim_times(t, q, x));
    case SHP_DIM_FLOOR_DIV: case SHP_DIM_CEIL_DIV: break;
    default:
        p = whole(t, a);
        q = whole(t, b);
    }
    return p && q ? over(dim_apply(t, (shp_dim_op)op, p, q), ONE) : 0;
}

static fraction parse_number(reader *r)
{
    int64_t v = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        if (!mul64(v, 10, &v) || !add64(v, *r->at++ - '0', &v)) return 0;
    if (r->at < r->end && name_char(*r->at)) return 0;         /* 16H, 0.5 */
    return over(shp_dim_const(r->t, v), ONE);
}

/* The operation of that name, below 0 for none: 'A' and its number stand before each. */
static int op_of(const char *name, size_t len)
{
    const char *p = "A+\0B-\0C*\0DMin\0Dmin\0EMax\0Emax\0Ffloor\0Gceil\0Gceiling\0H%\0HMod\0Hmod\0Ibroadcast\0J/\0";
    while (*p && !shp_str_is((shp_str){ name, (uint32_t)len }, p + 1)) p += strlen(p) + 1;
    return *p - 'A';
}

/* What stands between the parentheses of a call. */
static fraction parse_call(reader *r, int op)
{
    bool one = op == SHP_DIM_FLOOR_DIV || op == SHP_DIM_CEIL_DIV, two = op == SHP_DIM_MOD;
    fraction a = parse(r, 0);
    uint32_t n = 1;
    for (; a && accept(r, ','); n++) a = one || (two && n > 1) ? 0 : combine(r->t, op, a, parse(r, 0));
    if (!accept(r, ')') || (two && n == 1)) return 0;
    return one ? combine(r->t, op, a, 0) : a;
}

static fraction parse_name(reader *r, bool quoted)
{
    const char *from = r->at;
    while (r->at < r->end && (quoted ? *r->at != '`' : name_char(*r->at))) r->at++;
    shp_str name = { from, (uint32_t)(r->at - from) };
    if (quoted && !accept(r, '`')) return 0;
    int op = quoted ? -1 : op_of(name.at, name.len);
    return op >= 0 && accept(r, '(') ? parse_call(r, op) : over(r->lookup(r->arg, name), ONE);
}

static fraction parse_primary(reader *r)
{
    char c = peek(r);
    if (c >= '0' && c <= '9') return parse_number(r);
    if (letter(c)) return parse_name(r, false);
    if (accept(r, '`')) return parse_name(r, true);
    fraction a = accept(r, '(') ? parse(r, 0) : 0;
    return a && accept(r, ')') ? a : 0;
}

/* Signs and powers: -x**2 is -(x**2). */
static fraction parse_factor(reader *r)
{
    bool minus = false;
    for (char c; (c = peek(r)) == '-' || c == '+'; r->at++) minus ^= c == '-';
    fraction base = parse_primary(r), unit = over(ONE, ONE);
    if (base && peek(r) == '*' && r->at + 1 < r->end && r->at[1] == '*') {
        r->at += 2;
        fraction x = base;
        const int64_t *n = shp_dim_number(r->t, whole(r->t, parse_primary(r)));
        if (!n || *n < 0 || *n > 64) return 0;
        base = unit;
        for (int64_t k = *n; k > 0; k--) base = combine(r->t, SHP_DIM_MUL, base, x);
    }
    return minus ? combine(r->t, SHP_DIM_SUB, over(ZERO, ONE), base) : base;
}

/* A sum (rank 0), a product (1) or a factor (2). What fails is 0 to the end. */
static fraction parse(reader *r, int rank)
{
    if (rank == 2) return parse_factor(r);
    if (r->depth >= 2 * MAX_DEPTH) return 0;
    r->depth++;
    fraction a = parse(r, rank + 1);
    while (a && peek(r)) {
        int op = op_of(r->at, 1);
        if (op < 0 || rank != (op > SHP_DIM_SUB)) break;
        bool floor = ++r->at < r->end && op == QUOTIENT && *r->at == '/';
        r->at += floor;
        a = combine(r->t, op, a, parse(r, rank + 1));
        if (floor) a = combine(r->t, SHP_DIM_FLOOR_DIV, a, 0);
    }
    r->depth--;
    return a;
}

shp_dim shp_dim_parse(shp_dims *t, shp_str text, shp_dim (*lookup)(void *arg, shp_str name), void *arg)
{
    reader r = { t, text.at, text.at + text.len, lookup, arg, 0 };
    fraction a = parse(&r, 0);
    return r.at == r.end ? whole(t, a) : 0;
}
