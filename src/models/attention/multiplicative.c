/* Multiplicative attention in a recurrent decoder: dot, general and scaled-dot. */
#include "models/attention/decoder_attention.h"

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    lb_score score = (lb_score)lb_built_in_attention_of(attention)->variant;
    lb_multiplicative_attention *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    lb_status status = lb_multiplicative_attention_init(own, params, attention->name, score,
                                                        attention->config.query, attention->config.key);
    own->normalizer = attention->config.normalizer;
    return status;
}

static lb_attended_result ask(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory)
{
    return lb_multiplicative_attention_forward(attention->own, query, memory->keys, memory->values,
                                               memory->mask);
}

#define OF_SCORE(id, text, score)                                                                            \
    LB_ATTENTION(id, text, .type.combines = true, .type.init = init, .type.ask = ask, .variant = (score))
OF_SCORE(dot, "dot", LB_SCORE_DOT)
OF_SCORE(general, "general", LB_SCORE_GENERAL)
OF_SCORE(scaled_dot, "scaled-dot", LB_SCORE_SCALED_DOT)
