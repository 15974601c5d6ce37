/* The backward pass of lb_attention_gru_sequence: a team (autograd/fused/recurrence.h) goes back through all steps.
 * What no step waits for comes after all steps, as large products: the gradients of weights, and those of the
 * values. */
#include "autograd/fused/attention_gru.h"
#include "autograd/fused/recurrence.h"
#include "autograd/op.h"

#include <string.h>

/* The working memory of one thread. There is room even for a gradient that is not required, because the kernel computes
 * it. */
typedef struct backward_thread {
    lb_real *dscores;    /* [keys] */
    lb_real *exp2q;      /* [width]: e^2q of a query */
    lb_real *spare_keys; /* [keys, width]; NULL if the keys require a gradient */
} backward_thread;

/* The data that all threads read and write; `all` is the number of rows times the number of steps. dv has a row for
 * each row of the batch, so that the bits of its sum do not depend on who takes which rows. */
typedef struct backward_pass {
    lb_attention_gru_run run;
    lb_attention_gru_traces traces; /* of all rows and steps */
    lb_gru_gradient gates;          /* of all rows and steps */
    lb_real *dstate;                /* [batch, hidden] */
    lb_real *dv;                    /* [batch, width] */
    lb_real *dquery;                /* [all, width] */
    lb_real *dcontext;              /* [all, depth] */
    lb_real *threads;               /* [threads, thread_size]: see backward_thread */
    int64_t thread_size;
    lb_panels query, context, state; /* the weights */
} backward_pass;

/* Divides a block among the parts of a thread, and returns how much it takes. */
static int64_t lay_out_thread(const lb_attention_gru_run *run, lb_real *block, backward_thread *mine)
{
    int64_t keys = lb_wants_grad(run->in.keys) ? 0 : run->keys;
    lb_parts parts = {.block = block};
    mine->dscores = lb_parts_next(&parts, run->keys);
    mine->exp2q = lb_parts_next(&parts, run->width);
    mine->spare_keys = lb_parts_next(&parts, keys * run->width);
    return parts.count;
}

/* The panels of some columns of a weight. */
static lb_panels panels_back(const lb_attention_gru_run *run, lb_parts *parts, const lb_tensor *weight,
                             int64_t first, int64_t columns)
{
    const lb_matrix from = lb_op_rounded(run->node, lb_plain(weight->data + first, lb_dim(weight, 1)));
    return lb_recurrence_panels_back(&run->x, parts, from, lb_dim(weight, 0), columns);
}

/* The same for the work of the whole op. */
static int64_t lay_out(backward_pass *pass, lb_real *block)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t all = run->batch * run->steps;
    lb_parts parts = {.block = block};
    pass->dstate = lb_parts_next(&parts, run->batch * run->hidden);
    pass->dv = lb_parts_next(&parts, run->batch * run->width);
    pass->dquery = lb_parts_next(&parts, all * run->width);
    pass->dcontext = lb_parts_next(&parts, all * run->depth);
    pass->thread_size = lay_out_thread(run, NULL, &(backward_thread){0});
    pass->threads = lb_parts_next(&parts, lb_grid_threads(lb_attention_gru_grid(run)) * pass->thread_size);
    pass->query = panels_back(run, &parts, run->in.weight_query, 0, run->hidden);
    pass->state = panels_back(run, &parts, run->in.weight_hh, 0, run->hidden);
    pass->context = panels_back(run, &parts, run->in.weight_context, run->context_column, run->depth);
    return parts.count;
}

int64_t lb_attention_gru_backward_work(const lb_node *node)
{
    return lay_out(&(backward_pass){.run = lb_attention_gru_run_of(node)}, NULL);
}

/* Each row of a batch has its own keys, so gradients are added directly. */
static lb_attended_grad grads_of(const backward_pass *pass, const backward_thread *mine, int64_t row,
                                 lb_real *dquery)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_tensor *keys = run->in.keys;
    return (lb_attended_grad){.keys = lb_wants_grad(keys) ? keys->grad + row * run->keys * run->width
                                                          : mine->spare_keys,
                              .v = pass->dv + row * run->width,
                              .query = dquery,
                              .scores = mine->dscores};
}

/* Computes the gradients of the queries of step t, and of the keys. */
static void attend_back(const backward_pass *pass, const lb_worker *worker, const backward_thread *mine,
                        int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    for (int64_t row = lb_worker_own_row(worker); row < worker->end_row; row += lb_worker_own_step(worker)) {
        int64_t at = row * run->steps + t;
        lb_real *dquery = pass->dquery + at * run->width;
        if (!lb_gru_input_has(&run->x, row, t)) {
            lb_clear(run->width, dquery);
            continue;
        }
        lb_attended to = lb_attention_gru_attended(run, row, mine->exp2q);
        lb_attend_backward(&to, pass->traces.query + at * pass->traces.stride,
                           run->weights->data + at * run->keys, pass->dcontext + at * run->depth,
                           run->weights->grad + at * run->keys, grads_of(pass, mine, row, dquery));
    }
}

/* Turns the gradient of the states after step t into that of the gates, for the worker's units. After the end of a row
 * there is no gradient. */
static void pass_gates_back(const backward_pass *pass, const lb_worker *worker, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = worker->first_unit, count = worker->end_unit - first;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts) {
        int64_t at = row * run->steps + t;
        lb_real *dx = pass->gates.x + at * pass->gates.x_stride + first;
        if (lb_gru_input_has(&run->x, row, t))
            lb_gru_gates_backward(hidden, count, pass->traces.gates + at * pass->traces.stride + first,
                                  run->outputs->grad + at * hidden + first, dx,
                                  pass->dstate + row * hidden + first);
        else
            for (int gate = 0; gate < 3; gate++) lb_clear(count, dx + gate * hidden);
    }
}

/* The gradients of the contexts of step t: what came from above, and the part of the gates. */
static void multiply_contexts_back(const backward_pass *pass, const lb_worker *worker, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_gru_gradient *gates = &pass->gates;
    int64_t depth = run->depth, panel,
            end = lb_share(lb_panel_count(depth), worker->thread->place, worker->thread->grid.width, &panel);
    int64_t first = panel * LB_PANEL, count = (end * LB_PANEL < depth ? end * LB_PANEL : depth) - first;
    for (int64_t row = worker->first_row; row < worker->end_row; row += worker->parts) {
        int64_t at = (row * run->steps + t) * depth + first;
        if (!lb_gru_input_has(&run->x, row, t))
            lb_clear(count, pass->dcontext + at);
        else
            memcpy(pass->dcontext + at, run->contexts->grad + at, (size_t)count * sizeof(lb_real));
    }
    lb_worker_multiply(worker, t, &pass->context, 0, 3 * run->hidden,
                       lb_plain(gates->x + t * gates->x_stride, run->steps * gates->x_stride), 1,
                       pass->dcontext + t * depth, run->steps * depth);
}

/* Adds the gradients of the states that came through the queries of step t. */
static void multiply_queries_back(const backward_pass *pass, const lb_worker *worker, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_matrix dquery = lb_plain(pass->dquery + t * run->width, run->steps * run->width);
    lb_worker_multiply(worker, t, &pass->query, 0, run->width, dquery, 1, pass->dstate, run->hidden);
}

/* Clears the gradients of the keys of the worker's own rows now, so that they stay in its cache. */
static void begin_grads(const backward_pass *pass, const lb_worker *worker, const backward_thread *mine)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t size = run->keys * run->width;
    for (int64_t row = lb_worker_own_row(worker); row < worker->end_row; row += lb_worker_own_step(worker)) {
        lb_clear(run->width, pass->dv + row * run->width);
        if (lb_wants_grad(run->in.keys)) lb_op_begin_grad(run->node, LB_AGRU_KEYS, row * size, size);
    }
    if (!lb_wants_grad(run->in.keys)) lb_clear(size, mine->spare_keys);
}

/* The gradients of the values of the worker's own rows: sums over all steps. */
static void give_values(const backward_pass *pass, const lb_worker *worker)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t keys = run->keys, depth = run->depth, steps = run->steps;
    if (!lb_wants_grad(run->in.values)) return;
    for (int64_t row = lb_worker_own_row(worker); row < worker->end_row; row += lb_worker_own_step(worker))
        lb_gemm_own(keys, depth, steps, lb_transposed(run->weights->data + row * steps * keys, keys),
                    lb_plain(pass->dcontext + row * steps * depth, depth),
                    lb_op_sets(run->node, LB_AGRU_VALUES) ? 0 : 1, run->in.values->grad + row * keys * depth,
                    depth);
}

static void backward_worker(const lb_team_thread *thread, void *context)
{
    const backward_pass *pass = context;
    const lb_attention_gru_run *run = &pass->run;
    lb_worker worker = lb_worker_of(thread, &run->x);
    backward_thread mine;
    lay_out_thread(run, pass->threads + lb_worker_number(&worker) * pass->thread_size, &mine);
    begin_grads(pass, &worker, &mine);
    lb_worker_pack(&worker, &pass->query);
    lb_worker_pack(&worker, &pass->context);
    lb_worker_pack(&worker, &pass->state);
    lb_team_barrier_all(thread);
    for (int64_t t = run->steps - 1; t >= 0; t--) {
        pass_gates_back(pass, &worker, t);
        lb_team_barrier(thread);
        multiply_contexts_back(pass, &worker, t);
        lb_gru_multiply_states_back(&worker, t, pass->gates, &pass->state, pass->dstate, run->hidden);
        lb_team_barrier(thread);
        attend_back(pass, &worker, &mine, t);
        lb_team_barrier(thread);
        multiply_queries_back(pass, &worker, t);
    }
    give_values(pass, &worker);
}

/* The last columns of the weight += gradient' input, over all rows and steps, as one product. */
static void add_product(lb_tensor *weight, int64_t inputs, int64_t rows, lb_matrix gradient, lb_matrix input)
{
    int64_t stride = lb_dim(weight, 1);
    if (lb_wants_grad(weight))
        lb_gemm(lb_dim(weight, 0), inputs, rows, gradient, input, 1, weight->grad + stride - inputs, stride);
}

/* Adds what the threads have computed to the operands that all rows or steps share. */
static void give_gradients(const backward_pass *pass)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_gru_gradient *gates = &pass->gates;
    int64_t all = run->batch * run->steps;
    lb_matrix previous = lb_op_rounded(run->node, lb_plain(pass->traces.previous, pass->traces.stride));
    lb_op_add_grad(run->in.initial, pass->dstate);
    lb_op_add_grad_rows(run->in.v, run->batch, pass->dv);
    lb_gru_give_input_gradient(run->node, LB_AGRU_X, &run->x, *gates);
    lb_gru_add_weight_gradient(*gates, all, previous, run->in.weight_hh, run->in.bias_hh);
    add_product(run->in.weight_query, run->hidden, all, lb_transposed(pass->dquery, run->width), previous);
    add_product(run->in.weight_context, run->depth, all, lb_transposed(gates->x, gates->x_stride),
                lb_op_rounded(run->node, lb_plain(run->contexts->data, run->depth)));
}

void lb_attention_gru_backward(lb_node *node)
{
    const lb_attention_gru_saved *saved = node->saved;
    backward_pass pass = {.run = lb_attention_gru_run_of(node)};
    pass.run.exp2k = saved->exp2k;
    pass.traces = lb_attention_gru_traces_from(&pass.run, saved->traces, 1);
    pass.gates = lb_gru_gradient_in(node, LB_AGRU_X, &pass.run.x, pass.traces.gates, pass.traces.stride);
    lay_out(&pass, node->work);
    memcpy(pass.dstate, pass.run.final->grad, (size_t)(pass.run.batch * pass.run.hidden) * sizeof(lb_real));
    lb_team_run(lb_attention_gru_grid(&pass.run), backward_worker, &pass);
    give_gradients(&pass);
}
