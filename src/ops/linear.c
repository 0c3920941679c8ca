/* linear - matrix products: MatMul and its quantized forms, Gemm, Einsum; and what nn.h shares. */
#include "nn.h"

#include <string.h>

/* ---- requirements ---- */

shp_dim shp_want_dim(shp_node *n, uint32_t i, int64_t axis, shp_dim want, const char *what)
{
    const shp_shape *s = shp_in_shape(n, i);
    if (!s || axis < 0 || axis >= s->rank) return want;
    shp_dim d = shp_equal(n, s->dim[axis], want);
    if (!d) shp_fail(n, SHP_D_SHAPE, "%s is %x, but axis %d of %i is %x", what, want, axis, i, s->dim[axis]);
    return d;
}

shp_dim shp_want_vector(shp_node *n, uint32_t i, shp_dim want, const char *what)
{
    return shp_want_rank(n, i, 1, 1) ? shp_want_dim(n, i, 0, want, what) : want;
}

shp_dim shp_whole_div(shp_node *n, shp_dim a, int64_t b, const char *what)
{
    int64_t v;
    if (b <= 0 || (is_num(n, a, &v) && v % b)) {
        shp_fail(n, SHP_D_SHAPE, "%s, %x, is not divisible by %d", what, a, b);
        return 0;
    }
    shp_dim d = num(n, b), q = shp_dim_div_exact(n->dims, a, d);
    return q ? q : floor_div(n, a, d);
}

bool shp_want_fits(shp_node *n, uint32_t i, int64_t rank, shp_dim *dim)
{
    const shp_shape *s = shp_in_shape(n, i);
    if (!s) return true;
    if (s->rank > rank) {
        shp_fail(n, SHP_D_RANK, "%i has more axes than the %d it is broadcast to", i, rank);
        return false;
    }
    for (int64_t k = 0; k < s->rank; k++) {
        shp_dim c = s->dim[k], *d = &dim[rank - s->rank + k], both;
        if (shp_dim_lo(n->dims, c) < 2 && !is(n, c, 0)) continue;       /* may be 1 */
        both = shp_equal(n, *d, c);
        if (!both) {
            shp_fail(n, SHP_D_SHAPE, "%i does not broadcast: axis %d wants %x", i, k, *d);
            return false;
        }
        *d = both;
    }
    return true;
}

const int64_t *shp_want_ints(shp_node *n, const char *name, int64_t count, int64_t lo, uint32_t *found)
{
    uint32_t c;
    const int64_t *v = shp_attr_ints(n, name, &c);
    if (found) *found = c;
    if (!v || !c) return NULL;
    if (count >= 0 && c != count) {
        shp_fail(n, SHP_D_ATTRIBUTE, "%s has %d entries, not %d", name, (int64_t)c, count);
        return NULL;
    }
    for (uint32_t i = 0; i < c; i++)
        if (v[i] < lo) {
            shp_fail(n, SHP_D_ATTRIBUTE, "%s has an entry %d, less than %d", name, v[i], lo);
            return NULL;
        }
    return v;
}

shp_dim shp_element(const shp_content *c, int64_t i)
{
    return c && i >= 0 && i < c->count && c->elem[i].den == 1 ? c->elem[i].num : 0;
}

void shp_settle(shp_node *n, shp_dim *dim, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++)
        if (!dim[i]) dim[i] = shp_fresh(n, 0, first + i, SHP_WHY_RANK);
}

int shp_done(shp_node *n, int64_t rank, const shp_dim *dim) { return n->failed ? (int)n->failed : shp_out(n, 0, rank, dim); }

/* The shape of the first input. */
int infer_first(shp_node *n) { return shp_out_same(n, 0, 0); }

/* ---- MatMul ---- */

/* numpy's matmul: inner sizes equal, the axes before the last two broadcast, a vector loses its axis again. Source: ONNX MatMul 13. */
int shp_matmul(shp_node *n, uint32_t ia, uint32_t ib, bool ta, bool tb)
{
    const shp_shape *a = shp_want_rank(n, ia, 1, SHP_RANK_MAX), *b = shp_want_rank(n, ib, 1, SHP_RANK_MAX);
    if (n->failed || !a || !b) return n->failed;
    int64_t batch_a = a->rank > 2 ? a->rank - 2 : 0, batch_b = b->rank > 2 ? b->rank - 2 : 0;
    int64_t batch = batch_a > batch_b ? batch_a : batch_b, rank = batch;
    shp_dim inner_a = a->dim[a->rank - (ta && a->rank > 1 ? 2 : 1)];
    shp_dim inner_b = b->dim[b->rank - (tb || b->rank == 1 ? 1 : 2)];
    if (!shp_equal(n, inner_a, inner_b))
        return shp_fail(n, SHP_D_SHAPE, "inner sizes differ: %i has %x columns, %i has %x rows", ia, inner_a, ib, inner_b);
    shp_dim d[SHP_RANK_MAX + 2];
    for (int64_t k = 0; k < batch; k++) {
        shp_dim p = k < batch - batch_a ? 0 : a->dim[k - (batch - batch_a)];
        shp_dim q = k < batch - batch_b ? 0 : b->dim[k - (batch - batch_b)];
        d[k] = p && q ? shp_dim_broadcast(n->dims, p, q) : p ? p : q;
        if (!d[k]) return shp_fail(n, SHP_D_SHAPE, "batch axes of %i and %i do not broadcast: %x against %x", ia, ib, p, q);
    }
    if (a->rank > 1) d[rank++] = a->dim[a->rank - (ta ? 1 : 2)];
    if (b->rank > 1) d[rank++] = b->dim[b->rank - (tb ? 2 : 1)];
    return shp_out(n, 0, rank, d);
}

/* Source: ONNX MatMul 1, MatMulInteger 10. */
int infer_matmul(shp_node *n) { return shp_matmul(n, 0, 1, false, false); }

/* Source: ONNX QLinearMatMul 10 (a, its scale and zero point, then b). */
int infer_qlinear_matmul(shp_node *n) { return shp_matmul(n, 0, 3, false, false); }

/* Gemm: [M, K] times [K, N], each perhaps transposed; C broadcasts to [M, N] one way (below 7 only where `broadcast` says so, else it
 * has that shape). The rank is 2 whatever is known. Source: ONNX Gemm 1, 7, 11. */
int infer_gemm(shp_node *n)
{
    int64_t ta = shp_attr_int(n, "transA") != 0, tb = shp_attr_int(n, "transB") != 0;
    const shp_shape *a = shp_want_rank(n, 0, 2, 2), *b = shp_want_rank(n, 1, 2, 2);
    if (n->failed) return n->failed;
    if (a && b && !shp_equal(n, a->dim[1 - ta], b->dim[tb]))
        return shp_fail(n, SHP_D_SHAPE, "inner sizes differ: %i gives %x, %i gives %x", (uint32_t)0, a->dim[1 - ta], (uint32_t)1, b->dim[tb]);
    shp_dim d[2] = { a ? a->dim[ta] : 0, b ? b->dim[1 - tb] : 0 };
    if (n->opset < 7 && !shp_attr_int(n, "broadcast") && shp_in_rank(n, 2) == 2)
        for (int64_t k = 0; k < 2; k++) d[k] = shp_want_dim(n, 2, k, d[k], "the product's axis");
    else shp_want_fits(n, 2, 2, d);
    return shp_done(n, 2, d);
}

/* ---- Einsum ---- */

typedef struct einsum {
    shp_dim dim[52];                /* of a letter, A to Z then a to z; 0 none yet */
    bool open[52];                  /* an operand of unknown rank has it, too: its size may be larger than 1 */
    uint32_t uses[52];
    shp_dim dots[SHP_RANK_MAX];     /* the axes of "..." */
    int64_t dots_rank;              /* -1 not known */
    bool dots_used, dots_open;
} einsum;

enum { DOTS = 52, END = 53, BAD = 54 };

/* The next letter of a term, DOTS, END (at a comma, an arrow or the end) or BAD. */
static int next(shp_str eq, uint32_t *at)
{
    while (*at < eq.len && eq.at[*at] == ' ') ++*at;
    if (*at == eq.len || eq.at[*at] == ',' || eq.at[*at] == '-') return END;
    char c = eq.at[(*at)++];
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c != '.' || eq.len - *at < 2 || eq.at[*at] != '.' || eq.at[*at + 1] != '.') return BAD;
    *at += 2;
    return DOTS;
}

static int bad_equation(shp_node *n) { return shp_fail(n, SHP_D_VALUE, "equation \"%n\" cannot be understood", shp_attr_str(n, "equation")); }

/* Sizes of one letter in two operands, or of one axis of "...": they broadcast (runtimes take 1 against n). */
static bool meet(shp_node *n, shp_dim *have, shp_dim d, uint32_t i)
{
    shp_dim both = *have ? shp_dim_broadcast(n->dims, *have, d) : d;
    if (!both) shp_fail(n, SHP_D_SHAPE, "an index is %x in %i, but %x before", d, i, *have);
    else *have = both;
    return both;
}

/* Lays the term at *at over input i. */
static int term(shp_node *n, einsum *e, shp_str eq, uint32_t *at, uint32_t i)
{
    const shp_shape *s = shp_in_shape(n, i);
    shp_dim own[52] = { 0 };
    int64_t letters = 0, axis = 0, dots = 0;
    bool has_dots = false;
    for (uint32_t p = *at; ; ) {
        int c = next(eq, &p);
        if (c == END) break;
        if (c == BAD || (c == DOTS && has_dots)) return bad_equation(n);
        if (c == DOTS) has_dots = true;
        else letters++;
    }
    if (s) {
        dots = s->rank - letters;
        if (dots < 0 || (dots && !has_dots))
            return shp_fail(n, SHP_D_RANK, "the equation gives %d indices to %i", letters, i);
        if (has_dots && e->dots_rank >= 0 && e->dots_rank != dots)
            return shp_fail(n, SHP_D_RANK, "\"...\" stands for %d axes in %i but %d in an input before", dots, i, e->dots_rank);
        if (has_dots) e->dots_rank = dots;
    }
    if (has_dots) e->dots_used = true, e->dots_open |= !s;
    for (int c; (c = next(eq, at)) != END; ) {
        if (c == DOTS) {
            for (int64_t k = 0; s && k < dots; k++)
                if (!meet(n, &e->dots[k], s->dim[axis++], i)) return n->failed;
            continue;
        }
        e->uses[c]++;
        if (!s) {
            e->open[c] = true;
            continue;
        }
        shp_dim d = s->dim[axis++];
        if (!own[c]) {
            own[c] = d;
            if (!meet(n, &e->dim[c], d, i)) return n->failed;
        } else if (!shp_equal(n, own[c], d))
            return shp_fail(n, SHP_D_SHAPE, "an index is both %x and %x in %i", own[c], d, i);
    }
    return SHP_OK;
}

/* A size that an operand of unknown rank may still broadcast is not known, unless it cannot be 1. */
static shp_dim settled(shp_node *n, shp_dim d, bool open)
{
    return open && shp_dim_lo(n->dims, d) < 2 && !is(n, d, 0) ? 0 : d;
}

/* Einsum: each index has one size; the output lists indices, or (without "->") "..." and the indices used once in ASCII order.
 * Source: ONNX Einsum 12. */
int infer_einsum(shp_node *n)
{
    shp_str eq = shp_attr_str(n, "equation");
    einsum e;
    memset(&e, 0, sizeof e);
    e.dots_rank = -1;
    uint32_t at = 0, count = shp_inputs(n), i = 0;
    for (bool more = true; more; i++) {
        if (i >= count) return shp_fail(n, SHP_D_ARITY, "the equation has more terms than the %d inputs", (int64_t)count);
        if (term(n, &e, eq, &at, i)) return n->failed;
        more = at < eq.len && eq.at[at] == ',';
        if (more) at++;
    }
    if (i != count) return shp_fail(n, SHP_D_ARITY, "the equation has %d terms for %d inputs", (int64_t)i, (int64_t)count);
    uint8_t order[53];              /* letters of the output, DOTS among them */
    uint32_t outs = 0;
    if (at < eq.len) {
        if (eq.len - at < 2 || eq.at[at + 1] != '>') return bad_equation(n);
        at += 2;
        bool seen[53] = { false };
        for (int c; (c = next(eq, &at)) != END; seen[c] = true, order[outs++] = (uint8_t)c)
            if (c == BAD || seen[c] || (c < DOTS && !e.uses[c])) return bad_equation(n);
        if (at < eq.len) return bad_equation(n);
    } else {
        if (e.dots_used) order[outs++] = DOTS;
        for (uint8_t c = 0; c < DOTS; c++)
            if (e.uses[c] == 1) order[outs++] = c;
    }
    shp_dim d[SHP_RANK_MAX + 53];
    int64_t rank = 0;
    for (uint32_t k = 0; k < outs; k++) {
        if (order[k] < DOTS) d[rank++] = settled(n, e.dim[order[k]], e.open[order[k]]);
        else if (e.dots_used && e.dots_rank < 0) return SHP_OK;
        else for (int64_t j = 0; j < e.dots_rank; j++) d[rank++] = settled(n, e.dots[j], e.dots_open);
    }
    return shp_out(n, 0, rank, d);
}
