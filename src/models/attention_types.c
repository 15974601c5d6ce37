/* The built-in types of attention. */
#include "lookback/ops.h"
#include "models/decoder_attention.h"
#include "models/hard_attention.h"
#include "models/local_attention.h"
#include "models/recall.h"

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

static lb_status init_additive(lb_decoder_attention *attention, lb_params *params)
{
    lb_additive_attention *made = lb_params_alloc(params, sizeof *made);
    const lb_decoder_attention_config *c = &attention->config;
    lb_additive_attention_config config = {.query = c->query, .key = c->key, .normalizer = c->normalizer};
    attention->own = made;
    if (!made) return LB_ERROR_MEMORY;
    return lb_additive_attention_init(made, params, attention->name, config);
}

static void prepare_additive(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    memory->keys = lb_additive_attention_project_keys(attention->own, memory->keys);
}

static lb_status init_multiplicative(lb_decoder_attention *attention, lb_params *params, lb_score score)
{
    lb_multiplicative_attention *multiplicative = lb_params_alloc(params, sizeof *multiplicative);
    attention->own = multiplicative;
    if (!multiplicative) return LB_ERROR_MEMORY;
    lb_status status = lb_multiplicative_attention_init(multiplicative, params, attention->name, score,
                                                        attention->config.query, attention->config.key);
    multiplicative->normalizer = attention->config.normalizer;
    return status;
}

static lb_status init_dot(lb_decoder_attention *attention, lb_params *params)
{
    return init_multiplicative(attention, params, LB_SCORE_DOT);
}

static lb_status init_general(lb_decoder_attention *attention, lb_params *params)
{
    return init_multiplicative(attention, params, LB_SCORE_GENERAL);
}

static lb_status init_scaled_dot(lb_decoder_attention *attention, lb_params *params)
{
    return init_multiplicative(attention, params, LB_SCORE_SCALED_DOT);
}

static lb_attended_result ask_multiplicative(const lb_decoder_attention *attention, lb_tensor *query,
                                             const lb_attended_memory *memory)
{
    return lb_multiplicative_attention_forward(attention->own, query, memory->keys, memory->values,
                                               memory->mask);
}

static lb_status init_multi_head(lb_decoder_attention *attention, lb_params *params)
{
    static const char *const names[] = {"W_q", "W_k", "W_v", "W_o"};
    const lb_decoder_attention_config *c = &attention->config;
    lb_multi_head *made = lb_params_alloc(params, sizeof *made);
    attention->depth = c->query;
    attention->heads = c->heads ? c->heads : 1;
    attention->own = made;
    if (!made) return LB_ERROR_MEMORY;
    lb_multi_head_config config = {.embed = c->query, .key_embed = c->key, .heads = attention->heads};
    config.no_bias = true;
    config.names = names;
    config.normalizer = c->normalizer;
    return lb_multi_head_init(made, params, attention->name, config);
}

static void prepare_multi_head(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    lb_key_values seen = lb_multi_head_project(attention->own, memory->keys, memory->values);
    memory->keys = seen.keys;
    memory->values = seen.values;
}

static lb_attended_result ask_multi_head(const lb_decoder_attention *attention, lb_tensor *query,
                                         const lb_attended_memory *memory)
{
    return lb_multi_head_ask(attention->own, query, (lb_key_values){memory->keys, memory->values},
                             lb_key_mask(memory->mask), NULL);
}

static lb_status init_hard(lb_decoder_attention *attention, lb_params *params)
{
    return lb_hard_attention_init(attention, params, LB_HARD_FREE);
}

static lb_status init_monotonic(lb_decoder_attention *attention, lb_params *params)
{
    return lb_hard_attention_init(attention, params, LB_HARD_MONOTONIC);
}

static lb_status init_monotonic_1(lb_decoder_attention *attention, lb_params *params)
{
    return lb_hard_attention_init(attention, params, LB_HARD_MONOTONIC_1);
}

/* kind, type, name, combines, init, prepare, ask */
#define BUILT_IN(X)                                                                                          \
    X(LB_ATTENTION_ADDITIVE, additive, "additive", false, init_additive, prepare_additive, NULL)             \
    X(LB_ATTENTION_NONE, none, "none", false, init_none, prepare_none, NULL)                                 \
    X(LB_ATTENTION_DOT, dot, "dot", true, init_dot, NULL, ask_multiplicative)                                \
    X(LB_ATTENTION_GENERAL, general, "general", true, init_general, NULL, ask_multiplicative)                \
    X(LB_ATTENTION_SCALED_DOT, scaled_dot, "scaled-dot", true, init_scaled_dot, NULL, ask_multiplicative)    \
    X(LB_ATTENTION_MULTI_HEAD, multi_head, "multi-head", false, init_multi_head, prepare_multi_head,         \
      ask_multi_head)                                                                                        \
    X(LB_ATTENTION_HARD, hard, "hard", true, init_hard, NULL, NULL)                                          \
    X(LB_ATTENTION_MONOTONIC, monotonic, "monotonic", true, init_monotonic, NULL, NULL)                      \
    X(LB_ATTENTION_MONOTONIC_1, monotonic_1, "monotonic-1", true, init_monotonic_1, NULL, NULL)              \
    X(LB_ATTENTION_LOCAL_M, local_m, "local-m", true, lb_local_m_init, NULL, lb_local_attention_ask)         \
    X(LB_ATTENTION_LOCAL_P, local_p, "local-p", true, lb_local_p_init, NULL, lb_local_attention_ask)         \
    X(LB_ATTENTION_COVERAGE, coverage, "coverage", false, lb_coverage_init, prepare_additive, NULL)          \
    X(LB_ATTENTION_LOCATION, location, "location", false, lb_location_init, prepare_additive, NULL)

#define TYPE(kind, type, name, ...) static const lb_attention_type type = {name, __VA_ARGS__};
BUILT_IN(TYPE)

#define TYPE_OF_KIND(kind, type, ...) [kind] = &type,
const lb_attention_type *const lb_attention_types[] = {BUILT_IN(TYPE_OF_KIND) NULL};

#define NAME_OF_KIND(kind, type, name, ...) [kind] = (name),
const char *const lb_attention_names[] = {BUILT_IN(NAME_OF_KIND) NULL};
