/* Additive attention, and its relatives that know where the steps before have looked: coverage and location-sensitive
 * attention (docs/adr/0029-attention-that-knows-where-it-looked.md). */
#include "models/attention/decoder_attention.h"

#include "lookback/op.h"
#include "lookback/ops.h"

#include <math.h>

/* Sets attention->own to a struct of `bytes` that begins with an lb_additive_attention, and adds W_q, W_k and v. NULL
 * without memory. */
static void *add_own(lb_decoder_attention *attention, lb_params *params, size_t bytes)
{
    const lb_decoder_attention_config *c = &attention->config;
    attention->own = lb_params_alloc(params, bytes);
    if (attention->own)
        lb_additive_attention_init(
            attention->own, params, attention->name,
            (lb_additive_attention_config){.query = c->query, .key = c->key, .normalizer = c->normalizer});
    return attention->own;
}

static void project_keys(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    memory->keys = lb_additive_attention_project_keys(attention->own, memory->keys);
}

/* The keys are projected. */
static lb_attended_result ask_additive(const lb_decoder_attention *attention, lb_tensor *query,
                                       const lb_attended_memory *memory)
{
    return lb_additive_attention_ask(attention->own, query, memory->keys, memory->values, memory->mask);
}

/* ---- Additive attention. ---- */

static lb_status init_additive(lb_decoder_attention *attention, lb_params *params)
{
    void *own = add_own(attention, params, sizeof(lb_additive_attention));
    return own ? lb_params_status(params) : LB_ERROR_MEMORY;
}

static lb_attending_result run_gru(const lb_attending_layer *layer, lb_gates gates, const int32_t *lengths,
                                   lb_tensor *state)
{
    const lb_recurrent_cell *cell = layer->cell;
    const lb_additive_attention *own = layer->attention->own;
    lb_tensor *outputs = lb_attention_gru_sequence(&(lb_attention_gru_operands){
        .x = gates.x,
        .tokens = gates.tokens,
        .lengths = lengths,
        .initial = state,
        .keys = layer->memory->keys,
        .values = layer->memory->values,
        .mask = layer->memory->mask,
        .weight_query = own->query,
        .v = own->v,
        .weight_context = cell->weight_ih,
        .weight_hh = cell->weight_hh,
        .bias_hh = cell->bias_hh,
        .normalizer = own->normalizer,
    });
    return (lb_attending_result){.outputs = outputs,
                                 .final = lb_op_output(outputs, 3),
                                 .seen = {lb_op_output(outputs, 1), lb_op_output(outputs, 2)}};
}

/* ---- Coverage and location. ---- */

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
    recall *own = add_own(attention, params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    return lb_linear_init(
        &own->features, params, lb_params_scope(params, attention->name, "W_c"),
        (lb_linear_config){.inputs = 1, .outputs = attention->config.query, .no_bias = true});
}

/* F is initialised as nn.Conv1d, and U as nn.Linear. */
static lb_status init_location(lb_decoder_attention *attention, lb_params *params)
{
    recall *own = add_own(attention, params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    int64_t width = 2 * attention->config.window + 1;
    own->filters =
        lb_params_add(params, lb_params_scope(params, attention->name, "F"), "weight",
                      LB_SHAPE(FILTERS, 1, width), (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)width)});
    return lb_linear_init(&own->features, params, lb_params_scope(params, attention->name, "U"),
                          (lb_linear_config){.inputs = FILTERS, .outputs = attention->config.query});
}

static lb_tensor *begin_recall(const lb_decoder_attention *attention, lb_tensor *mask, bool backward)
{
    (void)attention;
    (void)backward;
    return lb_is_sound(mask) ? lb_tensor_new(mask->tape, mask->shape, NULL) : mask;
}

/* Attends in one step. The keys are W_k k_j + U f_j + b. */
static lb_attended_result ask_recall(const lb_decoder_attention *attention, lb_tensor *query,
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
    return ask_additive(attention, query, &now);
}

static lb_tensor *next_recall(const lb_decoder_attention *attention, lb_tensor *past, lb_tensor *weights,
                              const int32_t *lengths)
{
    const recall *own = attention->own;
    if (!lb_is_sound(past) || !lb_is_sound(weights)) return lb_is_sound(past) ? weights : past;
    lb_tensor *seen = lb_reshape(weights, past->shape);
    if (!own->filters) seen = lb_add(past, seen);
    return lengths ? lb_where(lb_length_mask(past->tape, lengths, lb_dim(past, 0), 1), seen, past) : seen;
}

/* ---- The descriptors. ---- */

LB_ATTENTION(additive, "additive", .type.init = init_additive, .type.prepare = project_keys,
             .type.ask = ask_additive, .attends_first = true, .run_gru = run_gru)

/* The reals: the state of a decoder has keys of each step, and the features that they are made of. */
#define RECALLS(id, text, ...)                                                                               \
    LB_ATTENTION(id, text, .type.prepare = project_keys, .type.ask = ask_recall, .reals = FILTERS,           \
                 .reals_per_unit = 2, .begin = begin_recall, .next = next_recall, .attends_first = true,     \
                 __VA_ARGS__)
RECALLS(coverage, "coverage", .type.init = init_coverage)
RECALLS(location, "location", .type.init = init_location, .window = USUAL_WINDOW)
