/* contrib - what the rules of ONNX Runtime's own operators share.
 * Source of all of them: the operator schemas of ONNX Runtime 1.32 (their texts, and runs where a CPU has the kernel). */
#ifndef SHP_CONTRIB_H
#define SHP_CONTRIB_H

#include "nn.h"

/* Shapes as patterns: "inputs > outputs", separated by ';'. A pattern lists an axis a word: a letter is a size, the same everywhere (R1);
 * a number is itself; '_' is any size (of an output: data decides). Words may calculate, left to right, with * / + -; an input's "N*H" or "T+1"
 * also tells its letter, where that comes last (first for + and -) and is not known yet. '.' first stands for any leading axes, the same
 * everywhere. An empty pattern says nothing; '|' separates forms of another rank. "A=name B=other:" in front gives letters the values
 * of attributes above 0. Absent inputs and unknown ranks say nothing; an output whose leading axes are not known stays unknown. */
int shp_patterns(shp_node *n, const char *text);

/* The value of int attribute `name`, at least 1 and within 32 bits: fails otherwise, and returns 0. */
int64_t shp_positive(shp_node *n, const char *name);

#endif
