/* node - what a rule sees: a node's inputs, attributes and outputs, contents of small tensors, and a way to fail.
 *
 * A rule is `void infer_xxx(shp_node *n)`: it reads inputs and attributes and sets outputs. Whether it failed n->failed says; what it
 * sets from then on is ignored, so that it may simply go on. Rules are pure: the same inputs give the same outputs, nothing else
 * changes, so a node can be done again. What a rule leaves unset is unknown. Output types come from the schema table; a rule sets a
 * type only where the specification computes one (Cast's `to`). Arity, allowed types, required attributes and attributes that a
 * version does not have were checked before the rule is called.
 *
 * Handle 0 of a dim means "failed earlier" and passes through arithmetic; as a dim of an output it becomes a fresh symbol.
 */
#ifndef SHP_NODE_H
#define SHP_NODE_H

#include "arena.h"
#include "dim.h"
#include "dtype.h"
#include "error.h"
#include "model.h"
#include "schema.h"

enum { SHP_NESTING_MAX = 250,       /* most functions and subgraphs inside each other: each takes up to 500 bytes of the module's stack of 256 KiB,
                                     * and the innermost rule up to 56 KiB */
       SHP_RANK_MAX = 1024,         /* most axes: a rule may keep `shp_dim d[SHP_RANK_MAX]` on its stack */
       SHP_ELEMENTS_MAX = 1024,     /* most elements of a content, as numbers */
       SHP_SYMBOLS_MAX = 256 };     /* most elements of a content, once one of them is no number */

/* ---- types, shapes, contents ---- */

/* A type code as schema.h numbers them: 0 unknown, 1 to 28 a tensor of that element type, SHP_TYPE_SEQ + e, SHP_TYPE_OPT + e,
 * SHP_TYPE_OPTSEQ + e, and from SHP_TYPE_OTHER on what this call has interned (maps, sparse tensors, deeper nestings). */
typedef uint16_t shp_type;
typedef enum { SHP_KIND_UNKNOWN, SHP_KIND_TENSOR, SHP_KIND_SEQ, SHP_KIND_OPT, SHP_KIND_MAP, SHP_KIND_SPARSE } shp_kind;

typedef struct shp_shape {          /* never changed once made: shared freely */
    uint64_t hash;                  /* shp_shape_hash, 0 until asked */
    int32_t rank;                   /* >= 0 but for shp_shape_none and shp_shape_apart */
    shp_dim dim[];
} shp_shape;
extern const shp_shape shp_shape_none;      /* the element shape of a sequence that is still empty: merges with any */
extern const shp_shape shp_shape_apart;     /* one rank or another, as sizes or branches decide: the file's word for it holds for one alone */

/* One element, in one word: 0, unknown; an integer expression (den 1: integers and bools, 0 and 1 for these); a quotient num/den
 * (den > 1: floats only); or a floating-point constant (den -1: floats only; float constants are always this). Equal words are equal
 * elements. Quotients have the numerator's handle below and the denominator above it; constants are inverted, as that leaves the
 * words that quotients need to NaNs that are never made. */
typedef uint64_t shp_elem;
enum { SHP_DEN_MAX = (1 << 19) - 2,             /* the bit above says that only its floor is what the quotient says (ops/content.c) */
       SHP_REALS = (1 << 20) - 1 };             /* the upper half from which on it is a constant, minus infinity the first */
static inline bool shp_elem_is_real(shp_elem e) { return e >> 32 >= SHP_REALS; }
static inline int32_t shp_elem_den(shp_elem e) { return shp_elem_is_real(e) ? -1 : (int32_t)(e >> 32 & (SHP_REALS >> 1)); }
static inline shp_dim shp_elem_num(shp_elem e) { return shp_elem_is_real(e) ? 0 : (shp_dim)e; }     /* 0 of what is unknown or a constant */
static inline shp_elem shp_elem_dim(shp_dim d) { return d ? (uint64_t)1 << 32 | d : 0; }           /* unknown for handle 0 */
shp_elem shp_elem_real(double v);
double shp_elem_value(shp_elem e);              /* of a constant */
static inline shp_dim shp_elem_whole(shp_elem e) { return shp_elem_den(e) == 1 ? shp_elem_num(e) : 0; }    /* an integer expression, or 0 */

typedef struct shp_fact shp_fact;
typedef struct shp_content {        /* never changed once set as an output's: shared freely */
    uint32_t count;                 /* elements of a tensor, in row-major order; items of a sequence where item is set */
    bool fixed;                     /* every element is a number: nothing that is learned later changes it */
    bool bounds;                    /* no elements, but two that bound them (ops/bounds.c); what gives contents to rules leaves it out */
    shp_dim length;                 /* of a sequence or 0 where unknown; of an optional: 1 has an element, 0 has none, handle 0 unknown */
    const shp_fact *item;           /* a sequence's items, where each is known; else NULL */
    uint64_t hash;                  /* the driver's: of the elements, 0 until asked */
    shp_elem elem[];                /* a tensor's elements */
} shp_content;

struct shp_fact {
    shp_type type;
    const shp_shape *shape;         /* of a tensor, or of the elements of a sequence or optional; NULL: rank unknown */
    const shp_content *content;     /* NULL: unknown, or not decoded yet; rules ask shp_in_content or shp_fact_content */
    const shp_tensor *tensor;       /* what shp_fact_content decodes on first use, or NULL */
    uint64_t id;                    /* value number: equal ids, equal values in every run */
};

typedef struct shp_infer shp_infer;     /* one call: infer.h */
typedef struct shp_scope shp_scope;     /* one graph being inferred: infer.h */

typedef struct shp_node {
    shp_infer *x;
    shp_dims *dims;                 /* the table that dim.h works on */
    shp_scope *scope;
    const shp_node_proto *proto;
    const shp_schema *schema;       /* NULL for operators that no schema has */
    const struct shp_signature *signature;          /* the schema as check.c reads it once; NULL with it */
    uint32_t index;                 /* in its graph */
    int opset;                      /* imported version of the node's domain; 1 where nothing is imported */
    int failed;                     /* the first failure, a shp_code */
    bool noted;                     /* shp_note was called */
    bool told;                      /* an error was told: the node's others are not */
    uint64_t bodies;                /* bits of the attributes, the first 64, whose bodies its rule has inferred */
    bool foreign;                   /* it has an attribute that this version does not have */
    bool own;                       /* what comes out is of this node alone, not of all with such inputs: fresh symbols, assumptions */
    uint32_t nout;                  /* outputs the node names */
    shp_fact *out;                  /* nout facts being made */
    uint64_t id;                    /* value number of the whole node: same deterministic operator, attributes and input values */
    int64_t number;                 /* what was found last to be a number: which */
    double real;
    uint64_t *read;                 /* bits for --why: 2*i shape or type, 2*i + 1 content of input i < 32 was read */
} shp_node;

typedef void shp_rule(shp_node *n);

/* ---- inputs: i counts from 0; past the last, or omitted ("") ones are absent ---- */
uint32_t shp_inputs(const shp_node *n);             /* index of the last present input, plus 1 */
bool shp_has(const shp_node *n, uint32_t i);
const shp_fact *shp_in(shp_node *n, uint32_t i);    /* never NULL: an absent input is an all-unknown fact */
shp_type shp_in_type(shp_node *n, uint32_t i);
int shp_in_dtype(shp_node *n, uint32_t i);          /* element type of a tensor, or of the tensors in a sequence or optional; 0 unknown */
/* The shape, dims resolved; NULL where the rank is unknown or the input absent. Of a sequence or optional: of its elements. */
const shp_shape *shp_in_shape(shp_node *n, uint32_t i);
int shp_in_rank(shp_node *n, uint32_t i);           /* -1 unknown */
/* A tensor's elements, dims resolved. Initializers are decoded on first use (which may ask the host for bytes: the rule is then run again).
 * An integer or bool tensor of known size (at most SHP_SYMBOLS_MAX) always has a content: what is not known are value symbols, one per
 * value and index. NULL for absent inputs, unknown or large sizes, strings, floats of which nothing is known, what is no tensor. As many as the shape
 * says, where it does. */
const shp_content *shp_in_content(shp_node *n, uint32_t i);
/* The same, and that of a sequence or an optional: its items and its length. */
const shp_content *shp_in_items(shp_node *n, uint32_t i);
/* The two elements that bound all of a tensor's, dims resolved (shp_content); NULL where there are none. */
const shp_content *shp_in_bounds(shp_node *n, uint32_t i);
/* The same as shp_in_content for any fact (an item of a sequence, whose content may not be decoded yet). */
const shp_content *shp_fact_content(shp_node *n, const shp_fact *f);
/* The element of an input that must have just one: fails where it has more. The same as a dim (an integer or bool; 0 where unknown), and as a
 * number. */
shp_elem shp_in_only(shp_node *n, uint32_t i);
shp_dim shp_in_scalar(shp_node *n, uint32_t i);
bool shp_in_number(shp_node *n, uint32_t i);        /* n->number says which; so a rule needs no memory for it: */
#define shp_in_int(n, i, v) (shp_in_number(n, i) && (*(v) = (n)->number, true))
/* The number of elements of a rank-1 input (a target's length is a rank): -1 unknown. */
int64_t shp_in_length(shp_node *n, uint32_t i);

/* ---- attributes: the schema's default where absent; an attribute present without its value field is 0 ---- */
bool shp_attr_has(const shp_node *n, const char *name);         /* present in the node itself */
int64_t shp_attr_int(const shp_node *n, const char *name);      /* default, else 0 */
int64_t shp_attr_int_or(const shp_node *n, const char *name, int64_t otherwise);    /* `otherwise` where absent without default */
double shp_attr_float_or(const shp_node *n, const char *name, double otherwise);     /* `otherwise` where absent: the schema has none */
shp_str shp_attr_str(const shp_node *n, const char *name);      /* default, else empty */
const int64_t *shp_attr_ints(const shp_node *n, const char *name, uint32_t *count);    /* NULL where absent, *count is then 0, or too many to be kept */
const shp_attr *shp_attr_get(const shp_node *n, const char *name);      /* the attribute itself, references resolved, or NULL */
const shp_attr *shp_attr_named(const shp_node *n, shp_str name);        /* the same of a name that no NUL ends; and its number, as shp_attr_int */
int64_t shp_attr_number(const shp_node *n, shp_str name, int64_t otherwise);
/* A TENSOR attribute's (or any tensor's) type, shape and elements as a fact. */
shp_fact shp_tensor_fact(shp_node *n, const shp_tensor *t);

/* ---- outputs ---- */
bool shp_wants(const shp_node *n, uint32_t o);                  /* the node names that output */
/* Sets the shape of output o (dims are copied; 0 becomes a fresh symbol). An output that the node does not name is ignored. rank outside
 * [0, SHP_RANK_MAX] fails. */
void shp_out(shp_node *n, uint32_t o, int64_t rank, const shp_dim *dim);
void shp_out_shape(shp_node *n, uint32_t o, const shp_shape *shape);     /* shared, not copied; NULL leaves it unknown */
void shp_out_same(shp_node *n, uint32_t o, uint32_t i);          /* the shape of input i */
void shp_out_type(shp_node *n, uint32_t o, shp_type type);
void shp_out_fact(shp_node *n, uint32_t o, const shp_fact *f);   /* everything, value number included: the output *is* that value */
/* Elements for output o: count zeroed (unknown) ones to fill in, then shp_out_content. NULL above the limits. */
shp_content *shp_content_new(shp_node *n, uint64_t count);
/* Gives output o these elements. Ignored where they are over the limits, all unknown, or not as many as the shape says. */
void shp_out_content(shp_node *n, uint32_t o, const shp_content *c);
shp_content *shp_content_items(shp_node *n, uint32_t count);    /* for a sequence: item[count] to fill in, length set */
shp_content *shp_content_length(shp_node *n, shp_dim length);   /* for a sequence of that length, items unknown */

/* ---- dims ---- */
/* Why a symbol is fresh; --why prints the sentence. */
typedef enum { SHP_WHY_NONE, SHP_WHY_RANK /* an input's rank or shape is unknown */, SHP_WHY_DATA /* data decides */,
               SHP_WHY_CONTENT /* an input's elements are not known */, SHP_WHY_INPUT /* the file leaves an input's dim open */,
               SHP_WHY_MERGE /* branches or turns of a loop differ */, SHP_WHY_FLOAT /* goes through floating point */,
               SHP_WHY_LIMIT /* an expression grew past the limits or left 64 bits */, SHP_WHY_UNKNOWN_OP } shp_why;
/* Output o has that rank and nothing else is known, for that reason. Nothing where the rank is negative. */
void shp_out_unknown(shp_node *n, uint32_t o, int64_t rank, shp_why why);
/* A fresh size for axis `axis` of output o: the same for every node with the same id (data decides: >= 0, never assumed >= 1). */
shp_dim shp_fresh(shp_node *n, uint32_t o, uint32_t axis, shp_why why);
shp_dim shp_fresh_of(shp_node *n, uint64_t key, uint32_t o, uint32_t axis, shp_why why);     /* the same for every one with the same key */
/* Takes a == b as a requirement of the specification (R1) and gives the one to go on with: of two of which one is 0 the other; 0 where
 * they contradict each other. */
shp_dim shp_equal(shp_node *n, shp_dim a, shp_dim b);
/* Takes it as a requirement that a size of this node is so much at least, for what comes after it (R1). Outputs' sizes are >= 0 without. */
void shp_size(shp_node *n, shp_dim d, int least);
/* Whether d >= 0 follows from an assumption that this graph, or one around it, has taken up already (one of the latest). */
bool shp_assumed(shp_node *n, shp_dim d);
/* Records that the result holds only where lhs >= rhs (R2). */
void shp_assume(shp_node *n, shp_dim lhs, shp_dim rhs, const char *reason);
/* Whether a >= k holds, if need be by assuming that free input sizes are >= 1 (R2a), which is then recorded with the reason. */
bool shp_at_least(shp_node *n, shp_dim a, int64_t k, const char *reason);

/* ---- failing ---- */
/* Reports a contradiction. The message is prefixed with operator and node. Its numbers, all int64_t, are in order
 *   %d a number   %x a shp_dim   %i an input's index: its name and shape   %t a shp_type   %% a percent sign.
 * Where it names fewer than two inputs, the first of the others follow by themselves, with their shapes: no text repeats them.
 * Only the first failure of a node counts. */
void shp_fail(shp_node *n, shp_code code, const char *text);
void shp_fail1(shp_node *n, shp_code code, const char *format, int64_t a);
void shp_fail2(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b);
void shp_fail3(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b, int64_t c);
void shp_fail4(shp_node *n, shp_code code, const char *format, int64_t a, int64_t b, int64_t c, int64_t d);
/* The same with any number of these, and %s const char *   %n const shp_str *   %h const shp_shape * (as [2, N]). */
void shp_failf(shp_node *n, shp_code code, const char *format, ...);
/* The same for something worth saying that does not stop the rule (severity as the code's). Of errors the first alone is told. */
void shp_note(shp_node *n, shp_code code, const char *format, ...);

/* ---- types ---- */
/* The type that a text names: "float32", "seq(int64)", ONNX's "tensor(float)", "map(int64, float)", a TensorProto.DataType number. 0: none. */
shp_type shp_type_parse(shp_infer *x, shp_str text);
/* "float32", "seq(map(int64,float32))", …, in the arena; what is not known as "?". */
shp_str shp_type_text(shp_infer *x, shp_type t);
shp_kind shp_type_kind(const shp_infer *x, shp_type t);
shp_type shp_type_inner(const shp_infer *x, shp_type t);        /* of a sequence, optional (its element), map (its value), sparse (its element type) */
int shp_type_key(const shp_infer *x, shp_type t);               /* a map's key type; 0 for what is no map */
shp_type shp_type_make(shp_infer *x, shp_kind kind, shp_type inner, int key);   /* key: of a map */
shp_type shp_declared_type(shp_infer *x, const shp_type_proto *t);  /* a TypeProto's type (Optional's attribute) */
/* The tensor at the bottom of sequences and optionals, whose shape is the value's. NULL for maps. */
const shp_type_proto *shp_declared_tensor(const shp_type_proto *t);

/* Equal hashes, equal shapes, as value numbers are; odd where a size is no handle of a number: a fact may replace it. 0 for NULL. */
uint64_t shp_shape_hash(shp_infer *x, const shp_shape *s);
/* How many elements a shape has, as a number; -1 where that is not known, INT64_MAX where it leaves int64. */
int64_t shp_shape_count(const shp_infer *x, const shp_shape *s);

#endif
