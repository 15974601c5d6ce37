/* Exact hard attention: the decoder looks at one position of the source at a time, which is not known; the sum over all
 * of them gives the probability of each symbol. */
#include "autograd/fused/hard_attention.h"
#include "lookback/ops.h"

#include <math.h>

static lb_status check_lengths(const lb_node *node, const lb_hard_run *run)
{
    for (int64_t row = 0; row < run->batch; row++) {
        int64_t length = lb_hard_length(run, row);
        if (length < 0 || length > run->steps)
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "found length %lld in row %lld, expected 0 to %lld",
                              (long long)length, (long long)row, (long long)run->steps);
    }
    return LB_OK;
}

static lb_status check_tokens(const lb_node *node, const lb_hard_run *run)
{
    const lb_tokens *tokens = &run->how->tokens;
    if (tokens->batch != run->batch || tokens->length != run->steps)
        return lb_op_fail(node, LB_ERROR_SHAPE, "found tokens [%lld,%lld], expected [%lld,%lld]",
                          (long long)tokens->batch, (long long)tokens->length, (long long)run->batch,
                          (long long)run->steps);
    return lb_op_check_ids(node, tokens, run->classes, NULL, "token", "there are", "classes");
}

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    enum { LOGITS, SCORES, JUMPS, BEFORE };
    const lb_hard_attributes *how = node->attributes;
    int mask = how->monotonic ? BEFORE + 1 : SCORES + 1;
    lb_shape x = node->in[LOGITS]->shape;
    if (x.ndim != 4)
        return lb_op_misfit(node, "expected logits of shape [batch,steps,keys,classes]", LOGITS, SCORES);
    if (!lb_shape_equal(node->in[SCORES]->shape, LB_SHAPE(x.dim[0], x.dim[1], x.dim[2])))
        return lb_op_misfit(node, "expected a score per position", LOGITS, SCORES);
    if (node->in[mask] && !lb_shape_equal(node->in[mask]->shape, LB_SHAPE(x.dim[0], x.dim[2])))
        return lb_op_misfit(node, "expected a mask of shape [batch,keys]", LOGITS, mask);
    lb_hard_run run = lb_hard_run_of(node);
    if (run.jumps && (run.jumps->shape.ndim != 3 || run.jumps->shape.dim[0] != run.batch ||
                      run.jumps->shape.dim[1] != run.steps || run.reach < 0))
        return lb_op_misfit(node, "expected jumps of shape [batch,steps,some]", LOGITS, JUMPS);
    if (run.before && !lb_shape_equal(run.before->shape, LB_SHAPE(run.batch, run.keys, run.classes)))
        return lb_op_misfit(node, "expected beliefs of shape [batch,keys,classes]", LOGITS, BEFORE);
    lb_status status = how->monotonic ? check_tokens(node, &run) : LB_OK;
    if (!status) status = check_lengths(node, &run);
    out[0] = LB_SHAPE(run.batch, run.steps, run.classes);
    out[1] = LB_SHAPE(run.batch, run.steps, run.keys);
    out[2] = LB_SHAPE(run.batch, run.keys, run.classes);
    return status;
}

/* p(v | position j, step t) of a row. */
static double emission(const lb_hard_run *run, int64_t row, int64_t t, int64_t j, int64_t v)
{
    const lb_real *x = run->logits->data + ((row * run->steps + t) * run->keys + j) * run->classes;
    double sum = 0;
    for (int64_t i = 0; i < run->classes; i++) sum += exp((double)x[i]);
    return exp((double)x[v]) / sum;
}

/* What speaks for position j after position i at step t; 0 if it cannot be. */
static double pull(const lb_hard_run *run, int64_t row, int64_t t, int64_t i, int64_t j)
{
    int64_t at = row * run->steps + t, jump = j - i < run->reach ? j - i : run->reach;
    if (run->mask && run->mask->data[row * run->keys + j] == 0) return 0;
    if (!run->how->monotonic) return exp((double)run->scores->data[at * run->keys + j]);
    double more = run->jumps && j >= i ? (double)run->jumps->data[at * (run->reach + 1) + jump] : 0;
    return j < i ? 0 : exp((double)run->scores->data[at * run->keys + j] + more);
}

/* p(a_t = j | a_(t-1) = i) */
static double move(const lb_hard_run *run, int64_t row, int64_t t, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < run->keys; k++) sum += pull(run, row, t, i, k);
    return sum > 0 ? pull(run, row, t, i, j) / sum : 0;
}

/* Sums over the positions of one step. `belief` holds a distribution in its first column. */
static void reference_step(const lb_hard_run *run, int64_t row, int64_t t, const double *belief,
                           double *mixed, double *prior)
{
    double total = 0;
    for (int64_t j = 0; j < run->keys; j++) {
        prior[j] = run->how->monotonic ? 0 : move(run, row, t, 0, j);
        for (int64_t i = 0; belief && i < run->keys; i++)
            prior[j] += belief[i * run->classes] * move(run, row, t, i, j);
        total += prior[j];
    }
    for (int64_t v = 0; v < run->classes; v++) {
        double sum = total > 0 ? 0 : 1 / (double)run->classes;
        for (int64_t j = 0; j < run->keys; j++) sum += prior[j] * emission(run, row, t, j, v);
        mixed[v] = log(sum);
    }
}

static void reference_row(const lb_hard_run *run, int64_t row, double *const *out)
{
    int64_t length = lb_hard_length(run, row), keys = run->keys, classes = run->classes;
    double *belief = run->after ? out[2] + row * keys * classes : NULL;
    const lb_real *before = run->before ? run->before->data + row * keys * classes : NULL;
    int32_t read = length > 0 && run->how->monotonic ? run->how->tokens.id[row * run->steps] : 0;
    for (int64_t i = 0; belief && i < keys * classes; i++) {
        bool begins = length > 0 && i % classes == 0;
        belief[i] = before ? (double)before[begins ? i + read : i] : (i < classes ? 1 : 0);
    }
    for (int64_t t = 0; t < length; t++) {
        int64_t at = row * run->steps + t;
        double *mixed = out[0] + at * classes, *prior = out[1] + at * keys;
        bool last = t + 1 == length;
        reference_step(run, row, t, belief, mixed, prior);
        for (int64_t i = 0; belief && i < keys * classes; i++) {
            int64_t symbol = last ? i % classes : run->how->tokens.id[at + 1], j = i / classes;
            belief[i] = prior[j] * emission(run, row, t, j, symbol) / exp(mixed[symbol]);
        }
    }
}

static void reference(const lb_node *node, double *const *out)
{
    lb_hard_run run = lb_hard_run_of(node);
    for (int64_t row = 0; row < run.batch; row++) reference_row(&run, row, out);
}

static const int32_t some_lengths[] = {2, 3, 0};

static lb_tensor *hard_case(lb_tensor *const *in)
{
    return lb_attend_hard(in[0], in[1], in[2], NULL);
}

static lb_tensor *open_case(lb_tensor *const *in)
{
    return lb_attend_hard(in[0], in[1], NULL, some_lengths);
}

/* The tokens of three rows of three steps. */
static lb_tokens some_tokens(lb_tape *tape, const int32_t *row_lengths)
{
    static const int32_t id[] = {1, 2, 0, 3, 0, 2, 2, 1, 1}, full[] = {3, 3, 3};
    return (lb_tokens){tape, 3, 3, id, row_lengths ? row_lengths : full};
}

static lb_tensor *monotonic_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], NULL, NULL, in[2], some_tokens(in[0]->tape, NULL));
}

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], NULL, NULL, some_tokens(in[0]->tape, some_lengths));
}

static lb_tensor *continued_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], in[3], in[4], some_tokens(in[0]->tape, some_lengths));
}

static lb_tensor *one_jump_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], NULL, NULL, some_tokens(in[0]->tape, NULL));
}

static const lb_op_case hard_cases[] = {
    {"masked",
     3,
     {LB_DIMS(3, 2, 4, 5), LB_DIMS(3, 2, 4), LB_DIMS(3, 4)},
     .fixed = {[2] = true},
     .apply = hard_case},
    {"padded", 2, {LB_DIMS(3, 3, 2, 4), LB_DIMS(3, 3, 2)}, .low = -3, .high = 3, .apply = open_case},
};

static const lb_op_case monotonic_cases[] = {
    {"masked",
     3,
     {LB_DIMS(3, 3, 5, 4), LB_DIMS(3, 3, 5), LB_DIMS(3, 5)},
     .fixed = {[2] = true},
     .apply = monotonic_case},
    {"jumps, padded",
     3,
     {LB_DIMS(3, 3, 5, 4), LB_DIMS(3, 3, 5), LB_DIMS(3, 3, 3)},
     .low = -2,
     .high = 2,
     .apply = padded_case},
    {"continued",
     5,
     {LB_DIMS(3, 3, 4, 4), LB_DIMS(3, 3, 4), LB_DIMS(3, 3, 2), LB_DIMS(3, 4, 4), LB_DIMS(3, 4)},
     .low = 0.1,
     .high = 2,
     .fixed = {[4] = true},
     .apply = continued_case},
    {"one jump", 3, {LB_DIMS(3, 3, 2, 4), LB_DIMS(3, 3, 2), LB_DIMS(3, 3, 1)}, .apply = one_jump_case},
};

static const lb_op hard_op = {
    .name = "attend_hard",
    .operands = "logits scores mask?",
    .formula = "y_v = ln sum_j w_j softmax(logits_j)_v, w = softmax(scores)",
    .derivative =
        "r_jv = w_j softmax(logits_j)_v / e^y_v, dE_jv = r_jv dy_v, dlogits through the softmax of j, "
        "dscores through that of w",
    .outputs = 2,
    .shape = output_shapes,
    .forward = lb_hard_forward,
    .work = lb_hard_backward_work,
    .backward = lb_hard_backward,
    .can_set = 1U,
    .reference = reference,
    .cases = hard_cases,
    .case_count = LB_LENGTH(hard_cases),
};

static const lb_op monotonic_op = {
    .name = "attend_monotonic",
    .operands = "logits scores jumps? before? mask?",
    .formula = "y_tv = ln sum_j w_tj softmax(logits_tj)_v, w_tj = sum_(i<=j) p(a_(t-1) = i given y_(<t)) "
               "softmax_(j>=i)(score_tj + jump_t(j-i))",
    .derivative = "the backward algorithm: from the last step to the first, through beliefs and moves",
    .outputs = 3,
    .shape = output_shapes,
    .forward = lb_hard_forward,
    .work = lb_hard_backward_work,
    .backward = lb_hard_backward,
    .can_set = 1U,
    .reference = reference,
    .cases = monotonic_cases,
    .case_count = LB_LENGTH(monotonic_cases),
};

/** Exact hard attention of order 0: which position each step looks at is chosen anew, and summed over. The result are
 *  log-probabilities, which are logits, too: their softmax is their exponential.
 *  Shapes:  logits [batch, T, S, classes] of each symbol at each position, scores [batch, T, S], mask [batch, S] or NULL
 *           -> log-probabilities [batch, T, classes]; output 1: p(a_t = j) [batch, T, S].
 *  Lengths: [batch] steps of each row, alive until lb_tape_reset, or NULL: all rows are full. After the end of a row,
 *           both outputs are zero.
 *  Mask:    1 may be looked at, 0 not; no gradient. A row with nothing to look at gives every symbol the same
 *           probability, and no gradient.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..T. Cost: O(batch T S classes).
 *  Source:  Wu, Shapiro, Cotterell 2018, arXiv:1808.10024. */
lb_tensor *lb_attend_hard(lb_tensor *logits, lb_tensor *scores, lb_tensor *mask, const int32_t *lengths)
{
    lb_hard_attributes how = {.lengths = lengths};
    return lb_op_apply(&hard_op, LB_INPUTS(logits, scores, mask), &how, sizeof how);
}

/** Exact hard monotonic attention: the position of a step is that of the step before or to the right of it. All paths are
 *  summed over, by the forward algorithm: y_t gives ln p(symbol | symbols before it), whatever the path was.
 *  Shapes:  logits [batch, T, S, classes] and scores [batch, T, S] as for lb_attend_hard, jumps [batch, T, w + 1] or
 *           NULL, before [batch, S, classes] or NULL, mask [batch, S] or NULL, tokens [batch, T]: what the decoder read
 *           at each step, so that the symbol written at t is the token at t + 1 -> log-probabilities
 *           [batch, T, classes]; output 1: p(a_t = j | symbols before t) [batch, T, S]; output 2: the beliefs after each
 *           row, p(a = j | all its symbols, the last one being v) [batch, S, classes].
 *  Jumps:   a score for moving by 0, 1, ... w or more positions (order 1); NULL: moves differ only in where they lead
 *           (order 0).
 *  Before:  the beliefs after the tokens before these; NULL: the row begins here, at position 0. Decoding some tokens
 *           after the others gives the same as all at once.
 *  After the end of a row, outputs 0 and 1 are zero. A row with nothing to look at: as for lb_attend_hard.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..T; LB_ERROR_INDEX if a token is not a class.
 *  Cost:    O(batch T S (S + classes)); a row is computed by one thread.
 *  Source:  Wu, Cotterell 2019, arXiv:1905.06319. Differs: a path begins at position 0, and may then jump; jumps add to
 *           the score of where they lead, and are not cut off at w. */
lb_tensor *lb_attend_monotonic(lb_tensor *logits, lb_tensor *scores, lb_tensor *jumps, lb_tensor *before,
                               lb_tensor *mask, lb_tokens tokens)
{
    lb_hard_attributes how = {.monotonic = true, .tokens = tokens, .lengths = tokens.lengths};
    return lb_op_apply(&monotonic_op, LB_INPUTS(logits, scores, jumps, before, mask), &how, sizeof how);
}

static const lb_op *const ops[] = {&hard_op, &monotonic_op};
const lb_op_family lb_family_hard_attention = {ops, LB_LENGTH(ops)};
