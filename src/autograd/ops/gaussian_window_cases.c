/* References and cases of the ops in gaussian_window.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { WEIGHTS, CENTRE };

static void reference(const lb_node *node, double *const *out)
{
    int64_t keys = lb_dim(node->in[WEIGHTS], 2);
    double deviation = *(const double *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[WEIGHTS]); i++) {
        double away = (double)(i % keys) - (double)node->in[CENTRE]->data[i / keys];
        out[0][i] = (double)node->in[WEIGHTS]->data[i] * exp(-away * away / (2 * deviation * deviation));
    }
}

static lb_tensor *narrow_case(lb_tensor *const *in)
{
    return lb_gaussian_window(in[WEIGHTS], in[CENTRE], 0.75);
}

static lb_tensor *wide_case(lb_tensor *const *in)
{
    return lb_gaussian_window(in[WEIGHTS], in[CENTRE], 2.5);
}

static const lb_op_case cases[] = {
    {"narrow", 2, {LB_DIMS(2, 3, 5), LB_DIMS(2, 3, 1)}, .low = 0.5, .high = 3.5, .apply = narrow_case},
    {"wide, from before the first key",
     2,
     {LB_DIMS(3, 2, 4), LB_DIMS(3, 2, 1)},
     .low = -1,
     .high = 1,
     .apply = wide_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("gaussian_window", reference, cases),
};
const lb_op_proofs lb_proofs_gaussian_window = {proofs, LB_LENGTH(proofs)};
