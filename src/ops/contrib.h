/* contrib - what the rules of ONNX Runtime's own operators share.
 * Source of all of them: the operator schemas of ONNX Runtime 1.32 (their texts, and runs where a CPU has the kernel). */
#ifndef SHP_CONTRIB_H
#define SHP_CONTRIB_H

#include "nn.h"

/* The value of int attribute `name`, at least 1 and within 32 bits: fails otherwise, and returns 0. */
int64_t shp_positive(shp_node *n, const char *name);

#endif
