/* model - ModelProto as the engine sees it: graphs of nodes and values, read from a skeleton (skim.h).
 *
 * Everything points into the skeleton or the arena and lives as long as the call. Names are resolved once, here: within a
 * graph each value name is a *slot*, an index from 0; a node's inputs and outputs are slots. A name that a body takes from
 * an enclosing graph is a slot of the body, too, with `outer` saying which slot of the enclosing graph it is.
 * Source: onnx.proto (IR version 14), https://onnx.ai/onnx/repo-docs/IR.html.
 */
#ifndef SHP_MODEL_H
#define SHP_MODEL_H

#include "arena.h"
#include "error.h"
#include "wire.h"

#define SHP_NONE UINT32_MAX     /* no slot, no index */

typedef struct shp_graph shp_graph;
typedef struct shp_node_proto shp_node_proto;

/* ---- types as declared ---- */
typedef struct shp_dim_proto {
    enum { SHP_DIM_UNKNOWN, SHP_DIM_VALUE, SHP_DIM_PARAM } kind;   /* an empty dim_param is UNKNOWN */
    int64_t value;
    shp_str param;
} shp_dim_proto;

typedef struct shp_type_proto {
    enum { SHP_T_NONE, SHP_T_TENSOR, SHP_T_SPARSE, SHP_T_SEQUENCE, SHP_T_OPTIONAL, SHP_T_MAP, SHP_T_OPAQUE } kind;
    int32_t elem_type;              /* tensor, sparse: element type, 0 where absent; map: key type */
    bool has_shape;                 /* tensor, sparse: false is "rank unknown", true with rank 0 a scalar */
    uint32_t rank;
    shp_dim_proto *dim;
    struct shp_type_proto *inner;   /* sequence, optional: element; map: value */
} shp_type_proto;

typedef struct shp_value_info {
    shp_str name;
    shp_type_proto type;
} shp_value_info;

/* ---- tensors ---- */
typedef struct shp_tensor {
    shp_str name;
    int32_t elem_type;
    uint32_t rank;
    int64_t *dim;                   /* as the file says: may be negative (then count is -1) */
    int64_t count;                  /* product of dims; -1 where it is negative or leaves int64 */
    enum { SHP_DATA_NONE, SHP_DATA_RAW, SHP_DATA_FLOAT, SHP_DATA_INT32, SHP_DATA_STRING, SHP_DATA_INT64, SHP_DATA_DOUBLE,
           SHP_DATA_UINT64 } field;  /* which field holds the data */
    const uint8_t *data;            /* its bytes: raw_data, or the field in packed form (unpacked entries are gathered: varints one after
                                       another for INT32, INT64 and UINT64, 4 or 8 bytes each for FLOAT and DOUBLE);
                                       NULL for strings and where they are a payload. A payload's bytes have the same form. */
    uint64_t data_len;              /* their length, payload or not */
    uint64_t data_offset;           /* of a payload: where it begins in the source; 0 where data is NULL and the bytes are not in one piece */
    uint64_t elements;              /* entries of a typed or string field; UINT64_MAX where not known (varints in a payload) */
    bool external;                  /* data_location EXTERNAL */
    shp_str location;               /* of external data */
    uint64_t external_offset, external_length;      /* length 0: to the end of the file, as dims say; UINT64_MAX: no number */
    bool sparse;                    /* a SparseTensorProto: rank and dim are the dense shape, name and elem_type its values'; no data */
    uint64_t wire;                  /* hash of the tensor's skeleton bytes without its name: equal tensors, equal hash (payloads differ by
                                       offset) */
    const void *cache;              /* the driver's: its content once asked for */
} shp_tensor;

/* ---- attributes ---- */
typedef struct shp_attr {
    shp_str name;
    shp_str ref;                    /* ref_attr_name, len 0 where absent */
    int32_t type;                   /* AttributeProto.AttributeType; guessed from the field that is set where 0 (IR version 1) */
    float f;
    int64_t i;
    shp_str s;                      /* long strings are payloads: at NULL with len (saturated) */
    shp_tensor *t;                  /* TENSOR and SPARSE_TENSOR */
    shp_graph *g;
    shp_type_proto *tp;
    uint32_t count;                 /* entries of a list, FLOATS to TYPE_PROTOS (saturated; of a packed payload: its bytes) */
    const float *floats;            /* NULL where count is above the content limit or the list was a payload */
    const int64_t *ints;
    const shp_str *strings;
    shp_graph **graphs;
} shp_attr;

enum { SHP_ATTR_FLOAT = 1, SHP_ATTR_INT, SHP_ATTR_STRING, SHP_ATTR_TENSOR, SHP_ATTR_GRAPH, SHP_ATTR_FLOATS, SHP_ATTR_INTS,
       SHP_ATTR_STRINGS, SHP_ATTR_TENSORS, SHP_ATTR_GRAPHS, SHP_ATTR_SPARSE_TENSOR, SHP_ATTR_SPARSE_TENSORS, SHP_ATTR_TYPE_PROTO,
       SHP_ATTR_TYPE_PROTOS };

static inline uint32_t shp_attr_bodies(const shp_attr *a) { return a->graphs ? a->count : a->g ? 1 : 0; }
static inline shp_graph *shp_attr_body(const shp_attr *a, uint32_t i) { return a->graphs ? a->graphs[i] : a->g; }

/* ---- graphs ---- */

/* What nodes call: one for all that call the same. */
typedef struct shp_op_proto {
    shp_str domain, op_type, overload;              /* domain "ai.onnx" is read as "" */
    void *cache;                    /* the driver's: what it has found out about the operator */
    uint32_t hash;                  /* the reader's */
    uint32_t row;                   /* the report's: 1 + its row there, 0 for none */
} shp_op_proto;

typedef struct shp_attrs {          /* of a node */
    const shp_attr *item;
    uint32_t count;
    bool has_ref;                   /* an attribute (a body's, too) refers to a function's attribute */
    bool has_graph;
    uint64_t hash;                  /* of the skeleton bytes from the first attribute to the last; a number of its own where there is a graph */
} shp_attrs;

struct shp_node_proto {
    shp_str name;
    shp_op_proto *op;
    const shp_attrs *attrs;         /* never NULL */
    uint32_t inputs, outputs;
    const uint32_t *input;          /* slots, those of the outputs behind those of the inputs; SHP_NONE for an omitted ("") one */
};

static inline const uint32_t *shp_output(const shp_node_proto *node) { return node->input + node->inputs; }

/* Where a value comes from. NOTHING: it is used, and defined nowhere. */
typedef enum { SHP_FROM_NOTHING, SHP_FROM_INPUT, SHP_FROM_INITIALIZER, SHP_FROM_NODE, SHP_FROM_OUTER } shp_source;

enum { SHP_INFO_BITS = 26 };

typedef struct shp_slot {           /* one a value: as small as it can be */
    shp_str name;
    uint32_t from;                  /* index of the input, initializer or node of this graph, or slot in the enclosing graph; of
                                       what nothing defines, the node that uses it first, graph->nodes where none does */
    unsigned info : SHP_INFO_BITS;  /* what the file declares: 1 + index into graph->value_info (value_info, outputs), 0 for nothing */
    unsigned source : 3;            /* shp_source; an input with an initializer is INITIALIZER */
    unsigned is_input : 1, is_output : 1;
    unsigned twice : 1;             /* a second node, or a node beside the input or initializer, defines it: one of graph->again */
} shp_slot;

/* slot->from where that is its source, else SHP_NONE. */
static inline uint32_t shp_from(const shp_slot *slot, shp_source source) { return slot->source == source ? slot->from : SHP_NONE; }

struct shp_graph {
    shp_str name;
    const shp_graph *outer;         /* enclosing graph; NULL for the main graph and function bodies */
    uint32_t depth;                 /* 0 for the main graph and function bodies */
    uint32_t slots, nodes, inputs, outputs, initializers, value_infos;
    shp_slot *slot;
    shp_node_proto *node;
    uint32_t *order;                /* node indices, each after those it depends on (bodies' captured names included); nodes on a cycle,
                                       or after one, come last. NULL where that is the order of the file */
    uint32_t sorted, cycle;         /* from order[sorted] on so many that are one cycle, each waiting for the next; then the others */
    bool flawed;                    /* a name is defined nowhere, or twice */
    uint32_t agains;
    struct shp_again { uint32_t slot, node; bool hides; } *again;   /* what is defined twice, and the node that comes second (no node's
                                       index: an input does); hides: the first is in a graph around this one */
    uint32_t *input;                /* slots, in file order */
    shp_value_info **input_info;    /* beside them; type.kind SHP_T_NONE where the file gives none */
    uint32_t *output;
    uint32_t *initializer_slot;
    shp_tensor **initializer;       /* dense ones in file order, then sparse ones */
    shp_value_info **value_info;    /* value_info, then outputs (a function's outputs are only names) */
    uint32_t *table, bits;          /* the reader's: a hash table of slots by name, of 2^bits places; see shp_graph_find */
    uint64_t seed;
};

/* The node that is done at place i of that order. */
static inline uint32_t shp_ordered(const shp_graph *g, uint32_t i) { return g->order ? g->order[i] : i; }

typedef struct shp_opset {
    shp_str domain;                 /* "ai.onnx" is read as "" */
    int64_t version;
} shp_opset;

typedef struct shp_function {
    shp_str domain, name, overload; /* domain "ai.onnx" is read as "" */
    uint32_t attrs, defaults, opsets;
    const shp_str *attr;            /* attributes without a default */
    const shp_attr *attr_default;   /* with one */
    const shp_opset *opset;
    shp_graph *body;                /* inputs and outputs have no types unless value_info says so (graph->value_info) */
} shp_function;

typedef struct shp_model {
    int64_t ir_version, model_version;
    shp_str producer_name, producer_version, domain;
    uint32_t opsets, functions;
    const shp_opset *opset;
    shp_function *function;
    shp_graph *graph;               /* NULL where the file has none: an error for the caller */
    uint64_t values;                /* slots that are values, over all graphs */
} shp_model;

typedef struct shp_read_error {
    shp_code code;
    uint64_t offset;                /* in the source */
    const char *path;               /* field path, like "graph.node[12].attribute[0].g"; in the arena; may be "" */
} shp_read_error;

/* The slot of that name in that graph itself (not in those around it), or SHP_NONE. */
uint32_t shp_graph_find(const shp_graph *g, shp_str name);

/* ---- a tensor's elements, from `len` bytes that are its data or the first part of it (tensor.c) ----
 * bytes: t->data, or what stands in the source at data_offset, or in the external file at external_offset. */

/* Bytes that raw_data or an external file must have; UINT64_MAX where not known (strings, no element type, dims that cannot be). */
uint64_t shp_tensor_bytes(const shp_tensor *t);
/* Whether there is as much data as the dims say, as far as can be known without reading payloads; also where there is no data at all.
 * have, want: bytes for SHP_DATA_RAW and external data, else entries of the field. */
bool shp_tensor_data_fits(const shp_tensor *t, uint64_t *have, uint64_t *want);
/* A walk over the elements: the next one of an integer or bool tensor (bool as 0 or 1), or of one of float32, float64, float16 and bfloat16.
 * false where it leaves int64 (the next one may not), where the data end, and where the field or element type holds no such numbers. */
typedef struct shp_elements {
    shp_wire varints;               /* where is_varint: what is left of the field, in_entry elements of `entry` taken */
    const uint8_t *raw;
    uint64_t entry, i, left;
    int32_t dtype;
    unsigned bits, in_entry;
    bool is_varint;
    char kind;
} shp_elements;
shp_elements shp_tensor_elements(const shp_tensor *t, const uint8_t *bytes, uint64_t len);
bool shp_next_int(shp_elements *e, int64_t *out);
bool shp_next_float(shp_elements *e, double *out);

/* Reads a skeleton. seed: of the hashes of names, best a number that who wrote the file cannot know; nesting: most graphs inside graphs
 * (64); values: most slots (4e6); elements: longest list of an attribute that is kept (1024). NULL with *error filled where it cannot; an arena that ran full is
 * SHP_E_MEMORY. */
shp_model *shp_model_read(shp_arena *a, const uint8_t *skeleton, size_t size, uint64_t seed, uint32_t nesting, uint64_t values,
                          uint32_t elements, shp_read_error *error);

#endif
