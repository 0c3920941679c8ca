/* skeleton - for tests: what the skimmer makes, compared. */
#ifndef SHP_TEST_SKELETON_H
#define SHP_TEST_SKELETON_H

#include "../../src/wire.h"

static inline bool same_fields(shp_wire a, shp_wire b)
{
    shp_field f, g;
    while (shp_next(&a, &f)) {
        if (!shp_next(&b, &g) || f.key != g.key || f.value != g.value) return false;
        if (!shp_str_eq(f.text, g.text) && !same_fields(f.sub, g.sub)) return false;
    }
    return !shp_next(&b, &g) && !a.failed && !b.failed;
}

/* Whether two have the same fields, whatever the widths of their messages' lengths. */
static inline bool same_skeleton(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return same_fields(shp_wire_of(a, a_size), shp_wire_of(b, b_size));
}

#endif
