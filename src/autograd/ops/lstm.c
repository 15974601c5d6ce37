/* The recurrent part of an LSTM over a whole padded sequence, in one op. The input part of the gates, W_ih x + b_ih, is
 * an operand: one product for all time steps. lb_unfused_lstm_sequence computes the same in small steps. */
#include "autograd/gru_input.h"
#include "autograd/op.h"
#include "autograd/parts.h"
#include "lookback/ops.h"
#include "tensor/accumulate.h"
#include "tensor/elementary.h"
#include "tensor/gemm.h"
#include "tensor/lstm_kernel.h"
#include "tensor/row_tiles.h"

#include <string.h>

enum { X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS, FINAL };
enum { GATES = 4 };

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status = lb_gru_input_check(node, X, INITIAL, WEIGHT, BIAS);
    if (status) return status;
    lb_gru_input x = lb_gru_input_of(node, X);
    out[OUTPUTS] = LB_SHAPE(x.batch, x.steps, x.hidden);
    out[FINAL] = LB_SHAPE(x.batch, 2 * x.hidden);
    return LB_OK;
}

/* Step `i` of a walk in the direction of the op, or against it. */
static int64_t time_at(const lb_node *node, int64_t steps, int64_t i, bool backward)
{
    bool reverse = ((const lb_gru_attributes *)node->attributes)->reverse;
    return reverse != backward ? steps - 1 - i : i;
}

/* Some rows of the batch, and the working memory of one thread. */
typedef struct forward_tile {
    int64_t first, height;
    lb_real *state;   /* [height, 2 hidden]: the final one is the one in between as well */
    lb_real *product; /* [rows, 4 hidden]: W_hh h */
    lb_real *spare;   /* [LB_LSTM_SAVED hidden]: saved for a backward that will not come */
} forward_tile;

/* Divides a block among the parts of a tile that need memory, and returns how much they take. */
static int64_t lay_out(const lb_gru_input *x, lb_real *block, forward_tile *tile)
{
    lb_parts parts = {.block = block};
    tile->product = lb_parts_next(&parts, lb_row_tiles_of(x->batch).rows * GATES * x->hidden);
    tile->spare = lb_parts_next(&parts, LB_LSTM_SAVED * x->hidden);
    return parts.count;
}

/* All steps of the rows of a tile. A row without a token keeps its state. */
static void run_tile(const lb_node *node, const lb_gru_input *x, lb_matrix weight, const forward_tile *tile)
{
    int64_t steps = x->steps, hidden = x->hidden, kept = LB_LSTM_SAVED * hidden;
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, steps, i, false);
        int64_t present = lb_gru_input_height(x, tile->first, tile->height, t);
        if (i > 0 || node->in[INITIAL])
            lb_gemm_serial(present, GATES * hidden, hidden, lb_plain(tile->state, 2 * hidden), weight, 0,
                           tile->product, GATES * hidden);
        else
            memset(tile->product, 0, (size_t)(present * GATES * hidden) * sizeof *tile->product);
        for (int64_t row = 0; row < tile->height; row++) {
            int64_t at = (tile->first + row) * steps + t;
            lb_real *saved = node->saved ? (lb_real *)node->saved + at * kept : tile->spare;
            lb_real *out = node->out[OUTPUTS]->data + at * hidden;
            if (lb_gru_input_has(x, tile->first + row, t)) {
                lb_lstm_gates(hidden, lb_gru_input_row(x, at), tile->product + row * GATES * hidden,
                              node->in[BIAS]->data, tile->state + row * 2 * hidden, out, saved);
            } else {
                memset(out, 0, (size_t)hidden * sizeof *out);
                memset(saved, 0, (size_t)kept * sizeof *saved);
            }
        }
    }
}

static lb_status forward(lb_node *node)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    int64_t batch = x.batch, hidden = x.hidden;
    lb_row_tiles tiles = lb_row_tiles_of(batch);
    int64_t size = lay_out(&x, NULL, &(forward_tile){0});
    lb_real *memory = lb_op_reals(node, tiles.count * size), *state = node->out[FINAL]->data;
    if (node->records) node->saved = lb_op_reals(node, batch * x.steps * LB_LSTM_SAVED * hidden);
    lb_matrix weight;
    if (!memory || (node->records && !node->saved)) return LB_ERROR_MEMORY;
    if (!lb_op_transposed_weight(node, node->in[WEIGHT], 0, hidden, batch * x.steps, &weight))
        return LB_ERROR_MEMORY;
    if (node->in[INITIAL])
        memcpy(state, node->in[INITIAL]->data, (size_t)(batch * 2 * hidden) * sizeof *state);
    else
        memset(state, 0, (size_t)(batch * 2 * hidden) * sizeof *state);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t i = 0; i < tiles.count; i++) {
        forward_tile tile = {.first = i * tiles.rows,
                             .height = lb_row_tile_height(tiles, i, batch),
                             .state = state + i * tiles.rows * 2 * hidden};
        lay_out(&x, memory + i * size, &tile);
        run_tile(node, &x, weight, &tile);
    }
    return LB_OK;
}

/* dstate [height, 2 hidden] receives the gradient of the initial state. The gradient of the gates overwrites what forward
 * saved of them. */
static void backward_tile(lb_node *node, const lb_gru_input *x, int64_t first, int64_t height,
                          lb_real *dstate)
{
    int64_t steps = x->steps, hidden = x->hidden, kept = LB_LSTM_SAVED * hidden;
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, steps, i, true), present = lb_gru_input_height(x, first, height, t);
        lb_real *saved = (lb_real *)node->saved + (first * steps + t) * kept;
        for (int64_t row = 0; row < height; row++) {
            lb_real *gates = saved + row * steps * kept;
            if (lb_gru_input_has(x, first + row, t))
                lb_lstm_gates_backward(hidden, gates,
                                       node->out[OUTPUTS]->grad + ((first + row) * steps + t) * hidden, gates,
                                       dstate + row * 2 * hidden);
            else
                memset(gates, 0, (size_t)(GATES * hidden) * sizeof *gates);
        }
        if (i < steps - 1 || node->in[INITIAL])
            lb_gemm_serial(present, hidden, GATES * hidden, lb_plain(saved, steps * kept),
                           lb_plain(node->in[WEIGHT]->data, hidden), 1, dstate, 2 * hidden);
    }
}

/* Of the input part, W_hh and b_hh: sums over all rows and steps of the gradient of the gates. */
static void give_gradients(lb_node *node, const lb_gru_input *x)
{
    int64_t rows = x->batch * x->steps, hidden = x->hidden, kept = LB_LSTM_SAVED * hidden;
    const lb_real *gates = node->saved;
    lb_tensor *in = node->in[X], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    if (lb_wants_grad(in)) {
        if (lb_op_sets(node, X)) lb_set_zero(lb_count(in), in->grad);
        lb_add_at_rows(x->id, rows, GATES * hidden, gates, kept, in->grad);
    }
    if (lb_wants_grad(weight))
        lb_gemm(GATES * hidden, hidden, rows, lb_transposed(gates, kept),
                lb_plain(gates + LB_LSTM_SAVED_H * hidden, kept), 1, weight->grad, hidden);
    if (lb_wants_grad(bias)) lb_add_rows_to(rows, GATES * hidden, gates, kept, bias->grad);
}

/* dstate [batch, 2 hidden] */
static int64_t backward_work(const lb_node *node)
{
    return lb_count(node->out[FINAL]);
}

static void backward(lb_node *node)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    lb_row_tiles tiles = lb_row_tiles_of(x.batch);
    lb_real *dstate = node->work;
    memcpy(dstate, node->out[FINAL]->grad, (size_t)lb_count(node->out[FINAL]) * sizeof *dstate);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++)
        backward_tile(node, &x, tile * tiles.rows, lb_row_tile_height(tiles, tile, x.batch),
                      dstate + tile * tiles.rows * 2 * x.hidden);
    lb_op_add_grad(node->in[INITIAL], dstate);
    give_gradients(node, &x);
}

static double gate(const lb_node *node, const lb_real *x, const double *h, int64_t which)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    double sum = (double)x[which] + (double)node->in[BIAS]->data[which];
    for (int64_t j = 0; j < hidden; j++) sum += (double)node->in[WEIGHT]->data[which * hidden + j] * h[j];
    return sum;
}

/* `next` serves as the memory of the next h. */
static void reference_step(const lb_node *node, const lb_real *x, double *state, double *next)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double i = 1 / (1 + exp(-gate(node, x, state, j)));
        double f = 1 / (1 + exp(-gate(node, x, state, hidden + j)));
        double g = tanh(gate(node, x, state, 2 * hidden + j));
        double o = 1 / (1 + exp(-gate(node, x, state, 3 * hidden + j)));
        state[hidden + j] = f * state[hidden + j] + i * g;
        next[j] = o * tanh(state[hidden + j]);
    }
    memcpy(state, next, (size_t)hidden * sizeof *state);
}

static void reference(const lb_node *node, double *const *out)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    bool reverse = ((const lb_gru_attributes *)node->attributes)->reverse;
    for (int64_t row = 0; row < x.batch; row++) {
        double *state = out[FINAL] + row * 2 * x.hidden;
        for (int64_t j = 0; j < 2 * x.hidden; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * 2 * x.hidden + j] : 0;
        int64_t length = lb_gru_input_length(&x, row);
        for (int64_t i = 0; i < length; i++) {
            int64_t at = row * x.steps + (reverse ? length - 1 - i : i);
            reference_step(node, lb_gru_input_row(&x, at), state, out[OUTPUTS] + at * x.hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[0], NULL, NULL, in[1], in[2], NULL, false);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 0, 0, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, example_lengths};
    return lb_lstm_sequence(in[X], &tokens, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)}, .apply = padded_case},
    {"padded, reverse",
     4,
     {LB_DIMS(3, 4, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)},
     .apply = reverse_case},
    {"no initial state", 3, {LB_DIMS(2, 3, 12), LB_DIMS(12, 3), LB_DIMS(12)}, .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, 4), LB_DIMS(4, 1), LB_DIMS(4)}, .apply = full_case},
    {"a table", 4, {LB_DIMS(5, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)}, .apply = table_case},
};

static const lb_op lstm_op = {
    .name = "lstm_sequence",
    .operands = "x initial? weight_hh bias_hh",
    .formula =
        "c_t = f c_(t-1) + i g, h_t = o tanh c_t, [i f o] = sigmoid(x + W h_(t-1) + b), g = tanh(x_g + W_g "
        "h_(t-1) + b_g)",
    .derivative = "back through time; dW += sum_t dgates_t' h_(t-1) as one product",
    .outputs = 2,
    .shape = output_shapes,
    .forward = forward,
    .work = backward_work,
    .backward = backward,
    .can_set = 1U << X,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** An LSTM over a padded batch of sequences, given the input part of the gates.
 *  Shapes:  x [batch, time, 4 hidden] = W_ih input + b_ih, gates in the order i, f, g, o; or, with `tokens` [batch,
 *           time], a table [rows, 4 hidden] in which each token reads its row in place (NULL: no table); initial [batch,
 *           2 hidden] = [h; c] or NULL for zeros; weight_hh [4 hidden, hidden]; bias_hh [4 hidden]
 *           -> outputs [batch, time, hidden], the h of each step, zero after the end of a row; output 1: the final
 *           [h; c] [batch, 2 hidden].
 *  Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full. `reverse` starts at the end of each row.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:    O(batch time hidden^2); threads fork once for all steps.
 *  Source:  Hochreiter, Schmidhuber 1997, with the forget gate of Gers, Schmidhuber, Cummins 2000, as in PyTorch. */
lb_tensor *lb_lstm_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                            lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_gru_attributes all = {.lengths = lengths, .reverse = reverse, .gates = GATES};
    if (tokens) all.tokens = *tokens;
    return lb_op_apply(&lstm_op, LB_INPUTS(x, initial, weight_hh, bias_hh), &all, sizeof all);
}

static const lb_op *const ops[] = {&lstm_op};
const lb_op_family lb_family_lstm = {ops, LB_LENGTH(ops)};
