/* The forward pass of lb_attention_gru_sequence. At each step, the threads of a team (autograd/fused/recurrence.h)
 * compute the columns of the products with the states, then attend for their rows, then compute the gates of their
 * units. */
#include "autograd/fused/attention_gru_internal.h"
#include "autograd/fused/recurrence.h"
#include "autograd/parts.h"

#include <string.h>

enum { GATES = 3 };

/* The data of all threads. */
typedef struct forward_pass {
    lb_attention_gru_run run;
    lb_grid grid;
    lb_panels query, context[GATES], state[GATES]; /* the weights */
    lb_real *traces;  /* [batch, steps, trace_size]; NULL: there will be no backward */
    lb_real *product; /* [batch, 3 hidden]: W_hh h */
    lb_real *x;       /* [batch, 3 hidden]: the input's part of the gates, context included */
    lb_real *power;   /* [threads, width]: of a query */
    lb_real *step;    /* [batch, trace_size]: the traces of one step, where backward will not come */
} forward_pass;

/* Divides a block among the parts, and returns how much it takes. */
static int64_t lay_out(forward_pass *pass, lb_real *block)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_parts parts = {.block = block};
    pass->product = lb_parts_next(&parts, run->batch * GATES * run->hidden);
    pass->x = lb_parts_next(&parts, run->batch * GATES * run->hidden);
    pass->power = lb_parts_next(&parts, lb_grid_threads(pass->grid) * run->width);
    pass->step = lb_parts_next(&parts, pass->traces ? 0 : run->batch * lb_attention_gru_trace_size(run));
    return parts.count;
}

/* The traces of all rows at step t. */
static lb_attention_gru_traces traces_at(const forward_pass *pass, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    if (!pass->traces) return lb_attention_gru_traces_from(run, pass->step, 1);
    return lb_attention_gru_traces_from(run, pass->traces + t * lb_attention_gru_trace_size(run), run->steps);
}

static void clear(lb_real *numbers, int64_t count)
{
    memset(numbers, 0, (size_t)count * sizeof *numbers);
}

/* After the end of a row, outputs are zero. */
static void leave_out(const lb_attention_gru_run *run, int64_t at, lb_real *trace)
{
    clear(run->outputs->data + at * run->hidden, run->hidden);
    clear(run->contexts->data + at * run->depth, run->depth);
    clear(run->weights->data + at * run->keys, run->keys);
    clear(trace, lb_attention_gru_trace_size(run));
}

/* The products that depend only on the states: queries and W_hh h. */
static void multiply_states(const forward_pass *pass, const lb_walk *walk, int64_t t,
                            lb_attention_gru_traces traces)
{
    int64_t hidden = pass->run.hidden;
    lb_matrix states = lb_plain(pass->run.final->data, hidden);
    lb_walk_multiply(walk, t, &pass->query, 0, hidden, states, 0, traces.query, traces.stride);
    for (int gate = 0; gate < GATES; gate++)
        lb_walk_multiply(walk, t, &pass->state[gate], 0, hidden, states, 0, pass->product + gate * hidden,
                         GATES * hidden);
}

/* The contexts of the member's rows. */
static void attend_rows(const forward_pass *pass, const lb_walk *walk, int64_t t,
                        lb_attention_gru_traces traces)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_real *power = pass->power + lb_walk_number(walk) * run->width;
    for (int64_t row = lb_walk_own_row(walk); row < walk->end_row; row += lb_walk_own_step(walk)) {
        int64_t at = row * run->steps + t;
        if (!lb_gru_input_has(&run->x, row, t)) {
            leave_out(run, at, traces.gates + row * traces.stride);
            continue;
        }
        lb_attended to = lb_attention_gru_attended(run, row, power);
        lb_attend(&to, traces.query + row * traces.stride, run->weights->data + at * run->keys,
                  run->contexts->data + at * run->depth);
    }
}

/* Completes the input part of the gates of the member's units by adding the part of the contexts. */
static void multiply_contexts(const forward_pass *pass, const lb_walk *walk, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = walk->first_unit, count = walk->end_unit - first;
    for (int64_t row = walk->first_row; row < walk->end_row; row += walk->parts)
        for (int gate = 0; gate < GATES && lb_gru_input_has(&run->x, row, t); gate++)
            memcpy(pass->x + (row * GATES + gate) * hidden + first,
                   lb_gru_input_row(&run->x, row * run->steps + t) + gate * hidden + first,
                   (size_t)count * sizeof(lb_real));
    lb_matrix contexts = lb_plain(run->contexts->data + t * run->depth, run->steps * run->depth);
    for (int gate = 0; gate < GATES; gate++)
        lb_walk_multiply(walk, t, &pass->context[gate], 0, run->depth, contexts, 1, pass->x + gate * hidden,
                         GATES * hidden);
}

/* The memory of the final state holds the state before and after a step. */
static void pass_gates(const forward_pass *pass, const lb_walk *walk, int64_t t,
                       lb_attention_gru_traces traces)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = walk->first_unit;
    for (int64_t row = walk->first_row; row < walk->end_row; row += walk->parts)
        if (lb_gru_input_has(&run->x, row, t))
            lb_gru_gates(hidden, walk->end_unit - first, pass->x + row * GATES * hidden + first,
                         pass->product + row * GATES * hidden + first, run->in.bias_hh->data + first,
                         run->final->data + row * hidden + first,
                         run->outputs->data + (row * run->steps + t) * hidden + first,
                         traces.gates + row * traces.stride + first);
}

static void walk_forward(const lb_member *me, void *context)
{
    const forward_pass *pass = context;
    lb_walk walk = lb_walk_of(me, &pass->run.x);
    lb_walk_pack(&walk, &pass->query);
    for (int gate = 0; gate < GATES; gate++) {
        lb_walk_pack(&walk, &pass->context[gate]);
        lb_walk_pack(&walk, &pass->state[gate]);
    }
    lb_team_meet_all(me);
    for (int64_t t = 0; t < pass->run.steps; t++) {
        lb_attention_gru_traces traces = traces_at(pass, t);
        multiply_states(pass, &walk, t, traces);
        lb_team_meet(me);
        attend_rows(pass, &walk, t, traces);
        lb_team_meet(me);
        multiply_contexts(pass, &walk, t);
        pass_gates(pass, &walk, t, traces);
        lb_team_meet(me);
    }
}

/* A single step would not recover the cost of the powers, unless other steps use the same keys. */
static lb_key_powers *powers_for(const lb_attention_gru_run *run)
{
    return run->steps > 1 ? lb_key_powers_new(run->node, run->in.keys)
                          : lb_key_powers_kept(run->node, run->in.keys);
}

static lb_status keep_traces(lb_node *node, forward_pass *pass)
{
    lb_attention_gru_saved *saved = lb_tape_alloc(node->tape, sizeof *saved);
    pass->traces =
        lb_op_reals(node, pass->run.batch * pass->run.steps * lb_attention_gru_trace_size(&pass->run));
    if (!saved || !pass->traces) return LB_ERROR_MEMORY;
    *saved = (lb_attention_gru_saved){.traces = pass->traces, .powers = pass->run.powers};
    node->saved = saved;
    return LB_OK;
}

static bool lay_out_weights(forward_pass *pass)
{
    const lb_attention_gru_run *run = &pass->run;
    return lb_recurrence_panels(run->node, &run->x, run->in.weight_query, 0, run->hidden, 1, &pass->query) &&
           lb_recurrence_panels(run->node, &run->x, run->in.weight_hh, 0, run->hidden, GATES, pass->state) &&
           lb_recurrence_panels(run->node, &run->x, run->in.weight_context, run->context_column, run->depth,
                                GATES, pass->context);
}

lb_status lb_attention_gru_forward(lb_node *node)
{
    forward_pass pass = {.run = lb_attention_gru_run_of(node)};
    pass.grid = lb_attention_gru_grid(&pass.run);
    pass.run.powers = powers_for(&pass.run);
    if (lb_tape_status(node->tape) || (node->records && keep_traces(node, &pass)) || !lay_out_weights(&pass))
        return LB_ERROR_MEMORY;
    lb_real *memory = lb_op_reals(node, lay_out(&pass, NULL));
    if (!memory) return LB_ERROR_MEMORY;
    lay_out(&pass, memory);
    memcpy(pass.run.final->data, pass.run.in.initial->data,
           (size_t)(pass.run.batch * pass.run.hidden) * sizeof(lb_real));
    lb_team_run(pass.grid, walk_forward, &pass);
    return LB_OK;
}
