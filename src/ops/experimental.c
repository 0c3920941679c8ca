/* experimental - operators of the default domain that no schema of ONNX has now: Caffe2's old ones, and TensorRT's. */
#include "nn.h"

/* Crop: border [left, top, right, bottom] is cut from [N, C, H, W], or scale [height, width] kept from its corner.
 * Source: ONNX Runtime, Crop 1. */
void infer_crop(shp_node *n)
{
    shp_dim *letter = shp_letters(n);
    const int64_t *border = shp_want_ints(n, "border", 4, 0, NULL), *size = shp_want_ints(n, "scale", 2, 0, NULL);
    if (!border) { shp_lacks(n, "border"); return; }
    if (shp_lay(n, "_ _ Y X >")) return;
    for (int i = 0; i < 2; i++) {
        shp_dim *d = &letter['Y' - 'A' - i], rest = sub(n, sub(n, *d, num(n, border[1 - i])), num(n, border[3 - i]));
        if (rest && hi(n, rest) < 0) shp_fail1(n, SHP_D_SHAPE, "border is larger than %i", 0);
        *d = size ? num(n, size[i]) : rest;
    }
    shp_lay(n, "N C _ _ > N C Y X");
}

/* GivenTensorFill: attribute shape, or the input (its shape, or its elements with input_as_shape) followed by extra_shape.
 * Source: ONNX Runtime, GivenTensorFill 1. */
void infer_given_tensor_fill(shp_node *n)
{
    uint32_t count, extra = 0;
    bool fed = shp_has(n, 0) && !shp_attr_has(n, "shape"), elements = shp_attr_int(n, "input_as_shape") != 0;
    const int64_t *tail = fed ? shp_want_ints(n, "extra_shape", -1, 0, &extra) : shp_want_ints(n, "shape", -1, 0, &extra);
    const shp_shape *s = fed ? shp_in_shape(n, 0) : NULL;
    const shp_content *c = fed && elements ? shp_in_content(n, 0) : NULL;
    int64_t known = elements ? shp_in_length(n, 0) : s ? s->rank : -1;
    if (n->failed || (fed && known < 0)) return;
    count = fed ? (uint32_t)known : 0;
    if (!shp_has(n, 0)) shp_out_type(n, 0, SHP_FLOAT);
    if (known > SHP_RANK_MAX || extra > SHP_RANK_MAX) return;
    shp_dim d[2 * SHP_RANK_MAX];
    for (uint32_t i = 0; i < count; i++) d[i] = elements ? shp_element(c, i) : s->dim[i];
    for (uint32_t i = 0; i < extra; i++) d[count + i] = tail ? num(n, tail[i]) : 0;
    shp_out(n, 0, (int64_t)count + extra, d);
}
