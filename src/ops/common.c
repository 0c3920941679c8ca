#include "../infer.h"
#include "ops.h"

#include <string.h>

/* Rules pass on their node, not what is read from it: tools/wasm.mjs compiles this file apart, so that it stays so. */
shp_dim shp_num(shp_node *n, int64_t v) { return shp_dim_const(n->dims, v); }
shp_dim shp_add(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_add(n->dims, a, b); }
shp_dim shp_sub(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_sub(n->dims, a, b); }
shp_dim shp_mul(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_mul(n->dims, a, b); }
shp_dim shp_floor_div(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_floor_div(n->dims, a, b); }
shp_dim shp_ceil_div(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_ceil_div(n->dims, a, b); }
shp_dim shp_div_exact(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_div_exact(n->dims, a, b); }
shp_dim shp_min(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_min(n->dims, a, b); }
shp_dim shp_max(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_max(n->dims, a, b); }
int64_t shp_lo(shp_node *n, shp_dim d) { return shp_dim_lo(n->dims, d); }
int64_t shp_hi(shp_node *n, shp_dim d) { return shp_dim_hi(n->dims, d); }
int shp_ge(shp_node *n, shp_dim a, shp_dim b) { return shp_dim_ge(n->dims, a, b); }
bool shp_is_num(shp_node *n, shp_dim d)
{
    const int64_t *number = shp_dim_number(n->dims, d);
    if (number) n->number = *number;
    return number != NULL;
}

void *shp_items(shp_node *n, size_t count, size_t size) { return shp_alloc_array(n->x->arena, count, size); }

int64_t shp_axis(shp_node *n, int64_t axis, int64_t rank)
{
    if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
    shp_fail3(n, SHP_D_AXIS, "axis %d is outside [%d, %d)", axis, -rank, rank);
    return -1;
}

/* A zero is looked for first: then no other factor can push the product out of 64 bits. */
shp_dim shp_product(shp_node *n, const shp_dim *dim, uint32_t count)
{
    shp_dim p = lit(1);
    int64_t numbers = 1, v;             /* numbers are gathered first: one product with what is open, not one each */
    for (uint32_t i = 0; i < count; i++)
        if (is(n, dim[i], 0)) return dim[i];
    for (uint32_t i = 0; i < count; i++) {
        if (is_num(n, dim[i], &v) && v > 0 && numbers <= INT64_MAX / v) numbers *= v;
        else p = mul(n, p, dim[i]);
    }
    return numbers == 1 ? p : mul(n, p, num(n, numbers));
}

shp_dim shp_numel(shp_node *n, const shp_shape *s)
{
    return s ? shp_product(n, s->dim, (uint32_t)s->rank) : 0;
}

const shp_node_proto *shp_maker(const shp_scope *s, uint32_t slot)
{
    uint32_t def = slot == SHP_NONE ? SHP_NONE : shp_from(&s->graph->slot[slot], SHP_FROM_NODE);
    const shp_node_proto *p = def == SHP_NONE ? NULL : &s->graph->node[def];
    return p && p->inputs ? p : NULL;
}

shp_dim shp_only(shp_node *n, const shp_fact *f)
{
    const shp_content *c = shp_fact_content(n, f);
    return c && c->count == 1 && !c->item ? shp_elem_whole(c->elem[0]) : 0;
}

/* What shapes broadcast to so far; and the input's shape that is the same, or NULL. */
typedef struct joint { int64_t rank; const shp_shape *same; shp_dim dim[SHP_RANK_MAX]; } joint;

shp_dim shp_broadcast(shp_node *n, uint32_t i, uint32_t j, shp_dim a, shp_dim b)
{
    shp_dim both = a == b ? b : shp_dim_broadcast(n->dims, a, b);
    if (!both && a && b) shp_fail4(n, SHP_D_SHAPE, "%i and %i do not broadcast: %x against %x", i, j, a, b);
    return both;
}

/* Broadcasts one more shape into *out, aligned at the last axis. */
static void broadcast_into(shp_node *n, joint *out, const shp_shape *s, uint32_t first, uint32_t i)
{
    int64_t grow = s->rank - out->rank;
    bool equal = grow >= 0, stays = grow <= 0;
    if (grow > 0) {
        memmove(out->dim + grow, out->dim, (size_t)out->rank * sizeof(shp_dim));
        memcpy(out->dim, s->dim, (size_t)grow * sizeof(shp_dim));
        out->rank = s->rank;
    }
    for (int64_t k = grow > 0 ? grow : 0; k < s->rank; k++) {
        shp_dim *a = &out->dim[out->rank - s->rank + k], b = s->dim[k];
        shp_dim both = shp_broadcast(n, first, i, *a, b);
        equal = equal && both == b;
        stays = stays && both == *a;
        *a = both;
    }
    if (equal || !stays) out->same = equal ? s : NULL;
}

void shp_out_broadcast(shp_node *n, uint32_t o, uint32_t first, uint32_t count)
{
    joint d;
    d.rank = 0;
    d.same = NULL;
    bool unknown = false;
    for (uint32_t i = first; i < first + count; i++) {
        if (!shp_has(n, i)) continue;
        const shp_shape *s = shp_in_shape(n, i);
        if (!s) unknown = true;
        else broadcast_into(n, &d, s, first, i);
    }
    if (unknown) return;
    if (d.same) shp_out_shape(n, o, d.same);
    else shp_out(n, o, d.rank, d.dim);
}

const shp_shape *shp_want_rank(shp_node *n, uint32_t i, int64_t lo, int64_t hi)
{
    const shp_shape *s = shp_in_shape(n, i);
    if (!s || (s->rank >= lo && s->rank <= hi)) return s;
    shp_fail3(n, SHP_D_RANK, lo == hi ? "%i has not rank %d" : hi == SHP_RANK_MAX ? "%i has not rank %d or more" : "%i has not rank %d to %d", i, lo, hi);
    return NULL;
}

bool shp_out_dtype(shp_node *n, uint32_t o, int64_t dtype)
{
    if (dtype < 1 || dtype >= SHP_DTYPE_COUNT) {
        shp_fail1(n, SHP_D_ATTRIBUTE, "%d is no element type", dtype);
        return false;
    }
    int v = n->schema ? shp_schema_output(n->schema, (int)o) : -1;
    if (v >= 0 && !shp_schema_allows(n->schema, v, (int)dtype))
        shp_fail1(n, SHP_D_TYPE, "%t is not among the types it gives", dtype);
    shp_out_type(n, o, (shp_type)dtype);
    return !n->failed;
}
