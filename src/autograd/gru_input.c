#include "autograd/gru_input.h"

lb_gru_input lb_gru_input_of(const lb_node *node, int x, const lb_tokens *tokens)
{
    const lb_tensor *gates = node->in[x];
    bool table = tokens->tape != NULL;
    return (lb_gru_input){.x = gates,
                          .id = table ? tokens->id : NULL,
                          .batch = table ? tokens->batch : lb_dim(gates, 0),
                          .steps = table ? tokens->length : lb_dim(gates, 1),
                          .hidden = lb_dim(gates, -1) / 3};
}

lb_status lb_gru_input_check(const lb_node *node, const lb_tokens *tokens, int x, int initial, int weight_hh,
                             int bias_hh)
{
    lb_shape gates = node->in[x]->shape, weight = node->in[weight_hh]->shape;
    int64_t hidden = weight.ndim == 2 ? weight.dim[1] : -1;
    if (gates.ndim != (tokens->tape ? 2 : 3) || !lb_shape_equal(weight, LB_SHAPE(3 * hidden, hidden)) ||
        lb_shape_dim(gates, -1) != 3 * hidden)
        return lb_op_misfit(node, "the gates do not fit", "x", x, "weight_hh", weight_hh);
    if (!lb_shape_equal(node->in[bias_hh]->shape, LB_SHAPE(3 * hidden)))
        return lb_op_misfit(node, "the bias does not fit", "bias_hh", bias_hh, "weight_hh", weight_hh);
    if (tokens->tape && lb_op_check_ids(node, tokens, x)) return LB_ERROR_INDEX;
    int64_t batch = lb_gru_input_of(node, x, tokens).batch;
    if (node->in[initial] && !lb_shape_equal(node->in[initial]->shape, LB_SHAPE(batch, hidden)))
        return lb_op_misfit(node, "the initial state does not fit", "initial", initial, "x", x);
    return LB_OK;
}
