/* References and cases of the ops in wanted_cross_entropy.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"

#include <math.h>

enum { LOGITS, WEIGHT, WANTED, MASK };

static void reference(const lb_node *node, double *const *out)
{
    const lb_wanted_options *c = node->attributes;
    int64_t classes = lb_dim(node->in[LOGITS], -1), rows = lb_count(node->in[LOGITS]) / classes;
    double sum = 0, shares = 0;
    for (int64_t row = 0; row < rows; row++) {
        const lb_real *x = node->in[LOGITS]->data + row * classes;
        double visible = 0;
        for (int64_t i = 0; i < classes; i++) visible += x[i] > -(lb_real)INFINITY ? 1 : 0;
        bool counted =
            c->soft ? !node->in[MASK] || node->in[MASK]->data[row] != 0 : c->targets.id[row] != c->ignored;
        for (int64_t i = 0; i < classes && counted; i++) {
            double weight = node->in[WEIGHT] ? (double)node->in[WEIGHT]->data[i] : 1;
            double hard =
                c->soft ? (double)node->in[WANTED]->data[row * classes + i] : c->targets.id[row] == i;
            double q = (1 - (double)c->smoothing) * hard;
            if (x[i] > -(lb_real)INFINITY) q += (double)c->smoothing / visible;
            if (q * weight != 0) sum -= q * weight * lb_reference_log_softmax(classes, x, i);
            shares += c->soft ? (i == 0) : weight * hard;
        }
    }
    out[0][0] = shares > 0 ? sum / shares : 0;
}

static lb_tokens example_targets(lb_tape *tape)
{
    static const int32_t id[] = {3, 1, 0, 4, 2, 0}, lengths[] = {2, 2};
    return (lb_tokens){tape, 2, 3, id, lengths};
}

static lb_tensor *example_weight(lb_tape *tape)
{
    static const double weight[] = {0.3, 2, 0, 1.5, 0.7};
    lb_real values[5];
    for (int i = 0; i < 5; i++) values[i] = (lb_real)weight[i];
    return lb_tensor_new(tape, LB_SHAPE(5), values);
}

static lb_tensor *weighted_case(lb_tensor *const *in)
{
    return lb_cross_entropy_weighted(in[0], example_weight(in[0]->tape), example_targets(in[0]->tape), 0, 0);
}

static lb_tensor *weighted_smoothed_case(lb_tensor *const *in)
{
    return lb_cross_entropy_weighted(in[0], example_weight(in[0]->tape), example_targets(in[0]->tape), -1,
                                     (lb_real)0.2);
}

static lb_tensor *soft_case(lb_tensor *const *in)
{
    return lb_cross_entropy_soft(in[0], in[1], NULL, NULL, 0);
}

static lb_tensor *soft_weighted_case(lb_tensor *const *in)
{
    lb_tensor *mask = lb_length_mask(in[0]->tape, (const int32_t[]){3, 1}, 2, 3);
    return lb_cross_entropy_soft(in[0], in[1], example_weight(in[0]->tape), mask, (lb_real)0.1);
}

static const lb_op_case weighted_cases[] = {
    {"ignored targets", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = weighted_case},
    {"label smoothing", 1, {LB_DIMS(2, 3, 5)}, .low = -2, .high = 3, .apply = weighted_smoothed_case},
};
static const lb_op_case soft_cases[] = {
    {"any targets",
     2,
     {LB_DIMS(2, 3, 5), LB_DIMS(2, 3, 5)},
     .fixed = {false, true},
     .low = -2,
     .high = 3,
     .apply = soft_case},
    {"weights, mask and smoothing",
     2,
     {LB_DIMS(2, 3, 5), LB_DIMS(2, 3, 5)},
     .fixed = {false, true},
     .low = -2,
     .high = 3,
     .apply = soft_weighted_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("cross_entropy_weighted", reference, weighted_cases),
    LB_OP_PROOF("cross_entropy_soft", reference, soft_cases),
};
const lb_op_proofs lb_proofs_wanted_cross_entropy = {proofs, LB_LENGTH(proofs)};
