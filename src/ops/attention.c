/* attention - Attention and the operators that language models put around it. */
#include "nn.h"
#include "../infer.h"

enum { C = 'C' - 'A', H = 'H' - 'A', K = 'K' - 'A', L = 'L' - 'A', N = 'N' - 'A', P = 'P' - 'A', S = 'S' - 'A', T = 'T' - 'A' };

/* ---- attention ---- */

/* Query heads, N, are a multiple of key and value heads, K. */
static int check_groups(shp_node *n, const shp_dim *size, shp_code code)
{
    int64_t a, b;
    if (is_num(n, size[N], &a) && is_num(n, size[K], &b) && (b < 1 || a % b))
        shp_fail2(n, code, "%d query heads are no multiple of %d key and value heads", a, b);
    return n->failed;
}

/* What goes together: caches in, caches out, windows. Source: ONNX Attention 23, 24 (nonpad_kv_seqlen), 25 (windows). */
static void check_attention(shp_node *n, int64_t rank)
{
    int64_t left = shp_attr_int_or(n, "left_window_size", -1), right = shp_attr_int_or(n, "right_window_size", -1);
    if (left < -1) shp_bad_attr(n, "left_window_size", left);
    if (right < -1) shp_bad_attr(n, "right_window_size", right);
    if (shp_has(n, 4) != shp_has(n, 5) || shp_wants(n, 1) != shp_wants(n, 2))
        shp_fail(n, SHP_D_ARITY, "key and value go together, past and present");
    if (shp_has(n, 6) && (shp_has(n, 4) || shp_wants(n, 1)))
        shp_fail(n, SHP_D_ARITY, "nonpad_kv_seqlen does not go with past or present");
    if (rank == 4 ? n->opset >= 25 && (shp_attr_has(n, "q_num_heads") || shp_attr_has(n, "kv_num_heads"))
                  : rank == 3 && (shp_attr_int(n, "q_num_heads") < 1 || shp_attr_int(n, "kv_num_heads") < 1))
        shp_fail1(n, SHP_D_ATTRIBUTE, "q_num_heads and kv_num_heads go with inputs of rank 3, not %d", rank);
}

/* Attention: Y is [batch, query heads, queries, value size] or, like the inputs, [batch, queries, heads * size]; present keys and values are the
 * past ones and the new ones; the product has all of them in its last axis. Source: ONNX Attention 23. */
void infer_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int rank = -1;
    for (uint32_t i = 3; i-- > 0;)
        if (shp_in_rank(n, i) >= 0) rank = shp_in_rank(n, i);
    check_attention(n, rank);
    if (shp_lay(n, rank == 4 ? "B N L H; B K S H; B K S V; ; B K P H; B K P V >"
                                : "N=q_num_heads K=kv_num_heads: B L N*H; B S K*H; B S K*V; ; B K P H; B K P V >")) return;
    if (check_groups(n, size, SHP_D_SHAPE)) return;
    size[T] = shp_has(n, 4) ? size[P] ? add(n, size[P], size[S]) : 0 : size[S];
    shp_dim scores[4] = { size['B' - 'A'], size[N], size[L], n->opset < 24 ? size[T] : 0 };     /* from 24 on a mask may end earlier */
    if (!shp_want_fits(n, 3, 4, scores)) return;
    shp_lay(n, rank == 3 ? "> B L N*V; B K T H; B K T V; B N L T" : rank < 0 ? ">; B K T H; B K T V; B N L T" : "> B N L V; B K T H; B K T V; B N L T");
}

/* FlexAttention: the same on rank 4, with bodies that map [batch, heads, queries, keys] to itself. Source: ONNX FlexAttention 1 (preview). */
void infer_flex_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    if (shp_lay(n, "B N L H; B K S H; B K S V >") || check_groups(n, size, SHP_D_SHAPE) || shp_lay(n, "> B N L V")) return;
    shp_shape *s = shp_items(n, 1, sizeof *s + 4 * sizeof *size);
    if (!s) return;
    shp_settle(n, &size[S], 1, 4);
    *s = (shp_shape){ .rank = 4 };
    s->dim[0] = size['B' - 'A'], s->dim[1] = size[N], s->dim[2] = size[L], s->dim[3] = size[S];
    int64_t precision = shp_attr_int(n, "softmax_precision");
    int type = shp_in_dtype(n, 0);
    shp_fact score = { .type = (shp_type)(shp_dtype_kind((int)precision) ? precision : type == SHP_DOUBLE ? SHP_DOUBLE : SHP_FLOAT), .shape = s, .id = n->id };
    shp_body(n, "score_mod", &score, 1, false, n->id);
    score.id++;
    shp_body(n, "prob_mod", &score, 1, false, n->id + 1);
}

/* ---- around it ---- */

/* RotaryEmbedding: the shape of x. Caches are [positions, half] with position_ids, else [batch, length, half]; half of rotary_embedding_dim, or
 * of the head size (of which only a part is used then: node tests of ONNX 1.18). Source: ONNX RotaryEmbedding 23. */
void infer_rotary_embedding(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int64_t part = shp_attr_int(n, "rotary_embedding_dim");
    bool flat = shp_in_rank(n, 0) == 3;
    shp_lay(n, shp_has(n, 3) ? "; P C; P C; B S >" : "; B S C; B S C >");
    if (shp_lay(n, flat ? "N!num_heads: B S N*H >" : "B _ S H >")) return;
    shp_dim turned = part > 0 ? num(n, part) : size[H], twice = mul(n, size[C], lit(2));
    if (shp_dim_eq(n->dims, twice, turned) == 0 && shp_dim_eq(n->dims, twice, size[H]) == 0)
        shp_fail2(n, SHP_D_SHAPE, "the last axis of %i is not half of %x", 1, turned);
    shp_out_same(n, 0, 0);
}

/* The input's shape; the state keeps the last kernel - 1 positions. Source: ONNX CausalConvWithState 27. */
void infer_causal_conv(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    shp_choice(n, "activation", "none|silu|swish");
    shp_lay(n, "B C L; C 1 K; C; B C K-1 >");
    if (size[K] && hi(n, size[K]) < 1) shp_fail1(n, SHP_D_SHAPE, "the kernel %i is empty", 1);
    shp_lay(n, "> B C L; B C K-1");
}

/* LinearAttention: inputs [batch, length, heads * size], the state [batch, key and value heads, key size, value size]; a state that starts here
 * has the query's type. Decay and beta go with the rule that uses them. Source: ONNX LinearAttention 27. */
void infer_linear_attention(shp_node *n)
{
    shp_dim *size = shp_letters(n);
    int rule = shp_choice(n, "update_rule", "linear|gated|delta|gated_delta");      /* bit 0: decay, bit 1: beta */
    if (!shp_has(n, 3)) shp_out_type(n, 1, shp_in_type(n, 0));
    if (n->failed) return;
    shp_str update = shp_attr_str(n, "update_rule");
    if (shp_has(n, 4) + 2 * shp_has(n, 5) != rule) {
        shp_failf(n, SHP_D_ARITY, "update_rule %n takes %s decay and %s beta", &update, rule & 1 ? "a" : "no", rule & 2 ? "a" : "no");
        return;
    }
    if (shp_lay(n, "N!q_num_heads K!kv_num_heads: B L N*H; B L K*H; B L K*V; B K H V; B L _; B L _ >")) return;
    check_groups(n, size, SHP_D_ATTRIBUTE);
    for (uint32_t i = 4; i < 6; i++) {
        shp_dim last = shp_want_dim(n, i, 2, 0);
        shp_dim other = i == 5 ? lit(1) : mul(n, size[H], size[K]);
        if (shp_is_num(n, last) && size[K] != last && shp_dim_eq(n->dims, last, other) == 0)
            shp_fail4(n, SHP_D_SHAPE, "axis %d of %i is neither %x nor %x", 2, i, size[K], other);
    }
    shp_lay(n, "> B L N*V; B K H V");
}
