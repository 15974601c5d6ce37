/* References and cases of the ops in softmax.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

static void log_softmax_reference(const lb_node *node, double *const *out)
{
    int64_t width = lb_dim(node->in[0], -1);
    for (int64_t i = 0; i < lb_count(node->in[0]); i++)
        out[0][i] = lb_reference_log_softmax(width, node->in[0]->data + i / width * width, i % width);
}

static void softmax_reference(const lb_node *node, double *const *out)
{
    log_softmax_reference(node, out);
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = exp(out[0][i]);
}

static lb_tensor *softmax_case(lb_tensor *const *in)
{
    return lb_softmax(in[0]);
}

static lb_tensor *log_softmax_case(lb_tensor *const *in)
{
    return lb_log_softmax(in[0]);
}

static const lb_op_case softmax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = softmax_case},
    {"one column", 1, {LB_DIMS(3, 1)}, .apply = softmax_case},
};
static const lb_op_case log_softmax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = log_softmax_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("softmax", softmax_reference, softmax_cases),
    LB_OP_PROOF("log_softmax", log_softmax_reference, log_softmax_cases),
};
const lb_op_proofs lb_proofs_softmax = {proofs, LB_LENGTH(proofs)};
