/* generate - operators that make tensors from sizes, numbers or chance: Shape, Constant, Range, OneHot, the Random family, windows, text features. */
#include "../shape.h"
#include "index.h"
#include "nn.h"

/* ---- the shape of a tensor as a value ---- */

/* Shape: a 1-D int64 tensor holding the dims of axes [start, end).
 * Known rank gives the output's one dim and its content; unknown rank a fresh dim, no content.
 * Source: ONNX Shape (start and end: opset 15 and later). */
void infer_shape(shp_node *n)
{
    const shp_shape *x = shp_in_shape(n, 0);
    if (!x) { shp_out_unknown(n, 0, 1, SHP_WHY_RANK); return; }
    shp_range r = shp_shape_range(x->rank, shp_attr_int(n, "start"), shp_attr_int_or(n, "end", x->rank));
    shp_out_vector(n, 0, num(n, r.len));
    shp_content *c = shp_content_new(n, (uint64_t)r.len);
    for (int64_t i = 0; c && i < r.len; i++) c->elem[i] = shp_elem_dim(x->dim[r.begin + i]);
    shp_out_content(n, 0, c);
}

/* Size: the product of all dims, a scalar. */
void infer_size(shp_node *n) { shp_out_scalar(n, shp_numel(n, shp_in_shape(n, 0))); }

/* ---- constants ---- */

/* value, sparse_value: the tensor's type, shape (the dense one) and elements. */
static void constant_tensor(shp_node *n, const shp_attr *a)
{
    const shp_tensor *t = a->t;
    shp_fact f = shp_tensor_fact(n, t);
    if (!t->sparse) { shp_out_fact(n, 0, &f); return; }
    shp_dim d[SHP_RANK_MAX];
    shp_out_type(n, 0, f.type);
    for (uint32_t k = 0; k < t->rank && k < SHP_RANK_MAX; k++) d[k] = t->dim[k] < 0 ? 0 : num(n, t->dim[k]);
    shp_out(n, 0, t->rank, d);
}

/* Constant: the one attribute that is there decides type, shape and elements. value_int and its kin are of opset 12; a file that has them before was
 * told so, and means the same (as ONNX Runtime takes it). A list has rank 1. */
void infer_constant(shp_node *n)
{
    static const char *const name[8] = { "value", "sparse_value", "value_float", "value_floats", "value_int", "value_ints", "value_string",
                                         "value_strings" };
    static const uint8_t types[4] = { 0, SHP_FLOAT, SHP_INT64, SHP_STRING };
    const shp_attr *a = NULL, *b;
    int kind = 0;
    n->foreign = false;
    for (uint32_t i = 0, left = n->proto->attrs->count; i < 8 && left; i++)
        if ((b = shp_attr_get(n, name[i])) != NULL) {
            left--;
            if (a) { shp_failf(n, SHP_D_ATTRIBUTE, "has both %n and %n", &a->name, &b->name); return; }
            a = b;
            kind = (int)i;
        }
    if (!a) { shp_fail(n, SHP_D_ATTRIBUTE, "has no value"); return; }
    if (kind < 2) { constant_tensor(n, a); return; }
    bool list = kind & 1;
    int dtype = types[kind / 2];
    shp_dim length = num(n, a->count);
    shp_content *c = list && dtype != SHP_STRING && !(dtype == SHP_INT64 ? a->ints != NULL : a->floats != NULL) ? NULL : shp_content_new(n, list ? a->count : 1);
    shp_out_type(n, 0, (shp_type)dtype);
    for (uint32_t i = 0; c && dtype != SHP_STRING && i < c->count; i++)
        c->elem[i] = dtype == SHP_INT64 ? shp_elem_int(n, list ? a->ints[i] : a->i) : shp_elem_real((double)(list ? a->floats[i] : a->f));
    if (dtype != SHP_STRING) shp_out_content(n, 0, c);
    shp_out(n, 0, list, &length);
}

/* A value of the model as size of axis `axis`: the run fails where it is negative (R1). Fresh where it is not known. */
static shp_dim as_size(shp_node *n, shp_dim d, uint32_t axis)
{
    if (hi(n, d) < 0) shp_fail2(n, SHP_D_VALUE, "axis %d would have size %x", axis, d);
    const shp_symbol *s = d ? shp_dim_symbol(n->dims, d) : NULL;
    if (d && !(s && s->kind == SHP_ANY)) return d;
    return shp_equal(n, shp_fresh(n, 0, axis, SHP_WHY_CONTENT), d);
}

/* ConstantOfShape-9: dims from the input's elements; type and element from `value`, a float 0 without it. */
void infer_constant_of_shape(shp_node *n)
{
    shp_dim d[SHP_RANK_MAX];
    const shp_attr *a = shp_attr_get(n, "value");
    const shp_tensor *t = a ? a->t : NULL;
    shp_elem e = shp_elem_real(0);
    shp_out_type(n, 0, SHP_FLOAT);
    if (t) {
        shp_fact value = shp_tensor_fact(n, t);
        const shp_content *c = shp_fact_content(n, &value);
        shp_out_type(n, 0, value.type);
        e = c && c->count ? c->elem[0] : 0;
        if (t->count != 1) shp_fail1(n, SHP_D_ATTRIBUTE, "value has %d elements, not one", t->count);
    }
    shp_want_rank(n, 0, 1, 1);
    const shp_content *in = shp_in_content(n, 0);
    int64_t rank = in ? in->count : shp_in_length(n, 0);
    if (n->failed || rank < 0 || rank > SHP_RANK_MAX) { shp_out_unknown(n, 0, rank, SHP_WHY_CONTENT); return; }
    for (int64_t k = 0; k < rank; k++) d[k] = as_size(n, shp_element(in, k), (uint32_t)k);
    shp_out(n, 0, rank, d);
    shp_out_bounds(n, 0, e, e);
}

/* ---- Range ---- */

/* ceil(span/delta), 0 where the sign of delta is open and nothing cancels. */
static shp_dim steps(shp_node *n, shp_dim span, shp_dim delta)
{
    if (lo(n, delta) >= 0) return ceil_div(n, span, delta);
    if (hi(n, delta) <= 0) return ceil_div(n, sub(n, lit(0), span), sub(n, lit(0), delta));
    return div_exact(n, span, delta);
}

/* Number of elements of a float Range, divided in double: ONNX Runtime takes the span in the type's own arithmetic (1.20) or in double (1.32), so
 * where these differ nothing is known. */
static shp_dim float_steps(shp_node *n, int dtype, const shp_elem *e)
{
    shp_dim d[2];
    for (int wide = 0; wide < 2; wide++) {
        shp_elem span = shp_elem_calc(n, SHP_SUB, wide ? SHP_DOUBLE : dtype, e[1], e[0]);
        shp_elem q = shp_elem_calc(n, SHP_DIV, SHP_DOUBLE, span, e[2]);
        q = shp_elem_calc(n, SHP_CEIL, SHP_DOUBLE, q, q);
        d[wide] = shp_elem_num(shp_elem_cast(n, SHP_DOUBLE, SHP_INT64, q));
    }
    return d[0] == d[1] ? d[0] : 0;
}

/* Elements of a Range: start + i*delta, in the arithmetic of dtype. A float that repeated addition, as runtimes do it, gives otherwise is unknown. */
static void range_elements(shp_node *n, int dtype, const shp_elem *e, int64_t count)
{
    shp_content *c = e[0] && e[2] ? shp_content_new(n, (uint64_t)count) : NULL;
    shp_elem sum = e[0];
    for (int64_t i = 0; c && i < count; i++) {
        shp_elem k = shp_dtype_kind(dtype) == 'F' ? shp_elem_real((double)i) : shp_elem_int(n, i);
        c->elem[i] = shp_elem_calc(n, SHP_ADD, dtype, e[0], shp_elem_calc(n, SHP_MUL, dtype, e[2], k));
        if (shp_elem_is_real(sum) && shp_elem_value(sum) != shp_elem_value(c->elem[i])) c->elem[i] = 0;
        if (i + 1 < count) sum = shp_elem_calc(n, SHP_ADD, dtype, sum, e[2]);
        c->elem[i] = shp_elem_cast(n, dtype, shp_in_dtype(n, 0), c->elem[i]);
    }
    shp_out_content(n, 0, c);
}

/* Range-11: max(ceil((limit - start)/delta), 0) elements; floats of 16 bits (27) are calculated in another type, float where none is named. ONNX Runtime's
 * own may lack delta: 1. */
void infer_range(shp_node *n)
{
    shp_elem e[3];
    int dtype = shp_in_dtype(n, 0);
    bool floats = shp_dtype_kind(dtype) == 'F';
    if (floats && shp_dtype_bits(dtype) < 32) dtype = shp_attr_int(n, "stash_type") == SHP_DOUBLE ? SHP_DOUBLE : SHP_FLOAT;
    double delta;
    int64_t count;
    for (uint32_t i = 0; i < 3; i++) {
        shp_want_rank(n, i, 0, 1);
        e[i] = shp_in_only(n, i);
    }
    if (!shp_has(n, 2)) e[2] = floats ? shp_elem_real(1) : shp_elem_int(n, 1);
    if (n->failed) return;
    if (shp_elem_number(n, e[2], &delta) && delta == 0) { shp_fail(n, SHP_D_VALUE, "delta is 0"); return; }
    shp_dim d = 0;
    if (floats) d = float_steps(n, dtype, e);
    else if (e[0] && e[1] && e[2]) d = steps(n, sub(n, shp_elem_num(e[1]), shp_elem_num(e[0])), shp_elem_num(e[2]));
    if (d && lo(n, d) < 0) d = dim_max(n, d, lit(0));
    if (!d) d = shp_fresh(n, 0, 0, SHP_WHY_CONTENT);
    shp_out_vector(n, 0, d);
    if (is_num(n, d, &count) && count <= SHP_ELEMENTS_MAX) range_elements(n, dtype, e, count);
    else if (!floats && shp_elem_number(n, e[2], &delta) && e[0] && e[1]) {
        shp_elem end = shp_elem_dim(delta > 0 ? sub(n, shp_elem_num(e[1]), lit(1)) : add(n, shp_elem_num(e[1]), lit(1)));
        shp_out_bounds(n, 0, delta > 0 ? e[0] : end, delta > 0 ? end : e[0]);
    }
}

/* ---- patterns ---- */

/* Gives output 0 the type that `dtype` says, else the input's; returns it, 0 where that is not known. */
static int64_t typed(shp_node *n)
{
    bool has = shp_attr_has(n, "dtype");
    int64_t dtype = has ? shp_attr_int(n, "dtype") : shp_in_dtype(n, 0);
    if (has || dtype) shp_out_dtype(n, 0, dtype);
    return dtype;
}

/* EyeLike-9: the input's two dims; type from `dtype`, else the input's; ones on diagonal k. */
void infer_eye_like(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 2, 2);
    int64_t dtype = typed(n), size[2];
    if (n->failed) return;
    if (!x) { shp_out_unknown(n, 0, 2, SHP_WHY_RANK); return; }
    shp_out_shape(n, 0, x);
    shp_content *c = shp_sizes(n, x, size, NULL) && dtype ? shp_content_new(n, (uint64_t)(size[0] * size[1])) : NULL;
    int64_t k = shp_attr_int(n, "k");
    for (int64_t i = 0; c && i < c->count; i++)
        c->elem[i] = shp_elem_cast(n, SHP_INT64, (int)dtype, shp_elem_int(n, k >= -size[0] && k <= size[1] && i % size[1] == i / size[1] + k));
    shp_out_content(n, 0, c);
}

/* Elements of OneHot with a known depth: at element (i, k, j) the on-value where index (i, j) is k. */
static void one_hot_elements(shp_node *n, const shp_content *in, int64_t inner, int64_t depth)
{
    const shp_content *values = shp_in_worth(n, 2);
    shp_content *c = depth <= SHP_ELEMENTS_MAX && values && values->count == 2 ? shp_content_new(n, (uint64_t)in->count * (uint64_t)depth) : NULL;
    for (int64_t p = 0, v; c && p < c->count; p++) {
        shp_elem i = shp_elem_cast(n, shp_in_dtype(n, 0), SHP_INT64, in->elem[p / (inner * depth) * inner + p % inner]);
        if (shp_elem_is_int(n, i, &v)) c->elem[p] = values->elem[(v < 0 ? v + depth : v) == p / inner % depth];
    }
    shp_out_content(n, 0, c);
}

/* OneHot-9: the shape of the indices with an axis of `depth` entries put in. Below opset 11 indices are not negative. */
void infer_one_hot(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, SHP_RANK_MAX - 1), *values = shp_want_rank(n, 2, 1, 1);
    shp_dim d[SHP_RANK_MAX], two = lit(2);
    double real;
    int64_t v;
    shp_elem e = shp_in_only(n, 1);
    shp_dim depth = shp_elem_num(shp_elem_cast(n, shp_in_dtype(n, 1), SHP_INT64, e));
    if (shp_want_rank(n, 1, 0, 1), n->failed) return;
    if (values && shp_dim_eq(n->dims, values->dim[0], two) == 0) { shp_fail1(n, SHP_D_SHAPE, "wants two values, not %i", 2u); return; }
    const shp_content *in = shp_in_worth(n, 0);
    for (uint32_t i = 0; n->opset < 11 && in && i < in->count; i++)
        if (shp_elem_number(n, in->elem[i], &real) && real < 0) { shp_fail1(n, SHP_D_VALUE, "index %d is negative", (int64_t)real); return; }
    int64_t axis = x ? shp_axis(n, shp_attr_int(n, "axis"), (int64_t)x->rank + 1) : -1;
    if (axis < 0) return;
    for (int32_t k = 0; k < x->rank; k++) d[k + (k >= axis)] = x->dim[k];
    d[axis] = as_size(n, depth, (uint32_t)axis);
    shp_out(n, 0, x->rank + 1, d);
    int64_t inner;
    if (in && is_num(n, d[axis], &v) && is_num(n, shp_product(n, d + axis + 1, (uint32_t)(x->rank - axis)), &inner)) one_hot_elements(n, in, inner, v);
}

/* ---- random numbers ---- */

/* RandomNormal, RandomUniform: type and shape are attributes. */
void infer_random(shp_node *n)
{
    shp_dim d[SHP_RANK_MAX];
    uint32_t rank;
    const int64_t *shape = shp_want_ints(n, "shape", -1, 0, &rank);
    if (n->failed || !shp_out_dtype(n, 0, shp_attr_int(n, "dtype"))) return;
    for (uint32_t k = 0; k < rank && k < SHP_RANK_MAX; k++) d[k] = shape ? num(n, shape[k]) : 0;
    shp_out(n, 0, rank, d);
}

/* RandomNormalLike, RandomUniformLike, Bernoulli: the input's shape; type from `dtype`, else the input's. */
void infer_random_like(shp_node *n)
{
    typed(n);
    shp_out_same(n, 0, 0);
}

/* Multinomial-7: [batch, sample_size] for an input [batch, classes]. */
void infer_multinomial(shp_node *n)
{
    int64_t samples = shp_attr_int(n, "sample_size");
    shp_letters(n)[0] = num(n, samples);
    shp_lay(n, "N _ >");
    shp_out_dtype(n, 0, shp_attr_int(n, "dtype"));
    if (samples < 0) shp_bad_attr(n, "sample_size", samples);
    shp_lay(n, "> N A");
}

/* ---- signals ---- */

/* A size that a scalar input gives. */
static shp_dim size_of(shp_node *n, uint32_t i, uint32_t axis) { return as_size(n, shp_in_scalar(n, i), axis); }

/* HannWindow, HammingWindow, BlackmanWindow (17): as many elements as the input says. */
void infer_window(shp_node *n)
{
    shp_dim d = size_of(n, 0, 0);
    shp_want_rank(n, 0, 0, 1);
    shp_out_dtype(n, 0, shp_attr_int(n, "output_datatype"));
    shp_out_vector(n, 0, d);
}

/* MelWeightMatrix-17: [floor(dft_length/2) + 1, num_mel_bins]. */
void infer_mel_weight_matrix(shp_node *n)
{
    shp_dim rows = add(n, floor_div(n, size_of(n, 1, 0), lit(2)), lit(1)), columns = size_of(n, 0, 1);
    shp_out_dtype(n, 0, shp_attr_int(n, "output_datatype"));
    shp_out_matrix(n, 0, rows, columns);
}

/* ---- text ---- */

/* TfIdfVectorizer-9: the last axis has as many entries as the largest of ngram_indexes says. */
void infer_tf_idf_vectorizer(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 1, 2);
    uint32_t count;
    const int64_t *index = shp_want_ints(n, "ngram_indexes", -1, 0, &count);
    if (!x) return;
    int64_t most = -1;
    for (uint32_t i = 0; index && i < count; i++)
        if (index[i] > most) most = index[i];
    shp_dim d[2] = { x->dim[0] };
    d[x->rank - 1] = most >= 0 && most < INT64_MAX ? num(n, most + 1) : shp_fresh(n, 0, (uint32_t)x->rank - 1, SHP_WHY_LIMIT);
    shp_out(n, 0, x->rank, d);
}

/* StringNormalizer-10: [C] or [1, C]; stop words are left out. */
void infer_string_normalizer(shp_node *n)
{
    bool all = !shp_attr_has(n, "stopwords");
    if (shp_in_rank(n, 0) == 2) { shp_patterns(n, all ? "1 C > 1 C" : "1 _ > 1 _"); return; }
    if (shp_in_rank(n, 0) >= 0) shp_patterns(n, all ? "C|_ _ > C" : "_|_ _ > _");
}
