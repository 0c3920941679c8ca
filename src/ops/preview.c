/* preview - the optimizers and Gradient of ai.onnx.preview.training. (FlexAttention of ai.onnx.preview stands in attention.c.) */
#include "ops.h"

/* The shape that inputs i, i + step, … (count of them) have together (R1), as output i - 2. */
static int together(shp_node *n, uint32_t i, uint32_t step, uint32_t count)
{
    shp_dim d[SHP_RANK_MAX];
    const shp_shape *first = NULL;
    uint32_t named = 0;
    for (uint32_t k = 0; k < count; k++) {
        const shp_shape *s = shp_in_shape(n, i + k * step);
        bool fits = s && (!first || s->rank == first->rank);
        for (int32_t a = 0; fits && a < s->rank; a++) {
            d[a] = first ? shp_equal(n, d[a], s->dim[a]) : s->dim[a];
            fits = d[a] != 0;
        }
        if (s && !fits) return shp_fail2(n, SHP_D_SHAPE, "%i and %i must have one shape", named, i + k * step);
        if (s && !first) { first = s; named = i + k * step; }
    }
    return first ? shp_out(n, i - 2, first->rank, d) : SHP_OK;
}

/* R, T, then `groups` lists of tensors, one of each for a tensor that is optimized: it, its gradient, what is accumulated. Outputs are these
 * without the gradients. */
static int optimizer(shp_node *n, uint32_t groups)
{
    uint32_t count = shp_inputs(n) - 2, each = count / groups;
    if (count % groups || n->nout > each * (groups - 1))
        return shp_fail4(n, SHP_D_ARITY, "%d inputs after R and T and %d outputs are not %d and %d a tensor", count, n->nout, groups, groups - 1);
    for (uint32_t i = 0; i < each; i++) {
        if (together(n, 2 + i, each, groups)) return n->failed;
        for (uint32_t g = 0; g + 1 < groups; g++) {
            uint32_t o = i + g * each;
            if (g && i < n->nout) shp_out_shape(n, o, n->out[i].shape);
            shp_out_type(n, o, shp_in_type(n, 2 + i + (g ? g + 1 : 0) * each));
        }
    }
    return SHP_OK;
}

/* Source: ONNX Adagrad 1, Adam 1, Momentum 1 of ai.onnx.preview.training. */
int infer_adagrad(shp_node *n) { return optimizer(n, 3); }
int infer_adam(shp_node *n) { return optimizer(n, 4); }
int infer_momentum(shp_node *n) { return optimizer(n, 3); }

/* The derivative by each tensor of xs has that tensor's type and shape; inputs are the tensors of xs, then those of zs.
 * Source: ONNX Gradient 1 of ai.onnx.preview.training. */
int infer_gradient(shp_node *n)
{
    const shp_attr *xs = shp_attr_get(n, "xs"), *zs = shp_attr_get(n, "zs");
    uint32_t count = xs ? xs->count : 0, all = count + (zs ? zs->count : 0);
    if (shp_inputs(n) != all || n->nout > count)
        return shp_fail4(n, SHP_D_ARITY, "%d inputs for %d names in xs and zs, %d outputs for %d in xs", shp_inputs(n), all, n->nout, count);
    for (uint32_t i = 0; i < count; i++) {
        if (shp_dtype_kind(shp_in_dtype(n, i)) == 'F') shp_out_type(n, i, shp_in_type(n, i));
        shp_out_same(n, i, i);
    }
    return SHP_OK;
}
