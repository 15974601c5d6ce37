#include "models/decoder_attention.h"

#include "lookback/op.h"
#include "lookback/ops.h"

/* Texts are words, of a dozen symbols, rather than sentences: the paper on local attention has 10. */
enum { LOCAL_WINDOW = 5, LOCATION_WINDOW = 3 };

int64_t lb_attention_usual_window(lb_attention_kind kind)
{
    switch (kind) {
    case LB_ATTENTION_LOCAL_M:
    case LB_ATTENTION_LOCAL_P:
        return LOCAL_WINDOW;
    case LB_ATTENTION_LOCATION:
        return LOCATION_WINDOW;
    default:
        return 0;
    }
}

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

lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory)
{
    const char *outer = lb_module_enter(query, attention->name);
    lb_attended_result result = attention->type->ask(attention, query, memory);
    if (lb_is_sound(result.weights) && result.weights->shape.ndim == 3) {
        lb_shape all = result.weights->shape;
        result.weights = lb_reshape(result.weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
    }
    lb_module_leave(query, outer);
    return result;
}
