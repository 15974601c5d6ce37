/* Exact hard attention: each step looks at one unknown position, and the op sums over all. */
#include "autograd/fused/hard_attention.h"

#include "lookback/ops.h"

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
    .work = LB_TRAINING(lb_hard_backward_work),
    .backward = LB_TRAINING(lb_hard_backward),
    .can_set = 1U,
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
    .work = LB_TRAINING(lb_hard_backward_work),
    .backward = LB_TRAINING(lb_hard_backward),
    .can_set = 1U,
};

/** Exact hard attention of order 0: each step chooses its position anew. The results are log-probabilities, which serve
 *  as logits.
 *  Shapes:  logits [batch, T, S, classes] of each symbol at each position, scores [batch, T, S], mask [batch, S] or
 *           NULL -> log-probabilities [batch, T, classes]; output 1: p(a_t = j) [batch, T, S].
 *  Lengths: [batch] steps of each row, alive until lb_tape_reset, or NULL if all are full. After the end of a row, both
 *           outputs are zero.
 *  Mask:    1 may be looked at, 0 not; no gradient. A row without positions gives every symbol the same probability,
 *           and no gradient.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..T. Cost: O(batch T S classes).
 *  Source:  Wu, Shapiro, Cotterell 2018, arXiv:1808.10024. */
lb_tensor *lb_attend_hard(lb_tensor *logits, lb_tensor *scores, lb_tensor *mask, const int32_t *lengths)
{
    lb_hard_attributes how = {.lengths = lengths};
    return lb_op_apply(&hard_op, LB_INPUTS(logits, scores, mask), &how, sizeof how);
}

/** Exact hard monotonic attention: no step moves to the left of the step before. The forward algorithm sums over all
 *  paths: y_t gives ln p(symbol | symbols before it).
 *  Shapes: logits, scores and mask as for lb_attend_hard, jumps [batch, T, w + 1] or NULL, before [batch, S, classes]
 *          or NULL, tokens [batch, T]: what the decoder read at each step, so that the symbol written at t is the token
 *          at t + 1 -> log-probabilities [batch, T, classes]; output 1: p(a_t = j | symbols before t) [batch, T, S];
 *          output 2: the beliefs after each row, p(a = j | all its symbols, the last one being v) [batch, S, classes].
 *          After the end of a row, outputs 0 and 1 are zero.
 *  Jumps:  a score for moving by 0, 1, ... w or more positions (order 1); NULL: none (order 0).
 *  Before: the beliefs after the tokens before these; NULL: the row begins here, at position 0.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..T; LB_ERROR_INDEX if a token is not a class.
 *  Cost:   O(batch T S (S + classes)); one thread computes a row.
 *  Source: Wu, Cotterell 2019, arXiv:1905.06319. Differs: a path begins at position 0, and may then jump; jumps add to
 *          the score of where they lead, and are not cut off at w. */
lb_tensor *lb_attend_monotonic(lb_tensor *logits, lb_tensor *scores, lb_tensor *jumps, lb_tensor *before,
                               lb_tensor *mask, lb_tokens tokens)
{
    lb_hard_attributes how = {.monotonic = true, .tokens = tokens, .lengths = tokens.lengths};
    return lb_op_apply(&monotonic_op, LB_INPUTS(logits, scores, jumps, before, mask), &how, sizeof how);
}
