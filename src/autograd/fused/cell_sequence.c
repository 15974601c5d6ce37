/* A GRU or an LSTM over a whole batch of sequences, forward and backward, for ops/gru.c and ops/lstm.c. */
#include "autograd/fused/recurrence.h"

#include <string.h>

/* A run of an op, and what all threads share of it. Forward: */
typedef struct sequence {
    const lb_cell *cell;
    const lb_node *node;
    lb_gru_input x;
    lb_panels gate[LB_MOST_GATES]; /* the weight */
    lb_real *product;              /* [batch, gates hidden]: W_hh h */
    lb_real *spare;                /* [threads, saved hidden]: where backward will not come */
    /* Backward: */
    lb_gru_gradient gradient; /* of the gates at all steps */
    lb_real *dstate;          /* [batch, state hidden]: at last the gradient of the initial state */
    lb_panels weight;
} sequence;

static const lb_cell *cell_of(const lb_node *node)
{
    return &((const lb_cell_op *)node->op)->cell;
}

static sequence sequence_of(const lb_node *node)
{
    return (sequence){.cell = cell_of(node), .node = node, .x = lb_gru_input_of(node, LB_CELL_X)};
}

lb_status lb_cell_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status = lb_gru_input_check(node, LB_CELL_X, LB_CELL_INITIAL, LB_CELL_WEIGHT, LB_CELL_BIAS);
    if (status) return status;
    lb_gru_input x = lb_gru_input_of(node, LB_CELL_X);
    out[LB_CELL_OUTPUTS] = LB_SHAPE(x.batch, x.steps, x.hidden);
    out[LB_CELL_FINAL] = LB_SHAPE(x.batch, cell_of(node)->state * x.hidden);
    return LB_OK;
}

static lb_grid grid_of(const sequence *s)
{
    return lb_recurrence_grid(&s->x, s->cell->gates * s->x.hidden * s->x.hidden, 0);
}

/* The time of step `i` in the direction of the op, or against it. */
static int64_t time_at(const sequence *s, int64_t i, bool backward)
{
    bool reverse = ((const lb_gru_attributes *)s->node->attributes)->reverse;
    return reverse != backward ? s->x.steps - 1 - i : i;
}

/* Clears the worker's units in each of some parts of a row. */
static void clear_units(const sequence *s, const lb_worker *worker, int parts, lb_real *row)
{
    for (int part = 0; part < parts; part++)
        lb_clear(worker->end_unit - worker->first_unit, row + part * s->x.hidden + worker->first_unit);
}

/* W_hh h of the active rows. Without a state yet, there is nothing to multiply. */
static void multiply_states(const sequence *s, const lb_worker *worker, int64_t t)
{
    int64_t hidden = s->x.hidden, gates = s->cell->gates;
    lb_matrix states = lb_plain(s->node->out[LB_CELL_FINAL]->data, s->cell->state * hidden);
    for (int64_t gate = 0; gate < gates; gate++)
        lb_worker_multiply(worker, t, &s->gate[gate], 0, hidden, states, 0, s->product + gate * hidden,
                           gates * hidden);
}

/* Computes the worker's units after step t. A row without a token keeps its state. */
static void pass_gates(const sequence *s, const lb_worker *worker, int64_t t)
{
    const lb_cell *cell = s->cell;
    const lb_node *node = s->node;
    int64_t hidden = s->x.hidden, first = worker->first_unit, kept = cell->saved * hidden;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts) {
        int64_t at = row * s->x.steps + t;
        lb_real *saved =
            node->saved ? (lb_real *)node->saved + at * kept : s->spare + lb_worker_number(worker) * kept;
        lb_real *out = node->out[LB_CELL_OUTPUTS]->data + at * hidden;
        if (lb_gru_input_has(&s->x, row, t)) {
            cell->step(hidden, worker->end_unit - first, lb_gru_input_row(&s->x, at) + first,
                       s->product + row * cell->gates * hidden + first, node->in[LB_CELL_BIAS]->data + first,
                       node->out[LB_CELL_FINAL]->data + row * cell->state * hidden + first, out + first,
                       saved + first);
        } else {
            clear_units(s, worker, 1, out);
            clear_units(s, worker, cell->saved, saved);
        }
    }
}

static void forward_worker(const lb_team_thread *thread, void *context)
{
    const sequence *s = context;
    lb_worker worker = lb_worker_of(thread, &s->x);
    for (int gate = 0; gate < s->cell->gates; gate++) lb_worker_pack(&worker, &s->gate[gate]);
    lb_team_barrier_all(thread);
    for (int64_t i = 0; i < s->x.steps; i++) {
        int64_t t = time_at(s, i, false);
        if (i > 0 || s->node->in[LB_CELL_INITIAL]) multiply_states(s, &worker, t);
        lb_team_barrier(thread);
        pass_gates(s, &worker, t);
        lb_team_barrier(thread);
    }
}

lb_status lb_cell_forward(lb_node *node)
{
    sequence s = sequence_of(node);
    int64_t batch = s.x.batch, hidden = s.x.hidden, kept = s.cell->saved * hidden;
    lb_tensor *initial = node->in[LB_CELL_INITIAL], *final = node->out[LB_CELL_FINAL];
    lb_grid grid = grid_of(&s);
    s.product = lb_op_zeros(node, batch * s.cell->gates * hidden);
    lb_real *saved = lb_op_reals(node, (node->records ? batch * s.x.steps : lb_grid_threads(grid)) * kept);
    if (node->records)
        node->saved = saved;
    else
        s.spare = saved;
    if (!s.product || !saved ||
        !lb_recurrence_panels(node, &s.x, node->in[LB_CELL_WEIGHT], 0, hidden, s.cell->gates, s.gate))
        return LB_ERROR_MEMORY;
    if (initial)
        memcpy(final->data, initial->data, (size_t)lb_count(final) * sizeof(lb_real));
    else
        lb_clear(lb_count(final), final->data);
    lb_team_run(grid, forward_worker, &s);
    return LB_OK;
}

/* Divides a block among the parts of backward, and returns how much it takes. */
static int64_t lay_out(sequence *s, lb_real *block)
{
    lb_parts parts = {.block = block};
    int64_t hidden = s->x.hidden;
    s->dstate = lb_parts_next(&parts, s->x.batch * s->cell->state * hidden);
    s->weight = lb_recurrence_panels_back(
        &s->x, &parts, lb_op_rounded(s->node, lb_plain(s->node->in[LB_CELL_WEIGHT]->data, hidden)),
        s->cell->gates * hidden, hidden);
    return parts.count;
}

int64_t lb_cell_work(const lb_node *node)
{
    sequence s = sequence_of(node);
    return lay_out(&s, NULL);
}

/* The gradient of the gates of step t, for the worker's units. */
static void pass_gates_back(const sequence *s, const lb_worker *worker, int64_t t)
{
    const lb_cell *cell = s->cell;
    int64_t hidden = s->x.hidden, first = worker->first_unit;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts) {
        int64_t at = row * s->x.steps + t;
        lb_real *dx = s->gradient.x + at * s->gradient.x_stride;
        if (lb_gru_input_has(&s->x, row, t))
            cell->back(hidden, worker->end_unit - first,
                       (lb_real *)s->node->saved + at * cell->saved * hidden + first,
                       s->node->out[LB_CELL_OUTPUTS]->grad + at * hidden + first, dx + first,
                       s->dstate + row * cell->state * hidden + first);
        else
            clear_units(s, worker, cell->gates, dx);
    }
}

static void backward_worker(const lb_team_thread *thread, void *context)
{
    const sequence *s = context;
    lb_worker worker = lb_worker_of(thread, &s->x);
    lb_worker_pack(&worker, &s->weight);
    lb_team_barrier_all(thread);
    for (int64_t i = 0; i < s->x.steps; i++) {
        int64_t t = time_at(s, i, true);
        pass_gates_back(s, &worker, t);
        lb_team_barrier(thread);
        if (i < s->x.steps - 1 || s->node->in[LB_CELL_INITIAL])
            lb_gru_multiply_states_back(&worker, t, s->gradient, &s->weight, s->dstate,
                                        s->cell->state * s->x.hidden);
    }
}

void lb_cell_backward(lb_node *node)
{
    sequence s = sequence_of(node);
    int64_t kept = s.cell->saved * s.x.hidden;
    lb_real *saved = node->saved;
    lay_out(&s, node->work);
    s.gradient = lb_gru_gradient_in(node, LB_CELL_X, &s.x, saved, kept);
    memcpy(s.dstate, node->out[LB_CELL_FINAL]->grad,
           (size_t)lb_count(node->out[LB_CELL_FINAL]) * sizeof *s.dstate);
    lb_team_run(grid_of(&s), backward_worker, &s);
    lb_gru_give_input_gradient(node, LB_CELL_X, &s.x, s.gradient);
    lb_op_add_grad(node->in[LB_CELL_INITIAL], s.dstate);
    lb_gru_add_weight_gradient(s.gradient, s.x.batch * s.x.steps,
                               lb_op_rounded(node, lb_plain(saved + s.cell->previous * s.x.hidden, kept)),
                               node->in[LB_CELL_WEIGHT], node->in[LB_CELL_BIAS]);
}
