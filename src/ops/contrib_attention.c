/* contrib_attention - attention with its caches as ONNX Runtime's fusions and model builders write it. */
#include "contrib.h"

#include "../infer.h"

int64_t shp_positive(shp_node *n, const char *name)
{
    int64_t v = shp_attr_int(n, name);
    if (v > 0 && v <= INT32_MAX) return v;
    shp_fail(n, SHP_D_ATTRIBUTE, "%s is %d", name, v);
    return 0;
}

/* The size of axis k of input i, 0 where not known. */
static shp_dim axis(shp_node *n, uint32_t i, int64_t k) { return shp_want_dim(n, i, k, 0, ""); }

static shp_dim width_of(shp_node *n, shp_dim heads, shp_dim size) { return mul(n, heads, size); }

/* Outputs 1 and 2, the caches after this step: [batch, heads, length, size]. A length that is not known is one for both. */
static void presents(shp_node *n, shp_dim batch, shp_dim heads, shp_dim length, shp_dim key_size, shp_dim value_size)
{
    if (!length) length = shp_fresh(n, 1, 2, SHP_WHY_CONTENT);
    shp_dim d[4] = { batch, heads, length, key_size };
    shp_out(n, 1, 4, d);
    d[3] = value_size;
    shp_out(n, 2, 4, d);
}

/* ---- merged projections ---- */

/* Attention, QAttention, PackedAttention, DecoderMaskedSelfAttention: x is [batch, length, inputs] (packed [tokens, inputs]), weights and bias
 * hold Q, K and V side by side, thirds unless qkv_hidden_sizes says. The caches are one tensor [2, batch, heads, length, size] that grows
 * by the input's length, unless past and present share it. ia: the input `past` (SHP_NONE: none). */
static int merged(shp_node *n, int64_t rank, uint32_t ia)
{
    const shp_shape *x = shp_want_rank(n, 0, rank, rank);
    shp_want_rank(n, 1, 2, 2);
    shp_want_rank(n, ia, 5, 5);
    int64_t heads = shp_positive(n, "num_heads");
    const int64_t *sizes = shp_want_ints(n, "qkv_hidden_sizes", 3, 1, NULL);
    if (n->failed) return n->failed;
    shp_want_dim(n, 1, 0, x ? x->dim[rank - 1] : 0, "the input's width");
    shp_dim all = shp_want_vector(n, 2, axis(n, 1, 1), "the projections' width");
    if (sizes) shp_want_vector(n, 2, add(n, add(n, num(n, sizes[0]), num(n, sizes[1])), num(n, sizes[2])), "the sum of qkv_hidden_sizes");
    shp_dim v = sizes ? num(n, sizes[2]) : shp_whole_div(n, all, 3, "the projections' width");
    shp_dim batch = x ? x->dim[0] : 0, length = x ? x->dim[rank - 2] : 0, size = n->failed ? 0 : shp_whole_div(n, v, heads, "the hidden size");
    if (n->failed) return n->failed;
    if (shp_wants(n, 1)) {
        shp_dim past = axis(n, ia, 3), count = num(n, heads);
        if (shp_attr_int(n, "past_present_share_buffer")) length = past;
        else if (shp_has(n, ia)) length = add(n, past, length);
        shp_dim d[5] = { shp_want_dim(n, ia, 0, num(n, 2), "keys and values"), shp_want_dim(n, ia, 1, batch, "the batch"),
                         shp_want_dim(n, ia, 2, count, "num_heads"), length, shp_want_dim(n, ia, 4, size, "the head size") };
        if (n->failed) return n->failed;
        shp_out(n, 1, 5, d);
    }
    shp_dim y[3] = { batch, x ? x->dim[1] : 0, 0 };
    y[rank - 1] = v;
    return shp_out(n, 0, rank, y);
}

int infer_ms_attention(shp_node *n) { return merged(n, 3, 4); }     /* DecoderMaskedSelfAttention, too */
int infer_qattention(shp_node *n) { return merged(n, 3, 8); }
int infer_packed_attention(shp_node *n) { return merged(n, 2, SHP_NONE); }

/* ---- separate queries, keys and values ---- */

typedef struct heads { shp_dim batch, length, width, key_size, value_size, kv; } heads;

/* What keys and values say: [batch, length, width], [batch, heads, length, size] (as they stand in a cache), or packed [batch, length, heads, 2, size]. */
static void keys_and_values(shp_node *n, heads *h, int64_t count)
{
    const shp_shape *k = shp_in_shape(n, 1), *v = shp_in_shape(n, 2);
    if (k) {
        h->batch = shp_want_dim(n, 1, 0, h->batch, "the batch");
        h->kv = k->dim[k->rank == 4 ? 2 : 1];
        h->key_size = k->rank == 3 ? shp_whole_div(n, k->dim[2], count, "the key's width") : k->dim[k->rank - 1];
    }
    if (k && k->rank == 5) h->value_size = h->key_size;
    if (v) {
        h->kv = shp_want_dim(n, 2, v->rank == 4 ? 2 : 1, h->kv, "the length of the keys");
        h->value_size = v->rank == 4 ? v->dim[3] : shp_whole_div(n, v->dim[2], count, "the value's width");
    }
    h->width = v && v->rank == 3 ? v->dim[2] : h->value_size ? width_of(n, num(n, count), h->value_size) : 0;
}

/* MultiHeadAttention and its decoder forms: [batch, queries, the values' width]; caches hold the past's and the new keys, unless past and present
 * share one buffer. ia: past_key, followed by past_value. packed: a query alone holds all three side by side, or as [batch, length, heads, 3, size]. */
static int multi_head(shp_node *n, uint32_t ia, bool shared)
{
    const shp_shape *q = shp_want_rank(n, 0, 3, 5);
    shp_want_rank(n, 1, 3, 5);
    shp_want_rank(n, 2, 3, 4);
    for (uint32_t i = ia; i < ia + 2; i++) shp_want_rank(n, i, 4, 4);
    int64_t count = shp_positive(n, "num_heads");
    if (n->failed) return n->failed;
    heads h = { .batch = q ? q->dim[0] : 0, .length = q ? q->dim[1] : 0 };
    shp_dim all = num(n, count);
    if (q && q->rank == 5) {
        shp_want_dim(n, 0, 2, all, "num_heads");
        shp_want_dim(n, 0, 3, num(n, 3), "queries, keys and values");
        h.kv = h.length;
        h.key_size = h.value_size = q->dim[4];
        h.width = width_of(n, all, q->dim[4]);
    } else if (!shp_has(n, 1)) {
        h.kv = h.length;
        h.width = q ? shp_whole_div(n, q->dim[2], 3, "the query's width") : 0;
        h.key_size = h.value_size = shp_whole_div(n, h.width, count, "the hidden size");
    } else keys_and_values(n, &h, count);
    shp_dim past = shp_want_dim(n, ia + 1, 2, axis(n, ia, 2), "the past of the keys");
    shp_dim total = shared ? past : shp_has(n, ia) ? past ? add(n, past, h.kv) : 0 : h.kv;
    for (uint32_t i = ia; i < ia + 2; i++) {
        h.batch = shp_want_dim(n, i, 0, h.batch, "the batch");
        shp_want_dim(n, i, 1, all, "num_heads");
    }
    h.key_size = shp_want_dim(n, ia, 3, h.key_size, "the key's head size");
    h.value_size = shp_want_dim(n, ia + 1, 3, h.value_size, "the value's head size");
    if (n->failed) return n->failed;
    presents(n, h.batch, all, total, h.key_size, h.value_size);
    shp_dim product[4] = { h.batch, all, h.length, shared ? 0 : total }, y[3] = { h.batch, h.length, h.width };
    if (shp_in_dtype(n, 0) == SHP_FLOAT) shp_out_type(n, 3, SHP_FLOAT);
    shp_out(n, 3, 4, product);
    return shp_out(n, 0, 3, y);
}

int infer_multi_head_attention(shp_node *n) { return multi_head(n, 6, shp_has(n, 6) && shp_has(n, 8)); }
int infer_decoder_masked_mha(shp_node *n) { return multi_head(n, 5, shp_attr_int(n, "past_present_share_buffer") != 0); }

/* PackedMultiHeadAttention: tokens of all sequences together, [tokens, width] or packed [tokens, heads, 3, size]. */
int infer_packed_mha(shp_node *n)
{
    const shp_shape *q = shp_want_rank(n, 0, 2, 4);
    shp_want_rank(n, 2, 2, 2);
    if (n->failed) return n->failed;
    bool packed = q && q->rank == 4;
    shp_dim y[2] = { shp_want_dim(n, 2, 0, q ? q->dim[0] : 0, "the number of tokens"),
                     packed ? mul(n, q->dim[1], q->dim[3]) : axis(n, 2, 1) };
    return shp_done(n, 2, y);
}

/* ---- grouped queries ---- */

/* Query (packed with keys and values where these are absent) to output: its width. *size: of a head. */
static shp_dim grouped_width(shp_node *n, int64_t count, int64_t kv, bool packed, shp_dim width, shp_dim *size)
{
    *size = shp_whole_div(n, width, packed ? count + 2 * kv : count, "the query's width");
    return packed || !width ? mul(n, *size, num(n, count)) : width;
}

/* GroupQueryAttention and SparseAttention: [batch, length, num_heads * size], and caches [batch, kv_num_heads, length, size] as long as the past
 * ones or (grows) the total, whatever is more. it: the input total_sequence_length. The product has the total in its last axis. */
static int grouped(shp_node *n, uint32_t it, bool grows)
{
    const shp_shape *q = shp_want_rank(n, 0, 3, 3);
    for (uint32_t i = 3; i < 5; i++) shp_want_rank(n, i, 4, 4);
    int64_t count = shp_positive(n, "num_heads"), kv = shp_positive(n, "kv_num_heads");
    if (!n->failed && count % kv) shp_fail(n, SHP_D_ATTRIBUTE, "num_heads %d is no multiple of kv_num_heads %d", count, kv);
    if (n->failed) return n->failed;
    bool plain = !shp_has(n, 3) || shp_in_type(n, 3) == shp_in_type(n, 0);      /* else the cache may be packed, two in a byte */
    shp_dim size, width = grouped_width(n, count, kv, !shp_has(n, 1), q ? q->dim[2] : 0, &size), batch = q ? q->dim[0] : 0, length = q ? q->dim[1] : 0;
    shp_dim total = shp_in_scalar(n, it), past = axis(n, 3, 2), keep = past, cached = num(n, kv);
    if (grows) keep = !shp_has(n, 3) ? total : past && total ? dim_max(n, past, total) : 0;
    for (uint32_t i = 3; i < 5; i++) {
        batch = shp_want_dim(n, i, 0, batch, "the batch");
        shp_want_dim(n, i, 1, cached, "kv_num_heads");
        if (plain) size = shp_want_dim(n, i, 3, size, "the head size");
        if (!shp_has(n, i)) shp_out_type(n, i - 2, shp_in_type(n, 0));
    }
    if (n->failed) return n->failed;
    presents(n, batch, cached, keep, plain ? size : axis(n, 3, 3), plain ? size : axis(n, 4, 3));
    shp_dim product[4] = { batch, num(n, count), length, total };
    shp_dim y[3] = { batch, length, width ? width : mul(n, size, num(n, count)) };
    shp_out(n, 3, 4, product);
    return shp_out(n, 0, 3, y);
}

/* With sliding_window_cache the cache is a window that keeps its size. */
int infer_group_query_attention(shp_node *n) { return grouped(n, 6, shp_attr_int(n, "sliding_window_cache") != 1); }
int infer_sparse_attention(shp_node *n) { return grouped(n, 7, false); }

/* DynamicSparseAttention: the same on [batch, length, width]; how far its caches grow, runtimes decide. */
int infer_dynamic_sparse_attention(shp_node *n)
{
    const shp_shape *q = shp_want_rank(n, 0, 3, 3);
    int64_t count = shp_positive(n, "num_heads"), kv = shp_positive(n, "kv_num_heads");
    if (n->failed) return n->failed;
    shp_dim size, width = grouped_width(n, count, kv, !shp_has(n, 1), q ? q->dim[2] : 0, &size), batch = q ? q->dim[0] : 0;
    presents(n, batch, num(n, kv), 0, size, size);
    shp_out_type(n, 0, shp_attr_int(n, "output_bf16") ? SHP_BFLOAT16 : shp_in_type(n, 0));
    for (uint32_t o = 1; o < 3; o++)
        if (!shp_has(n, 3)) shp_out_type(n, o, shp_in_type(n, 0));
    shp_dim y[3] = { batch, q ? q->dim[1] : 0, width };
    return shp_done(n, 3, y);
}

/* PagedAttention, SparsePagedAttention: tokens of all sequences, [tokens, width]; the paged caches are changed in place. */
int infer_paged_attention(shp_node *n)
{
    const shp_shape *q = shp_want_rank(n, 0, 2, 2);
    int64_t count = shp_positive(n, "num_heads"), kv = shp_positive(n, "kv_num_heads"), v = shp_attr_int(n, "v_head_size");
    if (n->failed) return n->failed;
    bool packed = !shp_has(n, 1);
    shp_dim size, width = grouped_width(n, count, kv, packed, q ? q->dim[1] : 0, &size);
    if (v > 0) width = mul(n, num(n, count), num(n, v));
    shp_out_same(n, 1, 3);
    shp_out_same(n, 2, 4);
    shp_dim y[2] = { q ? q->dim[0] : 0, width };
    return shp_done(n, 2, y);
}

/* ---- recurrences ---- */

/* A state [batch, …], or with state_window [window, batch, …], as output 1; it has the shape of input `past`. */
static int state_out(shp_node *n, uint32_t past, int64_t rank, shp_dim *d)
{
    int64_t window = shp_attr_int(n, "state_window");
    if (window > 0) {
        for (int64_t k = rank++; k > 0; k--) d[k] = d[k - 1];
        d[0] = num(n, window);
    }
    shp_want_rank(n, past, rank, rank);
    for (int64_t k = 0; k < rank && !n->failed; k++) d[k] = shp_want_dim(n, past, k, d[k], "the state's size");
    return n->failed ? (int)n->failed : shp_out(n, 1, rank, d);
}

/* LinearAttention: output [batch, length, heads * value size], where the more numerous of query and key heads count; state [batch, key heads, key size,
 * value size]. */
int infer_ms_linear_attention(shp_node *n)
{
    int64_t hq = shp_positive(n, "q_num_heads"), hkv = shp_positive(n, "kv_num_heads");
    const shp_shape *q = shp_want_rank(n, 0, 3, 3);
    for (uint32_t i = 1; i < 3; i++) shp_want_rank(n, i, 3, 3);
    if (n->failed) return n->failed;
    shp_dim batch = q ? q->dim[0] : 0, length = q ? q->dim[1] : 0;
    for (uint32_t i = 1; i < 6; i++) {
        if (i == 3) continue;
        batch = shp_want_dim(n, i, 0, batch, "the batch");
        length = shp_want_dim(n, i, 1, length, "the length");
    }
    shp_dim dk = q ? shp_whole_div(n, q->dim[2], hq, "the query's width") : 0, wide = axis(n, 2, 2), dv = wide ? shp_whole_div(n, wide, hkv, "the value's width") : 0;
    if (n->failed) return n->failed;
    shp_dim state[5] = { batch, num(n, hkv), dk, dv };
    if (!shp_has(n, 3)) shp_out_type(n, 1, shp_in_type(n, 0));
    if (state_out(n, 3, 4, state)) return n->failed;
    shp_dim y[3] = { batch, length, mul(n, num(n, hq > hkv ? hq : hkv), dv) };
    return shp_out(n, 0, 3, y);
}

/* CausalConvWithState: the input's shape (its last axis input_channels where that is given). The state holds the (kernel - 1) * dilation positions
 * before, or state_length, along the causal axis: [batch, channels, state], with more spatial axes as the past state has them. */
int infer_ms_causal_conv(shp_node *n)
{
    const shp_shape *x = shp_want_rank(n, 0, 3, SHP_RANK_MAX), *w = shp_want_rank(n, 1, 3, 5);
    if (n->failed) return n->failed;
    int64_t part = shp_attr_int(n, "input_channels"), given = shp_attr_int(n, "state_length"), order = shp_attr_int_or(n, "state_channels_last", -1),
            slots = shp_attr_int(n, "state_update_capacity"), ndim = shp_attr_int_or(n, "ndim", 1);
    bool last = shp_attr_int(n, "channels_last") != 0, state_last = order < 0 ? last : order != 0;
    shp_dim batch = x ? x->dim[0] : 0, c = w ? w->dim[0] : 0, d[SHP_RANK_MAX + 1];
    shp_dim step = num(n, shp_attr_int_or(n, "dilation", 1)), keep = w ? mul(n, sub(n, w->dim[w->rank - 1], num(n, 1)), step) : 0;
    if (given > 0) keep = num(n, given);
    shp_dim update[3] = { batch, num(n, slots), c };
    shp_out(n, 2, 3, update);
    if (x) {
        for (int32_t k = 0; k < x->rank; k++) d[k] = x->dim[k];
        if (part > 0) d[x->rank - 1] = num(n, part);
        shp_out(n, 0, x->rank, d);
    }
    int64_t rank = x ? x->rank : 3;
    if (x && last && state_last) d[1] = keep;
    else if (x && !last && ndim > 1) d[rank - 1] = keep;
    else if (rank == 3) d[0] = batch, d[state_last ? 2 : 1] = c, d[state_last ? 1 : 2] = keep;
    else return n->failed;
    return x || ndim == 1 ? state_out(n, 3, rank, d) : SHP_OK;
}

/* GatedDeltaNet: token-major [tokens, heads, size] (or [batch, length, heads, size]); the output is like the values. Without keys and values the query holds
 * all of them, and the state tells the sizes. The state is [batch, value heads, value size, key size]. */
int infer_gated_delta_net(shp_node *n)
{
    int packed = !shp_has(n, 1);
    const shp_shape *q = shp_want_rank(n, 0, 3 - packed, 4 - packed), *v = shp_want_rank(n, 2, 3, 4);
    shp_want_rank(n, 6, 4, 4);
    if (n->failed) return n->failed;
    int64_t lead = v ? v->rank - 2 : q ? q->rank - 2 + packed : -1;
    shp_dim hv = axis(n, 6, 1), dv = axis(n, 6, 2), dk = axis(n, 6, 3), starts = axis(n, 3, 0), hk = axis(n, 1, lead), y[4];
    if (v) hv = shp_want_dim(n, 6, 1, v->dim[lead], "the number of value heads"), dv = shp_want_dim(n, 6, 2, v->dim[lead + 1], "the value size");
    if (q && !packed) dk = shp_want_dim(n, 6, 3, q->dim[q->rank - 1], "the key size");
    shp_dim batch = shp_want_dim(n, 6, 0, starts ? sub(n, starts, num(n, 1)) : 0, "the batch"), state[4] = { batch, hv, dv, dk };
    if (n->failed) return n->failed;
    int decay = shp_in_rank(n, 4);
    shp_dim factors = decay < 0 || lead < 0 ? 0 : add(n, decay == lead + 1 ? hv : mul(n, hv, dk), add(n, mul(n, hk, dk), mul(n, hv, dv)));
    shp_dim update[2] = { batch, mul(n, num(n, shp_attr_int(n, "state_update_capacity")), factors) };
    shp_out(n, 1, 4, state);
    shp_out(n, 2, 2, update);
    if (lead < 1) return SHP_OK;
    for (int64_t k = 0; k < lead; k++) y[k] = q ? q->dim[k] : v->dim[k];
    y[lead] = hv;
    y[lead + 1] = dv;
    return shp_out(n, 0, lead + 2, y);
}

/* ---- selection for sparse attention ---- */

/* How many entries a query selects: token_budget and what one block lacks (qsa), or index_topk (csa). */
static shp_dim selected(shp_node *n)
{
    if (shp_str_is(shp_attr_str(n, "policy_mode"), "csa")) return num(n, shp_attr_int(n, "index_topk"));
    return sub(n, add(n, num(n, shp_attr_int(n, "token_budget")), num(n, shp_attr_int(n, "compress_ratio"))), num(n, 1));
}

/* SparseAttentionIndexer: entries a query, and the key cache: of one size where past_sequence_length says what of it is used, else (qsa) longer by the
 * new tokens. Source: as above. */
int infer_sparse_indexer(shp_node *n)
{
    const shp_shape *q = shp_want_rank(n, 0, 3, 3), *past = shp_want_rank(n, 7, 3, 3);
    if (n->failed) return n->failed;
    shp_dim y[3] = { q ? q->dim[0] : 0, q ? q->dim[1] : 0, selected(n) };
    bool qsa = shp_str_is(shp_attr_str(n, "policy_mode"), "qsa");
    shp_dim key[3] = { y[0], past && q && qsa ? add(n, past->dim[1], q->dim[1]) : 0, past ? past->dim[2] : 0 };
    if (shp_has(n, 12)) shp_out_same(n, 1, 7);
    else shp_out(n, 1, 3, key);
    shp_dim buffer[4] = { num(n, 2), y[0], 0, axis(n, 13, 3) };
    shp_out(n, 2, 4, buffer);
    return shp_out(n, 0, 3, y);
}

/* PackedSparseAttentionIndexer: tokens of all sequences; state of fixed size. */
int infer_packed_sparse_indexer(shp_node *n)
{
    const shp_shape *q = shp_want_rank(n, 0, 2, 2);
    if (n->failed) return n->failed;
    shp_dim batch = shp_want_vector(n, 7, axis(n, 12, 0), "the batch");
    shp_dim y[2] = { q ? q->dim[0] : 0, shp_attr_has(n, "max_output_entries") ? 0 : selected(n) };
    shp_dim update[3] = { batch, num(n, shp_attr_int(n, "state_update_capacity")), axis(n, 12, 2) };
    shp_out(n, 0, 2, y);
    shp_out(n, 1, 1, y);
    for (uint32_t i = 0; i < 4; i++) shp_out_same(n, 2 + i, 12 + i);
    shp_out(n, 6, 3, update);
    shp_out(n, 7, 1, y);
    return n->failed ? (int)n->failed : shp_out(n, 8, 1, &batch);
}
