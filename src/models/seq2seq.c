#include "models/seq2seq.h"

#include "autograd/op.h"
#include "autograd/ops.h"

#include <stdio.h>

static lb_seq2seq_config with_defaults(lb_seq2seq_config config)
{
    if (config.embed == 0) config.embed = 64;
    if (config.hidden == 0) config.hidden = 128;
    if (config.layers == 0) config.layers = 1;
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

static int64_t context_depth(const lb_seq2seq_config *config)
{
    return config->attention == LB_ATTENTION_NONE ? 0 : config->hidden * (config->bidirectional ? 2 : 1);
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
    int64_t depth = context_depth(&config);
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
    if (depth) {
        lb_additive_attention_config attention = {.query = config.hidden, .key = depth};
        lb_additive_attention_init(&model->attention, params, lb_params_scope(params, name, "attention"),
                                   attention);
    }
    lb_gru_config decoder = {.input = config.embed + depth, .hidden = config.hidden, .layers = config.layers};
    lb_gru_init(&model->decoder, params, lb_params_scope(params, name, "decoder"), decoder);
    lb_linear_config output = {.inputs = config.hidden + depth, .outputs = config.target_vocab};
    lb_linear_init(&model->output, params, lb_params_scope(params, name, "output"), output);
    return lb_params_status(params);
}

/* The input's part of a GRU's gates for embedded tokens; `weight` may be a part of weight_ih. */
static lb_tensor *token_gates(const lb_seq2seq *model, const lb_embedding *embedding, lb_tokens tokens,
                              lb_tensor *weight, lb_tensor *bias)
{
    if (model->config.dropout == 0) return lb_embedding_affine(embedding, tokens, weight, bias);
    return lb_affine(lb_dropout(lb_embedding_forward(embedding, tokens), model->config.dropout), weight,
                     bias);
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
    lb_seq2seq_encoded encoded = {.values = read.outputs, .mask = lb_tokens_mask(source)};
    encoded.initial = lb_tape_alloc(source.tape, (size_t)model->config.layers * sizeof *encoded.initial);
    for (int layer = 0; encoded.initial && read.final && layer < model->config.layers; layer++) {
        int directions = model->encoder.directions;
        lb_tensor **end = read.final + layer * directions;
        lb_tensor *state = directions == 2 ? lb_concat(end, 2, -1) : end[0];
        encoded.initial[layer] = lb_tanh(lb_linear_forward(&model->bridge[layer], state));
    }
    if (model->config.attention != LB_ATTENTION_NONE)
        encoded.keys = lb_additive_attention_project_keys(&model->attention, read.outputs);
    lb_tape_leave(source.tape, outer);
    return encoded;
}

/* Layer 0 of the decoder: attends and reads. Returns its outputs; fills in contexts, weights and the final state. */
static lb_tensor *attending_layer(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                  lb_tensor *initial, lb_tokens target_in, lb_tensor **contexts,
                                  lb_seq2seq_decoded *decoded)
{
    const lb_gru_cell *cell = &model->decoder.cell[0];
    int64_t embed = model->config.embed, depth = context_depth(&model->config);
    lb_tensor *weight = lb_on_tape(target_in.tape, cell->weight_ih), *outputs;
    lb_tensor *gates = token_gates(model, &model->target_embedding, target_in,
                                   depth ? lb_slice(weight, 1, 0, embed) : weight, cell->bias_ih);
    if (!depth) {
        *contexts = NULL;
        outputs = lb_gru_sequence(gates, initial, cell->weight_hh, cell->bias_hh, NULL, false);
        decoded->final[0] = lb_op_output(outputs, 1);
        return outputs;
    }
    outputs = lb_attention_gru_sequence(gates, initial, encoded->keys, encoded->values, encoded->mask,
                                        model->attention.query, model->attention.v,
                                        lb_slice(weight, 1, embed, depth), cell->weight_hh, cell->bias_hh);
    *contexts = lb_op_output(outputs, 1);
    decoded->weights = lb_op_output(outputs, 2);
    /* Decoder rows are full: padding comes after what anyone reads. */
    decoded->final[0] =
        lb_reshape(lb_slice(outputs, 1, target_in.length - 1, 1), LB_SHAPE(target_in.batch, -1));
    return outputs;
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
    lb_tensor *contexts;
    lb_tensor *top = attending_layer(model, encoded, initial[0], target_in, &contexts, &decoded);
    for (int layer = 1; layer < model->config.layers; layer++) {
        const lb_gru_cell *cell = &model->decoder.cell[layer];
        lb_tensor *gates = lb_affine(lb_dropout(top, model->config.dropout), cell->weight_ih, cell->bias_ih);
        top = lb_gru_sequence(gates, initial[layer], cell->weight_hh, cell->bias_hh, NULL, false);
        decoded.final[layer] = lb_op_output(top, 1);
    }
    lb_tensor *joined = contexts ? lb_concat((lb_tensor *[]){top, contexts}, 2, -1) : top;
    decoded.logits = lb_linear_forward(&model->output, lb_dropout(joined, model->config.dropout));
    lb_tape_leave(tape, outer);
    return decoded;
}

lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in)
{
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    return lb_seq2seq_decode(model, &encoded, encoded.initial, target_in).logits;
}
