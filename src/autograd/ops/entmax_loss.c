/* Sparsemax or 1.5-entmax and their loss in one op: what the cross-entropy is to softmax. */
#include "autograd/class_loss.h"
#include "autograd/fused/reference_weights.h"
#include "tensor/accumulate.h"
#include "tensor/sparse_row.h"

#include <math.h>
#include <string.h>

/* The entropy of Tsallis with alpha 2 or 1.5, term by term: (p - p^alpha) / (alpha (alpha - 1)). */
static inline double entropy_of(lb_normalizer normalizer, double p)
{
    return normalizer == LB_ENTMAX ? 4 * (p - p * sqrt(p)) / 3 : (p - p * p) / 2;
}

/* The loss of one row. `slope` receives its derivative by each logit: the probabilities minus the smoothed target.
 * Classes at -inf are out of the choice, as in the cross-entropy. */
LB_KERNEL static lb_real sparse_row_loss(const lb_class_loss *c, int64_t classes, const lb_real *x,
                                         int32_t target, lb_real *slope)
{
    double largest = (double)lb_largest_inline(classes, x), loss = 0, visible = 0;
    memcpy(slope, x, (size_t)classes * sizeof *slope);
    lb_sparse_row_inline(c->normalizer, classes, slope);
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

/* By the definition of a Fenchel-Young loss: the largest value over all distributions p of p'x + H(p), which the
 * probabilities by bisection reach, minus q'x. */
static double reference_row(const lb_class_loss *c, int64_t classes, const lb_real *x, int32_t target)
{
    enum { MOST = 64 };
    double p[MOST] = {0}, value = 0, visible = 0, alpha = c->normalizer == LB_ENTMAX ? 1.5 : 2;
    for (int64_t i = 0; i < classes; i++) p[i] = (double)x[i];
    for (int64_t i = 0; i < classes; i++) visible += p[i] > (double)-INFINITY ? 1 : 0;
    lb_reference_weights(c->normalizer, classes, p);
    if (lb_is_hidden_class(x[target])) return INFINITY;
    for (int64_t i = 0; i < classes; i++) {
        if (!(x[i] > -(lb_real)INFINITY)) continue;
        double q = (double)c->smoothing / visible + (i == target ? 1 - (double)c->smoothing : 0);
        value += (p[i] - q) * (double)x[i] + (p[i] - pow(p[i], alpha)) / (alpha * (alpha - 1));
    }
    return value;
}

static void reference(const lb_node *node, double *const *out)
{
    const lb_class_loss *c = node->attributes;
    int64_t classes = lb_dim(node->in[0], -1);
    double sum = 0;
    for (int64_t row = 0; row < c->targets.batch * c->targets.length; row++)
        if (c->targets.id[row] != c->ignored)
            sum += reference_row(c, classes, node->in[0]->data + row * classes, c->targets.id[row]);
    out[0][0] = c->counted ? sum / (double)c->counted : 0;
}

static lb_tokens example_targets(lb_tape *tape)
{
    static const int32_t id[] = {3, 2, 0, 3, 2, 0}, lengths[] = {3, 3};
    return (lb_tokens){tape, 2, 3, id, lengths};
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    return lb_entmax_loss(in[0], example_targets(in[0]->tape), 0, 0, LB_SPARSEMAX);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    return lb_entmax_loss(in[0], example_targets(in[0]->tape), -100, 0, LB_ENTMAX);
}

static lb_tensor *smoothed_sparsemax_case(lb_tensor *const *in)
{
    return lb_entmax_loss(in[0], example_targets(in[0]->tape), -1, (lb_real)0.1, LB_SPARSEMAX);
}

/* The classes 1 and 4 are hidden. */
static lb_tensor *hidden_entmax_case(lb_tensor *const *in)
{
    lb_tensor *mask = lb_tensor_new(in[0]->tape, LB_SHAPE(5), (const lb_real[]){1, 0, 1, 1, 0});
    return lb_entmax_loss(lb_masked_fill(in[0], mask, -(lb_real)INFINITY), example_targets(in[0]->tape), 0,
                          (lb_real)0.1, LB_ENTMAX);
}

static const lb_op_case cases[] = {
    {"sparsemax", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = sparsemax_case},
    {"entmax", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = entmax_case},
    {"sparsemax, smoothing", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = smoothed_sparsemax_case},
    {"entmax, hidden classes", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_entmax_case},
};

static const lb_op entmax_loss_op = {
    .name = "entmax_loss",
    .operands = "logits",
    .formula =
        "loss = (1/n) sum over counted rows of H(p) + (p - q)'x, p = sparsemax(x) or entmax15(x), "
        "H(p) = sum_c (p_c - p_c^a) / (a (a - 1)), a = 2 or 1.5, q = (1 - s) onehot(target) + s / classes",
    .derivative = "dx += dloss (p - q) / n",
    .shape = lb_class_loss_shape,
    .forward = forward,
    .backward = lb_class_loss_backward,
    .can_set = 1U,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** The mean loss over the targets that are not `ignored`, for probabilities by `normalizer`; with LB_SOFTMAX, this is
 *  lb_cross_entropy_smoothed. It is 0 if the target has the probability 1, which takes logits that are 1 (sparsemax) or
 *  2 (entmax) larger than all others, and it is finite for a target of probability 0.
 *  Smoothing, classes hidden by -inf, and shapes are those of lb_cross_entropy_smoothed. Smoothed losses leave out the
 *  entropy of the target, as the cross-entropy does, and may be negative.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT; LB_ERROR_INDEX: as lb_cross_entropy_smoothed.
 *  Source: Martins, Astudillo 2016, arXiv:1602.02068; Peters, Niculae, Martins 2019, arXiv:1905.05702, section 3.3;
 *          smoothing after Peters, Martins 2021, arXiv:2103.10291. */
lb_tensor *lb_entmax_loss(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing,
                          lb_normalizer normalizer)
{
    if (normalizer == LB_SOFTMAX) return lb_cross_entropy_smoothed(logits, targets, ignored, smoothing);
    return lb_class_loss_apply(&entmax_loss_op, logits,
                               (lb_class_loss){targets, ignored, smoothing, normalizer, .counted = 0});
}

static const lb_op *const ops[] = {&entmax_loss_op};
const lb_op_family lb_family_entmax_loss = {ops, LB_LENGTH(ops)};
