/* conv - sliding windows: convolutions, pools, and what else works on images: unpooling, regions, grids, column blocks. */
#include "nn.h"

/* Whether channels come last: the operator's row says so, or ONNX Runtime's attribute. */
static bool channels_last(const shp_node *n) { return shp_variant(n) || shp_attr_int(n, "channels_last"); }

/* ---- windows ---- */

typedef struct window {
    uint32_t x, weight, bias;       /* inputs; SHP_NONE: none */
    bool last;                      /* channels come last in x and y */
    bool pool, ceil;                /* a pool's window is taken to fit; ceil_mode */
    bool turned;                    /* from positions to sizes: ConvTranspose, MaxUnpool */
    bool same, valid;               /* auto_pad */
    int64_t axes, first;            /* spatial axes; -1 not known. Axis 0 of them in x and y */
    const int64_t *kernel, *stride, *dilation, *pad;    /* NULL: absent */
} window;

/* Reads what all windows have. axes: as x or the weight tells, -1 where neither does; then the attributes' lengths decide
 * (more than a rank can have: -1). */
static bool read_window(shp_node *n, window *w, int64_t axes)
{
    static const char *const name[] = { "kernel_shape", "strides", "dilations" };
    const int64_t **list[] = { &w->kernel, &w->stride, &w->dilation };
    for (uint32_t i = 0, count; axes < 0 && i < 3; i++)
        if (shp_attr_ints(n, name[i], &count) && count) axes = count;
    if (axes > SHP_RANK_MAX - 2) axes = -1;
    w->axes = axes;
    w->first = w->last ? 1 : 2;
    for (uint32_t i = 0; i < 3; i++) *list[i] = shp_want_ints(n, name[i], axes, 1, NULL);
    w->pad = shp_want_ints(n, "pads", axes < 0 ? -1 : 2 * axes, 0, NULL);
    int mode = shp_choice(n, "auto_pad", "|NOTSET|VALID|SAME_UPPER|SAME_LOWER");
    w->same = mode > 2;
    w->valid = mode == 2;
    if (mode > 1 && w->weight != SHP_NONE && w->pad) shp_note(n, SHP_D_ATTRIBUTE, "pads and auto_pad do not go together: pads are ignored");
    return !n->failed && axes >= 0;
}

static int64_t at(const int64_t *list, int64_t i, int64_t otherwise) { return list ? list[i] : otherwise; }
static int64_t pad_of(const window *w, int64_t i) { return w->same || w->valid ? 0 : at(w->pad, i, 0); }

/* Positions of a window of k, which reaches over `span`, on spatial axis i of size h. SAME: ceil(h / stride). Else (h + pads - span) / stride + 1,
 * rounded down, or up with ceil_mode, where a window that would start in the padding behind does not count.
 * A convolution's window fits (R1); a pool's is taken to fit (R2c). Where numbers say that a pool's does not, specification (round
 * down) and runtimes (towards zero) differ: known only where they do not. */
static shp_dim positions(shp_node *n, const window *w, int64_t i, shp_dim h, shp_dim span)
{
    shp_dim s = num(n, at(w->stride, i, 1)), one = lit(1), up = 0;
    if (w->same) return ceil_div(n, h, s);
    shp_dim behind = num(n, pad_of(w, i + w->axes)), left = add(n, h, num(n, pad_of(w, i))), padded = add(n, left, behind), room = sub(n, padded, span);
    bool misfit = hi(n, room) < 0;
    if (misfit || w->ceil) up = add(n, ceil_div(n, room, s), one);
    if (!misfit && w->pool) shp_assume(n, padded, span, "a pooling window fits into the padded input");
    if (misfit ? !w->pool || hi(n, up) < 0 : !w->ceil) return shp_windows(n, w->first + i, h, padded, span, s);
    if (!w->ceil) return add(n, floor_div(n, room, s), one) == up ? up : 0;
    return ge(n, span, add(n, behind, s)) == 1 ? up : dim_min(n, up, ceil_div(n, left, s));
}

/* One axis of ConvTranspose: stride * (h - 1) + output_padding + reach - pads; with SAME h * stride, or less where the kernel
 * does not reach that far (nothing is padded then); output_shape as it says. */
static shp_dim sizes(shp_node *n, const window *w, int64_t i, shp_dim h, shp_dim span, int64_t padding)
{
    int64_t s = at(w->stride, i, 1);
    if (padding >= s && padding >= at(w->dilation, i, 1))
        shp_note(n, SHP_D_ATTRIBUTE, "output_padding %d is not less than the stride or the dilation", padding);
    shp_dim stride = num(n, s), whole = mul(n, h, stride);
    span = add(n, span, num(n, padding));
    shp_dim full = add(n, sub(n, whole, stride), span);
    if (w->same) {
        int covers = ge(n, span, stride);
        return covers == 1 ? whole : covers == 0 ? full : dim_min(n, full, whole);
    }
    shp_dim out = sub(n, full, add(n, num(n, pad_of(w, i)), num(n, pad_of(w, i + w->axes))));
    if (out && hi(n, out) < 0) shp_fail2(n, SHP_D_SHAPE, "pads leave a size of %x on axis %d", out, w->first + i);
    return out;
}

/* Axis i of the output, for a kernel of k (0: not known). */
static shp_dim slid(shp_node *n, const window *w, int64_t i, shp_dim h, shp_dim k, int64_t padding)
{
    shp_dim span = add(n, mul(n, sub(n, k, lit(1)), num(n, at(w->dilation, i, 1))), lit(1));
    return w->turned ? sizes(n, w, i, h, span, padding) : positions(n, w, i, h, span);
}

/* The kernel along spatial axis i: kernel_shape, with which the weight agrees. */
static shp_dim kernel_at(shp_node *n, const window *w, int64_t i)
{
    shp_dim k = shp_want_dim(n, w->weight, i + 2, w->kernel ? num(n, w->kernel[i]) : 0);
    if (k && hi(n, k) < 1) shp_fail1(n, SHP_D_SHAPE, "the kernel %i is empty", w->weight);
    return k;
}

/* The channels of the output. Input channels of the weight (per group in axis 1, or all in axis 0 where turned) are those of x. */
static shp_dim channels(shp_node *n, const window *w, const shp_shape *weight, shp_dim have)
{
    int64_t group = shp_positive(n, "group", 1), c;
    if (!group) return 0;
    shp_dim out = weight ? weight->dim[0] : 0, in = weight ? weight->dim[1] : 0, all = mul(n, in, num(n, group));
    if (w->turned) {
        have = shp_want_dim(n, w->weight, 0, have);
        out = all;
    } else if (is_num(n, have, &c) && c % group == 0 ? !shp_equal(n, in, num(n, c / group)) : have && !shp_equal(n, have, all))
        shp_fail4(n, SHP_D_SHAPE, "%i takes %x channels, %i has %x", w->weight, all, w->x, have);
    out = shp_want_vector(n, w->bias, out);
    if (group > 1) shp_whole_div(n, w->turned ? have : out, group);
    return out;
}

/* The rank of inputs i and j, which have one, of 3 at least (R1), -1 where that is not known. Input j may be none. */
static int32_t common_rank(shp_node *n, uint32_t i, uint32_t j)
{
    const shp_shape *x = shp_want_rank(n, i, 3, SHP_RANK_MAX), *y = shp_want_rank(n, j, 3, SHP_RANK_MAX);
    if (x) shp_want_rank(n, j, x->rank, x->rank);
    return x ? x->rank : y ? y->rank : -1;
}

/* The dims of a window's output, [N, channels, positions or sizes…], into d: the rank, or -1 where it failed or nothing is known.
 * output_padding: NULL where there is none. */
static int64_t window_dims(shp_node *n, window *w, const int64_t *(*output_sizes)(shp_node *n, const window *w), shp_dim *d)
{
    const shp_shape *x = shp_in_shape(n, w->x), *weight = shp_in_shape(n, w->weight);
    int32_t all = common_rank(n, w->x, w->weight);
    if (n->failed || !read_window(n, w, all - 2)) return -1;
    const int64_t *padding = w->turned ? shp_want_ints(n, "output_padding", w->axes, 0, NULL) : NULL, *size = output_sizes ? output_sizes(n, w) : NULL;
    int64_t rank = w->axes + 2, channel = w->last ? rank - 1 : 1;
    if (w->weight == SHP_NONE && !w->kernel && shp_attr_has(n, "kernel_shape")) shp_lacks(n, "kernel_shape");
    d[0] = x ? x->dim[0] : 0;
    d[channel] = x ? x->dim[channel] : 0;
    if (w->weight != SHP_NONE) d[channel] = channels(n, w, weight, d[channel]);
    for (int64_t i = 0, k = w->first; i < w->axes && !n->failed; i++, k++) {
        shp_dim kernel = kernel_at(n, w, i);
        d[k] = size ? num(n, size[i]) : slid(n, w, i, x ? x->dim[k] : 0, kernel, at(padding, i, 0));
    }
    return n->failed ? -1 : rank;
}

/* ---- convolutions ---- */

/* The window's output as output 0. */
static void window_out(shp_node *n, window w, const int64_t *(*output_sizes)(shp_node *n, const window *w))
{
    shp_dim d[SHP_RANK_MAX];
    int64_t rank = window_dims(n, &w, output_sizes, d);
    if (rank < 0) return;
    shp_settle(n, d, (uint32_t)rank, 0);
    shp_out(n, 0, rank, d);
    shp_out(n, 1, rank, d);         /* MaxPool's indices */
}

/* A convolution of input 0 with that weight and bias (SHP_NONE: none). */
static void conv(shp_node *n, uint32_t weight, uint32_t bias)
{
    window_out(n, (window){ .weight = weight, .bias = bias, .last = channels_last(n) }, NULL);
}

/* Source: ONNX Conv 1, 11, ConvInteger 10, QLinearConv 10. */
void infer_conv(shp_node *n) { conv(n, 1, 2); }
void infer_conv_integer(shp_node *n) { conv(n, 1, SHP_NONE); }
void infer_qlinear_conv(shp_node *n) { conv(n, 3, 8); }

/* DeformConv: a convolution whose offset (and mask) have its output's positions, and 2-D, 3-D … offsets for each element of the kernel.
 * Source: ONNX DeformConv 19. */
void infer_deform_conv(shp_node *n)
{
    window w = { .weight = 1, .bias = 3 };
    shp_dim d[SHP_RANK_MAX], taps = num(n, shp_attr_int_or(n, "offset_group", 1));
    int64_t rank = window_dims(n, &w, NULL, d);
    if (rank < 0) return;
    for (int64_t i = 0; i < w.axes; i++) taps = mul(n, taps, kernel_at(n, &w, i));
    for (uint32_t i = 2; i < 5; i += 2) {
        if (!shp_want_rank(n, i, rank, rank)) continue;
        for (int64_t k = 0; k < rank; k++)
            if (k != 1) d[k] = shp_want_dim(n, i, k, d[k]);
            else shp_want_dim(n, i, 1, i == 2 ? mul(n, taps, num(n, w.axes)) : taps);
    }
    shp_out(n, 0, rank, d);
}

/* output_shape lists the spatial sizes (some write all axes). */
static const int64_t *output_shape(shp_node *n, const window *w)
{
    uint32_t count, skip;
    shp_attr_ints(n, "output_shape", &count);
    skip = count == w->axes + 2 ? 2 : 0;
    const int64_t *size = shp_want_ints(n, "output_shape", w->axes + skip, 0, NULL);
    return size ? size + skip : NULL;
}

/* ConvTranspose: the weight is [C, M / group, kernel…]. Source: ONNX ConvTranspose 1, 11; runtimes for SAME with a kernel smaller than the stride. */
void infer_conv_transpose(shp_node *n)
{
    window_out(n, (window){ .weight = 1, .bias = 2, .turned = true, .last = channels_last(n) }, output_shape);
}

/* ---- pools ---- */

/* MaxPool, AveragePool, LpPool: [N, C, positions…], the same for MaxPool's indices. LpPool 1 may lack kernel_shape: then only the rank,
 * N and C are known. Source: ONNX MaxPool 1, 8, 10, AveragePool 1, 10, 19, LpPool 1, 18: ceil_mode and dilations where a version has them;
 * VALID with ceil_mode as runtimes round it. */
void infer_pool(shp_node *n)
{
    window_out(n, (window){ .weight = SHP_NONE, .pool = true, .last = channels_last(n), .ceil = shp_attr_int(n, "ceil_mode") == 1 }, NULL);
}

/* GlobalAveragePool, GlobalMaxPool, GlobalLpPool: spatial axes become 1. Source: ONNX GlobalAveragePool 1. */
void infer_global_pool(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    if (!x) return;
    shp_dim d[SHP_RANK_MAX];
    int32_t channel = channels_last(n) ? x->rank - 1 : 1;
    for (int32_t i = 0; i < x->rank; i++) d[i] = i == 0 || i == channel ? x->dim[i] : lit(1);
    shp_out(n, 0, x->rank, d);
}

/* MaxUnpool: indices have the shape of x; the output's shape is an input, or stride * (h - 1) + kernel - pads. With channels last the layout of these
 * two inputs is not settled. Source: ONNX MaxUnpool 9. */
void infer_max_unpool(shp_node *n)
{
    shp_dim d[SHP_RANK_MAX], h[SHP_RANK_MAX];
    const shp_shape *x = shp_in_shape(n, 0);
    window w = { .turned = true, .last = channels_last(n) };
    int32_t all = common_rank(n, 0, 1);
    if (!x) x = shp_in_shape(n, 1);
    if (n->failed || !read_window(n, &w, all - 2)) return;
    if (!w.kernel) { shp_lacks(n, "kernel_shape"); return; }
    int64_t rank = w.axes + 2, channel = w.last ? rank - 1 : 1;
    if (w.last && shp_has(n, 2)) { shp_out_unknown(n, 0, rank, SHP_WHY_RANK); return; }
    const shp_content *given = shp_in_content(n, 2);
    if (given && given->count != rank) shp_fail2(n, SHP_D_SHAPE, "%i has not %d elements", 2, rank);
    for (int64_t i = 0; i < rank && !n->failed; i++) {
        int64_t k = i - w.first;
        h[i] = x ? x->dim[i] : 0;
        if (!w.last) h[i] = shp_want_dim(n, 1, i, h[i]);
        d[i] = i == 0 || i == channel ? h[i] : shp_has(n, 2) ? shp_element(given, i) : slid(n, &w, k, h[i], num(n, w.kernel[k]), 0);
    }
    shp_out(n, 0, rank, d);
}

/* ---- regions and grids ---- */

/* MaxRoiPool: regions are [count, 5]. Source: ONNX MaxRoiPool 1. */
void infer_max_roi_pool(shp_node *n)
{
    const int64_t *size = shp_want_ints(n, "pooled_shape", 2, 1, NULL);
    if (!size) { shp_lacks(n, "pooled_shape"); return; }
    shp_dim *letter = shp_letters(n);
    for (int i = 0; i < 2; i++) letter[i] = num(n, size[i]);
    shp_lay(n, "_ C _ _; R 5 > R C A B");
}

/* Col2Im: [N, C * block, L] to [N, C, image…], one column for each position of a block. Source: ONNX Col2Im 18. */
void infer_col2im(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, 3);
    const shp_content *image = shp_in_content(n, 1), *block = shp_in_content(n, 2);
    int64_t axes = shp_in_length(n, 1), other = shp_in_length(n, 2);
    if (axes >= 0 && other >= 0 && axes != other)
        shp_failf(n, SHP_D_SHAPE, "%s has %d entries, %s has %d", "image_shape", axes, "block_shape", other);
    if (axes < 0) axes = other;
    window w = { 0 };
    if (axes > SHP_RANK_MAX - 2) { shp_out_unknown(n, 0, axes + 2, SHP_WHY_RANK); return; }
    if (n->failed || !read_window(n, &w, axes)) return;
    shp_dim d[SHP_RANK_MAX], taps = lit(1), columns = lit(1);
    for (int64_t i = 0; i < w.axes && !n->failed; i++) {
        shp_dim k = shp_element(block, i);
        d[i + 2] = shp_element(image, i);
        taps = mul(n, taps, k);
        columns = mul(n, columns, slid(n, &w, i, d[i + 2], k, 0));
    }
    int64_t size;
    shp_want_dim(n, 0, 2, columns);
    d[0] = x ? x->dim[0] : 0;
    d[1] = !x ? 0 : is_num(n, taps, &size) ? shp_whole_div(n, x->dim[1], size) : floor_div(n, x->dim[1], taps);
    shp_out(n, 0, w.axes + 2, d);
}

/* GridSample: [N, C, d…] at [N, out…, r] is [N, C, out…]. Source: ONNX GridSample 16 (r = 2; runtimes take 3), 20. */
void infer_grid_sample(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0), *grid = shp_in_shape(n, 1);
    int32_t rank = common_rank(n, 0, 1), channel = channels_last(n) ? rank - 1 : 1;
    shp_dim d[SHP_RANK_MAX];
    if (n->failed || rank < 0) return;
    shp_want_dim(n, 1, rank - 1, num(n, rank - 2));
    d[0] = shp_want_dim(n, 1, 0, x ? x->dim[0] : 0);
    for (int32_t i = 1, k = 1; i < rank; i++) d[i] = i == channel ? (x ? x->dim[i] : 0) : grid ? grid->dim[k++] : 0;
    shp_out(n, 0, rank, d);
}

/* AffineGrid: theta is [N, r, r + 1], size [N, C, d…]; the grid is [N, d…, r]. Source: ONNX AffineGrid 20. */
void infer_affine_grid(shp_node *n)
{
    enum { N = 'N' - 'A', R = 'R' - 'A' };
    const shp_content *size = shp_in_content(n, 1);
    int64_t length = shp_in_length(n, 1), r = length - 2;
    shp_dim *d = shp_letters(n);
    d[N] = shp_element(size, 0);
    if (length < 0 && (shp_lay(n, "_ R _ >") || !is_num(n, d[R], &r))) return;
    if (r < 2 || r > 3) { shp_fail2(n, SHP_D_VALUE, "size %i is for %d spatial axes, not 2 or 3", 1, r); return; }
    for (int64_t i = 0; i < 3; i++) d[i] = shp_element(size, i + 2);
    d[R] = num(n, r);
    shp_lay(n, r == 2 ? "N R R+1 > N A B R" : "N R R+1 > N A B C R");
}

/* ImageDecoder: height, width (data decides), and the channels of pixel_format. Source: ONNX ImageDecoder 20. */
void infer_image_decoder(shp_node *n)
{
    int format = shp_choice(n, "pixel_format", "RGB|BGR|Grayscale");
    shp_patterns(n, format == 2 ? "_ > _ _ 1" : "_ > _ _ 3");
}
