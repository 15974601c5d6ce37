/* References and cases of the ops in embedding_lookup.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

static void reference(const lb_node *node, double *const *out)
{
    const lb_tokens *tokens = node->attributes;
    int64_t width = lb_dim(node->in[0], 1);
    for (int64_t i = 0; i < lb_count(node->out[0]); i++)
        out[0][i] = (double)node->in[0]->data[tokens->id[i / width] * width + i % width];
}

static lb_tensor *repeated_case(lb_tensor *const *in)
{
    static const int32_t id[] = {3, 1, 0, 3, 2, 3}, lengths[] = {3, 2};
    return lb_embedding_lookup((lb_tokens){in[0]->tape, 2, 3, id, lengths}, in[0]);
}

static const lb_op_case cases[] = {{"repeated ids", 1, {LB_DIMS(4, 3)}, .apply = repeated_case}};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("embedding_lookup", reference, cases),
};
const lb_op_proofs lb_proofs_embedding_lookup = {proofs, LB_LENGTH(proofs)};
