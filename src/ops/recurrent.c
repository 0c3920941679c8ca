/* recurrent - RNN, GRU, LSTM. */
#include "nn.h"

/* Weights for another number of directions are said, but `direction` stands. */
static void check_directions(shp_node *n, shp_dim dirs)
{
    for (uint32_t i = 1; i < 8; i += i == 3 ? 4 : 1) {      /* W R B P */
        const shp_shape *s = shp_in_shape(n, i);
        if (s && !shp_equal(n, s->dim[0], dirs)) {
            shp_str direction = shp_attr_str(n, "direction");
            shp_note(n, SHP_D_SHAPE, "direction \"%n\" wants %x directions, %i", &direction, (int64_t)dirs, (int64_t)i);
            return;
        }
    }
}

/* Y [sequence, directions, batch, hidden] and the last states [directions, batch, hidden]; with layout 1 the batch comes first. The inputs: X W R B
 * lengths initial_h initial_c P. Sizes that one input does not tell another does. The row says how many gates there are. Source: ONNX RNN, GRU, LSTM 1, 7, 14 (layout). */
void infer_recurrent(shp_node *n)
{
    int direction = shp_choice(n, "direction", "|forward|reverse|foward|bidirectional");     /* the third: GRU 1's default */
    int64_t layout = shp_attr_int(n, "layout"), size = shp_attr_int(n, "hidden_size");
    if (layout < 0 || layout > 1) shp_bad_attr(n, "layout", layout);
    if (shp_attr_has(n, "hidden_size") && size < 1) shp_bad_attr(n, "hidden_size", size);
    enum { D = 'D' - 'A', G = 'G' - 'A' };
    shp_dim *letter = shp_letters(n);
    letter[D] = num(n, 1 + (direction == 4));
    letter[G] = num(n, shp_variant(n));
    if (shp_lay(n, "H=hidden_size: _ _ I; _ G*H I; _ G*H H; _ 2*G*H; _; _ _ _; _ _ _; _ 3*H >")) return;
    check_directions(n, letter[D]);
    shp_lay(n, layout ? "B S _; ; ; ; B; B D H; B D H > B S D H; B D H; B D H" : "S B _; ; ; ; B; D B H; D B H > S D B H; D B H; D B H");
}
