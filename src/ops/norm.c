/* norm - normalizations: the shape of the input, and the statistics. */
#include "nn.h"

/* BatchNormalization: statistics have one entry a channel (with spatial = 0 below 9, the shape of the mean they are given). A vector has
 * one channel. Source: ONNX BatchNormalization 1 (five outputs), 7 (spatial), 9, 14 (three outputs, training_mode). */
int infer_batch_norm(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    if (n->failed) return n->failed;
    bool spatial = n->opset >= 9 || shp_attr_int_or(n, "spatial", 1);
    shp_dim c = !x ? 0 : x->rank > 1 ? x->dim[1] : num(n, 1);
    for (uint32_t i = 1; spatial && i < 5; i++) c = shp_want_vector(n, i, c, "the number of channels");
    if (n->failed) return n->failed;
    bool more = shp_wants(n, 1) || shp_wants(n, 2);
    if (n->opset >= 14 && more != (shp_attr_int(n, "training_mode") != 0))
        shp_note(n, SHP_D_ARITY, more ? "running statistics are outputs only where training_mode is 1"
                                      : "training_mode is 1, but the running statistics are not outputs");
    if (shp_wants(n, 1)) shp_settle(n, &c, 1, SHP_RANK_MAX);
    for (uint32_t o = 1; o < 5; o++)
        if (spatial) shp_out(n, o, 1, &c);
        else shp_out_same(n, o, o & 1 ? 3 : 4);
    return shp_out_same(n, 0, 0);
}

/* Scale and bias have one entry a channel. Source: ONNX InstanceNormalization 1. */
int infer_instance_norm(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    shp_dim c = x ? x->dim[1] : 0;
    for (uint32_t i = 1; i < 3 && !n->failed; i++) c = shp_want_vector(n, i, c, "the number of channels");
    return n->failed ? (int)n->failed : shp_out_same(n, 0, 0);
}

/* Groups divide the channels; scale and bias have one entry a group (18), a channel (21). Source: ONNX GroupNormalization 18, 21. */
int infer_group_norm(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    if (n->failed) return n->failed;
    int64_t groups = shp_attr_int(n, "num_groups");
    if (groups < 1) return shp_fail(n, SHP_D_ATTRIBUTE, "num_groups is %d", groups);
    if (x) shp_whole_div(n, x->dim[1], groups, "the number of channels");
    shp_dim c = n->opset < 21 ? num(n, groups) : x ? x->dim[1] : 0;
    for (uint32_t i = 1; i < 3 && !n->failed; i++)
        c = shp_want_vector(n, i, c, n->opset < 21 ? "num_groups" : "the number of channels");
    return n->failed ? (int)n->failed : shp_out_same(n, 0, 0);
}

int shp_layer_norm(shp_node *n, uint32_t stats)
{
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t stash = shp_attr_int_or(n, "stash_type", SHP_FLOAT);
    for (uint32_t o = 1; o <= stats && shp_dtype_kind((int)stash) == 'F'; o++) shp_out_type(n, o, (shp_type)stash);
    if (!x) return SHP_OK;
    int64_t axis = shp_axis(n, shp_attr_int_or(n, "axis", -1), x->rank);
    if (axis < 0) return n->failed;
    shp_dim d[SHP_RANK_MAX];
    for (int64_t i = 0; i < x->rank; i++) d[i] = x->dim[i];
    if (!shp_want_fits(n, 1, x->rank, d) || (stats > 1 && !shp_want_fits(n, 2, x->rank, d))) return n->failed;
    shp_out(n, 0, x->rank, d);
    for (int64_t i = axis; i < x->rank; i++) d[i] = num(n, 1);
    for (uint32_t o = 1; o <= stats; o++) shp_out(n, o, x->rank, d);
    return SHP_OK;
}

/* Source: ONNX LayerNormalization 17; ONNX Runtime for the default domain below 17. */
int infer_layer_norm(shp_node *n) { return shp_layer_norm(n, 2); }
/* Source: ONNX Runtime, SimplifiedLayerNormalization 1. */
int infer_simplified_layer_norm(shp_node *n) { return shp_layer_norm(n, 1); }
/* Source: ONNX RMSNormalization 23. */
int infer_rms_norm(shp_node *n) { return shp_layer_norm(n, 0); }

/* Source: ONNX MeanVarianceNormalization 9; below it, ONNX Runtime (no axes). */
int infer_mean_variance_norm(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    uint32_t count = 0;
    const int64_t *axes = x && shp_attr_has(n, "axes") ? shp_attr_ints(n, "axes", &count) : NULL;
    for (uint32_t i = 0; axes && i < count; i++)
        if (shp_axis(n, axes[i], x->rank) < 0) return n->failed;
    return shp_out_same(n, 0, 0);
}

/* Source: ONNX LpNormalization 1. */
int infer_lp_norm(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    if (x && shp_axis(n, shp_attr_int_or(n, "axis", -1), x->rank) < 0) return n->failed;
    return shp_out_same(n, 0, 0);
}
