/* contrib - what the rules of ONNX Runtime's own operators share.
 * Source of all of them: the operator schemas of ONNX Runtime 1.32 (their texts, and runs where a CPU has the kernel). */
#ifndef SHP_CONTRIB_H
#define SHP_CONTRIB_H

#include "nn.h"

#endif
