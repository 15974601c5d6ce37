/* The recurrent model: embeddings, an encoder that may read in both directions, attention, and a decoder. */
#include "models/built_in.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "models/attention/copying.h"
#include "models/attention/decoder_attention.h"
#include "models/decode/model.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <stdio.h>

/* The descriptor of the attention; that of a custom one is empty. */
static const lb_built_in_attention *kind_of(const lb_seq2seq_config *config)
{
    static const lb_built_in_attention custom = {0};
    return config->own_attention ? &custom : lb_built_in_attentions[config->attention];
}

static void check_choices(lb_seq2seq_config *c, lb_params *params, const char *name)
{
    c->attention =
        (lb_attention_kind)lb_params_choose(params, name, "attention", (int)c->attention, lb_attention_names);
    c->cell = (lb_cell_kind)lb_params_choose(params, name, "cell", (int)c->cell, lb_cell_names);
    c->attention_weights =
        lb_params_choose_normalizer(params, name, "attention_weights", c->attention_weights);
    c->output = lb_params_choose_normalizer(params, name, "output", c->output);
}

static lb_seq2seq_config with_defaults(lb_seq2seq_config config)
{
    if (config.embed == 0) config.embed = 64;
    if (config.hidden == 0) config.hidden = 128;
    if (config.layers == 0) config.layers = 1;
    if (config.heads == 0) config.heads = 4;
    const lb_built_in_attention *kind = kind_of(&config);
    if (config.window == 0) config.window = kind->window;
    if (config.embedding_deviation == 0) config.embedding_deviation = 0.1;
    return config;
}

static void check_sizes(lb_seq2seq_config *c, lb_params *params, const char *name)
{
    lb_params_need(params, name, "source_vocab", c->source_vocab);
    lb_params_need(params, name, "target_vocab", c->target_vocab);
    lb_params_need(params, name, "embed", c->embed);
    lb_params_need(params, name, "hidden", c->hidden);
    lb_params_need(params, name, "layers", c->layers);
    if (c->layers < 0) c->layers = 1; /* the error is recorded, and they are poison */
}

static void check_window(lb_seq2seq_config *c, lb_params *params, const char *name)
{
    bool has_window = kind_of(c)->window > 0;
    if (has_window ? c->window > 0 : c->window == 0) return;
    lb_params_fail(params, LB_ERROR_ARGUMENT,
                   has_window ? "%s: found a window of %lld, expected 0 or more"
                              : "%s: found a window of %lld, expected none for attention without one",
                   name, (long long)c->window);
    c->window = 1; /* any that is valid: the error is recorded */
}

/* The state of an LSTM has two parts. */
static void init_bridges(lb_seq2seq *model, lb_params *params)
{
    const lb_seq2seq_config *c = &model->config;
    model->bridge = lb_params_alloc(params, (size_t)c->layers * sizeof *model->bridge);
    for (int layer = 0; model->bridge && layer < c->layers; layer++) {
        char name[32];
        snprintf(name, sizeof name, "bridge.%d", layer);
        lb_linear_config config = {.outputs = c->hidden * (c->cell == LB_CELL_LSTM ? 2 : 1)};
        config.inputs = config.outputs * (c->bidirectional ? 2 : 1);
        lb_linear_init(&model->bridge[layer], params, lb_params_scope(params, model->name, name), config);
    }
}

/* A tied output needs a vector as wide as the embedding: `combine` computes it from the untied input of the output. */
static void init_output(lb_seq2seq *model, lb_params *params, const char *name)
{
    const lb_seq2seq_config *c = &model->config;
    lb_linear_config output = {.inputs = c->hidden + model->attention.depth, .outputs = c->target_vocab};
    if (c->tied || model->attention.type->combines) {
        lb_linear_config combine = {.inputs = output.inputs, .no_bias = true};
        combine.outputs = output.inputs = c->tied ? c->embed : c->hidden;
        lb_linear_init(&model->combine, params, lb_params_scope(params, name, "combine"), combine);
    }
    if (c->tied) output.tied = model->target_embedding.weight;
    lb_linear_init(&model->output, params, lb_params_scope(params, name, "output"), output);
    const lb_output_layers layers = {model->combine, model->output, c->dropout};
    if (kind_of(c)->bind) kind_of(c)->bind(&model->attention, &layers);
}

static void init_attention(lb_seq2seq *model, lb_params *params, const char *name)
{
    lb_seq2seq_config *c = &model->config;
    lb_decoder_attention_config config = {.query = c->hidden, .heads = c->heads, .window = c->window};
    config.key = c->hidden * (c->bidirectional ? 2 : 1);
    config.normalizer = c->attention_weights;
    lb_error error = {0};
    const lb_attention_type *type = c->own_attention;
    const lb_attention_type *const own[] = {type, NULL};
    if (type && lb_attention_type_check(type, &(lb_extensions){.attentions = own}, &error)) {
        lb_params_fail(params, error.status, "%s: %s", name, error.message);
        type = c->own_attention = NULL; /* a built-in one instead: the error is recorded */
    }
    if (!type) type = &lb_built_in_attentions[c->attention]->type;
    lb_decoder_attention_init(&model->attention, params, name, type, config);
}

/* The logits of hard attention and of copying are logarithms of probabilities. */
static void check_output(const lb_seq2seq *model, lb_params *params)
{
    const lb_built_in_attention *kind = kind_of(&model->config);
    lb_normalizer output = model->config.output;
    bool hard = kind->predict != NULL, copy = model->config.copy;
    if ((hard || copy) && output != LB_SOFTMAX)
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found the loss %s, expected %s for %s", model->name,
                       lb_loss_names[output], lb_loss_names[LB_SOFTMAX], hard ? "hard attention" : "copying");
    const char *expected = model->attention.depth == 0 ? "a soft one" : kind->copying_needs;
    if (copy && expected)
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found the attention %s, expected %s for copying",
                       model->name, model->attention.type->name, expected);
}

lb_status lb_seq2seq_init(lb_seq2seq *model, lb_params *params, const char *name, lb_seq2seq_config config)
{
    check_choices(&config, params, name);
    config = with_defaults(config);
    check_sizes(&config, params, name);
    check_window(&config, params, name);
    *model = (lb_seq2seq){.name = lb_params_scope(params, "", name), .config = config};
    lb_embedding_init(&model->source_embedding, params, lb_params_scope(params, name, "source_embedding"),
                      config.source_vocab, config.embed, config.embedding_deviation);
    lb_embedding_init(&model->target_embedding, params, lb_params_scope(params, name, "target_embedding"),
                      config.target_vocab, config.embed, config.embedding_deviation);
    lb_recurrent_config encoder = {.kind = config.cell,
                                   .input = config.embed,
                                   .hidden = config.hidden,
                                   .layers = config.layers,
                                   .bidirectional = config.bidirectional,
                                   .dropout = config.dropout};
    lb_recurrent_init(&model->encoder, params, lb_params_scope(params, name, "encoder"), encoder);
    init_bridges(model, params);
    init_attention(model, params, lb_params_scope(params, name, "attention"));
    int64_t depth = model->attention.depth;
    const lb_built_in_attention *kind = kind_of(&model->config);
    model->base = (lb_model){.kind = &lb_seq2seq_kind,
                             .source_vocab = config.source_vocab,
                             .target_vocab = config.target_vocab,
                             .layers = depth ? 1 : 0,
                             .heads = depth ? model->attention.heads : 0,
                             .output = config.output,
                             .step_reals = 16 * config.hidden * config.layers,
                             .state_reals = 2 * model->attention.config.key + kind->reals +
                                            kind->reals_per_symbol * config.target_vocab +
                                            kind->reals_per_unit * config.hidden};
    /* Most kinds of attention have only one head, whatever was asked for. */
    model->config.heads = model->base.heads > 0 ? model->base.heads : 1;
    lb_recurrent_config decoder = {
        .kind = config.cell, .input = config.embed, .hidden = config.hidden, .layers = config.layers};
    if (kind->attends_first) decoder.input += depth;
    lb_recurrent_init(&model->decoder, params, lb_params_scope(params, name, "decoder"), decoder);
    init_output(model, params, name);
    if (config.copy)
        lb_copying_init(&model->copying, params, lb_params_scope(params, name, "copy"), &model->base,
                        depth + config.hidden + config.embed);
    check_output(model, params);
    return lb_params_status(params);
}

/* Whether embedded tokens go through dropout: then no two tokens are alike. */
static bool drops(const lb_seq2seq *model, lb_tape *tape)
{
    return model->config.dropout > 0 && lb_tape_mode(tape) == LB_MODE_TRAIN;
}

/* Whether the attention reads sources from their end. */
static bool reads_back(const lb_seq2seq *model)
{
    return model->base.from_end && kind_of(&model->config)->reads_back;
}

/* Whoever watches sees the source in reading order. */
static lb_recurrent_result run_encoder(const lb_seq2seq *model, lb_tokens source)
{
    bool watched = lb_is_watched(source.tape), back = reads_back(model);
    lb_tokens in_turn = back ? lb_tokens_reversed(source) : source;
    if (!drops(model, source.tape) && !watched)
        return lb_recurrent_forward_tokens(&model->encoder, &model->source_embedding, in_turn, NULL);
    lb_tensor *x = lb_embedding_forward(&model->source_embedding, watched ? source : in_turn);
    x = lb_announce_at(x, "encoder", LB_NO_LAYER, "embedding");
    if (watched && back) x = lb_embedded_reversed(x, source);
    return lb_recurrent_forward(&model->encoder, lb_dropout(x, model->config.dropout), NULL, source.lengths);
}

/* Whether layer 0 of the decoder attends before each step, and no fused op does it. */
static bool steps_alone(const lb_seq2seq *model, const lb_tape *tape)
{
    const lb_built_in_attention *kind = kind_of(&model->config);
    bool steps = !kind->run_gru || model->config.cell != LB_CELL_GRU || lb_is_watched(tape);
    return kind->attends_first && steps;
}

/* The part of the gates of every target symbol; NULL if it does not pay. The decoder looks up about as many symbols as
 * the source has. */
static lb_tensor *target_table(const lb_seq2seq *model, lb_tokens source)
{
    const lb_recurrent_cell *cell = model->decoder.cell;
    if (drops(model, source.tape) || steps_alone(model, source.tape)) return NULL;
    return lb_embedding_table(&model->target_embedding, source.tape, source.batch * source.length,
                              cell->weight_ih, cell->bias_ih);
}

/* The part of the decoder gates that depends on the tokens: the first columns of the weight times the embedding. */
static lb_gates target_gates(const lb_seq2seq *model, const lb_tokens *tokens, lb_tensor *table,
                             lb_seq2seq_decoded *decoded)
{
    const lb_recurrent_cell *cell = model->decoder.cell;
    if (!drops(model, tokens->tape) && !lb_is_watched(tokens->tape))
        return lb_embedding_gates(&model->target_embedding, tokens, table, cell->weight_ih, cell->bias_ih);
    lb_tensor *x = lb_embedding_forward(&model->target_embedding, *tokens);
    x = lb_announce_at(x, "decoder", LB_NO_LAYER, "embedding");
    if (lb_is_watched(tokens->tape)) decoded->input = x;
    x = lb_dropout(x, model->config.dropout);
    return (lb_gates){.x = lb_affine_columns(x, cell->weight_ih, 0, cell->bias_ih)};
}

/* If there was no memory for some part of the model, its params have the error. */
static bool is_whole(const lb_seq2seq *model)
{
    return model->encoder.cell && model->bridge && model->decoder.cell;
}

lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source)
{
    if (!is_whole(model)) {
        lb_tape_fail(source.tape, LB_ERROR_MEMORY, "out of memory for the layers of a model");
        return (lb_seq2seq_encoded){0};
    }
    const char *outer = lb_tape_enter(source.tape, model->name);
    lb_model_place around = lb_tape_enter_model(source.tape, &model->base, "encoder");
    lb_recurrent_result read = run_encoder(model, source);
    lb_seq2seq_encoded encoded = {
        .memory = lb_decoder_attention_prepare(&model->attention, read.outputs, lb_tokens_mask(source))};
    const lb_built_in_attention *kind = kind_of(&model->config);
    if (kind->begin)
        encoded.memory.past = kind->begin(&model->attention, encoded.memory.mask, model->base.from_end);
    encoded.table = target_table(model, source);
    encoded.symbols = lb_copying_read(&model->copying, source);
    if (read.final)
        encoded.initial = lb_tape_alloc(source.tape, (size_t)model->config.layers * sizeof *encoded.initial);
    for (int layer = 0; encoded.initial && layer < model->config.layers; layer++) {
        int directions = (int)model->encoder.directions, first = layer * directions;
        lb_tensor *state = directions == 2 ? lb_concat(&read.final[first], 2, -1) : read.final[first];
        state = lb_tanh(lb_linear_forward(&model->bridge[layer], state));
        encoded.initial[layer] = lb_announce_at(state, "decoder", layer, "initial");
    }
    lb_tape_leave_place(source.tape, around);
    lb_tape_leave(source.tape, outer);
    return encoded;
}

/* One layer of the decoder without attention. */
static lb_tensor *read_layer(const lb_recurrent_cell *cell, lb_gates gates, const int32_t *lengths,
                             lb_tensor *state, lb_tensor **final)
{
    lb_tensor *outputs = lb_recurrent_sequence(cell, gates.x, gates.tokens, state, lengths, false);
    *final = lb_op_output(outputs, 1);
    return outputs;
}

/* A layer that reads [state; context]; the state alone without a context. */
static lb_tensor *apply(const lb_linear *linear, lb_tensor *state, lb_tensor *context)
{
    return context ? lb_linear_forward_pair(linear, state, context) : lb_linear_forward(linear, state);
}

/* The logits, from the states of the last layer and the contexts (NULL without attention). */
static lb_tensor *predict(const lb_seq2seq *model, lb_tensor *top, lb_tensor *context)
{
    if (model->combine.weight) {
        top = apply(&model->combine, top, context);
        if (model->attention.type->combines) top = lb_tanh(top);
        context = NULL;
    }
    top = lb_dropout(top, model->config.dropout);
    if (context) context = lb_dropout(context, model->config.dropout);
    return apply(&model->output, top, context);
}

/* Runs layer 0. Sets its final state in `decoded`, and `seen` if it attends. */
static lb_tensor *run_first_layer(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                  lb_tensor *initial, lb_tokens target_in, lb_seq2seq_decoded *decoded,
                                  lb_attended_result *seen)
{
    lb_gates gates = target_gates(model, &target_in, encoded->table, decoded);
    const lb_built_in_attention *kind = kind_of(&model->config);
    const lb_recurrent_cell *cell = model->decoder.cell;
    const int32_t *lengths = target_in.lengths;
    if (!kind->attends_first) return read_layer(cell, gates, lengths, initial, &decoded->final[0]);
    const lb_attending_layer layer = {&model->attention, cell, &encoded->memory};
    lb_attending_result first = steps_alone(model, target_in.tape)
                                    ? lb_stepwise_attend(&layer, gates.x, lengths, initial)
                                    : kind->run_gru(&layer, gates, lengths, initial);
    decoded->final[0] = first.final;
    decoded->past = first.past;
    *seen = first.seen;
    return first.outputs;
}

/* Returns the states of the last layer. Sets the final states in `decoded`, and `seen` if layer 0 attends. */
static lb_tensor *run_decoder(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                              lb_tensor *const *initial, lb_tokens target_in, lb_seq2seq_decoded *decoded,
                              lb_attended_result *seen)
{
    lb_tensor *top = run_first_layer(model, encoded, initial[0], target_in, decoded, seen);
    top = lb_announce_at(top, NULL, 0, "state");
    for (int layer = 1; layer < model->config.layers; layer++) {
        const lb_recurrent_cell *cell = &model->decoder.cell[layer];
        lb_gates gates = {
            .x = lb_affine(lb_dropout(top, model->config.dropout), cell->weight_ih, cell->bias_ih)};
        top = read_layer(cell, gates, target_in.lengths, initial[layer], &decoded->final[layer]);
        top = lb_announce_at(top, NULL, layer, "state");
    }
    return top;
}

/* Weights for the source in reading order, by head. */
static lb_tensor *for_readers(const lb_seq2seq *model, lb_tensor *weights, const lb_tensor *mask)
{
    if (lb_is_sound(weights) && reads_back(model)) weights = lb_weights_reversed(weights, mask);
    if (!lb_is_sound(weights) || weights->shape.ndim != 3) return weights;
    lb_shape all = weights->shape;
    return lb_reshape(weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
}

/* From the states of the last layer to the logits; `seen` is what layer 0 saw, if it attends. */
static void finish(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded, lb_tensor *top,
                   lb_attended_result seen, lb_tokens target_in, lb_seq2seq_decoded *decoded)
{
    const lb_built_in_attention *kind = kind_of(&model->config);
    const lb_attended_memory *memory = &encoded->memory;
    if (kind->predict) {
        lb_attended_logits found = kind->predict(&model->attention, top, memory, target_in);
        decoded->logits = found.logits;
        decoded->weights = for_readers(model, found.weights, memory->mask);
        decoded->past = found.past;
        return;
    }
    if (!kind->attends_first && model->attention.depth) {
        seen = lb_decoder_attention_ask(&model->attention, top, memory, 0);
        if (kind->next)
            decoded->past = kind->next(&model->attention, memory->past, seen.weights, target_in.lengths);
    }
    if (seen.weights) decoded->weights = for_readers(model, seen.weights, memory->mask);
    decoded->logits = predict(model, top, seen.context);
    if (!model->copying.symbols) return;
    lb_tensor *input =
        decoded->input ? decoded->input : lb_embedding_forward(&model->target_embedding, target_in);
    lb_tensor *const gate[] = {seen.context, top, input};
    decoded->logits =
        lb_copying_mix(&model->copying, decoded->logits, decoded->weights, gate, encoded->symbols);
}

lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in)
{
    lb_tape *tape = target_in.tape;
    const char *outer = lb_tape_enter(tape, model->name);
    lb_seq2seq_decoded decoded = {
        .final = lb_tape_alloc(tape, (size_t)model->config.layers * sizeof(lb_tensor *))};
    if (!decoded.final || !initial || !is_whole(model)) {
        /* Something has failed before, and the first error stays. */
        decoded.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory while decoding");
        lb_tape_leave(tape, outer);
        return decoded;
    }
    lb_attended_result seen = {0};
    lb_model_place around = lb_tape_enter_model(tape, &model->base, "decoder");
    decoded.top = run_decoder(model, encoded, initial, target_in, &decoded, &seen);
    finish(model, encoded, decoded.top, seen, target_in, &decoded);
    decoded.logits = lb_announce_at(decoded.logits, "", LB_NO_LAYER, "logits");
    lb_tape_leave_place(tape, around);
    lb_tape_leave(tape, outer);
    return decoded;
}
