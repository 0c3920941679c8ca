/* quant - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */
#include "nn.h"

/* Output 0 has x's shape, checked against scale and zero point (inputs 1 and 2). A scale is one number, or a vector along `axis`, or (block_size > 0) of x's rank with one entry a block of that axis: then x's other sizes are
 * the scale's. The zero point has the scale's shape (runtimes take one number for another form of one number).
 * Source: ONNX QuantizeLinear 10, 13 (axis), 21 (block_size). */
static void like_x(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0), *s = shp_in_shape(n, 1), *z = shp_in_shape(n, 2);
    int64_t block = shp_attr_int(n, "block_size"), axis = shp_attr_int_or(n, "axis", 1);
    shp_dim d[SHP_RANK_MAX];
    if (block < 0) shp_bad_attr(n, "block_size", block);
    for (int32_t k = 0; s && z && k < (s->rank > z->rank ? s->rank : z->rank); k++)
        shp_want_dim(n, k < z->rank ? 2 : 1, k, k < z->rank && k < s->rank ? s->dim[k] : lit(1));
    if (s && !block) shp_want_rank(n, 1, 0, 1);
    if (s && block && x) shp_want_rank(n, 1, x->rank, x->rank);
    const shp_shape *like = x ? x : block ? s : NULL;
    if (n->failed || !like) return;
    for (int32_t k = 0; k < like->rank; k++) d[k] = x ? x->dim[k] : 0;
    /* a vector that may have one entry only is a number for runtimes, and so is any for a vector x */
    if (s && (block || (s->rank == 1 && like->rank > 1 && lo(n, s->dim[0]) > 1)) && (axis = shp_axis(n, axis, like->rank)) >= 0) {
        if (!block) d[axis] = shp_want_dim(n, 1, 0, d[axis]);
        for (int64_t k = 0; block && k < like->rank; k++)
            if (k != axis) d[k] = shp_want_dim(n, 1, k, d[k]);
            else shp_want_dim(n, 1, k, ceil_div(n, d[k], num(n, block)));
    }
    shp_out(n, 0, like->rank, d);
}

/* Gives output 0 the type that output_dtype names. false: it names none. */
static bool typed(shp_node *n)
{
    int64_t want = shp_attr_int(n, "output_dtype");
    if (want) shp_out_dtype(n, 0, want);
    return want;
}

/* The type is output_dtype, else the zero point's, else uint8. Source: ONNX QuantizeLinear 10, 21 (output_dtype). */
void infer_quantize_linear(shp_node *n)
{
    int64_t want = shp_attr_int(n, "output_dtype"), zero = shp_in_type(n, 2);
    if (!typed(n) && !shp_has(n, 2)) shp_out_type(n, 0, SHP_UINT8);
    if (want && zero && want != zero) shp_fail2(n, SHP_D_TYPE, "output_dtype is %t, the zero point is %t", want, zero);
    like_x(n);
}

/* The type is output_dtype, else the scale's. Source: ONNX DequantizeLinear 10 (float), 19, 23 (output_dtype). */
void infer_dequantize_linear(shp_node *n)
{
    if (!typed(n) && n->opset >= 19) shp_out_type(n, 0, shp_in_type(n, 1));
    like_x(n);
}

/* y, and one scale and one zero point. Source: ONNX DynamicQuantizeLinear 11. */
void infer_dynamic_quantize_linear(shp_node *n)
{
    shp_out(n, 1, 0, NULL);
    shp_out(n, 2, 0, NULL);
    shp_out_same(n, 0, 0);
}
