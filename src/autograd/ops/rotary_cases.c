/* References and cases of the ops in rotary.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"

#include <math.h>

/* Column `c` of a head is one of pair `j`: the product of (a + i b) and e^(i angle). */
static void reference(const lb_node *node, double *const *out)
{
    const lb_rotary_attributes *attributes = node->attributes;
    const lb_rotary_options *options = &attributes->options;
    bool apart = node->in[0]->shape.ndim == 4; /* the heads are an axis before the length */
    int64_t heads = apart ? 1 : options->heads, length = lb_dim(node->in[0], -2),
            width = lb_dim(node->in[0], -1) / heads, pairs = options->rotated / 2;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        int64_t c = i % width, row = i - c, j = options->interleaved ? c / 2 : c % (pairs ? pairs : 1);
        int64_t position = options->first + i / width / heads % length;
        bool second = options->interleaved ? c % 2 : c >= pairs;
        double angle = (double)position / pow(options->base, 2.0 * (double)j / (double)(2 * pairs));
        double a = (double)node->in[0]->data[row + (options->interleaved ? 2 * j : j)];
        double b = (double)node->in[0]->data[row + (options->interleaved ? 2 * j + 1 : j + pairs)];
        out[0][i] = second ? sin(angle) * a + cos(angle) * b : cos(angle) * a - sin(angle) * b;
        if (c >= 2 * pairs || i / width % heads >= attributes->turned)
            out[0][i] = (double)node->in[0]->data[i];
    }
}

static lb_tensor *halves_case(lb_tensor *const *in)
{
    return lb_rotary(in[0], (lb_rotary_options){.heads = 2, .first = 3});
}

static lb_tensor *interleaved_case(lb_tensor *const *in)
{
    return lb_rotary(in[0], (lb_rotary_options){.interleaved = true, .base = 100});
}

static lb_tensor *some_columns_case(lb_tensor *const *in)
{
    return lb_rotary(in[0], (lb_rotary_options){.heads = 1, .rotated = 4});
}

static lb_tensor *some_heads_case(lb_tensor *const *in)
{
    return lb_rotary_first(in[0], 2, (lb_rotary_options){.heads = 3, .first = 1});
}

static const lb_op_case cases[] = {
    {"halves, two heads", 1, {LB_DIMS(2, 3, 8)}, .apply = halves_case},
    {"interleaved, heads as an axis", 1, {LB_DIMS(2, 3, 4, 6)}, .apply = interleaved_case},
    {"some columns", 1, {LB_DIMS(2, 5, 7)}, .apply = some_columns_case},
    {"some heads", 1, {LB_DIMS(2, 3, 12)}, .apply = some_heads_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("rotary", reference, cases),
};
const lb_op_proofs lb_proofs_rotary = {proofs, LB_LENGTH(proofs)};
