#include "models/attention/decoder_attention.h"

#include "autograd/tape.h"
#include "lookback/op.h"

#include <string.h>

const lb_built_in_attention *lb_built_in_attention_of(const lb_decoder_attention *attention)
{
    return (const lb_built_in_attention *)attention->type;
}

bool lb_attention_is(const lb_decoder_attention *attention, lb_attention_kind kind)
{
    return attention->type == &lb_built_in_attentions[kind]->type;
}

const lb_attention_type *lb_attention_type_find(const char *name, const lb_extensions *own, lb_error *error)
{
    for (int i = 0; lb_attention_names[i]; i++)
        if (strcmp(lb_attention_names[i], name) == 0) return &lb_built_in_attentions[i]->type;
    for (const lb_attention_type *const *at = own ? own->attentions : NULL; at && *at; at++)
        if (strcmp((*at)->name, name) == 0) return *at;
    lb_error_set(error, LB_ERROR_FORMAT,
                 "unknown attention '%.80s' in the model: a custom attention must be in the attentions "
                 "of lb_extensions",
                 name);
    return NULL;
}

/* A lookup finds another type if the name is taken. */
lb_status lb_attention_type_check(const lb_attention_type *type, const lb_extensions *own, lb_error *error)
{
    if (lb_attention_type_find(type->name, own, NULL) != type)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "custom attention cannot be named '%.80s': the name is taken", type->name);
    if (strlen(type->name) >= LB_CONFIG_WORD_BYTES)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "the name of an attention is longer than %d bytes: %.80s",
                            LB_CONFIG_WORD_BYTES - 1, type->name);
    return LB_OK;
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
    lb_module_leave(query, outer);
    return result;
}
