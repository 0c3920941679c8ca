/* reader - what model.c and graph.c share: the state of one shp_model_read. Internal. */
#ifndef SHP_READER_H
#define SHP_READER_H

#include "model.h"
#include "wire.h"

/* The message being read, and those around it: for the path and offset of an error. */
typedef struct shp_where {
    shp_path path;
    shp_wire message;
    const struct shp_where *up;
} shp_where;

enum { SHP_RECENT = 32, SHP_ALIKE = 128 };

typedef struct shp_reader {
    shp_arena *arena;
    uint32_t nesting, elements;     /* limits */
    uint64_t values, slots;         /* limit of slots, and slots so far */
    uint64_t shown;                 /* slots that are values */
    uint64_t seed;                  /* of the hashes of names */
    uint64_t refs;                  /* attributes read so far that refer to a function's attribute */
    shp_op_proto **op;              /* open-addressing table */
    uint32_t ops, op_bits;
    struct shp_recent { uint64_t tail; shp_op_proto *op; } recent[SHP_RECENT];      /* those last seen, by the end of their names */
    struct shp_alike { const uint8_t *bytes; size_t size; const shp_attrs *attrs; } alike[SHP_ALIKE];  /* attributes last read, by a hash */
    uint32_t *pool;                 /* for lists of slots */
    size_t pool_left;
    const shp_where *where;
    shp_read_error *error;
} shp_reader;

/* Graphs that attributes hold are read when all names of the graph around them are known. */
typedef struct shp_pending {
    shp_graph **to;
    shp_wire message;
    uint32_t node, attr, index;     /* index: among `graphs`, SHP_NONE for `g` */
} shp_pending;

typedef struct shp_pendings {
    shp_pending *item;
    size_t count, room;
} shp_pendings;

struct shp_names;                   /* a graph that is being read: graph.c */

/* Enters and leaves a field, for errors: `here` is a local of the caller. */
void shp_enter(shp_reader *r, shp_where *here, const char *name, uint32_t index, const shp_wire *message);
void shp_leave(shp_reader *r, const shp_where *here);
/* Keeps the first error; its offset is that of the innermost message around it whose place in the source is known. */
void shp_read_fail(shp_reader *r, shp_code code);
/* The next field; false at the end of the message, where it is malformed, and after any error. */
bool shp_read_next(shp_reader *r, shp_wire *w, shp_field *f);
/* Zeroed memory, or NULL and an error. */
void *shp_take(shp_reader *r, size_t count, size_t size);
/* One more item at the end of a growing array, or NULL and an error. */
void *shp_append(shp_reader *r, void *items, size_t count, size_t *room, size_t size);
/* "ai.onnx" is "". */
shp_str shp_domain(shp_str domain);

/* model.c. `to` is zeroed memory. */
void shp_read_attr(shp_reader *r, const shp_wire *message, shp_attr *to, shp_pendings *pending, uint32_t node, uint32_t index);
void shp_read_tensor(shp_reader *r, const shp_wire *message, shp_tensor *to);
void shp_read_sparse(shp_reader *r, const shp_wire *message, shp_tensor *to);
void shp_read_value_info(shp_reader *r, shp_wire message, shp_value_info *to);

/* order.c: the order of a graph's nodes, where that is not the file's. unsorted: a node uses what a later one makes; what bodies take was not looked at. */
void shp_read_order(shp_reader *r, shp_graph *g, const shp_pendings *bodies, bool unsorted);

/* graph.c: a GraphProto, or the body of a FunctionProto; NULL and an error. around: the graph it is in, or NULL. */
shp_graph *shp_read_graph(shp_reader *r, const shp_wire *message, struct shp_names *around, bool function);

#endif
