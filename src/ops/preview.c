/* preview - the optimizers and Gradient of ai.onnx.preview.training. (FlexAttention of ai.onnx.preview stands in attention.c.) */
#include "index.h"

/* Adagrad, Adam, Momentum: R, T, then `groups` lists of tensors, one of each for a tensor that is optimized: it, its gradient, what is accumulated. Outputs are these
 * without the gradients. Source: ONNX Adagrad 1, Adam 1, Momentum 1 of ai.onnx.preview.training. */
void infer_optimizer(shp_node *n)
{
    uint32_t groups = (uint32_t)shp_variant(n), count = shp_inputs(n) - 2, each = count / groups;
    if (count % groups || n->nout > each * (groups - 1)) {
        shp_fail2(n, SHP_D_ARITY, "%d inputs after R and T and %d outputs are none for whole tensors", count, n->nout);
        return;
    }
    for (uint32_t i = 0; i < each; i++) {
        uint32_t known = 2 + i;
        for (uint32_t in = known; in < count + 2; in += each) {
            if (!shp_in_shape(n, known)) known = in;
            shp_same_shape(n, known, in, -1);
        }
        for (uint32_t g = 0; g + 1 < groups; g++) {
            shp_out_same(n, i + g * each, known);
            shp_out_type(n, i + g * each, shp_in_type(n, 2 + i + (g ? g + 1 : 0) * each));
        }
    }
}

/* The derivative by each tensor of xs has that tensor's type and shape; inputs are the tensors of xs, then those of zs.
 * Source: ONNX Gradient 1 of ai.onnx.preview.training. */
void infer_gradient(shp_node *n)
{
    const shp_attr *xs = shp_attr_get(n, "xs"), *zs = shp_attr_get(n, "zs");
    uint32_t count = xs ? xs->count : 0, all = count + (zs ? zs->count : 0);
    if (shp_inputs(n) != all || n->nout > count) {
        shp_fail4(n, SHP_D_ARITY, "%d inputs for %d names in xs and zs, %d outputs for %d in xs", shp_inputs(n), all, n->nout, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (shp_dtype_kind(shp_in_dtype(n, i)) == 'F') shp_out_type(n, i, shp_in_type(n, i));
        shp_out_same(n, i, i);
    }
}
