#include "autograd/gru_gradient.h"

#include "tensor/accumulate.h"
#include "tensor/gru_kernel.h"

/* Whether backward writes directly to the gradient of x. */
static bool sets_rows(const lb_node *node, int x, const lb_gru_input *input)
{
    return lb_op_sets(node, x) && !input->id;
}

lb_gru_gradient lb_gru_gradient_in(const lb_node *node, int x, const lb_gru_input *input, lb_real *saved,
                                   int64_t saved_stride)
{
    lb_gru_gradient gradient = {.hidden = input->hidden,
                                .x = saved,
                                .x_stride = saved_stride,
                                .n = saved + LB_GRU_SAVED_H * input->hidden,
                                .n_stride = saved_stride};
    if (!sets_rows(node, x, input)) return gradient;
    gradient.x = node->in[x]->grad;
    gradient.x_stride = 3 * input->hidden;
    return gradient;
}

void lb_gru_walk_states_back(const lb_walk *walk, int64_t t, lb_gru_gradient gradient,
                             const lb_panels *weight_hh, lb_real *dstate)
{
    int64_t hidden = gradient.hidden, steps = walk->x->steps;
    lb_matrix x = lb_plain(gradient.x + t * gradient.x_stride, steps * gradient.x_stride),
              n = lb_plain(gradient.n + t * gradient.n_stride, steps * gradient.n_stride);
    lb_walk_multiply(walk, t, weight_hh, 0, 2 * hidden, x, 1, dstate, hidden);
    lb_walk_multiply(walk, t, weight_hh, 2 * hidden, hidden, n, 1, dstate, hidden);
}

void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient)
{
    lb_tensor *operand = node->in[x];
    if (!lb_wants_grad(operand) || sets_rows(node, x, input)) return;
    if (lb_op_sets(node, x)) lb_set_zero(lb_count(operand), operand->grad);
    lb_add_at_rows(input->id, input->batch * input->steps, 3 * input->hidden, gradient.x, gradient.x_stride,
                   operand->grad);
}

void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = gradient.hidden;
    if (lb_wants_grad(weight_hh)) {
        lb_real *to = weight_hh->grad;
        lb_gemm(2 * hidden, hidden, rows, lb_transposed(gradient.x, gradient.x_stride), previous, 1, to,
                hidden);
        lb_gemm(hidden, hidden, rows, lb_transposed(gradient.n, gradient.n_stride), previous, 1,
                to + 2 * hidden * hidden, hidden);
    }
    if (lb_wants_grad(bias_hh)) {
        lb_add_rows_to(rows, 2 * hidden, gradient.x, gradient.x_stride, bias_hh->grad);
        lb_add_rows_to(rows, hidden, gradient.n, gradient.n_stride, bias_hh->grad + 2 * hidden);
    }
}
