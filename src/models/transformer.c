/* The transformer, an encoder and a decoder of blocks, as lb_transformer_init makes it. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/attention/copying.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>
#include <string.h>

enum { TYPES = 2 };

static lb_transformer_config with_defaults(lb_transformer_config config)
{
    if (config.width == 0) config.width = 128;
    if (config.heads == 0) config.heads = 4;
    if (config.feed_forward == 0) config.feed_forward = 4 * config.width;
    if (config.layers == 0) config.layers = 2;
    if (config.max_length == 0) config.max_length = 512;
    if (config.kv_heads == config.heads) config.kv_heads = 0; /* as in files from before there was a choice */
    return config;
}

static void check_sizes(lb_transformer_config *c, lb_params *params, const char *name)
{
    lb_params_need(params, name, "source_vocab", c->source_vocab);
    lb_params_need(params, name, "target_vocab", c->target_vocab);
    lb_params_need(params, name, "width", c->width);
    lb_params_need(params, name, "feed_forward", c->feed_forward);
    lb_params_need(params, name, "layers", c->layers);
    lb_params_need(params, name, "max_length", c->max_length);
    if (c->layers < 0) c->layers = 1; /* which is poison */
}

static void check_choices(lb_transformer_config *c, lb_params *params, const char *name)
{
    c->positions = (lb_positional_kind)lb_params_choose(params, name, "positions", (int)c->positions,
                                                        lb_positional_names);
    c->attention_weights =
        lb_params_choose_normalizer(params, name, "attention_weights", c->attention_weights);
    c->output = lb_params_choose_normalizer(params, name, "output", c->output);
}

static void check_attention(const lb_transformer_config *c, lb_params *params, const char *name)
{
    if (!(c->softcap >= 0) || !(c->embedding_scale >= 0) || c->window < 0)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: found %g, %g and %lld as softcap, embedding_scale and window, expected 0 or more",
                       name, c->softcap, c->embedding_scale, (long long)c->window);
    if (c->positions == LB_POSITIONAL_ROTARY && c->heads > 0 && c->width / c->heads % 2)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: rotary positions need heads of an even width, found %lld", name,
                       (long long)(c->width / c->heads));
    bool within = c->positions == LB_POSITIONAL_RELATIVE || c->positions == LB_POSITIONAL_ALIBI ||
                  c->positions == LB_POSITIONAL_ROTARY || c->positions == LB_POSITIONAL_FIRE;
    if (c->no_self_attention && (within || c->window > 0))
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: %s needs self-attention, which the model lacks", name,
                       within ? lb_positional_names[c->positions] : "a window");
}

/* Features have a type and no position; the types start small, as learned positions do. */
static void init_features(lb_transformer *model, lb_params *params, const char *name)
{
    static const double DEVIATION = 0.02;
    const lb_transformer_config *c = &model->config;
    if (!c->feature_positions) return;
    if (c->positions != LB_POSITIONAL_SINUSOIDAL && c->positions != LB_POSITIONAL_LEARNED)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: positions of features need sinusoidal or learned positions", name);
    lb_embedding_init(&model->source_types, params, lb_params_scope(params, name, "source_types"), TYPES,
                      c->width, DEVIATION);
    model->source_features = lb_params_add(params, name, "source_features", LB_SHAPE(c->source_vocab),
                                           (lb_init){LB_INIT_CONSTANT, 0});
}

static void init_positions(lb_transformer *model, lb_params *params, const char *name)
{
    const lb_transformer_config *c = &model->config;
    lb_positional_config positions = {
        .kind = c->positions, .width = c->width, .max_length = c->max_length, .heads = c->heads};
    lb_positional_init(&model->source_positions, params, lb_params_scope(params, name, "source_positions"),
                       positions);
    positions.causal = true;
    lb_positional_init(&model->target_positions, params, lb_params_scope(params, name, "target_positions"),
                       positions);
}

static void init_stacks(lb_transformer *model, lb_params *params, const char *name)
{
    const lb_transformer_config *c = &model->config;
    lb_transformer_layer_config layer = {
        .width = c->width,
        .heads = c->heads,
        .feed_forward = c->feed_forward,
        .dropout = c->dropout,
        .pre_norm = !c->post_norm,
        .normalizer = c->attention_weights,
        .kv_heads = c->kv_heads,
        .softcap = (lb_real)c->softcap,
        .window = {.on = c->window > 0, .left = c->window, .right = c->window},
        .rotary = c->positions == LB_POSITIONAL_ROTARY,
        .no_self_attention = c->no_self_attention,
        .no_feed_forward = c->no_feed_forward};
    lb_transformer_stack_init(&model->encoder, params, lb_params_scope(params, name, "transformer.encoder"),
                              false, c->layers, layer);
    lb_transformer_stack_init(&model->decoder, params, lb_params_scope(params, name, "transformer.decoder"),
                              true, c->layers, layer);
}

/* The gate reads the state, which has the context in it, and the input of the decoder. */
static void init_copying(lb_transformer *model, lb_params *params, const char *name)
{
    const lb_transformer_config *c = &model->config;
    if (!c->copy) return;
    lb_copying_init(&model->copying, params, lb_params_scope(params, name, "copy"), &model->base,
                    2 * c->width);
    if (c->output != LB_SOFTMAX)
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found the loss %s, expected %s for copying",
                       model->name, lb_loss_names[c->output], lb_loss_names[LB_SOFTMAX]);
}

lb_status lb_transformer_init(lb_transformer *model, lb_params *params, const char *name,
                              lb_transformer_config config)
{
    config = with_defaults(config);
    check_choices(&config, params, name);
    check_sizes(&config, params, name);
    check_attention(&config, params, name);
    *model = (lb_transformer){
        .base = {.kind = &lb_transformer_kind,
                 .source_vocab = config.source_vocab,
                 .target_vocab = config.target_vocab,
                 .layers = config.layers,
                 .heads = config.heads,
                 .output = config.output,
                 .step_reals = config.layers * (16 * config.width + 2 * config.feed_forward),
                 .state_reals = 4 * (int64_t)config.layers * config.width,
                 .positions = config.positions == LB_POSITIONAL_LEARNED ? config.max_length : 0},
        .name = lb_params_scope(params, "", name),
        .config = config,
    };
    /* Embeddings are scaled by the root of the width. */
    double deviation = 1 / sqrt((double)config.width);
    lb_embedding_init(&model->source_embedding, params, lb_params_scope(params, name, "source_embedding"),
                      config.source_vocab, config.width, deviation);
    lb_embedding_init(&model->target_embedding, params, lb_params_scope(params, name, "target_embedding"),
                      config.target_vocab, config.width, deviation);
    init_positions(model, params, name);
    init_features(model, params, name);
    init_stacks(model, params, name);
    lb_linear_config output = {.inputs = config.width, .outputs = config.target_vocab};
    if (config.tied) output.tied = model->target_embedding.weight;
    lb_linear_init(&model->output, params, lb_params_scope(params, name, "output"), output);
    init_copying(model, params, name);
    return lb_params_status(params);
}

/* What the first layer reads. */
static lb_tensor *scaled(const lb_transformer *model, lb_tensor *x)
{
    double scale = model->config.embedding_scale;
    return lb_dropout(scale > 0 ? lb_scale(x, (lb_real)scale) : x, model->config.dropout);
}

/* Embedded tokens, starting at position `first`. */
static lb_tensor *embed(const lb_transformer *model, const lb_embedding *embedding,
                        const lb_positional *positions, lb_tokens tokens, int64_t first)
{
    lb_tensor *x =
        lb_scale(lb_embedding_forward(embedding, tokens), (lb_real)sqrt((double)model->config.width));
    x = lb_announce_at(x, NULL, LB_NO_LAYER, "embedding");
    return scaled(model, lb_positional_forward(positions, x, first));
}

static bool is_feature(const lb_transformer *model, int32_t id)
{
    return id >= 0 && id < model->config.source_vocab && (double)model->source_features->data[id] > 0.5;
}

/* Letters are counted from 1. */
static lb_tensor *embed_with_features(const lb_transformer *model, lb_tokens source)
{
    int32_t *position, *type, *lengths;
    lb_tokens positions = lb_tokens_new(source.tape, source.batch, source.length, &position, &lengths);
    lb_tokens types = lb_tokens_new(source.tape, source.batch, source.length, &type, &lengths);
    for (int64_t row = 0; row < positions.batch && types.batch; row++) {
        int32_t letters = 0;
        for (int64_t i = row * source.length; i < row * source.length + source.lengths[row]; i++) {
            type[i] = is_feature(model, source.id[i]);
            position[i] = type[i] ? 0 : ++letters;
        }
    }
    lb_tensor *x = lb_embedding_forward(&model->source_embedding, source);
    x = lb_scale(x, (lb_real)sqrt((double)model->config.width));
    x = lb_announce_at(x, NULL, LB_NO_LAYER, "embedding");
    x = lb_add(lb_positional_forward_at(&model->source_positions, x, positions),
               lb_embedding_forward(&model->source_types, types));
    return scaled(model, x);
}

lb_transformer_memory lb_transformer_encode(const lb_transformer *model, lb_tokens source, lb_tensor **self)
{
    lb_tape *tape = source.tape;
    const char *outer = lb_tape_enter(tape, model->name);
    lb_model_place around = lb_tape_enter_model(tape, &model->base, "encoder");
    int64_t layers = model->config.layers;
    lb_transformer_memory memory = {.source = lb_tape_alloc_zero(tape, layers, sizeof *memory.source),
                                    .batch = source.batch,
                                    .mask = lb_key_mask(lb_tokens_mask(source)),
                                    .symbols = lb_copying_read(&model->copying, source)};
    lb_transformer_context context = {
        .self_mask = memory.mask,
        .self_bias = lb_positional_bias(&model->source_positions, tape, 0, source.length),
        .self_weights = self};
    lb_tensor *x = model->config.feature_positions
                       ? embed_with_features(model, source)
                       : embed(model, &model->source_embedding, &model->source_positions, source, 0);
    x = lb_transformer_stack_forward(&model->encoder, x, &context);
    if (memory.source) lb_transformer_stack_project(&model->decoder, x, memory.source);
    lb_tape_leave_place(tape, around);
    lb_tape_leave(tape, outer);
    return memory;
}

/* The memory as caches, with room for one token at a time. False after an error, recorded on the tape. */
static bool begin_step(const lb_transformer *model, lb_transformer_memory *memory, lb_tokens target_in)
{
    lb_tape *tape = target_in.tape;
    const int64_t layers = model->config.layers;
    if (!memory->source_cache) memory->source_cache = lb_kv_cache_of(tape, memory->source, layers);
    if (!memory->source_cache || lb_tape_status(tape)) return false;
    if (target_in.batch != memory->batch) {
        lb_tape_fail(tape, LB_ERROR_SHAPE, "found %lld rows of targets, expected %lld",
                     (long long)target_in.batch, (long long)memory->batch);
        return false;
    }
    if (model->config.no_self_attention) return true;
    lb_kv_cache none = {.batch = memory->batch, .layers = layers, .width = memory->source_cache->width},
                *before = memory->cache ? memory->cache : &none;
    if (memory->past) {
        before = lb_kv_cache_extend(tape, &none, memory->length);
        for (int i = 0; before && i < layers; i++) lb_kv_cache_write(before, i, memory->past[i].keys);
        memory->past = NULL;
    }
    memory->cache = before ? lb_kv_cache_extend(tape, before, target_in.length) : NULL;
    return memory->cache != NULL;
}

/* The memory as tensors: of many tokens at once, or of those that are recorded. `past` is the decoder's own: layers
 * append to it. False without memory. */
static bool begin_whole(lb_tape *tape, int64_t layers, lb_transformer_memory *memory)
{
    lb_key_values *past = memory->cache ? lb_kv_cache_read(tape, memory->cache)
                                        : lb_tape_alloc_zero(tape, layers, sizeof *past);
    if (past && memory->past) memcpy(past, memory->past, (size_t)layers * sizeof *past);
    if (!memory->source) memory->source = lb_kv_cache_read(tape, memory->source_cache);
    memory->past = past;
    memory->cache = memory->source_cache = NULL;
    return memory->past && memory->source;
}

/* One token at a time goes on from a cache, and so do more tokens after others. All at once, and whatever is recorded
 * or watched, goes through the ops of training. */
static lb_transformer_decoded decode_tokens(const lb_transformer *model, const lb_transformer_memory *memory,
                                            lb_tokens target_in, lb_tensor **self, bool weighs)
{
    lb_tape *tape = target_in.tape;
    int64_t layers = model->config.layers;
    lb_transformer_decoded decoded = {.memory = *memory};
    lb_transformer_memory *after = &decoded.memory;
    bool steps = lb_tape_mode(tape) == LB_MODE_EVALUATE && !lb_is_watched(tape) &&
                 (target_in.length == 1 || memory->length > 0);
    lb_tensor **weights = lb_tape_alloc_zero(tape, layers, sizeof(lb_tensor *));
    const char *outer = lb_tape_enter(tape, model->name);
    lb_transformer_context context = {.self_weights = self,
                                      .cross_weights = weighs || model->copying.symbols ? weights : NULL};
    context.self_bias = lb_positional_bias(&model->target_positions, tape, memory->length, target_in.length);
    bool begun = steps ? begin_step(model, after, target_in) : begin_whole(tape, layers, after);
    if (!begun || !weights) {
        lb_tape_leave(tape, outer);
        decoded.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory while decoding");
        return decoded;
    }
    const lb_decoder_step step = {.cache = after->cache, .source = after->source_cache, .mask = after->mask};
    if (steps) {
        context.step = &step;
    } else {
        if (target_in.length > 1) /* each sees the tokens before it and itself */
            context.self_mask = lb_slice(lb_causal_mask(tape, after->length + target_in.length), 0,
                                         after->length, target_in.length);
        context.past = after->past;
        context.memory_projected = after->source;
        context.memory_mask = after->mask;
    }
    after->length += target_in.length;
    lb_model_place around = lb_tape_enter_model(tape, &model->base, "decoder");
    lb_tensor *input =
        embed(model, &model->target_embedding, &model->target_positions, target_in, memory->length);
    lb_tensor *x = lb_transformer_stack_forward(&model->decoder, input, &context);
    decoded.logits = lb_linear_forward(&model->output, x);
    if (weighs) decoded.weights = lb_concat(weights, (int)layers, 1);
    if (model->copying.symbols) {
        lb_tensor *const gate[LB_COPYING_OPERANDS] = {NULL, x, input};
        decoded.logits =
            lb_copying_mix(&model->copying, decoded.logits, weights[layers - 1], gate, memory->symbols);
    }
    decoded.logits = lb_announce_at(decoded.logits, "", LB_NO_LAYER, "logits");
    lb_tape_leave_place(tape, around);
    lb_tape_leave(tape, outer);
    return decoded;
}

lb_transformer_decoded lb_transformer_decode(const lb_transformer *model, const lb_transformer_memory *memory,
                                             lb_tokens target_in, lb_tensor **self)
{
    return decode_tokens(model, memory, target_in, self, true);
}

/* Nobody asks for weights, so that attention computes them block by block. */
lb_tensor *lb_transformer_forward(const lb_transformer *model, lb_tokens source, lb_tokens target_in)
{
    lb_transformer_memory memory = lb_transformer_encode(model, source, NULL);
    return decode_tokens(model, &memory, target_in, NULL, false).logits;
}
