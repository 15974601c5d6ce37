/* Multi-head attention in a recurrent decoder. */
#include "models/attention/decoder_attention.h"
#include "nn/layers.h"

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    static const char *const names[] = {"W_q", "W_k", "W_v", "W_o"};
    const lb_decoder_attention_config *c = &attention->config;
    lb_multi_head *own = attention->own = lb_params_alloc(params, sizeof *own);
    attention->depth = c->query;
    attention->heads = c->heads ? c->heads : 1;
    if (!own) return LB_ERROR_MEMORY;
    lb_multi_head_config config = {.embed = c->query, .key_embed = c->key, .heads = attention->heads};
    config.no_bias = true;
    config.names = names;
    config.normalizer = c->normalizer;
    return lb_multi_head_init(own, params, attention->name, config);
}

static void prepare(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    lb_key_values seen = lb_multi_head_project(attention->own, memory->keys, memory->values);
    memory->keys = seen.keys;
    memory->values = seen.values;
}

static lb_attended_result ask(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory)
{
    return lb_multi_head_ask(attention->own, query, (lb_key_values){memory->keys, memory->values},
                             lb_key_mask(memory->mask), NULL);
}

LB_ATTENTION(multi_head, "multi-head", .type.init = init, .type.prepare = prepare, .type.ask = ask,
             .multi_head = true)
