/* driver - what infer.c, node.c, check.c and data.c share: the private state of a call. Nothing else includes it. */
#ifndef SHP_DRIVER_H
#define SHP_DRIVER_H

#include "infer.h"
#include "ops/ops.h"

enum { SHP_TYPE_DEPTH = 16 };       /* a type nested so deep is none */

enum { SHP_PATH = 8 };              /* names that a message lists one after the other */

enum { SHP_ABSENT = 1 };            /* the value number of a function's input that the call leaves out */

typedef struct shp_type_row {       /* an interned type from SHP_TYPE_OTHER on */
    shp_kind kind;
    shp_type inner;
    int key;
} shp_type_row;

enum { SHP_FORMALS = 8 };           /* inputs and outputs of a node that is remembered */

typedef struct shp_sound {          /* the last node that had nothing wrong with its inputs and outputs: as many of the same types have not, either */
    bool known;
    uint32_t inputs, outputs;
    shp_type input[SHP_FORMALS], output[SHP_FORMALS];
} shp_sound;

typedef struct shp_signature {      /* what every node of an operator version is checked against; check.c */
    const shp_schema *schema;       /* NULL: no schema, nothing to check */
    shp_sound sound;
    bool attrs_known;
    uint64_t attrs_hash;            /* of the last node that had nothing wrong with its attributes, and none that the version does not have */
    uint32_t attrs, required;                       /* attributes that the version has, in the schema's order; how many are required */
    const shp_schema_attr *attr;
} shp_signature;

typedef struct shp_done {           /* what a node gave that was done, for those that are alike */
    uint64_t key;                   /* of all that its rule sees; 0: none */
    uint64_t read;
    uint32_t contents;              /* a set of inputs: the key is of what is seen without contents, and it depends on these */
    uint32_t room;                  /* of out */
    shp_fact *out;
} shp_done;

typedef struct shp_op_entry {       /* what an operator (shp_op_proto, whose cache it is) means at one opset, looked up once */
    struct shp_op_entry *next;      /* at another opset */
    int opset;
    const shp_function *importer;   /* the function whose body asked for it last, NULL for the main graph: what imports that opset */
    bool single;                    /* nodes that are alike may give different values */
    size_t told;                    /* 1 + the place of the diagnostic that there is no rule for it, while that stands */
    uint64_t id;                    /* hash of domain and op_type */
    bool (*apply)(shp_node *n, struct shp_op_entry *e);     /* does a node; whether its outputs are what the file declares. Called so, none
                                                               becomes part of another's code, which engines compile once it is hot */
    shp_rule *rule;
    const shp_function *function;
    shp_signature signature;
} shp_op_entry;

typedef struct shp_name_use {       /* a dim_param that the file declares somewhere */
    bool input;                     /* an input of the main graph declares it */
    shp_dim dim;                    /* what it stands for, 0 until asked */
    const shp_dim_proto *of;        /* the declaration by which an invented symbol took the name */
} shp_name_use;

struct shp_private {
    shp_schemas *schemas;
    shp_type_row *type;
    size_t types, type_room;
    shp_name_use *name;
    size_t names, name_room;
    shp_dict name_at;               /* 1 + the place in `name`, by a name's hash */
    shp_dict assumed;               /* hashes of recorded assumptions */
    shp_done *done;                 /* by key */
    uint32_t done_mask;
    bool probing;                   /* looking ahead: nothing is said or recorded */
    bool waiting;                   /* the node being done needs bytes or a host's answer */
    bool started;
    struct shp_answer { bool ok; const shp_fact *out; uint32_t count; shp_str message; } *answer;    /* host answers of the current main node */
    size_t answers, answer_room, answer_at;
    size_t answers_done, diags_done;        /* how many belong to what is not done again after a wait */
    uint32_t turning;               /* bodies around the current node that are begun again after a wait */
    uint32_t calls;                 /* functions and bodies being inferred inside each other */
    bool default_told;
    shp_str *missing;               /* external files that are not there */
    size_t missing_files, missing_room;
    const shp_node_proto *asking;   /* the node being done, for messages about what it asks for */
    uint32_t asking_index;
};

void shp_signature_read(shp_arena *a, shp_signature *s, const shp_schema *schema);
/* The attribute of that name in the version, or NULL. */
const shp_schema_attr *shp_signature_attr(const shp_signature *s, shp_str name);
/* Checks a node's arity, attributes and input types, and gives its outputs the types that follow. false: the rule cannot rely on them. */
bool shp_signature_check(shp_node *n, shp_signature *s);
/* Says what the reader found wrong in a graph: names defined twice or never, cycles; and with its initializers. */
void shp_check_graph(shp_infer *x, shp_scope *s);

/* A diagnostic of a node (or of the graph: node NULL) with printf-like text, see shp_failf; %v is the value it is about (NULL: none).
 * Formats also take %m a message from outside   %p const shp_node * (NULL: nothing)   %c const shp_str *const *, and how many: names, one
 * after the other. */
void shp_diagnose(shp_infer *x, const shp_scope *scope, shp_node *n, shp_code code, const shp_str *value, const char *format, ...);
const shp_str *shp_first_output(const shp_node *n);     /* its name, NULL where the node names none */
/* Ends the call. */
void shp_stop(shp_infer *x, shp_code code, const char *format, ...);
/* The shape with dims resolved; a new one where any changed. */
const shp_shape *shp_shape_resolve(shp_infer *x, const shp_shape *s);
const shp_content *shp_content_resolve(shp_infer *x, const shp_content *c);
shp_shape *shp_shape_new(shp_infer *x, int64_t rank);
/* The tensor's elements: NULL where unknown (or not yet: x->p->waiting). */
const shp_content *shp_tensor_content(shp_infer *x, const shp_scope *scope, const shp_tensor *t);
/* Whether the file says where a tensor's external data are; where not, that is said, and its elements stay unknown. */
bool shp_has_place(shp_infer *x, const shp_scope *scope, const shp_tensor *t);

#endif
