/* index - row-major index maps: how rules move the elements of small tensors, and lists of integers however they are given. */
#ifndef SHP_INDEX_H
#define SHP_INDEX_H

#include "ops.h"

/* ---- contents through index maps ---- */
/* The elements that an input gives a tensor of shape `to`: the element at (i0, i1, ...) is the input's whose index along its axis j is
 * first[j] + i * step[j], where i belongs to the axis k of `to` with perm[k] == j (perm NULL: aligned `shift` axes before the last). first
 * NULL: 0, step NULL: 1. What lies outside the input is *fill; fill NULL: indices wrap around. NULL where elements or sizes are not known. */
typedef struct shp_map { const int64_t *perm, *first, *step; const shp_elem *fill; uint32_t input; int32_t shift; } shp_map;
const shp_content *shp_mapped(shp_node *n, const shp_shape *to, const shp_map *m);
/* The same as output o's, whose shape is set. */
void shp_out_mapped(shp_node *n, uint32_t o, const shp_map *m);

/* The sizes of a shape as numbers, and the row-major stride of each axis (either may be NULL); SHP_RANK_MAX entries.
 * false where s is NULL, a size is no number, or there are more than SHP_ELEMENTS_MAX elements. */
bool shp_sizes(shp_node *n, const shp_shape *s, int64_t *size, int64_t *stride);
/* The offset of element p of a tensor of these sizes in another one of these strides. */
int64_t shp_offset(int64_t p, const int64_t *size, const int64_t *stride, int32_t rank);
/* Ends a rule: output 0 has these dims, and the elements of input 0 in the same order. */
void shp_out_reshaped(shp_node *n, int64_t rank, const shp_dim *dim);

/* A part of a tensor that parts are joined to along an axis: its elements (NULL: not known) and how many it has (-1: not known). */
typedef struct shp_piece {
    const shp_content *content;
    int64_t count;
} shp_piece;
/* Gives output o, whose shape is set, the elements of pieces joined along an axis. */
void shp_out_joined(shp_node *n, uint32_t o, int64_t axis, const shp_piece *piece, uint32_t pieces);
/* How many elements a shape has, as a number; -1 where that is not known. */
static inline int64_t shp_count(shp_node *n, const shp_shape *s) { return shp_shape_count(n->x, s); }

/* ---- lists of integers: an attribute in old versions, an input in newer ones ---- */
typedef struct shp_list {
    bool has, known;                /* it is given; its entries can be asked for */
    int64_t count;                  /* -1 not known */
    const int64_t *ints;
    const shp_content *content;
} shp_list;
/* The attribute of that name where the node has it (NULL: none), else input i (0: none), which beside an attribute is of rank 1 (R1). */
shp_list shp_list_of(shp_node *n, const char *attr, uint32_t i);
/* Entry i as a dim, 0 where it is not known. Tile-1 and Split-1 give integers as floats. */
shp_dim shp_list_at(shp_node *n, const shp_list *l, int64_t i);
/* As axes of a rank: non-negative, in range, each once. False where they are not known, or the node has failed. */
bool shp_list_axes(shp_node *n, const shp_list *l, int64_t rank, int64_t *out);
/* The same as a bool per axis; a list may name an axis twice (Squeeze and reductions take that). */
bool shp_list_axis_set(shp_node *n, const shp_list *l, int64_t rank, bool *set);
/* shp_list_axes where a list that is not given means all axes; then l->count becomes the rank. */
bool shp_list_axes_or_all(shp_node *n, shp_list *l, int64_t rank, int64_t *out);

/* The sizes of `count` parts that a list gives: they add up to the axis, `whole` (R1), which decides an unknown one. */
bool shp_part_sizes(shp_node *n, const shp_list *l, int64_t count, shp_dim whole, shp_dim *part);

/* ---- shapes ---- */
/* The axis of input 0, of rank 1 at least, that attribute `name` (`otherwise` where it is absent) says; -1 where the rank is not known, or
 * the node has failed. */
int32_t shp_along(shp_node *n, const char *name, int64_t otherwise);
/* The axes of x, but for [from, to), which `count` dims stand in for; NULL where there is no memory. */
shp_shape *shp_spliced(shp_node *n, const shp_shape *x, int32_t from, int32_t to, const shp_dim *dim, int32_t count);
/* The same as output o, where a dim of 0 becomes a fresh symbol. Nothing where the node has failed. */
void shp_out_spliced(shp_node *n, uint32_t o, const shp_shape *x, int32_t from, int32_t to, const shp_dim *dim, int32_t count);
/* The same shape, to be changed; or NULL. */
shp_shape *shp_copied(shp_node *n, const shp_shape *x);
/* A content of one element. NULL: no memory. */
const shp_content *shp_content_one(shp_node *n, shp_elem e);
/* Ends a rule: output 0 is a scalar of that value. */
void shp_out_scalar(shp_node *n, shp_dim d);
/* Output o has one axis of that size; two of these sizes. */
void shp_out_vector(shp_node *n, uint32_t o, shp_dim d);
void shp_out_matrix(shp_node *n, uint32_t o, shp_dim rows, shp_dim columns);
/* Output o has the axes of x, but for the size d of one of them. */
void shp_out_resized(shp_node *n, uint32_t o, const shp_shape *x, int32_t axis, shp_dim d);
/* An element shape as one item's: sizes that differ from item to item are fresh ones of output o, for that reason (ops/sequence.c). */
const shp_shape *shp_item_shape(shp_node *n, const shp_shape *s, uint32_t o, shp_why why);
/* The same for every axis of inputs i and j but `beside` (-1: none), as far as both are known; fails where their ranks differ. */
bool shp_same_shape(shp_node *n, uint32_t i, uint32_t j, int64_t beside);

#endif
