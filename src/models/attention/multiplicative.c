/* Attention by products of queries and keys: dot, general and scaled-dot, and multi-head. And none at all. */
#include "models/attention/decoder_attention.h"

/* ---- One product for each pair of a query and a key. ---- */

static lb_status init_score(lb_decoder_attention *attention, lb_params *params)
{
    lb_score score = (lb_score)lb_built_in_attention_of(attention)->variant;
    lb_multiplicative_attention *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    lb_status status = lb_multiplicative_attention_init(own, params, attention->name, score,
                                                        attention->config.query, attention->config.key);
    own->normalizer = attention->config.normalizer;
    return status;
}

static lb_attended_result ask_score(const lb_decoder_attention *attention, lb_tensor *query,
                                    const lb_attended_memory *memory)
{
    return lb_multiplicative_attention_forward(attention->own, query, memory->keys, memory->values,
                                               memory->mask);
}

#define OF_SCORE(id, text, score)                                                                            \
    LB_ATTENTION(id, text, .type.combines = true, .type.init = init_score, .type.ask = ask_score,            \
                 .variant = (score))
OF_SCORE(dot, "dot", LB_SCORE_DOT)
OF_SCORE(general, "general", LB_SCORE_GENERAL)
OF_SCORE(scaled_dot, "scaled-dot", LB_SCORE_SCALED_DOT)

/* ---- Several heads. ---- */

static lb_status init_heads(lb_decoder_attention *attention, lb_params *params)
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

static void prepare_heads(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    lb_key_values seen = lb_multi_head_project(attention->own, memory->keys, memory->values);
    memory->keys = seen.keys;
    memory->values = seen.values;
}

static lb_attended_result ask_heads(const lb_decoder_attention *attention, lb_tensor *query,
                                    const lb_attended_memory *memory)
{
    return lb_multi_head_ask(attention->own, query, (lb_key_values){memory->keys, memory->values},
                             lb_key_mask(memory->mask), NULL, true);
}

LB_ATTENTION(multi_head, "multi-head", .type.init = init_heads, .type.prepare = prepare_heads,
             .type.ask = ask_heads, .multi_head = true)

/* ---- No attention: the decoder sees only the final state of the encoder. ---- */

static lb_status init_none(lb_decoder_attention *attention, lb_params *params)
{
    attention->depth = 0;
    return lb_params_status(params);
}

static void prepare_none(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    (void)attention;
    memory->keys = NULL;
}

LB_ATTENTION(none, "none", .type.init = init_none, .type.prepare = prepare_none,
             .copying_needs = "a soft one")
