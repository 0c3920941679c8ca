/* recurrent - RNN, GRU, LSTM. */
#include "nn.h"

/* 1 or 2 directions; 0: failed. GRU 1's default is written "foward" in its schema. */
static int64_t directions(shp_node *n)
{
    shp_str d = shp_attr_str(n, "direction");
    if (shp_str_is(d, "bidirectional")) return 2;
    if (!d.len || shp_str_is(d, "forward") || shp_str_is(d, "reverse") || shp_str_is(d, "foward")) return 1;
    shp_fail(n, SHP_D_ATTRIBUTE, "direction \"%n\" is none of forward, reverse, bidirectional", d);
    return 0;
}

/* The hidden size: hidden_size, or what the weights say; all agree. W is [directions, gates * hidden, inputs], R [directions, gates * hidden,
 * hidden]. */
static shp_dim hidden(shp_node *n, int64_t gates)
{
    const shp_shape *w = shp_in_shape(n, 1), *r = shp_in_shape(n, 2);
    int64_t size = shp_attr_int(n, "hidden_size");
    if (shp_attr_has(n, "hidden_size") && size < 1) shp_fail(n, SHP_D_ATTRIBUTE, "hidden_size is %d", size);
    shp_dim h = shp_want_dim(n, 2, 2, size > 0 ? num(n, size) : 0, "hidden_size");
    if (!h && !n->failed && w) h = shp_whole_div(n, w->dim[1], gates, "the second axis of W");
    if (!h && !n->failed && r) h = shp_whole_div(n, r->dim[1], gates, "the second axis of R");
    return h;
}

/* Weights for another number of directions are said, but `direction` stands. */
static void check_directions(shp_node *n, shp_dim dirs)
{
    for (uint32_t i = 1; i < 8; i += i == 3 ? 4 : 1) {      /* W R B P */
        const shp_shape *s = shp_in_shape(n, i);
        if (s && !shp_equal(n, s->dim[0], dirs)) {
            shp_note(n, SHP_D_SHAPE, "direction \"%n\" wants %x directions, %i has %x", shp_attr_str(n, "direction"), dirs, i, s->dim[0]);
            return;
        }
    }
}

/* Y [sequence, directions, batch, hidden] and the last states [directions, batch, hidden]; with layout 1 the batch comes first.
 * Sizes that one input does not tell another does. Source: ONNX RNN, GRU, LSTM 1, 7, 14 (layout). */
int shp_recurrent(shp_node *n, int64_t gates)
{
    static const int8_t rank[8] = { 3, 3, 3, 2, 1, 3, 3, 2 };       /* X W R B lengths initial_h initial_c P */
    for (uint32_t i = 0; i < 8; i++)
        if (!shp_want_rank(n, i, rank[i], rank[i]) && n->failed) return n->failed;
    int64_t count = directions(n), layout = shp_attr_int(n, "layout");
    shp_dim h = count ? hidden(n, gates) : 0, all = mul(n, h, num(n, gates)), dirs = num(n, count);
    if (layout < 0 || layout > 1) shp_fail(n, SHP_D_ATTRIBUTE, "layout is %d, not 0 or 1", layout);
    if (n->failed) return n->failed;
    shp_want_dim(n, 2, 1, shp_want_dim(n, 1, 1, all, "gates times the hidden size"), "gates times the hidden size");
    shp_want_dim(n, 1, 2, shp_want_dim(n, 0, 2, 0, ""), "the input size of X");
    shp_want_dim(n, 3, 1, mul(n, all, num(n, 2)), "twice the gates times the hidden size");
    shp_want_dim(n, 7, 1, mul(n, h, num(n, 3)), "three times the hidden size");
    check_directions(n, dirs);
    shp_dim batch = shp_want_dim(n, 4, 0, shp_want_dim(n, 0, 1 - layout, 0, ""), "the batch");
    for (uint32_t i = 5; i < 7; i++) {
        batch = shp_want_dim(n, i, 1 - layout, batch, "the batch");
        shp_want_dim(n, i, layout, dirs, "the number of directions");
        h = shp_want_dim(n, i, 2, h, "the hidden size");
    }
    if (n->failed) return n->failed;
    shp_dim length = shp_want_dim(n, 0, layout, 0, "");
    shp_dim y[4] = { layout ? batch : length, layout ? length : dirs, layout ? dirs : batch, h };
    shp_settle(n, y, 4, 0);
    shp_dim last[3] = { layout ? y[0] : dirs, layout ? dirs : y[2], y[3] };
    shp_out(n, 1, 3, last);
    shp_out(n, 2, 3, last);
    return shp_out(n, 0, 4, y);
}

int infer_rnn(shp_node *n) { return shp_recurrent(n, 1); }
int infer_gru(shp_node *n) { return shp_recurrent(n, 3); }
int infer_lstm(shp_node *n) { return shp_recurrent(n, 4); }
