/* Hard attention as a latent variable, inside: what its op, its forward and its backward share.
 *
 * A row of the batch is a hidden Markov chain. At step t the decoder stands at position a_t of the source and writes
 * y_t:
 *
 *     p(a_1) p(y_1 | a_1)  p(a_2 | a_1) p(y_2 | a_2)  ...
 *
 * The positions are summed over, so each step needs only two distributions over them: before the symbol is known,
 * p(a_t | y_<t), and after it, p(a_t | y_<=t). All is in logarithms; -inf is a position that is out of reach. They are
 * of double precision, because they may be large where their differences are what counts: a float near -10,000 has
 * three digits after the point. */
#ifndef LB_HARD_ATTENTION_H
#define LB_HARD_ATTENTION_H

#include "autograd/op.h"

typedef struct lb_hard_attributes {
    bool monotonic;
    lb_tokens tokens;       /* the inputs of the decoder; only if `monotonic` */
    const int32_t *lengths; /* [batch]; NULL: all rows are full */
} lb_hard_attributes;

/** An op with its operands and sizes. */
typedef struct lb_hard_run {
    const lb_node *node;
    const lb_hard_attributes *how;
    lb_tensor *logits, *scores, *jumps, *before, *mask; /* the last three may be NULL */
    lb_tensor *log_probs, *weights, *after;             /* `after` is NULL unless monotonic */
    int64_t batch, steps, keys, classes;
    int64_t reach; /* the last of the jumps, which counts for all longer ones, too */
} lb_hard_run;

/** One step of a row, as backward needs it; each of [keys] unless it says otherwise. */
typedef struct lb_hard_trace {
    double *prior;   /* ln p(a_t = j | y_<t) */
    double *largest; /* of the logits at j; 0 if all are -inf */
    double *normal;  /* ln sum_v exp(logit of v at j - largest) */
    double *mixed;   /* [classes] the log-probabilities */
    /* Only if monotonic: ln p(a_(t-1) = i | y_<t) - outlet_i; the normaliser of the moves away from i; and
     * ln sum_i exp(leave_i + jump_ij). */
    double *leave, *outlet, *arrive;
} lb_hard_trace;

lb_hard_run lb_hard_run_of(const lb_node *node);

/** The trace of step t of a row in node->saved. */
lb_hard_trace lb_hard_trace_at(const lb_hard_run *run, int64_t row, int64_t t);

/** The number of steps of a row. */
int64_t lb_hard_length(const lb_hard_run *run, int64_t row);

/** The scores of a step, as distances from the largest one; -inf where the mask hides the position. */
void lb_hard_scores(const lb_hard_run *run, int64_t row, int64_t t, double *score);

/** The score of each jump from 0 to keys - 1 at a step, as a distance from the largest one; zero without jumps. */
void lb_hard_jumps(const lb_hard_run *run, int64_t row, int64_t t, double *jump);

/** ln p(v, a_t = j | y_<t) from the logit of v at j; `base` is the prior of j minus its normal. */
static inline double lb_hard_joint(lb_real logit, double largest, double base)
{
    return (double)logit - largest + base;
}

/** lb_op.forward and lb_op.backward with its work. */
lb_status lb_hard_forward(lb_node *node);
int64_t lb_hard_backward_work(const lb_node *node);
void lb_hard_backward(lb_node *node);

#endif
