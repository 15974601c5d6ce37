#include "models/decoder_attention.h"

#include "autograd/op.h"
#include "lookback/ops.h"

const char *const lb_attention_names[] = {
    [LB_ATTENTION_ADDITIVE] = "additive",
    [LB_ATTENTION_NONE] = "none",
    [LB_ATTENTION_DOT] = "dot",
    [LB_ATTENTION_GENERAL] = "general",
    [LB_ATTENTION_SCALED_DOT] = "scaled-dot",
    [LB_ATTENTION_MULTI_HEAD] = "multi-head",
    [LB_ATTENTION_MULTI_HEAD + 1] = NULL,
};

static const char *const head_names[] = {"W_q", "W_k", "W_v", "W_o"};

static lb_score score_of(lb_attention_kind kind)
{
    return kind == LB_ATTENTION_DOT       ? LB_SCORE_DOT
           : kind == LB_ATTENTION_GENERAL ? LB_SCORE_GENERAL
                                          : LB_SCORE_SCALED_DOT;
}

lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    lb_decoder_attention_config config)
{
    *attention = (lb_decoder_attention){.config = config, .depth = config.key, .heads = 1};
    switch (config.kind) {
    case LB_ATTENTION_NONE:
        attention->depth = 0;
        return lb_params_status(params);
    case LB_ATTENTION_ADDITIVE:
        return lb_additive_attention_init(
            &attention->additive, params, name,
            (lb_additive_attention_config){.query = config.query, .key = config.key});
    case LB_ATTENTION_DOT:
    case LB_ATTENTION_GENERAL:
    case LB_ATTENTION_SCALED_DOT:
        return lb_multiplicative_attention_init(&attention->multiplicative, params, name,
                                                score_of(config.kind), config.query, config.key);
    case LB_ATTENTION_MULTI_HEAD:
        break;
    }
    attention->depth = config.query;
    attention->heads = config.heads ? config.heads : 1;
    lb_multi_head_config heads = {.embed = config.query, .key_embed = config.key, .heads = attention->heads};
    heads.no_bias = true;
    heads.names = head_names;
    return lb_multi_head_init(&attention->multi_head, params, name, heads);
}

lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask)
{
    lb_attended_memory memory = {.keys = outputs, .values = outputs, .mask = mask};
    if (attention->config.kind == LB_ATTENTION_NONE) memory.keys = NULL;
    if (attention->config.kind == LB_ATTENTION_ADDITIVE)
        memory.keys = lb_additive_attention_project_keys(&attention->additive, outputs);
    if (attention->config.kind == LB_ATTENTION_MULTI_HEAD) {
        lb_key_values seen = lb_multi_head_project(&attention->multi_head, outputs, outputs);
        memory.keys = seen.keys;
        memory.values = seen.values;
    }
    return memory;
}

lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory)
{
    if (attention->config.kind == LB_ATTENTION_MULTI_HEAD)
        return lb_multi_head_ask(&attention->multi_head, query, (lb_key_values){memory->keys, memory->values},
                                 lb_key_mask(memory->mask), NULL);
    lb_attended_result result = lb_multiplicative_attention_forward(
        &attention->multiplicative, query, memory->keys, memory->values, memory->mask);
    if (!lb_is_sound(result.weights)) return result;
    lb_shape all = result.weights->shape;
    result.weights = lb_reshape(result.weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
    return result;
}
