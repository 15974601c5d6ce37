#include "models/recall.h"

#include "lookback/ops.h"

#include <math.h>

const lb_recall *lb_recall_of(const lb_seq2seq *model)
{
    lb_attention_kind kind = model->config.attention;
    bool recalls = kind == LB_ATTENTION_COVERAGE || kind == LB_ATTENTION_LOCATION;
    return recalls && !model->config.own_attention ? model->attention.own : NULL;
}

static lb_recall *begin(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    lb_recall *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (own)
        lb_additive_attention_init(
            &own->additive, params, attention->name,
            (lb_additive_attention_config){.query = c->query, .key = c->key, .normalizer = c->normalizer});
    return own;
}

lb_status lb_coverage_init(lb_decoder_attention *attention, lb_params *params)
{
    lb_recall *own = begin(attention, params);
    if (!own) return LB_ERROR_MEMORY;
    return lb_linear_init(
        &own->features, params, lb_params_scope(params, attention->name, "W_c"),
        (lb_linear_config){.inputs = 1, .outputs = attention->config.query, .no_bias = true});
}

lb_status lb_location_init(lb_decoder_attention *attention, lb_params *params)
{
    lb_recall *own = begin(attention, params);
    if (!own) return LB_ERROR_MEMORY;
    int64_t width = 2 * attention->config.window + 1;
    own->filters = lb_params_add(params, lb_params_scope(params, attention->name, "F"), "weight",
                                 LB_SHAPE(LB_LOCATION_FILTERS, 1, width),
                                 (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)width)});
    return lb_linear_init(
        &own->features, params, lb_params_scope(params, attention->name, "U"),
        (lb_linear_config){.inputs = LB_LOCATION_FILTERS, .outputs = attention->config.query});
}

lb_tensor *lb_recall_begin(const lb_seq2seq *model, lb_tensor *mask)
{
    if (!lb_recall_of(model) || !lb_is_sound(mask)) return NULL;
    return lb_tensor_new(mask->tape, mask->shape, NULL);
}

lb_tensor *lb_recall_keys(const lb_recall *recall, lb_tensor *keys, lb_tensor *past)
{
    lb_tensor *seen = past;
    if (recall->filters)
        seen = lb_convolve(past, recall->filters);
    else if (lb_is_sound(past))
        seen = lb_reshape(past, LB_SHAPE(lb_dim(past, 0), lb_dim(past, 1), 1));
    return lb_add(keys, lb_linear_forward(&recall->features, seen));
}

lb_tensor *lb_recall_next(const lb_recall *recall, lb_tensor *past, lb_tensor *weights, lb_tensor *there)
{
    if (!lb_is_sound(past) || !lb_is_sound(weights)) return lb_is_sound(past) ? weights : past;
    lb_tensor *next = lb_reshape(weights, past->shape);
    if (!recall->filters) next = lb_add(past, next);
    return there ? lb_where(there, next, past) : next;
}
