/* The recurrent part of a GRU over a whole padded sequence, in one op. The input part of the gates, W_ih x + b_ih, is
 * an
 * operand: one product for all time steps. lb_unfused_gru_sequence computes the same in small steps. */
#include "autograd/gru_gradient.h"
#include "autograd/op.h"
#include "autograd/parts.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"
#include "tensor/gemm.h"
#include "tensor/gru_kernel.h"
#include "tensor/row_tiles.h"

#include <string.h>

enum { X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS, FINAL };

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status = lb_gru_input_check(node, X, INITIAL, WEIGHT, BIAS);
    if (status) return status;
    lb_gru_input x = lb_gru_input_of(node, X);
    out[OUTPUTS] = LB_SHAPE(x.batch, x.steps, x.hidden);
    out[FINAL] = LB_SHAPE(x.batch, x.hidden);
    return LB_OK;
}

static bool is_reverse(const lb_node *node)
{
    return ((const lb_gru_attributes *)node->attributes)->reverse;
}

/* Step `i` of a walk in the direction of the op, or against it. */
static int64_t time_at(const lb_node *node, int64_t steps, int64_t i, bool backward)
{
    return is_reverse(node) != backward ? steps - 1 - i : i;
}

/* Some rows of the batch, and the working memory of one thread. */
typedef struct forward_tile {
    int64_t first, height;
    lb_real *state;   /* [height, hidden]: the final one is the one in between as well */
    lb_real *product; /* [rows, 3 hidden]: W_hh h */
    lb_real *spare;   /* [LB_GRU_SAVED hidden]: saved for a backward that will not come */
} forward_tile;

/* Divides a block among the parts of a tile that need memory, and returns how much they take. */
static int64_t lay_out(const lb_gru_input *x, lb_real *block, forward_tile *tile)
{
    lb_parts parts = {.block = block};
    tile->product = lb_parts_next(&parts, lb_row_tiles_of(x->batch).rows * 3 * x->hidden);
    tile->spare = lb_parts_next(&parts, LB_GRU_SAVED * x->hidden);
    return parts.count;
}

/* W_hh h of the active rows. Without a state yet, there is nothing to multiply. */
static void multiply_states(const forward_tile *tile, lb_matrix weight, int64_t present, int64_t hidden,
                            bool begun)
{
    if (begun)
        lb_gemm_serial(present, 3 * hidden, hidden, lb_plain(tile->state, hidden), weight, 0, tile->product,
                       3 * hidden);
    else
        memset(tile->product, 0, (size_t)(present * 3 * hidden) * sizeof *tile->product);
}

/* All steps of the rows of a tile. A row without a token keeps its state. */
static void run_tile(const lb_node *node, const lb_gru_input *x, lb_matrix weight, const forward_tile *tile)
{
    int64_t steps = x->steps, hidden = x->hidden, kept = LB_GRU_SAVED * hidden;
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, steps, i, false);
        int64_t present = lb_gru_input_height(x, tile->first, tile->height, t);
        multiply_states(tile, weight, present, hidden, i > 0 || node->in[INITIAL]);
        for (int64_t row = 0; row < tile->height; row++) {
            int64_t at = (tile->first + row) * steps + t;
            lb_real *saved = node->saved ? (lb_real *)node->saved + at * kept : tile->spare;
            lb_real *out = node->out[OUTPUTS]->data + at * hidden;
            if (lb_gru_input_has(x, tile->first + row, t)) {
                lb_gru_gates(hidden, lb_gru_input_row(x, at), tile->product + row * 3 * hidden,
                             node->in[BIAS]->data, tile->state + row * hidden, out, saved);
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
    int64_t batch = x.batch, steps = x.steps, hidden = x.hidden;
    lb_row_tiles tiles = lb_row_tiles_of(batch);
    int64_t size = lay_out(&x, NULL, &(forward_tile){0});
    lb_real *memory = lb_op_reals(node, tiles.count * size), *state = node->out[FINAL]->data;
    if (node->records) node->saved = lb_op_reals(node, batch * steps * LB_GRU_SAVED * hidden);
    lb_matrix weight;
    if (!memory || (node->records && !node->saved)) return LB_ERROR_MEMORY;
    if (!lb_op_transposed_weight(node, node->in[WEIGHT], 0, hidden, batch * steps, &weight))
        return LB_ERROR_MEMORY;
    if (node->in[INITIAL])
        memcpy(state, node->in[INITIAL]->data, (size_t)(batch * hidden) * sizeof *state);
    else
        memset(state, 0, (size_t)(batch * hidden) * sizeof *state);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t i = 0; i < tiles.count; i++) {
        forward_tile tile = {.first = i * tiles.rows,
                             .height = lb_row_tile_height(tiles, i, batch),
                             .state = state + i * tiles.rows * hidden};
        lay_out(&x, memory + i * size, &tile);
        run_tile(node, &x, weight, &tile);
    }
    return LB_OK;
}

/* dstate [height, hidden] receives the gradient of the initial state. */
static void backward_tile(lb_node *node, const lb_gru_input *x, lb_gru_gradient all, int64_t first,
                          int64_t height, lb_real *dstate)
{
    int64_t steps = x->steps, hidden = x->hidden;
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, steps, i, true), present = lb_gru_input_height(x, first, height, t);
        lb_gru_gradient now = lb_gru_gradient_rows(all, first * steps + t, steps);
        for (int64_t row = 0; row < height; row++) {
            int64_t at = (first + row) * steps + t;
            lb_real *dx = now.x + row * now.x_stride;
            if (lb_gru_input_has(x, first + row, t))
                lb_gru_gates_backward(hidden, (lb_real *)node->saved + at * LB_GRU_SAVED * hidden,
                                      node->out[OUTPUTS]->grad + at * hidden, dx, dstate + row * hidden);
            else
                memset(dx, 0, (size_t)(3 * hidden) * sizeof *dx);
        }
        if (i < steps - 1 || node->in[INITIAL])
            lb_gru_add_state_gradient(now, present, node->in[WEIGHT], dstate);
    }
}

/* dstate [batch, hidden] */
static int64_t backward_work(const lb_node *node)
{
    return lb_count(node->out[FINAL]);
}

static void backward(lb_node *node)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    lb_row_tiles tiles = lb_row_tiles_of(x.batch);
    int64_t hidden = x.hidden, kept = LB_GRU_SAVED * hidden;
    lb_real *dstate = node->work, *saved = node->saved;
    lb_gru_gradient gradient = lb_gru_gradient_in(node, X, &x, saved, kept);
    memcpy(dstate, node->out[FINAL]->grad, (size_t)(x.batch * hidden) * sizeof *dstate);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++)
        backward_tile(node, &x, gradient, tile * tiles.rows, lb_row_tile_height(tiles, tile, x.batch),
                      dstate + tile * tiles.rows * hidden);
    lb_gru_give_input_gradient(node, X, &x, gradient);
    lb_op_add_grad(node->in[INITIAL], dstate);
    lb_gru_add_weight_gradient(gradient, x.batch * x.steps,
                               lb_plain(saved + LB_GRU_SAVED_PREVIOUS * hidden, kept), node->in[WEIGHT],
                               node->in[BIAS]);
}

static double gate(const lb_node *node, const double *state, int64_t which)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    double sum = (double)node->in[BIAS]->data[which];
    for (int64_t j = 0; j < hidden; j++) sum += (double)node->in[WEIGHT]->data[which * hidden + j] * state[j];
    return sum;
}

static void reference_step(const lb_node *node, const lb_real *x, double *state, double *next)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double r = 1 / (1 + exp(-(double)x[j] - gate(node, state, j)));
        double z = 1 / (1 + exp(-(double)x[hidden + j] - gate(node, state, hidden + j)));
        double n = tanh((double)x[2 * hidden + j] + r * gate(node, state, 2 * hidden + j));
        next[j] = (1 - z) * n + z * state[j];
    }
    memcpy(state, next, (size_t)hidden * sizeof *state);
}

/* The rows of `out` serve as the memory of the state: of the outputs' row for the next state, of the final's for
 * this. */
static void reference(const lb_node *node, double *const *out)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    int64_t steps = x.steps, hidden = x.hidden;
    for (int64_t row = 0; row < x.batch; row++) {
        double *state = out[FINAL] + row * hidden;
        for (int64_t j = 0; j < hidden; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * hidden + j] : 0;
        int64_t length = lb_gru_input_length(&x, row);
        for (int64_t i = 0; i < length; i++) {
            int64_t at = row * steps + (is_reverse(node) ? length - 1 - i : i);
            reference_step(node, lb_gru_input_row(&x, at), state, out[OUTPUTS] + at * hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[0], NULL, NULL, in[1], in[2], NULL, false);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 0, 0, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, example_lengths};
    return lb_gru_sequence(in[X], &tokens, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)}, .apply = padded_case},
    {"padded, reverse",
     4,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)},
     .apply = reverse_case},
    {"no initial state", 3, {LB_DIMS(2, 3, 9), LB_DIMS(9, 3), LB_DIMS(9)}, .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, 3), LB_DIMS(3, 1), LB_DIMS(3)}, .apply = full_case},
    {"a table", 4, {LB_DIMS(5, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)}, .apply = table_case},
};

static const lb_op gru_op = {
    .name = "gru_sequence",
    .operands = "x initial? weight_hh bias_hh",
    .formula = "h_t = (1 - z) n + z h_(t-1), [r z] = sigmoid(x_rz + W_rz h_(t-1) + b_rz), n = tanh(x_n + r "
               "(W_n h_(t-1) + b_n))",
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

/** A GRU over a padded batch of sequences, given the input part of the gates.
 *  Shapes:  x [batch, time, 3 hidden] = W_ih input + b_ih, gates in the order r, z, n; or, with `tokens` [batch, time],
 *           a table [rows, 3 hidden] in which each token reads its row in place (NULL: no table); initial [batch,
 *           hidden] or NULL for zeros; weight_hh [3 hidden, hidden]; bias_hh [3 hidden]
 *           -> outputs [batch, time, hidden], zero after the end of a row; output 1: the final state [batch, hidden].
 *  Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full. `reverse` starts at the end of each row.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:    O(batch time hidden^2); threads fork once for all steps.
 *  Source:  Cho et al. 2014, arXiv:1406.1078, in the variant of PyTorch (tensor/gru_kernel.h). */
lb_tensor *lb_gru_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                           lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_gru_attributes all = {.lengths = lengths, .reverse = reverse};
    if (tokens) all.tokens = *tokens;
    return lb_op_apply(&gru_op, LB_INPUTS(x, initial, weight_hh, bias_hh), &all, sizeof all);
}

static const lb_op *const ops[] = {&gru_op};
const lb_op_family lb_family_gru = {ops, LB_LENGTH(ops)};
