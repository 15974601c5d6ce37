/* References and cases of the ops in squared_error.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

static void reference(const lb_node *node, double *const *out)
{
    int64_t count = lb_count(node->in[0]);
    out[0][0] = 0;
    for (int64_t i = 0; i < count; i++)
        out[0][0] += pow((double)node->in[0]->data[i] - (double)node->in[1]->data[i], 2) / (double)count;
}

static lb_tensor *squared_case(lb_tensor *const *in)
{
    return lb_mean_squared_error(in[0], in[1]);
}

static const lb_op_case cases[] = {
    {"a matrix", 2, {LB_DIMS(3, 5), LB_DIMS(3, 5)}, .low = -2, .high = 3, .apply = squared_case},
    {"a scalar", 2, {LB_DIMS(1), LB_DIMS(1)}, .low = -2, .high = 3, .apply = squared_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("mean_squared_error", reference, cases),
};
const lb_op_proofs lb_proofs_squared_error = {proofs, LB_LENGTH(proofs)};
