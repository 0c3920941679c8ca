#include "index.h"
#include "nn.h"

#include <string.h>

/* Element arithmetic. Integers and symbolic floats go through dims; float constants through doubles, rounded to the element type
 * after each step (innocuous for + - * / and sqrt of at most 24 significand bits). A symbolic float is a quotient num/den that the
 * float arithmetic of a run agrees with, for sizes below 2^18; ROUGH marks one that agrees only as far as floor goes:
 * where it is a whole number, the run may have it an ulp higher. */

enum { UNKNOWN = 0, ROUGH = 1 << 19 };
static const int64_t EXACT = 1 << 18;   /* R2e: sizes in float32 are below this */

shp_elem shp_elem_int(shp_node *n, int64_t v) { return shp_elem_dim(num(n, v)); }

shp_elem shp_elem_real(double v)
{
    uint64_t bits = (uint64_t)0x7ff8 << 48;     /* the one NaN */
    if (v == v) memcpy(&bits, &v, sizeof bits);
    return ~bits;
}

double shp_elem_value(shp_elem e)
{
    double v;
    e = ~e;
    memcpy(&v, &e, sizeof v);
    return v;
}

static bool is_rough(shp_elem e) { return (e >> 32 & ROUGH) != 0; }

bool shp_elem_is_num(shp_node *n, shp_elem e) { return shp_is_num(n, shp_elem_whole(e)); }

bool shp_elem_is_number(shp_node *n, shp_elem e)
{
    int64_t i;
    if (shp_elem_is_real(e)) n->real = shp_elem_value(e);
    else if (is_num(n, shp_elem_num(e), &i)) n->real = (double)i / shp_elem_den(e);
    else return false;
    return true;
}

/* ---- doubles ---- */
static bool small(double v) { return v > -0x1p62 && v < 0x1p62; }
static double truncated(double v)   /* -0 stays what it is */
{
    double t = small(v) ? (double)(int64_t)v : v;
    return t == v ? v : t;
}
static double floored(double v) { double t = truncated(v); return t > v ? t - 1 : t; }
static double nearest(double v)     /* ties to even */
{
    if (v < 0) return -nearest(-v);
    double f = floored(v), d = v - f;
    return d < 0.5 || (d == 0.5 && truncated(f / 2) * 2 == f) ? f : f + (d > 0);
}

static double power(double v, int64_t e)
{
    double r = 1;
    if (e < 0) return 1 / power(v, -e);
    for (; e > 0; e >>= 1, v *= v)
        if (e & 1) r *= v;
    return r;
}

/* Newton's steps come down to the root from above. */
static double root(double v)
{
    if (!(v > 0) || v - v != 0) return v == 0 || v > 0 ? v : 0 / 0.0;
    double r = v > 1 ? v : 1;
    for (double s; (s = (r + v / r) / 2) < r;) r = s;
    return r;
}

/* v with `bits` significand bits and no bit below 2^lowest. */
static double significand(double v, int bits, int lowest, double most)
{
    double unit = power(2, lowest), a = v < 0 ? -v : v;
    if (a > most * 2) return v / 0.0;
    while (a >= unit * power(2, bits)) unit *= 2;
    v = nearest(v / unit) * unit;
    return v > most ? 1 / 0.0 : v < -most ? -1 / 0.0 : v;
}

/* v as an element of that type. */
static shp_elem real(int dtype, double v)
{
    switch (dtype) {
    case SHP_DOUBLE: break;
    case SHP_FLOAT: v = (double)(float)v; break;
    case SHP_FLOAT16: v = significand(v, 11, -24, 65504); break;
    case SHP_BFLOAT16: v = significand((double)(float)v, 8, -133, 0x1.fep127); break;
    default: return UNKNOWN;    /* eight bits and less: nothing computes sizes with them */
    }
    return shp_elem_real(v);
}

/* ---- dims ---- */
static shp_dim negated(shp_node *n, shp_dim d) { return sub(n, lit(0), d); }
static bool power_of_2(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

static bool is_data(void *arg, const shp_symbol *s)
{
    (void)arg;
    return s->kind == SHP_ANY || s->kind == SHP_FLAG;
}

/* Whether assumptions about d are worth recording: it is made of sizes, or it is the one element of a tensor, as sizes come, or the rule makes
 * a size of it, before its output has a shape. An element of a tensor of data gets none. */
static bool like_a_size(shp_node *n, shp_dim d)
{
    const shp_shape *s = n->nout ? n->out[0].shape : NULL;
    if (!s || !shp_dim_any(n->dims, d, is_data, NULL)) return true;
    for (int32_t k = 0; k < s->rank; k++)
        if (!is(n, s->dim[k], 1)) return false;
    return true;
}

/* Integer division, which truncates: floor where the numerator is not negative (R2b). */
static shp_dim divided(shp_node *n, shp_dim a, shp_dim b)
{
    int64_t x, y;
    if (!a || !b || is(n, b, 0)) return 0;
    if (is_num(n, b, &y)) {
        if (is_num(n, a, &x)) return y == -1 ? negated(n, a) : num(n, x / y);
        if (y < 0) return y == INT64_MIN ? 0 : negated(n, divided(n, a, num(n, -y)));      /* the assumption is about a, whatever the sign of b */
    }
    shp_dim q = div_exact(n, a, b);
    if (q) return q;
    if (lo(n, b) < 0 && !shp_at_least(n, b, 0, "division")) return 0;
    if (hi(n, a) <= 0) return negated(n, floor_div(n, negated(n, a), b));
    if (lo(n, a) < 0 && !shp_at_least(n, a, 0, "division")) {
        if (!like_a_size(n, a)) return 0;
        shp_assume(n, a, lit(0), "division");
    }
    return floor_div(n, a, b);
}

/* Assumes of d, on both sides of 0 or above it alone, that it is at most `most`, where that is not known (sizes: of what sizes may make). false: d is
 * nothing to assume that of. */
static bool assumed_small(shp_node *n, shp_dim d, bool both, int64_t most, bool sizes, const char *reason)
{
    for (int side = 0; side <= both; side++) {
        shp_dim up = side ? negated(n, d) : d;
        if (sizes ? shp_dim_within(n->dims, up) : hi(n, up) <= most) continue;
        if (!like_a_size(n, d)) return false;
        shp_assume(n, num(n, most), up, reason);
    }
    return true;
}

/* An integer result, unknown where its type cannot hold it. */
static shp_elem fitted(shp_node *n, int dtype, shp_dim d)
{
    int bits = shp_dtype_bits(dtype);
    if (!d) return UNKNOWN;
    bool natural = shp_dtype_kind(dtype) == 'U';
    int64_t most = bits < 64 ? ((int64_t)1 << (natural ? bits : bits - 1)) - 1 : INT64_MAX, least = natural ? 0 : -most - 1;
    bool exact = bits < 32 || shp_is_num(n, d);       /* larger types are taken to hold what sizes make */
    if (bits == 32 && !exact && !assumed_small(n, d, !natural, most, true, shp_dtype_name(dtype))) return UNKNOWN;       /* 32 bits hold a size */
    return (exact ? lo(n, d) >= least && hi(n, d) <= most : !natural || lo(n, d) >= 0) ? shp_elem_dim(d) : UNKNOWN;
}

/* ---- quotients ---- */
/* An element as an exact quotient, where it is one: a constant, too. */
static shp_elem exact(shp_node *n, shp_elem e)
{
    if (!shp_elem_is_real(e)) return is_rough(e) ? UNKNOWN : e;
    double v = shp_elem_value(e);
    for (uint64_t den = 1; den <= 1024; den *= 2, v *= 2)
        if (truncated(v) == v && v > -0x1p53 && v < 0x1p53) return den << 32 | num(n, (int64_t)v);
    return UNKNOWN;
}

/* The numerator of p over the denominators of both. */
static shp_dim across(shp_node *n, shp_elem p, shp_elem q) { return mul(n, shp_elem_num(p), num(n, shp_elem_den(q))); }

/* p/q as an element, in lowest terms. */
static shp_elem quotient(shp_node *n, int dtype, shp_dim p, int64_t q)
{
    int64_t v;
    if (!p || q <= 0) return UNKNOWN;
    if (is_num(n, p, &v)) return real(dtype, (double)v / (double)q);
    if (q > SHP_DEN_MAX || (dtype != SHP_FLOAT && dtype != SHP_DOUBLE)) return UNKNOWN;
    for (int64_t f = 2, left = q; left > 1; f++) {
        if (f * f > left) f = left;
        for (; left % f == 0; left /= f) {
            shp_dim d = div_exact(n, p, num(n, f));
            if (d) p = d, q /= f;
        }
    }
    return (uint64_t)q << 32 | p;
}

/* The fraction p/q with q <= 1000 whose nearest float is v > 0: by continued fractions. */
static bool fraction(int dtype, double v, int64_t *p, int64_t *q)
{
    int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    double x = v;
    for (int i = 0; i < 20 && x < 0x1p20; i++) {
        int64_t a = (int64_t)x, p2 = a * p1 + p0, q2 = a * q1 + q0;
        if (q2 > 1000 || p2 > 1 << 20) return false;
        p0 = p1, q0 = q1, p1 = *p = p2, q1 = *q = q2;
        if (real(dtype, (double)p2 / (double)q2) == shp_elem_real(v)) return true;
        if (x == (double)a) return false;
        x = 1 / (x - (double)a);
    }
    return false;
}

/* Whether h*c (or h/c) in floating point is h*p/q: 0 not even its floor, 1 the floor only, 2 in full. */
static int agrees_at(int dtype, double c, bool divide, int64_t p, int64_t q, int64_t h)
{
    double v = divide ? (double)h / c : (double)h * c, whole = (double)(h * p / q);
    if (dtype == SHP_FLOAT) v = (double)(float)v;
    return v < whole || v >= whole + 1 ? 0 : (h * p % q == 0) == (v == whole) ? 2 : 1;
}

/* The least of that for every h < 2^18 (EXACT). Two roundings move a float32 by less than 2^-22 of it, so only rests near 0 or q may fail.
 * Among sizes of one rest the error grows evenly as long as the result's exponent stays: the ends of each such range decide, two at
 * its upper end, since a tie goes to the even one. */
static int agreement(int dtype, double c, bool divide, int64_t p, int64_t q)
{
    int best = 2;
    int64_t most = EXACT - 1, near = dtype == SHP_FLOAT ? p / 16 : 0, rest = 0;
    if (power_of_2(q) && !divide && p <= 64) return best;
    for (int64_t first = 1; first <= q && first <= most; first++) {
        rest = (rest + p) % q;
        if (rest > near && q - rest > near) continue;
        int64_t last = most - (most - first) % q;
        for (int64_t top = q, end = 0; end < most; top *= 2) {
            end = (top - 1) / p < most ? (top - 1) / p : most;      /* the last h whose result is below a power of 2 */
            for (int64_t i = -1; i < 2; i++) {
                int64_t h = end - (end - first) % q + i * q;
                int as = agrees_at(dtype, c, divide, p, q, h < first ? first : h > last ? last : h);
                if (as < best) best = as;
                if (!best) return 0;
            }
        }
    }
    return best;
}

/* A symbolic float times (or over) a constant. */
static shp_elem scaled(shp_node *n, int dtype, shp_dim a, int64_t den, double c, bool divide)
{
    int64_t p, q;
    if (c < 0) return scaled(n, dtype, negated(n, a), den, -c, divide);    /* its lo < 0: exact or unknown */
    if (c == 0 && !divide) return real(dtype, 0);
    if (!(c > 0) || !fraction(dtype, c, &p, &q)) return UNKNOWN;
    bool power = power_of_2(p) && power_of_2(q), whole = divide && q == 1;
    if (divide) { int64_t t = p; p = q; q = t; }
    int agrees = 2;
    if (!power && !whole) {
        if (!power_of_2(den)) return UNKNOWN;
        int64_t most = EXACT - 1, odd = p / (p & -p);
        if (!divide && q * den == 1 && odd < 256) most = odd > 63 ? ((1 << 24) - 1) / odd : most;   /* exact, and more than 2^16 */
        else agrees = agreement(dtype, divide ? c * (double)den : c / (double)den, divide, p, q * den);
        if (!agrees || (agrees == 1 && lo(n, a) < 0)) return UNKNOWN;
        if (hi(n, a) > most) shp_assume(n, num(n, most), a, "float32");
    }
    shp_elem r = quotient(n, dtype, mul(n, a, num(n, p)), den * q);
    return agrees == 1 && shp_elem_den(r) > 0 ? r | (uint64_t)ROUGH << 32 : r;
}

/* ---- comparisons ---- */
/* 1 a >= b, 0 a < b, -1 undecided (or unordered); likewise equality. */
static int compared(shp_node *n, shp_elem a, shp_elem b, bool equal)
{
    double v = shp_elem_value(a), w = shp_elem_value(b);
    if (shp_elem_is_real(a) && shp_elem_is_real(b)) return equal ? v == w : v >= w ? 1 : v < w ? 0 : -1;
    a = exact(n, a);
    b = exact(n, b);
    if (!a || !b) return -1;
    shp_dim x = across(n, a, b), y = across(n, b, a);
    return equal ? shp_dim_eq(n->dims, x, y) : ge(n, x, y);
}

int shp_elem_ge(shp_node *n, shp_elem a, shp_elem b) { return compared(n, a, b, false); }
int shp_elem_eq(shp_node *n, shp_elem a, shp_elem b) { return compared(n, a, b, true); }

static shp_elem not(shp_node *n, shp_elem a) { return shp_elem_dim(sub(n, lit(1), shp_elem_num(a))); }

/* Whether a >= b, or a == b, as a bool: 0 or 1 where the ranges decide, else an expression that is one of the two, as long as it is made of
 * sizes: Min(Max(d + 1, 0), 1) for a difference d, and 1 - Min(|d|, 1). So `floor_divide` in whole numbers comes out exact. */
static shp_elem indicator(shp_node *n, shp_elem a, shp_elem b, bool equal)
{
    int decided = compared(n, a, b, equal);
    if (decided >= 0) return shp_elem_int(n, decided);
    a = exact(n, a);
    b = exact(n, b);
    shp_dim one = lit(1), zero = lit(0);
    shp_dim d = a && b ? sub(n, across(n, a, b), across(n, b, a)) : 0;
    if (!d || !like_a_size(n, d)) return UNKNOWN;
    if (equal) return not(n, shp_elem_dim(dim_min(n, dim_max(n, d, negated(n, d)), one)));
    if (shp_assumed(n, d)) return shp_elem_dim(one);
    if (shp_assumed(n, sub(n, lit(-1), d))) return shp_elem_dim(zero);
    return shp_elem_dim(dim_min(n, dim_max(n, add(n, d, one), zero), one));
}

shp_elem shp_elem_choose(shp_node *n, shp_elem flag, shp_elem a, shp_elem b)
{
    shp_dim t = shp_elem_num(flag), x = shp_elem_whole(a), y = shp_elem_whole(b);
    int64_t yes;
    if (a == b || (shp_elem_is_int(n, flag, &yes) && yes)) return a;
    if (shp_is_num(n, t)) return b;
    if (!t || !x || !y) return UNKNOWN;
    shp_elem ge = indicator(n, a, b, false), le = indicator(n, b, a, false);
    if (flag == ge || flag == not(n, le)) return shp_elem_dim(dim_max(n, x, y));
    if (flag == le || flag == not(n, ge)) return shp_elem_dim(dim_min(n, x, y));
    if (shp_dim_has_undeclared(n->dims, t) || shp_dim_has_undeclared(n->dims, x) || shp_dim_has_undeclared(n->dims, y)) return UNKNOWN;
    return shp_elem_dim(add(n, y, mul(n, t, sub(n, x, y))));
}

/* And, Or, Xor: where one flag decides, or one excludes the other; else the lesser, the greater, the difference of the two, if they are made
 * of sizes. */
static shp_elem logical(shp_node *n, shp_calc op, shp_elem p, shp_elem q)
{
    shp_dim a = shp_elem_num(p), b = shp_elem_num(q);
    if (!a || is(n, b, 0) || is(n, b, 1)) { shp_dim t = a; a = b; b = t; }
    if (is(n, a, op == SHP_OR)) return shp_elem_dim(op == SHP_XOR ? b : a);
    if (is(n, a, op != SHP_OR)) return op == SHP_XOR ? not(n, shp_elem_dim(b)) : shp_elem_dim(b);
    if (!a || !b) return UNKNOWN;
    if (a == b) return op == SHP_XOR ? shp_elem_int(n, 0) : shp_elem_dim(a);
    shp_dim both = add(n, a, b), least = dim_min(n, a, b);
    if (!like_a_size(n, both)) return UNKNOWN;
    if (op == SHP_AND && ge(n, lit(1), both) == 1) return shp_elem_int(n, 0);
    return shp_elem_dim(op == SHP_AND ? least : op == SHP_OR ? sub(n, both, least) : sub(n, both, add(n, least, least)));
}

/* ---- integers ---- */
static shp_dim bits_of(shp_node *n, shp_calc op, int dtype, shp_dim a, shp_dim b)
{
    int64_t x, y, width = shp_dtype_bits(dtype);
    if (!is_num(n, b, &y)) return 0;
    if (op == SHP_SHIFT_LEFT || op == SHP_SHIFT_RIGHT) {
        if (y < 0 || y >= width || y > 62) return 0;
        if (op == SHP_SHIFT_RIGHT) return floor_div(n, a, num(n, (int64_t)1 << y));
        if (!is_num(n, a, &x)) return mul(n, a, num(n, (int64_t)1 << y));
        uint64_t r = (uint64_t)x << y;
        if (width < 64) r &= ((uint64_t)1 << width) - 1;
        return r > INT64_MAX ? 0 : num(n, (int64_t)r);
    }
    if (!is_num(n, a, &x)) return 0;
    return num(n, op == SHP_BIT_AND ? x & y : op == SHP_BIT_OR ? x | y : x ^ y);
}

static shp_dim raised(shp_node *n, shp_dim a, int64_t e)
{
    if (e < 0 || e > 64) return 0;
    shp_dim r = lit(1);
    for (; e > 0; e--) r = mul(n, r, a);
    return r;
}

static shp_dim integers(shp_node *n, shp_calc op, int dtype, shp_dim a, shp_dim b)
{
    int64_t x, y;
    if (op <= SHP_MAX) return shp_dim_operate(n->dims, (shp_dim_op)op, a, b);
    switch (op) {
    case SHP_DIV: return divided(n, a, b);
    case SHP_MOD: case SHP_FMOD:
        if (is(n, b, 0)) return 0;
        if (!is_num(n, a, &x) || !is_num(n, b, &y)) return op == SHP_MOD || (lo(n, a) >= 0 && lo(n, b) >= 0) ? shp_dim_mod(n->dims, a, b) : 0;
        x = y == -1 ? 0 : x % y;
        return num(n, op == SHP_MOD && x && (x ^ y) < 0 ? x + y : x);
    case SHP_POW: return is_num(n, b, &y) ? raised(n, a, y) : 0;
    case SHP_NEG: return negated(n, a);
    case SHP_ABS: return dim_max(n, a, negated(n, a));
    case SHP_SIGN: return dim_min(n, dim_max(n, a, lit(-1)), lit(1));
    case SHP_RELU: return dim_max(n, a, lit(0));
    case SHP_BIT_NOT:
        if (shp_dtype_kind(dtype) == 'U') return shp_dtype_bits(dtype) < 64 ? sub(n, num(n, ((int64_t)1 << shp_dtype_bits(dtype)) - 1), a) : 0;
        return sub(n, lit(-1), a);
    case SHP_FLOOR: case SHP_CEIL: case SHP_ROUND: return a;
    default: return bits_of(n, op, dtype, a, b);
    }
}

/* ---- floats ---- */
static shp_elem reals(shp_calc op, int dtype, double a, double b)
{
    switch (op) {
    case SHP_ADD: a += b; break;
    case SHP_SUB: a -= b; break;
    case SHP_MUL: a *= b; break;
    case SHP_DIV: a /= b; break;
    case SHP_MIN: case SHP_MAX:
        if (a != a || b != b) return UNKNOWN;       /* runtimes differ */
        a = (op == SHP_MIN) == (a < b) ? a : b;
        break;
    case SHP_POW:
        if (b != 0.5 && (b != truncated(b) || b < -64 || b > 64)) return UNKNOWN;
        a = b == 0.5 ? root(a) : power(a, (int64_t)b);
        break;
    case SHP_NEG: a = -a; break;
    case SHP_ABS: a = a < 0 ? -a : a; break;
    case SHP_SIGN:
        if (a != a) return UNKNOWN;
        a = a > 0 ? 1 : a < 0 ? -1 : a;
        break;
    case SHP_RELU: a = a < 0 ? 0 : a; break;
    case SHP_FLOOR: a = floored(a); break;
    case SHP_CEIL: a = -floored(-a); break;
    case SHP_ROUND: a = nearest(a); break;
    case SHP_SQRT: a = root(a); break;
    case SHP_RECIPROCAL: a = 1 / a; break;
    default: return UNKNOWN;
    }
    return real(dtype, a);
}

/* Roundings of a quotient: what the floor-only ones allow, too. */
static shp_dim whole(shp_node *n, shp_calc op, shp_elem a)
{
    int32_t q = shp_elem_den(a);
    shp_dim p = shp_elem_num(a), den = num(n, q);
    if (q == 1) return p;
    if (op == SHP_FLOOR) return floor_div(n, p, den);
    if (op == SHP_CEIL) return is_rough(a) ? 0 : ceil_div(n, p, den);
    if (q % 2 == 0) return 0;           /* Round: halves go to even */
    return floor_div(n, add(n, mul(n, p, lit(2)), den), num(n, 2 * (int64_t)q));
}

static shp_elem quotients(shp_node *n, shp_calc op, int dtype, shp_elem a, shp_elem b)
{
    if (op == SHP_FLOOR || op == SHP_CEIL || op == SHP_ROUND) return quotient(n, dtype, whole(n, op, a), 1);
    shp_elem p = exact(n, a), q = exact(n, b);
    shp_dim pn = shp_elem_num(p), qn = shp_elem_num(q);
    int64_t pd = shp_elem_den(p), qd = shp_elem_den(q), den = pd * qd;
    if (!shp_elem_is_real(a) && p && shp_elem_is_real(b) && (op == SHP_MUL || op == SHP_DIV)) return scaled(n, dtype, pn, pd, shp_elem_value(b), op == SHP_DIV);
    if (!shp_elem_is_real(b) && q && shp_elem_is_real(a) && op == SHP_MUL) return scaled(n, dtype, qn, qd, shp_elem_value(a), false);
    if (op == SHP_MIN || op == SHP_MAX) {
        int ge = shp_elem_ge(n, a, b);
        if (ge >= 0) return (ge == 1) == (op == SHP_MAX) ? a : b;
    }
    if (!p) return UNKNOWN;
    if (op >= SHP_NEG) return quotient(n, dtype, integers(n, op, SHP_INT64, pn, 0), op == SHP_SIGN ? 1 : pd);
    if (!q) return UNKNOWN;
    bool fits = true;
    shp_dim x = across(n, p, q), y = across(n, q, p);
    switch (op) {
    case SHP_POW: return quotient(n, dtype, den == 1 ? integers(n, op, 0, pn, qn) : 0, 1);
    case SHP_MUL:
        x = power_of_2(den) ? mul(n, pn, qn) : 0;
        if (x && dtype == SHP_FLOAT && hi(n, x) >= 1 << 24) shp_assume(n, num(n, (1 << 24) - 1), x, "float32");
        return quotient(n, dtype, x, den);
    case SHP_DIV:
        if (shp_is_num(n, pn) || !shp_at_least(n, qn, 1, "division")) return UNKNOWN;     /* 0/0 is no number */
        qn = div_exact(n, pn, qn);
        return qn ? quotient(n, dtype, mul(n, qn, num(n, qd)), pd) : quotient(n, dtype, div_exact(n, x, y), 1);
    case SHP_ADD: case SHP_SUB: fits = power_of_2(pd) || power_of_2(qd); break;
    case SHP_MOD: case SHP_FMOD: fits = power_of_2(den) && (shp_is_num(n, qn) || shp_at_least(n, qn, 1, "division")); break;
    default: break;         /* Min, Max */
    }
    return quotient(n, dtype, fits ? integers(n, op, 0, x, y) : 0, den);
}

/* ---- what rules call ---- */
static bool not_a_number(shp_elem e) { return shp_elem_is_real(e) && shp_elem_value(e) != shp_elem_value(e); }

static shp_elem calculated(shp_node *n, shp_calc op, int dtype, shp_elem a, shp_elem b)
{
    if (op >= SHP_AND && op <= SHP_XOR) return logical(n, op, a, b);
    if (!a || !b) return UNKNOWN;
    if (op == SHP_NOT) return not(n, a);
    if (op == SHP_EQUAL) return indicator(n, a, b, true);
    if (op >= SHP_LESS && op <= SHP_GREATER_EQUAL) {
        if (not_a_number(a) || not_a_number(b)) return shp_elem_int(n, 0);
        shp_elem ge = op == SHP_LESS_EQUAL || op == SHP_GREATER ? indicator(n, b, a, false) : indicator(n, a, b, false);
        return op == SHP_LESS || op == SHP_GREATER ? not(n, ge) : ge;
    }
    if (shp_dtype_kind(dtype) != 'F') {
        shp_dim x = shp_elem_whole(a), y = shp_elem_whole(b);
        return x && y ? fitted(n, dtype, integers(n, op, dtype, x, y)) : UNKNOWN;
    }
    if (!shp_elem_is_real(a) || !shp_elem_is_real(b) || op == SHP_MOD || op == SHP_FMOD) return quotients(n, op, dtype, a, b);
    return reals(op, dtype, shp_elem_value(a), shp_elem_value(b));
}

shp_elem shp_elem_calc(shp_node *n, shp_calc op, int dtype, shp_elem a, shp_elem b)
{
    bool *overflow = shp_dims_overflow(n->dims), before = *overflow;
    *overflow = false;
    shp_elem r = calculated(n, op, dtype, a, b);
    if (*overflow) r = UNKNOWN;
    if (shp_dtype_bits(dtype) < 64 || shp_dtype_kind(dtype) == 'F') *overflow = false;
    *overflow |= before;
    return r;
}

/* A float as an integer: truncated; as a bool: whether it is not 0. */
static shp_elem to_integer(shp_node *n, shp_elem e)
{
    double v = shp_elem_value(e);
    if (shp_elem_is_real(e)) return v > -0x1p63 && v < 0x1p63 ? shp_elem_int(n, (int64_t)v) : UNKNOWN;
    shp_dim p = shp_elem_num(e), q = num(n, shp_elem_den(e));
    if (is(n, q, 1)) return e;
    return lo(n, p) > -shp_elem_den(e) ? shp_elem_dim(dim_max(n, floor_div(n, p, q), lit(0)))
         : hi(n, p) <= 0 ? shp_elem_dim(negated(n, floor_div(n, negated(n, p), q))) : UNKNOWN;
}

static shp_elem to_bool(shp_node *n, shp_elem e)
{
    if (shp_elem_is_real(e)) return shp_elem_int(n, shp_elem_value(e) != 0);
    shp_dim d = shp_elem_num(e);
    int64_t least = lo(n, d), most = hi(n, d);
    if (least > 0 || most < 0) return shp_elem_int(n, 1);
    if (shp_elem_den(e) == 1 && least >= 0 && most <= 1) return e;
    return is_rough(e) ? UNKNOWN : not(n, indicator(n, shp_elem_dim(d), shp_elem_int(n, 0), true));
}

static shp_elem to_float(shp_node *n, int from, int to, shp_elem e)
{
    double v;
    if (shp_elem_number(n, e, &v)) return real(to, v);
    if (to != SHP_FLOAT) return to == SHP_DOUBLE ? e : UNKNOWN;
    shp_dim d = shp_elem_num(e);
    return from == SHP_FLOAT || assumed_small(n, d, true, EXACT - 1, false, "float32") ? e : UNKNOWN;
}

shp_elem shp_elem_cast(shp_node *n, int from, int to, shp_elem e)
{
    char a = shp_dtype_kind(from), b = shp_dtype_kind(to);
    if (!e || !a || !b || a == 'S' || b == 'S' || a == 'C' || b == 'C') return UNKNOWN;
    if (from == to) return e;
    if (b == 'B') return to_bool(n, e);
    if (b == 'F') return to_float(n, from, to, e);
    return fitted(n, to, shp_elem_num(a == 'F' ? to_integer(n, e) : e));
}

bool shp_in_contents(shp_node *n, uint32_t first, uint32_t count)
{
    for (int weights = 0; weights < 2; weights++)
        for (uint32_t i = first; i < first + count; i++) {
            const shp_fact *f = shp_in(n, i);
            if (!shp_has(n, i) || (f->tensor && !f->content) != (weights == 1)) continue;
            if (weights && shp_dtype_kind(shp_in_dtype(n, i)) == 'F'
                && (uint64_t)shp_count(n, shp_in_shape(n, i)) > 64) return false;
            if (!shp_in_content(n, i)) return false;
        }
    return true;
}

const shp_content *shp_in_worth(shp_node *n, uint32_t i) { return shp_in_contents(n, i, 1) ? shp_in_content(n, i) : NULL; }
