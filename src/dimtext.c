/* dimtext.c - dims as text and as numbers: print, parse, evaluate. */
#include "dim_table.h"

#include <string.h>

/* ---- print: what reads better than the canonical form ---- */

/* Terms, and among equals those without a minus: what a form costs the reader. */
static uint32_t cost(const shp_dims *t, shp_dim d)
{
    const shp_expr *e = expr_at(t, d);
    uint32_t n = 2 * e->n;
    for (uint32_t i = 0; i < e->n; i++) n += e->term[i].coef < 0 && e->term[i].mono;
    return n;
}

/* floor(a/b) as (a - Mod(a, b))/b, times c; 0 where c has no factor b. */
static shp_dim with_mod(shp_dims *t, shp_dim c, const shp_atom *x)
{
    c = shp_dim_div_exact(t, c, x->arg[1]);
    return c ? dim_times(t, c, dim_sum(t, x->arg[0], 1, dim_atom(t, ATOM_MOD, x->arg, 2), -1)) : 0;
}

/* floor(a/b) as its complement, times c. */
static shp_dim with_complement(shp_dims *t, shp_dim c, const shp_atom *x)
{
    int64_t b;
    if (!shp_dim_number(t, x->arg[1], &b)) return 0;
    shp_dim whole, arg[2] = { dim_complement(t, x->arg[0], b, &whole), x->arg[1] };
    return arg[0] ? dim_times(t, c, dim_sum(t, whole, 1, dim_atom(t, ATOM_FLOOR, arg, 2), -1)) : 0;
}

/* Min(a, b) as a + b - Max(a, b), times c. */
static shp_dim with_max(shp_dims *t, shp_dim c, const shp_atom *x)
{
    if (x->n != 2) return 0;
    shp_dim both = dim_sum(t, x->arg[0], 1, x->arg[1], 1);
    return dim_times(t, c, dim_sum(t, both, 1, dim_atom(t, ATOM_MAX, x->arg, 2), -1));
}

/* Min(S, 510) + 2 as Min(S + 2, 512). */
static shp_dim absorb_constant(shp_dims *t, shp_dim d)
{
    const shp_atom *x = dim_compound(t, d, UINT32_MAX);
    shp_dim c, rest, arg[MAX_ARGS];
    if (!x || (x->kind != ATOM_MIN && x->kind != ATOM_MAX) || !dim_split(t, d, x, &c, &rest)
        || c != t->one || rest == t->zero || !shp_dim_number(t, rest, NULL)) return d;
    for (uint32_t i = 0; i < x->n; i++) arg[i] = dim_sum(t, x->arg[i], 1, rest, 1);
    shp_dim whole = dim_atom(t, x->kind, arg, x->n);
    return whole ? whole : d;
}

/* d with Mod, Max and complements wherever one makes it shorter. */
static shp_dim fold(shp_dims *t, shp_dim d)
{
    static shp_dim (*const ways[])(shp_dims *, shp_dim, const shp_atom *) = { with_mod, with_complement, with_max };
    shp_atom *x = dim_compound(t, d, UINT32_MAX);
    while (x) {
        shp_dim c, rest, best = d;
        if (x->kind <= ATOM_MIN && dim_split(t, d, x, &c, &rest)) {
            for (int i = x->kind == ATOM_MIN ? 2 : 0; i < (x->kind == ATOM_MIN ? 3 : 2); i++) {
                shp_dim other = dim_sum(t, rest, 1, ways[i](t, c, x), 1);
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

static size_t digits(uint64_t v, char text[20])
{
    size_t n = 0;
    char reversed[20];
    do reversed[n++] = (char)('0' + v % 10); while (v /= 10);
    for (size_t i = 0; i < n; i++) text[i] = reversed[n - 1 - i];
    return n;
}

static void put_number(out *o, uint64_t v)
{
    char text[20];
    put(o, text, digits(v, text));
}

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool name_char(char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == ':'; }

static bool identifier(shp_str s)
{
    bool ok = s.len > 0 && letter(s.at[0]);
    for (uint32_t i = 1; ok && i < s.len; i++) ok = name_char(s.at[i]);
    return ok;
}

/* The number N of unk__N, given at first printing; names that the model uses are skipped. */
static uint32_t number_of(shp_dims *t, shp_symbol *s)
{
    while (!s->printed) {
        char text[25] = "unk__";
        uint32_t n = t->printed++;
        if (!dim_find_name(t, (shp_str){ text, (uint32_t)(5 + digits(n, text + 5)) })) s->printed = n + 1;
    }
    return s->printed - 1;
}

static void put_symbol(out *o, shp_symbol *s, bool alone)
{
    if (!s->name.len) {
        put_text(o, "unk__");
        put_number(o, number_of(o->t, s));
        return;
    }
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
    const shp_expr *e = expr_at(o->t, d);
    bool plain = e->n < 2 && (!e->n || e->term[0].coef > 0);
    if (plain && !product) plain = dim_lone(o->t, d) || shp_dim_number(o->t, d, NULL);
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
static void put_dim(out *o, shp_dim d)
{
    d = fold(o->t, d);
    const shp_expr *e = expr_at(o->t, d);
    uint32_t first = 0;
    while (first < e->n && e->term[first].coef < 0) first++;
    if (first == e->n) first = 0;
    if (!e->n) put_text(o, "0");
    for (uint32_t i = 0; i < e->n && !o->full; i++) {
        shp_term k = e->term[i == 0 ? first : i <= first ? i - 1 : i];
        put_text(o, k.coef < 0 ? (i ? " - " : "-") : i ? " + " : "");
        put_term(o, k);
    }
}

bool shp_dim_print(shp_dims *t, shp_dim d, char *text, size_t cap, size_t *len)
{
    if (!d || *len > cap) return false;
    out o = { t, text, cap, *len, false };
    const shp_atom *x = dim_lone(t, d);
    if (x && x->kind == ATOM_SYMBOL) put_symbol(&o, &symbol_at(t, x->symbol)->s, true);
    else put_dim(&o, d);
    if (!o.full) *len = o.len;
    return !o.full;
}

/* ---- parse: every value is a fraction, whose denominator a floor or an exact division takes away ---- */

typedef struct fraction { shp_dim num, den; } fraction;     /* num 0: failed */

typedef struct reader {
    shp_dims *t;
    const char *at, *end;
    shp_dim (*lookup)(void *arg, shp_str name);
    void *arg;
    uint32_t depth;
} reader;

static const fraction FAILED = { 0, 0 };

static fraction parse_sum(reader *r);

static char peek(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
    return r->at < r->end ? *r->at : 0;
}

static bool accept(reader *r, char c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

static fraction plus(shp_dims *t, fraction a, fraction b, int64_t sign)
{
    if (!a.num || !b.num) return FAILED;
    if (a.den == b.den) return (fraction){ dim_sum(t, a.num, 1, b.num, sign), a.den };
    return (fraction){ dim_sum(t, dim_times(t, a.num, b.den), 1, dim_times(t, b.num, a.den), sign),
                       dim_times(t, a.den, b.den) };
}

static fraction times(shp_dims *t, fraction a, fraction b)
{
    return (fraction){ dim_times(t, a.num, b.num), dim_times(t, a.den, b.den) };
}

static fraction over(shp_dims *t, fraction a, fraction b)
{
    return b.num == t->zero ? FAILED : (fraction){ dim_times(t, a.num, b.den), dim_times(t, a.den, b.num) };
}

/* a where it is an integer expression, else 0. */
static shp_dim whole(shp_dims *t, fraction a)
{
    return !a.num || !a.den ? 0 : a.den == t->one ? a.num : shp_dim_div_exact(t, a.num, a.den);
}

static fraction floored(shp_dims *t, fraction a) { return (fraction){ dim_floor(t, a.num, a.den), t->one }; }

static fraction modulo(shp_dims *t, fraction a, fraction b)
{
    return plus(t, a, times(t, b, floored(t, over(t, a, b))), -1);
}

static fraction parse_number(reader *r)
{
    int64_t v = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        if (!mul64(v, 10, &v) || !add64(v, *r->at++ - '0', &v)) return FAILED;
    if (r->at < r->end && name_char(*r->at)) return FAILED;         /* 16H, 0.5 */
    return (fraction){ shp_dim_const(r->t, v), r->t->one };
}

enum function { FLOOR, CEIL, MIN, MAX, MOD, BROADCAST, NO_FUNCTION };

static enum function function_of(shp_str s)
{
    static const struct { const char *name; enum function f; } table[] = {
        { "floor", FLOOR }, { "ceil", CEIL }, { "ceiling", CEIL }, { "Min", MIN }, { "min", MIN }, { "Max", MAX },
        { "max", MAX }, { "Mod", MOD }, { "mod", MOD }, { "broadcast", BROADCAST },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) if (shp_str_is(s, table[i].name)) return table[i].f;
    return NO_FUNCTION;
}

static fraction combine(shp_dims *t, enum function f, fraction a, fraction b)
{
    if (f == MOD) return modulo(t, a, b);
    shp_dim list[2] = { whole(t, a), whole(t, b) };
    if (!list[0] || !list[1]) return FAILED;
    return (fraction){ f == MIN ? dim_min(t, list, 2) : f == MAX ? dim_max(t, list[0], list[1])
                                : dim_broadcast(t, list, 2), t->one };
}

/* What stands between the parentheses of a call. */
static fraction parse_call(reader *r, enum function f)
{
    fraction a = parse_sum(r);
    uint32_t n = 1;
    for (; a.num && accept(r, ','); n++) a = f < MIN || (f == MOD && n > 1) ? FAILED : combine(r->t, f, a, parse_sum(r));
    if (!a.num || !accept(r, ')') || (f == MOD && n == 1)) return FAILED;
    if (f == FLOOR) return floored(r->t, a);
    return f == CEIL ? (fraction){ dim_ceil(r->t, a.num, a.den), r->t->one } : a;
}

static fraction parse_name(reader *r, bool quoted)
{
    const char *from = r->at;
    while (r->at < r->end && (quoted ? *r->at != '`' : name_char(*r->at))) r->at++;
    shp_str name = { from, (uint32_t)(r->at - from) };
    if (quoted && !accept(r, '`')) return FAILED;
    enum function f = quoted ? NO_FUNCTION : function_of(name);
    if (f != NO_FUNCTION && accept(r, '(')) return parse_call(r, f);
    return (fraction){ r->lookup(r->arg, name), r->t->one };
}

static fraction parse_primary(reader *r)
{
    char c = peek(r);
    if (c >= '0' && c <= '9') return parse_number(r);
    if (accept(r, '`')) return parse_name(r, true);
    if (letter(c)) return parse_name(r, false);
    if (!accept(r, '(')) return FAILED;
    fraction a = parse_sum(r);
    return accept(r, ')') ? a : FAILED;
}

/* Signs and powers: -x**2 is -(x**2). */
static fraction parse_factor(reader *r)
{
    int64_t sign = 1, n;
    while (peek(r) == '-' || peek(r) == '+') if (*r->at++ == '-') sign = -sign;
    fraction base = parse_primary(r);
    if (base.num && peek(r) == '*' && r->at + 1 < r->end && r->at[1] == '*') {
        r->at += 2;
        fraction power = parse_primary(r), x = base;
        if (!power.num || !shp_dim_number(r->t, power.num, &n) || n < 0 || n > 64) return FAILED;
        base = (fraction){ r->t->one, r->t->one };
        while (n-- > 0 && base.num) base = times(r->t, base, x);
    }
    return sign < 0 ? (fraction){ dim_sum(r->t, base.num, -1, r->t->zero, 0), base.den } : base;
}

static fraction parse_product(reader *r)
{
    fraction a = parse_factor(r);
    while (a.num && a.den) {
        if (accept(r, '*')) a = times(r->t, a, parse_factor(r));
        else if (accept(r, '%')) a = modulo(r->t, a, parse_factor(r));
        else if (!accept(r, '/')) return a;
        else if (r->at < r->end && *r->at == '/') { r->at++; a = floored(r->t, over(r->t, a, parse_factor(r))); }
        else a = over(r->t, a, parse_factor(r));
    }
    return FAILED;
}

static fraction parse_sum(reader *r)
{
    if (r->depth >= MAX_DEPTH) return FAILED;
    r->depth++;
    fraction a = parse_product(r);
    while (a.num && (peek(r) == '+' || peek(r) == '-')) {
        int64_t sign = *r->at++ == '+' ? 1 : -1;
        a = plus(r->t, a, parse_product(r), sign);
    }
    r->depth--;
    return a.den ? a : FAILED;
}

shp_dim shp_dim_parse(shp_dims *t, shp_str text, shp_dim (*lookup)(void *arg, shp_str name), void *arg)
{
    reader r = { t, text.at, text.at + text.len, lookup, arg, 0 };
    fraction a = parse_sum(&r);
    return a.num && r.at == r.end ? whole(t, a) : 0;
}

/* ---- evaluate ---- */

typedef struct point { bool (*value)(void *arg, const shp_symbol *s, int64_t *v); void *arg; } point;

static bool eval_dim(const shp_dims *t, shp_dim d, const point *p, int64_t *v);

static bool floor_div(int64_t a, int64_t b, int64_t *q)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *q = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

static bool eval_atom(const shp_dims *t, const shp_atom *x, const point *p, int64_t *v)
{
    int64_t y;
    if (x->kind == ATOM_SYMBOL) return p->value(p->arg, &symbol_at(t, x->symbol)->s, v);
    if (!eval_dim(t, x->arg[0], p, v)) return false;
    for (uint32_t i = 1; i < x->n; i++) {
        if (!eval_dim(t, x->arg[i], p, &y)) return false;
        switch (x->kind) {
        case ATOM_FLOOR: return floor_div(*v, y, v);
        case ATOM_MIN: if (y < *v) *v = y; break;
        case ATOM_BROADCAST:
            if (*v != y && *v != 1 && y != 1) return false;
            if (*v == 1) *v = y;
            break;
        default: return false;      /* print-only atoms are in no dim that callers hold */
        }
    }
    return true;
}

static bool eval_dim(const shp_dims *t, shp_dim d, const point *p, int64_t *v)
{
    const shp_expr *e = expr_at(t, d);
    int64_t sum = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const shp_mono *m = mono_at(t, e->term[i].mono);
        int64_t product = e->term[i].coef, factor;
        for (uint32_t j = 0; j < m->n; j++)
            if (!eval_atom(t, atom_at(t, m->atom[j]), p, &factor) || !mul64(product, factor, &product)) return false;
        if (!add64(sum, product, &sum)) return false;
    }
    *v = sum;
    return true;
}

bool shp_dim_eval(shp_dims *t, shp_dim d, bool (*value)(void *arg, const shp_symbol *s, int64_t *v), void *arg, int64_t *result)
{
    point p = { value, arg };
    return d && eval_dim(t, d, &p, result);
}
