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

#include <string.h>

enum { X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS, FINAL };
enum { GATES = 3 };

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

/* The data of all threads. */
typedef struct forward_pass {
    const lb_node *node;
    lb_gru_input x;
    lb_panels weight[GATES];
    lb_real *product; /* [batch, 3 hidden]: W_hh h */
    lb_real *spare;   /* [threads, LB_GRU_SAVED hidden]: saved for a backward that will not come */
} forward_pass;

/* W_hh h of the active rows. Without a state yet, there is nothing to multiply. */
static void multiply_states(const forward_pass *pass, const lb_walk *walk, int64_t t, bool begun)
{
    int64_t hidden = pass->x.hidden;
    lb_matrix states = lb_plain(pass->node->out[FINAL]->data, hidden);
    for (int gate = 0; gate < GATES && begun; gate++)
        lb_walk_multiply(walk, t, &pass->weight[gate], 0, hidden, states, 0, pass->product + gate * hidden,
                         GATES * hidden);
}

/* The member's units after step t. A row without a token keeps its state. */
static void pass_gates(const forward_pass *pass, const lb_walk *walk, int64_t t)
{
    const lb_node *node = pass->node;
    const lb_member *me = walk->me;
    int64_t hidden = pass->x.hidden, first = walk->first_unit, count = walk->end_unit - first;
    lb_real *spare = pass->spare + (me->group * me->grid.width + me->place) * LB_GRU_SAVED * hidden;
    for (int64_t row = walk->first_row; row < walk->end_row; row += walk->parts) {
        int64_t at = row * pass->x.steps + t;
        lb_real *saved = node->saved ? (lb_real *)node->saved + at * LB_GRU_SAVED * hidden : spare;
        lb_real *out = node->out[OUTPUTS]->data + at * hidden + first;
        if (lb_gru_input_has(&pass->x, row, t)) {
            lb_gru_gates(hidden, count, lb_gru_input_row(&pass->x, at) + first,
                         pass->product + row * GATES * hidden + first, node->in[BIAS]->data + first,
                         node->out[FINAL]->data + row * hidden + first, out, saved + first);
            continue;
        }
        memset(out, 0, (size_t)count * sizeof *out);
        for (int part = 0; part < LB_GRU_SAVED; part++)
            memset(saved + part * hidden + first, 0, (size_t)count * sizeof *saved);
    }
}

static void walk_forward(const lb_member *me, void *context)
{
    const forward_pass *pass = context;
    lb_walk walk = lb_walk_of(me, &pass->x);
    for (int gate = 0; gate < GATES; gate++) lb_walk_pack(&walk, &pass->weight[gate]);
    lb_team_meet_all(me);
    for (int64_t i = 0; i < pass->x.steps; i++) {
        int64_t t = time_at(pass->node, pass->x.steps, i, false);
        multiply_states(pass, &walk, t, i > 0 || pass->node->in[INITIAL]);
        lb_team_meet(me);
        pass_gates(pass, &walk, t);
        lb_team_meet(me);
    }
}

static lb_grid grid_of(const lb_gru_input *x)
{
    return lb_recurrence_grid(x, GATES * x->hidden * x->hidden, 0);
}

static lb_status forward(lb_node *node)
{
    forward_pass pass = {.node = node, .x = lb_gru_input_of(node, X)};
    int64_t batch = pass.x.batch, hidden = pass.x.hidden;
    lb_real *state = node->out[FINAL]->data;
    pass.product = lb_op_zeros(node, batch * GATES * hidden);
    pass.spare = lb_op_reals(node, LB_MOST_IN_TEAM * LB_GRU_SAVED * hidden);
    if (node->records) node->saved = lb_op_reals(node, batch * pass.x.steps * LB_GRU_SAVED * hidden);
    if (!pass.product || !pass.spare || (node->records && !node->saved)) return LB_ERROR_MEMORY;
    if (!lb_recurrence_panels(node, &pass.x, node->in[WEIGHT], 0, hidden, GATES, pass.weight))
        return LB_ERROR_MEMORY;
    if (node->in[INITIAL])
        memcpy(state, node->in[INITIAL]->data, (size_t)(batch * hidden) * sizeof *state);
    else
        memset(state, 0, (size_t)(batch * hidden) * sizeof *state);
    lb_team_run(grid_of(&pass.x), walk_forward, &pass);
    return LB_OK;
}

/* The data of all threads. */
typedef struct backward_pass {
    lb_node *node;
    lb_gru_input x;
    lb_gru_gradient gradient; /* of the gates at all steps */
    lb_real *dstate;          /* [batch, hidden]: at last the gradient of the initial state */
    lb_panels weight;
} backward_pass;

/* Divides a block among the parts, and returns how much it takes. */
static int64_t lay_out(backward_pass *pass, lb_real *block)
{
    lb_parts parts = {.block = block};
    int64_t hidden = pass->x.hidden;
    pass->dstate = lb_parts_next(&parts, pass->x.batch * hidden);
    pass->weight = lb_recurrence_panels_back(&pass->x, &parts, lb_plain(pass->node->in[WEIGHT]->data, hidden),
                                             GATES * hidden, hidden);
    return parts.count;
}

/* The gradient of the gates of step t, for the member's units. */
static void pass_gates_back(const backward_pass *pass, const lb_walk *walk, int64_t t)
{
    int64_t hidden = pass->x.hidden, first = walk->first_unit, count = walk->end_unit - first;
    for (int64_t row = walk->first_row; row < walk->end_row; row += walk->parts) {
        int64_t at = row * pass->x.steps + t;
        lb_real *dx = pass->gradient.x + at * pass->gradient.x_stride + first;
        if (lb_gru_input_has(&pass->x, row, t))
            lb_gru_gates_backward(hidden, count,
                                  (lb_real *)pass->node->saved + at * LB_GRU_SAVED * hidden + first,
                                  pass->node->out[OUTPUTS]->grad + at * hidden + first, dx,
                                  pass->dstate + row * hidden + first);
        else
            for (int gate = 0; gate < GATES; gate++)
                memset(dx + gate * hidden, 0, (size_t)count * sizeof *dx);
    }
}

static void walk_back(const lb_member *me, void *context)
{
    const backward_pass *pass = context;
    lb_walk walk = lb_walk_of(me, &pass->x);
    lb_walk_pack(&walk, &pass->weight);
    lb_team_meet_all(me);
    for (int64_t i = 0; i < pass->x.steps; i++) {
        int64_t t = time_at(pass->node, pass->x.steps, i, true);
        pass_gates_back(pass, &walk, t);
        lb_team_meet(me);
        if (i < pass->x.steps - 1 || pass->node->in[INITIAL])
            lb_gru_walk_states_back(&walk, t, pass->gradient, &pass->weight, pass->dstate);
    }
}

static int64_t backward_work(const lb_node *node)
{
    backward_pass pass = {.node = (lb_node *)node, .x = lb_gru_input_of(node, X)};
    return lay_out(&pass, NULL);
}

static void backward(lb_node *node)
{
    backward_pass pass = {.node = node, .x = lb_gru_input_of(node, X)};
    const lb_gru_input *x = &pass.x;
    int64_t hidden = x->hidden, kept = LB_GRU_SAVED * hidden;
    lb_real *saved = node->saved;
    lay_out(&pass, node->work);
    pass.gradient = lb_gru_gradient_in(node, X, x, saved, kept);
    memcpy(pass.dstate, node->out[FINAL]->grad, (size_t)(x->batch * hidden) * sizeof *pass.dstate);
    lb_team_run(grid_of(x), walk_back, &pass);
    lb_gru_give_input_gradient(node, X, x, pass.gradient);
    lb_op_add_grad(node->in[INITIAL], pass.dstate);
    lb_gru_add_weight_gradient(pass.gradient, x->batch * x->steps,
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
