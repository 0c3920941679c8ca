/* norm - normalizations: the shape of the input, and the statistics. */
#include "nn.h"

/* BatchNormalization: statistics have one entry a channel (with spatial = 0 below 9, the shape of the mean they are given). A vector has
 * one channel. The row says whether channels come last. Source: ONNX BatchNormalization 1 (five outputs), 7 (spatial), 9, 14 (three outputs, training_mode). */
void infer_batch_norm(shp_node *n)
{
    bool spatial = n->opset >= 9 || shp_attr_int_or(n, "spatial", 1) == 1, more = shp_wants(n, 1) || shp_wants(n, 2);
    if (n->opset >= 14 && more != (shp_attr_int(n, "training_mode") != 0))
        shp_note(n, SHP_D_ARITY, "running statistics go with training_mode 1");
    for (uint32_t o = 1; o < 5; o++) shp_out_same(n, o, o & 1 ? 3 : 4);
    shp_out_same(n, 0, 0);
    shp_patterns(n, !spatial ? "_ .>" : shp_variant(n) ? "_ _ . C; C; C; C; C >; C; C; C; C" : shp_in_rank(n, 0) == 1 ? "_; 1; 1; 1; 1 >; 1; 1; 1; 1" : "_ C .; C; C; C; C >; C; C; C; C");
}

/* Groups divide the channels; scale and bias have one entry a group (18), a channel (21). Source: ONNX GroupNormalization 18, 21. */
void infer_group_norm(shp_node *n)
{
    shp_patterns(n, n->opset < 21 ? "G!num_groups: _ G*C .; G; G >" : "G!num_groups: _ G*C .; G*C; G*C >");
    shp_out_same(n, 0, 0);
}

/* LayerNormalization and its kin: output 0 has the shape of input 0, outputs 1 to `stats` have 1 from attribute `axis` on. Source: ONNX
 * LayerNormalization 17, RMSNormalization 23; ONNX Runtime for the default domain below 17, and SimplifiedLayerNormalization 1. */
void infer_layer_norm(shp_node *n)
{
    uint32_t stats = (uint32_t)shp_variant(n);
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t stash = shp_attr_int_or(n, "stash_type", SHP_FLOAT);
    for (uint32_t o = 1; o <= stats && shp_dtype_kind((int)stash) == 'F'; o++) shp_out_type(n, o, (shp_type)stash);
    if (!x) return;
    int64_t axis = shp_axis(n, shp_attr_int_or(n, "axis", -1), x->rank);
    if (axis < 0) return;
    shp_dim d[SHP_RANK_MAX];
    for (int64_t i = 0; i < x->rank; i++) d[i] = x->dim[i];
    shp_want_fits(n, 1, x->rank, d);
    if (stats > 1) shp_want_fits(n, 2, x->rank, d);
    shp_out(n, 0, x->rank, d);
    for (int64_t i = axis; i < x->rank; i++) d[i] = lit(1);
    for (uint32_t o = 1; o <= stats; o++) shp_out(n, o, x->rank, d);
}

/* Source: ONNX LpNormalization 1. */
void infer_lp_norm(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    if (x) shp_axis(n, shp_attr_int_or(n, "axis", -1), x->rank);
    shp_out_same(n, 0, 0);
}
