#include "models/decoder_attention.h"

#include "lookback/op.h"
#include "lookback/ops.h"

lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    const lb_attention_type *type, lb_decoder_attention_config config)
{
    *attention = (lb_decoder_attention){.type = type,
                                        .name = lb_params_scope(params, "", name),
                                        .config = config,
                                        .depth = config.key,
                                        .heads = 1};
    return type->init(attention, params);
}

lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask)
{
    lb_attended_memory memory = {.keys = outputs, .values = outputs, .mask = mask};
    const char *outer = lb_module_enter(outputs, attention->name);
    if (attention->type->prepare) attention->type->prepare(attention, &memory);
    lb_module_leave(outputs, outer);
    return memory;
}

/* Whoever decodes copies as many weights as the model has promised. */
static lb_attended_result check(const lb_decoder_attention *attention, const lb_tensor *query,
                                const lb_tensor *mask, lb_attended_result result)
{
    if (lb_tape_status(query->tape)) return result;
    int64_t batch = lb_dim(query, 0), queries = lb_dim(query, 1);
    lb_shape context = LB_SHAPE(batch, queries, attention->depth),
             weights = LB_SHAPE(batch, attention->heads, queries, lb_dim(mask, 1));
    if (lb_is_sound(result.context) && lb_shape_equal(result.context->shape, context) &&
        lb_is_sound(result.weights) && lb_shape_equal(result.weights->shape, weights))
        return result;
    char context_text[LB_SHAPE_TEXT], weights_text[LB_SHAPE_TEXT];
    lb_tensor *poison =
        lb_tape_fail(query->tape, LB_ERROR_SHAPE,
                     "the attention '%.31s' does not give a context %s and weights %s", attention->type->name,
                     lb_shape_format(context, context_text), lb_shape_format(weights, weights_text));
    return (lb_attended_result){poison, poison};
}

lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory)
{
    if (!lb_is_sound(query)) return (lb_attended_result){query, query};
    const char *outer = lb_module_enter(query, attention->name);
    lb_attended_result result = attention->type->ask(attention, query, memory);
    if (lb_is_sound(result.weights) && result.weights->shape.ndim == 3) {
        lb_shape all = result.weights->shape;
        result.weights = lb_reshape(result.weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
    }
    result = check(attention, query, memory->mask, result);
    lb_module_leave(query, outer);
    return result;
}
