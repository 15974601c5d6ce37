/* References and cases of the ops in reduce_max.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

static void max_reference(const lb_node *node, double *const *out)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    for (int64_t row = 0; row < a.outer * a.inner; row++) out[0][row] = -INFINITY;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        int64_t row = i / (a.inner * a.length) * a.inner + i % a.inner;
        double x = (double)node->in[0]->data[i];
        out[0][row] = isnan(x) || isnan(out[0][row]) ? NAN : fmax(out[0][row], x);
    }
}

static void log_sum_exp_reference(const lb_node *node, double *const *out)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    max_reference(node, out);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        const lb_real *x = node->in[0]->data + row / a.inner * a.length * a.inner + row % a.inner;
        double sum = 0;
        for (int64_t l = 0; l < a.length; l++) sum += exp((double)x[l * a.inner] - out[0][row]);
        if (!isinf(out[0][row])) out[0][row] += log(sum);
    }
}

static lb_tensor *max_last(lb_tensor *const *in)
{
    return lb_reduce_max(in[0], -1);
}

static lb_tensor *max_middle(lb_tensor *const *in)
{
    return lb_reduce_max(in[0], 1);
}

static lb_tensor *log_sum_exp_last(lb_tensor *const *in)
{
    return lb_log_sum_exp(in[0], -1);
}

static lb_tensor *log_sum_exp_first(lb_tensor *const *in)
{
    return lb_log_sum_exp(in[0], 0);
}

static const lb_op_case max_cases[] = {
    {"last axis", 1, {LB_DIMS(3, 2, 4)}, .apply = max_last},
    {"middle axis", 1, {LB_DIMS(2, 5, 3)}, .apply = max_middle},
};
static const lb_op_case log_sum_exp_cases[] = {
    {"last axis", 1, {LB_DIMS(3, 2, 4)}, .low = -3, .high = 3, .apply = log_sum_exp_last},
    {"first axis", 1, {LB_DIMS(4, 3)}, .low = -3, .high = 3, .apply = log_sum_exp_first},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("reduce_max", max_reference, max_cases),
    LB_OP_PROOF("log_sum_exp", log_sum_exp_reference, log_sum_exp_cases),
};
const lb_op_proofs lb_proofs_reduce_max = {proofs, LB_LENGTH(proofs)};
