/* contrib_pattern - operators whose shapes are sizes named once and used again: the language that says so (contrib.h), and a line for each. */
#include "contrib.h"

#include <string.h>

typedef struct pattern {
    shp_node *n;
    shp_dim letter[26];
    int32_t lead;                   /* axes of '.'; -1 not known yet */
    shp_dim dim[SHP_RANK_MAX];      /* their sizes */
} pattern;

/* ---- reading ---- */

static bool is_letter(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool ends_word(char c) { return c == ' ' || c == ';' || c == '|' || c == '>' || c == 0; }

static const char *skip(const char *at)
{
    while (*at == ' ') at++;
    return at;
}

static const char *word_end(const char *at)
{
    while (!ends_word(*at)) at++;
    return at;
}

/* One letter or number. */
static shp_dim factor(pattern *p, const char **at)
{
    int64_t v = 0;
    if (is_letter(**at)) return p->letter[*(*at)++ - 'A'];
    if (!is_digit(**at)) { ++*at; return 0; }
    for (; is_digit(**at); ++*at) v = v * 10 + (**at - '0');
    return num(p->n, v);
}

/* The value of what stands from `at` to `end`; 0 where a letter has none. */
static shp_dim value(pattern *p, const char *at, const char *end)
{
    shp_dim a = factor(p, &at);
    while (at < end) {
        char op = *at++;
        shp_dim b = factor(p, &at);
        int64_t v;
        if (op == '*') a = mul(p->n, a, b);
        else if (op == '+') a = add(p->n, a, b);
        else if (op == '-') a = sub(p->n, a, b);
        else a = a && is_num(p->n, b, &v) && v > 0 ? shp_whole_div(p->n, a, v, "a size") : 0;
    }
    return a;
}

/* How many words a pattern has, its '.' excepted. */
static int64_t words(const char *at, bool *dot)
{
    int64_t count = 0;
    at = skip(at);
    *dot = *at == '.';
    if (*dot) at = skip(at + 1);
    for (; !ends_word(*at); at = skip(word_end(at))) count++;
    return count;
}

/* ---- inputs ---- */

/* Axis `axis` of input i has size d, and the pattern says this word. */
static void meet(pattern *p, uint32_t i, int64_t axis, shp_dim d, const char *at)
{
    shp_node *n = p->n;
    const char *end = word_end(at), *last = end - 1;
    if (*at == '_') return;
    shp_dim have = value(p, at, end);
    if (n->failed) return;
    if (have) {
        shp_dim both = shp_equal(n, d, have);
        if (!both) shp_fail(n, SHP_D_SHAPE, "axis %d of %i is not %x", axis, i, have);
        else if (last == at && is_letter(*at)) p->letter[*at - 'A'] = both;
        return;
    }
    int64_t v;
    shp_dim rest;
    if (last == at) p->letter[*at - 'A'] = d;
    else if (is_letter(*last) && !p->letter[*last - 'A'] && last[-1] == '*') {
        rest = value(p, at, last - 1);
        if (is_num(n, rest, &v)) p->letter[*last - 'A'] = shp_whole_div(n, d, v, "a size");
    } else if (is_letter(*at) && is_digit(*last) && (at[1] == '+' || at[1] == '-')) {
        rest = value(p, at + 2, end);
        p->letter[*at - 'A'] = at[1] == '+' ? sub(n, d, rest) : add(n, d, rest);
    }
}

/* Lays one pattern over input i. */
static void lay(pattern *p, uint32_t i, const shp_shape *s, const char *at, int64_t lead, bool dot)
{
    shp_node *n = p->n;
    if (dot) {
        if (p->lead >= 0 && p->lead != lead) {
            shp_fail(n, SHP_D_RANK, "%i has %d leading axes, not %d", i, lead, (int64_t)p->lead);
            return;
        }
        for (int64_t k = 0; k < lead; k++) {
            shp_dim d = p->lead < 0 ? s->dim[k] : shp_equal(n, p->dim[k], s->dim[k]);
            if (!d) shp_fail(n, SHP_D_SHAPE, "axis %d of %i is not %x", k, i, p->dim[k]);
            p->dim[k] = d;
        }
        p->lead = (int32_t)lead;
        at = skip(skip(at) + 1);
    }
    at = skip(at);
    for (int64_t k = lead; !ends_word(*at) && !n->failed; k++, at = skip(word_end(at))) meet(p, i, k, s->dim[k], at);
}

/* Finds the form that fits the rank of input i. */
static void input(pattern *p, uint32_t i, const char *at)
{
    const shp_shape *s = shp_in_shape(p->n, i);
    int64_t lo = SHP_RANK_MAX, hi = 0;
    for (bool dot; s; at++) {
        int64_t k = words(at, &dot);
        if (!k && !dot) return;
        if (dot ? s->rank >= k : s->rank == k) {
            lay(p, i, s, at, s->rank - k, dot);
            return;
        }
        if (k < lo) lo = k;
        if (dot) hi = SHP_RANK_MAX;
        else if (k > hi) hi = k;
        while (*at != '|' && *at != ';' && *at != '>') at++;
        if (*at != '|') break;
    }
    if (s) shp_want_rank(p->n, i, lo, hi);
}

/* ---- all of it ---- */

static const char *attributes(pattern *p, const char *at)
{
    for (; *at != ':'; at = skip(at)) {
        char name[40];
        size_t len = 0;
        shp_dim *to = &p->letter[*at - 'A'];
        for (at += 2; *at != ' ' && *at != ':' && len < sizeof name - 1; at++) name[len++] = *at;
        name[len] = 0;
        int64_t v = shp_attr_int(p->n, name);
        if (v > 0) *to = num(p->n, v);
    }
    return at + 1;
}

static void output(pattern *p, uint32_t o, const char *at)
{
    bool dot;
    int64_t rank = words(at, &dot), lead = dot ? p->lead : 0;
    shp_dim d[2 * SHP_RANK_MAX];
    if (lead < 0 || (!rank && !dot)) return;
    if (lead) memcpy(d, p->dim, (size_t)lead * sizeof *d);
    at = skip(at);
    if (dot) at = skip(at + 1);
    for (int64_t k = lead; !ends_word(*at); k++, at = skip(word_end(at)))
        d[k] = *at == '_' ? shp_fresh(p->n, o, (uint32_t)k, SHP_WHY_DATA) : value(p, at, word_end(at));
    if (!p->n->failed) shp_out(p->n, o, lead + rank, d);
}

int shp_patterns(shp_node *n, const char *text)
{
    pattern p;
    memset(&p, 0, sizeof p);
    p.n = n;
    p.lead = -1;
    if (strchr(text, ':')) text = attributes(&p, text);
    for (uint32_t i = 0; *text != '>' && !n->failed; i++) {
        input(&p, i, text);
        while (*text != ';' && *text != '>') text++;
        text += *text == ';';
    }
    for (uint32_t o = 0; *text && !n->failed; o++) {
        output(&p, o, ++text);
        while (*text && *text != ';') text++;
    }
    return n->failed;
}

/* ---- a line an operator ---- */

#define PATTERN(rule, text) int rule(shp_node *n) { return shp_patterns(n, text); }

PATTERN(infer_bias_add,           "N S C; C; N S C > N S C")
PATTERN(infer_bias_gelu,          ". D; D > . D")
PATTERN(infer_bias_split_gelu,    "N S D; D > N S D/2")
PATTERN(infer_cdist,              "M N; K N > M K")
PATTERN(infer_decoder_attention,  "N=num_heads: S B D; _ B D; D D; D _; _ > S B D; B N _ D/N; B N _ D/N")
PATTERN(infer_dynamic_time_warping, "_ _|1 _ _ > 2 _")
PATTERN(infer_embed_layer_norm,   "B S; B S; _ H; _ H; _ H; H; H > B S H; B; B S H")
PATTERN(infer_engram_gate,        "B S C H; B S C H; B S H; C H; C H; C H > B S C H; B S C H")
PATTERN(infer_gated_add,          ". C; . C; . _ > . C")
PATTERN(infer_gated_rms_norm,     ". C; _; . C > . C")
PATTERN(infer_gated_relative_position_bias, "N=num_heads: B S _|_ _; _; 1 N S S; _ _; _; 1 N 1 1; B S > B N S S")
PATTERN(infer_low_rank_mix,       "C=num_branches: . C*H; _; _ R; R _; _ C; . H; . C > . H; . C; . C*H")
PATTERN(infer_linear_attention_gate, "B T H; H; H; B T H > B T H; B T H")
PATTERN(infer_longformer,         "B S D > B S D")
PATTERN(infer_mamba2_verify,      "R _; S C K; S H P Q; C _|C _ _; C; H; H; H; D; _ > R D; S C K; S H P Q; R C; R D")
PATTERN(infer_matmul_nbits,       "N=N K=K: . K; ; ; ; ; N > . N")
PATTERN(infer_matmul_nbits_mlp,   "N=N K=K: . K; ; K; ; ; N; ; ; N > . N; . K")
PATTERN(infer_matmul_nbits_qkv,   "K=K Q=Nq V=Nkv: . K; ; K; ; ; Q; ; ; V; ; ; V > . Q; . V; . V; . K")
PATTERN(infer_matmul_packed,      "N=N K=K: . K > . N")
PATTERN(infer_matmul_fp4,         ". K; N _; ; ; ; N > . N")
PATTERN(infer_matmul_fp8,         ". K; N K; ; ; N > . N")
PATTERN(infer_ngram_hash,         "N=max_ngram_size H=n_head_per_ngram: B S; _; ; B N-1 > B S N-1*H; B N-1")
PATTERN(infer_ngram_repeat_block, "B _; B V > B V")
PATTERN(infer_indexer_merge,      "W=max_output_entries: _ _; _; N > N W; N; N")
PATTERN(infer_qordered_attention, "B S D; ; ; ; ; D H; D H; D H > B S H")
PATTERN(infer_remove_padding,     "B S H; B > _ H; B S; B+1; 1")
PATTERN(infer_restore_padding,    "_ H; B S > B S H")
PATTERN(infer_router_gate_up,     "R=router_size: . K; K T > . R; . T-R/2")
PATTERN(infer_torch_embedding,    "_ M; . > . M")
PATTERN(infer_varlen_causal_conv, "U=state_update_capacity: T C; C 1 _; ; C; B C S > T C; B C S; B U C")
PATTERN(infer_varlen_ngram_hash,  "N=max_ngram_size H=n_head_per_ngram U=state_update_capacity: T; ; ; B+1; B N-1 > T N-1*H; B N-1; B N-1; B U N-1")
PATTERN(infer_word_conv_embedding, "S _|S _ _|S _ _ _; M _ _ _ > S M")
