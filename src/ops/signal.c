/* signal - Fourier transforms. */
#include "nn.h"

/* DFT along one axis of [signal…, 1 or 2]. The length is dft_length, else that of the axis (from one-sided to real: 2 * (size - 1)); a one-sided
 * result has length / 2 + 1. The last axis is 2 (complex), or 1 where the inverse of a one-sided transform is real.
 * Source: ONNX DFT 17 (axis an attribute, 1), 20 (an input, -2). */
int infer_dft(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    if (!x) return n->failed;
    bool onesided = shp_attr_int(n, "onesided") != 0, inverse = shp_attr_int(n, "inverse") != 0, real = onesided && inverse;
    int64_t rank = x->rank, axis = n->opset < 20 ? shp_attr_int_or(n, "axis", 1) : -2, parts, given;
    bool placed = n->opset < 20 || !shp_has(n, 2) || shp_in_int(n, 2, &axis);
    if (is_num(n, x->dim[rank - 1], &parts) && (parts < 1 || parts > 2 || (onesided && parts != (inverse ? 2 : 1))))
        return shp_fail(n, SHP_D_SHAPE, "the last axis of %i is not %s", (uint32_t)0,
                        !onesided ? "1 (real) or 2 (complex)" : inverse ? "2 (complex)" : "1 (real)");
    shp_dim d[SHP_RANK_MAX];
    if (placed) {
        axis = shp_axis(n, axis, rank);
        if (axis == rank - 1) shp_fail(n, SHP_D_AXIS, "the last axis holds real and imaginary parts");
        if (n->failed) return n->failed;
    }
    for (int64_t i = 0; i < rank; i++) d[i] = placed || (!shp_has(n, 1) && !onesided) ? x->dim[i] : 0;
    d[rank - 1] = num(n, real ? 1 : 2);
    if (!placed) return shp_out(n, 0, rank, d);
    shp_dim length = d[axis];
    if (shp_has(n, 1)) length = shp_in_scalar(n, 1);
    else if (real) length = mul(n, num(n, 2), sub(n, length, num(n, 1)));
    if (is_num(n, length, &given) && given < 1 && shp_has(n, 1)) return shp_fail(n, SHP_D_VALUE, "dft_length is %d", given);
    d[axis] = onesided && !inverse ? add(n, floor_div(n, length, num(n, 2)), num(n, 1)) : length;
    return shp_out(n, 0, rank, d);
}

/* STFT: [batch, frames, bins, 2]; a frame has frame_length, or as many samples as the window, or all. frames = (length - frame) / step + 1,
 * and a frame fits (R1). Source: ONNX STFT 17. */
int infer_stft(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, 3);
    if (n->failed) return n->failed;
    shp_dim length = x ? x->dim[1] : 0, step = shp_in_scalar(n, 1), frame = shp_in_scalar(n, 3);
    if (!shp_has(n, 3)) frame = shp_has(n, 2) ? 0 : length;
    frame = shp_want_vector(n, 2, frame, "frame_length");
    if (n->failed) return n->failed;
    if (step && shp_dim_hi(n->dims, step) < 1) return shp_fail(n, SHP_D_VALUE, "frame_step is %x", step);
    if (frame && shp_dim_hi(n->dims, frame) < 1) return shp_fail(n, SHP_D_VALUE, "frame_length is %x", frame);
    if (shp_dim_ge(n->dims, length, frame) == 0)
        return shp_fail(n, SHP_D_SHAPE, "a frame of %x does not fit into %i", frame, (uint32_t)0);
    shp_dim one = num(n, 1), d[4] = { x ? x->dim[0] : 0, add(n, floor_div(n, sub(n, length, frame), step), one), frame, num(n, 2) };
    if (shp_attr_int_or(n, "onesided", 1)) d[2] = add(n, floor_div(n, frame, num(n, 2)), one);
    return shp_out(n, 0, 4, d);
}
