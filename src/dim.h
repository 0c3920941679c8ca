/* dim - symbolic dimensions: integer expressions over named and unnamed symbols, interned in one canonical form.
 *
 * A `shp_dim` is a handle into a table. Equal handles prove two expressions equal; different handles prove nothing,
 * unless both are numbers. Handle 0 means "failed earlier": every function here takes it and passes it on, so callers
 * need no check per step. Nothing here fails loudly: where arithmetic leaves int64, or an expression grows past the
 * limits (terms, depth), the answer is a fresh symbol, the same one for the same operands, and `overflow` is set
 * in the first case.
 *
 * Canonical form: a sum of integer * product of atoms; an atom is a symbol, floor(a/b), Min(a, b, …) or broadcast(a, b, …).
 *   ceil(a/b) = floor((a + b - 1)/b) for an integer b > 0, else -floor(-a/b);   Mod(a, b) = a - b*floor(a/b);
 *   Max(a, b) = a + b - Min(a, b).
 * Source: DESIGN of this project; the printed grammar is the one ONNX's symbolic tools read.
 */
#ifndef SHP_DIM_H
#define SHP_DIM_H

#include "arena.h"

typedef uint32_t shp_dim;
typedef struct shp_dims shp_dims;

/* A number that fits 31 bits is its own handle: those bits above a lowest one that is set. Larger ones are in the table. */
#define SHP_DIM_NUMBER 1u
#define SHP_DIM_LITERAL(v) ((shp_dim)(v) << 1 | SHP_DIM_NUMBER)     /* a constant in the code, not a call */
static inline bool shp_dim_fits(int64_t v) { return v >= -(1 << 30) && v < 1 << 30; }
static inline shp_dim shp_dim_small(int64_t v) { return SHP_DIM_LITERAL(v); }

/* What is known of a symbol's value before anything else is. */
typedef enum shp_symbol_kind {
    SHP_SIZE,       /* a size: >= 0. Declared by an input: may be assumed >= 1 (shp_dim_assumable) */
    SHP_COUNT,      /* a size that data decides: >= 0, never assumed >= 1 */
    SHP_ANY,        /* an element of a tensor: any integer */
    SHP_FLAG,       /* an unknown bool: 0 or 1 */
} shp_symbol_kind;

/* Where a symbol comes from; kept for the report and --why. All zero for declared names. */
typedef struct shp_origin {
    const void *scope;  /* the graph instance of the node, or NULL */
    uint32_t node;      /* index of the node in its graph */
    uint32_t output;    /* index of the output (or the input's index for inputs) */
    uint32_t axis;      /* axis or element index */
    uint32_t why;       /* SHP_WHY_… of node.h */
} shp_origin;

typedef struct shp_symbol {
    shp_str name;           /* the dim_param; len 0: unnamed, named unk__N when it is first printed */
    shp_symbol_kind kind;
    bool declared;          /* a name that the model gives to an input's dim */
    uint32_t printed;       /* 1 + N once printed as unk__N, else 0 */
    shp_dim most;           /* what it is never above (a loop's counter), or 0 */
    shp_origin origin;
} shp_symbol;

/* An empty table, or NULL without memory. terms: most terms of one expression, 2 to 64; depth: deepest nesting of floor, Min
 * and broadcast, at most 32 (what is outside is clamped). Besides, a Min or broadcast has at most 16 elements, a product 16
 * factors, and an expression written out 1,024 atoms. seed: of hashes, best a number that who wrote the dims cannot know. */
shp_dims *shp_dims_new(shp_arena *a, uint32_t terms, uint32_t depth, uint64_t seed);
bool *shp_dims_overflow(shp_dims *t);       /* set when arithmetic left int64; the caller clears it */

/* ---- making dims ---- */
shp_dim shp_dim_large(shp_dims *t, int64_t value);      /* what does not fit */
static inline shp_dim shp_dim_const(shp_dims *t, int64_t value)
{
    return shp_dim_fits(value) ? shp_dim_small(value) : shp_dim_large(t, value);
}
/* The symbol of that name (the whole string is the name), made at its first use with that kind. */
shp_dim shp_dim_named(shp_dims *t, shp_str name, shp_symbol_kind kind, bool declared);
/* The unnamed symbol of that key: the same key gives the same symbol (and keeps its first kind and origin). */
shp_dim shp_dim_fresh(shp_dims *t, uint64_t key, shp_symbol_kind kind, const shp_origin *origin);
/* The same as a SHP_COUNT that is never above `most` (0: nothing is known of that). */
shp_dim shp_dim_fresh_upto(shp_dims *t, uint64_t key, const shp_origin *origin, shp_dim most);

/* ---- arithmetic, exact or a fresh symbol ---- */
typedef enum shp_dim_op {
    SHP_DIM_ADD, SHP_DIM_SUB, SHP_DIM_MUL, SHP_DIM_MIN, SHP_DIM_MAX,
    SHP_DIM_FLOOR_DIV,      /* rounds down; b == 0: 0 (failed) */
    SHP_DIM_CEIL_DIV,       /* rounds up; b == 0: 0 (failed) */
    SHP_DIM_MOD,            /* sign of b, as Python's % */
    /* The size two broadcast axes give: equal, or one of them 1. n for an integer n != 1 against anything; a where a != 1 is
     * known; else the atom broadcast(a, b). Two different integers, neither 1: 0 (a contradiction the caller reports). */
    SHP_DIM_BROADCAST,
} shp_dim_op;
shp_dim shp_dim_operate(shp_dims *t, shp_dim_op op, shp_dim a, shp_dim b);
static inline shp_dim shp_dim_add(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_ADD, a, b); }
static inline shp_dim shp_dim_sub(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_SUB, a, b); }
static inline shp_dim shp_dim_mul(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_MUL, a, b); }
static inline shp_dim shp_dim_min(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_MIN, a, b); }
static inline shp_dim shp_dim_max(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_MAX, a, b); }
static inline shp_dim shp_dim_floor_div(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_FLOOR_DIV, a, b); }
static inline shp_dim shp_dim_ceil_div(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_CEIL_DIV, a, b); }
static inline shp_dim shp_dim_mod(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_MOD, a, b); }
static inline shp_dim shp_dim_broadcast(shp_dims *t, shp_dim a, shp_dim b) { return shp_dim_operate(t, SHP_DIM_BROADCAST, a, b); }
/* a/b where the polynomial b divides the polynomial a exactly (B*S*768 / B*12*64 = S); else 0. Symbols that
 * cancel are taken as not 0. */
shp_dim shp_dim_div_exact(shp_dims *t, shp_dim a, shp_dim b);

/* ---- asking ---- */
/* The number that d is, or NULL where it is none. It stands there until the next one is asked for. */
const int64_t *shp_dim_number(const shp_dims *t, shp_dim d);
/* Bounds that hold for every value of the symbols within their kinds; INT64_MIN and INT64_MAX stand for none.
 * Sees through floor (a - b*floor(a/b) is in [0, b-1]) and Min. */
int64_t shp_dim_lo(shp_dims *t, shp_dim d);
int64_t shp_dim_hi(shp_dims *t, shp_dim d);
/* Takes d >= least (0 or 1) as a fact. It is told where it is asked for; bounds and arithmetic go without, since they also look at
 * expressions whose symbols stand for sizes less 1. Whether that says d >= k. */
void shp_dim_take(shp_dims *t, shp_dim d, int least);
bool shp_dim_taken(const shp_dims *t, shp_dim d, int64_t k);
/* The lower bound when, besides, every declared SHP_SIZE symbol in d is >= 1 (rule R2a). */
int64_t shp_dim_lo_assuming(shp_dims *t, shp_dim d);
/* 1: a >= b always; 0: a < b always; -1: not known. Likewise equality. */
int shp_dim_ge(shp_dims *t, shp_dim a, shp_dim b);
int shp_dim_eq(shp_dims *t, shp_dim a, shp_dim b);
/* Whether d is never greater than 0 or one of its symbols is. */
bool shp_dim_within(shp_dims *t, shp_dim d);
/* The symbol that d is exactly, or NULL. */
const shp_symbol *shp_dim_symbol(const shp_dims *t, shp_dim d);
/* Whether any symbol of d is unnamed or undeclared (names of outputs and value_info are not declared). */
bool shp_dim_has_undeclared(const shp_dims *t, shp_dim d);
/* Whether `is` holds of a symbol of d, atoms' insides included: of each is asked once, until one is. Whether one of them is s. */
bool shp_dim_any(const shp_dims *t, shp_dim d, bool (*is)(void *arg, const shp_symbol *s), void *arg);
bool shp_dim_mentions(const shp_dims *t, shp_dim d, const shp_symbol *s);

/* ---- equalities (R1): union-find over unnamed symbols and broadcast atoms ---- */
/* Takes a == b as a fact. An unnamed symbol or a broadcast atom that is one side alone is replaced by the other
 * side from now on (never by an expression that holds itself); two declared symbols, or expressions, are only noted as
 * equal (shp_dim_equals). A SHP_ANY symbol set equal to something stays what the other side is.
 * false: both are numbers and differ, or bounds exclude it (nothing is noted then). */
bool shp_dim_unify(shp_dims *t, shp_dim a, shp_dim b);
/* d with everything replaced that has been learned so far. */
shp_dim shp_dim_resolve(shp_dims *t, shp_dim d);
/* Says which replacements hold: what was resolved at the same number needs no new look. 0: none. */
uint32_t shp_dims_epoch(const shp_dims *t);
/* Replacements made after a mark are taken back by rewind (a body's facts do not travel). */
uint32_t shp_dims_mark(const shp_dims *t);
void shp_dims_rewind(shp_dims *t, uint32_t mark);
/* The pairs that are only noted as equal: count, and pair i. At least one side of each is a declared symbol. */
uint32_t shp_dims_equal_count(const shp_dims *t);
void shp_dims_equal(const shp_dims *t, uint32_t i, shp_dim *a, shp_dim *b);

/* ---- text ---- */
/* Appends the printed form of d to out (cap bytes, *len used), NUL excluded; false where it does not fit (nothing useful is
 * written then). A declared symbol alone is printed as its name, raw; inside an expression a name that is no identifier
 * (letters, digits, _ . : beginning with a letter or _) goes in backticks. Unnamed symbols get unk__N in order of first printing,
 * skipping every N for which a named symbol "unk__N" exists. */
bool shp_dim_print(shp_dims *t, shp_dim d, char *out, size_t cap, size_t *len);
/* Parses an expression (+ - * / // % ** , floor ceil ceiling Min Max min max Mod mod broadcast, backticked names) whose names
 * `lookup` resolves (0: unknown name, the parse fails). A division must be inside floor or ceil, be //, or divide exactly.
 * 0 where text is no such expression. Nesting is bounded. */
shp_dim shp_dim_parse(shp_dims *t, shp_str text, shp_dim (*lookup)(void *arg, shp_str name), void *arg);
/* The value at an assignment: value(arg, symbol, &v) gives a symbol's value or false. false: a symbol without a value,
 * overflow (of a term; shp_dims_overflow tells), division by zero, or a broadcast of sizes that do not broadcast. What tests check the rest by. */
bool shp_dim_eval(shp_dims *t, shp_dim d, bool (*value)(void *arg, const shp_symbol *s, int64_t *v), void *arg, int64_t *result);

/* Symbols in order of making, for the report. */
uint32_t shp_dims_symbols(const shp_dims *t);
const shp_symbol *shp_dims_symbol(const shp_dims *t, uint32_t i);
/* The dim that is symbol i alone. */
shp_dim shp_dims_symbol_dim(const shp_dims *t, uint32_t i);

#endif
