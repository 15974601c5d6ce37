#include "models/seq2seq.h"

#include "autograd/op.h"
#include "lookback/ops.h"
#include "models/extensions.h"
#include "nn/embedding.h"

#include <stdio.h>

static lb_seq2seq_config with_defaults(lb_seq2seq_config config)
{
    if (config.embed == 0) config.embed = 64;
    if (config.hidden == 0) config.hidden = 128;
    if (config.layers == 0) config.layers = 1;
    if (config.heads == 0) config.heads = 4;
    if (config.embedding_deviation == 0) config.embedding_deviation = 0.1;
    return config;
}

static void check_sizes(lb_seq2seq_config *c, lb_params *params, const char *name)
{
    if (c->source_vocab > 0 && c->target_vocab > 0 && c->embed > 0 && c->hidden > 0 && c->layers > 0) return;
    lb_params_fail(params, LB_ERROR_ARGUMENT,
                   "%s: invalid sizes: vocabularies %lld and %lld, embed %lld, hidden %lld, layers %d", name,
                   (long long)c->source_vocab, (long long)c->target_vocab, (long long)c->embed,
                   (long long)c->hidden, c->layers);
    if (c->layers < 0) c->layers = 1; /* which is poison */
}

/* Whether the decoder attends with the state before a step and reads the context with the token. Otherwise it attends
 * with the state after the step. See docs/adr/0010-attending-after-the-step.md. */
static bool asks_first(const lb_seq2seq_config *config)
{
    return !config->own_attention && config->attention == LB_ATTENTION_ADDITIVE;
}

static void init_bridges(lb_seq2seq *model, lb_params *params)
{
    const lb_seq2seq_config *c = &model->config;
    model->bridge = lb_params_alloc(params, (size_t)c->layers * sizeof *model->bridge);
    for (int layer = 0; model->bridge && layer < c->layers; layer++) {
        char name[32];
        snprintf(name, sizeof name, "bridge.%d", layer);
        lb_linear_config config = {.inputs = c->hidden * (c->bidirectional ? 2 : 1), .outputs = c->hidden};
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
}

static const lb_attention_type *type_of(lb_seq2seq_config *c, lb_params *params, const char *name)
{
    lb_error error = {0};
    const lb_attention_type *const own[] = {c->own_attention, NULL};
    if (lb_extensions_check(&(lb_extensions){.attentions = own}, &error)) {
        lb_params_fail(params, error.status, "%s: %s", name, error.message);
        c->own_attention = NULL; /* of poison */
    }
    return c->own_attention ? c->own_attention : lb_attention_types[c->attention];
}

static void init_attention(lb_seq2seq *model, lb_params *params, const char *name)
{
    lb_seq2seq_config *c = &model->config;
    lb_decoder_attention_config config = {.query = c->hidden, .heads = c->heads};
    config.key = c->hidden * (c->bidirectional ? 2 : 1);
    lb_decoder_attention_init(&model->attention, params, name, type_of(c, params, name), config);
}

lb_status lb_seq2seq_init(lb_seq2seq *model, lb_params *params, const char *name, lb_seq2seq_config config)
{
    config = with_defaults(config);
    check_sizes(&config, params, name);
    *model = (lb_seq2seq){.name = lb_params_scope(params, "", name), .config = config};
    lb_embedding_init(&model->source_embedding, params, lb_params_scope(params, name, "source_embedding"),
                      config.source_vocab, config.embed, config.embedding_deviation);
    lb_embedding_init(&model->target_embedding, params, lb_params_scope(params, name, "target_embedding"),
                      config.target_vocab, config.embed, config.embedding_deviation);
    lb_gru_config encoder = {.input = config.embed,
                             .hidden = config.hidden,
                             .layers = config.layers,
                             .bidirectional = config.bidirectional,
                             .dropout = config.dropout};
    lb_gru_init(&model->encoder, params, lb_params_scope(params, name, "encoder"), encoder);
    init_bridges(model, params);
    init_attention(model, params, lb_params_scope(params, name, "attention"));
    int64_t depth = model->attention.depth;
    model->base = (lb_model){.kind = &lb_seq2seq_kind,
                             .source_vocab = config.source_vocab,
                             .target_vocab = config.target_vocab,
                             .layers = depth ? 1 : 0,
                             .heads = depth ? model->attention.heads : 0,
                             .step_reals = 16 * config.hidden * config.layers,
                             .state_reals = 2 * model->attention.config.key};
    lb_gru_config decoder = {.input = config.embed, .hidden = config.hidden, .layers = config.layers};
    if (asks_first(&model->config)) decoder.input += depth;
    lb_gru_init(&model->decoder, params, lb_params_scope(params, name, "decoder"), decoder);
    init_output(model, params, name);
    return lb_params_status(params);
}

/* Whether embedded tokens go through dropout: then no two tokens are alike. */
static bool drops(const lb_seq2seq *model, lb_tape *tape)
{
    return model->config.dropout > 0 && lb_tape_mode(tape) == LB_MODE_TRAIN;
}

static lb_gru_result run_encoder(const lb_seq2seq *model, lb_tokens source)
{
    if (!drops(model, source.tape))
        return lb_gru_forward_tokens(&model->encoder, &model->source_embedding, source, NULL);
    lb_tensor *x = lb_dropout(lb_embedding_forward(&model->source_embedding, source), model->config.dropout);
    return lb_gru_forward(&model->encoder, x, NULL, source.lengths);
}

/* The decoder looks up about as many symbols as the source has. */
static lb_tensor *target_table(const lb_seq2seq *model, lb_tokens source)
{
    const lb_gru_cell *cell = model->decoder.cell;
    if (drops(model, source.tape)) return NULL;
    return lb_embedding_table(&model->target_embedding, source.tape, source.batch * source.length,
                              cell->weight_ih, cell->bias_ih);
}

/* The part of the decoder gates that depends on the tokens: the first columns of the weight times the embedding. */
static lb_gates target_gates(const lb_seq2seq *model, const lb_tokens *tokens, lb_tensor *table)
{
    const lb_gru_cell *cell = model->decoder.cell;
    if (!drops(model, tokens->tape))
        return lb_embedding_gates(&model->target_embedding, tokens, table, cell->weight_ih, cell->bias_ih);
    lb_tensor *x = lb_dropout(lb_embedding_forward(&model->target_embedding, *tokens), model->config.dropout);
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
    lb_gru_result read = run_encoder(model, source);
    lb_seq2seq_encoded encoded = {
        .memory = lb_decoder_attention_prepare(&model->attention, read.outputs, lb_tokens_mask(source))};
    encoded.table = target_table(model, source);
    if (read.final)
        encoded.initial = lb_tape_alloc(source.tape, (size_t)model->config.layers * sizeof *encoded.initial);
    for (int layer = 0; encoded.initial && layer < model->config.layers; layer++) {
        int directions = model->encoder.directions, first = layer * directions;
        lb_tensor **end = &read.final[first];
        lb_tensor *state = directions == 2 ? lb_concat(end, 2, -1) : end[0];
        encoded.initial[layer] = lb_tanh(lb_linear_forward(&model->bridge[layer], state));
    }
    lb_tape_leave(source.tape, outer);
    return encoded;
}

/* One layer of the decoder without attention. */
static lb_tensor *read_layer(const lb_gru_cell *cell, lb_gates gates, const int32_t *lengths,
                             lb_tensor *state, lb_tensor **final)
{
    lb_tensor *outputs =
        lb_gru_sequence(gates.x, gates.tokens, state, cell->weight_hh, cell->bias_hh, lengths, false);
    *final = lb_op_output(outputs, 1);
    return outputs;
}

/* A layer that attends with its state before each step and reads the context with the token. */
static lb_tensor *ask_and_read(const lb_seq2seq *model, const lb_attended_memory *memory, lb_gates gates,
                               const int32_t *lengths, lb_tensor *state, lb_tensor **final,
                               lb_attended_result *seen)
{
    const lb_gru_cell *cell = &model->decoder.cell[0];
    const lb_additive_attention *a = model->attention.own;
    lb_tensor *outputs = lb_attention_gru_sequence(&(lb_attention_gru_operands){
        .x = gates.x,
        .tokens = gates.tokens,
        .lengths = lengths,
        .initial = state,
        .keys = memory->keys,
        .values = memory->values,
        .mask = memory->mask,
        .weight_query = a->query,
        .v = a->v,
        .weight_context = cell->weight_ih,
        .weight_hh = cell->weight_hh,
        .bias_hh = cell->bias_hh,
    });
    *seen = (lb_attended_result){lb_op_output(outputs, 1), lb_op_output(outputs, 2)};
    *final = lb_op_output(outputs, 3);
    if (!lb_is_sound(outputs)) return outputs;
    lb_shape all = seen->weights->shape;
    seen->weights = lb_reshape(seen->weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
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

lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in)
{
    lb_tape *tape = target_in.tape;
    const char *outer = lb_tape_enter(tape, model->name);
    lb_seq2seq_decoded decoded = {
        .final = lb_tape_alloc(tape, (size_t)model->config.layers * sizeof(lb_tensor *))};
    if (!decoded.final || !initial || !is_whole(model)) {
        /* Only what has failed before leads here; the first error stays. */
        decoded.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory while decoding");
        lb_tape_leave(tape, outer);
        return decoded;
    }
    const lb_gru_cell *cell = model->decoder.cell;
    lb_attended_result seen = {0};
    lb_gates gates = target_gates(model, &target_in, encoded->table);
    const int32_t *lengths = target_in.lengths;
    lb_tensor *top =
        asks_first(&model->config)
            ? ask_and_read(model, &encoded->memory, gates, lengths, initial[0], &decoded.final[0], &seen)
            : read_layer(cell, gates, lengths, initial[0], &decoded.final[0]);
    for (int layer = 1; layer < model->config.layers; layer++) {
        cell = &model->decoder.cell[layer];
        gates = (lb_gates){
            .x = lb_affine(lb_dropout(top, model->config.dropout), cell->weight_ih, cell->bias_ih)};
        top = read_layer(cell, gates, lengths, initial[layer], &decoded.final[layer]);
    }
    if (!seen.context && model->attention.depth)
        seen = lb_decoder_attention_ask(&model->attention, top, &encoded->memory);
    decoded.weights = seen.weights;
    decoded.logits = predict(model, top, seen.context);
    lb_tape_leave(tape, outer);
    return decoded;
}

lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in)
{
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    return lb_seq2seq_decode(model, &encoded, encoded.initial, target_in).logits;
}
