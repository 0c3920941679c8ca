/* What JS calls in shape.wasm, and nothing else: integers in, integers out.
 *
 * A 64-bit start or end crosses as its high and low half, because two int32
 * cost nothing where a BigInt is allocated on every call. An absent start is
 * 0, an absent end is rank. */
#include "../src/shape.h"

enum { CAPACITY = 4096 };  /* dims; a power of two that leaves one 64 KiB page half empty */

/* Where dims go in and out. */
static int64_t buffer[CAPACITY];

static int64_t join(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

/* shape_buffer - the address of 4,096 int64, fixed for the instance's life. */
int64_t *shape_buffer(void)
{
    return buffer;
}

/* shape_range - shp_shape_range: returns len, leaves begin in the buffer's first 8 bytes. */
uint32_t shape_range(uint32_t rank, uint32_t start_high, uint32_t start_low, uint32_t end_high, uint32_t end_low)
{
    shp_range kept = shp_shape_range(rank, join(start_high, start_low), join(end_high, end_low));
    buffer[0] = kept.begin;
    return (uint32_t)kept.len;
}

/* shape_slice - shp_shape_slice on the rank dims in the buffer, rank <= 4,096;
 * the dims kept move to its front. Returns how many they are. */
uint32_t shape_slice(uint32_t rank, uint32_t start_high, uint32_t start_low, uint32_t end_high, uint32_t end_low)
{
    return (uint32_t)shp_shape_slice(buffer, rank, join(start_high, start_low), join(end_high, end_low), buffer);
}
