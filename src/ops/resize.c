/* resize - operators that give axes new sizes: Resize, Upsample, CenterCropPad. */
#include "index.h"

#include <string.h>

/* One axis by one element of `scales`, in the float32 arithmetic of a runtime. 0 where it cannot be told or the node has failed. */
static shp_dim scaled(shp_node *n, shp_dim d, shp_elem scale)
{
    double c = 0;
    if (!d || !shp_elem_known(scale)) return 0;
    if (shp_elem_number(n, scale, &c)) {
        if (c == 1) return d;
        if (!(c > 0)) {
            shp_fail(n, SHP_D_VALUE, "a scale is not above 0");
            return 0;
        }
    }
    int64_t v;
    if (is_num(n, d, &v) && v >= 1 << 24 && scale.den == -1) {      /* float32 does not hold the size itself: by the specification's formula */
        double exact = (double)v * (double)(float)scale.real;
        return exact < 0x1p62 ? num(n, (int64_t)exact) : 0;
    }
    shp_elem size = shp_elem_cast(n, SHP_INT64, SHP_FLOAT, shp_elem_dim(d));
    size = shp_elem_cast(n, SHP_FLOAT, SHP_INT64, shp_elem_calc(n, SHP_MUL, SHP_FLOAT, size, scale));
    return size.den == 1 ? size.num : 0;
}

/* Axis k of a Resize that keeps the aspect ratio, where every ratio divides exactly: the smallest (or largest) of size * ratio. Else 0. */
static shp_dim keep_exact(shp_node *n, const shp_list *sizes, const int64_t *axes, bool smallest, const shp_dim *d, int64_t k)
{
    shp_dim r = 0;
    for (int64_t i = 0; i < sizes->count; i++) {
        shp_dim t = shp_dim_div_exact(n->dims, mul(n, shp_list_at(n, sizes, i), d[axes[k]]), d[axes[i]]);
        if (!t) return 0;
        r = !i ? t : smallest ? dim_min(n, r, t) : dim_max(n, r, t);
    }
    return r;
}

/* Resize with an aspect ratio to keep: one factor for all axes, the smallest (not_larger) or the largest of size / input size, and
 * results rounded half up. In float32 and in double; where these differ nothing is known. */
static void keep_ratio(shp_node *n, const shp_list *sizes, const int64_t *axes, bool smallest, shp_dim *d)
{
    double wide = 0;
    float narrow = 0;
    int64_t want, have;
    bool numbers = true;
    shp_dim out[SHP_RANK_MAX];
    for (int64_t i = 0; i < sizes->count && numbers; i++) {
        numbers = is_num(n, shp_list_at(n, sizes, i), &want) && is_num(n, d[axes[i]], &have) && have > 0 && want > 0;
        if (!numbers) break;
        double w = (double)want / (double)have;
        float s = (float)want / (float)have;
        if (!i || (smallest ? w < wide : w > wide)) wide = w;
        if (!i || (smallest ? s < narrow : s > narrow)) narrow = s;
    }
    for (int64_t i = 0; i < sizes->count; i++) {
        out[i] = 0;
        if (!numbers) {
            out[i] = keep_exact(n, sizes, axes, smallest, d, i);
        } else if (is_num(n, d[axes[i]], &have)) {
            double w = wide * (double)have + 0.5, s = (double)(narrow * (float)have) + 0.5;
            if (w < 1e15 && s < 1e15 && (int64_t)w == (int64_t)s) out[i] = num(n, (int64_t)w);
        }
    }
    for (int64_t i = 0; i < sizes->count; i++) d[axes[i]] = out[i];
}

/* Whether an optional input counts as given: an empty one does not. -1: its length is not known. */
static int given(shp_node *n, uint32_t i)
{
    int64_t length = shp_has(n, i) ? shp_in_length(n, i) : 0;
    return length < 0 ? -1 : length > 0;
}

/* The factor that a region of interest adds in tf_crop_and_resize: runtimes disagree whether it counts, so only the whole range is sure. */
static bool whole_roi(shp_node *n, int64_t i, int64_t count)
{
    const shp_content *roi = shp_in_content(n, 1);
    double a, b;
    return roi && roi->count == (uint64_t)(2 * count) && shp_elem_number(n, roi->elem[i], &a) && shp_elem_number(n, roi->elem[count + i], &b) && b - a == 1;
}

/* Resize: floor(size * scale), or the given sizes, for the named axes (all where none are).
 * Source: ONNX Resize (10; 11: roi and sizes; 13: optional inputs; 18: axes and keep_aspect_ratio_policy). */
int infer_resize(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    uint32_t at = n->opset < 11 ? 1 : 2;
    int by_scale = given(n, at), by_size = n->opset < 11 ? 0 : given(n, 3);
    shp_list al = shp_list_of(n, "axes", 0), sizes = shp_list_of(n, NULL, n->opset < 11 ? 0 : 3);
    shp_str policy = shp_attr_str(n, "keep_aspect_ratio_policy");
    bool stretch = !policy.len || shp_str_is(policy, "stretch"), crop = shp_str_is(shp_attr_str(n, "coordinate_transformation_mode"), "tf_crop_and_resize");
    int64_t axes[SHP_RANK_MAX];
    shp_dim d[SHP_RANK_MAX];
    if (by_scale == 1 && by_size == 1) {
        shp_note(n, SHP_D_VALUE, "scales and sizes are both given: sizes are taken");
        by_scale = 0;
    }
    if (!by_scale && !by_size) return shp_fail(n, SHP_D_VALUE, "neither scales nor sizes is given");
    if (by_scale == -1 && by_size == -1) return x ? shp_out_unknown(n, 0, x->rank, SHP_WHY_CONTENT) : SHP_OK;
    bool scale = by_scale == 1 || !by_size;
    int64_t length = scale ? shp_in_length(n, at) : sizes.count, rank = x ? x->rank : al.has ? -1 : length, count = al.has ? al.count : rank;
    if (length >= 0 && length != count && rank >= 0) return shp_fail(n, SHP_D_SHAPE, "%d %s for %d axes", length, scale ? "scales" : "sizes", count);
    if (rank < 0 || rank > SHP_RANK_MAX) return SHP_OK;
    if (al.has && !shp_list_axes(n, &al, rank, axes)) return n->failed ? (int)n->failed : shp_out_unknown(n, 0, rank, SHP_WHY_CONTENT);
    for (int64_t k = 0; k < rank; k++) {
        d[k] = x ? x->dim[k] : 0;
        if (!al.has) axes[k] = k;
    }
    const shp_content *c = scale ? shp_in_content(n, at) : NULL;
    if (!scale && !stretch && sizes.known) keep_ratio(n, &sizes, axes, shp_str_is(policy, "not_larger"), d);
    else for (int64_t i = 0; i < count; i++) {
        shp_dim *a = &d[axes[i]];
        if (scale) *a = c && i < (int64_t)c->count && (!crop || whole_roi(n, i, count)) ? scaled(n, *a, c->elem[i]) : 0;
        else *a = stretch ? shp_list_at(n, &sizes, i) : 0;
        if (n->failed) return n->failed;
    }
    for (int64_t k = 0; k < rank; k++)
        if (!d[k]) d[k] = shp_fresh(n, 0, (uint32_t)k, c ? SHP_WHY_FLOAT : SHP_WHY_CONTENT);
    return shp_out(n, 0, rank, d);
}

/* Upsample: floor(size * scale) for every axis.
 * Source: ONNX Upsample (1: height_scale and width_scale; 7: scales; 9: an input). */
int infer_upsample(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    const shp_attr *list = shp_attr_get(n, "scales");
    const shp_content *c = shp_in_content(n, 1);
    int64_t count = n->opset < 7 ? 4 : list ? list->count : shp_in_length(n, 1);
    shp_dim d[SHP_RANK_MAX];
    if (x && count >= 0 && x->rank != count) return shp_fail(n, SHP_D_SHAPE, "%d scales for %i", count, (uint32_t)0);
    if (!x) return count > SHP_RANK_MAX ? SHP_OK : shp_out_unknown(n, 0, count, SHP_WHY_RANK);
    for (int32_t k = 0; k < x->rank; k++) {
        shp_elem e = { 0 };
        if (n->opset < 7) e = shp_elem_real(k < 2 ? 1 : shp_attr_float_or(n, k == 2 ? "height_scale" : "width_scale", 1));
        else if (list) e = list->floats ? shp_elem_real((double)list->floats[k]) : e;
        else if (c && (uint32_t)k < c->count) e = c->elem[k];
        d[k] = scaled(n, x->dim[k], e);
        if (n->failed) return n->failed;
        if (!d[k]) d[k] = shp_fresh(n, 0, (uint32_t)k, shp_elem_known(e) ? SHP_WHY_FLOAT : SHP_WHY_CONTENT);
    }
    return shp_out(n, 0, x->rank, d);
}

/* CenterCropPad: the named axes (all where none are) get the sizes that `shape` lists.
 * Source: ONNX CenterCropPad-18. */
int infer_center_crop_pad(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    shp_list al = shp_list_of(n, "axes", 0), sizes = shp_list_of(n, NULL, 1);
    int64_t axes[SHP_RANK_MAX], rank = x ? x->rank : al.has ? -1 : sizes.count, count = al.has ? al.count : rank;
    shp_dim d[SHP_RANK_MAX];
    if (rank < 0 || rank > SHP_RANK_MAX) return SHP_OK;
    if (sizes.count >= 0 && sizes.count != count) return shp_fail(n, SHP_D_SHAPE, "%d sizes for %d axes", sizes.count, count);
    if (al.has && !shp_list_axes(n, &al, rank, axes)) return n->failed ? (int)n->failed : shp_out_unknown(n, 0, rank, SHP_WHY_CONTENT);
    if (x) memcpy(d, x->dim, (size_t)rank * sizeof *d);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = al.has ? axes[i] : i, v;
        d[k] = shp_list_at(n, &sizes, i);
        if (is_num(n, d[k], &v) && v < 0) return shp_fail(n, SHP_D_VALUE, "size %d is %d", i, v);
        if (!d[k]) d[k] = shp_fresh(n, 0, (uint32_t)k, SHP_WHY_CONTENT);
    }
    return shp_out(n, 0, rank, d);
}
