/* Additive attention that knows where the steps before have looked: coverage and location-sensitive attention
 * (docs/adr/0029-attention-that-knows-where-it-looked.md). */
#include "models/attention/additive.h"

#include "lookback/ops.h"

#include <math.h>

/* FILTERS of location-sensitive attention; how far they reach, by default. Texts are words, of a dozen symbols. */
enum { FILTERS = 8, USUAL_WINDOW = 3 };

/* score_j = v' tanh(W_q q + W_k k_j + U f_j + b), where f_j are features of the weights of the steps before.
 *  Coverage: f_j is the sum of all earlier weights of position j, and b = 0.
 *  Location: f_j are filters over the weights of the last step, around position j; all 0 before the first step.
 *  Source: See, Liu, Manning 2017, arXiv:1704.04368, equation 11; Chorowski et al. 2015, arXiv:1506.07503, equations 8
 *          and 9. */
typedef struct recall {
    lb_additive_attention additive; /* comes first */
    lb_tensor *filters;             /* F [FILTERS, 1, 2 window + 1]; NULL: coverage */
    lb_linear features;             /* location: U; coverage: W_c, without bias */
} recall;

static lb_status init_coverage(lb_decoder_attention *attention, lb_params *params)
{
    recall *own = lb_additive_own(attention, params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    return lb_linear_init(
        &own->features, params, lb_params_scope(params, attention->name, "W_c"),
        (lb_linear_config){.inputs = 1, .outputs = attention->config.query, .no_bias = true});
}

/* F as nn.Conv1d and U as nn.Linear. */
static lb_status init_location(lb_decoder_attention *attention, lb_params *params)
{
    recall *own = lb_additive_own(attention, params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    int64_t width = 2 * attention->config.window + 1;
    own->filters =
        lb_params_add(params, lb_params_scope(params, attention->name, "F"), "weight",
                      LB_SHAPE(FILTERS, 1, width), (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)width)});
    return lb_linear_init(&own->features, params, lb_params_scope(params, attention->name, "U"),
                          (lb_linear_config){.inputs = FILTERS, .outputs = attention->config.query});
}

static lb_tensor *begin(const lb_decoder_attention *attention, lb_tensor *mask, bool backward)
{
    (void)attention;
    (void)backward;
    return lb_is_sound(mask) ? lb_tensor_new(mask->tape, mask->shape, NULL) : mask;
}

/* For one step. Its keys are W_k k_j + U f_j + b. */
static lb_attended_result ask(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory)
{
    const recall *own = attention->own;
    lb_attended_memory now = *memory;
    lb_tensor *seen = memory->past;
    if (own->filters)
        seen = lb_convolve(seen, own->filters);
    else if (lb_is_sound(seen))
        seen = lb_reshape(seen, LB_SHAPE(lb_dim(seen, 0), lb_dim(seen, 1), 1));
    now.keys = lb_add(memory->keys, lb_linear_forward(&own->features, seen));
    return lb_additive_ask(attention, query, &now);
}

static lb_tensor *next(const lb_decoder_attention *attention, lb_tensor *past, lb_tensor *weights,
                       const int32_t *lengths)
{
    const recall *own = attention->own;
    if (!lb_is_sound(past) || !lb_is_sound(weights)) return lb_is_sound(past) ? weights : past;
    lb_tensor *seen = lb_reshape(weights, past->shape);
    if (!own->filters) seen = lb_add(past, seen);
    return lengths ? lb_where(lb_length_mask(past->tape, lengths, lb_dim(past, 0), 1), seen, past) : seen;
}

/* The state has keys of each step, and the features that they are made of. */
#define RECALLS(id, text, ...)                                                                               \
    LB_ATTENTION(id, text, .type.prepare = lb_additive_prepare, .type.ask = ask, .reals = FILTERS,           \
                 .reals_per_unit = 2, .begin = begin, .next = next, .attends_first = true, __VA_ARGS__)
RECALLS(coverage, "coverage", .type.init = init_coverage)
RECALLS(location, "location", .type.init = init_location, .window = USUAL_WINDOW)
