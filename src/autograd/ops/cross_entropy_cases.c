/* References and cases of the ops in cross_entropy.c. */
#include "autograd/class_loss.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

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
            if (c->weights) wanted *= (double)c->weights[row / c->targets.length];
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

/* The second row counts four times as much as the first one. */
static const lb_real weights[] = {(lb_real)0.5, 2};

static lb_tensor *weights_case(lb_tensor *const *in)
{
    return lb_cross_entropy_of(in[0], (lb_class_loss){.targets = example_targets(in[0]->tape),
                                                      .smoothing = (lb_real)0.1,
                                                      .weights = weights});
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

static lb_tensor *labels_case(lb_tensor *const *in)
{
    static const int32_t label[] = {3, 1, 0, 4};
    return lb_cross_entropy(in[0], (lb_tokens){in[0]->tape, 4, 1, label, NULL}, -1);
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
    {"weights of rows", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = weights_case},
    {"one label for each row", 1, {LB_DIMS(4, 5)}, .low = -2, .high = 3, .apply = labels_case},
    {"hidden classes", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_case},
    {"hidden classes, smoothing", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = hidden_smoothed_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("cross_entropy", reference, cases),
};
const lb_op_proofs lb_proofs_cross_entropy = {proofs, LB_LENGTH(proofs)};
