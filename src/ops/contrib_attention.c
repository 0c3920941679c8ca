/* contrib_attention - attention with its caches as ONNX Runtime's fusions and model builders write it. */
#include "contrib.h"

/* The size of axis k of input i, 0 where not known. */
static shp_dim axis(shp_node *n, uint32_t i, int64_t k) { return shp_want_dim(n, i, k, 0); }

enum { A = 0, C = 'C' - 'A', D = 'D' - 'A', F = 'F' - 'A', H = 'H' - 'A', K = 'K' - 'A', L = 'L' - 'A', M = 'M' - 'A', P = 'P' - 'A', Q = 'Q' - 'A', S = 'S' - 'A', T = 'T' - 'A',
       U = 'U' - 'A', V = 'V' - 'A', W = 'W' - 'A' };

/* ---- merged projections ---- */

/* Attention, QAttention, PackedAttention, DecoderMaskedSelfAttention: x is [batch, length, inputs] (packed [tokens, inputs]), weights and bias
 * hold Q, K and V side by side, thirds unless qkv_hidden_sizes says. The caches are one tensor [2, batch, heads, length, size] that grows
 * by the input's length, unless past and present share it. past: the pattern of that input, number `ia` (NULL: none). */
static void merged(shp_node *n, uint32_t ia, const char *past)
{
    const int64_t *sizes = shp_want_ints(n, "qkv_hidden_sizes", 3, 1, NULL);
    shp_dim *size = shp_letters(n);
    if (sizes) size[A] = add(n, add(n, num(n, sizes[0]), num(n, sizes[1])), num(n, sizes[2]));
    shp_lay(n, past ? "H!num_heads: N S I; I A; A >" : "H!num_heads: S I; I A; A >");
    size[V] = sizes ? num(n, sizes[2]) : shp_whole_div(n, size[A], 3);
    size[D] = shp_whole_div(n, size[V], shp_attr_int(n, "num_heads"));
    if (!past) { shp_lay(n, "> S V"); return; }
    shp_lay(n, past);
    size[T] = shp_attr_int(n, "past_present_share_buffer") ? size[P] : shp_has(n, ia) ? add(n, size[P], size[S]) : size[S];
    shp_lay(n, "> N S V; 2 N H T D");
}

void infer_ms_attention(shp_node *n) { merged(n, 4, "; ; ; ; 2 N H P D >"); }     /* DecoderMaskedSelfAttention, too */
void infer_qattention(shp_node *n) { merged(n, 8, "; ; ; ; ; ; ; ; 2 N H P D >"); }
void infer_packed_attention(shp_node *n) { merged(n, SHP_NONE, NULL); }

/* ---- separate queries, keys and values ---- */

/* MultiHeadAttention and its decoder forms: [batch, queries, the values' width]; caches hold the past's and the new keys, unless past and present
 * share one buffer. Keys and values are [batch, length, width], [batch, heads, length, size] (as they stand in a cache), or packed [batch, length,
 * heads, 2, size]; a query alone holds all three side by side, or as [batch, length, heads, 3, size]. past: the pattern of past_key, input number
 * `ia`, and past_value. */
static void multi_head(shp_node *n, uint32_t ia, const char *past, bool shared)
{
    const shp_shape *q = shp_in_shape(n, 0);
    shp_dim *size = shp_letters(n);
    if (shp_lay(n, "H!num_heads: N S _|N S _ _|N S H 3 D >")) return;
    if (!shp_has(n, 1) || (q && q->rank == 5)) {
        if (q && q->rank == 3) {
            size[W] = shp_whole_div(n, q->dim[2], 3);
            size[D] = shp_whole_div(n, size[W], shp_attr_int(n, "num_heads"));
        }
        size[L] = size[S];
        size[V] = size[D];
    } else shp_lay(n, "; N L H*D|N H L D|N L H 2 D=V; N L W=H*V|N H L V >");
    shp_lay(n, past);
    size[T] = shared ? size[P] : shp_has(n, ia) ? add(n, size[P], size[L]) : size[L];
    if (shp_in_dtype(n, 0) == SHP_FLOAT) shp_out_type(n, 3, SHP_FLOAT);
    shp_lay(n, shared ? "> N S W=H*V; N H T D; N H T V; N H S _" : "> N S W=H*V; N H T D; N H T V; N H S T");
}

void infer_multi_head_attention(shp_node *n) { multi_head(n, 6, "; ; ; ; ; ; N H P D; N H P V >", shp_has(n, 6) && shp_has(n, 8)); }
void infer_decoder_masked_mha(shp_node *n) { multi_head(n, 5, "; ; ; ; ; N H P D; N H P V >", shp_attr_int(n, "past_present_share_buffer") != 0); }

/* PackedMultiHeadAttention: tokens of all sequences together, [tokens, width] or packed [tokens, heads, 3, size]. */
void infer_packed_mha(shp_node *n) { shp_patterns(n, shp_in_rank(n, 0) == 4 ? "T H _ D; ; T _ > T H*D" : "T _|T _ _; ; T W > T W"); }

/* ---- grouped queries ---- */

/* What all have: heads, and a query of that pattern, packed with keys and values where these are absent. */
static int grouped(shp_node *n, const char *plain, const char *packed, shp_dim *size)
{
    int64_t heads = shp_positive(n, "num_heads", 0), kv = shp_positive(n, "kv_num_heads", 0);
    size[C] = num(n, heads);
    size[K] = num(n, kv);
    size[A] = num(n, heads + 2 * kv);
    return shp_lay(n, shp_has(n, 1) ? plain : packed);
}

/* GroupQueryAttention and SparseAttention: [batch, length, num_heads * size], and caches [batch, kv_num_heads, length, size] as long as the past
 * ones or (grows) the total, whatever is more. it: the input total_sequence_length. The product has the total in its last axis. */
static void cached(shp_node *n, uint32_t it, bool grows)
{
    shp_dim *size = shp_letters(n);
    int64_t heads = shp_attr_int(n, "num_heads"), kv = shp_attr_int(n, "kv_num_heads");
    if (kv > 0 && heads % kv) shp_fail2(n, SHP_D_ATTRIBUTE, "%d query heads are no multiple of %d key and value heads", heads, kv);
    bool plain = !shp_has(n, 3) || shp_in_type(n, 3) == shp_in_type(n, 0);      /* else the cache may be packed, two in a byte */
    grouped(n, "N S W=C*D >", "N S A*D >", size);
    shp_lay(n, plain ? "; ; ; N K P D; N K _ D >" : "; ; ; N K P E; N K _ F >");
    size[L] = shp_in_scalar(n, it);
    size[T] = !grows ? size[P] : !shp_has(n, 3) ? size[L] : size[P] && size[L] ? dim_max(n, size[P], size[L]) : 0;
    for (uint32_t i = 3; i < 5; i++)
        if (!shp_has(n, i)) shp_out_type(n, i - 2, shp_in_type(n, 0));
    shp_lay(n, plain ? "> N S W=C*D; N K T D; N K T D; N C S L" : "> N S W=C*D; N K T E; N K T F; N C S L");
}

/* With sliding_window_cache the cache is a window that keeps its size. */
void infer_group_query_attention(shp_node *n) { cached(n, 6, shp_attr_int(n, "sliding_window_cache") != 1); }
void infer_sparse_attention(shp_node *n) { cached(n, 7, false); }

/* DynamicSparseAttention: the same on [batch, length, width]; how far its caches grow, runtimes decide. */
void infer_dynamic_sparse_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    grouped(n, "N S W=C*D >", "N S A*D >", size);
    shp_out_type(n, 0, shp_attr_int(n, "output_bf16") ? SHP_BFLOAT16 : shp_in_type(n, 0));
    for (uint32_t o = 1; o < 3; o++)
        if (!shp_has(n, 3)) shp_out_type(n, o, shp_in_type(n, 0));
    shp_lay(n, "> N S W=C*D; N K T D; N K T D");
}

/* PagedAttention, SparsePagedAttention: tokens of all sequences, [tokens, width]; the paged caches are changed in place. */
void infer_paged_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int64_t v = shp_attr_int(n, "v_head_size");
    grouped(n, "S W=C*D >", "S A*D >", size);
    if (v > 0) size[W] = mul(n, size[C], num(n, v));
    shp_out_same(n, 1, 3);
    shp_out_same(n, 2, 4);
    shp_lay(n, "> S W=C*D");
}

/* ---- recurrences ---- */

/* A state [batch, …], or with state_window [window, batch, …], as output 1; it has the shape of input `past`. */
static void state_out(shp_node *n, uint32_t past, int64_t rank, shp_dim *d)
{
    int64_t window = shp_attr_int(n, "state_window");
    if (window > 0) {
        for (int64_t k = rank++; k > 0; k--) d[k] = d[k - 1];
        d[0] = num(n, window);
    }
    shp_want_rank(n, past, rank, rank);
    for (int64_t k = 0; k < rank && !n->failed; k++) d[k] = shp_want_dim(n, past, k, d[k]);
    if (!n->failed) shp_out(n, 1, rank, d);
}

/* LinearAttention: output [batch, length, heads * value size], where the more numerous of query and key heads count; state [batch, key heads, key size,
 * value size], one for each place of a state_window. */
void infer_ms_linear_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int64_t hq = shp_attr_int(n, "q_num_heads"), hkv = shp_attr_int(n, "kv_num_heads");
    shp_lay(n, "Q!q_num_heads G!kv_num_heads W=state_window: N S Q*K; N S _; N S G*V; ; N S|N S _|N S _ _; N S|N S _|N S _ _ >");
    size[M] = num(n, hq > hkv ? hq : hkv);
    if (!shp_has(n, 3)) shp_out_type(n, 1, shp_in_type(n, 0));
    shp_lay(n, size[W] ? "; ; ; W N G K V > N S M*V; W N G K V" : "; ; ; N G K V > N S M*V; N G K V");
}

/* CausalConvWithState: the input's shape (its last axis input_channels where that is given). The state holds the (kernel - 1) * dilation positions
 * before, or state_length, along the causal axis: [batch, channels, state], with more spatial axes as the past state has them. */
void infer_ms_causal_conv(shp_node *n)
{
    int64_t part = shp_attr_int(n, "input_channels"), given = shp_attr_int(n, "state_length"), order = shp_attr_int_or(n, "state_channels_last", -1),
            slots = shp_attr_int(n, "state_update_capacity"), ndim = shp_attr_int_or(n, "ndim", 1);
    bool last = shp_attr_int(n, "channels_last") != 0, state_last = order < 0 ? last : order != 0;
    if (ndim < 1 || ndim > 3) { shp_bad_attr(n, "ndim", ndim); return; }
    const shp_shape *x = shp_want_rank(n, 0, last ? 3 : ndim + 2, last ? SHP_RANK_MAX : ndim + 2), *w = shp_want_rank(n, 1, ndim + 2, ndim + 2);
    if (n->failed) return;
    shp_dim batch = x ? x->dim[0] : 0, c = w ? w->dim[0] : 0, d[SHP_RANK_MAX + 1];
    shp_dim step = num(n, shp_attr_int_or(n, "dilation", 1)), keep = w ? mul(n, sub(n, w->dim[w->rank - 1], lit(1)), step) : 0;
    if (given > 0) keep = num(n, given);
    shp_dim update[3] = { batch, num(n, slots), c };
    shp_out(n, 2, 3, update);
    if (x) {
        for (int32_t k = 0; k < x->rank; k++) d[k] = x->dim[k];
        if (part > 0) d[x->rank - 1] = num(n, part);
        shp_out(n, 0, x->rank, d);
    }
    if (!x && (last || ndim > 1)) return;           /* of any rank */
    int64_t rank = x ? x->rank : 3;
    if (last && state_last) d[1] = keep;
    else if (!last && ndim > 1) d[rank - 1] = keep;
    else if (rank == 3) d[0] = batch, d[state_last ? 2 : 1] = c, d[state_last ? 1 : 2] = keep;
    else return;
    state_out(n, 3, rank, d);
}

/* GatedDeltaNet: token-major [tokens, heads, size] (or [batch, length, heads, size]); the output is like the values, with the query's heads where
 * those are more. Without keys and values the query holds all of them, and the state tells the sizes. The state is [batch, value heads, value size, key size]. */
void infer_gated_delta_net(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int packed = !shp_has(n, 1), q = shp_in_rank(n, 0), v = shp_in_rank(n, 2), lead = v >= 0 ? v - 2 : q >= 0 ? q - 2 + packed : -1;
    shp_want_rank(n, 0, 3 - packed, 4 - packed);
    shp_want_rank(n, 2, 3, 4);
    size[Q] = dim_max(n, axis(n, 0, q - 2), axis(n, 2, lead));
    if (shp_lay(n, packed ? ". _; ; ; N+1; ; ; N H V K > . H V; N H V K" : ". _ K; ; . H V; N+1; ; ; N H V K > . Q V; N H V K")) return;
    int decay = shp_has(n, 4) ? shp_in_rank(n, 4) : lead + 1;       /* one for each head, or for each of its keys */
    shp_dim square = mul(n, size[H], size[K]), factors = add(n, decay == lead + 1 ? size[H] : square, add(n, mul(n, axis(n, 1, lead), size[K]), mul(n, size[H], size[V])));
    size[F] = decay < 0 || lead < 0 ? 0 : mul(n, num(n, shp_attr_int(n, "state_update_capacity")), factors);
    shp_lay(n, ">; ; N F");
}

/* ---- selection for sparse attention ---- */

/* How many entries a query selects: token_budget and what one block lacks (qsa), or index_topk (csa). */
static shp_dim selected(shp_node *n)
{
    if (shp_str_is(shp_attr_str(n, "policy_mode"), "csa")) return num(n, shp_attr_int(n, "index_topk"));
    return sub(n, add(n, num(n, shp_attr_int(n, "token_budget")), num(n, shp_attr_int(n, "compress_ratio"))), lit(1));
}

/* SparseAttentionIndexer: entries a query, and the key cache: of one size where past_sequence_length says what of it is used, else (qsa) longer by the
 * new tokens. Source: as above. */
void infer_sparse_indexer(shp_node *n)
{
    shp_letters(n)[C] = selected(n);
    if (shp_lay(n, "N S _; ; ; ; ; ; ; B P E; ; ; ; ; ; _ _ _ F >")) return;
    shp_lay(n, shp_has(n, 12) ? "> N S C; B P E; 2 N _ F" : shp_str_is(shp_attr_str(n, "policy_mode"), "qsa") ? "> N S C; N P+S E; 2 N _ F" : "> N S C; N _ E; 2 N _ F");
}

/* PackedSparseAttentionIndexer: tokens of all sequences; state of fixed size. */
void infer_packed_sparse_indexer(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    if (!shp_attr_has(n, "max_output_entries")) size[C] = selected(n);
    size[M] = axis(n, 12, 2);
    size[U] = num(n, shp_attr_int(n, "state_update_capacity"));
    for (uint32_t i = 0; i < 4; i++) shp_out_same(n, 2 + i, 12 + i);
    size['N' - 'A'] = axis(n, 12, 0);
    shp_lay(n, "T _; ; ; ; ; ; ; N > T C; T; ; ; ; ; N U M; T; N");
}
