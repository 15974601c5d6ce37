#include "autograd/fused/gru_input.h"

lb_gru_input lb_gru_input_of(const lb_node *node, int x)
{
    const lb_gru_attributes *attributes = node->attributes;
    const lb_tensor *gates = node->in[x];
    const lb_tokens *tokens = &attributes->tokens;
    bool table = tokens->tape != NULL;
    int64_t count = attributes->gates ? attributes->gates : 3;
    return (lb_gru_input){.x = gates,
                          .id = table ? tokens->id : NULL,
                          .lengths = attributes->lengths,
                          .batch = table ? tokens->batch : lb_dim(gates, 0),
                          .steps = table ? tokens->length : lb_dim(gates, 1),
                          .hidden = lb_dim(gates, -1) / count,
                          .gates = count};
}

static lb_status check_lengths(const lb_node *node, const lb_gru_input *input)
{
    for (int64_t row = 0; row < input->batch; row++) {
        int64_t length = lb_gru_input_length(input, row);
        if (length < 0 || length > input->steps)
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "row %lld has length %lld, expected 0 to %lld",
                              (long long)row, (long long)length, (long long)input->steps);
    }
    return LB_OK;
}

lb_status lb_gru_input_check(const lb_node *node, int x, int initial, int weight_hh, int bias_hh)
{
    const lb_gru_attributes *attributes = node->attributes;
    const lb_tokens *tokens = &attributes->tokens;
    int64_t count = attributes->gates ? attributes->gates : 3, parts = count == 4 ? 2 : 1;
    lb_shape gates = node->in[x]->shape, weight = node->in[weight_hh]->shape;
    int64_t hidden = weight.ndim == 2 ? weight.dim[1] : -1;
    if (gates.ndim != (tokens->tape ? 2 : 3) || !lb_shape_equal(weight, LB_SHAPE(count * hidden, hidden)) ||
        lb_shape_dim(gates, -1) != count * hidden)
        return lb_op_misfit(node, "gate sizes do not match", x, weight_hh);
    if (!lb_shape_equal(node->in[bias_hh]->shape, LB_SHAPE(count * hidden)))
        return lb_op_misfit(node, "bias sizes do not match", bias_hh, weight_hh);
    if (tokens->tape &&
        lb_op_check_ids(node, tokens, gates.dim[0], NULL, "token id", "the table has", "rows"))
        return LB_ERROR_INDEX;
    lb_gru_input input = lb_gru_input_of(node, x);
    if (node->in[initial] && !lb_shape_equal(node->in[initial]->shape, LB_SHAPE(input.batch, parts * hidden)))
        return lb_op_misfit(node, "state sizes do not match", initial, x);
    return check_lengths(node, &input);
}
