/* A transformer as ONNX graphs: its encoder, and a step of its decoder with keys and values of earlier steps. */
#include "export/onnx/layers.h"

#include <math.h>

/* Rows for positions, [count] integers: sin(position frequency + phase), where a cosine has the phase pi / 2. */
static onnx_value sinusoids(onnx_graph *g, int64_t width, onnx_value position)
{
    lb_buffer frequencies = {0}, phases = {0};
    for (int64_t i = 0; i < width; i++) {
        lb_real frequency = (lb_real)pow(10000, -(double)(i - i % 2) / (double)width);
        lb_real phase = (lb_real)(i % 2 ? acos(0) : 0);
        protobuf_raw_floats(&frequencies, &frequency, 1);
        protobuf_raw_floats(&phases, &phase, 1);
    }
    onnx_tensor(g, "frequencies", ONNX_FLOAT, LB_SHAPE(width), &frequencies);
    onnx_tensor(g, "phases", ONNX_FLOAT, LB_SHAPE(width), &phases);
    onnx_value column = onnx_unsqueeze(g, onnx_cast(g, position, ONNX_FLOAT), 1);
    return ONNX(g, "Sin", ONNX(g, "Add", ONNX(g, "Mul", column, "frequencies"), "phases"));
}

/* Embedded ids, [batch, count, width], at these positions. */
static onnx_value embed(onnx_graph *g, const lb_embedding *embedding, const lb_positional *positions,
                        onnx_value ids, onnx_value position)
{
    onnx_value x = onnx_gather(g, embedding->weight, ids);
    x = ONNX(g, "Mul", x, onnx_number(g, sqrt((double)positions->config.width)));
    if (positions->config.kind == LB_POSITIONAL_LEARNED)
        return ONNX(g, "Add", x, onnx_gather(g, positions->weight, position));
    if (positions->config.kind == LB_POSITIONAL_SINUSOIDAL || positions->config.kind == LB_POSITIONAL_RANDOM)
        return ONNX(g, "Add", x, sinusoids(g, positions->config.width, position));
    return x;
}

static onnx_value normalize(onnx_graph *g, const lb_layer_norm *norm, onnx_value x)
{
    onnx_value weight = onnx_weight(g, norm->weight), bias = onnx_weight(g, norm->bias);
    return ONNX(g, "LayerNormalization", x, weight, bias); /* its epsilon is ours, 1e-5 */
}

/* What a part of a layer reads, and what becomes of x by what it has made. */
static onnx_value before_part(onnx_graph *g, const lb_transformer_layer *layer, int norm, onnx_value x)
{
    return layer->config.pre_norm ? normalize(g, &layer->norm[norm], x) : x;
}

static onnx_value after_part(onnx_graph *g, const lb_transformer_layer *layer, int norm, onnx_value x,
                             onnx_value made)
{
    x = ONNX(g, "Add", x, made);
    return layer->config.pre_norm ? x : normalize(g, &layer->norm[norm], x);
}

static onnx_value feed_forward(onnx_graph *g, const lb_transformer_layer *layer, int norm, onnx_value x)
{
    onnx_value inner = before_part(g, layer, norm, x);
    inner = ONNX(g, "Relu", onnx_linear(g, inner, layer->inner.weight, layer->inner.bias));
    return after_part(g, layer, norm, x, onnx_linear(g, inner, layer->outer.weight, layer->outer.bias));
}

/* The length of an axis of x, [1]. */
static onnx_value length_of(onnx_graph *g, onnx_value x, int64_t axis)
{
    onnx_set(g, "start", axis);
    onnx_set(g, "end", axis + 1);
    return ONNX(g, "Shape", x);
}

static onnx_value encode_layer(onnx_graph *g, const lb_transformer_layer *layer, onnx_value mask,
                               onnx_value x)
{
    onnx_value in = before_part(g, layer, 0, x), weights;
    onnx_value keys = onnx_heads(g, &layer->self, ONNX_KEYS, in);
    onnx_value values = onnx_heads(g, &layer->self, ONNX_VALUES, in);
    x = after_part(g, layer, 0, x, onnx_ask(g, &layer->self, in, keys, values, mask, &weights));
    return feed_forward(g, layer, 1, x);
}

/* Names of what the decoder reads: "keys_0" of a layer. */
static onnx_value of_layer(onnx_graph *g, const char *what, int64_t layer)
{
    return onnx_name(g, "%s_%lld", what, (long long)layer);
}

/* Keys and values of no steps: what the decoder begins with. */
static void hand_over_nothing(onnx_graphs *graphs, const lb_multi_head *self, int64_t layer)
{
    onnx_graph *g = &graphs->encoder;
    onnx_value batch = length_of(g, "source", 0), axes = onnx_heads_axes(g, self, "past");
    onnx_value rest = ONNX_LIST(g, self->config.heads, 0, self->config.key_width);
    onnx_value nothing = ONNX(g, "ConstantOfShape", onnx_concat(g, batch, rest, 0));
    onnx_hand_over(graphs, nothing, of_layer(g, "past_keys", layer), axes);
    onnx_hand_over(graphs, nothing, of_layer(g, "past_values", layer), axes);
}

/* Runs the encoder, and hands over what the decoder reads. */
static void encode(const lb_transformer *model, onnx_graphs *graphs)
{
    static const int64_t zero = 0, one = 1;
    onnx_graph *g = &graphs->encoder;
    onnx_value mask = onnx_mask(graphs, onnx_source(g));
    onnx_value end = ONNX(g, "Squeeze", length_of(g, "source", 1));
    onnx_value first = onnx_wholes(g, &zero, 0), more = onnx_wholes(g, &one, 0);
    onnx_value position = ONNX(g, "Range", first, end, more);
    onnx_value x = embed(g, &model->source_embedding, &model->source_positions, "source", position);
    for (int64_t i = 0; i < model->config.layers; i++) x = encode_layer(g, &model->encoder.layer[i], mask, x);
    x = normalize(g, &model->encoder.norm, x);
    for (int64_t i = 0; i < model->config.layers; i++) {
        const lb_transformer_layer *layer = &model->decoder.layer[i];
        onnx_value keys = of_layer(g, "keys", i), values = of_layer(g, "values", i);
        onnx_hand_over_heads(graphs, &layer->cross, x, keys, values);
        hand_over_nothing(graphs, &layer->self, i);
    }
}

/* The keys or values of the steps so far and of this one, which the next step reads. */
static onnx_value remember(onnx_graph *g, const lb_multi_head *self, onnx_made made, onnx_value in,
                           onnx_value past)
{
    onnx_value all = onnx_concat(g, past, onnx_heads(g, self, made, in), 2);
    onnx_hand_on(g, all, past, onnx_heads_axes(g, self, "steps"));
    return all;
}

/* A layer of the decoder; sets what it sees of the source, [batch, 1, heads, length]. */
static onnx_value decode_layer(onnx_graph *g, const lb_transformer_layer *layer, int64_t index, onnx_value x,
                               onnx_value *seen)
{
    onnx_value in = before_part(g, layer, 0, x);
    onnx_value keys = remember(g, &layer->self, ONNX_KEYS, in, of_layer(g, "past_keys", index));
    onnx_value values = remember(g, &layer->self, ONNX_VALUES, in, of_layer(g, "past_values", index));
    x = after_part(g, layer, 0, x, onnx_ask(g, &layer->self, in, keys, values, NULL, seen));
    in = before_part(g, layer, 1, x);
    keys = of_layer(g, "keys", index);
    values = of_layer(g, "values", index);
    x = after_part(g, layer, 1, x, onnx_ask(g, &layer->cross, in, keys, values, "mask", seen));
    *seen = ONNX_TRANSPOSE(g, *seen, 0, 2, 1, 3);
    return feed_forward(g, layer, 2, x);
}

/* One step of the decoder. */
static void decode(const lb_transformer *model, onnx_graph *g)
{
    onnx_input(g, "symbol", ONNX_INT64, "batch");
    onnx_value weights = NULL, seen, ids = onnx_unsqueeze(g, "symbol", 1),
               step = length_of(g, "past_keys_0", 2);
    onnx_value x = embed(g, &model->target_embedding, &model->target_positions, ids, step);
    for (int64_t i = 0; i < model->config.layers; i++) {
        x = decode_layer(g, &model->decoder.layer[i], i, x, &seen);
        weights = weights ? onnx_concat(g, weights, seen, 1) : seen;
    }
    x = normalize(g, &model->decoder.norm, x);
    x = onnx_linear(g, x, model->output.weight, model->output.bias);
    onnx_end_step(g, &model->base, x, 1, weights);
}

void onnx_transformer_add(const lb_model *model, onnx_graphs *graphs)
{
    encode((const lb_transformer *)model, graphs);
    decode((const lb_transformer *)model, &graphs->decoder);
}
