/* signal - Fourier transforms. */
#include "nn.h"

/* What input i says, d, is at least 1. */
static void want_positive(shp_node *n, uint32_t i, shp_dim d)
{
    if (d && hi(n, d) < 1) shp_fail2(n, SHP_D_VALUE, "%i is %x", i, d);
}

/* DFT along one axis of [signal…, 1 or 2]. The length is dft_length, else that of the axis (from one-sided to real: 2 * (size - 1)); a one-sided
 * result has length / 2 + 1. The last axis is 2 (complex), or 1 where the inverse of a one-sided transform is real.
 * Source: ONNX DFT 17 (axis an attribute, 1), 20 (an input, -2). */
void infer_dft(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    if (!x) return;
    bool onesided = shp_attr_int(n, "onesided") != 0, inverse = shp_attr_int(n, "inverse") != 0, real = onesided && inverse, asked = shp_has(n, 1);
    int64_t last = x->rank - 1, axis = n->opset < 20 ? shp_attr_int_or(n, "axis", 1) : -2, parts;
    for (uint32_t i = 1; i < 3; i++) shp_want_rank(n, i, 0, 0);
    bool placed = n->opset < 20 || !shp_has(n, 2) || shp_in_int(n, 2, &axis);
    if (is_num(n, x->dim[last], &parts) && (parts < 1 || parts > 2 || (onesided && parts != 1 + inverse))) {
        shp_fail2(n, SHP_D_SHAPE, onesided ? "the last axis of %i is not %d" : "the last axis of %i is not 1 or 2", 0, 1 + inverse);
        return;
    }
    if (placed && (axis = shp_axis(n, axis, x->rank)) == last) shp_fail(n, SHP_D_AXIS, "the last axis holds real and imaginary parts");
    if (n->failed) return;
    shp_dim d[SHP_RANK_MAX], one = lit(1), two = lit(2);
    for (int64_t i = 0; i < last; i++) d[i] = placed || (!asked && !onesided) ? x->dim[i] : 0;
    d[last] = real ? one : two;
    if (!placed) { shp_out(n, 0, x->rank, d); return; }
    shp_dim length = asked ? shp_in_scalar(n, 1) : real ? mul(n, two, sub(n, d[axis], one)) : d[axis];
    if (asked) want_positive(n, 1, length);
    d[axis] = onesided && !inverse ? add(n, floor_div(n, length, two), one) : length;
    shp_out(n, 0, x->rank, d);
}

/* STFT: [batch, frames, bins, 2]; a frame has frame_length, or as many samples as the window, or all. frames = (length - frame) / step + 1,
 * and a frame fits (R1). Source: ONNX STFT 17. */
void infer_stft(shp_node *n)
{
    enum { F = 'F' - 'A', L = 'L' - 'A', T = 'T' - 'A' };
    shp_dim *size = shp_letters(n), step = shp_in_scalar(n, 1);
    size[F] = shp_in_scalar(n, 3);
    shp_lay(n, "_ L|_ L _; ; F >");
    if (!shp_has(n, 3) && !shp_has(n, 2)) size[F] = size[L];
    want_positive(n, 1, step);
    want_positive(n, 3, size[F]);
    size[T] = shp_windows(n, 1, size[L], size[L], size[F], step);
    shp_lay(n, shp_attr_int_or(n, "onesided", 1) ? "B _ .> B T F~2+1 2" : "B _ .> B T F 2");
}
