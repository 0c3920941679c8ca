/* dim_test - rows and properties of symbolic dimensions. Build with src/dim*.c and src/arena.c; exits 0 when all hold. */
#include "../../src/dim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a table with the names that rows use ---- */

static int failures;

static shp_arena arena;
static void *blocks[64];
static size_t block_count;

static void *host_grow(void *host, size_t size)
{
    (void)host;
    return block_count < 64 ? blocks[block_count++] = calloc(1, size) : NULL;
}

static shp_dims *table_of(size_t limit)
{
    while (block_count) free(blocks[--block_count]);
    shp_arena_init(&arena, limit, host_grow, NULL);
    return shp_dims_new(&arena, 64, 16, 0);
}

static shp_dims *fresh_table(void) { return table_of((size_t)1 << 28); }

/* Names of rows: u0..u9 unnamed sizes, c0.. unnamed counts, l0.. unnamed counts that are at most S, v0.. unnamed elements of either sign,
 * f0.. flags, d0.. undeclared names; everything else a declared size. */
static shp_dim lookup(void *arg, shp_str name)
{
    shp_dims *t = arg;
    if (name.len == 2 && name.at[1] >= '0' && name.at[1] <= '9') {
        uint64_t key = (uint64_t)(uint8_t)name.at[0] << 8 | (uint8_t)name.at[1];
        switch (name.at[0]) {
        case 'u': return shp_dim_fresh(t, key, SHP_SIZE, &(shp_origin){ 0 });
        case 'c': return shp_dim_fresh(t, key, SHP_COUNT, &(shp_origin){ 0 });
        case 'l': return shp_dim_fresh_upto(t, key, &(shp_origin){ 0 }, shp_dim_named(t, SHP_STR("S"), SHP_SIZE, true));
        case 'v': return shp_dim_fresh(t, key, SHP_ANY, &(shp_origin){ 0 });
        case 'f': return shp_dim_fresh(t, key, SHP_FLAG, &(shp_origin){ 0 });
        case 'd': return shp_dim_named(t, name, SHP_SIZE, false);
        default: break;
        }
    }
    if (shp_str_is(name, "nothing")) return 0;
    return shp_dim_named(t, name, SHP_SIZE, true);
}

static shp_dim parse(shp_dims *t, const char *text)
{
    return shp_dim_parse(t, (shp_str){ text, (uint32_t)strlen(text) }, lookup, t);
}

static const char *print(shp_dims *t, shp_dim d)
{
    static char text[4][8192];
    static int turn;
    char *at = text[turn = (turn + 1) % 4];
    size_t len = 0;
    if (!shp_dim_print(t, d, at, sizeof text[0] - 1, &len)) return "(none)";
    at[len] = 0;
    return at;
}

static void check(bool ok, const char *what, const char *a, const char *b)
{
    if (ok) return;
    failures++;
    printf("FAILED %s: %s | %s\n", what, a, b);
}

/* ---- rows: text -> printed ---- */

static const char *const printed[][2] = {
    { "2*H", "2*H" }, { "H*2+1", "2*H + 1" }, { "S+P", "P + S" }, { "S*B", "B*S" }, { "512 - S", "512 - S" },
    { "-S", "-S" }, { "S - S", "0" }, { "(S+1)*(S-1)", "S*S - 1" }, { "S**2", "S*S" }, { "3", "3" }, { "-7", "-7" },
    { "1 + S - 1", "S" }, { "2*x::y_dim_0", "2*x::y_dim_0" }, { "2*`16H`", "2*`16H`" }, { "`batch size`", "batch size" },
    { "`a b`*`a b` + dyn.1", "`a b`*`a b` + dyn.1" },
    { "floor(H/2)", "floor(H/2)" }, { "H//2", "floor(H/2)" }, { "floor((H-1)/2)+1", "floor((H + 1)/2)" },
    { "floor((H + 1)/2)", "floor((H + 1)/2)" }, { "ceil(H/2)", "floor((H + 1)/2)" }, { "ceil(H/32)", "floor((H + 31)/32)" },
    { "floor(floor(H/2)/2)", "floor(H/4)" }, { "floor((2*H+1)/4)", "floor(H/2)" }, { "floor((floor(H/2)+1)/2)", "floor((H + 2)/4)" },
    { "ceil(ceil(H/2)/2)", "floor((H + 3)/4)" }, { "ceil(ceil(ceil(ceil(ceil(H/2)/2)/2)/2)/2)", "floor((H + 31)/32)" },
    { "ceil(H/2)*ceil(W/2)", "floor((H + 1)/2)*floor((W + 1)/2)" },
    { "B*ceil(H/2)*ceil(W/2)*ceil(D/2)", "B*floor((D + 1)/2)*floor((H + 1)/2)*floor((W + 1)/2)" },
    { "floor((B*S + r)/B)", "S + floor(r/B)" }, { "floor(B*S*768/(B*12*64))", "S" }, { "B*S*768/(B*12*64)", "S" },
    { "floor(12*N/5)", "2*N + floor(2*N/5)" }, { "floor(H/W)", "floor(H/W)" }, { "floor(2*H/(2*W))", "floor(H/W)" },
    { "floor((H*W)/(2*W))", "floor(H/2)" }, { "floor(H/(2*W))", "floor(H/(2*W))" }, { "ceil(H/W)", "floor((H - 1)/W) + 1" },
    { "floor(-H/2)", "-floor((H + 1)/2)" }, { "floor(H/(-2))", "-floor((H + 1)/2)" }, { "floor((5-H)/4)", "1 - floor((H + 2)/4)" },
    { "floor((H-1)/2 + 1/2)", "floor(H/2)" }, { "floor(0.5)", "(none)" }, { "H/2", "(none)" }, { "4*H/2", "2*H" },
    { "H % 2", "Mod(H, 2)" }, { "Mod(H, W)", "Mod(H, W)" }, { "H - 3*(H//3)", "Mod(H, 3)" }, { "Mod(H + 1, 4) + B", "B + Mod(H + 1, 4)" },
    { "Mod(6*H, 3)", "0" }, { "Mod(Mod(H, 4), 4)", "Mod(H, 4)" }, { "floor(Mod(H, 4)/4)", "0" }, { "floor((4*S + Mod(H, 4))/4)", "S" },
    { "Min(S, 512)", "Min(S, 512)" }, { "min(512, S)", "Min(S, 512)" }, { "Max(S - 2, 0)", "Max(S - 2, 0)" }, { "max(0, S-2)", "Max(S - 2, 0)" },
    { "Min(S + 2, 512)", "Min(S + 2, 512)" }, { "Min(S, S + 2)", "S" }, { "Min(S, -1)", "-1" }, { "Max(S, 0)", "S" }, { "Min(S, 0)", "0" },
    { "Min(2*S, 2*T)", "2*Min(S, T)" }, { "Min(B*S, B*5)", "B*Min(S, 5)" }, { "Min(Min(a, b), c)", "Min(a, b, c)" },
    { "Min(Max(S, 0), S)", "S" }, { "Min(a, b) + Max(a, b)", "a + b" }, { "Max(a, b)", "Max(a, b)" }, { "Max(a, Max(a, b))", "Max(a, b)" },
    { "S - Min(S, 5)", "Max(S - 5, 0)" }, { "Min(a + c, b + c)", "c + Min(a, b)" }, { "Max(5, 3)", "5" }, { "Min(4, 3)", "3" },
    { "Max(9223372036854775807, S)", "Max(S, 9223372036854775807)" },
    { "broadcast(a, b)", "broadcast(a, b)" }, { "broadcast(b, a)", "broadcast(a, b)" }, { "broadcast(a, 1)", "a" }, { "broadcast(a, 7)", "7" },
    { "broadcast(a, 0)", "0" }, { "broadcast(a, a)", "a" }, { "broadcast(a, broadcast(b, c))", "broadcast(a, broadcast(b, c))" },
    { "broadcast(broadcast(c, b), a)", "broadcast(a, broadcast(b, c))" }, { "broadcast(a, broadcast(a, b))", "broadcast(a, b)" },
    { "broadcast(Min(a, 5), a)", "a" }, { "broadcast(Min(a, 1), a)", "broadcast(a, Min(a, 1))" }, { "broadcast(Min(a - 1, 5), a - 1)", "a - 1" },
    { "broadcast(a, S + 2)", "S + 2" }, { "broadcast(2*S, a)", "2*S" }, { "broadcast(3*S + 2, a)", "3*S + 2" }, { "broadcast(3, 4)", "(none)" },
    { "broadcast(1, 1)", "1" }, { "broadcast(3*S + 1, a)", "broadcast(3*S + 1, a)" },
    { "nothing", "(none)" }, { "H +", "(none)" }, { "(H", "(none)" }, { "16H", "(none)" }, { "H W", "(none)" }, { "floor(H)", "H" }, { "", "(none)" },
    { "H // 0", "(none)" }, { "H/0", "(none)" }, { "9223372036854775808", "(none)" }, { "9223372036854775807 + 1", "(none)" },
    { "-9223372036854775807 - 1", "-9223372036854775808" }, { "floor((H - 9223372036854775807 - 1)/3)", "floor((H + 1)/3) - 3074457345618258603" },
    { "H*0", "0" }, { "  H + 1 ", "H + 1" }, { "sqrt(H)", "(none)" }, { "Min(H)", "H" }, { "Mod(H)", "(none)" },
    { "H + Mod(7 - Mod(H, 7), 7)", "7*floor((H + 6)/7)" }, { "floor((H + Mod(7 - Mod(H, 7), 7))/7)", "floor((H + 6)/7)" },
    { "Min(ceil((H - 2)/3) + 1, ceil(H/3))", "floor((H + 2)/3)" }, { "Min(ceil((H - 1)/2) + 1, ceil((H + 1)/2))", "floor(H/2) + 1" },
    { "Max(Min(S, 5) - Min(S, 2), 0)", "Min(S, 5) - Min(S, 2)" }, { "P + S - Min(P + S, P)", "S" }, { "floor(floor(N/B)/C)", "floor(N/(B*C))" },
    { "Min*2", "2*Min" }, { "S - floor(S/2)", "floor((S + 1)/2)" }, { "H - floor(H/3)", "floor((2*H + 2)/3)" },
    { "H%W%2", "Mod(W*floor(H/W) + H, 2)" }, { "2*(H - 2*(H//2))", "2*Mod(H, 2)" },
};

/* ---- rows: bounds (lo, hi, lo assuming declared sizes >= 1) ---- */

#define NO_LO INT64_MIN
#define NO_HI INT64_MAX

static const struct { const char *text; int64_t lo, hi, assuming; } bounds[] = {
    { "5", 5, 5, 5 }, { "S", 0, NO_HI, 1 }, { "S + 2", 2, NO_HI, 3 }, { "-S", NO_LO, 0, NO_LO }, { "S - 1", -1, NO_HI, 0 },
    { "v0", NO_LO, NO_HI, NO_LO }, { "f0", 0, 1, 0 }, { "1 - f0", 0, 1, 0 }, { "c0 - 1", -1, NO_HI, -1 }, { "B*S", 0, NO_HI, 1 },
    { "B*S - B", NO_LO, NO_HI, 0 }, { "H - 2*(H//2)", 0, 1, 0 }, { "Mod(H, 5)", 0, 4, 0 }, { "Mod(v0, 5)", 0, 4, 0 }, { "Mod(H, W)", 0, NO_HI, 0 },
    { "W - Mod(H, W)", 1, NO_HI, 1 }, { "S - Min(S, 5)", 0, NO_HI, 0 }, { "S + P - Min(P, S)", 0, NO_HI, 1 }, { "Min(S, 5)", 0, 5, 1 },
    { "Max(S - 2, 0)", 0, NO_HI, 0 }, { "Max(S, 3)", 3, NO_HI, 3 }, { "floor(S/2)", 0, NO_HI, 0 }, { "floor((S+1)/2)", 0, NO_HI, 1 },
    { "floor((H-1)/2)+1", 0, NO_HI, 1 }, { "broadcast(a, b)", 0, NO_HI, 1 }, { "broadcast(a, b) - Min(a, b)", 0, NO_HI, 0 },
    { "H - floor(H/2)", 0, NO_HI, 1 }, { "H - H//3 - H//2", 0, NO_HI, 1 }, { "floor(H/W)", 0, NO_HI, 0 },
    { "l0", 0, NO_HI, 0 }, { "S - l0", 0, NO_HI, 0 }, { "B*S - B*l0", 0, NO_HI, 0 }, { "S - floor(l0/2)", 0, NO_HI, 0 }, { "2*S - l0 - l1 + 1", 1, NO_HI, 1 },
    { "Min(l0 + 1, S + 1) - Min(l0, S + 1)", 1, 1, 1 }, { "l0 - H", NO_LO, NO_HI, NO_LO }, { "floor(S/2) - floor(l0/2)", 0, NO_HI, 0 },
};

/* ---- rows: unify a and b under earlier rows of a group, then resolve c to d ---- */

static const struct { const char *a, *b, *c, *d; bool ok; uint32_t noted; } unified[] = {
    { "u0", "S", "u0 + 1", "S + 1", true, 0 },
    { "2*u0 + 4", "2*S + 4", "u0", "S", true, 0 },
    { "u0 + 3", "H", "u0", "H - 3", true, 0 },
    { "u0", "u1", "u0 + u1", "2*u0", true, 0 },
    { "u0", "7", "2*u0", "14", true, 0 },
    { "f0", "S", "f0", "f0", true, 1 },
    { "f0", "2", "f0", "f0", false, 0 },
    { "3", "4", "S", "S", false, 0 },
    { "S + 3", "2", "S", "S", false, 0 },
    { "2*S", "3", "S", "S", false, 0 },
    { "S", "T", "broadcast(S, T)", "S", true, 1 },
    { "2*S", "2*T", "broadcast(T, S)", "S", true, 1 },
    { "S", "5", "S", "S", true, 1 },
    { "broadcast(P + S, T)", "P + S", "broadcast(P + S, T)*2", "2*P + 2*S", true, 0 },
    { "broadcast(a, b)", "u0", "u0", "broadcast(a, b)", true, 0 },
    { "broadcast(a, b) + 1", "c + 1", "broadcast(a, b)", "c", true, 0 },
    { "u0", "floor(u0/2)", "u0", "u0", true, 0 },
    { "u0 + u1", "S", "u0", "u0", true, 1 },
    { "u0", "u1 + 3", "u0", "u1 + 3", true, 0 },
    { "u0", "H", "floor((u0 + 1)/2) - floor((H + 1)/2)", "0", true, 0 },
    { "v0", "S", "v0", "S", true, 0 },
    { "B*u0", "B*S", "u0", "u0", true, 0 },
};

/* ---- rows through the public arithmetic ---- */

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        shp_dims *t = fresh_table();
        const char *got = print(t, parse(t, printed[i][0]));
        check(strcmp(got, printed[i][1]) == 0, printed[i][0], got, printed[i][1]);
    }
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        shp_dims *t = fresh_table();
        shp_dim d = parse(t, bounds[i].text);
        char text[100];
        snprintf(text, sizeof text, "%lld..%lld, %lld", (long long)shp_dim_lo(t, d), (long long)shp_dim_hi(t, d),
                 (long long)shp_dim_lo_assuming(t, d));
        check(shp_dim_lo(t, d) == bounds[i].lo && shp_dim_hi(t, d) == bounds[i].hi
              && shp_dim_lo_assuming(t, d) == bounds[i].assuming, "bounds", bounds[i].text, text);
    }
    for (size_t i = 0; i < sizeof unified / sizeof unified[0]; i++) {
        shp_dims *t = fresh_table();
        shp_dim before = parse(t, unified[i].c);
        uint32_t mark = shp_dims_mark(t);
        bool ok = shp_dim_unify(t, parse(t, unified[i].a), parse(t, unified[i].b));
        shp_dim got = shp_dim_resolve(t, before), want = parse(t, unified[i].d);
        check(ok == unified[i].ok, "unify answer", unified[i].a, unified[i].b);
        check(got == want, "unify", print(t, got), print(t, want));
        check(shp_dims_equal_count(t) == unified[i].noted, "noted", unified[i].a, unified[i].b);
        shp_dims_rewind(t, mark);
        check(shp_dim_resolve(t, before) == before && shp_dims_equal_count(t) == 0, "rewind", unified[i].a, unified[i].b);
    }
}

static void test_api(void)
{
    shp_dims *t = fresh_table();
    shp_dim s = lookup(t, SHP_STR("S")), u = lookup(t, SHP_STR("u0")), max = shp_dim_const(t, INT64_MAX);
    const int64_t *number = shp_dim_number(t, shp_dim_const(t, -3));
    check(number && *number == -3, "const", "", "");
    check(!shp_dim_number(t, s) && !shp_dim_number(t, 0), "number", "", "");
    check(shp_dim_add(t, 0, s) == 0 && shp_dim_floor_div(t, s, shp_dim_const(t, 0)) == 0, "zero passes", "", "");
    check(shp_dim_broadcast(t, shp_dim_const(t, 2), shp_dim_const(t, 3)) == 0, "contradiction", "", "");
    shp_dim over = shp_dim_add(t, max, shp_dim_const(t, 1));
    check(over && *shp_dims_overflow(t) && shp_dim_symbol(t, over) && shp_dim_symbol(t, over)->kind == SHP_COUNT, "overflow", "", "");
    check(over == shp_dim_add(t, shp_dim_const(t, 1), max), "overflow is keyed", "", "");
    check(shp_dim_floor_div(t, shp_dim_const(t, INT64_MIN), shp_dim_const(t, -1)) != 0, "INT64_MIN / -1", "", "");
    check(shp_dim_has_undeclared(t, lookup(t, SHP_STR("d0"))) && !shp_dim_has_undeclared(t, s), "has_undeclared", "", "");
    check(shp_dim_mentions(t, parse(t, "floor(S/2)*T"), shp_dim_symbol(t, s)), "mentions", "", "");
    check(shp_dim_div_exact(t, parse(t, "B*S*768"), parse(t, "B*12*64")) == s, "div_exact", "", "");
    check(shp_dim_div_exact(t, parse(t, "12*N"), shp_dim_const(t, 5)) == 0, "div_exact not", "", "");
    check(shp_dim_div_exact(t, parse(t, "(a+b)*(c+d)"), parse(t, "a+b")) == parse(t, "c+d"), "div_exact sums", "", "");
    check(shp_dim_eq(t, parse(t, "2*S"), shp_dim_const(t, 3)) == 0 && shp_dim_eq(t, s, u) == -1 && shp_dim_eq(t, s, s) == 1, "eq", "", "");
    check(shp_dim_ge(t, s, shp_dim_const(t, 0)) == 1 && shp_dim_ge(t, s, shp_dim_const(t, 1)) == -1
          && shp_dim_ge(t, shp_dim_const(t, -1), s) == 0, "ge", "", "");
    /* unk__0 is a name of the model */
    shp_dim_named(t, SHP_STR("unk__0"), SHP_SIZE, true);
    check(strcmp(print(t, u), "unk__1") == 0, "unk", print(t, u), "unk__1");
    /* an expression past its limits is the same fresh symbol each time */
    shp_dim sum = shp_dim_const(t, 0), again = sum;
    for (int i = 0; i < 100; i++) sum = shp_dim_add(t, sum, shp_dim_fresh(t, 1000 + (uint64_t)i, SHP_SIZE, &(shp_origin){ 0 }));
    for (int i = 0; i < 100; i++) again = shp_dim_add(t, again, shp_dim_fresh(t, 1000 + (uint64_t)i, SHP_SIZE, &(shp_origin){ 0 }));
    check(sum && sum == again, "limit", "", "");
    shp_dim deep = s;
    for (int i = 0; i < 100; i++) deep = shp_dim_min(t, shp_dim_add(t, shp_dim_floor_div(t, shp_dim_mul(t, deep, shp_dim_const(t, 2)), lookup(t, SHP_STR("W"))), s), lookup(t, SHP_STR("T")));
    check(deep != 0, "depth", "", "");
    /* a long chain of replacements */
    for (uint64_t i = 0; i < 5000; i++)
        shp_dim_unify(t, shp_dim_fresh(t, 5000 + i, SHP_SIZE, &(shp_origin){ 0 }),
                      shp_dim_add(t, shp_dim_fresh(t, 5001 + i, SHP_SIZE, &(shp_origin){ 0 }), shp_dim_const(t, 1)));
    check(shp_dim_resolve(t, shp_dim_fresh(t, 5000, SHP_SIZE, &(shp_origin){ 0 })) != 0, "chain", "", "");
}

/* ---- properties: random programs against naive evaluation ---- */

static uint64_t seed = 88172645463325252u;

static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

enum { POINTS = 12, LEAVES = 10, STEPS = 22, SYMBOLS = 400 };

/* A dim and what it is by naive arithmetic at each point; dead where the run would fail there (R1). */
typedef struct value { shp_dim d; int64_t at[POINTS]; bool dead[POINTS]; } value;

static struct { const shp_symbol *s; value v; } known[SYMBOLS];
static uint32_t knowns;
static uint32_t point;

static bool value_of(void *arg, const shp_symbol *s, int64_t *v)
{
    (void)arg;
    for (uint32_t i = 0; i < knowns; i++)
        if (known[i].s == s) { *v = known[i].v.at[point]; return !known[i].v.dead[point]; }
    return false;
}

static int64_t naive_floor(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static bool naive(int op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case 0: *r = a + b; return true;
    case 1: *r = a - b; return true;
    case 2: *r = a * b; return true;
    case 3: if (b == 0) return false; *r = naive_floor(a, b); return true;
    case 4: if (b == 0) return false; *r = -naive_floor(-a, b); return true;
    case 5: if (b == 0) return false; *r = a - b * naive_floor(a, b); return true;
    case 6: *r = a < b ? a : b; return true;
    case 7: *r = a > b ? a : b; return true;
    default: if (a != b && a != 1 && b != 1) return false; *r = a == 1 ? b : a; return true;
    }
}

static shp_dim (*const ops[])(shp_dims *, shp_dim, shp_dim) = {
    shp_dim_add, shp_dim_sub, shp_dim_mul, shp_dim_floor_div, shp_dim_ceil_div, shp_dim_mod, shp_dim_min, shp_dim_max, shp_dim_broadcast,
};

static value leaf(shp_dims *t, uint32_t i)
{
    static const char *const names[] = { "S", "H", "W", "B", "u0", "c0", "v0", "f0", "d0", "l0" };
    value v = { .d = lookup(t, (shp_str){ names[i], (uint32_t)strlen(names[i]) }) };
    for (uint32_t p = 0; p < POINTS; p++)
        v.at[p] = i == 7 ? rnd(2) : i == 9 ? (int64_t)rnd((uint32_t)known[0].v.at[p] + 1) : (int64_t)rnd(p < 6 ? 5 : 40) - (i == 6 ? 7 : 0);
    known[knowns].s = shp_dim_symbol(t, v.d);
    known[knowns++].v = v;
    return v;
}

static void verify(shp_dims *t, const value *v)
{
    int64_t lo = shp_dim_lo(t, v->d), hi = shp_dim_hi(t, v->d), assuming = shp_dim_lo_assuming(t, v->d), got;
    for (point = 0; point < POINTS; point++) {
        char text[60];
        if (v->dead[point]) continue;
        bool ok = shp_dim_eval(t, v->d, value_of, NULL, &got);
        snprintf(text, sizeof text, "%s %lld, wanted %lld", ok ? "is" : "none", ok ? (long long)got : 0, (long long)v->at[point]);
        check(ok && got == v->at[point], "property", print(t, v->d), text);
        check(lo <= v->at[point] && v->at[point] <= hi, "property bounds", print(t, v->d), text);
        bool positive = true;
        for (uint32_t i = 0; i < knowns; i++)
            if (known[i].s->declared && known[i].s->kind == SHP_SIZE && known[i].v.at[point] < 1) positive = false;
        check(!positive || assuming <= v->at[point], "property assuming", print(t, v->d), text);
    }
}

/* One step of a program; a fresh symbol that stands for a result gets that result's values. */
static value step(shp_dims *t, int op, const value *a, const value *b)
{
    value v = { .d = ops[op](t, a->d, b->d) };
    for (uint32_t p = 0; p < POINTS; p++) {
        v.dead[p] = a->dead[p] || b->dead[p] || !naive(op, a->at[p], b->at[p], v.at + p);
        if (!v.dead[p] && (v.at[p] > 1000000 || v.at[p] < -1000000)) v.dead[p] = true;     /* keeps naive arithmetic in range */
    }
    const shp_symbol *s = v.d ? shp_dim_symbol(t, v.d) : NULL;
    bool new = s && !s->name.len;
    for (uint32_t i = 0; new && i < knowns; i++) new = known[i].s != s;
    if (new && knowns < SYMBOLS) { known[knowns].s = s; known[knowns++].v = v; }
    return v;
}

static value random_program(shp_dims *t, value *v, uint32_t leaves)
{
    uint32_t n = leaves;
    for (int64_t k = -1; k < 6; k++) {
        v[n] = (value){ .d = shp_dim_const(t, k) };
        for (uint32_t p = 0; p < POINTS; p++) v[n].at[p] = k;
        n++;
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        static const int weights[] = { 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 5, 6, 6, 7, 8 };
        int op = weights[rnd(sizeof weights / sizeof weights[0])];
        uint32_t a = rnd(3) ? rnd(n) : n - 1;
        uint32_t b = rnd(2) ? leaves + rnd(7) : rnd(n);
        v[n] = step(t, op, v + a, v + b);
        if (!v[n].d) continue;
        verify(t, v + n);
        n++;
    }
    return v[n - 1];
}

static bool unnamed(void *arg, const shp_symbol *s)
{
    (void)arg;
    return !s->name.len;
}

static void test_programs(int rounds)
{
    uint32_t roundtrip = 0, total = 0;
    for (int r = 0; r < rounds && failures < 20; r++) {
        shp_dims *t = fresh_table();
        value v[LEAVES + 7 + STEPS];
        knowns = 0;
        for (uint32_t i = 0; i < LEAVES; i++) v[i] = leaf(t, i);
        value last = random_program(t, v, LEAVES);
        if (last.d && !shp_dim_any(t, last.d, unnamed, NULL)) {
            const char *text = print(t, last.d);
            shp_dim back = parse(t, text);
            total++;
            roundtrip += back == last.d;
            last.d = back;
            check(back != 0, "parses back", text, "");
            if (back) verify(t, &last);
        }
        /* a fact that holds at every point: a new symbol is this expression */
        value x = v[LEAVES + 7 + rnd(3)], y = v[rnd(LEAVES)], sum;
        if (!x.d) continue;
        shp_dim u = shp_dim_fresh(t, 4242, SHP_ANY, &(shp_origin){ 0 });
        known[knowns].s = shp_dim_symbol(t, u);
        known[knowns].v = x;
        known[knowns++].v.d = u;
        value side = { .d = u };
        memcpy(side.at, x.at, sizeof side.at);
        memcpy(side.dead, x.dead, sizeof side.dead);
        sum = step(t, (int)rnd(9), &side, &y);
        if (!sum.d) continue;
        uint32_t mark = shp_dims_mark(t);
        shp_dim had = sum.d;
        shp_dim_unify(t, shp_dim_add(t, u, y.d), shp_dim_add(t, x.d, y.d));
        sum.d = shp_dim_resolve(t, had);
        verify(t, &sum);
        shp_dims_rewind(t, mark);
        check(shp_dim_resolve(t, had) == had, "property rewind", print(t, had), "");
    }
    printf("programs: %d, of %u printed dims %u come back as the same handle\n", rounds, total, roundtrip);
}

/* ---- the converse: linear + k*floor(linear/b), however built: equal at all points, equal handles ---- */

enum { GRID = 26 };

typedef struct form { uint64_t hash; shp_dim d; } form;

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ((const form *)a)->hash, y = ((const form *)b)->hash;
    return x < y ? -1 : x > y;
}

static shp_dim linear(shp_dims *t, int64_t h, int64_t w, int64_t k)
{
    shp_dim x = shp_dim_mul(t, lookup(t, SHP_STR("H")), shp_dim_const(t, h)), y = shp_dim_mul(t, lookup(t, SHP_STR("W")), shp_dim_const(t, w));
    return shp_dim_add(t, shp_dim_add(t, x, y), shp_dim_const(t, k));
}

static int64_t grid_h, grid_w;

static bool on_grid(void *arg, const shp_symbol *s, int64_t *v)
{
    (void)arg;
    *v = shp_str_is(s->name, "H") ? grid_h : grid_w;
    return true;
}

static int64_t between(int64_t a, int64_t b) { return a + rnd((uint32_t)(b - a + 1)); }

/* q1*H + q2*W + q3 + k*floor((c1*H + c2*W + d)/b), built in one of several ways. */
static form random_form(shp_dims *t)
{
    int64_t b = between(1, 6), c1 = between(-3, 3), c2 = rnd(2) ? 0 : between(-2, 2), d = between(-4, 4), k = rnd(3) ? 1 : between(-2, 2);
    int64_t q1 = between(-1, 1), q2 = rnd(2) ? 0 : between(-1, 1), q3 = between(-2, 2), split = between(1, 3);
    shp_dim inner = linear(t, c1, c2, d), out;
    switch (rnd(4)) {
    case 0: out = shp_dim_floor_div(t, inner, shp_dim_const(t, b)); break;
    case 1: out = shp_dim_ceil_div(t, shp_dim_sub(t, inner, shp_dim_const(t, b - 1)), shp_dim_const(t, b)); break;
    case 2:     /* the floor of a floor */
        out = shp_dim_floor_div(t, shp_dim_floor_div(t, inner, shp_dim_const(t, split)), shp_dim_const(t, b));
        b *= split;
        break;
    default:    /* scaled above and below, as a Mod */
        inner = shp_dim_mul(t, inner, shp_dim_const(t, split));
        out = shp_dim_sub(t, inner, shp_dim_mod(t, inner, shp_dim_const(t, b * split)));
        out = shp_dim_div_exact(t, out, shp_dim_const(t, b * split));
        break;
    }
    form f = { 0, shp_dim_add(t, linear(t, q1, q2, q3), shp_dim_mul(t, out, shp_dim_const(t, k))) };
    for (int i = 0; i < GRID; i++) {
        for (int j = 0; j < GRID; j++) {
            grid_h = i < 20 ? i : i * i * 7 + i;        /* far enough to tell 17/18 from 14/15 */
            grid_w = j < 20 ? j : j * j * 11 + 1;
            int64_t want = q1 * grid_h + q2 * grid_w + q3 + k * naive_floor(c1 * grid_h + c2 * grid_w + d, b), got = 0;
            bool ok = shp_dim_eval(t, f.d, on_grid, NULL, &got);
            if (!ok || got != want) check(false, "form", print(t, f.d), "");
            f.hash = shp_mix(f.hash, (uint64_t)want);
        }
    }
    return f;
}

static void test_converse(void)
{
    enum { FORMS = 20000 };
    static form forms[FORMS];
    shp_dims *t = fresh_table();
    for (int i = 0; i < FORMS; i++) forms[i] = random_form(t);
    qsort(forms, FORMS, sizeof forms[0], by_hash);
    int same = 0;
    for (int i = 1; i < FORMS && failures < 20; i++) {
        if (forms[i].hash != forms[i - 1].hash) continue;
        same++;
        check(forms[i].d == forms[i - 1].d, "converse", print(t, forms[i].d), print(t, forms[i - 1].d));
    }
    printf("converse: %d pairs of equal forms\n", same);
    /* polynomials: the same product multiplied out in two orders */
    for (int i = 0; i < 2000; i++) {
        shp_dim f[4], left = shp_dim_const(t, 1), right = left;
        for (int j = 0; j < 4; j++) f[j] = linear(t, between(-2, 2), between(-2, 2), between(-2, 2));
        for (int j = 0; j < 4; j++) { left = shp_dim_mul(t, left, f[j]); right = shp_dim_mul(t, right, f[3 - j]); }
        check(left == right, "polynomial", print(t, left), print(t, right));
    }
}

/* Every limit on memory ends in 0 or a dim, never in a crash. */
static void test_memory(void)
{
    for (size_t limit = 0; limit < 60000; limit += 97) {
        shp_dims *t = table_of(limit);
        if (!t) continue;
        seed = limit + 1;
        for (int i = 0; i < 300; i++) {
            shp_dim a = linear(t, between(-2, 2), between(-2, 2), between(-2, 2)), b = linear(t, between(-1, 1), 0, between(1, 2));
            shp_dim c = ops[rnd(9)](t, a, b);
            shp_dim_unify(t, shp_dim_fresh(t, rnd(9), SHP_ANY, &(shp_origin){ 0 }), c);
            shp_dim_resolve(t, ops[rnd(9)](t, c, shp_dim_fresh(t, rnd(9), SHP_ANY, &(shp_origin){ 0 })));
            print(t, c);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) seed ^= strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u;
    test_rows();
    test_api();
    test_programs(argc > 1 ? atoi(argv[1]) : 3000);
    test_converse();
    test_memory();
    table_of(0);
    if (failures) printf("%d failures\n", failures);
    else puts("dim: all passed");
    return failures != 0;
}
