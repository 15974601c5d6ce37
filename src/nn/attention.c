/* Attention of one head: additive and multiplicative scores, and what follows them, for models and lessons. */
#include "autograd/tape.h"
#include "lookback/nn.h"

#include "autograd/op.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>

lb_tensor *lb_key_mask(lb_tensor *mask)
{
    if (!mask || mask->shape.ndim != 2) return mask;
    return lb_reshape(mask, LB_SHAPE(mask->shape.dim[0], 1, 1, mask->shape.dim[1]));
}

lb_tensor *lb_normalized(lb_tensor *scores, lb_normalizer normalizer)
{
    switch (normalizer) {
    case LB_SPARSEMAX:
        return lb_sparsemax(scores);
    case LB_ENTMAX:
        return lb_entmax15(scores);
    case LB_SOFTMAX:
        break;
    }
    return lb_softmax(scores);
}

lb_attended_result lb_attend_by_scores(lb_tensor *scores, lb_tensor *values, lb_tensor *mask,
                                       lb_normalizer normalizer, lb_real dropout, int64_t head)
{
    scores = lb_announce(scores, "scores", head);
    if (mask) scores = lb_masked_fill(scores, mask, -(lb_real)INFINITY);
    lb_tensor *weights = lb_announce(lb_normalized(scores, normalizer), "weights", head);
    return (lb_attended_result){lb_matmul(lb_dropout(weights, dropout), values), weights};
}

/* A mask [batch, K] for scores [batch, Q, K]. */
static lb_tensor *for_queries(lb_tensor *mask)
{
    return lb_is_sound(mask) ? lb_reshape(mask, LB_SHAPE(lb_dim(mask, 0), 1, lb_dim(mask, -1))) : mask;
}

/* lb_attend_additive_by in small ops. */
static lb_attended_result attend_watched(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *v,
                                         lb_tensor *mask, lb_normalizer normalizer)
{
    if (!lb_is_sound(query) || !lb_is_sound(keys)) return (lb_attended_result){query, query};
    int64_t batch = lb_dim(query, 0), queries = lb_dim(query, 1), width = lb_dim(query, 2);
    lb_tensor *sums = lb_tanh(lb_add(lb_reshape(query, LB_SHAPE(batch, queries, 1, width)),
                                     lb_reshape(keys, LB_SHAPE(batch, 1, lb_dim(keys, 1), width))));
    lb_tensor *scores = lb_reshape(lb_affine(sums, v, NULL), LB_SHAPE(batch, queries, lb_dim(keys, 1)));
    return lb_attend_by_scores(scores, values, for_queries(mask), normalizer, 0, 0);
}

lb_attended_result lb_additive_attention_ask(const lb_additive_attention *attention, lb_tensor *query,
                                             lb_tensor *keys, lb_tensor *values, lb_tensor *mask)
{
    query = lb_announce(lb_affine(query, attention->query, NULL), "query", 0);
    if (query && lb_is_watched(query->tape))
        return attend_watched(query, keys, values, attention->v, mask, attention->normalizer);
    lb_tensor *context =
        lb_attend_additive_by(query, keys, values, attention->v, mask, attention->normalizer);
    return (lb_attended_result){context, lb_op_output(context, 1)};
}

static lb_tensor *add_projection(lb_params *params, const char *module, const char *name, int64_t outputs,
                                 int64_t inputs)
{
    return lb_params_add(params, module, name, LB_SHAPE(outputs, inputs),
                         (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)inputs)});
}

lb_status lb_additive_attention_init(lb_additive_attention *attention, lb_params *params, const char *name,
                                     lb_additive_attention_config config)
{
    int64_t width = config.width ? config.width : config.query;
    lb_params_need(params, name, "query", config.query);
    lb_params_need(params, name, "key", config.key);
    *attention = (lb_additive_attention){
        .name = lb_params_scope(params, "", name),
        .normalizer = lb_params_choose_normalizer(params, name, "normalizer", config.normalizer)};
    attention->query = add_projection(params, name, "W_q.weight", width, config.query);
    attention->key = add_projection(params, name, "W_k.weight", width, config.key);
    attention->v = add_projection(params, name, "v.weight", 1, width);
    return lb_params_status(params);
}

lb_tensor *lb_additive_attention_project_keys(const lb_additive_attention *attention, lb_tensor *keys)
{
    const char *outer = lb_module_enter(keys, attention->name);
    lb_tensor *projected = lb_affine(keys, attention->key, NULL);
    lb_module_leave(keys, outer);
    return projected;
}

lb_attended_result lb_additive_attention_forward(const lb_additive_attention *attention, lb_tensor *query,
                                                 lb_tensor *keys, lb_tensor *values, lb_tensor *mask)
{
    const char *outer = lb_module_enter(query, attention->name);
    lb_attended_result result =
        lb_additive_attention_ask(attention, query, lb_affine(keys, attention->key, NULL), values, mask);
    lb_module_leave(query, outer);
    return result;
}

lb_status lb_multiplicative_attention_init(lb_multiplicative_attention *attention, lb_params *params,
                                           const char *name, lb_score score, int64_t query, int64_t key)
{
    static const char *const scores[] = {"dot", "scaled-dot", "general", NULL};
    lb_params_need(params, name, "query", query);
    lb_params_need(params, name, "key", key);
    score = (lb_score)lb_params_choose(params, name, "score", (int)score, scores);
    *attention = (lb_multiplicative_attention){.name = lb_params_scope(params, "", name), .scale = 1};
    if (score == LB_SCORE_GENERAL)
        attention->weight = add_projection(params, name, "W.weight", key, query);
    else if (query != key)
        return lb_params_fail(
            params, LB_ERROR_ARGUMENT,
            "%s: query width %lld and key width %lld differ: a dot product needs equal widths", name,
            (long long)query, (long long)key);
    if (score == LB_SCORE_SCALED_DOT) attention->scale = 1 / (lb_real)sqrt((double)key);
    return lb_params_status(params);
}

lb_attended_result lb_multiplicative_attention_forward(const lb_multiplicative_attention *attention,
                                                       lb_tensor *query, lb_tensor *keys, lb_tensor *values,
                                                       lb_tensor *mask)
{
    const char *outer = lb_module_enter(query, attention->name);
    lb_tensor *q = attention->weight ? lb_affine(query, attention->weight, NULL) : query;
    q = lb_announce(q, "query", 0);
    if (q && lb_is_watched(q->tape)) {
        lb_tensor *scores = lb_scale(lb_matmul_transposed(q, false, keys, true), attention->scale);
        lb_module_leave(query, outer);
        return lb_attend_by_scores(scores, values, for_queries(mask), attention->normalizer, 0, 0);
    }
    lb_tensor *context = lb_attend_dot_by(q, keys, values, lb_key_mask(mask), NULL, 1, attention->scale, 0,
                                          attention->normalizer),
              *weights = context;
    if (lb_is_sound(context)) {
        weights = lb_op_output(context, 1); /* [batch, 1, Q, K] */
        weights = lb_reshape(weights, LB_SHAPE(lb_dim(weights, 0), lb_dim(weights, 2), lb_dim(weights, 3)));
    }
    lb_module_leave(query, outer);
    return (lb_attended_result){context, weights};
}
