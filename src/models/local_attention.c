#include "models/local_attention.h"

#include "lookback/ops.h"
#include "nn/unfused.h"

#include <math.h>

bool lb_local_attention_counts(const lb_seq2seq *model)
{
    return !model->config.own_attention && model->config.attention == LB_ATTENTION_LOCAL_M;
}

lb_status lb_local_m_init(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    lb_local_attention *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    return lb_linear_init(&own->score, params, lb_params_scope(params, attention->name, "W"),
                          (lb_linear_config){.inputs = c->query, .outputs = c->key, .no_bias = true});
}

lb_status lb_local_p_init(lb_decoder_attention *attention, lb_params *params)
{
    if (lb_local_m_init(attention, params)) return lb_params_status(params);
    lb_local_attention *own = attention->own;
    int64_t width = attention->config.query;
    lb_linear_init(&own->middle, params, lb_params_scope(params, attention->name, "W_p"),
                   (lb_linear_config){.inputs = width, .outputs = width, .no_bias = true});
    return lb_linear_init(&own->position, params, lb_params_scope(params, attention->name, "v_p"),
                          (lb_linear_config){.inputs = width, .outputs = 1, .no_bias = true});
}

/* The length of each source, [batch, 1, 1]. */
static lb_tensor *lengths_of(const lb_tensor *mask)
{
    int64_t batch = lb_dim(mask, 0), keys = lb_dim(mask, 1);
    lb_tensor *lengths = lb_tensor_new(mask->tape, LB_SHAPE(batch, 1, 1), NULL);
    for (int64_t i = 0; lb_is_sound(lengths) && i < batch * keys; i++)
        lengths->data[i / keys] += mask->data[i];
    return lengths;
}

/* The position of each step, [batch, steps, 1], when they are counted. */
static lb_tensor *counted(const lb_attended_memory *memory, int64_t steps)
{
    const lb_tensor *past = memory->past;
    lb_tensor *length = lengths_of(memory->mask);
    lb_tensor *centre = lb_tensor_new(past->tape, LB_SHAPE(lb_dim(past, 0), steps, 1), NULL);
    if (!lb_is_sound(length) || !lb_is_sound(centre)) return lb_is_sound(length) ? centre : length;
    for (int64_t i = 0; i < lb_count(centre); i++) {
        const lb_real *count = past->data + i / steps * 2;
        lb_real at = count[0] + (lb_real)(i % steps) * count[1], last = length->data[i / steps] - 1;
        if (at > last) at = last;
        centre->data[i] = at > 0 ? at : 0;
    }
    return centre;
}

static lb_tensor *predicted(const lb_local_attention *own, lb_tensor *query, const lb_tensor *mask)
{
    lb_tensor *share =
        lb_sigmoid(lb_linear_forward(&own->position, lb_tanh(lb_linear_forward(&own->middle, query))));
    return lb_mul(lengths_of(mask), share);
}

/* 1 for the positions of the source in the window, [batch, steps, S]. */
static lb_tensor *window_of(const lb_tensor *centre, const lb_tensor *mask, int64_t window)
{
    int64_t steps = lb_dim(centre, 1), keys = lb_dim(mask, 1);
    lb_tensor *near = lb_tensor_new(mask->tape, LB_SHAPE(lb_dim(centre, 0), steps, keys), NULL);
    for (int64_t i = 0; lb_is_sound(near) && i < lb_count(near); i++) {
        lb_real away = (lb_real)(i % keys) - centre->data[i / keys];
        bool inside = away <= (lb_real)window && -away <= (lb_real)window;
        near->data[i] = inside ? mask->data[i / (steps * keys) * keys + i % keys] : 0;
    }
    return near;
}

lb_attended_result lb_local_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                          const lb_attended_memory *memory)
{
    const lb_local_attention *own = attention->own;
    bool predicts = own->position.weight != NULL;
    lb_tensor *scores =
        lb_matmul_transposed(lb_linear_forward(&own->score, query), false, memory->keys, true);
    if (!lb_is_sound(memory->mask)) scores = memory->mask;
    if (!predicts && !lb_is_sound(memory->past)) scores = memory->past;
    if (!lb_is_sound(scores)) return (lb_attended_result){scores, scores};
    lb_tensor *centre = predicts ? predicted(own, query, memory->mask) : counted(memory, lb_dim(query, 1));
    if (!lb_is_sound(centre)) return (lb_attended_result){centre, centre};
    lb_tensor *near = window_of(centre, memory->mask, attention->config.window);
    lb_tensor *weights =
        lb_normalized(lb_masked_fill(scores, near, -(lb_real)INFINITY), attention->config.normalizer);
    if (predicts) weights = lb_gaussian_window(weights, centre, (double)attention->config.window / 2);
    return (lb_attended_result){lb_matmul(weights, memory->values), weights};
}

lb_tensor *lb_local_attention_begin(const lb_seq2seq *model, lb_tensor *mask)
{
    if (!lb_is_sound(mask)) return mask;
    lb_tensor *length = lengths_of(mask);
    lb_tensor *count = lb_tensor_new(mask->tape, LB_SHAPE(lb_dim(mask, 0), 2), NULL);
    for (int64_t row = 0; lb_is_sound(count) && lb_is_sound(length) && row < lb_dim(count, 0); row++) {
        count->data[2 * row] = model->base.backward ? length->data[row] - 1 : 0;
        count->data[2 * row + 1] = model->base.backward ? -1 : 1;
    }
    return count;
}

lb_tensor *lb_local_attention_next(lb_tensor *past, lb_tokens target_in)
{
    if (!lb_is_sound(past)) return past;
    lb_tensor *count = lb_tensor_new(past->tape, past->shape, past->data);
    int64_t rows = lb_dim(past, 0);
    if (target_in.batch < rows) rows = target_in.batch; /* tokens for which there was no memory have none */
    for (int64_t row = 0; lb_is_sound(count) && row < rows; row++)
        count->data[2 * row] += (lb_real)target_in.lengths[row] * count->data[2 * row + 1];
    return count;
}
