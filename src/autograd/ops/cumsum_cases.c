/* References and cases of the ops in cumsum.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

static void reference(const lb_node *node, double *const *out)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        int64_t along = i / a.inner % a.length;
        out[0][i] = 0;
        for (int64_t l = 0; l <= along; l++) out[0][i] += (double)node->in[0]->data[i - l * a.inner];
    }
}

static lb_tensor *cumsum_last(lb_tensor *const *in)
{
    return lb_cumsum(in[0], -1);
}

static lb_tensor *cumsum_middle(lb_tensor *const *in)
{
    return lb_cumsum(in[0], 1);
}

static const lb_op_case cases[] = {
    {"last axis", 1, {LB_DIMS(3, 5)}, .apply = cumsum_last},
    {"middle axis", 1, {LB_DIMS(2, 4, 3)}, .apply = cumsum_middle},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("cumsum", reference, cases),
};
const lb_op_proofs lb_proofs_cumsum = {proofs, LB_LENGTH(proofs)};
