/* Cross-entropy with weights for the classes, or with a distribution as the target of each row. */
#include "autograd/class_loss.h"
#include "autograd/ops/attributes.h"
#include "base/transcendental.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/softmax_row.h"

#include <math.h>

enum { LOGITS, WEIGHT, WANTED, MASK };

static lb_status check_operand(const lb_node *node, int which, lb_shape expected)
{
    const lb_tensor *operand = which < node->inputs ? node->in[which] : NULL;
    if (!operand || lb_shape_equal(operand->shape, expected)) return LB_OK;
    return lb_op_misfit(node, "shapes do not match", LOGITS, which);
}

static lb_status scalar_shape(const lb_node *node, lb_shape *out)
{
    const lb_wanted_options *c = node->attributes;
    lb_shape logits = node->in[LOGITS]->shape;
    *out = (lb_shape){0};
    bool fits = c->soft ? logits.ndim == 2 || logits.ndim == 3 : lb_has_logits_for(logits, &c->targets);
    if (!fits) {
        char text[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_SHAPE, "expected logits[batch,length,classes], found logits%s%s",
                          lb_shape_format(logits, text), c->soft ? "" : ", which do not fit the targets");
    }
    if (!(c->smoothing >= 0 && c->smoothing <= 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid label smoothing %g, expected 0 to 1",
                          (double)c->smoothing);
    int64_t classes = lb_shape_dim(logits, -1);
    lb_shape rows = logits;
    rows.ndim--;
    lb_status status = check_operand(node, WEIGHT, LB_SHAPE(classes));
    if (!status) status = check_operand(node, WANTED, logits);
    if (!status) status = check_operand(node, MASK, rows);
    if (status || c->soft) return status;
    return lb_op_check_ids(node, &c->targets, classes, &c->ignored, "target", "there are", "classes");
}

/* What row `row` counts for in the mean; 0 if it does not count. */
static double share_of_row(const lb_node *node, int64_t row)
{
    const lb_wanted_options *c = node->attributes;
    if (c->soft) return !node->in[MASK] || node->in[MASK]->data[row] != 0 ? 1 : 0;
    int32_t target = c->targets.id[row];
    return target == c->ignored ? 0 : (double)node->in[WEIGHT]->data[target];
}

static bool counts(const lb_node *node, int64_t row)
{
    const lb_wanted_options *c = node->attributes;
    return c->soft ? share_of_row(node, row) != 0 : c->targets.id[row] != c->ignored;
}

/* What row `row` wants of class `i`. Smoothing is for the classes that are not at -inf. */
static double wanted_of(const lb_node *node, int64_t row, int64_t i, int64_t visible)
{
    const lb_wanted_options *c = node->attributes;
    int64_t classes = lb_dim(node->in[LOGITS], -1);
    const lb_tensor *weight = node->in[WEIGHT];
    double hard = c->soft ? (double)node->in[WANTED]->data[row * classes + i] : c->targets.id[row] == i;
    double wanted = (1 - (double)c->smoothing) * hard;
    if (node->in[LOGITS]->data[row * classes + i] != -(lb_real)INFINITY)
        wanted += (double)c->smoothing / (double)visible;
    return wanted * (weight ? (double)weight->data[i] : 1);
}

/* The loss of a row; `slope` receives its derivatives. */
static double row_loss(const lb_node *node, int64_t row, lb_real *slope)
{
    int64_t classes = lb_dim(node->in[LOGITS], -1), visible = 0;
    const lb_real *x = node->in[LOGITS]->data + row * classes;
    double largest = (double)lb_largest_inline(classes, x), sum = 0, loss = 0, all = 0;
    for (int64_t i = 0; i < classes; i++) {
        if (x[i] == -(lb_real)INFINITY) continue;
        visible++;
        sum += lb_exp64((double)x[i] - largest);
    }
    for (int64_t i = 0; i < classes; i++) all += wanted_of(node, row, i, visible);
    for (int64_t i = 0; i < classes; i++) {
        double wanted = wanted_of(node, row, i, visible);
        double logarithm = x[i] == -(lb_real)INFINITY ? -INFINITY : (double)x[i] - largest - lb_log64(sum);
        if (wanted != 0) loss -= wanted * logarithm;
        slope[i] = visible ? (lb_real)(lb_exp64(logarithm) * all - wanted) : 0;
    }
    return loss;
}

/* saved: the derivatives of the sum of the losses, and after them what the sum is divided by */
static lb_status forward(lb_node *node)
{
    int64_t count = lb_count(node->in[LOGITS]), classes = lb_dim(node->in[LOGITS], -1),
            rows = classes ? count / classes : 0;
    lb_real *slope = lb_op_zeros(node, count + 1), *loss = lb_op_zeros(node, rows);
    if (!slope || !loss) return LB_ERROR_MEMORY;
    node->saved = slope;
#pragma omp parallel for schedule(static) if (count > (1 << 12))
    for (int64_t row = 0; row < rows; row++)
        if (counts(node, row)) loss[row] = (lb_real)row_loss(node, row, slope + row * classes);
    double sum = 0, shares = 0;
    for (int64_t row = 0; row < rows; row++) {
        sum += (double)loss[row];
        shares += share_of_row(node, row);
    }
    slope[count] = (lb_real)shares;
    node->out[0]->data[0] = shares > 0 ? (lb_real)(sum / shares) : 0;
    return LB_OK;
}

static void backward(lb_node *node)
{
    int64_t count = lb_count(node->in[LOGITS]);
    const lb_real *slope = node->saved;
    lb_real factor = slope[count] > 0 ? node->out[0]->grad[0] / slope[count] : 0;
    if (lb_wants_grad(node->in[LOGITS])) lb_add_scaled_to(count, factor, slope, node->in[LOGITS]->grad);
}

static const lb_op weighted_op = {
    .name = "cross_entropy_weighted",
    .operands = "logits weight",
    .formula =
        "loss = -(1/n) sum over counted rows of sum_c w_c q_c ln softmax(x)_c, q = (1 - s) onehot(target) "
        "+ s / classes, n = sum over counted rows of w_target",
    .derivative = "dx_c += dloss (softmax(x)_c sum_k w_k q_k - w_c q_c) / n",
    .shape = scalar_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

static const lb_op soft_op = {
    .name = "cross_entropy_soft",
    .operands = "logits weight? targets mask?",
    .formula =
        "loss = -(1/n) sum over the n rows where mask of sum_c w_c q_c ln softmax(x)_c, q = (1 - s) target + "
        "s / classes",
    .derivative = "dx_c += dloss (softmax(x)_c sum_k w_k q_k - w_c q_c) / n",
    .shape = scalar_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** lb_cross_entropy_smoothed with a weight for each class, as in nn.CrossEntropyLoss: the weight of its target
 *  multiplies the loss of a row and its share in the mean, and the weight of each class its smoothed part. If the
 *  weights of all counted targets are 0, the loss is 0, where PyTorch gives NaN.
 *  Shapes: weight [classes] of numbers >= 0, without a gradient. All else, and errors: as lb_cross_entropy_smoothed. */
lb_tensor *lb_cross_entropy_weighted(lb_tensor *logits, lb_tensor *weight, lb_tokens targets, int32_t ignored,
                                     lb_real smoothing)
{
    lb_wanted_options options = {.targets = targets, .ignored = ignored, .smoothing = smoothing};
    return lb_op_apply(&weighted_op, LB_INPUTS(logits, weight), &options, sizeof options);
}

/** Cross-entropy with a distribution over the classes as the target of each row, such as the output of a teacher:
 *  probabilities as targets of nn.CrossEntropyLoss. The mean is over the rows, whatever the weights.
 *  Shapes: logits and targets [batch, length, classes] or [rows, classes]; weight [classes] or NULL; mask [batch,
 *          length] or [rows], 0 leaves out a row, or NULL -> scalar. Only the logits get a gradient.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT unless 0 <= smoothing <= 1. */
lb_tensor *lb_cross_entropy_soft(lb_tensor *logits, lb_tensor *targets, lb_tensor *weight, lb_tensor *mask,
                                 lb_real smoothing)
{
    lb_wanted_options options = {.soft = true, .smoothing = smoothing};
    return lb_op_apply(&soft_op, LB_INPUTS(logits, weight, targets, mask), &options, sizeof options);
}
