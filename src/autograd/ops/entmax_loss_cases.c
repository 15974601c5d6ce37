/* References and cases of the ops in entmax_loss.c. */
#include "autograd/class_loss.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

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
            sum += (c->weights ? (double)c->weights[row / c->targets.length] : 1) *
                   reference_row(c, classes, node->in[0]->data + row * classes, c->targets.id[row]);
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

static lb_tensor *weights_case(lb_tensor *const *in)
{
    static const lb_real weights[] = {(lb_real)0.5, 2};
    return lb_entmax_loss_of(in[0], (lb_class_loss){.targets = example_targets(in[0]->tape),
                                                    .normalizer = LB_ENTMAX,
                                                    .weights = weights});
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
    {"entmax, weights of rows", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = weights_case},
    {"entmax, hidden classes", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_entmax_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("entmax_loss", reference, cases),
};
const lb_op_proofs lb_proofs_entmax_loss = {proofs, LB_LENGTH(proofs)};
