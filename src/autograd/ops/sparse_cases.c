/* References and cases of the ops in sparse.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

static void reference(const lb_node *node, lb_normalizer normalizer, double *const *out)
{
    int64_t count = lb_count(node->in[0]), width = lb_dim(node->in[0], -1);
    for (int64_t i = 0; i < count; i++) out[0][i] = (double)node->in[0]->data[i];
    for (int64_t i = 0; i < count; i += width) lb_reference_weights(normalizer, width, out[0] + i);
}

static void sparsemax_reference(const lb_node *node, double *const *out)
{
    reference(node, LB_SPARSEMAX, out);
}

static void entmax_reference(const lb_node *node, double *const *out)
{
    reference(node, LB_ENTMAX, out);
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    return lb_sparsemax(in[0]);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    return lb_entmax15(in[0]);
}

/* Every second row has a hidden first element; the last row has nothing else. */
static lb_tensor *hide_some(lb_tensor *x)
{
    static const lb_real mask[] = {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
    return lb_masked_fill(x, lb_tensor_new(x->tape, LB_SHAPE(4, 4), mask), -(lb_real)INFINITY);
}

static lb_tensor *sparsemax_hidden_case(lb_tensor *const *in)
{
    return lb_sparsemax(hide_some(in[0]));
}

static lb_tensor *entmax_hidden_case(lb_tensor *const *in)
{
    return lb_entmax15(hide_some(in[0]));
}

static const lb_op_case sparsemax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = sparsemax_case},
    {"close scores", 1, {LB_DIMS(3, 7)}, .low = -0.1, .high = 0.1, .apply = sparsemax_case},
    {"one column", 1, {LB_DIMS(3, 1)}, .apply = sparsemax_case},
    {"hidden", 1, {LB_DIMS(4, 4)}, .apply = sparsemax_hidden_case},
};
static const lb_op_case entmax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = entmax_case},
    {"close scores", 1, {LB_DIMS(3, 7)}, .low = -0.1, .high = 0.1, .apply = entmax_case},
    {"one column", 1, {LB_DIMS(3, 1)}, .apply = entmax_case},
    {"hidden", 1, {LB_DIMS(4, 4)}, .apply = entmax_hidden_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("sparsemax", sparsemax_reference, sparsemax_cases),
    LB_OP_PROOF("entmax15", entmax_reference, entmax_cases),
};
const lb_op_proofs lb_proofs_sparse = {proofs, LB_LENGTH(proofs)};
