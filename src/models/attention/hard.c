/* Exact hard attention and its monotonic relatives, which sum over all alignments
 * (docs/adr/0026-exact-hard-attention.md). */
#include "models/attention/decoder_attention.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/params.h"

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    lb_hard_attention *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return LB_ERROR_MEMORY;
    own->order = (lb_hard_order)lb_built_in_attention_of(attention)->variant;
    if (c->normalizer != LB_SOFTMAX)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: found weights by %s, expected softmax for hard attention", attention->name,
                       lb_normalizer_names[c->normalizer]);
    lb_linear_init(&own->score, params, lb_params_scope(params, attention->name, "W"),
                   (lb_linear_config){.inputs = c->query, .outputs = c->key, .no_bias = true});
    if (own->order == LB_HARD_MONOTONIC_1)
        lb_linear_init(&own->jump, params, lb_params_scope(params, attention->name, "jump"),
                       (lb_linear_config){.inputs = c->query, .outputs = LB_HARD_JUMPS});
    return lb_params_status(params);
}

static void bind(lb_decoder_attention *attention, const lb_output_layers *layers)
{
    lb_hard_attention *own = attention->own;
    if (own) own->layers = *layers;
}

/* The keys become the part of `combine` that depends on the encoder outputs: the context of each position. */
static void prepare_keys(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    const lb_output_layers *layers = &((const lb_hard_attention *)attention->own)->layers;
    lb_tensor *contexts = lb_announce(memory->keys, "context", 0);
    memory->values = lb_announce(memory->values, "keys", 0);
    memory->keys = lb_affine_columns(lb_dropout(contexts, layers->dropout), layers->combine.weight,
                                     attention->config.query, NULL);
}

const lb_hard_attention *lb_hard_attention_of(const lb_decoder_attention *attention)
{
    return attention->type->prepare == prepare_keys ? attention->own : NULL;
}

lb_hard_view lb_hard_attention_look(const lb_decoder_attention *attention, lb_tensor *states,
                                    const lb_attended_memory *memory)
{
    const lb_hard_attention *own = attention->own;
    const lb_output_layers *layers = &own->layers;
    const char *outer = lb_module_enter(states, attention->name);
    lb_tensor *query =
        lb_affine_columns(lb_dropout(states, layers->dropout), layers->combine.weight, 0, NULL);
    lb_tensor *asked = lb_announce(lb_linear_forward(&own->score, states), "query", 0);
    lb_hard_view view = {
        .logits = lb_pair_affine(query, memory->keys, layers->output.weight, layers->output.bias),
        .scores = lb_announce(lb_matmul_transposed(asked, false, memory->values, true), "scores", 0)};
    if (own->jump.weight) view.jumps = lb_linear_forward(&own->jump, states);
    lb_module_leave(states, outer);
    return view;
}

/* Sums over the positions. The `past` of a monotonic attention are its beliefs. */
static lb_attended_logits predict(const lb_decoder_attention *attention, lb_tensor *states,
                                  const lb_attended_memory *memory, lb_tokens target_in)
{
    bool free_order = ((const lb_hard_attention *)attention->own)->order == LB_HARD_FREE;
    lb_model_place around =
        lb_tape_enter_place(target_in.tape, (lb_model_place){.part = "cross", .layer = 0});
    lb_hard_view view = lb_hard_attention_look(attention, states, memory);
    lb_tensor *logits = free_order ? lb_attend_hard(view.logits, view.scores, memory->mask, target_in.lengths)
                                   : lb_attend_monotonic(view.logits, view.scores, view.jumps, memory->past,
                                                         memory->mask, target_in);
    lb_tensor *weights = lb_announce_fixed(lb_op_output(logits, 1), "weights", 0);
    if (!lb_is_sound(weights)) logits = weights; /* a watcher has tried to replace them */
    lb_tape_leave_place(target_in.tape, around);
    return (lb_attended_logits){logits, weights, free_order ? NULL : lb_op_output(logits, 2)};
}

/* The reals: the state of a decoder has the logits at each position, and the beliefs. */
#define OF_ORDER(id, text, order)                                                                            \
    LB_ATTENTION(id, text, .type.combines = true, .type.init = init, .type.prepare = prepare_keys,           \
                 .variant = (order), .copying_needs = "a soft one", .reals_per_symbol = 3,                   \
                 .reads_back = (order) != LB_HARD_FREE, .bind = bind, .predict = predict)
OF_ORDER(hard, "hard", LB_HARD_FREE)
OF_ORDER(monotonic, "monotonic", LB_HARD_MONOTONIC)
OF_ORDER(monotonic_1, "monotonic-1", LB_HARD_MONOTONIC_1)
