/* resize - operators that give axes new sizes: Resize, Upsample, CenterCropPad. */
#include "index.h"
#include "nn.h"

#include <string.h>

/* One axis by one element of `scales`, in the float32 arithmetic of a runtime. 0 where it cannot be told or the node has failed. */
static shp_dim scaled(shp_node *n, shp_dim d, shp_elem scale)
{
    double c = 0;
    if (!d || !scale) return 0;
    if (shp_elem_number(n, scale, &c)) {
        if (c == 1) return d;
        if (!(c > 0)) {
            shp_fail(n, SHP_D_VALUE, "a scale is not above 0");
            return 0;
        }
    }
    int64_t v;
    if (is_num(n, d, &v) && v >= 1 << 24 && shp_elem_is_real(scale)) {      /* float32 does not hold the size itself: by the specification's formula */
        double exact = (double)v * (double)(float)shp_elem_value(scale);
        return exact < 0x1p62 ? num(n, (int64_t)exact) : 0;
    }
    shp_elem size = shp_elem_cast(n, SHP_INT64, SHP_FLOAT, shp_elem_dim(d));
    size = shp_elem_cast(n, SHP_FLOAT, SHP_INT64, shp_elem_calc(n, SHP_MUL, SHP_FLOAT, size, scale));
    return shp_elem_whole(size);
}

/* Resize with an aspect ratio to keep: one factor for all axes, the smallest (not_larger) or the largest of size / input size, and
 * results rounded half up. Where every ratio divides exactly that holds for symbols, too. Numbers are taken in float32 and in double; where
 * these differ nothing is known. */
static void keep_ratio(shp_node *n, const shp_list *sizes, const int64_t *axes, bool smallest, shp_dim *d)
{
    double wide = 0;
    float narrow = 0;
    int64_t want, have;
    bool numbers = true;
    shp_dim out[SHP_RANK_MAX];
    for (int64_t i = 0; i < sizes->count && numbers; i++) {
        numbers = is_num(n, shp_list_at(n, sizes, i), &want) && is_num(n, d[axes[i]], &have) && have > 0 && want > 0 && have < 1 << 24 && want < 1 << 24;
        if (!numbers) break;
        double w = (double)want / (double)have;
        if (i && (smallest ? w >= wide : w <= wide)) continue;
        wide = w;
        narrow = (float)want / (float)have;
    }
    for (int64_t k = 0; k < sizes->count; k++) {
        shp_dim r = 0;
        for (int64_t i = 0; i < sizes->count && !numbers; i++) {
            shp_dim t = div_exact(n, mul(n, shp_list_at(n, sizes, i), d[axes[k]]), d[axes[i]]);
            r = !i ? t : smallest ? dim_min(n, r, t) : dim_max(n, r, t);
        }
        if (numbers && is_num(n, d[axes[k]], &have)) {
            want = (int64_t)(wide * (double)have + 0.5);
            if (want == (int64_t)((double)(narrow * (float)have) + 0.5)) r = num(n, want);
        }
        out[k] = r ? r : shp_fresh(n, 0, (uint32_t)axes[k], SHP_WHY_FLOAT);
    }
    for (int64_t k = 0; k < sizes->count; k++) d[axes[k]] = out[k];
}

/* The factor that a region of interest adds in tf_crop_and_resize: runtimes disagree whether it counts, so only the whole range is sure. */
static bool whole_roi(shp_node *n, int64_t i, int64_t count)
{
    const shp_content *roi = shp_in_content(n, 1);
    double a, b;
    return roi && roi->count == (uint64_t)(2 * count) && shp_elem_number(n, roi->elem[i], &a) && shp_elem_number(n, roi->elem[count + i], &b) && b - a == 1;
}

/* Ends a rule: of output 0's dims, the named ones are multiplied by these scales (NULL: not known). crop: where the region counts. */
static void by_scales(shp_node *n, int64_t rank, shp_dim *d, const int64_t *axes, int64_t count, const shp_content *c, bool crop)
{
    for (int64_t i = 0; i < count && !n->failed; i++) {
        shp_dim *a = &d[axes[i]], size = *a;
        shp_elem scale = c && i < (int64_t)c->count && (!crop || whole_roi(n, i, count)) ? c->elem[i] : 0;
        *a = scaled(n, size, scale);
        if (*a) continue;
        uint64_t same = size && scale ? shp_mix(size, scale) : shp_mix(n->id, (uint64_t)axes[i]);
        *a = shp_fresh_of(n, shp_mix(same, 0x5ca1e), 0, (uint32_t)axes[i], c ? SHP_WHY_FLOAT : SHP_WHY_CONTENT);
    }
    shp_out(n, 0, rank, d);
}

/* The axes that are named, or all, for a list of that length (-1: not known) that has an entry for each. *rank: the output's. false: nothing more is
 * known of it, or the node has failed. */
static bool read_axes(shp_node *n, const shp_shape *x, shp_list *named, int64_t length, int64_t *rank, int64_t *axes)
{
    *rank = x ? x->rank : named->has ? -1 : length;
    if (!named->has) named->count = *rank;
    if (*rank < 0 || *rank > SHP_RANK_MAX) return false;
    if (length >= 0 && length != named->count) shp_fail2(n, SHP_D_SHAPE, "%d entries for %d axes", length, named->count);
    if (!n->failed && shp_list_axes_or_all(n, named, *rank, axes)) return true;
    shp_out_unknown(n, 0, *rank, SHP_WHY_CONTENT);
    return false;
}

/* Resize: floor(size * scale), or the given sizes, for the named axes (all where none are). An empty list counts as not given.
 * Source: ONNX Resize (10; 11: roi and sizes; 13: optional inputs; 18: axes and keep_aspect_ratio_policy). */
void infer_resize(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    bool old = n->opset < 11, crop = shp_str_is(shp_attr_str(n, "coordinate_transformation_mode"), "tf_crop_and_resize");
    shp_list al = shp_list_of(n, "axes", 0), scales = shp_list_of(n, NULL, old ? 1 : 2), sizes = shp_list_of(n, NULL, old ? 0 : 3);
    bool by_scale = scales.has && scales.count != 0, by_size = sizes.has && sizes.count != 0;
    int policy = shp_choice(n, "keep_aspect_ratio_policy", "|stretch|not_larger|not_smaller");
    int64_t axes[SHP_RANK_MAX], rank;
    shp_dim d[SHP_RANK_MAX];
    if (!by_scale && !by_size) { shp_fail(n, SHP_D_VALUE, "neither scales nor sizes is given"); return; }
    if (by_scale && by_size) {
        if (scales.count < 0 && sizes.count < 0) { shp_out_unknown(n, 0, x ? x->rank : -1, SHP_WHY_CONTENT); return; }
        if (scales.count > 0 && sizes.count > 0) shp_note(n, SHP_D_VALUE, "scales and sizes are both given: sizes are taken");
        by_scale = sizes.count < 0;
    }
    if (!read_axes(n, x, &al, by_scale ? scales.count : sizes.count, &rank, axes)) return;
    for (int64_t k = 0; k < rank; k++) d[k] = x ? x->dim[k] : 0;
    if (by_scale) { by_scales(n, rank, d, axes, al.count, scales.content, crop); return; }
    if (sizes.known && policy > 1) keep_ratio(n, &sizes, axes, policy == 2, d);
    else for (int64_t i = 0; i < al.count; i++) d[axes[i]] = shp_list_at(n, &sizes, i);
    shp_out(n, 0, rank, d);
}

/* Upsample: floor(size * scale) for every axis.
 * Source: ONNX Upsample (1: height_scale and width_scale; 7: scales; 9: an input). */
void infer_upsample(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    const shp_attr *list = shp_attr_get(n, "scales");
    int64_t count = n->opset < 7 ? 4 : list ? list->count : shp_in_length(n, 1), axes[SHP_RANK_MAX];
    shp_dim d[SHP_RANK_MAX];
    if (!x) {
        if (count <= SHP_RANK_MAX) shp_out_unknown(n, 0, count, SHP_WHY_RANK);
        return;
    }
    if (count >= 0 && x->rank != count) { shp_fail2(n, SHP_D_SHAPE, "%d entries for %d axes", count, x->rank); return; }
    const shp_content *c = shp_in_content(n, 1);
    shp_content *own = n->opset < 7 || (list && list->floats) ? shp_content_new(n, (uint64_t)count) : NULL;
    for (int32_t k = 0; k < x->rank; k++) {
        if (own) own->elem[k] = shp_elem_real(n->opset >= 7 ? (double)list->floats[k] : k < 2 ? 1 : shp_attr_float_or(n, k == 2 ? "height_scale" : "width_scale", 1));
        d[k] = x->dim[k];
        axes[k] = k;
    }
    by_scales(n, x->rank, d, axes, x->rank, own ? own : c, false);
}

/* CenterCropPad: the named axes (all where none are) get the sizes that `shape` lists.
 * Source: ONNX CenterCropPad-18. */
void infer_center_crop_pad(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list al = shp_list_of(n, "axes", 0), sizes = shp_list_of(n, NULL, 1);
    int64_t axes[SHP_RANK_MAX], rank, v;
    shp_dim d[SHP_RANK_MAX];
    if (!read_axes(n, x, &al, sizes.count, &rank, axes)) return;
    if (x) memcpy(d, x->dim, (size_t)rank * sizeof *d);
    for (int64_t i = 0; i < al.count; i++) {
        d[axes[i]] = shp_list_at(n, &sizes, i);
        if (is_num(n, d[axes[i]], &v) && v < 0) { shp_fail2(n, SHP_D_VALUE, "size %d is %d", i, v); return; }
    }
    shp_out(n, 0, rank, d);
}
