/* Softmax and negative log-likelihood in one op. */
#include "autograd/class_loss.h"
#include "base/transcendental.h"
#include "tensor/softmax_row.h"

#include <math.h>

/* The loss of one row. `slope` receives its derivative by each logit: softmax minus the smoothed target. If the result
 * is not finite, rare_row_loss decides. */
LB_KERNEL_OF(lb_real, row_loss,
             (int64_t classes, const lb_real *x, int32_t target, lb_real smoothing, lb_real *slope),
             (classes, x, target, smoothing, slope))
{
    lb_real maximum = lb_largest_inline(classes, x), share = smoothing / (lb_real)classes;
    LB_SUM(lb_real, sum, i, classes, slope[i] = lb_exp_inline(fused, x[i] - maximum));
    lb_real inverse = 1 / sum, log_sum = (lb_real)lb_log64((double)sum);
    for (int64_t i = 0; i < classes; i++) slope[i] = slope[i] * inverse - share;
    slope[target] -= 1 - smoothing;
    lb_real loss = log_sum - (1 - smoothing) * (x[target] - maximum);
    if (smoothing == 0) return loss; /* the total may be -inf, and 0 times that is NaN */
    LB_SUM(lb_real, total, i, classes, x[i] - maximum);
    return loss - share * total;
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
        sum += lb_exp64((double)x[i] - maximum);
    }
    for (int64_t i = 0; i < classes; i++) {
        double log_share = lb_is_hidden_class(x[i]) ? -INFINITY : (double)x[i] - maximum - lb_log64(sum);
        double wanted = lb_is_hidden_class(x[i]) ? 0 : (double)smoothing / (double)visible;
        if (i == target) wanted += 1 - (double)smoothing;
        if (wanted != 0) loss -= wanted * log_share;
        slope[i] = visible ? (lb_real)(lb_exp64(log_share) - wanted) : 0;
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

static const lb_op cross_entropy_op = {
    .name = "cross_entropy",
    .operands = "logits",
    .formula = "loss = -(1/n) sum over counted rows of sum_c q_c ln softmax(x)_c, q = (1 - s) onehot(target) "
               "+ s / classes; 0 ln 0 = 0; classes are those with x_c > -inf",
    .derivative = "dx += dloss (softmax(x) - q) / n",
    .shape = lb_class_loss_shape,
    .forward = forward,
    .backward = LB_TRAINING(lb_class_loss_backward),
    .can_set = 1U,
    .saves_slope = true,
};

/** Mean cross-entropy over the targets other than `ignored`, a class such as LB_PAD or another number such as -100. If
 *  all are ignored, it is 0, where PyTorch gives NaN. A logit of -inf hides its class: probability and gradient are 0.
 *  A hidden target makes the loss infinite, as in PyTorch; a row of only -inf does so without a gradient, where PyTorch
 *  gives NaN.
 *  Shapes: logits [batch, length, classes] or [batch length, classes], targets [batch, length] -> scalar. A classifier
 *          has targets [rows, 1].
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX, with row and position, if a target is neither a class nor `ignored`. */
lb_tensor *lb_cross_entropy(lb_tensor *logits, lb_tokens targets, int32_t ignored)
{
    return lb_cross_entropy_smoothed(logits, targets, ignored, 0);
}

lb_tensor *lb_cross_entropy_of(lb_tensor *logits, lb_class_loss loss)
{
    return lb_class_loss_apply(&cross_entropy_op, logits, loss);
}

/** lb_cross_entropy with label smoothing: the target gets 1 - smoothing, and every class gets smoothing / classes
 *  more. Classes hidden by -inf do not count; PyTorch gives infinity.
 *  Errors: also LB_ERROR_ARGUMENT unless 0 <= smoothing <= 1.
 *  Source: Szegedy et al. 2016, arXiv:1512.00567. */
lb_tensor *lb_cross_entropy_smoothed(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing)
{
    return lb_cross_entropy_of(
        logits, (lb_class_loss){.targets = targets, .ignored = ignored, .smoothing = smoothing});
}
