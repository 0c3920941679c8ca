#include "index.h"

/* Bounds of elements: what is known of a tensor with more elements than a content has, or with a number of them that is open. They are kept
 * as a content whose two elements are the least and the greatest that any element may be; equal ones make a tensor of one value. Only
 * integers, bools and constant floats have them: bounds of a symbolic float would take up assumptions that no size asks for. */

/* The least and the greatest that any element of input i may be: its bounds, or the one value that its elements have. */
static bool in_bounds(shp_node *n, uint32_t i, shp_elem b[2])
{
    const shp_content *c = shp_in_bounds(n, i);
    bool few = !c;
    if (few) c = shp_in_worth(n, i);
    if (!c || !c->count) return false;
    b[0] = c->elem[0];
    b[1] = c->elem[!few];
    for (uint32_t p = 1; few && p < c->count; p++)
        if (b[0] != c->elem[p]) return false;
    return true;
}

shp_elem shp_in_value(shp_node *n, uint32_t i)
{
    const shp_content *c = shp_in_bounds(n, i);
    return c && c->elem[0] == c->elem[1] ? c->elem[0] : 0;
}

void shp_out_bounds(shp_node *n, uint32_t o, shp_elem lo, shp_elem hi)
{
    if (o >= n->nout || n->failed || n->out[o].content || !n->out[o].shape || !lo || !hi) return;
    int64_t count = shp_count(n, n->out[o].shape);
    bool one = lo == hi, few = count >= 0 && count <= SHP_ELEMENTS_MAX;
    if ((few && !one) || shp_elem_den(lo) > 1 || shp_elem_den(hi) > 1) return;
    shp_content *c = shp_content_new(n, few ? (uint64_t)count : 2);
    for (uint32_t i = 0; c && i < c->count; i++) c->elem[i] = i ? hi : lo;
    if (few || !c) { shp_out_content(n, o, c); return; }
    c->bounds = true;
    c->fixed = shp_elem_is_number(n, lo) && shp_elem_is_number(n, hi);
    n->out[o].content = c;
}

void shp_out_bounds_of(shp_node *n, uint32_t o, uint32_t i)
{
    const shp_content *c = o < n->nout && !n->out[o].content ? shp_in_bounds(n, i) : NULL;
    if (c) shp_out_bounds(n, o, c->elem[0], c->elem[1]);
}

void shp_out_cast_bounds(shp_node *n, int from, int to)
{
    const shp_content *c = n->nout && !n->out[0].content ? shp_in_bounds(n, 0) : NULL;
    bool one = c && c->elem[0] == c->elem[1], whole = shp_dtype_kind(from) != 'F' && shp_dtype_kind(to) != 'F';
    if (c && (c->fixed || whole) && (one || shp_dtype_kind(to) != 'B'))
        shp_out_bounds(n, 0, shp_elem_cast(n, from, to, c->elem[0]), shp_elem_cast(n, from, to, c->elem[1]));
}

/* Whether an operation grows (1) or falls (-1) with its operand 0 or 1; 0 neither. */
static int slope(shp_calc op, int operand)
{
    switch (op) {
    case SHP_ADD: case SHP_MIN: case SHP_MAX: case SHP_RELU: case SHP_SIGN: return 1;
    case SHP_NEG: return -1;
    case SHP_SUB: case SHP_GREATER: case SHP_GREATER_EQUAL: return operand ? -1 : 1;
    case SHP_LESS: case SHP_LESS_EQUAL: return operand ? 1 : -1;
    default: return 0;
    }
}

/* The bounds a[0], a[1] and a[2], a[3] of two operands (these: the same of one) under op, into the first two. false: none. */
static bool bounded(shp_node *n, shp_calc op, int dtype, shp_elem a[4])
{
    bool numbers = true, flag = op >= SHP_EQUAL && op <= SHP_XOR, one = a[0] == a[1] && a[2] == a[3], floats = shp_dtype_kind(dtype) == 'F';
    for (int k = 0; k < 4; k++) numbers = numbers && shp_elem_is_number(n, a[k]);
    if (floats ? !one || !numbers : !numbers && op >= SHP_DIV && op <= SHP_POW) return false;
    if (one) a[0] = a[1] = shp_elem_calc(n, op, dtype, a[0], a[2]);
    else {
        int up = slope(op, 0), also = slope(op, 1);
        if (!up) return false;
        shp_elem low = shp_elem_calc(n, op, dtype, a[up < 0], a[2 + (also < 0)]), high = shp_elem_calc(n, op, dtype, a[up > 0], a[2 + (also > 0)]);
        if (flag && low == shp_elem_int(n, 1)) high = low;
        if (flag && high == shp_elem_int(n, 0)) low = high;
        a[0] = low;
        a[1] = high;
    }
    return a[0] && a[1] && (!flag || a[0] == a[1]);
}

void shp_out_calc_bounds(shp_node *n, shp_calc op)
{
    shp_elem a[4];
    uint32_t count = shp_inputs(n);
    bool any = false;
    if (!n->nout || n->failed || n->out[0].content) return;
    for (uint32_t i = 0; i < count; i++) any |= shp_in_bounds(n, i) != NULL;
    for (uint32_t i = 0; any && i < count; i++) {
        if (!in_bounds(n, i, a + 2)) return;
        if (!i) a[0] = a[2], a[1] = a[3];
        if ((i || op >= SHP_NEG) && !bounded(n, op, shp_in_dtype(n, 0), a)) return;
    }
    if (any) shp_out_bounds(n, 0, a[0], a[1]);
}
