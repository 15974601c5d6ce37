/* Sparsemax or 1.5-entmax and their loss in one op. */
#include "autograd/class_loss.h"
#include "tensor/arrays.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <string.h>

/* The entropy of Tsallis with alpha 2 or 1.5, term by term: (p - p^alpha) / (alpha (alpha - 1)). */
static inline double entropy_of(lb_normalizer normalizer, double p)
{
    return normalizer == LB_ENTMAX ? 4 * (p - p * sqrt(p)) / 3 : (p - p * p) / 2;
}

/* The loss of one row. `slope` receives its derivative by each logit: the probabilities minus the smoothed target.
 * Classes at -inf are out of the choice, as in the cross-entropy. */
LB_KERNEL_OF(lb_real, sparse_row_loss,
             (const lb_class_loss *c, int64_t classes, const lb_real *x, int32_t target, lb_real *slope),
             (c, classes, x, target, slope))
{
    double largest = (double)lb_largest_inline(classes, x), loss = 0, visible = 0;
    memcpy(slope, x, (size_t)classes * sizeof *slope);
    lb_sparse_row(c->normalizer, classes, slope);
    if (lb_is_hidden_class(x[target])) loss = (double)INFINITY;
    for (int64_t i = 0; i < classes; i++) visible += lb_is_hidden_class(x[i]) ? 0 : 1;
    for (int64_t i = 0; i < classes; i++) {
        if (lb_is_hidden_class(x[i])) continue;
        double p = (double)slope[i], wanted = (double)c->smoothing / visible;
        if (i == target) wanted += 1 - (double)c->smoothing;
        loss += entropy_of(c->normalizer, p) + (p - wanted) * ((double)x[i] - largest);
        slope[i] = (lb_real)(p - wanted);
    }
    return (lb_real)loss;
}

static lb_status forward(lb_node *node)
{
    return lb_class_loss_forward(node, sparse_row_loss);
}

static const lb_op entmax_loss_op = {
    .name = "entmax_loss",
    .operands = "logits",
    .formula =
        "loss = (1/n) sum over counted rows of H(p) + (p - q)'x, p = sparsemax(x) or entmax15(x), "
        "H(p) = sum_c (p_c - p_c^a) / (a (a - 1)), a = 2 or 1.5, q = (1 - s) onehot(target) + s / classes",
    .derivative = "dx += dloss (p - q) / n",
    .shape = lb_class_loss_shape,
    .forward = forward,
    .backward = LB_TRAINING(lb_class_loss_backward),
    .can_set = 1U,
    .saves_slope = true,
};

lb_tensor *lb_entmax_loss_of(lb_tensor *logits, lb_class_loss loss)
{
    if (loss.normalizer == LB_SOFTMAX) return lb_cross_entropy_of(logits, loss);
    return lb_class_loss_apply(&entmax_loss_op, logits, loss);
}

/** The mean loss over the targets that are not `ignored`, for probabilities by `normalizer`; with LB_SOFTMAX, this is
 *  lb_cross_entropy_smoothed, which has the same smoothing, hidden classes, shapes and errors. It is 0 if the logit of
 *  the target is 1 (sparsemax) or 2 (entmax) larger than all others, and finite for a target of probability 0. Smoothed
 *  losses leave out the entropy of the target, and may be negative.
 *  Source: Martins, Astudillo 2016, arXiv:1602.02068; Peters, Niculae, Martins 2019, arXiv:1905.05702, section 3.3;
 *          smoothing after Peters, Martins 2021, arXiv:2103.10291. */
lb_tensor *lb_entmax_loss(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing,
                          lb_normalizer normalizer)
{
    return lb_entmax_loss_of(logits, (lb_class_loss){.targets = targets,
                                                     .ignored = ignored,
                                                     .smoothing = smoothing,
                                                     .normalizer = normalizer});
}
