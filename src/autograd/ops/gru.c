/* A GRU over a whole padded sequence: the recurrent part, in one op. The input's part of the gates, W_ih x + b_ih, is
 * one product for all time steps and comes in ready. lb_plain_gru_sequence is the same in small steps. */
#include "autograd/gru_gradient.h"
#include "autograd/op.h"
#include "autograd/ops.h"
#include "tensor/accumulate.h"
#include "tensor/elementary.h"
#include "tensor/gemm.h"
#include "tensor/gru_kernel.h"
#include "tensor/row_tiles.h"

#include <string.h>

enum { X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS, FINAL };
/* A saved row holds the gates and then the state that was before. */
enum { SAVED = LB_GRU_SAVED + 1 };

typedef struct sequence {
    const int32_t *lengths; /* NULL: all rows are full */
    bool reverse;
} sequence;

static int64_t length_of(const lb_node *node, int64_t row)
{
    const sequence *s = node->attributes;
    return s->lengths ? s->lengths[row] : lb_dim(node->in[X], 1);
}

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_shape x = node->in[X]->shape, weight = node->in[WEIGHT]->shape;
    int64_t hidden = weight.ndim == 2 ? weight.dim[1] : -1;
    if (x.ndim != 3 || !lb_shape_equal(weight, LB_SHAPE(3 * hidden, hidden)) || x.dim[2] != 3 * hidden)
        return lb_op_misfit(node, "the gates do not fit", "x", X, "weight_hh", WEIGHT);
    if (!lb_shape_equal(node->in[BIAS]->shape, LB_SHAPE(3 * hidden)))
        return lb_op_misfit(node, "the bias does not fit", "bias_hh", BIAS, "weight_hh", WEIGHT);
    out[FINAL] = LB_SHAPE(x.dim[0], hidden);
    if (node->in[INITIAL] && !lb_shape_equal(node->in[INITIAL]->shape, out[FINAL]))
        return lb_op_misfit(node, "the initial state does not fit", "initial", INITIAL, "x", X);
    out[OUTPUTS] = LB_SHAPE(x.dim[0], x.dim[1], hidden);
    for (int64_t row = 0; row < x.dim[0]; row++)
        if (length_of(node, row) < 0 || length_of(node, row) > x.dim[1])
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "row %lld has length %lld of %lld", (long long)row,
                              (long long)length_of(node, row), (long long)x.dim[1]);
    return LB_OK;
}

/* Time step number `i` of a walk in the op's direction, or against it. */
static int64_t time_at(const lb_node *node, int64_t i, bool backward)
{
    const sequence *s = node->attributes;
    return s->reverse != backward ? lb_dim(node->in[X], 1) - 1 - i : i;
}

/* `state` [height, hidden] goes through all steps; `product` [height, 3 hidden] is working memory. A row keeps its
 * state where it has no token. */
static void forward_tile(lb_node *node, lb_matrix weight, int64_t first, int64_t height, lb_real *state,
                         lb_real *product, lb_real *spare)
{
    int64_t steps = lb_dim(node->in[X], 1), hidden = lb_dim(node->in[WEIGHT], 1);
    const lb_real *bias = node->in[BIAS]->data;
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, i, false);
        lb_gemm_serial(height, 3 * hidden, hidden, lb_plain(state, hidden), weight, 0, product, 3 * hidden);
        for (int64_t row = 0; row < height; row++) {
            int64_t at = (first + row) * steps + t;
            lb_real *saved = node->saved ? (lb_real *)node->saved + at * SAVED * hidden : spare;
            lb_real *h = state + row * hidden, *out = node->out[OUTPUTS]->data + at * hidden;
            if (t >= length_of(node, first + row)) {
                memset(out, 0, (size_t)hidden * sizeof *out);
                memset(saved, 0, (size_t)(SAVED * hidden) * sizeof *saved);
                continue;
            }
            memcpy(saved + LB_GRU_SAVED * hidden, h, (size_t)hidden * sizeof *h);
            lb_gru_gates(hidden, node->in[X]->data + at * 3 * hidden, product + row * 3 * hidden, bias, h, h,
                         saved);
            memcpy(out, h, (size_t)hidden * sizeof *h);
        }
    }
}

static lb_status forward(lb_node *node)
{
    int64_t batch = lb_dim(node->in[X], 0), steps = lb_dim(node->in[X], 1),
            hidden = lb_dim(node->in[WEIGHT], 1);
    lb_row_tiles tiles = lb_row_tiles_of(batch);
    lb_real *product = lb_op_reals(node, tiles.count * (tiles.rows * 3 + SAVED) * hidden);
    lb_real *state = node->out[FINAL]->data;
    if (node->records) node->saved = lb_op_reals(node, batch * steps * SAVED * hidden);
    lb_matrix weight;
    if (!product || (node->records && !node->saved)) return LB_ERROR_MEMORY;
    if (!lb_op_transposed_weight(node, node->in[WEIGHT], 0, hidden, batch * steps, &weight))
        return LB_ERROR_MEMORY;
    if (node->in[INITIAL])
        memcpy(state, node->in[INITIAL]->data, (size_t)(batch * hidden) * sizeof *state);
    else
        memset(state, 0, (size_t)(batch * hidden) * sizeof *state);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++) {
        lb_real *own = product + tile * (tiles.rows * 3 + SAVED) * hidden;
        forward_tile(node, weight, tile * tiles.rows, lb_row_tile_height(tiles, tile, batch),
                     state + tile * tiles.rows * hidden, own, own + tiles.rows * 3 * hidden);
    }
    return LB_OK;
}

/* Once all steps are done, or those that are: the gradient of W_hh h + b_hh. */
static lb_gru_gradient gradient_of(const lb_node *node, const lb_real *dx)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    return (lb_gru_gradient){.hidden = hidden,
                             .rz = dx,
                             .rz_stride = 3 * hidden,
                             .n = (const lb_real *)node->saved + LB_GRU_SAVED_H * hidden,
                             .n_stride = SAVED * hidden};
}

/* dx [batch * steps, 3 hidden] becomes the gradient of x, dstate [height, hidden] that of the initial state. */
static void backward_tile(lb_node *node, int64_t first, int64_t height, lb_real *dstate, lb_real *dx)
{
    int64_t steps = lb_dim(node->in[X], 1), hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = time_at(node, i, true);
        for (int64_t row = 0; row < height; row++) {
            int64_t at = (first + row) * steps + t;
            lb_real *d = dstate + row * hidden, *dx_row = dx + at * 3 * hidden;
            if (t >= length_of(node, first + row)) {
                memset(dx_row, 0, (size_t)(3 * hidden) * sizeof *dx_row);
                continue;
            }
            lb_real *saved = (lb_real *)node->saved + at * SAVED * hidden;
            lb_add_to(hidden, node->out[OUTPUTS]->grad + at * hidden, d);
            lb_gru_gates_backward(hidden, saved, saved + LB_GRU_SAVED * hidden, d, dx_row, d);
        }
        lb_gru_gradient now = lb_gru_gradient_rows(gradient_of(node, dx), first * steps + t, steps);
        lb_gru_add_state_gradient(now, height, node->in[WEIGHT], dstate);
    }
}

/* dstate [batch, hidden], and dx [batch * steps, 3 hidden] if that is not the gradient of x itself */
static int64_t backward_work(const lb_node *node)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1), batch = lb_dim(node->in[X], 0);
    return batch * hidden + (lb_op_sets(node, X) ? 0 : lb_count(node->in[X]));
}

static void backward(lb_node *node)
{
    int64_t batch = lb_dim(node->in[X], 0), steps = lb_dim(node->in[X], 1),
            hidden = lb_dim(node->in[WEIGHT], 1);
    lb_row_tiles tiles = lb_row_tiles_of(batch);
    lb_real *dstate = node->work;
    lb_real *dx = lb_op_sets(node, X) ? node->in[X]->grad : dstate + batch * hidden;
    memcpy(dstate, node->out[FINAL]->grad, (size_t)(batch * hidden) * sizeof *dstate);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++)
        backward_tile(node, tile * tiles.rows, lb_row_tile_height(tiles, tile, batch),
                      dstate + tile * tiles.rows * hidden, dx);
    if (!lb_op_sets(node, X)) lb_op_add_grad(node->in[X], dx);
    lb_op_add_grad(node->in[INITIAL], dstate);
    const lb_real *previous = (const lb_real *)node->saved + LB_GRU_SAVED * hidden;
    lb_gru_add_weight_gradient(gradient_of(node, dx), batch * steps, lb_plain(previous, SAVED * hidden),
                               node->in[WEIGHT], node->in[BIAS]);
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

/* The rows of `out` serve as the memory of the state: of the outputs' row for the next state, of the final's for this. */
static void reference(const lb_node *node, double *const *out)
{
    int64_t steps = lb_dim(node->in[X], 1), hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t row = 0; row < lb_dim(node->in[X], 0); row++) {
        double *state = out[FINAL] + row * hidden;
        for (int64_t j = 0; j < hidden; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * hidden + j] : 0;
        for (int64_t i = 0; i < length_of(node, row); i++) {
            bool reverse = ((const sequence *)node->attributes)->reverse;
            int64_t at = row * steps + (reverse ? length_of(node, row) - 1 - i : i);
            reference_step(node, node->in[X]->data + at * 3 * hidden, state, out[OUTPUTS] + at * hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[0], NULL, in[1], in[2], NULL, false);
}

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)}, .apply = padded_case},
    {"padded, reverse",
     4,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)},
     .apply = reverse_case},
    {"no initial state", 3, {LB_DIMS(2, 3, 9), LB_DIMS(9, 3), LB_DIMS(9)}, .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, 3), LB_DIMS(3, 1), LB_DIMS(3)}, .apply = full_case},
};

static const lb_op gru_op = {
    .name = "gru_sequence",
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

/** A GRU over a padded batch of sequences, given the input's part of the gates.
 *  Shapes:  x [batch, time, 3 hidden] = W_ih input + b_ih, gates in the order r, z, n; initial [batch, hidden] or NULL
 *           for zeros; weight_hh [3 hidden, hidden]; bias_hh [3 hidden]
 *           -> outputs [batch, time, hidden], zero behind a row's end; output 1: the final state [batch, hidden].
 *  Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full. `reverse` starts at each row's end.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not within 0..time.
 *  Cost:    O(batch time hidden^2); one fork for all steps.
 *  Source:  Cho et al. 2014, arXiv:1406.1078, in PyTorch's variant (tensor/gru_kernel.h). */
lb_tensor *lb_gru_sequence(lb_tensor *x, lb_tensor *initial, lb_tensor *weight_hh, lb_tensor *bias_hh,
                           const int32_t *lengths, bool reverse)
{
    return lb_op_apply(&gru_op, LB_INPUTS(x, initial, weight_hh, bias_hh), &(sequence){lengths, reverse},
                       sizeof(sequence));
}

static const lb_op *const ops[] = {&gru_op};
const lb_op_family lb_family_gru = {ops, LB_LENGTH(ops)};
