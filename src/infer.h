/* infer - the driver: walks a model's graphs in order, calls rules, merges what they say with what the file declares.
 *
 * A scope is one graph at one place: the main graph, a body, or a function's body at one call. Scopes form a tree that the report
 * walks. The driver is resumable: where bytes or a host's answer are needed it returns, and the node that was being done is done again
 * (rules are pure). So are the nodes around it, whose branches and functions go on where they waited; the turns of a loop are all done again,
 * with the host's answers replayed.
 */
#ifndef SHP_INFER_H
#define SHP_INFER_H

#include "node.h"

typedef enum { SHP_DONE, SHP_NEED_BYTES, SHP_NEED_RULE, SHP_PAUSE, SHP_ERROR } shp_status;

struct shp_scope {
    const shp_graph *graph;
    shp_scope *outer;               /* of the enclosing graph, where captured names live; NULL for the main graph and functions */
    shp_scope *caller;              /* of the node that owns this graph or calls this function; NULL for the main graph */
    uint32_t node;                  /* that node's index there */
    shp_str attr;                   /* attribute that holds the graph; len 0 for a function */
    uint64_t place;                 /* which of the node's graphs that is, in file order: 0 for a function */
    const shp_function *function;   /* the function whose body this is, or an enclosing body is in; NULL in the main graph */
    const shp_node_proto *call;     /* the call's node, for references to its attributes */
    shp_scope *call_scope;          /* the scope of that node */
    shp_fact *fact;                 /* one a slot; type, shape and content of what is inferred so far */
    uint64_t *read;                 /* per node: what its rule read (node.h) */
    shp_scope *first, *last, *next; /* children in the order of the report, and the next sibling */
    uint64_t seed;                  /* of value numbers made here */
    bool maybe;                     /* not, or not certainly, run: contradictions are warnings */
    bool fails;                     /* a node that runs whenever this graph does contradicts itself: no run of it succeeds */
    uint32_t at;                    /* nodes done, in the graph's order */
    uint32_t mark, epoch;           /* of the dims when the body was begun */
    size_t diag_mark;               /* how many diagnostics there were before the body: where it is done again, they go */
};

typedef struct shp_diag {
    shp_code code;
    char severity;                  /* 'e', 'w', 'i' */
    const shp_scope *scope;
    uint32_t node;                  /* SHP_NONE where it is about no node */
    shp_str value;                  /* the value it is about, len 0 for none */
    shp_str message;                /* UTF-8, one line */
} shp_diag;

typedef struct shp_assumption {
    shp_dim lhs, rhs;
    const shp_scope *scope;
    uint32_t node;
    const char *reason;
} shp_assumption;

typedef struct shp_input_option {   /* options.inputs: replaces what the file declares */
    shp_str name;
    shp_type type;                  /* 0: as declared */
    bool has_shape;
    uint32_t rank;
    shp_dim_proto *dim;
    const shp_content *data;        /* its elements, or NULL */
    bool used;
} shp_input_option;

typedef struct shp_binding {        /* options.freeDimensionOverrides */
    shp_str name;
    int64_t value;
    bool used;
} shp_binding;

typedef struct shp_options {
    bool strict, override_declared;
    uint32_t bindings, inputs, host_ops;
    shp_binding *binding;
    shp_input_option *input;
    shp_str *host_op;               /* "my.domain::Foo", "Foo" for the default domain */
    uint32_t nesting, rank, elements, terms, depth;
    uint64_t values, operations, seed;
} shp_options;

/* What the driver asks for, valid while the status is NEED_…  */
typedef struct shp_request {
    const shp_tensor *tensor;       /* NEED_BYTES: its payload, or its external data */
    uint64_t offset, length;        /* the range, in the model's source or in the external file */
    shp_str location;               /* external file; len 0: the model's source itself */
    shp_node *node;                 /* NEED_RULE */
    const shp_scope *scope;
} shp_request;

struct shp_infer {
    shp_arena *arena;
    const shp_model *model;
    shp_options options;
    shp_dims *dims;
    shp_scope *main;
    shp_diag *diag;
    size_t diags, diag_room;
    shp_assumption *assumption;
    size_t assumptions, assumption_room;
    shp_request request;
    uint64_t operations;            /* nodes done, bodies' turns included */
    uint32_t done;                  /* nodes of the main graph done */
    uint32_t following;             /* loops that are followed turn by turn, one in another */
    shp_code error;                 /* why the call ended (SHP_ERROR) */
    shp_str error_message;
    shp_dim letter[26];             /* of the rule that runs (ops/nn.h) */
    struct shp_private *p;          /* infer.c's own */
};

/* Prepares a call over a read model. NULL: no memory. */
shp_infer *shp_infer_new(shp_arena *a, const shp_model *m, const shp_options *options);
/* Goes on until it is done, needs something, fails, or has done `pause` nodes of the main graph. */
shp_status shp_infer_step(shp_infer *x, uint32_t pause);
/* A fact's elements as far as they are known without asking the host; NULL: not. */
const shp_content *shp_known_content(shp_infer *x, const shp_fact *f);
/* Answers NEED_BYTES: ok false says that the source is not there (message says why; one diagnostic). bytes must live as long as the call. */
void shp_infer_bytes(shp_infer *x, bool ok, const uint8_t *bytes, uint64_t len, shp_str message);
/* Answers NEED_RULE: one fact an output (missing ones unknown), or ok false with a message. */
void shp_infer_rule(shp_infer *x, bool ok, const shp_fact *out, uint32_t count, shp_str message);

/* ---- for control-flow rules (ops/control.c) ---- */
/* Infers the body in attribute `attr` with those facts for its inputs (fewer: the rest as the body declares). A body that is given facts is
 * inferred again at each call; one that is given none, once: it goes on where it waited.
 * maybe: it may not run; else the node's graph fails where the body does. NULL where the attribute is absent or the node must be done again
 * (n->failed or x->request tell). Requirements (R1) met inside a body that may not run stay inside. */
shp_scope *shp_body(shp_node *n, const char *attr, const shp_fact *in, uint32_t count, bool maybe, uint64_t seed);
void shp_body_output(shp_node *n, const shp_scope *s, uint32_t i, shp_fact *f);     /* all unknown past the last */
/* Whether what follows node n in its graph may succeed if n gives those outputs (n->nout facts): false where a node that surely runs
 * contradicts itself. Looks a bounded way ahead and leaves nothing behind. true inside another look ahead. */
bool shp_survives(shp_node *n, const shp_fact *out);
/* Merges two facts: what holds for both. Dims that differ become fresh symbols of output o of node n. */
shp_fact shp_fact_merge(shp_node *n, uint32_t o, const shp_fact *a, const shp_fact *b);

#endif
