/* attention - Attention and the operators that language models put around it. */
#include "nn.h"
#include "../infer.h"

/* ---- attention ---- */

typedef struct heads { shp_dim batch, heads, length, size; } heads;

/* Input i as [batch, heads, length, size], unpacked where it is [batch, length, heads * size]. Unknown sizes are 0. */
static heads unpack(shp_node *n, uint32_t i, int64_t count, const char *what)
{
    const shp_shape *s = shp_in_shape(n, i);
    if (!s) return (heads){ 0, count > 0 ? num(n, count) : 0, 0, 0 };
    if (s->rank == 4) return (heads){ s->dim[0], s->dim[1], s->dim[2], s->dim[3] };
    return (heads){ s->dim[0], num(n, count), s->dim[1], shp_whole_div(n, s->dim[2], count, what) };
}

static shp_dim agree(shp_node *n, shp_dim a, shp_dim b, const char *what)
{
    shp_dim d = shp_equal(n, a, b);
    if (!d && a && b) shp_fail(n, SHP_D_SHAPE, "%s: %x against %x", what, a, b);
    return d;
}

/* Input i is a cache [batch, heads, past, size]; its past comes back, 0 where not known. */
static shp_dim past(shp_node *n, uint32_t i, heads *h, shp_dim length)
{
    h->batch = shp_want_dim(n, i, 0, h->batch, "the batch");
    h->heads = shp_want_dim(n, i, 1, h->heads, "the number of key and value heads");
    h->size = shp_want_dim(n, i, 3, h->size, "the head size");
    return shp_want_dim(n, i, 2, length, "the past of the keys");
}

/* Query heads are a multiple of key and value heads. */
static void check_groups(shp_node *n, shp_dim q, shp_dim kv)
{
    int64_t a, b;
    if (is_num(n, q, &a) && is_num(n, kv, &b) && (b < 1 || a % b))
        shp_fail(n, SHP_D_SHAPE, "%d query heads are no multiple of %d key and value heads", a, b);
}

/* What goes together: caches in, caches out, windows. Source: ONNX Attention 23, 24 (nonpad_kv_seqlen), 25 (windows). */
static int check_attention(shp_node *n, int64_t rank)
{
    int64_t left = shp_attr_int_or(n, "left_window_size", -1), right = shp_attr_int_or(n, "right_window_size", -1);
    if (left < -1 || right < -1) return shp_fail(n, SHP_D_ATTRIBUTE, "a window size of %d", left < -1 ? left : right);
    if (shp_has(n, 4) != shp_has(n, 5)) return shp_fail(n, SHP_D_ARITY, "past_key and past_value go together");
    if (shp_wants(n, 1) != shp_wants(n, 2)) return shp_fail(n, SHP_D_ARITY, "present_key and present_value go together");
    if (shp_has(n, 6) && (shp_has(n, 4) || shp_wants(n, 1)))
        return shp_fail(n, SHP_D_ARITY, "nonpad_kv_seqlen does not go with past or present keys and values");
    if (rank == 4 && n->opset >= 25 && (shp_attr_has(n, "q_num_heads") || shp_attr_has(n, "kv_num_heads")))
        return shp_fail(n, SHP_D_ATTRIBUTE, "q_num_heads and kv_num_heads are for inputs of rank 3");
    if (rank == 3 && (shp_attr_int(n, "q_num_heads") < 1 || shp_attr_int(n, "kv_num_heads") < 1))
        return shp_fail(n, SHP_D_ATTRIBUTE, "inputs of rank 3 need q_num_heads and kv_num_heads");
    return SHP_OK;
}

/* Attention: Y is [batch, query heads, queries, value size] or, like the inputs, [batch, queries, heads * size]; present keys and values are the
 * past ones and the new ones; the product has all of them in its last axis. Source: ONNX Attention 23. */
int infer_attention(shp_node *n)
{
    int64_t rank = -1;
    for (uint32_t i = 0; i < 3; i++) {
        const shp_shape *s = shp_want_rank(n, i, 3, 4);
        if (s && rank > 0) s = shp_want_rank(n, i, rank, rank);
        if (s) rank = s->rank;
    }
    for (uint32_t i = 4; i < 6; i++) shp_want_rank(n, i, 4, 4);
    if (n->failed || check_attention(n, rank)) return n->failed;
    heads q = unpack(n, 0, shp_attr_int(n, "q_num_heads"), "the query's size"), k = unpack(n, 1, shp_attr_int(n, "kv_num_heads"), "the key's size"),
          v = unpack(n, 2, shp_attr_int(n, "kv_num_heads"), "the value's size");
    k.batch = agree(n, q.batch, k.batch, "batches of query and key");
    v.batch = agree(n, k.batch, v.batch, "batches of key and value");
    v.heads = k.heads = agree(n, k.heads, v.heads, "heads of key and value");
    k.size = agree(n, k.size, q.size, "head sizes of key and query");
    shp_dim length = agree(n, k.length, v.length, "lengths of key and value"), before = past(n, 4, &k, 0), batch;
    before = past(n, 5, &v, before);
    batch = agree(n, k.batch, v.batch, "batches of key and value");
    v.heads = agree(n, k.heads, v.heads, "heads of key and value");
    check_groups(n, q.heads, v.heads);
    if (n->failed) return n->failed;
    if (shp_has(n, 4)) length = before ? add(n, before, length) : 0;
    shp_dim y[4] = { batch, q.heads, q.length, v.size }, key[4] = { batch, v.heads, length, k.size }, flat[3];
    shp_settle(n, y, 4, 4);
    key[0] = y[0];
    shp_settle(n, key, 4, 8);
    shp_dim value[4] = { y[0], key[1], key[2], y[3] }, product[4] = { y[0], y[1], y[2], key[2] };
    flat[0] = y[0], flat[1] = y[2], flat[2] = mul(n, y[1], y[3]);
    shp_out(n, 1, 4, key);
    shp_out(n, 2, 4, value);
    shp_out(n, 3, 4, product);
    return rank < 0 ? SHP_OK : shp_out(n, 0, rank, rank == 4 ? y : flat);
}

/* FlexAttention: the same on rank 4, with bodies that map [batch, heads, queries, keys] to itself. Source: ONNX FlexAttention 1 (preview). */
int infer_flex_attention(shp_node *n)
{
    for (uint32_t i = 0; i < 3; i++) shp_want_rank(n, i, 4, 4);
    if (n->failed) return n->failed;
    heads q = unpack(n, 0, 0, ""), k = unpack(n, 1, 0, ""), v = unpack(n, 2, 0, "");
    shp_dim batch = agree(n, agree(n, q.batch, k.batch, "batches of query and key"), v.batch, "batches of key and value");
    shp_dim length = agree(n, k.length, v.length, "lengths of key and value");
    check_groups(n, q.heads, agree(n, k.heads, v.heads, "heads of key and value"));
    agree(n, q.size, k.size, "head sizes of query and key");
    if (n->failed) return n->failed;
    shp_dim y[4] = { batch, q.heads, q.length, v.size };
    shp_dim d[4] = { batch, q.heads, q.length, length };
    shp_settle(n, d, 3, 0);
    shp_settle(n, d + 3, 1, 4);
    shp_shape *s = shp_alloc(n->x->arena, sizeof *s + sizeof d);
    if (!s) return SHP_E_MEMORY;
    s->rank = 4;
    for (int i = 0; i < 4; i++) s->dim[i] = d[i];
    int64_t precision = shp_attr_int(n, "softmax_precision");
    int type = shp_in_dtype(n, 0);
    shp_fact score = { .type = (shp_type)(shp_dtype_kind((int)precision) ? precision : type == SHP_DOUBLE ? SHP_DOUBLE : SHP_FLOAT), .shape = s, .id = n->id };
    shp_body(n, "score_mod", &score, 1, false, n->id);
    score.id++;
    shp_body(n, "prob_mod", &score, 1, false, n->id + 1);
    return shp_done(n, 4, y);
}

/* ---- around it ---- */

/* RotaryEmbedding: the shape of x. Caches are [positions, half] with position_ids, else [batch, length, half]; half of rotary_embedding_dim, or
 * of the head size. Source: ONNX RotaryEmbedding 23. */
int infer_rotary_embedding(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, 4);
    bool ids = shp_has(n, 3);
    for (uint32_t i = 1; i < 3; i++) shp_want_rank(n, i, ids ? 2 : 3, ids ? 2 : 3);
    shp_want_rank(n, 3, 2, 2);
    int64_t count = shp_attr_int(n, "num_heads"), part = shp_attr_int(n, "rotary_embedding_dim");
    if (x && x->rank == 3 && count < 1) shp_fail(n, SHP_D_ATTRIBUTE, "an input of rank 3 needs num_heads");
    if (n->failed || !x) return n->failed;
    shp_dim size = unpack(n, 0, count, "the hidden size").size;
    if (part > 0) size = num(n, part);
    shp_dim half = n->failed ? 0 : shp_whole_div(n, size, 2, part > 0 ? "rotary_embedding_dim" : "the head size");
    for (uint32_t i = 1; i < 3 && !n->failed; i++) {
        const shp_shape *cache = shp_in_shape(n, i);
        if (cache && shp_dim_eq(n->dims, cache->dim[cache->rank - 1], half) == 0)
            shp_fail(n, SHP_D_SHAPE, "half of the rotated size is %x, but the last axis of %i is %x", half, i, cache->dim[cache->rank - 1]);
    }
    return n->failed ? (int)n->failed : shp_out_same(n, 0, 0);
}

/* CausalConvWithState: the input's shape; the state keeps the last kernel - 1 positions. Source: ONNX CausalConvWithState 27. */
int infer_causal_conv(shp_node *n)
{
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2) shp_want_rank(n, i, 3, 3);
    if (n->failed) return n->failed;
    shp_dim one = num(n, 1), k = shp_want_dim(n, 1, 2, 0, "");
    if (k && shp_dim_hi(n->dims, k) < 1) return shp_fail(n, SHP_D_SHAPE, "the kernel of %i is empty", (uint32_t)1);
    shp_want_dim(n, 1, 1, one, "a depthwise kernel's second size");
    shp_dim batch = shp_want_dim(n, 3, 0, shp_want_dim(n, 0, 0, 0, ""), "the batch");
    shp_dim c = shp_want_dim(n, 3, 1, shp_want_dim(n, 0, 1, 0, ""), "the number of channels");
    c = shp_want_vector(n, 2, shp_want_dim(n, 1, 0, c, "the number of channels"), "the number of channels");
    shp_dim rest = shp_want_dim(n, 3, 2, sub(n, k, one), "the kernel size less 1"), y[3] = { batch, c, shp_want_dim(n, 0, 2, 0, "") };
    if (n->failed) return n->failed;
    shp_settle(n, y, 2, 0);
    shp_dim state[3] = { y[0], y[1], rest };
    shp_out(n, 1, 3, state);
    return shp_out(n, 0, 3, y);
}

/* Decay and beta go with the rule that uses them. */
static int check_update(shp_node *n)
{
    static const struct { const char *name; bool decay, beta; } rule[] = {
        { "linear", false, false }, { "gated", true, false }, { "delta", false, true }, { "gated_delta", true, true } };
    shp_str name = shp_attr_str(n, "update_rule");
    for (int i = 0; i < 4; i++) {
        if (!shp_str_is(name, rule[i].name)) continue;
        if (shp_has(n, 4) != rule[i].decay || shp_has(n, 5) != rule[i].beta)
            return shp_fail(n, SHP_D_ARITY, "update_rule %n takes %s decay and %s beta", name, rule[i].decay ? "a" : "no", rule[i].beta ? "a" : "no");
        return SHP_OK;
    }
    return shp_fail(n, SHP_D_ATTRIBUTE, "update_rule \"%n\" is none of linear, gated, delta, gated_delta", name);
}

/* LinearAttention: inputs [batch, length, heads * size], the state [batch, key and value heads, key size, value size]; a state that
 * starts here has the query's type.
 * Source: ONNX LinearAttention 27. */
int infer_linear_attention(shp_node *n)
{
    static const int8_t rank[] = { 3, 3, 3, 4, 3, 3 };
    if (!shp_has(n, 3)) shp_out_type(n, 1, shp_in_type(n, 0));
    for (uint32_t i = 0; i < 6; i++) shp_want_rank(n, i, rank[i], rank[i]);
    int64_t hq = shp_attr_int(n, "q_num_heads"), hkv = shp_attr_int(n, "kv_num_heads"), v;
    if (n->failed || check_update(n)) return n->failed;
    if (hq < 1 || hkv < 1 || hq % hkv)
        return shp_fail(n, SHP_D_ATTRIBUTE, "q_num_heads %d is no positive multiple of kv_num_heads %d", hq, hkv);
    heads q = unpack(n, 0, hq, "the query's size"), key = unpack(n, 1, hkv, "the key's size"), value = unpack(n, 2, hkv, "the value's size");
    shp_dim kv = num(n, hkv), size = agree(n, q.size, key.size, "head sizes of query and key");
    shp_dim batch = agree(n, agree(n, q.batch, key.batch, "batches of query and key"), value.batch, "batches of key and value");
    shp_dim length = agree(n, agree(n, q.length, key.length, "lengths of query and key"), value.length, "lengths of key and value");
    batch = shp_want_dim(n, 3, 0, batch, "the batch");
    shp_want_dim(n, 3, 1, kv, "kv_num_heads");
    size = shp_want_dim(n, 3, 2, size, "the key's head size");
    value.size = shp_want_dim(n, 3, 3, value.size, "the value's head size");
    for (uint32_t i = 4; i < 6; i++) {
        batch = shp_want_dim(n, i, 0, batch, "the batch");
        length = shp_want_dim(n, i, 1, length, "the length");
        shp_dim last = shp_want_dim(n, i, 2, 0, "");
        if (is_num(n, last, &v) && v != hkv && (i == 5 ? v != 1 : shp_dim_eq(n->dims, last, mul(n, size, kv)) == 0))
            shp_fail(n, SHP_D_SHAPE, "the last axis of %i is neither kv_num_heads nor %s", i, i == 5 ? "1" : "that times the key's head size");
    }
    if (n->failed) return n->failed;
    shp_dim state[4] = { batch, kv, size, value.size };
    shp_settle(n, state, 4, 4);
    shp_dim y[3] = { state[0], length, mul(n, num(n, hq), state[3]) };
    shp_out(n, 1, 4, state);
    return shp_out(n, 0, 3, y);
}
