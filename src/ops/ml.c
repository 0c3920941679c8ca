/* ml - classical machine learning: encoders, linear models, support vector machines, tree ensembles, maps.
 *
 * Models take [N, features]; where the specification or ONNX Runtime lets a vector stand for one row, so do these rules.
 * Sizes come from how many labels, weights or categories an attribute lists. */
#include "index.h"
#include "nn.h"

/* ---- attribute lists ---- */

enum { PACKED_KEPT = 10240 };       /* bytes of a packed list that the skimmer keeps: of a longer one `count` may be bytes */

/* How many entries a list attribute has: 0 where it is absent or empty, -1 where that is not known. */
static int64_t entries(const shp_node *n, const char *name)
{
    const shp_attr *a = shp_attr_get(n, name);
    return !a ? 0 : a->type == SHP_ATTR_INTS && !a->ints && a->count > PACKED_KEPT ? -1 : (int64_t)a->count;
}

/* Elements of a tensor attribute, -1 where it is absent or its dims say nothing. */
static int64_t tensor_entries(const shp_node *n, const char *name)
{
    const shp_attr *a = shp_attr_get(n, name);
    return a && a->t ? a->t->count : -1;
}

/* Fails unless two counts agree, as far as they are known. */
static bool same_count(shp_node *n, const char *a, int64_t x, const char *b, int64_t y)
{
    if (x >= 0 && y >= 0 && x != y) shp_failf(n, SHP_D_ATTRIBUTE, "%s has %d entries, %s has %d", a, x, b, y);
    return !n->failed;
}

/* Fails unless two types agree, as far as they are known. */
static bool same_type(shp_node *n, const char *a, int x, const char *b, int y)
{
    if (x && y && x != y) shp_failf(n, SHP_D_TYPE, "%s is %t, %s is %t", a, (int64_t)x, b, (int64_t)y);
    return !n->failed;
}

/* Of two lists the one that is there; fails where both or none are. */
static int64_t one_of(shp_node *n, const char *a, const char *b)
{
    int64_t x = entries(n, a), y = entries(n, b);
    if (!x == !y) shp_failf(n, SHP_D_ATTRIBUTE, "just one of %s and %s must be given", a, b);
    return x ? x : y;
}

/* A count of attributes as a size, unknown (0) below 1. */
static shp_dim size_of(shp_node *n, int64_t count) { return count > 0 ? num(n, count) : 0; }

/* ---- one element at a time ---- */

/* [N, C] or [C]. Source: ONNX Normalizer 1. */
void infer_normalizer(shp_node *n)
{
    shp_want_rank(n, 0, 1, 2);
    shp_out_same(n, 0, 0);
}

/* Strings become integers and the other way round. Source: ONNX CategoryMapper 1. */
static void mapped(shp_node *n)
{
    int type = shp_in_dtype(n, 0);
    if (type) shp_out_type(n, 0, type == SHP_STRING ? SHP_INT64 : SHP_STRING);
    shp_out_same(n, 0, 0);
}

void infer_category_mapper(shp_node *n)
{
    int64_t strings = entries(n, "cats_strings"), ints = entries(n, "cats_int64s");
    if (!strings || !ints) shp_lacks(n, strings ? "cats_int64s" : "cats_strings");
    if (same_count(n, "cats_strings", strings, "cats_int64s", ints)) mapped(n);
}

typedef struct label_list { const char *name; int64_t count; int type; } label_list;

/* The one of keys_* or values_* that is there: name[0] is the tensor's. */
static label_list label_lists(shp_node *n, const char *const name[4])
{
    static const int types[4] = { 0, SHP_STRING, SHP_INT64, SHP_FLOAT };
    label_list l = { 0 };
    for (int k = 0; k < 4; k++) {
        const shp_attr *a = shp_attr_get(n, name[k]);
        if (!a || (k ? !a->count : !a->t)) continue;
        if (l.name) { shp_failf(n, SHP_D_ATTRIBUTE, "just one of %s and %s must be given", l.name, name[k]); return l; }
        l = (label_list){ name[k], k ? entries(n, name[k]) : a->t->count, k ? types[k] : a->t->elem_type };
    }
    if (!l.name) shp_lacks(n, name[1]);
    return l;
}

/* Keys have the input's type, values the output's. Source: ONNX LabelEncoder 2, 4 (lists as tensors). */
void infer_label_encoder(shp_node *n)
{
    if (n->opset < 2) { mapped(n); return; }
    static const char *const keys[4] = { "keys_tensor", "keys_strings", "keys_int64s", "keys_floats" };
    static const char *const values[4] = { "values_tensor", "values_strings", "values_int64s", "values_floats" };
    label_list k = label_lists(n, keys), v = label_lists(n, values);
    if (n->failed || !same_count(n, k.name, k.count, v.name, v.count) || !same_type(n, k.name, k.type, "the input", shp_in_dtype(n, 0))) return;
    const shp_attr *d = shp_attr_get(n, "default_tensor");
    if (d && d->t && !same_type(n, "default_tensor", d->t->elem_type, v.name, v.type)) return;
    if (d && d->t && (d->t->rank != 1 || d->t->count != 1)) {
        shp_fail(n, SHP_D_ATTRIBUTE, "default_tensor must be one element of rank 1");
        return;
    }
    shp_out_dtype(n, 0, v.type);
    shp_out_same(n, 0, 0);
}

/* ---- features ---- */

/* A new last axis, as long as the list of categories. Source: ONNX OneHotEncoder 1. */
void infer_one_hot_encoder(shp_node *n)
{
    int64_t cats = one_of(n, "cats_strings", "cats_int64s");
    const shp_shape *x = shp_in_shape(n, 0);
    if (!x) return;
    shp_dim d = size_of(n, cats);
    shp_out_spliced(n, 0, x, x->rank, x->rank, &d, 1);
}

/* Rows of input i: a vector is one. 0 where not known. */
static shp_dim rows_of(shp_node *n, uint32_t i, int64_t lo, int64_t hi)
{
    const shp_shape *x = shp_want_rank(n, i, lo, hi);
    return !x ? 0 : x->rank == 1 ? lit(1) : x->dim[0];
}

/* Each input gives as many columns as inputdimensions says, else all it has. Source: ONNX FeatureVectorizer 1, ONNX Runtime. */
void infer_feature_vectorizer(shp_node *n)
{
    uint32_t count = shp_inputs(n);
    const int64_t *size = shp_want_ints(n, "inputdimensions", count, 0, NULL);
    shp_dim d[2] = { 0, lit(0) };
    for (uint32_t i = 0; i < count; i++) {
        const shp_shape *x = shp_in_shape(n, i);
        shp_dim rows = rows_of(n, i, 1, SHP_RANK_MAX);
        uint32_t one = x && x->rank > 1;
        if (n->failed) return;
        if (!d[0]) d[0] = rows;
        if (rows && !(d[0] = shp_equal(n, d[0], rows))) shp_fail1(n, SHP_D_SHAPE, "%i has other rows than those before", i);
        d[1] = add(n, d[1], size ? num(n, size[i]) : x ? shp_product(n, x->dim + one, (uint32_t)x->rank - one) : 0);
    }
    shp_out(n, 0, 2, d);
}

/* ---- maps ---- */

/* One row. DENSE: as many columns as the map has entries; SPARSE: max_map. Source: ONNX CastMap 1, ONNX Runtime. */
void infer_cast_map(shp_node *n)
{
    int to = shp_choice(n, "cast_to", "TO_FLOAT|TO_STRING|TO_INT64");
    bool sparse = shp_choice(n, "map_form", "DENSE|SPARSE") != 0;
    shp_out_type(n, 0, !to ? SHP_FLOAT : to == 1 ? SHP_STRING : SHP_INT64);
    shp_out_matrix(n, 0, lit(1), sparse ? size_of(n, shp_attr_int(n, "max_map")) : shp_fresh(n, 0, 1, SHP_WHY_DATA));
}

/* One row, a column for each word of the vocabulary of the map's key type. Source: ONNX DictVectorizer 1; the axis for the row: ONNX Runtime. */
void infer_dict_vectorizer(shp_node *n)
{
    int key = shp_type_key(n->x, shp_in_type(n, 0));
    int64_t ints = entries(n, "int64_vocabulary"), strings = entries(n, "string_vocabulary");
    int64_t words = key == SHP_STRING || (!key && strings) ? strings : ints;
    if (!words) shp_lacks(n, key == SHP_STRING ? "string_vocabulary" : "int64_vocabulary");
    if (key) shp_out_type(n, 0, shp_type_inner(n->x, shp_in_type(n, 0)));
    shp_out_matrix(n, 0, lit(1), size_of(n, words));
}

/* A map for each row, with a key for each column. Source: ONNX ZipMap 1. */
void infer_zip_map(shp_node *n)
{
    int64_t keys = one_of(n, "classlabels_strings", "classlabels_int64s");
    const shp_shape *x = shp_want_rank(n, 0, 1, 2);
    if (n->failed) return;
    if (x && keys > 0 && !shp_want_dim(n, 0, x->rank - 1, num(n, keys))) return;
    int key = entries(n, "classlabels_strings") ? SHP_STRING : SHP_INT64;
    shp_out_type(n, 0, shp_type_make(n->x, SHP_KIND_SEQ, shp_type_make(n->x, SHP_KIND_MAP, SHP_FLOAT, key), 0));
    shp_dim rows = rows_of(n, 0, 1, 2);
    if (rows) shp_out_content(n, 0, shp_content_length(n, rows));
}

/* ---- models ---- */

/* [N, columns]; columns 0: unknown. lo: 1 where a vector may stand for one row. */
static void regressed(shp_node *n, int64_t lo, shp_dim columns)
{
    shp_out_matrix(n, 0, rows_of(n, 0, lo, 2), columns);
}

/* Labels [N] and scores [N, columns]. */
static void classified(shp_node *n, int64_t lo, int64_t columns)
{
    shp_out_type(n, 0, entries(n, "classlabels_strings") ? SHP_STRING : SHP_INT64);
    shp_dim rows = rows_of(n, 0, lo, 2);
    if (!rows) rows = shp_fresh(n, 0, 0, SHP_WHY_RANK);
    shp_out_vector(n, 0, rows);
    shp_out_matrix(n, 1, rows, size_of(n, columns));
}

/* How many labels the model's classes have: strings come first where both are given. */
static int64_t labels(const shp_node *n)
{
    int64_t count = entries(n, "classlabels_strings");
    return count ? count : entries(n, "classlabels_ints") + entries(n, "classlabels_int64s");
}

/* A score for each intercept; one row of weights for two labels gives both their scores. Source: ONNX LinearClassifier 1, ONNX Runtime. */
void infer_linear_classifier(shp_node *n)
{
    int64_t classes = labels(n), rows = entries(n, "intercepts");
    if (rows == 1 && classes == 2) rows = 2;
    if (rows && classes) same_count(n, "intercepts", rows, "classlabels", classes);
    classified(n, 1, rows ? rows : classes);
}

/* Source: ONNX LinearRegressor 1. */
void infer_linear_regressor(shp_node *n) { regressed(n, 1, size_of(n, shp_attr_int(n, "targets"))); }

/* With support vectors and no probabilities more than two classes are scored in pairs. Source: ONNX SVMClassifier 1, ONNX Runtime. */
void infer_svm_classifier(shp_node *n)
{
    bool pairs = false;
    uint32_t count;
    int64_t classes = labels(n), vectors = entries(n, "vectors_per_class");
    const int64_t *each = shp_attr_ints(n, "vectors_per_class", &count);
    for (uint32_t i = 0; each && i < count; i++) pairs |= each[i] > 0;
    if (vectors && !each) pairs = true;
    if (classes && vectors && pairs && !same_count(n, "classlabels", classes, "vectors_per_class", vectors)) return;
    if (!classes) classes = vectors;
    if (pairs && classes > 2 && !entries(n, "prob_a")) classes = classes < INT32_MAX ? classes * (classes - 1) / 2 : -1;
    classified(n, 1, classes);
}

/* Source: ONNX SVMRegressor 1, ONNX Runtime. */
void infer_svm_regressor(shp_node *n) { regressed(n, 1, lit(1)); }

/* From version 3 on the input has rank 2. Source: ONNX TreeEnsembleClassifier 1, 3, 5; below 3 ONNX Runtime. */
void infer_tree_classifier(shp_node *n)
{
    int64_t classes = labels(n);
    if (!classes) shp_lacks(n, "classlabels_strings");
    classified(n, n->opset < 3 ? 1 : 2, classes);
}

/* Source: ONNX TreeEnsembleRegressor 1, 3, 5. */
void infer_tree_regressor(shp_node *n)
{
    int64_t targets = shp_attr_int(n, "n_targets");
    if (shp_attr_has(n, "n_targets") && targets < 1) shp_bad_attr(n, "n_targets", targets);
    regressed(n, n->opset < 3 ? 1 : 2, size_of(n, targets));
}

/* Nodes and leaves are lists of one length each; thresholds and weights have the input's type. Source: ONNX TreeEnsemble 5. */
void infer_tree_ensemble(shp_node *n)
{
    static const char *const lists[] = { "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs", "nodes_missing_value_tracks_true" };
    static const char *const tensors[] = { "nodes_modes", "nodes_splits", "nodes_hitrates", "leaf_weights" };
    const char *features = "nodes_featureids", *leaves = "leaf_targetids";
    int64_t nodes = entries(n, features);
    int type = shp_in_dtype(n, 0);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (shp_attr_has(n, lists[i])) same_count(n, lists[i], entries(n, lists[i]), features, nodes);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        const shp_attr *a = shp_attr_get(n, tensors[i]);
        if (!a || !a->t) continue;
        if (i && !same_type(n, tensors[i], a->t->elem_type, "the input", type)) return;
        same_count(n, tensors[i], tensor_entries(n, tensors[i]), i < 3 ? features : leaves, i < 3 ? nodes : entries(n, leaves));
    }
    infer_tree_regressor(n);
}
