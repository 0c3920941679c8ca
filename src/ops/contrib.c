/* contrib - operators of ONNX Runtime's own domains: com.microsoft, its channels-last and blocked layouts, and what they share. */
#include "contrib.h"
#include "index.h"
#include "../infer.h"

#include <string.h>

/* ---- standard rules, arranged otherwise ---- */

/* A rule of the newest opset, over inputs in another order: from[k] is the input that it sees at place k, SHP_NONE for none. */
static void as(shp_node *n, shp_rule *rule, const uint32_t *from, uint32_t count)
{
    const shp_node_proto *own = n->proto;
    shp_node_proto proto = *own;
    uint64_t *read = n->read, bits = 0;
    int opset = n->opset;
    uint32_t *input = shp_items(n, count + 1, sizeof *input);
    if (!input) return;
    for (uint32_t k = 0; k < count; k++) input[k] = from[k] < own->inputs ? own->input[from[k]] : SHP_NONE;
    proto.input = input;
    proto.inputs = count;
    n->proto = &proto;
    n->read = &bits;
    n->opset = INT16_MAX;
    rule(n);
    n->proto = own;
    n->read = read;
    n->opset = opset;
    for (uint32_t k = 0; read && k < count && k < 32; k++)
        if (from[k] < 32) *read |= (bits >> (2 * k) & 3) << (2 * from[k]);
}

/* The same with a digit a place, '-' for none. */
static void like(shp_node *n, shp_rule *rule, const char *from)
{
    uint32_t place[10], count = 0;
    for (; from[count]; count++) place[count] = from[count] == '-' ? SHP_NONE : (uint32_t)(from[count] - '0');
    as(n, rule, place, count);
}

/* The same axes, with axis `from` moved to `to`; or NULL. */
static shp_shape *moved(shp_node *n, const shp_shape *s, int32_t from, int32_t to)
{
    shp_shape *less = shp_spliced(n, s, from, from + 1, s->dim, 0);
    return less ? shp_spliced(n, less, to, to, &s->dim[from], 1) : NULL;
}

/* Inputs first and first + 1 appear with these shapes (NULL: as they are) while a rule runs. */
static void with_shapes(shp_node *n, uint32_t first, const shp_shape *a, const shp_shape *b, shp_rule *rule)
{
    const shp_shape *own[2] = { shp_in(n, first)->shape, shp_in(n, first + 1)->shape }, *shown[2] = { a, b };
    for (uint32_t i = 0; i < 2; i++)
        if (shown[i]) n->scope->fact[n->proto->input[first + i]].shape = shown[i];
    rule(n);
    for (uint32_t i = 0; i < 2; i++)
        if (shown[i]) n->scope->fact[n->proto->input[first + i]].shape = own[i];
}

/* ---- products ---- */

static void transposed_matmul(shp_node *n)
{
    shp_matmul(n, 0, 1, shp_attr_int(n, "transA") != 0, shp_attr_int(n, "transB") != 0);
}

/* FusedMatMul, FusedMatMulActivation, TransposeMatMul, SparseToDenseMatMul: with transBatch the first axis of an operand stands before the last. */
void infer_fused_matmul(shp_node *n)
{
    const shp_shape *s[2] = { shp_in_shape(n, 0), shp_in_shape(n, 1) };
    bool turn[2] = { s[0] && s[0]->rank > 2 && shp_attr_int(n, "transBatchA"), s[1] && s[1]->rank > 2 && shp_attr_int(n, "transBatchB") };
    if (n->proto->input[0] == n->proto->input[1] && turn[0] != turn[1]) { shp_out_unknown(n, 0, s[0]->rank, SHP_WHY_RANK); return; }
    for (int i = 0; i < 2; i++) s[i] = turn[i] ? moved(n, s[i], 0, s[i]->rank - 2) : NULL;
    with_shapes(n, 0, s[0], s[1], transposed_matmul);
}

/* Gemm with another number of inputs, or an opset of its own. */
void infer_fused_gemm(shp_node *n) { like(n, infer_gemm, "012"); }
/* GemmFloat8: the type is `dtype` (default float). */
void infer_gemm_float8(shp_node *n)
{
    shp_out_dtype(n, 0, shp_attr_int_or(n, "dtype", SHP_FLOAT));
    like(n, infer_gemm, "012");
}
/* QGemm: quantized like y_zero_point where there is one, else float. */
void infer_qgemm(shp_node *n)
{
    shp_out_type(n, 0, shp_has(n, 8) ? shp_in_type(n, 8) : SHP_FLOAT);
    like(n, infer_gemm, "036");
}
/* MatMulInteger16: 32 bits, unsigned where both factors are. */
void infer_matmul_integer16(shp_node *n)
{
    int a = shp_in_dtype(n, 0), b = shp_in_dtype(n, 1);
    if (a == SHP_INT16 || b == SHP_INT16) shp_out_type(n, 0, SHP_INT32);
    else if (a && b) shp_out_type(n, 0, SHP_UINT32);
    infer_matmul(n);
}

/* MatMulBnb4: a weight [N, K], or with transB = 0 [K, N] whose names the attributes keep. */
void infer_matmul_bnb4(shp_node *n)
{
    shp_patterns(n, shp_attr_int_or(n, "transB", 1) ? "K!K N!N: . K > . N" : "K!K N!N: . N > . K");
}

/* ---- elementwise ---- */

void infer_scalar(shp_node *n) { shp_out(n, 0, 0, NULL); }

/* Operands each with a scale and a zero point. */
void infer_qlinear_binary(shp_node *n) { like(n, infer_broadcast, "03"); }
void infer_mul_integer(shp_node *n) { like(n, infer_broadcast, "02"); }
void infer_qlinear_where(shp_node *n) { like(n, infer_broadcast, "014"); }
void infer_qlinear_reduce(shp_node *n) { like(n, infer_reduce, "0"); }

/* ReduceSumInteger: 32 bits, of the input's sign. */
void infer_reduce_sum_integer(shp_node *n)
{
    if (shp_in_dtype(n, 0) == SHP_INT8) shp_out_type(n, 0, SHP_INT32);
    if (shp_in_dtype(n, 0) == SHP_UINT8) shp_out_type(n, 0, SHP_UINT32);
    like(n, infer_reduce, "0");
}

/* QLinearConcat: scale and zero point of the output, then three inputs for each part. */
void infer_qlinear_concat(shp_node *n)
{
    uint32_t inputs = shp_inputs(n), count = inputs > 2 ? inputs / 3 : 0;
    uint32_t *from = shp_items(n, count + 1, sizeof *from);
    if (!from) return;
    if (inputs % 3 != 2) { shp_fail1(n, SHP_D_ARITY, "%d inputs are not 2, and 3 for each part", inputs); return; }
    for (uint32_t k = 0; k < count; k++) from[k] = 2 + 3 * k;
    as(n, infer_concat, from, count);
}

/* MurmurHash3: a hash of each element. */
void infer_murmur_hash3(shp_node *n)
{
    shp_out_type(n, 0, shp_attr_int_or(n, "positive", 1) == 1 ? SHP_UINT32 : SHP_INT32);
    shp_out_same(n, 0, 0);
}

/* BitmaskDropout, BitmaskBiasDropout: the mask has a bit for each element, 32 together. */
void infer_bitmask_dropout(shp_node *n)
{
    shp_out_vector(n, 1, ceil_div(n, shp_numel(n, shp_in_shape(n, 0)), lit(32)));
    shp_out_same(n, 0, 0);
}

/* SkipLayerNormalization, SkipSimplifiedLayerNormalization: the input's shape, its sum with skip, and statistics of the last axis. skip may lack the
 * batch, or have 1 there. */
void infer_skip_layer_norm(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, 3);
    shp_want_rank(n, 1, 2, 3);
    if (n->failed || !x) return;
    shp_dim d[3];
    memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
    shp_dim *last = &d[x->rank - 1];
    *last = shp_want_vector(n, 2, *last);
    if (n->failed || !shp_want_fits(n, 1, x->rank, d)) return;
    shp_out(n, 0, x->rank, d);
    shp_out(n, 3, x->rank, d);
    *last = lit(1);
    shp_out(n, 1, x->rank, d);
    shp_out(n, 2, x->rank, d);
}

/* SwiGLU: one half of the last axis, or of that shape where the other half is an input of its own. */
void infer_ms_swiglu(shp_node *n)
{
    shp_patterns(n, shp_has(n, 1) ? ". D; . D > . D" : ". D > . D/2");
}

/* HyperConnectionPreMix: the streams [..., C, H] or, with num_branches, [..., C * H] become one [..., H]. */
void infer_pre_mix(shp_node *n)
{
    shp_patterns(n, shp_attr_int(n, "num_branches") > 0 ? "C=num_branches: . C*H > . H" : ". C H > . H");
}

/* ---- quantized blocks ---- */

/* GatherBlockQuantized: Gather of elements that uint8 data hold several of in a byte of the last axis; the type is the scales'. */
void infer_gather_block_quantized(shp_node *n)
{
    int64_t bits = shp_attr_int_or(n, "bits", 4);
    int32_t axis = shp_along(n, "gather_axis", 0);
    const shp_shape *x = shp_in_shape(n, 0), *at = shp_in_shape(n, 1);
    if (bits != 2 && bits != 4 && bits != 8) { shp_bad_attr(n, "bits", bits); return; }
    if (axis < 0 || !at) return;
    int32_t last = x->rank - 1;
    shp_dim wide = mul(n, x->dim[last], num(n, 8 / bits));
    if (shp_in_dtype(n, 0) == SHP_UINT8 && axis < last) x = shp_spliced(n, x, last, x->rank, &wide, 1);
    if (x) shp_out_spliced(n, 0, x, axis, axis + 1, at->dim, at->rank);
}

/* GatherPacked: indices and K; the type is output_dtype (default bfloat16). */
void infer_gather_packed(shp_node *n)
{
    shp_out_dtype(n, 0, shp_attr_int_or(n, "output_dtype", SHP_BFLOAT16));
    shp_patterns(n, "K=K: _ _; . > . K");
}

/* DequantizeWithOrder: the type is `to`. */
void infer_dequantize_with_order(shp_node *n)
{
    shp_out_dtype(n, 0, shp_attr_int(n, "to"));
    shp_out_same(n, 0, 0);
}

/* QuantizeBFP: bytes, and the shape and strides of x. */
void infer_quantize_bfp(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX);
    shp_dim rank = x ? num(n, x->rank) : shp_fresh(n, 1, 0, SHP_WHY_RANK);
    shp_content *c = x ? shp_content_new(n, (uint64_t)x->rank) : NULL;
    shp_out_vector(n, 1, rank);
    shp_out_vector(n, 2, rank);
    for (int32_t k = 0; c && k < x->rank; k++) c->elem[k] = shp_elem_dim(x->dim[k]);
    if (c) shp_out_content(n, 1, c);
    shp_out_unknown(n, 0, 1, SHP_WHY_DATA);
}

/* DequantizeBFP: the shape is an input, the type is `dtype` (default float). */
void infer_dequantize_bfp(shp_node *n)
{
    shp_list l = shp_list_of(n, NULL, 1);
    shp_want_rank(n, 0, 1, 1);
    shp_dim d[SHP_RANK_MAX];
    shp_out_dtype(n, 0, shp_attr_int_or(n, "dtype", SHP_FLOAT));
    if (l.count < 0 || l.count > SHP_RANK_MAX) return;
    for (int64_t k = 0; k < l.count; k++) d[k] = shp_list_at(n, &l, k);
    shp_out(n, 0, l.count, d);
}

/* MoEGroupRouter: a row for each token, a column for each expert. */
void infer_moe_group_router(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, SHP_RANK_MAX);
    shp_dim rows = x ? shp_product(n, x->dim, (uint32_t)x->rank - 1) : 0;
    for (uint32_t o = 0; o < 3; o++) shp_out_matrix(n, o, rows, shp_want_vector(n, 1, 0));
}

/* RMSNormRotary: [batch, length, heads * width], or all positions in one batch. */
void infer_rms_norm_rotary(shp_node *n)
{
    shp_out_type(n, 0, shp_attr_int(n, "output_fp16") ? SHP_FLOAT16 : SHP_BFLOAT16);
    shp_patterns(n, shp_attr_int(n, "flatten_batch") ? "B S N _; W > 1 B*S N*W; B S N W" : "B S N _; W > B S N*W; B S N W");
}

/* ---- windows ---- */

void infer_qlinear_conv_transpose(shp_node *n) { like(n, infer_conv_transpose, "038"); }

/* GridSample of four axes, of the input's type. */
void infer_ms_grid_sample(shp_node *n)
{
    shp_out_type(n, 0, shp_in_type(n, 0));
    infer_grid_sample(n);
}

/* ConvTransposeWithDynamicPads: what the transposed convolution gives without pads, less the pads, an input. */
void infer_conv_transpose_dynamic_pads(shp_node *n)
{
    like(n, infer_conv_transpose, "013");
    if (!n->nout || !n->out[0].shape) return;
    const shp_content *c = shp_in_content(n, 2);
    const shp_shape *y = n->out[0].shape;
    shp_str mode = shp_attr_str(n, "auto_pad");
    shp_dim d[SHP_RANK_MAX];
    if (!shp_has(n, 2) || (mode.len && !shp_str_is(mode, "NOTSET"))) return;
    for (int64_t k = 0; k < y->rank; k++) d[k] = k < 2 ? y->dim[k] : sub(n, y->dim[k], add(n, shp_element(c, k - 2), shp_element(c, k - 4 + y->rank)));
    shp_out(n, 0, y->rank, d);
}

/* UnfoldTensor: slices of `size` every `step` of one axis, as a new last axis. */
void infer_unfold(shp_node *n)
{
    int64_t size = shp_positive(n, "size", 0), step = shp_positive(n, "step", 1);
    int32_t axis = shp_along(n, "dim", -1);
    const shp_shape *x = shp_in_shape(n, 0);
    if (n->failed || axis < 0) return;
    shp_dim one = num(n, size), whole = x->dim[axis], count = shp_windows(n, axis, whole, whole, one, num(n, step));
    x = shp_spliced(n, x, axis, axis + 1, &count, 1);
    if (x) shp_out_spliced(n, 0, x, x->rank, x->rank, &one, 1);
}

/* ---- layouts ---- */

/* ReorderInput: [N, C, …] (or with C last) to [N, C, …] with C padded to whole blocks of 8 or 16, as the machine has them. */
void infer_reorder_input(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    if (!x) return;
    if (shp_attr_int(n, "channels_last")) x = moved(n, x, x->rank - 1, 1);
    if (!x) return;
    int64_t c;
    shp_dim d = is_num(n, x->dim[1], &c) && c % 16 == 0 ? x->dim[1] : shp_fresh(n, 0, 1, SHP_WHY_DATA);
    shp_out_resized(n, 0, x, 1, d);
}

/* ReorderOutput: back, with the number of channels that there are. */
void infer_reorder_output(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX);
    shp_dim c = num(n, shp_positive(n, "channels", 0));
    bool last = shp_attr_int(n, "channels_last") != 0;
    if (!x) return;
    if (last) shp_out_spliced(n, 0, shp_spliced(n, x, 1, 2, &c, 0), x->rank - 1, x->rank - 1, &c, 1);
    else shp_out_resized(n, 0, x, 1, c);
}

/* Upsample of blocked images: integer scales. */
void infer_nchwc_upsample(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    uint32_t count;
    const int64_t *scale = shp_want_ints(n, "scales", x ? x->rank : -1, 1, &count);
    shp_dim d[SHP_RANK_MAX];
    if (!x || !scale) return;
    for (int32_t k = 0; k < x->rank; k++) d[k] = mul(n, x->dim[k], num(n, scale[k]));
    shp_out(n, 0, x->rank, d);
}

/* ---- shapes ---- */

/* Pad: the pads may also be one row. */
static void pad(shp_node *n) { like(n, infer_pad, "012"); }
void infer_ms_pad(shp_node *n)
{
    const shp_shape *p = shp_in_shape(n, 1);
    with_shapes(n, 1, p && p->rank == 2 && is(n, p->dim[0], 1) ? shp_spliced(n, p, 0, 1, p->dim, 0) : NULL, NULL, pad);
}

/* ExpandDims: Unsqueeze with one axis. */
void infer_expand_dims(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    like(n, infer_unsqueeze, "01");
    if (x && n->nout && !n->out[0].shape) shp_out_unknown(n, 0, (int64_t)x->rank + 1, SHP_WHY_RANK);
}

/* Unique of a vector: its values in the order of appearance, where each stands, and how often. */
void infer_ms_unique(shp_node *n)
{
    shp_dim d = shp_fresh(n, 0, 0, SHP_WHY_DATA);
    shp_want_rank(n, 0, 1, 1);
    shp_out_vector(n, 0, d);
    shp_out_vector(n, 2, d);
    shp_out_same(n, 1, 0);
}

/* Tokenizer: one more axis, the most tokens of a string; an input without strings gives [0] or [N, 0] (as runtimes do). */
void infer_tokenizer(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, 2);
    if (!x) return;
    shp_dim d[3] = { x->dim[0], x->rank > 1 ? x->dim[1] : 0 };
    shp_dim strings = shp_numel(n, x);
    bool none = is(n, strings, 0);
    if (!none) shp_assume(n, strings, lit(1), "strings");
    d[none ? 1 : x->rank] = none ? lit(0) : shp_fresh(n, 0, (uint32_t)x->rank, SHP_WHY_DATA);
    shp_out(n, 0, none ? x->rank : x->rank + 1, d);
}

/* SpeculativePrefixCommit: a number for each request, and states like those that came. */
void infer_prefix_commit(shp_node *n)
{
    const shp_shape *next = shp_want_rank(n, 0, 1, 2);
    shp_out_vector(n, 0, !next ? 0 : next->rank == 2 ? next->dim[0] : lit(1));
    shp_out_same(n, 1, 3);
    shp_out_same(n, 2, 4);
}

/* AllGather: `axis` group_size times as long. */
void infer_all_gather(shp_node *n)
{
    int32_t axis = shp_along(n, "axis", 0);
    const shp_shape *x = shp_in_shape(n, 0);
    if (axis >= 0) shp_out_resized(n, 0, x, axis, mul(n, x->dim[axis], num(n, shp_attr_int_or(n, "group_size", 1))));
}

/* ConstantFill: GivenTensorFill with a type, `dtype`. */
void infer_constant_fill(shp_node *n)
{
    shp_out_dtype(n, 0, shp_attr_int_or(n, "dtype", SHP_FLOAT));
    infer_given_tensor_fill(n);
}

/* ---- recurrences ---- */

/* DynamicQuantizeLSTM: LSTM whose W and R are [directions, inputs, 4 * hidden]. */
static void lstm_first(shp_node *n) { like(n, infer_recurrent, "01234567"); }

void infer_dynamic_quantize_lstm(shp_node *n)
{
    const shp_shape *w = shp_want_rank(n, 1, 3, 3), *r = shp_want_rank(n, 2, 3, 3);
    with_shapes(n, 1, w ? moved(n, w, 1, 2) : NULL, r ? moved(n, r, 1, 2) : NULL, lstm_first);
}

/* AttnLSTM: LSTM; its W also reads the attention, so W's width is not X's. */
void infer_attn_lstm(shp_node *n) { like(n, infer_recurrent, "0-234567"); }

/* ---- generation ---- */

/* Patterns where elements of inputs are letters: "M10" makes element 0 of input 1 M. */
static void with_elements(shp_node *n, const char *which, const char *text)
{
    shp_dim *letter = shp_letters(n);
    for (; *which; which += 3) letter[*which - 'A'] = shp_element(shp_in_content(n, (uint32_t)(which[1] - '0')), which[2] - '0');
    shp_lay(n, text);
}

/* MatMulFpQ4: the weight's shape [K, N] is an input. */
void infer_matmul_fpq4(shp_node *n) { with_elements(n, "K20N21", ". K > . N"); }

/* CropAndResize: [regions, C, height, width], both from crop_size. */
void infer_crop_and_resize(shp_node *n) { with_elements(n, "H30W31", "_ C _ _; R _; R > R C H W"); }

/* RelativePositionBias: [1, heads, queries, keys], the lengths from inputs. */
void infer_relative_position_bias(shp_node *n) { with_elements(n, "Q10K20", "_ H > 1 H Q K"); }

/* BeamSearch, WhisperBeamSearch: [batch, returned, max_length], scores of these, and of all words at each step; what whisper also tells. */
void infer_beam_search(shp_node *n)
{
    with_elements(n, "M10B30R40", shp_attr_int(n, "model_type") ? "V=vocab_size: N _|N _ _ > N R M; N R; _ N B V; N R _ _ _; N"
                                                                           : "V=vocab_size: N S > N R M; N R; M-S N B V; N R _ _ _; N");
}

/* GreedySearch, Sampling: [batch, max_length]; the last logits. */
void infer_greedy_search(shp_node *n)
{
    with_elements(n, "M10", "V=vocab_size: N|N _|N _ _ > N M; N V");
}
