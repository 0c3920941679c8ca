/* shape.h - the ONNX operator Shape.
 *
 * Plain arithmetic on a rank and an array of dims: no allocation, no library,
 * no state. The same two functions serve shape.wasm, the inference rule and
 * the native tests.
 *
 * Source: ONNX operator Shape (attributes start and end: opset 15 and later). */
#ifndef SHP_SHAPE_H
#define SHP_SHAPE_H

#include <stdint.h>

/* A half-open range of axes: [begin, begin + len). */
typedef struct {
    int64_t begin, len;
} shp_range;

/* shp_shape_range - the axes that Shape keeps.
 *
 * rank   number of axes of the input tensor, >= 0 (0 is a scalar)
 * start  first axis kept; a negative value gets rank added, once; then
 *        clamped to [0, rank]; pass 0 when the attribute is absent
 * end    one past the last axis kept, by the same rule; pass rank when the
 *        attribute is absent
 *
 * Returns begin in [0, rank] and len in [0, rank - begin]; len is 0 when
 * start >= end. Cannot fail or overflow, for any int64_t start and end. */
shp_range shp_shape_range(int64_t rank, int64_t start, int64_t end);

/* shp_shape_slice - the dims that Shape returns.
 *
 * dims        the input tensor's dims, one an axis; rank of them are readable
 *             (may be null when rank is 0)
 * rank        number of axes, >= 0
 * start, end  as in shp_shape_range
 * out         room for the dims kept; rank of them always suffice; may be the
 *             same pointer as dims, and else must not overlap them
 *
 * Returns how many dims it wrote to out, in [0, rank]. Cannot fail. Any
 * int64_t is copied as it is, so the caller's marks for unknown dims survive. */
int64_t shp_shape_slice(const int64_t *dims, int64_t rank, int64_t start, int64_t end, int64_t *out);

#endif
