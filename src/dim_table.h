/* dim_table - what the files of dim share: the table, its records, and the algebra below the public functions.
 * Private to dim.c, dimfact.c and dimtext.c.
 *
 * The functions here answer 0 where they fail, and make no fresh symbol: bounds and printing try many things that
 * must leave no trace in the list of symbols. Only the public arithmetic turns a failure into a symbol.
 */
#ifndef SHP_DIM_TABLE_H
#define SHP_DIM_TABLE_H

#include "dim.h"

enum {
    MEMO = 256,
    MAX_TERMS = 64,         /* scratch polynomials live on the stack */
    MAX_DEPTH = 32,
    MAX_ARGS = 16,          /* of one Min or broadcast */
    MAX_DEGREE = 16,        /* of one product */
    MAX_WEIGHT = 1024,      /* atoms in an expression written out as a tree: bounds evaluation and printing */
};

typedef enum shp_atom_kind {
    ATOM_SYMBOL, ATOM_FLOOR, ATOM_MIN, ATOM_BROADCAST,
    ATOM_MAX, ATOM_MOD,     /* made for printing only */
} shp_atom_kind;

typedef enum shp_dim_failure { FAIL_NONE, FAIL_LIMIT, FAIL_OVERFLOW } shp_dim_failure;

/* The distinct symbols of something, ascending; NULL for none. Shared between those that have the same. */
typedef struct shp_symset { uint32_t n, id[]; } shp_symset;

/* What atoms, products and sums all have. */
typedef struct shp_traits {
    int64_t lo, hi;         /* bounds; INT64_MIN and INT64_MAX for none */
    const shp_symset *symbols;
    uint32_t weight;
    uint8_t depth;
    bool compound;          /* holds an atom that is no symbol, or a symbol that another dim bounds */
    bool broadcast, fresh, undeclared;      /* holds such an atom or symbol, insides included */
} shp_traits;

typedef struct shp_atom {
    shp_traits is;          /* of the atom alone */
    shp_atom_kind kind;
    uint32_t id;
    uint32_t symbol;        /* of ATOM_SYMBOL: its index */
    uint32_t n;
    uint32_t mono;          /* the product that is this atom alone */
    shp_dim dim;            /* the sum that is this atom alone */
    shp_dim to;             /* what replaces it, or 0 */
    shp_dim arg[];          /* of the others: {numerator, denominator}, or the list in order */
} shp_atom;

/* A product of atoms, ascending; the empty one, 1, has id 0. */
typedef struct shp_mono {
    shp_traits is;
    uint32_t n;
    uint32_t atom[];
} shp_mono;

typedef struct shp_term {
    int64_t coef;
    uint32_t mono;
    uint32_t zero;          /* padding that hashes and compares */
} shp_term;

/* A sum: no coefficient is 0, products descend in graded lexicographic order, so a constant comes last. */
typedef struct shp_expr {
    shp_traits is;
    uint32_t n;
    bool lo_done, hi_done;  /* is.lo and is.hi are as good as they get */
    bool is_zero;           /* a noted equality says that it is 0 */
    uint8_t taken;          /* 1 + what it was taken to be at least, or 0 */
    uint32_t epoch;         /* 1 + the epoch at which `resolved` was found, or 0 */
    shp_dim resolved;
    shp_dim shifted;        /* with every declared size s written as s + 1, or 0 */
    shp_str text;           /* as it was printed first, or empty */
    shp_term term[];
} shp_expr;

/* The terms of a dim; `own` is that of a number without a record. */
typedef struct shp_terms { uint32_t n; const shp_term *at; shp_term own; } shp_terms;

typedef struct shp_named { shp_symbol s; uint32_t atom; } shp_named;

typedef struct shp_list { void *at; size_t n, room; } shp_list;

/* A record by the bytes that define it: its class in the 4 bits below its index. */
typedef struct shp_slot { const void *at; uint32_t size, hash, ref; } shp_slot;

/* An operation done before, and its answer. */
typedef struct shp_memo { shp_dim a, b; uint32_t op, epoch; shp_dim result; } shp_memo;

/* One fact learned: a replaced atom, or (atom == UINT32_MAX) a pair noted as equal. */
typedef struct shp_fact { uint32_t atom; shp_dim a, b, difference; uint32_t before; /* the epoch that it ended */ } shp_fact;

/* Values of symbols: false for one that has none. */
typedef struct shp_point { bool (*value)(void *arg, const shp_symbol *s, int64_t *v); void *arg; } shp_point;

struct shp_dims {
    shp_arena *arena;
    uint32_t max_terms, max_depth;
    shp_list exprs, monos, atoms, symbols;  /* of pointers: records never move */
    shp_list facts, notes;                  /* of shp_fact: in order, and those that are pairs */
    shp_slot *slots;                        /* one intern table for everything */
    uint32_t mask, used;
    uint64_t seed;
    shp_memo memo[MEMO];
    uint32_t epoch, epochs, printed, level; /* epoch: of what is known now; epochs: the last one that was new */
    shp_dim_failure failure;                /* why the last answer of 0 was one */
    int64_t number;                         /* the last that was asked for and is its own handle */
    bool overflow;
    bool shifting;                          /* symbols stand for something else: facts do not hold */
    const shp_point *point;                 /* for these values, NULL: for s + 1 */
};

#define ZERO SHP_DIM_LITERAL(0)
#define ONE SHP_DIM_LITERAL(1)

/* Whether d is a number that is its own handle, and which. */
static inline bool is_small(shp_dim d) { return (d & SHP_DIM_NUMBER) != 0; }
static inline int64_t small_value(shp_dim d) { return (int32_t)d >> 1; }

/* The record of a dim that is no number; else one that holds nothing. */
static inline shp_expr *open_at(const shp_dims *t, shp_dim d) { return ((shp_expr **)t->exprs.at)[is_small(d) ? 0 : d >> 1]; }
static inline shp_mono *mono_at(const shp_dims *t, uint32_t m) { return ((shp_mono **)t->monos.at)[m]; }
static inline shp_atom *atom_at(const shp_dims *t, uint32_t a) { return ((shp_atom **)t->atoms.at)[a]; }
static inline shp_named *symbol_at(const shp_dims *t, uint32_t s) { return ((shp_named **)t->symbols.at)[s]; }

/* Checked arithmetic: false where the result leaves int64. */
static inline bool add64(int64_t a, int64_t b, int64_t *r)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *r = a + b;
    return true;
}

static inline bool mul64(int64_t a, int64_t b, int64_t *r)
{
    if (a == 0 || b == 0) { *r = 0; return true; }
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
              : (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a)) return false;
    *r = a * b;
    return true;
}

/* Bounds saturate. INT64_MIN as a lower bound and INT64_MAX as an upper one are infinite; the other way round they
 * are what a large number was rounded to. */
static inline int64_t dim_bound_mul(int64_t a, int64_t b)
{
    int64_t r;
    if (!mul64(a, b, &r)) return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return r == -INT64_MAX ? INT64_MIN : r;     /* -1 times infinity */
}

static inline int64_t dim_bound_add(int64_t a, int64_t b, int64_t infinity)
{
    int64_t r;
    if (a == infinity || b == infinity) return infinity;
    return add64(a, b, &r) ? r : a < 0 ? INT64_MIN : INT64_MAX;
}

/* a/b rounded down, b > 0. */
static inline int64_t floor64(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* What that leaves, in [0, b). */
static inline int64_t mod64(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

/* ---- dim.c ---- */
void dim_terms(const shp_dims *t, shp_dim d, shp_terms *s);
int64_t dim_lead(const shp_dims *t, shp_dim d);                     /* the first term's coefficient, 0 where there is none */
void *dim_push(shp_dims *t, shp_list *list, size_t size);           /* room for one more, or NULL */
bool dim_find_name(shp_dims *t, shp_str name);                      /* is there a symbol of that name */
shp_dim dim_sum(shp_dims *t, shp_dim a, int64_t ka, shp_dim b, int64_t kb);     /* ka*a + kb*b */
shp_dim dim_add(shp_dims *t, shp_dim a, shp_dim b);
shp_dim dim_less(shp_dims *t, shp_dim a, shp_dim b);                /* a - b */
shp_dim dim_less_again(shp_dims *t, shp_dim a, shp_dim b);          /* the same, where it is likely that it was asked before */
shp_dim dim_minus(shp_dims *t, shp_dim a);                          /* -a */
shp_dim dim_plus(shp_dims *t, shp_dim a, int64_t k);                /* a + k */
shp_dim dim_times(shp_dims *t, shp_dim a, shp_dim b);
shp_dim dim_apply(shp_dims *t, shp_dim_op op, shp_dim a, shp_dim b);
shp_dim dim_floor(shp_dims *t, shp_dim a, shp_dim b);
shp_dim dim_min(shp_dims *t, const shp_dim *list, uint32_t n);
shp_dim dim_broadcast(shp_dims *t, const shp_dim *list, uint32_t n);
shp_dim dim_atom(shp_dims *t, shp_atom_kind kind, const shp_dim *arg, uint32_t n);  /* as it stands: no identity applied */
shp_atom *dim_lone(const shp_dims *t, shp_dim d);                   /* the atom that d is exactly, or NULL */
int64_t dim_content(const shp_dims *t, shp_dim d);                  /* gcd of all coefficients, >= 0 */
shp_dim dim_shrink(shp_dims *t, shp_dim d, int64_t g);              /* d/g for a g that divides each coefficient */
/* The atom of d's products that is no symbol and has the largest id below `below` (UINT32_MAX to begin), or NULL. */
shp_atom *dim_compound(const shp_dims *t, shp_dim d, uint32_t below);
/* d = c*x + rest with x in neither; false where x is squared or the parts cannot be had. */
bool dim_split(shp_dims *t, shp_dim d, const shp_atom *x, shp_dim *c, shp_dim *rest);
/* floor(a/b), b a positive integer, as x - floor(a2/b): the list that says a2 = x*b + b - 1 - a. */
shp_dim dim_complement(shp_dims *t, shp_dim a, int64_t b, shp_dim *x);

/* ---- dimfact.c ---- */
bool dim_never_one(shp_dims *t, shp_dim d);
void dim_bound_atom(shp_dims *t, shp_atom *x);                      /* fills x->is.lo and hi from its parts */

#endif
