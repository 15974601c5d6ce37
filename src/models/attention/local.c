/* Local attention: a window of the source around one position per step
 * (docs/adr/0029-attention-that-knows-where-it-looked.md). */
#include "models/attention/decoder_attention.h"

#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/layers.h"

#include <math.h>

/* Texts are words, of a dozen symbols, rather than sentences: the paper has 10. */
enum { USUAL_WINDOW = 5 };

enum { MONOTONIC, PREDICTIVE };

/* Weights of the positions s with |s - p| <= window around a position p; all others have none. The score is that of
 *  `general`: (W q)' k.
 *  Monotonic (local-m): p is the number of the step; after the end of the source, its last position. A model that
 *  writes from the end counts from the last position down to 0. Predictive (local-p): p = S sigmoid(v_p' tanh(W_p q)),
 *  S the length of the source, and the weights are multiplied by exp(-(s - p)^2 / (2 sigma^2)) with sigma = window / 2,
 *  so that a row of them sums to less than 1.
 *  Source: Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.2. */
typedef struct local {
    lb_linear score;            /* W */
    lb_linear middle, position; /* W_p, v_p; without weights: local-m */
} local;

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    local *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    lb_linear_init(&own->score, params, lb_params_scope(params, attention->name, "W"),
                   (lb_linear_config){.inputs = c->query, .outputs = c->key, .no_bias = true});
    if (lb_built_in_attention_of(attention)->variant == MONOTONIC) return lb_params_status(params);
    lb_linear_init(&own->middle, params, lb_params_scope(params, attention->name, "W_p"),
                   (lb_linear_config){.inputs = c->query, .outputs = c->query, .no_bias = true});
    return lb_linear_init(&own->position, params, lb_params_scope(params, attention->name, "v_p"),
                          (lb_linear_config){.inputs = c->query, .outputs = 1, .no_bias = true});
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

static lb_tensor *predicted(const local *own, lb_tensor *query, const lb_tensor *mask)
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

static lb_attended_result ask(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory)
{
    const local *own = attention->own;
    bool predicts = own->position.weight != NULL;
    lb_tensor *asked = lb_announce(lb_linear_forward(&own->score, query), "query", 0);
    lb_tensor *scores = lb_announce(lb_matmul_transposed(asked, false, memory->keys, true), "scores", 0);
    if (!lb_is_sound(memory->mask)) scores = memory->mask;
    if (!predicts && !lb_is_sound(memory->past)) scores = memory->past;
    if (!lb_is_sound(scores)) return (lb_attended_result){scores, scores};
    lb_tensor *centre = predicts ? predicted(own, query, memory->mask) : counted(memory, lb_dim(query, 1));
    if (!lb_is_sound(centre)) return (lb_attended_result){centre, centre};
    lb_tensor *near = window_of(centre, memory->mask, attention->config.window);
    lb_tensor *weights =
        lb_normalized(lb_masked_fill(scores, near, -(lb_real)INFINITY), attention->config.normalizer);
    if (predicts) weights = lb_gaussian_window(weights, centre, (double)attention->config.window / 2);
    weights = lb_announce(weights, "weights", 0);
    return (lb_attended_result){lb_matmul(weights, memory->values), weights};
}

/* local-m: the position of the next step, and 1 or -1, the way to the one after, [batch, 2]. */
static lb_tensor *begin_count(const lb_decoder_attention *attention, lb_tensor *mask, bool backward)
{
    (void)attention;
    if (!lb_is_sound(mask)) return mask;
    lb_tensor *length = lengths_of(mask);
    lb_tensor *count = lb_tensor_new(mask->tape, LB_SHAPE(lb_dim(mask, 0), 2), NULL);
    for (int64_t row = 0; lb_is_sound(count) && lb_is_sound(length) && row < lb_dim(count, 0); row++) {
        count->data[2 * row] = backward ? length->data[row] - 1 : 0;
        count->data[2 * row + 1] = backward ? -1 : 1;
    }
    return count;
}

static lb_tensor *next(const lb_decoder_attention *attention, lb_tensor *past, lb_tensor *weights,
                       const int32_t *lengths)
{
    (void)attention;
    if (!lb_is_sound(past) || !lb_is_sound(weights)) return lb_is_sound(past) ? weights : past;
    lb_tensor *count = lb_tensor_new(past->tape, past->shape, past->data);
    for (int64_t row = 0; lb_is_sound(count) && row < lb_dim(past, 0); row++) {
        int64_t steps = lengths ? lengths[row] : lb_dim(weights, 1);
        count->data[2 * row] += (lb_real)steps * count->data[2 * row + 1];
    }
    return count;
}

LB_ATTENTION(local_m, "local-m", .type.combines = true, .type.init = init, .type.ask = ask,
             .variant = MONOTONIC, .window = USUAL_WINDOW, .begin = begin_count, .next = next)
LB_ATTENTION(local_p, "local-p", .type.combines = true, .type.init = init, .type.ask = ask,
             .variant = PREDICTIVE, .window = USUAL_WINDOW, .copying_needs = "one whose weights sum to 1")
