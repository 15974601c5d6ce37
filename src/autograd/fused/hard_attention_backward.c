/* The backward pass of hard attention: row by row from the last step to the first, the backward algorithm of a hidden
 * Markov chain. */
#include "autograd/fused/hard_attention.h"
#include "autograd/op.h"
#include "tensor/elementary.h"
#include "tensor/sum.h"

#include <string.h>

static const double NEVER = -(double)INFINITY;

/* The memory for one row at a time. */
typedef struct row_memory {
    double *score, *jump;    /* [keys] as in forward */
    double *mixed;           /* [classes] log-probabilities; 0 for those that are -inf */
    lb_real *flow;           /* [keys] gradient of ln p(a_t = j | y_<=t), which the next step read */
    lb_real *prior;          /* [keys] gradient of ln p(a_t = j | y_<t) */
    lb_real *moved, *jumped; /* [keys] of one position's moves, and the gradient of all jumps */
    lb_real *scores;         /* [keys] where nobody wants the gradient of the scores */
    lb_real *out, *share;    /* [classes] gradient of the log-probabilities, and that of one position */
} row_memory;

/* Divides a block among the parts, and returns how much it takes. */
static int64_t lay_out(const lb_hard_run *run, lb_real *block, row_memory *memory)
{
    lb_parts parts = {.block = block};
    memory->score = lb_parts_next_doubles(&parts, run->keys);
    memory->jump = lb_parts_next_doubles(&parts, run->keys);
    memory->mixed = lb_parts_next_doubles(&parts, run->classes);
    memory->flow = lb_parts_next(&parts, run->keys);
    memory->prior = lb_parts_next(&parts, run->keys);
    memory->moved = lb_parts_next(&parts, run->keys);
    memory->jumped = lb_parts_next(&parts, run->keys);
    memory->scores = lb_parts_next(&parts, run->keys);
    memory->out = lb_parts_next(&parts, run->classes);
    memory->share = lb_parts_next(&parts, run->classes);
    lb_parts_next_doubles(&parts, 0); /* the block of the next row starts at a multiple, too */
    return parts.count;
}

int64_t lb_hard_backward_work(const lb_node *node)
{
    lb_hard_run run = lb_hard_run_of(node);
    return run.batch * lay_out(&run, NULL, &(row_memory){0});
}

/* The part of position j in the probability of each class is e^(joint - mixed); `base` is its prior minus its
 * normal. */
static inline lb_real part_of(bool fused, lb_real logit, double largest, double base, double mixed)
{
    return lb_exp_inline(fused, (lb_real)(lb_hard_joint(logit, largest, base) - mixed));
}

/* share_v = r_v (out_v + more_v), where r_v is the part of position j. `more` may be NULL. Returns the sum. */
LB_KERNEL_OF(lb_real, hard_share,
             (int64_t classes, const lb_real *x, const lb_hard_trace *trace, int64_t j, const row_memory *m,
              const lb_real *more),
             (classes, x, trace, j, m, more))
{
    const double largest = trace->largest[j], base = trace->prior[j] - trace->normal[j], *mixed = m->mixed;
    lb_real *share = m->share;
    for (int64_t v = 0; v < classes; v++) share[v] = m->out[v] + (more ? more[v] : 0);
    LB_SUM(lb_real, sum, v, classes, share[v] *= part_of(fused, x[v], largest, base, mixed[v]));
    return sum;
}

/* Goes back through the softmax of a position: grad_v = share_v - p_v sum, or += it. */
LB_KERNEL(hard_give,
          (int64_t classes, const lb_real *x, lb_real largest, lb_real normal, lb_real sum,
           const lb_real *share, bool sets, lb_real *grad),
          (classes, x, largest, normal, sum, share, sets, grad))
{
    if (sets)
        for (int64_t v = 0; v < classes; v++)
            grad[v] = share[v] - lb_exp_inline(fused, x[v] - largest - normal) * sum;
    else
        for (int64_t v = 0; v < classes; v++)
            grad[v] += share[v] - lb_exp_inline(fused, x[v] - largest - normal) * sum;
}

/* Takes the mean of the gradient of the beliefs after the row off that of the log-probabilities: for each symbol, the
 * beliefs are a softmax over positions. */
LB_KERNEL(hard_take_mean,
          (int64_t classes, const lb_real *x, const lb_hard_trace *trace, int64_t j, const row_memory *m,
           const lb_real *more),
          (classes, x, trace, j, m, more))
{
    const double largest = trace->largest[j], base = trace->prior[j] - trace->normal[j];
    for (int64_t v = 0; v < classes; v++)
        m->out[v] -= part_of(fused, x[v], largest, base, m->mixed[v]) * more[v];
}

/* Goes back through the moves, from the gradient of the prior to those of the scores, of the jumps, and of the
 * distribution that the moves started from, which replaces `flow`. */
LB_KERNEL(hard_move_back,
          (int64_t keys, const lb_hard_trace *trace, const row_memory *m, lb_real *score_grad),
          (keys, trace, m, score_grad))
{
    for (int64_t i = 0; i < keys; i++) {
        const double leave = trace->leave[i], outlet = trace->outlet[i], *arrive = trace->arrive + i;
        const lb_real *prior = m->prior + i;
        lb_real *moved = m->moved + i;
        m->flow[i] = 0;
        if (leave == NEVER) continue;
        LB_SUM(lb_real, sum, k, keys - i,
               moved[k] = prior[k] * lb_exp_inline(fused, (lb_real)(leave + m->jump[k] -
                                                                    (arrive[k] == NEVER ? 0 : arrive[k]))));
        for (int64_t j = i; j < keys; j++) {
            lb_real slope =
                m->moved[j] - sum * lb_exp_inline(fused, (lb_real)(m->score[j] + m->jump[j - i] - outlet));
            score_grad[j] += slope;
            m->jumped[j - i] += slope;
        }
        m->flow[i] = sum;
    }
}

/* Goes back through the softmax of the scores. */
static void choose_back(int64_t keys, const double *prior, const lb_real *grad, lb_real *score_grad)
{
    lb_real sum = 0;
    for (int64_t j = 0; j < keys; j++) sum += grad[j];
    for (int64_t j = 0; j < keys; j++)
        score_grad[j] += grad[j] - lb_exp_inline(false, (lb_real)prior[j]) * sum;
}

/* The gradient of the log-probabilities of a step: what reached the output, and what the next step or the beliefs after
 * the row read. */
static void gather(const lb_hard_run *run, int64_t row, int64_t t, const lb_hard_trace *trace,
                   const row_memory *m)
{
    int64_t at = row * run->steps + t, classes = run->classes;
    const lb_real *x = run->logits->data + at * run->keys * classes;
    const double *mixed = trace->mixed;
    bool last = t + 1 == lb_hard_length(run, row);
    memcpy(m->out, run->log_probs->grad + at * classes, (size_t)classes * sizeof *m->out);
    for (int64_t v = 0; v < classes; v++) m->mixed[v] = mixed[v] == NEVER ? 0 : mixed[v];
    for (int64_t j = 0; run->after && last && j < run->keys; j++)
        if (trace->prior[j] != NEVER)
            hard_take_mean(classes, x + j * classes, trace, j, m,
                           run->after->grad + (row * run->keys + j) * classes);
    for (int64_t j = 0; run->after && !last && j < run->keys; j++)
        m->out[run->how->tokens.id[at + 1]] -= m->flow[j];
}

/* Goes back from the log-probabilities of a step to the logits and to the prior of each position. */
static void emit_back(const lb_hard_run *run, int64_t row, int64_t t, const lb_hard_trace *trace,
                      const row_memory *m)
{
    int64_t at = row * run->steps + t, classes = run->classes;
    bool last = t + 1 == lb_hard_length(run, row), sets = lb_op_sets(run->node, 0);
    for (int64_t j = 0; j < run->keys; j++) {
        const lb_real *x = run->logits->data + (at * run->keys + j) * classes;
        lb_real *grad =
            lb_wants_grad(run->logits) ? run->logits->grad + (at * run->keys + j) * classes : NULL;
        m->prior[j] = 0;
        if (trace->prior[j] == NEVER) {
            if (grad && sets) memset(grad, 0, (size_t)classes * sizeof *grad);
            continue;
        }
        const lb_real *more = run->after && last ? run->after->grad + (row * run->keys + j) * classes : NULL;
        lb_real sum = hard_share(classes, x, trace, j, m, more);
        if (run->after && !last) {
            m->share[run->how->tokens.id[at + 1]] += m->flow[j];
            sum += m->flow[j];
        }
        if (grad)
            hard_give(classes, x, (lb_real)trace->largest[j], (lb_real)trace->normal[j], sum, m->share, sets,
                      grad);
        m->prior[j] = sum + run->weights->grad[at * run->keys + j] * run->weights->data[at * run->keys + j];
    }
}

static void give_jumps(const lb_hard_run *run, int64_t row, int64_t t, const lb_real *jumped)
{
    if (!lb_wants_grad(run->jumps)) return;
    lb_real *grad = run->jumps->grad + (row * run->steps + t) * (run->reach + 1);
    for (int64_t k = 0; k < run->keys; k++) grad[k < run->reach ? k : run->reach] += jumped[k];
}

static void backward_step(const lb_hard_run *run, int64_t row, int64_t t, const row_memory *m)
{
    int64_t keys = run->keys;
    lb_hard_trace trace = lb_hard_trace_at(run, row, t);
    lb_real *scores = lb_wants_grad(run->scores) ? run->scores->grad + (row * run->steps + t) * keys : NULL;
    lb_hard_scores(run, row, t, m->score);
    if (run->how->monotonic) lb_hard_jumps(run, row, t, m->jump);
    gather(run, row, t, &trace, m);
    emit_back(run, row, t, &trace, m);
    if (!run->how->monotonic) {
        if (scores) choose_back(keys, trace.prior, m->prior, scores);
        return;
    }
    memset(m->jumped, 0, (size_t)keys * sizeof *m->jumped);
    hard_move_back(keys, &trace, m, scores ? scores : m->scores);
    give_jumps(run, row, t, m->jumped);
}

/* The gradient of the beliefs that the row started from. */
static void give_before(const lb_hard_run *run, int64_t row, const lb_real *flow)
{
    if (!lb_wants_grad(run->before)) return;
    int64_t count = run->keys * run->classes;
    const lb_real *before = run->before->data + row * count;
    lb_real *grad = run->before->grad + row * count;
    if (lb_hard_length(run, row) == 0) {
        for (int64_t i = 0; i < count; i++) grad[i] += run->after->grad[row * count + i];
        return;
    }
    int32_t read = run->how->tokens.id[row * run->steps];
    for (int64_t j = 0; j < run->keys; j++) {
        int64_t i = j * run->classes + read;
        if (before[i] > 0) grad[i] += flow[j] / before[i];
    }
}

static void backward_row(const lb_hard_run *run, int64_t row, const row_memory *m)
{
    int64_t length = lb_hard_length(run, row), rest = (run->steps - length) * run->keys * run->classes;
    if (lb_op_sets(run->node, 0) && rest > 0)
        memset(run->logits->grad + (row * run->steps + length) * run->keys * run->classes, 0,
               (size_t)rest * sizeof(lb_real));
    memset(m->flow, 0, (size_t)run->keys * sizeof *m->flow);
    for (int64_t t = length - 1; t >= 0; t--) backward_step(run, row, t, m);
    give_before(run, row, m->flow);
}

void lb_hard_backward(lb_node *node)
{
    lb_hard_run run = lb_hard_run_of(node);
    int64_t each = lay_out(&run, NULL, &(row_memory){0});
#pragma omp parallel for schedule(static) if (run.batch > 1)
    for (int64_t row = 0; row < run.batch; row++) {
        row_memory own;
        lay_out(&run, node->work + row * each, &own);
        backward_row(&run, row, &own);
    }
}
