/* nn - what the rules of networks share (linear, conv, norm, recurrent, signal, quant, attention): requirements (R1) between the sizes
 * of inputs, each with its message. A size of 0 is one that is not known: it passes through. What a requirement returns is the
 * size to go on with; where one does not hold the node has failed and 0 comes back. */
#ifndef SHP_NN_H
#define SHP_NN_H

#include "ops.h"

/* Axis `axis` of input i is `want`, which is called `what`. An absent input, or one of unknown or lower rank, says nothing. */
shp_dim shp_want_dim(shp_node *n, uint32_t i, int64_t axis, shp_dim want, const char *what);
/* The same for an input of rank 1. */
shp_dim shp_want_vector(shp_node *n, uint32_t i, shp_dim want, const char *what);
/* a / b where the specification asks b to divide a (b > 0). */
shp_dim shp_whole_div(shp_node *n, shp_dim a, int64_t b, const char *what);
/* Input i broadcasts to these dims without growing them; what it says of a dim is taken. false: failed. */
bool shp_want_fits(shp_node *n, uint32_t i, int64_t rank, shp_dim *dim);
/* Attribute `name`: `count` entries (count < 0: any number, *found is set), each at least lo. NULL where absent or empty, or failed. */
const int64_t *shp_want_ints(shp_node *n, const char *name, int64_t count, int64_t lo, uint32_t *found);
/* Element i of a content as a dim, 0 where not known. */
shp_dim shp_element(const shp_content *c, int64_t i);

/* Gives sizes that are not known a fresh symbol each, for sizes that several outputs have: that of axis `first`, first + 1, … of output 0
 * (4 and on for sizes that are none of its own). */
void shp_settle(shp_node *n, shp_dim *dim, uint32_t count, uint32_t first);
/* Ends a rule: output 0 has these dims, unless the node has failed. */
int shp_done(shp_node *n, int64_t rank, const shp_dim *dim);

/* MatMul of inputs ia and ib as output 0 (transposed first where ta or tb say so; vectors never are). */
int shp_matmul(shp_node *n, uint32_t ia, uint32_t ib, bool ta, bool tb);
/* A convolution of input ix with weight iw and bias ib (past the inputs: none) as output 0. channels_last: where x and y have them. */
int shp_conv(shp_node *n, uint32_t ix, uint32_t iw, uint32_t ib, bool channels_last);
/* A pool of input 0 as output 0, and output 1 of the same shape. */
int shp_pool(shp_node *n, bool channels_last);
/* LayerNormalization and its kin: output 0 has the shape of input 0, outputs 1 to `stats` have 1 from attribute `axis` on. */
int shp_layer_norm(shp_node *n, uint32_t stats);
/* Scale input `is` and zero point `iz` (past the inputs: none) fit the tensor `dim` (rank < 0: not known) by axis and block_size;
 * blocks tell its dims, for which `dim` has SHP_RANK_MAX entries. false: failed. */
bool shp_scale_fits(shp_node *n, uint32_t is, uint32_t iz, int64_t *rank, shp_dim *dim);
/* RNN, GRU, LSTM with that many gates. */
int shp_recurrent(shp_node *n, int64_t gates);

#endif
