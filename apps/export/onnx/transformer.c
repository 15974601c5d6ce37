#include "export/onnx/transformer.h"

#include "export/onnx/heads.h"
#include "export/onnx/protobuf.h"

#include <math.h>

const char *app_onnx_transformer_hindrance(const lb_transformer *model)
{
    const lb_transformer_config *c = &model->config;
    if (c->attention_weights != LB_SOFTMAX) return "attention weights other than softmax";
    if (c->window > 0) return "a window of self-attention";
    switch (c->positions) {
    case LB_POSITIONAL_SINUSOIDAL:
    case LB_POSITIONAL_LEARNED:
    case LB_POSITIONAL_NONE:
        return NULL;
    case LB_POSITIONAL_RELATIVE:
        return "relative positions";
    case LB_POSITIONAL_ALIBI:
        return "ALiBi positions";
    case LB_POSITIONAL_ROTARY:
        break;
    }
    return "rotary positions";
}

/* One number for each column: the frequency, and the phase, by which a cosine is a sine. */
static app_onnx_value add_columns(app_onnx_graph *g, int64_t width, bool phases)
{
    lb_buffer raw = {0};
    for (int64_t i = 0; i < width; i++) {
        lb_real phase = (lb_real)(i % 2 ? acos(0) : 0);
        lb_real frequency = (lb_real)pow(10000, -(double)(i - i % 2) / (double)width);
        app_protobuf_raw_floats(&raw, phases ? &phase : &frequency, 1);
    }
    return app_onnx_tensor(g, app_onnx_name(g, phases ? "phases" : "frequencies"), APP_ONNX_FLOAT,
                           LB_SHAPE(width), &raw);
}

/* Rows for positions, [count] integers: sin(position frequency + phase), or what was learned. */
static app_onnx_value encode_positions(app_onnx_graph *g, const lb_positional *positions,
                                       app_onnx_value position)
{
    int64_t width = positions->config.width;
    if (positions->weight) {
        app_onnx_value learned = app_onnx_weight(g, positions->weight);
        return APP_ONNX(g, "Gather", learned, position);
    }
    app_onnx_value frequencies = add_columns(g, width, false), phases = add_columns(g, width, true);
    app_onnx_whole(g, "to", APP_ONNX_FLOAT);
    app_onnx_value number = APP_ONNX(g, "Cast", position);
    app_onnx_value column = app_onnx_unsqueeze(g, number, 1);
    app_onnx_value product = APP_ONNX(g, "Mul", column, frequencies);
    app_onnx_value angle = APP_ONNX(g, "Add", product, phases);
    return APP_ONNX(g, "Sin", angle);
}

/* Embedded ids, [batch, count, width], at these positions. */
static app_onnx_value embed(app_onnx_graph *g, const lb_embedding *embedding, const lb_positional *positions,
                            app_onnx_value ids, app_onnx_value position)
{
    app_onnx_value table = app_onnx_weight(g, embedding->weight);
    app_onnx_value rows = APP_ONNX(g, "Gather", table, ids);
    app_onnx_value scale = app_onnx_number(g, sqrt((double)lb_dim(embedding->weight, 1)));
    app_onnx_value x = APP_ONNX(g, "Mul", rows, scale);
    if (positions->config.kind == LB_POSITIONAL_NONE) return x;
    app_onnx_value encoded = encode_positions(g, positions, position);
    return APP_ONNX(g, "Add", x, encoded);
}

static app_onnx_value normalize(app_onnx_graph *g, const lb_layer_norm *norm, app_onnx_value x)
{
    app_onnx_value weight = app_onnx_weight(g, norm->weight), bias = app_onnx_weight(g, norm->bias);
    return APP_ONNX(g, "LayerNormalization", x, weight, bias); /* its epsilon is ours, 1e-5 */
}

/* What a part reads, and what becomes of x by what it has made. */
static app_onnx_value before_part(app_onnx_graph *g, const lb_transformer_layer *layer, int norm,
                                  app_onnx_value x)
{
    return layer->config.pre_norm ? normalize(g, &layer->norm[norm], x) : x;
}

static app_onnx_value after_part(app_onnx_graph *g, const lb_transformer_layer *layer, int norm,
                                 app_onnx_value x, app_onnx_value made)
{
    x = APP_ONNX(g, "Add", x, made);
    return layer->config.pre_norm ? x : normalize(g, &layer->norm[norm], x);
}

static app_onnx_value feed_forward(app_onnx_graph *g, const lb_transformer_layer *layer, int norm,
                                   app_onnx_value x)
{
    app_onnx_value in = before_part(g, layer, norm, x);
    app_onnx_value inner = app_onnx_linear(g, in, &layer->inner);
    app_onnx_value positive = APP_ONNX(g, "Relu", inner);
    app_onnx_value outer = app_onnx_linear(g, positive, &layer->outer);
    return after_part(g, layer, norm, x, outer);
}

/* A part of the shape of x, along an axis: the length of that axis, [1]. */
static app_onnx_value length_of(app_onnx_graph *g, app_onnx_value x, int64_t axis)
{
    app_onnx_whole(g, "start", axis);
    app_onnx_whole(g, "end", axis + 1);
    return APP_ONNX(g, "Shape", x);
}

/* 0, 1, 2 ... for the symbols of the source. */
static app_onnx_value count_up(app_onnx_graph *g, app_onnx_value source)
{
    app_onnx_value length = length_of(g, source, 1);
    app_onnx_value end = APP_ONNX(g, "Squeeze", length);
    app_onnx_value first = app_onnx_integer(g, 0), more = app_onnx_integer(g, 1);
    return APP_ONNX(g, "Range", first, end, more);
}

static app_onnx_value encode_layer(app_onnx_graph *g, const lb_transformer_layer *layer, app_onnx_value mask,
                                   app_onnx_value x)
{
    app_onnx_value in = before_part(g, layer, 0, x), weights;
    app_onnx_value queries = app_onnx_heads(g, &layer->self, APP_ONNX_QUERIES, in);
    app_onnx_value keys = app_onnx_heads(g, &layer->self, APP_ONNX_KEYS, in);
    app_onnx_value values = app_onnx_heads(g, &layer->self, APP_ONNX_VALUES, in);
    app_onnx_value made = app_onnx_ask(g, &layer->self, queries, keys, values, mask, &weights);
    x = after_part(g, layer, 0, x, made);
    return feed_forward(g, layer, 1, x);
}

/* Keys and values of no steps: what the decoder begins with. */
static void hand_over_nothing(app_onnx_graphs *graphs, const lb_transformer *model, app_onnx_value source)
{
    app_onnx_graph *g = &graphs->encoder;
    const lb_multi_head *self = &model->decoder.layer->self;
    app_onnx_value batch = length_of(g, source, 0);
    app_onnx_value rest = APP_ONNX_LIST(g, self->config.heads, 0, self->config.embed / self->config.heads);
    app_onnx_value shape = app_onnx_concat(g, batch, rest, 0);
    app_onnx_value nothing = APP_ONNX(g, "ConstantOfShape", shape),
                   axes = app_onnx_heads_axes(g, self, "past");
    for (int64_t i = 0; i < model->config.layers; i++) {
        app_onnx_hand_over(graphs, nothing, app_onnx_name(g, "past_keys_%lld", (long long)i), axes);
        app_onnx_hand_over(graphs, nothing, app_onnx_name(g, "past_values_%lld", (long long)i), axes);
    }
}

/* Runs the encoder, and hands over what the decoder reads. Returns the mask. */
static app_onnx_value encode(const lb_transformer *model, app_onnx_graphs *graphs)
{
    app_onnx_graph *g = &graphs->encoder;
    app_onnx_value source = app_onnx_source(g);
    app_onnx_value present = app_onnx_present(g, source);
    app_onnx_value mask = app_onnx_mask(g, present), position = count_up(g, source);
    app_onnx_value x = embed(g, &model->source_embedding, &model->source_positions, source, position);
    for (int64_t i = 0; i < model->config.layers; i++) x = encode_layer(g, &model->encoder.layer[i], mask, x);
    x = normalize(g, &model->encoder.norm, x);
    for (int64_t i = 0; i < model->config.layers; i++) {
        const lb_multi_head *cross = &model->decoder.layer[i].cross;
        app_onnx_hand_over_heads(graphs, cross, APP_ONNX_KEYS, x,
                                 app_onnx_name(g, "keys_%lld", (long long)i));
        app_onnx_hand_over_heads(graphs, cross, APP_ONNX_VALUES, x,
                                 app_onnx_name(g, "values_%lld", (long long)i));
    }
    hand_over_nothing(graphs, model, source);
    return app_onnx_hand_over(graphs, mask, "mask", "batch 1 length");
}

/* The keys or values of the steps so far, with those of this one, which the next step reads. */
static app_onnx_value remember(app_onnx_graph *g, const lb_multi_head *self, app_onnx_made made,
                               app_onnx_value in, app_onnx_value past)
{
    app_onnx_value now = app_onnx_heads(g, self, made, in);
    app_onnx_value all = app_onnx_concat(g, past, now, 2);
    app_onnx_hand_on(g, all, past, app_onnx_heads_axes(g, self, "steps"));
    return all;
}

/* A layer of the decoder; sets what it sees of the source, [batch, 1, heads, length]. */
static app_onnx_value decode_layer(app_onnx_graph *g, const lb_transformer_layer *layer, long long index,
                                   app_onnx_value mask, app_onnx_value x, app_onnx_value *seen)
{
    app_onnx_value in = before_part(g, layer, 0, x);
    app_onnx_value queries = app_onnx_heads(g, &layer->self, APP_ONNX_QUERIES, in);
    app_onnx_value keys =
        remember(g, &layer->self, APP_ONNX_KEYS, in, app_onnx_name(g, "past_keys_%lld", index));
    app_onnx_value values =
        remember(g, &layer->self, APP_ONNX_VALUES, in, app_onnx_name(g, "past_values_%lld", index));
    app_onnx_value made = app_onnx_ask(g, &layer->self, queries, keys, values, NULL, seen);
    x = after_part(g, layer, 0, x, made);
    in = before_part(g, layer, 1, x);
    queries = app_onnx_heads(g, &layer->cross, APP_ONNX_QUERIES, in);
    made = app_onnx_ask(g, &layer->cross, queries, app_onnx_name(g, "keys_%lld", index),
                        app_onnx_name(g, "values_%lld", index), mask, seen);
    *seen = APP_ONNX_TRANSPOSE(g, *seen, 0, 2, 1, 3);
    x = after_part(g, layer, 1, x, made);
    return feed_forward(g, layer, 2, x);
}

/* One step of the decoder. */
static void decode(const lb_transformer *model, app_onnx_graph *g, app_onnx_value mask)
{
    app_onnx_value symbol = app_onnx_symbol(g), weights = NULL, seen;
    app_onnx_value ids = app_onnx_unsqueeze(g, symbol, 1);
    app_onnx_value step = length_of(g, app_onnx_name(g, "past_keys_0"), 2);
    app_onnx_value x = embed(g, &model->target_embedding, &model->target_positions, ids, step);
    for (int64_t i = 0; i < model->config.layers; i++) {
        x = decode_layer(g, &model->decoder.layer[i], i, mask, x, &seen);
        weights = weights ? app_onnx_concat(g, weights, seen, 1) : seen;
    }
    x = normalize(g, &model->decoder.norm, x);
    x = app_onnx_linear(g, x, &model->output);
    app_onnx_logits(g, x, 1, model->config.target_vocab);
    app_onnx_attention(g, weights, model->config.layers, model->config.heads);
}

void app_onnx_transformer_add(const lb_transformer *model, app_onnx_graphs *graphs)
{
    app_onnx_value mask = encode(model, graphs);
    decode(model, &graphs->decoder, mask);
}
