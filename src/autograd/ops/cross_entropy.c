/* Softmax and negative log-likelihood in one op. */
#include "autograd/class_loss.h"
#include "autograd/fused/reference_weights.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <string.h>

/* The loss of one row. `slope` receives its derivative by each logit: softmax minus the smoothed target. If the result
 * is not finite, rare_row_loss decides. */
LB_KERNEL static lb_real row_loss(int64_t classes, const lb_real *x, int32_t target, lb_real smoothing,
                                  lb_real *slope)
{
    lb_real maximum = lb_largest_inline(classes, x), sum = 0, total = 0, share = smoothing / (lb_real)classes;
#pragma omp simd reduction(+ : sum, total)
    for (int64_t i = 0; i < classes; i++) {
        slope[i] = lb_exp_inline(x[i] - maximum);
        sum += slope[i];
        total += x[i] - maximum;
    }
    lb_real inverse = 1 / sum, log_sum = (lb_real)log((double)sum);
    for (int64_t i = 0; i < classes; i++) slope[i] = slope[i] * inverse - share;
    slope[target] -= 1 - smoothing;
    if (smoothing == 0) total = 0; /* it may be -inf, and 0 times that is NaN */
    return log_sum - (1 - smoothing) * (x[target] - maximum) - share * total;
}

/* row_loss by the definition, for a row with logits of -inf, or with logits so far apart that their differences or the
 * sum of these overflow. */
static lb_real rare_row_loss(int64_t classes, const lb_real *x, int32_t target, lb_real smoothing,
                             lb_real *slope)
{
    double maximum = (double)lb_largest_inline(classes, x), sum = 0, loss = 0;
    int64_t visible = 0;
    for (int64_t i = 0; i < classes; i++) {
        if (lb_is_hidden_class(x[i])) continue;
        visible++;
        sum += exp((double)x[i] - maximum);
    }
    for (int64_t i = 0; i < classes; i++) {
        double log_share = lb_is_hidden_class(x[i]) ? -INFINITY : (double)x[i] - maximum - log(sum);
        double wanted = lb_is_hidden_class(x[i]) ? 0 : (double)smoothing / (double)visible;
        if (i == target) wanted += 1 - (double)smoothing;
        if (wanted != 0) loss -= wanted * log_share;
        slope[i] = visible ? (lb_real)(exp(log_share) - wanted) : 0;
    }
    return (lb_real)loss;
}

static lb_real any_row_loss(const lb_class_loss *c, int64_t classes, const lb_real *x, int32_t target,
                            lb_real *slope)
{
    lb_real loss = row_loss(classes, x, target, c->smoothing, slope);
    return isfinite(loss) ? loss : rare_row_loss(classes, x, target, c->smoothing, slope);
}

static lb_status forward(lb_node *node)
{
    return lb_class_loss_forward(node, any_row_loss);
}

static void reference(const lb_node *node, double *const *out)
{
    const lb_class_loss *c = node->attributes;
    int64_t classes = lb_dim(node->in[0], -1), counted = 0;
    double sum = 0;
    for (int64_t row = 0; row < c->targets.batch * c->targets.length; row++) {
        const lb_real *x = node->in[0]->data + row * classes;
        double visible = 0;
        for (int64_t i = 0; i < classes; i++) visible += lb_is_hidden_class(x[i]) ? 0 : 1;
        if (c->targets.id[row] == c->ignored) continue;
        counted++;
        for (int64_t i = 0; i < classes; i++) {
            double wanted = lb_is_hidden_class(x[i]) ? 0 : (double)c->smoothing / visible;
            if (i == c->targets.id[row]) wanted += 1 - (double)c->smoothing;
            if (wanted != 0) sum -= wanted * lb_reference_log_softmax(classes, x, i);
        }
    }
    out[0][0] = counted ? sum / (double)counted : 0;
}

static lb_tokens example_targets(lb_tape *tape)
{
    static const int32_t id[] = {3, 1, 0, 4, 2, 0}, lengths[] = {2, 2};
    return (lb_tokens){tape, 2, 3, id, lengths};
}

static lb_tensor *ignored_case(lb_tensor *const *in)
{
    return lb_cross_entropy(in[0], example_targets(in[0]->tape), 0);
}

static lb_tensor *negative_case(lb_tensor *const *in)
{
    static const int32_t id[] = {3, -100, 0, 4, -100, 0}, lengths[] = {3, 3};
    return lb_cross_entropy(in[0], (lb_tokens){in[0]->tape, 2, 3, id, lengths}, -100);
}

static lb_tensor *smoothed_case(lb_tensor *const *in)
{
    return lb_cross_entropy_smoothed(in[0], example_targets(in[0]->tape), -1, (lb_real)0.1);
}

/* Logits of which the classes 1 and 4 are hidden, and targets among the others. */
static lb_tensor *hidden_logits(lb_tensor *logits)
{
    lb_tensor *mask = lb_tensor_new(logits->tape, LB_SHAPE(5), (const lb_real[]){1, 0, 1, 1, 0});
    return lb_masked_fill(logits, mask, -(lb_real)INFINITY);
}

static lb_tokens visible_targets(lb_tape *tape)
{
    static const int32_t id[] = {3, 2, 0, 3, 2, 0}, lengths[] = {3, 3};
    return (lb_tokens){tape, 2, 3, id, lengths};
}

static lb_tensor *hidden_case(lb_tensor *const *in)
{
    return lb_cross_entropy(hidden_logits(in[0]), visible_targets(in[0]->tape), 0);
}

static lb_tensor *hidden_smoothed_case(lb_tensor *const *in)
{
    return lb_cross_entropy_smoothed(hidden_logits(in[0]), visible_targets(in[0]->tape), -1, (lb_real)0.1);
}

static const lb_op_case cases[] = {
    {"ignored targets", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = ignored_case},
    {"ignored number that is no class", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = negative_case},
    {"label smoothing", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = smoothed_case},
    {"hidden classes", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_case},
    {"hidden classes, smoothing", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_smoothed_case},
};

static const lb_op cross_entropy_op = {
    .name = "cross_entropy",
    .operands = "logits",
    .formula = "loss = -(1/n) sum over counted rows of sum_c q_c ln softmax(x)_c, q = (1 - s) onehot(target) "
               "+ s / classes; 0 ln 0 = 0; classes are those with x_c > -inf",
    .derivative = "dx += dloss (softmax(x) - q) / n",
    .shape = lb_class_loss_shape,
    .forward = forward,
    .backward = lb_class_loss_backward,
    .can_set = 1U,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** Mean cross-entropy over the targets that are not `ignored`, which may be any number: a class, such as LB_PAD, or
 *  another one, such as -100. If all are ignored, it is 0, where PyTorch gives NaN.
 *  A logit of -inf hides its class: probability and gradient are 0. A hidden target makes the loss infinite, as in
 *  PyTorch; a row of only -inf does so, too, without a gradient, where PyTorch gives NaN.
 *  Shapes: logits [batch, length, classes], targets [batch, length] -> scalar.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX if a target is neither a class nor `ignored`. */
lb_tensor *lb_cross_entropy(lb_tensor *logits, lb_tokens targets, int32_t ignored)
{
    return lb_cross_entropy_smoothed(logits, targets, ignored, 0);
}

/** lb_cross_entropy with label smoothing: the target gets 1 - smoothing, and every class gets smoothing / classes more.
 *  Classes hidden by -inf get nothing and do not count, as if the row did not have them; PyTorch gives infinity.
 *  Errors: also LB_ERROR_ARGUMENT unless 0 <= smoothing <= 1.
 *  Source: Szegedy et al. 2016, arXiv:1512.00567. */
lb_tensor *lb_cross_entropy_smoothed(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing)
{
    return lb_class_loss_apply(
        &cross_entropy_op, logits,
        (lb_class_loss){.targets = targets, .ignored = ignored, .smoothing = smoothing});
}

static const lb_op *const ops[] = {&cross_entropy_op};
const lb_op_family lb_family_cross_entropy = {ops, LB_LENGTH(ops)};
