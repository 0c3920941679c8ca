/* index - row-major index maps: how rules move the elements of small tensors, and lists of integers however they are given. */
#ifndef SHP_INDEX_H
#define SHP_INDEX_H

#include "ops.h"

/* ---- contents through strides ---- */
enum { SHP_VIEW_AXES = 12 };        /* axes of 2 or more that 1,024 elements can have, and to spare */

/* A view of a content: element (i0, i1, …) of what is made is element base + i0*stride0 + i1*stride1 + … of the source. */
typedef struct shp_view {
    int64_t base, count;            /* elements of the view; -1 once they are too many */
    int32_t axes;
    int64_t size[SHP_VIEW_AXES], stride[SHP_VIEW_AXES];
} shp_view;

/* Adds the next inner axis. Axes of size 1 cost nothing. */
void shp_view_axis(shp_view *v, int64_t size, int64_t stride);
static inline shp_view shp_view_new(int64_t base) { return (shp_view){ .base = base, .count = 1 }; }
/* The elements that the view sees in c; NULL where c is, or where they are too many. */
const shp_content *shp_view_content(shp_node *n, const shp_view *v, const shp_content *c);
/* The same as output o's. */
void shp_view_out(shp_node *n, uint32_t o, const shp_view *v, const shp_content *c);

/* The sizes of a shape as numbers, and the row-major stride of each axis (either may be NULL); SHP_RANK_MAX entries.
 * false where s is NULL, a size is no number, or there are more than SHP_ELEMENTS_MAX elements. */
bool shp_sizes(shp_node *n, const shp_shape *s, int64_t *size, int64_t *stride);
/* The offset of element p of a tensor of these sizes in another one of these strides. */
int64_t shp_offset(int64_t p, const int64_t *size, const int64_t *stride, int32_t rank);
/* Output o has the elements of input i in the same order. */
void shp_out_elements(shp_node *n, uint32_t o, uint32_t i);

/* A part of a tensor that parts are joined to along an axis: its elements (NULL: not known) and how many it has (-1: not known). */
typedef struct shp_piece {
    const shp_content *content;
    int64_t count;
} shp_piece;
/* Gives output o, whose shape is set, the elements of pieces joined along an axis. */
void shp_out_joined(shp_node *n, uint32_t o, int64_t axis, const shp_piece *piece, uint32_t pieces);
/* How many elements a shape has, as a number; -1 where that is not known. */
int64_t shp_count(shp_node *n, const shp_shape *s);

/* ---- lists of integers: an attribute in old versions, an input in newer ones ---- */
typedef struct shp_list {
    bool has, known;                /* it is given; its entries can be asked for */
    int64_t count;                  /* -1 not known */
    const int64_t *ints;
    const shp_content *content;
} shp_list;
/* The attribute of that name where the node has it (NULL: none), else input i (0: none). */
shp_list shp_list_of(shp_node *n, const char *attr, uint32_t i);
/* Entry i as a dim, 0 where it is not known. Tile-1 and Split-1 give integers as floats. */
shp_dim shp_list_at(shp_node *n, const shp_list *l, int64_t i);
/* Copies all entries: false where one is no number, or they are more than SHP_RANK_MAX. */
bool shp_list_ints(shp_node *n, const shp_list *l, int64_t *out);
/* As axes of a rank: non-negative, in range, each once. False where they are not known, or the node has failed. */
bool shp_list_axes(shp_node *n, const shp_list *l, int64_t rank, int64_t *out);

/* ---- shapes ---- */
/* Output o has that rank and nothing else is known, for that reason. */
int shp_out_unknown(shp_node *n, uint32_t o, int64_t rank, shp_why why);
/* dim[k] = shp_equal(dim[k], other): fails with `what` and both sizes where they contradict each other. */
bool shp_same_dim(shp_node *n, shp_dim *dim, shp_dim other, const char *what);

#endif
