#include "models/seq2seq.h"

#include "autograd/op.h"
#include "autograd/ops.h"

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
                   "%s: impossible sizes: vocabularies %lld and %lld, embed %lld, hidden %lld, layers %d",
                   name, (long long)c->source_vocab, (long long)c->target_vocab, (long long)c->embed,
                   (long long)c->hidden, c->layers);
    if (c->layers < 0) c->layers = 1; /* of poison */
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
    lb_decoder_attention_config attention = {
        .kind = config.attention, .query = config.hidden, .heads = config.heads};
    attention.key = config.hidden * (config.bidirectional ? 2 : 1);
    lb_decoder_attention_init(&model->attention, params, lb_params_scope(params, name, "attention"),
                              attention);
    int64_t depth = model->attention.depth;
    model->base = (lb_model){.kind = &lb_seq2seq_kind,
                             .source_vocab = config.source_vocab,
                             .target_vocab = config.target_vocab,
                             .layers = depth ? 1 : 0,
                             .heads = depth ? model->attention.heads : 0,
                             .step_reals = 16 * config.hidden * config.layers,
                             .state_reals = 2 * attention.key};
    lb_gru_config decoder = {.input = config.embed + depth, .hidden = config.hidden, .layers = config.layers};
    lb_gru_init(&model->decoder, params, lb_params_scope(params, name, "decoder"), decoder);
    lb_linear_config output = {.inputs = config.hidden + depth, .outputs = config.target_vocab};
    lb_linear_init(&model->output, params, lb_params_scope(params, name, "output"), output);
    return lb_params_status(params);
}

/* The tokens' part of a GRU's gates: the first columns of the weight meet the embedding. */
static lb_tensor *token_gates(const lb_seq2seq *model, const lb_embedding *embedding, lb_tokens tokens,
                              lb_tensor *weight, lb_tensor *bias)
{
    if (model->config.dropout == 0) return lb_embedding_affine(embedding, tokens, weight, bias);
    lb_tensor *x = lb_dropout(lb_embedding_forward(embedding, tokens), model->config.dropout);
    return lb_affine_columns(x, weight, 0, bias);
}

static lb_gru_result run_encoder(const lb_seq2seq *model, lb_tokens source)
{
    if (model->config.dropout == 0)
        return lb_gru_forward_tokens(&model->encoder, &model->source_embedding, source, NULL);
    lb_tensor *x = lb_dropout(lb_embedding_forward(&model->source_embedding, source), model->config.dropout);
    return lb_gru_forward(&model->encoder, x, NULL, source.lengths);
}

lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source)
{
    const char *outer = lb_tape_enter(source.tape, model->name);
    lb_gru_result read = run_encoder(model, source);
    lb_seq2seq_encoded encoded = {
        .memory = lb_decoder_attention_prepare(&model->attention, read.outputs, lb_tokens_mask(source))};
    encoded.initial = lb_tape_alloc(source.tape, (size_t)model->config.layers * sizeof *encoded.initial);
    for (int layer = 0; encoded.initial && read.final && layer < model->config.layers; layer++) {
        int directions = model->encoder.directions, first = layer * directions;
        lb_tensor **end = &read.final[first];
        lb_tensor *state = directions == 2 ? lb_concat(end, 2, -1) : end[0];
        encoded.initial[layer] = lb_tanh(lb_linear_forward(&model->bridge[layer], state));
    }
    lb_tape_leave(source.tape, outer);
    return encoded;
}

/* What layer 0 of the decoder leaves behind. */
typedef struct attending {
    lb_tensor *outputs;  /* [batch, T, hidden] */
    lb_tensor *contexts; /* [batch, T, depth]; NULL without attention */
    lb_tensor *weights;  /* [batch, heads, T, S]; NULL without attention */
    lb_tensor *final;    /* [batch, hidden] */
} attending;

/* Time steps `t` to t + 1 of x [batch, T, width], as [batch, 1, width]. */
static lb_tensor *at_time(lb_tensor *x, int64_t t)
{
    return lb_slice(x, 1, t, 1);
}

/* A state [batch, hidden] as a sequence of one step. */
static lb_tensor *as_sequence(lb_tensor *state, int64_t batch)
{
    return lb_reshape(state, LB_SHAPE(batch, 1, -1));
}

/* Any kind of attention, step by step: what lb_attention_gru_sequence does for the additive one in a single op. */
static attending attend_stepwise(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded, lb_tensor *state,
                                 lb_tensor *gates, lb_tokens target_in)
{
    const lb_gru_cell *cell = &model->decoder.cell[0];
    int64_t steps = target_in.length;
    lb_tensor **outputs = lb_tape_alloc(target_in.tape, 3 * (size_t)steps * sizeof *outputs);
    if (!outputs) return (attending){gates, gates, gates, gates};
    lb_tensor **contexts = outputs + steps, **weights = contexts + steps;
    for (int64_t t = 0; t < steps; t++) {
        lb_attended_result seen = lb_decoder_attention_ask(
            &model->attention, as_sequence(state, target_in.batch), &encoded->memory);
        lb_tensor *x = lb_add(at_time(gates, t),
                              lb_affine_columns(seen.context, cell->weight_ih, model->config.embed, NULL));
        outputs[t] = lb_gru_sequence(x, state, cell->weight_hh, cell->bias_hh, NULL, false);
        state = lb_op_output(outputs[t], 1);
        contexts[t] = seen.context;
        weights[t] = seen.weights;
    }
    return (attending){lb_concat(outputs, (int)steps, 1), lb_concat(contexts, (int)steps, 1),
                       lb_concat(weights, (int)steps, 2), state};
}

static attending attend_additively(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                   lb_tensor *state, lb_tensor *gates, lb_tokens target_in)
{
    const lb_gru_cell *cell = &model->decoder.cell[0];
    const lb_additive_attention *a = &model->attention.additive;
    const lb_attended_memory *memory = &encoded->memory;
    lb_tensor *outputs =
        lb_attention_gru_sequence(gates, state, memory->keys, memory->values, memory->mask, a->query, a->v,
                                  cell->weight_ih, cell->weight_hh, cell->bias_hh);
    lb_tensor *weights = lb_op_output(outputs, 2);
    if (lb_is_sound(weights))
        weights = lb_reshape(weights, LB_SHAPE(target_in.batch, 1, target_in.length, lb_dim(weights, 2)));
    /* Decoder rows are full: padding comes after what anyone reads. */
    lb_tensor *last = lb_reshape(at_time(outputs, target_in.length - 1), LB_SHAPE(target_in.batch, -1));
    return (attending){outputs, lb_op_output(outputs, 1), weights, last};
}

/* Layer 0 of the decoder: attends and reads. */
static attending attending_layer(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded, lb_tensor *state,
                                 lb_tokens target_in)
{
    const lb_gru_cell *cell = &model->decoder.cell[0];
    lb_tensor *gates =
        token_gates(model, &model->target_embedding, target_in, cell->weight_ih, cell->bias_ih);
    switch (model->config.attention) {
    case LB_ATTENTION_NONE: {
        lb_tensor *outputs = lb_gru_sequence(gates, state, cell->weight_hh, cell->bias_hh, NULL, false);
        return (attending){.outputs = outputs, .final = lb_op_output(outputs, 1)};
    }
    case LB_ATTENTION_ADDITIVE:
        return attend_additively(model, encoded, state, gates, target_in);
    default:
        return attend_stepwise(model, encoded, state, gates, target_in);
    }
}

lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in)
{
    lb_tape *tape = target_in.tape;
    const char *outer = lb_tape_enter(tape, model->name);
    lb_seq2seq_decoded decoded = {
        .final = lb_tape_alloc(tape, (size_t)model->config.layers * sizeof(lb_tensor *))};
    if (!decoded.final || !initial) {
        /* Only what has failed before leads here; the first error stays. */
        decoded.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory while decoding");
        lb_tape_leave(tape, outer);
        return decoded;
    }
    attending first = attending_layer(model, encoded, initial[0], target_in);
    lb_tensor *top = first.outputs;
    decoded.weights = first.weights;
    decoded.final[0] = first.final;
    for (int layer = 1; layer < model->config.layers; layer++) {
        const lb_gru_cell *cell = &model->decoder.cell[layer];
        lb_tensor *gates = lb_affine(lb_dropout(top, model->config.dropout), cell->weight_ih, cell->bias_ih);
        top = lb_gru_sequence(gates, initial[layer], cell->weight_hh, cell->bias_hh, NULL, false);
        decoded.final[layer] = lb_op_output(top, 1);
    }
    top = lb_dropout(top, model->config.dropout);
    decoded.logits =
        first.contexts
            ? lb_linear_forward_pair(&model->output, top, lb_dropout(first.contexts, model->config.dropout))
            : lb_linear_forward(&model->output, top);
    lb_tape_leave(tape, outer);
    return decoded;
}

lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in)
{
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    return lb_seq2seq_decode(model, &encoded, encoded.initial, target_in).logits;
}
