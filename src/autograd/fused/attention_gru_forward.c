/* The forward pass of lb_attention_gru_sequence. At each step, the threads of a team (autograd/fused/recurrence.h)
 * compute the columns of the products with the states, then attend for their rows, then compute the gates of their
 * units. */
#include "autograd/fused/attention_gru.h"

#include "autograd/tape.h"

#include <string.h>

/* ---- e^2k of the keys. ---- */

typedef enum row_state { NOT_MADE, MADE, BEYOND_RANGE } row_state;

struct lb_key_exp2x {
    const lb_real *keys;
    lb_real *all;     /* [batch, row] */
    row_state *state; /* [batch] */
    int64_t row;      /* numbers in a row: keys * width */
};

static lb_key_exp2x *new_exp2x(lb_tape *tape, const lb_tensor *keys, void *(*alloc)(lb_tape *, size_t))
{
    int64_t batch = lb_dim(keys, 0);
    lb_key_exp2x *exp2k = alloc(tape, sizeof *exp2k);
    row_state *state = alloc(tape, (size_t)batch * sizeof *state);
    lb_real *all = alloc(tape, (size_t)lb_count(keys) * sizeof *all);
    if (!exp2k || !state || !all) return NULL;
    for (int64_t row = 0; row < batch; row++) state[row] = NOT_MADE;
    *exp2k = (lb_key_exp2x){
        .keys = keys->data, .all = all, .state = state, .row = lb_dim(keys, 1) * lb_dim(keys, 2)};
    return exp2k;
}

lb_key_exp2x *lb_key_exp2x_new(const lb_node *node, const lb_tensor *keys)
{
    return new_exp2x(node->tape, keys, lb_tape_alloc);
}

lb_key_exp2x *lb_key_exp2x_kept(const lb_node *node, const lb_tensor *keys)
{
    /* Empty tensors may share an address, and the tape identifies tensors by their address. */
    lb_kept *kept = lb_count(keys) > 0 ? lb_op_kept(node, keys->data, lb_count(keys)) : NULL;
    if (!kept || kept->uses++ == 0) return NULL;
    if (!kept->made) kept->made = new_exp2x(node->tape, keys, lb_tape_alloc_lasting);
    return kept->made;
}

const lb_real *lb_key_exp2x_of_row(lb_key_exp2x *exp2k, int64_t row)
{
    if (!exp2k) return NULL;
    int64_t first = row * exp2k->row;
    row_state *state = &exp2k->state[row];
    if (*state == NOT_MADE)
        *state = lb_attend_exp2x(exp2k->row, exp2k->keys + first, exp2k->all + first) ? MADE : BEYOND_RANGE;
    return *state == MADE ? exp2k->all + first : NULL;
}

/* ---- What both passes need. ---- */

lb_attention_gru_run lb_attention_gru_run_of(const lb_node *node)
{
    lb_attention_gru_run run = {.node = node,
                                .in = lb_attention_gru_operands_of(node->in),
                                .outputs = node->out[LB_AGRU_OUTPUTS],
                                .contexts = node->out[LB_AGRU_CONTEXTS],
                                .weights = node->out[LB_AGRU_WEIGHTS],
                                .final = node->out[LB_AGRU_FINAL],
                                .x = lb_gru_input_of(node, LB_AGRU_X)};
    run.in.normalizer = ((const lb_attention_gru_attributes *)node->attributes)->normalizer;
    run.batch = run.x.batch;
    run.steps = run.x.steps;
    run.hidden = run.x.hidden;
    run.keys = lb_dim(run.in.keys, 1);
    run.width = lb_dim(run.in.keys, 2);
    run.depth = lb_dim(run.in.values, 2);
    run.context_column = lb_dim(run.in.weight_context, -1) - run.depth;
    return run;
}

lb_attended lb_attention_gru_attended(const lb_attention_gru_run *run, int64_t row, lb_real *exp2q)
{
    const lb_attention_gru_operands *in = &run->in;
    return (lb_attended){.count = run->keys,
                         .width = run->width,
                         .depth = run->depth,
                         .keys = in->keys->data + row * run->keys * run->width,
                         .values = in->values->data + row * run->keys * run->depth,
                         .mask = in->mask ? in->mask->data + row * run->keys : NULL,
                         .v = in->v->data,
                         .exp2k = lb_key_exp2x_of_row(run->exp2k, row),
                         .exp2q = exp2q,
                         .normalizer = in->normalizer};
}

lb_grid lb_attention_gru_grid(const lb_attention_gru_run *run)
{
    enum { SCORE = 8 }; /* a number of a key costs as much as so many multiply-adds: a division is in it */
    int64_t weights = run->hidden * (run->width + 3 * run->hidden + 3 * run->depth);
    return lb_recurrence_grid(&run->x, weights, run->keys * (SCORE * run->width + run->depth));
}

/* ---- The forward pass. ---- */

enum { GATES = 3 };

/* The data of all threads. */
typedef struct forward_pass {
    lb_attention_gru_run run;
    lb_grid grid;
    lb_panels query, context[GATES], state[GATES]; /* the weights */
    lb_real *traces;  /* [batch, steps, trace_size]; NULL: there will be no backward */
    lb_real *product; /* [batch, 3 hidden]: W_hh h */
    lb_real *x;       /* [batch, 3 hidden]: the input's part of the gates, context included */
    lb_real *exp2q;   /* [threads, width]: e^2q of a query */
    lb_real *step;    /* [batch, trace_size]: the traces of one step, where backward will not come */
} forward_pass;

/* Divides a block among the parts, and returns how much it takes. */
static int64_t lay_out(forward_pass *pass, lb_real *block)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_parts parts = {.block = block};
    pass->product = lb_parts_next(&parts, run->batch * GATES * run->hidden);
    pass->x = lb_parts_next(&parts, run->batch * GATES * run->hidden);
    pass->exp2q = lb_parts_next(&parts, lb_grid_threads(pass->grid) * run->width);
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

/* After the end of a row, outputs are zero. */
static void leave_out(const lb_attention_gru_run *run, int64_t at, lb_real *trace)
{
    lb_clear(run->hidden, run->outputs->data + at * run->hidden);
    lb_clear(run->depth, run->contexts->data + at * run->depth);
    lb_clear(run->keys, run->weights->data + at * run->keys);
    lb_clear(lb_attention_gru_trace_size(run), trace);
}

/* The products that depend only on the states: queries and W_hh h. */
static void multiply_states(const forward_pass *pass, const lb_worker *worker, int64_t t,
                            lb_attention_gru_traces traces)
{
    int64_t hidden = pass->run.hidden;
    lb_matrix states = lb_plain(pass->run.final->data, hidden);
    lb_worker_multiply(worker, t, &pass->query, 0, hidden, states, 0, traces.query, traces.stride);
    for (int gate = 0; gate < GATES; gate++)
        lb_worker_multiply(worker, t, &pass->state[gate], 0, hidden, states, 0, pass->product + gate * hidden,
                           GATES * hidden);
}

/* The contexts of the worker's own rows. */
static void attend_rows(const forward_pass *pass, const lb_worker *worker, int64_t t,
                        lb_attention_gru_traces traces)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_real *exp2q = pass->exp2q + lb_worker_number(worker) * run->width;
    for (int64_t row = lb_worker_own_row(worker); row < worker->end_row; row += lb_worker_own_step(worker)) {
        int64_t at = row * run->steps + t;
        if (!lb_gru_input_has(&run->x, row, t)) {
            leave_out(run, at, traces.gates + row * traces.stride);
            continue;
        }
        lb_attended to = lb_attention_gru_attended(run, row, exp2q);
        lb_attend(&to, traces.query + row * traces.stride, run->weights->data + at * run->keys,
                  run->contexts->data + at * run->depth);
    }
}

/* Completes the input part of the gates of the worker's units by adding the part of the contexts. */
static void multiply_contexts(const forward_pass *pass, const lb_worker *worker, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = worker->first_unit, count = worker->end_unit - first;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts)
        for (int gate = 0; gate < GATES && lb_gru_input_has(&run->x, row, t); gate++)
            memcpy(pass->x + (row * GATES + gate) * hidden + first,
                   lb_gru_input_row(&run->x, row * run->steps + t) + gate * hidden + first,
                   (size_t)count * sizeof(lb_real));
    lb_matrix contexts = lb_plain(run->contexts->data + t * run->depth, run->steps * run->depth);
    for (int gate = 0; gate < GATES; gate++)
        lb_worker_multiply(worker, t, &pass->context[gate], 0, run->depth, contexts, 1,
                           pass->x + gate * hidden, GATES * hidden);
}

/* The memory of the final state holds the state before and after a step. */
static void pass_gates(const forward_pass *pass, const lb_worker *worker, int64_t t,
                       lb_attention_gru_traces traces)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = worker->first_unit;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts)
        if (lb_gru_input_has(&run->x, row, t))
            lb_gru_gates(hidden, worker->end_unit - first, pass->x + row * GATES * hidden + first,
                         pass->product + row * GATES * hidden + first, run->in.bias_hh->data + first,
                         run->final->data + row * hidden + first,
                         run->outputs->data + (row * run->steps + t) * hidden + first,
                         traces.gates + row * traces.stride + first);
}

static void forward_worker(const lb_team_thread *thread, void *context)
{
    const forward_pass *pass = context;
    lb_worker worker = lb_worker_of(thread, &pass->run.x);
    lb_worker_pack(&worker, &pass->query);
    for (int gate = 0; gate < GATES; gate++) {
        lb_worker_pack(&worker, &pass->context[gate]);
        lb_worker_pack(&worker, &pass->state[gate]);
    }
    lb_team_barrier_all(thread);
    for (int64_t t = 0; t < pass->run.steps; t++) {
        lb_attention_gru_traces traces = traces_at(pass, t);
        multiply_states(pass, &worker, t, traces);
        lb_team_barrier(thread);
        attend_rows(pass, &worker, t, traces);
        lb_team_barrier(thread);
        multiply_contexts(pass, &worker, t);
        pass_gates(pass, &worker, t, traces);
        lb_team_barrier(thread);
    }
}

static lb_status keep_traces(lb_node *node, forward_pass *pass)
{
    lb_attention_gru_saved *saved = lb_tape_alloc(node->tape, sizeof *saved);
    pass->traces =
        lb_op_reals(node, pass->run.batch * pass->run.steps * lb_attention_gru_trace_size(&pass->run));
    if (!saved || !pass->traces) return LB_ERROR_MEMORY;
    *saved = (lb_attention_gru_saved){.traces = pass->traces, .exp2k = pass->run.exp2k};
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
    /* A single step would not recover the cost of e^2k, unless other steps use the same keys. */
    pass.run.exp2k = (pass.run.steps > 1 ? lb_key_exp2x_new : lb_key_exp2x_kept)(node, pass.run.in.keys);
    if (lb_tape_status(node->tape) || (node->records && keep_traces(node, &pass)) || !lay_out_weights(&pass))
        return LB_ERROR_MEMORY;
    lb_real *memory = lb_op_reals(node, lay_out(&pass, NULL));
    if (!memory) return LB_ERROR_MEMORY;
    lay_out(&pass, memory);
    memcpy(pass.run.final->data, pass.run.in.initial->data,
           (size_t)(pass.run.batch * pass.run.hidden) * sizeof(lb_real));
    lb_team_run(pass.grid, forward_worker, &pass);
    return LB_OK;
}
