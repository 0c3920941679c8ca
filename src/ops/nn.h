/* nn - what the rules of networks share (linear, conv, norm, recurrent, signal, quant, attention): requirements (R1) between the sizes
 * of inputs, each with its message. A size of 0 is one that is not known: it passes through. What a requirement returns is the
 * size to go on with; where one does not hold the node has failed and 0 comes back. */
#ifndef SHP_NN_H
#define SHP_NN_H

#include "ops.h"

/* Axis `axis` of input i is `want`. An absent input, or one of unknown or lower rank, says nothing. */
shp_dim shp_want_dim(shp_node *n, uint32_t i, int64_t axis, shp_dim want);
/* The same for an input of rank 1. */
shp_dim shp_want_vector(shp_node *n, uint32_t i, shp_dim want);
/* a / b where the specification asks b to divide a (b > 0). */
shp_dim shp_whole_div(shp_node *n, shp_dim a, int64_t b);
/* How many windows of that span, one every `step`, lie in axis `axis`, of size h, which is `padded` with its padding. One fits: else 0, failed. */
shp_dim shp_windows(shp_node *n, int64_t axis, shp_dim h, shp_dim padded, shp_dim span, shp_dim step);
/* Input i broadcasts to these dims without growing them; what it says of a dim is taken. false: failed. */
bool shp_want_fits(shp_node *n, uint32_t i, int64_t rank, shp_dim *dim);
/* Attribute `name` may not be v: fails. Its value (`otherwise` where it is absent), a number from 1 to INT32_MAX; else 0, failed. */
void shp_bad_attr(shp_node *n, const char *name, int64_t v);
int64_t shp_positive(shp_node *n, const char *name, int64_t otherwise);
/* Attribute `name` is needed and absent: fails. */
void shp_lacks(shp_node *n, const char *name);
/* Attribute `name`: `count` entries (count < 0: any number, *found is set), each at least lo. NULL where absent or empty, or failed. */
const int64_t *shp_want_ints(shp_node *n, const char *name, int64_t count, int64_t lo, uint32_t *found);
/* Which of the words, separated by '|', string attribute `name` is, from 0; -1: none, failed. */
int shp_choice(shp_node *n, const char *name, const char *words);
/* Element i of a content as a dim, 0 where not known. */
shp_dim shp_element(const shp_content *c, int64_t i);

/* Gives sizes that are not known a fresh symbol each, for sizes that several outputs have: that of axis `first`, first + 1, … of output 0
 * (4 and on for sizes that are none of its own). */
void shp_settle(shp_node *n, shp_dim *dim, uint32_t count, uint32_t first);

/* Shapes as patterns: "inputs > outputs", separated by ';'. A pattern lists an axis a word: a letter is a size, the same everywhere (R1);
 * a number is itself; '_' is any size (of an output: data decides). Words may calculate, left to right, with * / + - and ~ (floor of a quotient; that
 * of / is whole); an input's "N*H" with a known N, or "T+1", also tells the letter. "C?" is a size that may be 1 instead (broadcast). "W=N*H" of an
 * input also names the whole; of an output it is W where that is known, else N*H. '.' stands for
 * any axes, the same everywhere. An empty pattern says nothing; '|' separates forms of another rank. "A=name B!other:" in front gives letters the values
 * of attributes above 0; with ! others fail. Absent inputs and unknown ranks say nothing; letters that stay unknown are fresh in outputs, an output whose
 * '.' is not known stays unknown. */
void shp_patterns(shp_node *n, const char *text);
/* The same with sizes that are known before or wanted afterwards: the letters', 26, the first is A; 0 not known, as all are at first. A rule has
 * them once: what it calls must not use them otherwise. */
shp_dim *shp_letters(shp_node *n);
int shp_lay(shp_node *n, const char *text);

/* MatMul of inputs ia and ib as output 0 (transposed first where ta or tb say so; vectors never are). */
void shp_matmul(shp_node *n, uint32_t ia, uint32_t ib, bool ta, bool tb);

#endif
