/* A GRU with attention in one op, because each step needs the previous one. */
#include "autograd/fused/attention_gru.h"
#include "lookback/ops.h"

static lb_status check_attended(const lb_node *node)
{
    lb_attention_gru_operands in = lb_attention_gru_operands_of(node->in);
    lb_shape keys = in.keys->shape, values = in.values->shape;
    if (keys.ndim != 3 || keys.dim[0] != lb_gru_input_of(node, LB_AGRU_X).batch)
        return lb_op_misfit(node, "batch sizes differ", LB_AGRU_X, LB_AGRU_KEYS);
    if (values.ndim != 3 || values.dim[0] != keys.dim[0] || values.dim[1] != keys.dim[1])
        return lb_op_misfit(node, "expected one value per key", LB_AGRU_KEYS, LB_AGRU_VALUES);
    if (in.mask && !lb_shape_equal(in.mask->shape, LB_SHAPE(keys.dim[0], keys.dim[1])))
        return lb_op_misfit(node, "expected a mask of shape [batch,keys]", LB_AGRU_MASK, LB_AGRU_KEYS);
    if (lb_count(in.v) != keys.dim[2]) return lb_op_misfit(node, "widths differ", LB_AGRU_V, LB_AGRU_KEYS);
    return LB_OK;
}

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status =
        lb_gru_input_check(node, LB_AGRU_X, LB_AGRU_INITIAL, LB_AGRU_WEIGHT_HH, LB_AGRU_BIAS_HH);
    if (status) return status;
    if (check_attended(node)) return LB_ERROR_SHAPE;
    lb_attention_gru_run run = lb_attention_gru_run_of(node);
    if (!lb_shape_equal(run.in.weight_query->shape, LB_SHAPE(run.width, run.hidden)))
        return lb_op_misfit(node, "query and key sizes do not match", LB_AGRU_WEIGHT_QUERY, LB_AGRU_KEYS);
    lb_shape context = run.in.weight_context->shape;
    if (context.ndim != 2 || context.dim[0] != 3 * run.hidden || context.dim[1] < run.depth)
        return lb_op_misfit(node, "context and gate sizes do not match", LB_AGRU_WEIGHT_CONTEXT,
                            LB_AGRU_VALUES);
    out[LB_AGRU_OUTPUTS] = LB_SHAPE(run.batch, run.steps, run.hidden);
    out[LB_AGRU_CONTEXTS] = LB_SHAPE(run.batch, run.steps, run.depth);
    out[LB_AGRU_WEIGHTS] = LB_SHAPE(run.batch, run.steps, run.keys);
    out[LB_AGRU_FINAL] = LB_SHAPE(run.batch, run.hidden);
    return LB_OK;
}

static const lb_op attention_gru_op = {
    .name = "attention_gru_sequence",
    .operands = "x initial keys values mask? weight_query v weight_context weight_hh bias_hh",
    .formula = "c_t = attend(W_q h_(t-1)), h_t = gru(x_t + W_c c_t, h_(t-1))",
    .derivative = "back through time; each weight's gradient is one product over all steps",
    .outputs = 4,
    .shape = output_shapes,
    .forward = lb_attention_gru_forward,
    .work = LB_TRAINING(lb_attention_gru_backward_work),
    .backward = LB_TRAINING(lb_attention_gru_backward),
    .can_set = 1U << LB_AGRU_X | 1U << LB_AGRU_KEYS | 1U << LB_AGRU_VALUES,
};

/** A GRU that at each step also reads the context of additive attention with its previous state.
 *  Shapes: operands as in lb_attention_gru_operands, with K keys -> outputs [batch, time, hidden]; output 1: contexts
 *          [batch, time, depth]; output 2: weights [batch, time, K]; all zero after the end of a row; output 3: the
 *          final state [batch, hidden].
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:   O(batch time (hidden^2 + K (width + depth))).
 *  Source: Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A. Differs: the GRU of PyTorch, no maxout layer. */
lb_tensor *lb_attention_gru_sequence(const lb_attention_gru_operands *operands)
{
    lb_tensor *const in[] = {[LB_AGRU_X] = operands->x,
                             [LB_AGRU_INITIAL] = operands->initial,
                             [LB_AGRU_KEYS] = operands->keys,
                             [LB_AGRU_VALUES] = operands->values,
                             [LB_AGRU_MASK] = operands->mask,
                             [LB_AGRU_WEIGHT_QUERY] = operands->weight_query,
                             [LB_AGRU_V] = operands->v,
                             [LB_AGRU_WEIGHT_CONTEXT] = operands->weight_context,
                             [LB_AGRU_WEIGHT_HH] = operands->weight_hh,
                             [LB_AGRU_BIAS_HH] = operands->bias_hh};
    lb_attention_gru_attributes all = {
        .gru = {.tokens = operands->tokens ? *operands->tokens : (lb_tokens){0},
                .lengths = operands->lengths},
        .normalizer = operands->normalizer};
    return lb_op_apply(&attention_gru_op, in, LB_LENGTH(in), &all, sizeof all);
}
