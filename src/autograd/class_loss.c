#include "autograd/class_loss.h"

#include "tensor/arrays.h"

#include <string.h>

lb_tensor *lb_class_loss_apply(const lb_op *op, lb_tensor *logits, lb_class_loss loss)
{
    loss.counted = 0;
    for (int64_t i = 0; i < loss.targets.batch * loss.targets.length; i++)
        loss.counted += loss.targets.id[i] != loss.ignored;
    return lb_op_apply(op, LB_INPUTS(logits), &loss, sizeof loss);
}

lb_status lb_class_loss_shape(const lb_node *node, lb_shape *out)
{
    const lb_class_loss *c = node->attributes;
    lb_shape logits = node->in[0]->shape;
    *out = (lb_shape){0};
    if (!lb_has_logits_for(logits, &c->targets)) {
        char text[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_SHAPE, "shapes do not match: logits%s x targets[%lld,%lld]",
                          lb_shape_format(logits, text), (long long)c->targets.batch,
                          (long long)c->targets.length);
    }
    if (lb_op_check_normalizer(node, c->normalizer)) return LB_ERROR_ARGUMENT;
    if (!(c->smoothing >= 0 && c->smoothing <= 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid label smoothing %g, expected 0 to 1",
                          (double)c->smoothing);
    return lb_op_check_ids(node, &c->targets, lb_shape_dim(logits, -1), &c->ignored, "target", "there are",
                           "classes");
}

/* Multiplies the loss of a target and its slope by the weight of its row. */
static lb_real weigh(lb_real weight, int64_t classes, lb_real loss, lb_real *slope)
{
    lb_scale_to(classes, weight, slope, slope);
    return weight * loss;
}

lb_status lb_class_loss_forward(lb_node *node, lb_class_loss_row *row_loss)
{
    const lb_class_loss *c = node->attributes;
    int64_t classes = lb_dim(node->in[0], -1), rows = c->targets.batch * c->targets.length;
    lb_real *slope = lb_op_reals(node, rows * classes), *loss = lb_op_zeros(node, rows);
    if (!slope || !loss) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (rows * classes > (1 << 15))
    for (int64_t row = 0; row < rows; row++) {
        lb_real *own = slope + row * classes;
        if (c->targets.id[row] == c->ignored) {
            memset(own, 0, (size_t)classes * sizeof *own);
            continue;
        }
        loss[row] = row_loss(c, classes, node->in[0]->data + row * classes, c->targets.id[row], own);
        if (c->weights) loss[row] = weigh(c->weights[row / c->targets.length], classes, loss[row], own);
    }
    double sum = 0;
    for (int64_t row = 0; row < rows; row++) sum += (double)loss[row];
    node->out[0]->data[0] = c->counted ? (lb_real)(sum / (double)c->counted) : 0;
    node->saved = slope;
    return LB_OK;
}

void lb_class_loss_backward(lb_node *node)
{
    const lb_class_loss *c = node->attributes;
    lb_real factor = c->counted ? node->out[0]->grad[0] / (lb_real)c->counted : 0;
    (lb_op_sets(node, 0) ? lb_scale_to : lb_add_scaled_to)(lb_count(node->in[0]), factor, node->saved,
                                                           node->in[0]->grad);
}
