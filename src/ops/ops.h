/* ops - what rules share: short names for arithmetic on dims, axes, broadcasting, element arithmetic.
 * The table of rules is ops.def; a rule stands in its family's file. */
#ifndef SHP_OPS_H
#define SHP_OPS_H

#include "../node.h"

/* The rule for an operator, by its number in schema_ops.h; NULL where there is none. */
shp_rule *shp_op_rule(int op);

/* The number in the operator's row of the table (ops.def), 0 where it has none. */
int shp_variant(const shp_node *n);

#define OP(domain, op_type, rule) void rule(shp_node *);
#define OPN(domain, op_type, rule, number) void rule(shp_node *);
#define PATTERN(domain, op_type, text)
#include "ops.def"
#undef OP
#undef OPN
#undef PATTERN

/* ---- dims, in the context of a node (ops/common.c): dim.h's functions, with short names for rules ---- */
shp_dim shp_num(shp_node *n, int64_t v);
shp_dim shp_add(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_sub(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_mul(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_floor_div(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_ceil_div(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_div_exact(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_min(shp_node *n, shp_dim a, shp_dim b);
shp_dim shp_max(shp_node *n, shp_dim a, shp_dim b);
int64_t shp_lo(shp_node *n, shp_dim d);
int64_t shp_hi(shp_node *n, shp_dim d);
int shp_ge(shp_node *n, shp_dim a, shp_dim b);
bool shp_is_num(shp_node *n, shp_dim d);            /* n->number says which */
static inline shp_dim num(shp_node *n, int64_t v) { return shp_dim_fits(v) ? shp_dim_small(v) : shp_num(n, v); }
#define lit(v) SHP_DIM_LITERAL(v)       /* a number that the rule itself names */
#define add(n, a, b) shp_add(n, a, b)
#define sub(n, a, b) shp_sub(n, a, b)
#define mul(n, a, b) shp_mul(n, a, b)
#define floor_div(n, a, b) shp_floor_div(n, a, b)
#define ceil_div(n, a, b) shp_ceil_div(n, a, b)
#define div_exact(n, a, b) shp_div_exact(n, a, b)
#define dim_min(n, a, b) shp_min(n, a, b)
#define dim_max(n, a, b) shp_max(n, a, b)
#define lo(n, d) shp_lo(n, d)
#define hi(n, d) shp_hi(n, d)
#define ge(n, a, b) shp_ge(n, a, b)
#define is_num(n, d, v) (shp_is_num(n, d) && (*(v) = (n)->number, true))
#define is(n, d, v) ((d) == lit(v))     /* v: of 31 bits */

/* ---- shared by families (ops/common.c) ---- */
/* `count` zeroed items of that size, which live as long as the call; NULL: no memory. */
void *shp_items(shp_node *n, size_t count, size_t size);
/* An axis in [-rank, rank) made non-negative; fails (code in n->failed) and returns -1 outside. */
int64_t shp_axis(shp_node *n, int64_t axis, int64_t rank);
/* Product of count dims (1 for none). */
shp_dim shp_product(shp_node *n, const shp_dim *dim, uint32_t count);
/* All elements of a shape, 0 where shape is NULL. */
shp_dim shp_numel(shp_node *n, const shp_shape *s);
/* The node of that scope that makes a value and has inputs, else NULL. */
const shp_node_proto *shp_maker(const shp_scope *s, uint32_t slot);
/* The one element of a value as a dim; 0 where it is none. */
shp_dim shp_only(shp_node *n, const shp_fact *f);
/* The size that axes of inputs i and j broadcast to, which have these; 0 where one is not known, or they do not: failed. */
shp_dim shp_broadcast(shp_node *n, uint32_t i, uint32_t j, shp_dim a, shp_dim b);
/* Output o has the shape that inputs [first, first + count) broadcast to (absent ones ignored), by numpy's rule. */
void shp_out_broadcast(shp_node *n, uint32_t o, uint32_t first, uint32_t count);
/* Checks a rank: fails with the input named where it is known and not in [lo, hi]. Returns the shape or NULL (n->failed tells which). */
const shp_shape *shp_want_rank(shp_node *n, uint32_t i, int64_t lo, int64_t hi);

/* ---- element arithmetic (ops/content.c): unknown in, unknown out; exact or unknown ---- */
shp_elem shp_elem_int(shp_node *n, int64_t v);
bool shp_elem_is_number(shp_node *n, shp_elem e);  /* a number of any form; n->real says which, as a double */
#define shp_elem_number(n, e, v) (shp_elem_is_number(n, e) && (*(v) = (n)->real, true))
bool shp_elem_is_num(shp_node *n, shp_elem e);      /* an integer constant (den 1); n->number says which */
#define shp_elem_is_int(n, e, v) (shp_elem_is_num(n, e) && (*(v) = (n)->number, true))
/* Operations on elements in the arithmetic of an element type: integers exact (what leaves the type is unknown; of 32 bits symbols are assumed to fit), floats rounded as the type
 * is; symbolic as far as the specification's arithmetic and the assumptions R2a, b and e let them. Comparisons and logic give 0 or 1 where the
 * ranges decide. What takes one operand (from SHP_NEG on) is given it twice. */
typedef enum { SHP_ADD = SHP_DIM_ADD, SHP_SUB, SHP_MUL, SHP_MIN, SHP_MAX /* so far as in dim.h */, SHP_DIV, SHP_MOD /* sign of the divisor */,
               SHP_FMOD /* of the dividend */, SHP_POW, SHP_EQUAL, SHP_LESS, SHP_LESS_EQUAL, SHP_GREATER, SHP_GREATER_EQUAL, SHP_AND, SHP_OR, SHP_XOR,
               SHP_BIT_AND, SHP_BIT_OR, SHP_BIT_XOR, SHP_SHIFT_LEFT, SHP_SHIFT_RIGHT,
               SHP_NEG, SHP_ABS, SHP_SIGN, SHP_RELU, SHP_FLOOR, SHP_CEIL, SHP_ROUND, SHP_SQRT, SHP_RECIPROCAL, SHP_NOT, SHP_BIT_NOT } shp_calc;
shp_elem shp_elem_calc(shp_node *n, shp_calc op, int dtype, shp_elem a, shp_elem b);
shp_elem shp_elem_cast(shp_node *n, int from, int to, shp_elem e);
/* a where a bool is true, else b: known where the bool is, or where it is made of sizes and they are. */
shp_elem shp_elem_choose(shp_node *n, shp_elem flag, shp_elem a, shp_elem b);
int shp_elem_ge(shp_node *n, shp_elem a, shp_elem b);   /* 1 a >= b, 0 a < b, -1 undecided */
int shp_elem_eq(shp_node *n, shp_elem a, shp_elem b);
/* Whether inputs [first, first + count) that are present all have contents: asked for only where the rest of them makes that worth it, so
 * that no weights are read (of floats, initializers of at most 64 elements). */
bool shp_in_contents(shp_node *n, uint32_t first, uint32_t count);
/* The content of input i where that is worth it, else NULL. */
const shp_content *shp_in_worth(shp_node *n, uint32_t i);
/* ---- bounds (ops/bounds.c): between what the elements of a tensor lie that has too many for a content, or a number of them that is open.
 * Of a tensor without elements they say nothing. Where output o has a content already, what gives it bounds does nothing. ---- */
/* The one value that input i has in all places by its bounds, else 0. */
shp_elem shp_in_value(shp_node *n, uint32_t i);
/* Gives output o, whose shape is set, these bounds (elements, where there is one value and they are few); those of input i. */
void shp_out_bounds(shp_node *n, uint32_t o, shp_elem lo, shp_elem hi);
void shp_out_bounds_of(shp_node *n, uint32_t o, uint32_t i);
/* Gives output 0 those of a cast; those of op over all inputs, from the first to the last. */
void shp_out_cast_bounds(shp_node *n, int from, int to);
void shp_out_calc_bounds(shp_node *n, shp_calc op);
/* Output o has that element type, an attribute's number; fails where it is none, or none that the operator gives: false. */
bool shp_out_dtype(shp_node *n, uint32_t o, int64_t dtype);

#endif
