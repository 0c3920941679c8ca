#include "shape.h"

/* The sum cannot overflow: it is taken only where axis < 0 <= rank. */
static int64_t clamp(int64_t axis, int64_t rank)
{
    if (axis < 0)
        axis += rank;
    if (axis < 0)
        return 0;
    return axis < rank ? axis : rank;
}

shp_range shp_shape_range(int64_t rank, int64_t start, int64_t end)
{
    int64_t begin = clamp(start, rank);
    int64_t stop = clamp(end, rank);
    return (shp_range){ begin, begin < stop ? stop - begin : 0 };
}

int64_t shp_shape_slice(const int64_t *dims, int64_t rank, int64_t start, int64_t end, int64_t *out)
{
    shp_range kept = shp_shape_range(rank, start, end);
    /* Forward, so that out may be dims: what is read lies at or after what is written. */
    for (int64_t i = 0; i < kept.len; i++)
        out[i] = dims[kept.begin + i];
    return kept.len;
}
