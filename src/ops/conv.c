/* conv - sliding windows: convolutions, pools, and what else works on images: unpooling, regions, grids, column blocks. */
#include "nn.h"

/* ---- windows ---- */

typedef struct window {
    int64_t axes;                   /* spatial axes; -1 not known */
    const int64_t *kernel, *stride, *dilation, *pad;    /* NULL: absent */
    bool same, valid;               /* auto_pad */
    bool ceil, pool;
    int64_t first;                  /* spatial axis 0 of x and y */
} window;

static bool is_same(shp_str s) { return shp_str_is(s, "SAME_UPPER") || shp_str_is(s, "SAME_LOWER"); }

/* Reads what all windows have. axes: as x or the weight tells, -1 where neither does; then the attributes' lengths decide
 * (more than a rank can have: -1). */
static bool read_window(shp_node *n, window *w, int64_t axes)
{
    static const char *const name[] = { "kernel_shape", "strides", "dilations" };
    for (uint32_t i = 0, count; axes < 0 && i < 3; i++)
        if (shp_attr_ints(n, name[i], &count) && count) axes = count;
    if (axes > SHP_RANK_MAX - 2) axes = -1;
    w->axes = axes;
    w->kernel = shp_want_ints(n, "kernel_shape", axes, 1, NULL);
    w->stride = shp_want_ints(n, "strides", axes, 1, NULL);
    w->dilation = shp_want_ints(n, "dilations", axes, 1, NULL);
    w->pad = shp_want_ints(n, "pads", axes < 0 ? -1 : 2 * axes, 0, NULL);
    shp_str mode = shp_attr_str(n, "auto_pad");
    w->same = is_same(mode);
    w->valid = shp_str_is(mode, "VALID");
    if (mode.len && !w->same && !w->valid && !shp_str_is(mode, "NOTSET"))
        shp_fail(n, SHP_D_ATTRIBUTE, "auto_pad \"%n\" is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID", mode);
    return !n->failed;
}

static int64_t at(const int64_t *list, int64_t i, int64_t otherwise) { return list ? list[i] : otherwise; }
static int64_t pad_of(const window *w, int64_t i) { return w->same || w->valid ? 0 : at(w->pad, i, 0); }

/* What a kernel of k covers with its dilation. */
static shp_dim reach(shp_node *n, const window *w, int64_t i, shp_dim k)
{
    return add(n, mul(n, sub(n, k, num(n, 1)), num(n, at(w->dilation, i, 1))), num(n, 1));
}

/* Positions of a window of k on spatial axis i of size h. SAME: ceil(h / stride). Else (h + pads - reach) / stride + 1, rounded down, or up with
 * ceil_mode, where a window that would start in the padding behind does not count.
 * A convolution's window fits (R1); a pool's is taken to fit (R2c). Where numbers say that a pool's does not, specification (round
 * down) and runtimes (towards zero) differ: known only where they do not. */
static shp_dim positions(shp_node *n, const window *w, int64_t i, shp_dim h, shp_dim k)
{
    shp_dim s = num(n, at(w->stride, i, 1)), one = num(n, 1);
    if (w->same) return ceil_div(n, h, s);
    int64_t behind = pad_of(w, i + w->axes);
    shp_dim left = add(n, h, num(n, pad_of(w, i))), padded = add(n, left, num(n, behind)), span = reach(n, w, i, k), room = sub(n, padded, span);
    int fits = shp_dim_ge(n->dims, room, num(n, 0));
    if (fits == 0) {
        shp_dim down = floor_div(n, room, s), up = ceil_div(n, room, s);
        if (!w->pool || shp_dim_ge(n->dims, up, num(n, -1)) == 0) {
            shp_fail(n, SHP_D_SHAPE, "a window of %x does not fit into axis %d of size %x, %x with padding", span, w->first + i, h, padded);
            return 0;
        }
        return down == up || w->ceil ? add(n, up, one) : 0;
    }
    if (w->pool) shp_assume(n, padded, span, "a pooling window fits into the padded input");
    if (!w->ceil) return add(n, floor_div(n, room, s), one);
    shp_dim all = add(n, ceil_div(n, room, s), one);
    if (shp_dim_ge(n->dims, span, add(n, num(n, behind), s)) == 1) return all;
    return dim_min(n, all, ceil_div(n, left, s));
}

/* The kernel along spatial axis i: kernel_shape, with which the weight agrees. */
static shp_dim kernel_at(shp_node *n, const window *w, uint32_t iw, int64_t i)
{
    shp_dim k = shp_want_dim(n, iw, i + 2, w->kernel ? num(n, w->kernel[i]) : 0, "kernel_shape's entry");
    if (k && shp_dim_hi(n->dims, k) < 1) shp_fail(n, SHP_D_SHAPE, "the kernel of %i is empty", iw);
    return k;
}

/* ---- convolutions ---- */

/* x and the weight: ranks that agree, and the window. false where it failed, or nothing is known (the node has not failed then). */
static bool read_conv(shp_node *n, window *w, uint32_t ix, uint32_t iw, int64_t *group)
{
    const shp_shape *x = shp_want_rank(n, ix, 3, SHP_RANK_MAX), *weight = shp_want_rank(n, iw, 3, SHP_RANK_MAX);
    if (n->failed) return false;
    if (x && weight && x->rank != weight->rank) {
        shp_fail(n, SHP_D_RANK, "weight %i has rank %d, input %i has rank %d", iw, (int64_t)weight->rank, ix, (int64_t)x->rank);
        return false;
    }
    *group = shp_attr_int_or(n, "group", 1);
    if (*group < 1) shp_fail(n, SHP_D_ATTRIBUTE, "group is %d", *group);
    return read_window(n, w, x ? x->rank - 2 : weight ? weight->rank - 2 : -1) && !n->failed && w->axes >= 0;
}

/* Input channels that the weight wants (per group in axis 1) against those of x. */
static void check_channels(shp_node *n, uint32_t ix, uint32_t iw, int64_t axis, int64_t group)
{
    const shp_shape *x = shp_in_shape(n, ix), *weight = shp_in_shape(n, iw);
    if (!x || !weight) return;
    shp_dim have = x->dim[axis], want = mul(n, weight->dim[1], num(n, group));
    int64_t c;
    if (is_num(n, have, &c) && c % group == 0 ? !shp_equal(n, weight->dim[1], num(n, c / group)) : !shp_equal(n, have, want))
        shp_fail(n, SHP_D_SHAPE, "weight %i wants %x input channels, input %i has %x", iw, want, ix, have);
}

/* [N, M, positions…] into d; the rank, or -1. Channels come last where channels_last. */
static int64_t conv_dims(shp_node *n, window *w, uint32_t ix, uint32_t iw, uint32_t ib, bool channels_last, shp_dim *d)
{
    int64_t group;
    if (!read_conv(n, w, ix, iw, &group)) return -1;
    const shp_shape *x = shp_in_shape(n, ix), *weight = shp_in_shape(n, iw);
    int64_t rank = w->axes + 2, channel = channels_last ? rank - 1 : 1;
    w->first = channels_last ? 1 : 2;
    check_channels(n, ix, iw, channel, group);
    d[0] = x ? x->dim[0] : 0;
    d[channel] = shp_want_vector(n, ib, weight ? weight->dim[0] : 0, "the number of output channels");
    if (group > 1) shp_whole_div(n, d[channel], group, "the number of output channels");
    for (int64_t i = 0; i < w->axes && !n->failed; i++)
        d[w->first + i] = positions(n, w, i, x ? x->dim[w->first + i] : 0, kernel_at(n, w, iw, i));
    return n->failed ? -1 : rank;
}

int shp_conv(shp_node *n, uint32_t ix, uint32_t iw, uint32_t ib, bool channels_last)
{
    window w = { 0 };
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = conv_dims(n, &w, ix, iw, ib, channels_last, d);
    return rank < 0 ? (int)n->failed : shp_out(n, 0, rank, d);
}

/* Source: ONNX Conv 1, 11, ConvInteger 10, QLinearConv 10. */
int infer_conv(shp_node *n) { return shp_conv(n, 0, 1, 2, false); }
int infer_conv_integer(shp_node *n) { return shp_conv(n, 0, 1, SHP_NONE, false); }
int infer_qlinear_conv(shp_node *n) { return shp_conv(n, 0, 3, 8, false); }

/* DeformConv: a convolution whose offset (and mask) have its output's positions, and 2-D, 3-D … offsets for each element of the kernel.
 * Source: ONNX DeformConv 19. */
int infer_deform_conv(shp_node *n)
{
    window w = { 0 };
    shp_dim d[SHP_RANK_MAX], taps = num(n, shp_attr_int_or(n, "offset_group", 1));
    int64_t rank = conv_dims(n, &w, 0, 1, 3, false, d);
    if (rank < 0) return n->failed;
    for (int64_t i = 0; i < w.axes; i++) taps = mul(n, taps, kernel_at(n, &w, 1, i));
    for (uint32_t i = 2; i < 5; i += 2) {
        if (!shp_want_rank(n, i, rank, rank)) continue;
        shp_want_dim(n, i, 1, i == 2 ? mul(n, taps, num(n, w.axes)) : taps, "offset_group times the kernel");
        for (int64_t k = 0; k < rank; k++)
            if (k != 1) d[k] = shp_want_dim(n, i, k, d[k], "the output's size");
    }
    return shp_done(n, rank, d);
}

/* One axis of ConvTranspose: stride * (h - 1) + output_padding + reach - pads; with SAME h * stride, or less where the kernel
 * does not reach that far (nothing is padded then); output_shape as it says. */
static shp_dim transposed(shp_node *n, const window *w, int64_t i, shp_dim h, shp_dim k, int64_t padding)
{
    int64_t s = at(w->stride, i, 1);
    if (padding >= s && padding >= at(w->dilation, i, 1))
        shp_note(n, SHP_D_ATTRIBUTE, "output_padding %d is not less than the stride or the dilation", padding);
    shp_dim stride = num(n, s), span = add(n, reach(n, w, i, k), num(n, padding));
    shp_dim full = add(n, mul(n, sub(n, h, num(n, 1)), stride), span);
    if (w->same) {
        int covers = shp_dim_ge(n->dims, span, stride);
        shp_dim same = mul(n, h, stride);
        return covers == 1 ? same : covers == 0 ? full : dim_min(n, full, same);
    }
    shp_dim out = sub(n, full, add(n, num(n, pad_of(w, i)), num(n, pad_of(w, i + w->axes))));
    if (out && shp_dim_hi(n->dims, out) < 0) shp_fail(n, SHP_D_SHAPE, "pads leave a size of %x on axis %d", out, i + 2);
    return out;
}

/* ConvTranspose: the weight is [C, M / group, kernel…]. output_shape lists the spatial sizes (some write all axes).
 * Source: ONNX ConvTranspose 1, 11; runtimes for SAME with a kernel smaller than the stride. */
int infer_conv_transpose(shp_node *n)
{
    window w = { .first = 2 };
    int64_t group;
    if (!read_conv(n, &w, 0, 1, &group)) return n->failed;
    const shp_shape *x = shp_in_shape(n, 0), *weight = shp_in_shape(n, 1);
    int64_t rank = w.axes + 2;
    uint32_t count;
    const int64_t *padding = shp_want_ints(n, "output_padding", w.axes, 0, NULL), *sizes = shp_want_ints(n, "output_shape", -1, 0, &count);
    if (sizes && count != w.axes && count != rank)
        shp_fail(n, SHP_D_ATTRIBUTE, "output_shape has %d entries, not %d", (int64_t)count, w.axes);
    if (sizes && count == rank) sizes += 2;
    shp_dim d[SHP_RANK_MAX], c = shp_want_dim(n, 1, 0, x ? x->dim[1] : 0, "the number of input channels");
    if (group > 1) shp_whole_div(n, c, group, "the number of input channels");
    d[0] = x ? x->dim[0] : 0;
    d[1] = shp_want_vector(n, 2, weight ? mul(n, weight->dim[1], num(n, group)) : 0, "the number of output channels");
    for (int64_t i = 0; i < w.axes && !n->failed; i++) {
        shp_dim k = kernel_at(n, &w, 1, i);
        d[i + 2] = sizes ? num(n, sizes[i]) : transposed(n, &w, i, x ? x->dim[i + 2] : 0, k, at(padding, i, 0));
    }
    return shp_done(n, rank, d);
}

/* ---- pools ---- */

/* MaxPool, AveragePool, LpPool: [N, C, positions…], the same for MaxPool's indices. LpPool 1 may lack kernel_shape: then only the rank,
 * N and C are known. Source: ONNX MaxPool 1, 8, 10, AveragePool 1, 10, 19, LpPool 1, 18: ceil_mode and dilations where a version has them;
 * VALID with ceil_mode as runtimes round it. */
int shp_pool(shp_node *n, bool channels_last)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    window w = { .pool = true, .first = channels_last ? 1 : 2, .ceil = shp_attr_int(n, "ceil_mode") != 0 };
    if (n->failed || !read_window(n, &w, x ? x->rank - 2 : -1) || w.axes < 0) return n->failed;
    if (!w.kernel && shp_attr_has(n, "kernel_shape")) return shp_fail(n, SHP_D_ATTRIBUTE, "kernel_shape is empty");
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = w.axes + 2, channel = channels_last ? rank - 1 : 1;
    d[0] = x ? x->dim[0] : 0;
    d[channel] = x ? x->dim[channel] : 0;
    for (int64_t i = 0; i < w.axes && !n->failed; i++)
        d[w.first + i] = positions(n, &w, i, x ? x->dim[w.first + i] : 0, w.kernel ? num(n, w.kernel[i]) : 0);
    if (n->failed) return n->failed;
    shp_settle(n, d, (uint32_t)rank, 0);
    shp_out(n, 1, rank, d);
    return shp_out(n, 0, rank, d);
}

int infer_pool(shp_node *n) { return shp_pool(n, false); }

/* GlobalAveragePool, GlobalMaxPool, GlobalLpPool: spatial axes become 1. Source: ONNX GlobalAveragePool 1. */
int infer_global_pool(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    if (!x) return n->failed;
    shp_dim d[SHP_RANK_MAX];
    for (int32_t i = 0; i < x->rank; i++) d[i] = i < 2 ? x->dim[i] : num(n, 1);
    return shp_out(n, 0, x->rank, d);
}

/* MaxUnpool: indices have the shape of x; the output's shape is an input, or stride * (h - 1) + kernel - pads. Source: ONNX MaxUnpool 9. */
int infer_max_unpool(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX), *indices = shp_want_rank(n, 1, 3, SHP_RANK_MAX);
    if (n->failed) return n->failed;
    if (x && indices && !shp_want_rank(n, 1, x->rank, x->rank)) return n->failed;
    window w = { .first = 2 };
    if (!x) x = indices;
    if (!read_window(n, &w, x ? x->rank - 2 : -1) || w.axes < 0) return n->failed;
    if (!w.kernel) return shp_fail(n, SHP_D_ATTRIBUTE, "kernel_shape is missing");
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = w.axes + 2;
    const shp_content *sizes = shp_in_content(n, 2);
    if (sizes && sizes->count != rank)
        return shp_fail(n, SHP_D_SHAPE, "output_shape %i has %d elements, not %d", (uint32_t)2, (int64_t)sizes->count, rank);
    for (int64_t i = 0; i < rank && !n->failed; i++) {
        shp_dim h = shp_want_dim(n, 1, i, x ? x->dim[i] : 0, "the size in X");
        if (i < 2) d[i] = h;
        else if (shp_has(n, 2)) d[i] = shp_element(sizes, i);
        else d[i] = transposed(n, &w, i - 2, h, num(n, w.kernel[i - 2]), 0);
    }
    return shp_done(n, rank, d);
}

/* ---- regions and grids ---- */

/* [regions, C, height, width]. */
static int regions(shp_node *n, shp_dim count, int64_t height, int64_t width)
{
    const shp_shape *x = shp_want_rank(n, 0, 4, 4);
    if (n->failed) return n->failed;
    if (height < 1 || width < 1) return shp_fail(n, SHP_D_ATTRIBUTE, "a pooled size of %d by %d", height, width);
    shp_dim d[4] = { count, x ? x->dim[1] : 0, num(n, height), num(n, width) };
    return shp_out(n, 0, 4, d);
}

/* MaxRoiPool: regions are [count, 5]. Source: ONNX MaxRoiPool 1. */
int infer_max_roi_pool(shp_node *n)
{
    const shp_shape *rois = shp_want_rank(n, 1, 2, 2);
    const int64_t *size = shp_want_ints(n, "pooled_shape", 2, 1, NULL);
    shp_want_dim(n, 1, 1, num(n, 5), "the length of a region");
    if (!size) return n->failed ? (int)n->failed : shp_fail(n, SHP_D_ATTRIBUTE, "pooled_shape is missing");
    return n->failed ? (int)n->failed : regions(n, rois ? rois->dim[0] : 0, size[0], size[1]);
}

/* RoiAlign: regions are [count, 4], each with a batch index. Source: ONNX RoiAlign 10. */
int infer_roi_align(shp_node *n)
{
    const shp_shape *rois = shp_want_rank(n, 1, 2, 2);
    shp_want_dim(n, 1, 1, num(n, 4), "the length of a region");
    shp_dim count = shp_want_vector(n, 2, rois ? rois->dim[0] : 0, "the number of regions");
    return n->failed ? (int)n->failed : regions(n, count, shp_attr_int_or(n, "output_height", 1), shp_attr_int_or(n, "output_width", 1));
}

/* Col2Im: [N, C * block, L] to [N, C, image…], one column for each position of a block. Source: ONNX Col2Im 18. */
int infer_col2im(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, 3);
    const shp_content *image = shp_in_content(n, 1), *block = shp_in_content(n, 2);
    int64_t axes = shp_in_length(n, 1), other = shp_in_length(n, 2);
    if (axes >= 0 && other >= 0 && axes != other)
        shp_fail(n, SHP_D_SHAPE, "image_shape has %d entries, block_shape has %d", axes, other);
    if (axes < 0) axes = other;
    window w = { .first = 2 };
    if (n->failed || !read_window(n, &w, axes) || w.axes < 0) return n->failed;
    shp_dim d[SHP_RANK_MAX], taps = num(n, 1), columns = num(n, 1);
    for (int64_t i = 0; i < w.axes && !n->failed; i++) {
        shp_dim k = shp_element(block, i);
        d[i + 2] = shp_element(image, i);
        taps = mul(n, taps, k);
        columns = mul(n, columns, positions(n, &w, i, d[i + 2], k));
    }
    if (n->failed) return n->failed;
    int64_t size;
    shp_want_dim(n, 0, 2, columns, "the number of blocks");
    d[0] = x ? x->dim[0] : 0;
    d[1] = !x ? 0 : is_num(n, taps, &size) ? shp_whole_div(n, x->dim[1], size, "the second axis") : floor_div(n, x->dim[1], taps);
    return shp_done(n, w.axes + 2, d);
}

/* GridSample: [N, C, d…] at [N, out…, r] is [N, C, out…]. Source: ONNX GridSample 16 (r = 2; runtimes take 3), 20. */
int infer_grid_sample(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX), *grid = shp_want_rank(n, 1, 3, SHP_RANK_MAX);
    if (n->failed) return n->failed;
    if (x && grid && !shp_want_rank(n, 1, x->rank, x->rank)) return n->failed;
    if (!x && !grid) return SHP_OK;
    int32_t rank = x ? x->rank : grid->rank;
    shp_dim d[SHP_RANK_MAX];
    shp_want_dim(n, 1, rank - 1, num(n, rank - 2), "the number of spatial axes");
    d[0] = shp_want_dim(n, 1, 0, x ? x->dim[0] : 0, "the batch of X");
    d[1] = x ? x->dim[1] : 0;
    for (int32_t i = 2; i < rank; i++) d[i] = grid ? grid->dim[i - 1] : 0;
    return shp_done(n, rank, d);
}

/* AffineGrid: theta is [N, r, r + 1], size [N, C, d…]; the grid is [N, d…, r]. Source: ONNX AffineGrid 20. */
int infer_affine_grid(shp_node *n)
{
    const shp_shape *theta = shp_want_rank(n, 0, 3, 3);
    if (n->failed) return n->failed;
    const shp_content *size = shp_in_content(n, 1);
    int64_t length = shp_in_length(n, 1), r = length - 2;
    if (length < 0 && (!theta || !is_num(n, theta->dim[1], &r))) return SHP_OK;
    if (r < 2 || r > 3) return shp_fail(n, SHP_D_VALUE, "size %i is for %d spatial axes, not 2 or 3", (uint32_t)1, r);
    shp_want_dim(n, 0, 1, num(n, r), "the number of spatial axes");
    shp_want_dim(n, 0, 2, num(n, r + 1), "the number of spatial axes and one");
    shp_dim d[5] = { shp_want_dim(n, 0, 0, shp_element(size, 0), "the batch of size") };
    for (int64_t i = 1; i <= r; i++) d[i] = shp_element(size, i + 1);
    d[r + 1] = num(n, r);
    return shp_done(n, r + 2, d);
}

/* ImageDecoder: height, width (data decides), and the channels of pixel_format. Source: ONNX ImageDecoder 20. */
int infer_image_decoder(shp_node *n)
{
    shp_want_rank(n, 0, 1, 1);
    shp_str format = shp_attr_str(n, "pixel_format");
    bool gray = shp_str_is(format, "Grayscale");
    if (!gray && !shp_str_is(format, "RGB") && !shp_str_is(format, "BGR"))
        shp_fail(n, SHP_D_ATTRIBUTE, "pixel_format \"%n\" is none of RGB, BGR, Grayscale", format);
    if (n->failed) return n->failed;
    shp_dim d[3] = { shp_fresh(n, 0, 0, SHP_WHY_DATA), shp_fresh(n, 0, 1, SHP_WHY_DATA), num(n, gray ? 1 : 3) };
    return shp_out(n, 0, 3, d);
}
