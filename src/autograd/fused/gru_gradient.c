#include "autograd/fused/gru_gradient.h"

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
    enum { GRU = 3 };
    lb_gru_gradient gradient = {
        .hidden = input->hidden, .first = input->gates - 1, .x = saved, .x_stride = saved_stride};
    if (sets_rows(node, x, input)) {
        gradient.x = node->in[x]->grad;
        gradient.x_stride = input->gates * input->hidden;
    }
    bool apart = input->gates == GRU;
    gradient.last =
        apart ? saved + LB_GRU_SAVED_H * input->hidden : gradient.x + gradient.first * input->hidden;
    gradient.last_stride = apart ? saved_stride : gradient.x_stride;
    return gradient;
}

void lb_gru_walk_states_back(const lb_walk *walk, int64_t t, lb_gru_gradient gradient,
                             const lb_panels *weight_hh, lb_real *dstate, int64_t stride)
{
    int64_t hidden = gradient.hidden, steps = walk->x->steps, first = gradient.first * hidden;
    lb_matrix x = lb_plain(gradient.x + t * gradient.x_stride, steps * gradient.x_stride),
              last = lb_plain(gradient.last + t * gradient.last_stride, steps * gradient.last_stride);
    lb_walk_multiply(walk, t, weight_hh, 0, first, x, 1, dstate, stride);
    lb_walk_multiply(walk, t, weight_hh, first, hidden, last, 1, dstate, stride);
}

void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient)
{
    lb_tensor *operand = node->in[x];
    if (!lb_wants_grad(operand) || sets_rows(node, x, input)) return;
    if (lb_op_sets(node, x)) lb_set_zero(lb_count(operand), operand->grad);
    lb_add_at_rows(input->id, input->batch * input->steps, input->gates * input->hidden, gradient.x,
                   gradient.x_stride, operand->grad);
}

void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = gradient.hidden, first = gradient.first * hidden;
    if (lb_wants_grad(weight_hh)) {
        lb_real *to = weight_hh->grad;
        lb_gemm(first, hidden, rows, lb_transposed(gradient.x, gradient.x_stride), previous, 1, to, hidden);
        lb_gemm(hidden, hidden, rows, lb_transposed(gradient.last, gradient.last_stride), previous, 1,
                to + first * hidden, hidden);
    }
    if (lb_wants_grad(bias_hh)) {
        lb_add_rows_to(rows, first, gradient.x, gradient.x_stride, bias_hh->grad);
        lb_add_rows_to(rows, hidden, gradient.last, gradient.last_stride, bias_hh->grad + first);
    }
}
