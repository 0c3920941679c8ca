/* experimental - operators of the default domain that no schema of ONNX has now: Caffe2's old ones, and TensorRT's. */
#include "nn.h"

/* Crop: border [left, top, right, bottom] is cut from [N, C, H, W], or scale [height, width] kept from its corner.
 * Source: ONNX Runtime, Crop 1. */
int infer_crop(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 4, 4);
    const int64_t *border = shp_want_ints(n, "border", 4, 0, NULL), *size = shp_want_ints(n, "scale", 2, 0, NULL);
    if (n->failed) return n->failed;
    if (!border) return shp_fail(n, SHP_D_ATTRIBUTE, "border is missing");
    shp_dim d[4] = { x ? x->dim[0] : 0, x ? x->dim[1] : 0 };
    for (int i = 0; i < 2; i++) {
        if (size) d[i + 2] = num(n, size[i]);
        else if (x) d[i + 2] = sub(n, sub(n, x->dim[i + 2], num(n, border[1 - i])), num(n, border[3 - i]));
        if (d[i + 2] && shp_dim_hi(n->dims, d[i + 2]) < 0) return shp_fail(n, SHP_D_SHAPE, "border is larger than %i", (uint32_t)0);
    }
    return shp_out(n, 0, 4, d);
}

/* GivenTensorFill: attribute shape, or the input (its shape, or its elements with input_as_shape) followed by extra_shape.
 * Source: ONNX Runtime, GivenTensorFill 1. */
int infer_given_tensor_fill(shp_node *n)
{
    uint32_t count, extra = 0;
    bool fed = shp_has(n, 0), elements = shp_attr_int(n, "input_as_shape") != 0;
    const int64_t *tail = fed ? shp_want_ints(n, "extra_shape", -1, 0, &extra) : shp_want_ints(n, "shape", -1, 0, &extra);
    const shp_shape *s = fed ? shp_in_shape(n, 0) : NULL;
    const shp_content *c = fed && elements ? shp_in_content(n, 0) : NULL;
    int64_t known = elements ? shp_in_length(n, 0) : s ? s->rank : -1;
    if (n->failed || (fed && known < 0)) return n->failed;
    count = fed ? (uint32_t)known : 0;
    if (!fed) shp_out_type(n, 0, SHP_FLOAT);
    if (known > SHP_RANK_MAX || extra > SHP_RANK_MAX) return SHP_OK;
    shp_dim d[2 * SHP_RANK_MAX];
    for (uint32_t i = 0; i < count; i++) d[i] = elements ? shp_element(c, i) : s->dim[i];
    for (uint32_t i = 0; tail && i < extra; i++) d[count + i] = num(n, tail[i]);
    return shp_out(n, 0, (int64_t)count + extra, d);
}

/* EfficientNMS_TRT: counts [batch, 1], and max_output_boxes boxes, scores and classes. Source: ONNX Runtime. */
int infer_efficient_nms(shp_node *n)
{
    const shp_shape *boxes = shp_want_rank(n, 0, 3, 4);
    if (n->failed) return n->failed;
    int64_t most = shp_attr_int(n, "max_output_boxes");
    if (most < 1) return shp_fail(n, SHP_D_ATTRIBUTE, "max_output_boxes is %d", most);
    shp_dim d[3] = { boxes ? boxes->dim[0] : 0, num(n, 1), num(n, 4) };
    shp_out(n, 0, 2, d);
    d[1] = num(n, most);
    shp_out(n, 1, 3, d);
    shp_out(n, 2, 2, d);
    return shp_out(n, 3, 2, d);
}

/* [batch, boxes, C, pooled, pooled]. Source: ONNX Runtime, PyramidROIAlign_TRT, MultilevelCropAndResize_TRT. */
int infer_pyramid_roi_align(shp_node *n)
{
    const shp_shape *boxes = shp_want_rank(n, 0, 3, 3), *map = shp_want_rank(n, 1, 4, 4);
    if (n->failed) return n->failed;
    int64_t size = shp_attr_int(n, "pooled_size");
    if (size < 1) return shp_fail(n, SHP_D_ATTRIBUTE, "pooled_size is %d", size);
    shp_dim d[5] = { boxes ? boxes->dim[0] : 0, boxes ? boxes->dim[1] : 0, map ? map->dim[1] : 0, num(n, size), num(n, size) };
    return shp_out(n, 0, 5, d);
}
