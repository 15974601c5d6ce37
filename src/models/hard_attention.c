#include "models/hard_attention.h"

#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/direction.h"

const lb_hard_attention *lb_hard_attention_of(const lb_seq2seq *model)
{
    if (model->config.own_attention) return NULL;
    switch (model->config.attention) {
    case LB_ATTENTION_HARD:
    case LB_ATTENTION_MONOTONIC:
    case LB_ATTENTION_MONOTONIC_1:
        return model->attention.own;
    default:
        return NULL;
    }
}

bool lb_hard_attention_reads_back(const lb_seq2seq *model)
{
    const lb_hard_attention *own = lb_hard_attention_of(model);
    return model->base.backward && own && own->order != LB_HARD_FREE;
}

lb_status lb_hard_attention_init(lb_decoder_attention *attention, lb_params *params, lb_hard_order order)
{
    const lb_decoder_attention_config *c = &attention->config;
    lb_hard_attention *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    own->order = order;
    if (c->normalizer != LB_SOFTMAX)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: found weights by %s, expected softmax for hard attention", attention->name,
                       lb_normalizer_names[c->normalizer]);
    lb_linear_init(&own->score, params, lb_params_scope(params, attention->name, "W"),
                   (lb_linear_config){.inputs = c->query, .outputs = c->key, .no_bias = true});
    if (order == LB_HARD_MONOTONIC_1)
        lb_linear_init(&own->jump, params, lb_params_scope(params, attention->name, "jump"),
                       (lb_linear_config){.inputs = c->query, .outputs = LB_HARD_JUMPS});
    return lb_params_status(params);
}

lb_tensor *lb_hard_attention_keys(const lb_seq2seq *model, lb_tensor *outputs)
{
    return lb_affine_columns(lb_dropout(outputs, model->config.dropout), model->combine.weight,
                             model->config.hidden, NULL);
}

lb_hard_view lb_hard_attention_look(const lb_seq2seq *model, lb_tensor *states,
                                    const lb_attended_memory *memory)
{
    const lb_hard_attention *own = model->attention.own;
    const char *outer = lb_module_enter(states, model->attention.name);
    lb_tensor *query =
        lb_affine_columns(lb_dropout(states, model->config.dropout), model->combine.weight, 0, NULL);
    lb_hard_view view = {
        .logits = lb_pair_affine(query, memory->keys, model->output.weight, model->output.bias),
        .scores = lb_matmul_transposed(lb_linear_forward(&own->score, states), false, memory->values, true)};
    if (own->jump.weight) view.jumps = lb_linear_forward(&own->jump, states);
    lb_module_leave(states, outer);
    return view;
}

/* The weights for the source in reading order, without a gradient. */
static lb_tensor *turned(lb_tensor *weights, const lb_tensor *mask)
{
    int64_t rows = lb_dim(weights, 0), each = lb_dim(weights, 1), keys = lb_dim(weights, 2);
    lb_tensor *copy = lb_tensor_new(weights->tape, weights->shape, weights->data);
    for (int64_t row = 0; row < rows && lb_is_sound(copy); row++) {
        int64_t length = 0;
        while (length < keys && mask->data[row * keys + length] != 0) length++;
        for (int64_t t = row * each; t < (row + 1) * each; t++)
            lb_rows_reverse(copy->data + t * keys, length, 1);
    }
    return copy;
}

lb_seq2seq_decoded lb_hard_attention_decode(const lb_seq2seq *model, lb_tensor *states,
                                            const lb_seq2seq_encoded *encoded, lb_tokens target_in)
{
    const lb_hard_attention *own = model->attention.own;
    lb_hard_view view = lb_hard_attention_look(model, states, &encoded->memory);
    lb_tensor *mask = encoded->memory.mask;
    lb_seq2seq_decoded decoded = {0};
    decoded.logits =
        own->order == LB_HARD_FREE
            ? lb_attend_hard(view.logits, view.scores, mask, target_in.lengths)
            : lb_attend_monotonic(view.logits, view.scores, view.jumps, encoded->beliefs, mask, target_in);
    if (!lb_is_sound(decoded.logits)) return decoded;
    lb_tensor *weights = lb_op_output(decoded.logits, 1);
    if (lb_hard_attention_reads_back(model)) weights = turned(weights, mask);
    if (!lb_is_sound(weights)) return decoded;
    lb_shape all = weights->shape;
    decoded.weights = lb_reshape(weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
    if (own->order != LB_HARD_FREE) decoded.beliefs = lb_op_output(decoded.logits, 2);
    return decoded;
}
