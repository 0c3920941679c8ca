/* linear - matrix products: MatMul and its quantized forms, Gemm, Einsum; and what nn.h shares. */
#include "nn.h"

#include <string.h>

/* ---- requirements ---- */

shp_dim shp_want_dim(shp_node *n, uint32_t i, int64_t axis, shp_dim want)
{
    const shp_shape *s = shp_in_shape(n, i);
    if (!s || axis < 0 || axis >= s->rank) return want;
    shp_dim d = shp_equal(n, want, s->dim[axis]);
    if (!d) shp_fail3(n, SHP_D_SHAPE, "axis %d of %i is not %x", axis, i, want);
    return d;
}

shp_dim shp_want_vector(shp_node *n, uint32_t i, shp_dim want)
{
    return shp_want_rank(n, i, 1, 1) ? shp_want_dim(n, i, 0, want) : want;
}

shp_dim shp_whole_div(shp_node *n, shp_dim a, int64_t b)
{
    int64_t v;
    if (b <= 0 || (is_num(n, a, &v) && v % b)) {
        shp_fail2(n, SHP_D_SHAPE, "%x is not divisible by %d", a, b);
        return 0;
    }
    shp_dim d = num(n, b), q = div_exact(n, a, d);
    return q ? q : floor_div(n, a, d);
}

shp_dim shp_windows(shp_node *n, int64_t axis, shp_dim h, shp_dim padded, shp_dim span, shp_dim step)
{
    shp_dim room = sub(n, padded, span);
    if (hi(n, room) < 0) {
        shp_fail4(n, SHP_D_SHAPE, "a window of %x does not fit axis %d of %x, %x padded", span, axis, h, padded);
        return 0;
    }
    shp_dim count = add(n, floor_div(n, room, step), lit(1));
    shp_size(n, count, 1);
    return count;
}

bool shp_want_fits(shp_node *n, uint32_t i, int64_t rank, shp_dim *dim)
{
    const shp_shape *s = shp_want_rank(n, i, 0, rank);
    for (int64_t k = 0; s && k < s->rank && !n->failed; k++) {
        shp_dim c = s->dim[k], *d = &dim[rank - s->rank + k];
        if (lo(n, c) >= 2 || is(n, c, 0)) *d = shp_want_dim(n, i, k, *d);   /* else it may be 1 */
    }
    return !n->failed;
}

void shp_bad_attr(shp_node *n, const char *name, int64_t v) { shp_failf(n, SHP_D_ATTRIBUTE, "%s is %d", name, v); }
void shp_lacks(shp_node *n, const char *name) { shp_failf(n, SHP_D_ATTRIBUTE, "attribute '%s' is required", name); }

int64_t shp_positive(shp_node *n, const char *name, int64_t otherwise)
{
    int64_t v = shp_attr_int_or(n, name, otherwise);
    if (v > 0 && v <= INT32_MAX) return v;
    shp_bad_attr(n, name, v);
    return 0;
}

const int64_t *shp_want_ints(shp_node *n, const char *name, int64_t count, int64_t lo, uint32_t *found)
{
    uint32_t c;
    const int64_t *v = shp_attr_ints(n, name, &c);
    if (found) *found = c;
    if (c && count >= 0 && c != count) shp_failf(n, SHP_D_ATTRIBUTE, "%s has %d entries, not %d", name, (int64_t)c, count);
    for (uint32_t i = 0; v && i < c; i++)
        if (v[i] < lo) shp_failf(n, SHP_D_ATTRIBUTE, "%s has an entry %d, less than %d", name, v[i], lo);
    return c && !n->failed ? v : NULL;
}

int shp_choice(shp_node *n, const char *name, const char *words)
{
    shp_str s = shp_attr_str(n, name);
    const char *at = words;
    for (int i = 0;; i++, at++) {
        uint32_t len = 0;
        while (at[len] && at[len] != '|') len++;
        if (shp_str_eq(s, (shp_str){ at, len })) return i;
        at += len;
        if (!*at) break;
    }
    shp_failf(n, SHP_D_ATTRIBUTE, "%s \"%n\" is none of %s", name, &s, words + (*words == '|'));
    return -1;
}

shp_dim shp_element(const shp_content *c, int64_t i)
{
    return c && i >= 0 && i < c->count ? shp_elem_whole(c->elem[i]) : 0;
}

void shp_settle(shp_node *n, shp_dim *dim, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++)
        if (!dim[i]) dim[i] = shp_fresh(n, 0, first + i, SHP_WHY_RANK);
}

/* ---- MatMul ---- */

/* numpy's matmul: inner sizes equal, the axes before the last two broadcast, a vector loses its axis again. Source: ONNX MatMul 13. */
void shp_matmul(shp_node *n, uint32_t ia, uint32_t ib, bool ta, bool tb)
{
    const shp_shape *a = shp_want_rank(n, ia, 1, SHP_RANK_MAX), *b = shp_want_rank(n, ib, 1, SHP_RANK_MAX);
    if (n->failed || !a || !b) return;
    int64_t batch_a = a->rank > 2 ? a->rank - 2 : 0, batch_b = b->rank > 2 ? b->rank - 2 : 0;
    int64_t batch = batch_a > batch_b ? batch_a : batch_b, rank = batch;
    shp_dim inner_a = a->dim[a->rank - (ta && a->rank > 1 ? 2 : 1)];
    shp_dim inner_b = b->dim[b->rank - (tb || b->rank == 1 ? 1 : 2)];
    if (!shp_equal(n, inner_a, inner_b)) {
        shp_fail2(n, SHP_D_SHAPE, "inner sizes of %i and %i differ", ia, ib);
        return;
    }
    shp_dim d[SHP_RANK_MAX + 2];
    for (int64_t k = 0; k < batch; k++) {
        shp_dim p = k < batch - batch_a ? 0 : a->dim[k - (batch - batch_a)];
        shp_dim q = k < batch - batch_b ? 0 : b->dim[k - (batch - batch_b)];
        d[k] = !p ? q : !q ? p : shp_broadcast(n, ia, ib, p, q);
    }
    if (a->rank > 1) d[rank++] = a->dim[a->rank - (ta ? 1 : 2)];
    if (b->rank > 1) d[rank++] = b->dim[b->rank - (tb ? 2 : 1)];
    shp_out(n, 0, rank, d);
}

/* The row says how many inputs stand between the two. Source: ONNX MatMul 1, MatMulInteger 10, QLinearMatMul 10 (a, its scale and zero point, then b). */
void infer_matmul(shp_node *n) { shp_matmul(n, 0, 1 + (uint32_t)shp_variant(n), false, false); }

/* Gemm: [M, K] times [K, N], each perhaps transposed; C broadcasts to [M, N] one way (below 7 only where `broadcast` says so, else it
 * has that shape). The rank is 2 whatever is known. Source: ONNX Gemm 1, 7, 11. */
void infer_gemm(shp_node *n)
{
    bool same = n->opset < 7 && !shp_attr_int(n, "broadcast");
    shp_patterns(n, shp_attr_int(n, "transA") ? "K M>" : "M K>");
    shp_lay(n, shp_attr_int(n, "transB") ? "; N K>" : "; K N>");
    shp_lay(n, same ? ";; M N|N?|> M N" : ";; M? N?|N?|> M N");
}

/* ---- Einsum ---- */

enum { DOTS = 58, END, BAD };      /* letters count from A, 0, to z */

typedef struct einsum {
    shp_str text;
    uint32_t at;
    shp_dim dim[DOTS];              /* of a letter; 0 none yet */
    bool open[DOTS + 1];            /* an operand of unknown rank has it, too: its size may be larger than 1 */
    uint32_t uses[DOTS + 1];
    shp_dim dots[SHP_RANK_MAX];     /* the axes of "..." */
    int64_t dots_rank;              /* -1 not known */
} einsum;

/* The next letter of a term, DOTS, END (at a comma, an arrow or the end) or BAD. */
static int next(einsum *e)
{
    const char *at = e->text.at + e->at;
    uint32_t left = e->text.len - e->at;
    for (; left && *at == ' '; at++) e->at++, left--;
    if (!left || *at == ',' || *at == '-') return END;
    e->at++;
    if ((*at | 32) >= 'a' && (*at | 32) <= 'z') return *at - 'A';
    if (left < 3 || *at != '.' || at[1] != '.' || at[2] != '.') return BAD;
    e->at += 2;
    return DOTS;
}

static void bad_equation(shp_node *n, const einsum *e) { shp_failf(n, SHP_D_VALUE, "equation \"%n\" cannot be understood", &e->text); }

/* Sizes of one letter in two operands, or of one axis of "...": they broadcast (runtimes take 1 against n). */
static void meet(shp_node *n, shp_dim *have, shp_dim d, uint32_t i)
{
    shp_dim both = *have ? shp_dim_broadcast(n->dims, *have, d) : d;
    if (!both) shp_fail3(n, SHP_D_SHAPE, "an index is %x in %i, but %x before", d, i, *have);
    *have = both;
}

/* Lays the next term over input i. */
static void term(shp_node *n, einsum *e, uint32_t i)
{
    const shp_shape *s = shp_in_shape(n, i);
    shp_dim own[DOTS] = { 0 };
    int64_t letters = 0, axis = 0, dots = 0;
    uint32_t start = e->at, before = e->uses[DOTS];
    for (int c; (c = next(e)) != END; e->uses[c]++, letters += c < DOTS) {
        if (c == BAD || e->uses[DOTS] > before + (c != DOTS)) { bad_equation(n, e); return; }
        if (!s) e->open[c] = true;
    }
    if (!s) return;
    dots = s->rank - letters;
    bool dotted = e->uses[DOTS] > before;
    if (dots < 0 || (dots && !dotted) || (dotted && e->dots_rank >= 0 && e->dots_rank != dots)) {
        shp_fail1(n, SHP_D_RANK, "the equation has not the rank of %i", i);
        return;
    }
    if (dotted) e->dots_rank = dots;
    e->at = start;
    for (int c; (c = next(e)) != END && !n->failed;) {
        for (int64_t k = 0; c == DOTS && k < dots; k++) meet(n, &e->dots[k], s->dim[axis++], i);
        if (c == DOTS) continue;
        shp_dim d = s->dim[axis++];
        if (own[c] && !shp_equal(n, own[c], d)) shp_fail3(n, SHP_D_SHAPE, "an index is %x in %i, but %x before", d, i, own[c]);
        if (!own[c]) meet(n, &e->dim[c], own[c] = d, i);
    }
}

/* A size that an operand of unknown rank may still broadcast is not known, unless it cannot be 1. */
static shp_dim settled(shp_node *n, shp_dim d, bool open)
{
    return open && lo(n, d) < 2 && !is(n, d, 0) ? 0 : d;
}

/* Einsum: each index has one size; the output lists indices, or (without "->") "..." and the indices used once in ASCII order.
 * Source: ONNX Einsum 12. */
void infer_einsum(shp_node *n)
{
    einsum e;
    memset(&e, 0, sizeof e);
    e.text = shp_attr_str(n, "equation");
    e.dots_rank = -1;
    uint32_t count = shp_inputs(n), i = 0, outs = 0;
    bool more = true;
    for (; more && i < count && !n->failed; i++) {
        term(n, &e, i);
        more = e.at < e.text.len && e.text.at[e.at] == ',';
        e.at += more;
    }
    if (more || i < count) shp_fail1(n, SHP_D_ARITY, "the equation has not %d terms", count);
    if (n->failed) return;
    uint8_t order[DOTS + 1];        /* letters of the output, DOTS among them */
    if (e.at < e.text.len) {
        if (e.text.len - e.at < 2 || e.text.at[e.at + 1] != '>') { bad_equation(n, &e); return; }
        e.at += 2;
        bool seen[DOTS + 1] = { false };
        for (int c; (c = next(&e)) != END; seen[c] = true, order[outs++] = (uint8_t)c)
            if (c == BAD || seen[c] || (c < DOTS && !e.uses[c])) { bad_equation(n, &e); return; }
        if (e.at < e.text.len) { bad_equation(n, &e); return; }
    } else {
        if (e.uses[DOTS]) order[outs++] = DOTS;
        for (uint8_t c = 0; c < DOTS; c++)
            if (e.uses[c] == 1) order[outs++] = c;
    }
    shp_dim d[SHP_RANK_MAX + DOTS];
    int64_t rank = 0;
    for (uint32_t k = 0; k < outs; k++) {
        uint8_t c = order[k];
        if (c < DOTS) d[rank++] = settled(n, e.dim[c], e.open[c]);
        else if (e.uses[DOTS] && e.dots_rank < 0) return;
        else for (int64_t j = 0; j < e.dots_rank; j++) d[rank++] = settled(n, e.dots[j], e.open[DOTS]);
    }
    shp_out(n, 0, rank, d);
}
