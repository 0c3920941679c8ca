/* quant - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */
#include "nn.h"

/* A scale is one number, or a vector along `axis`, or (block_size > 0) of x's rank with one entry a block of that axis: then x's other sizes are
 * the scale's. The zero point has the scale's shape (runtimes take one number for another form of one number).
 * Source: ONNX QuantizeLinear 10, 13 (axis), 21 (block_size). */
bool shp_scale_fits(shp_node *n, uint32_t is, uint32_t iz, int64_t *rank, shp_dim *dim)
{
    const shp_shape *s = shp_in_shape(n, is), *z = shp_in_shape(n, iz);
    int64_t block = shp_attr_int(n, "block_size"), axis = shp_attr_int_or(n, "axis", 1);
    if (block < 0) shp_fail(n, SHP_D_ATTRIBUTE, "block_size is %d", block);
    if (s && z && s->rank == z->rank)
        for (int32_t k = 0; k < s->rank; k++) shp_want_dim(n, iz, k, s->dim[k], "the scale's size");
    if (n->failed || !s) return !n->failed;
    if (!block) {
        if (s->rank > 1) shp_fail(n, SHP_D_RANK, "scale %i is neither one number nor a vector", is);
        /* a vector that may have one entry only is a number for runtimes, and so is any for a vector x */
        if (s->rank != 1 || *rank < 2 || shp_dim_lo(n->dims, s->dim[0]) < 2) return !n->failed;
        axis = shp_axis(n, axis, *rank);
        if (axis >= 0) dim[axis] = shp_want_dim(n, is, 0, dim[axis], "the quantized axis");
        return !n->failed;
    }
    if (*rank < 0)
        for (*rank = 0; *rank < s->rank; ++*rank) dim[*rank] = 0;
    if (!shp_want_rank(n, is, *rank, *rank)) return false;
    axis = shp_axis(n, axis, *rank);
    for (int64_t k = 0; k < *rank && !n->failed; k++) {
        shp_dim want = k == axis ? ceil_div(n, dim[k], num(n, block)) : dim[k];
        shp_dim got = shp_want_dim(n, is, k, want, k == axis ? "the number of blocks" : "the size in x");
        if (k != axis) dim[k] = got;
    }
    return !n->failed;
}

/* x's shape, checked against scale and zero point (inputs 1 and 2). */
static int like_x(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    int64_t rank = x ? x->rank : -1;
    shp_dim d[SHP_RANK_MAX];
    for (int64_t k = 0; k < rank; k++) d[k] = x->dim[k];
    if (!shp_scale_fits(n, 1, 2, &rank, d)) return n->failed;
    return rank < 0 ? SHP_OK : shp_out(n, 0, rank, d);
}

/* The type that output_dtype names, 0 where it names none; one that the output cannot have fails. */
static shp_type asked_type(shp_node *n)
{
    int64_t want = shp_attr_int(n, "output_dtype");
    int formal = n->schema ? shp_schema_output(n->schema, 0) : SHP_FORMAL_NONE;
    if (!want) return 0;
    if (!shp_dtype_kind((int)want) || (formal >= 0 && !shp_schema_allows(n->schema, formal, (int)want))) {
        shp_fail(n, SHP_D_ATTRIBUTE, "output_dtype %d is no type that the output can have", want);
        return 0;
    }
    return (shp_type)want;
}

/* The type is output_dtype, else the zero point's, else uint8. Source: ONNX QuantizeLinear 10, 21 (output_dtype). */
int infer_quantize_linear(shp_node *n)
{
    shp_type want = asked_type(n), zero = shp_in_type(n, 2);
    if (n->failed) return n->failed;
    if (want && zero && want != zero) return shp_fail(n, SHP_D_TYPE, "output_dtype is %t, the zero point is %t", want, zero);
    if (want) shp_out_type(n, 0, want);
    else if (!shp_has(n, 2)) shp_out_type(n, 0, SHP_UINT8);
    return like_x(n);
}

/* The type is output_dtype, else the scale's. Source: ONNX DequantizeLinear 10 (float), 19, 23 (output_dtype). */
int infer_dequantize_linear(shp_node *n)
{
    shp_type want = asked_type(n);
    if (n->failed) return n->failed;
    if (want) shp_out_type(n, 0, want);
    else if (n->opset >= 19) shp_out_type(n, 0, shp_in_type(n, 1));
    return like_x(n);
}

/* y, and one scale and one zero point. Source: ONNX DynamicQuantizeLinear 11. */
int infer_dynamic_quantize_linear(shp_node *n)
{
    shp_out(n, 1, 0, NULL);
    shp_out(n, 2, 0, NULL);
    return shp_out_same(n, 0, 0);
}
