/* References and cases of the ops in convolve.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

enum { X, FILTERS };

static void reference(const lb_node *node, double *const *out)
{
    int64_t batch = lb_dim(node->in[X], 0), length = lb_dim(node->in[X], 1);
    int64_t filters = lb_dim(node->in[FILTERS], 0), width = lb_dim(node->in[FILTERS], 2);
    for (int64_t row = 0; row < batch; row++)
        for (int64_t j = 0; j < length; j++)
            for (int64_t k = 0; k < filters; k++) {
                double sum = 0;
                for (int64_t o = 0; o < width; o++) {
                    int64_t from = j + o - width / 2;
                    double x =
                        from < 0 || from >= length ? 0 : (double)node->in[X]->data[row * length + from];
                    sum += x * (double)node->in[FILTERS]->data[k * width + o];
                }
                out[0][(row * length + j) * filters + k] = sum;
            }
}

static lb_tensor *convolve_case(lb_tensor *const *in)
{
    return lb_convolve(in[X], in[FILTERS]);
}

static const lb_op_case cases[] = {
    {"inside and over the edges", 2, {LB_DIMS(2, 7), LB_DIMS(4, 1, 3)}, .apply = convolve_case},
    {"filters wider than a row", 2, {LB_DIMS(3, 2), LB_DIMS(2, 1, 7)}, .apply = convolve_case},
    {"width 1", 2, {LB_DIMS(2, 3), LB_DIMS(3, 1, 1)}, .apply = convolve_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("convolve", reference, cases),
};
const lb_op_proofs lb_proofs_convolve = {proofs, LB_LENGTH(proofs)};
