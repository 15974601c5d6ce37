#include "export/onnx/layers.h"

#include <assert.h>
#include <math.h>

/* What is added to the score of padding: e to the power of it is 0. */
static const double HIDDEN = -1e30;

onnx_value onnx_transpose(onnx_graph *graph, onnx_value x, const int64_t *order, int64_t count)
{
    onnx_set_list(graph, "perm", order, count);
    return ONNX(graph, "Transpose", x);
}

onnx_value onnx_reshape(onnx_graph *graph, onnx_value x, const int64_t *shape, int64_t count)
{
    return ONNX(graph, "Reshape", x, onnx_wholes(graph, shape, count));
}

onnx_value onnx_unsqueeze(onnx_graph *graph, onnx_value x, int64_t axis)
{
    return ONNX(graph, "Unsqueeze", x, ONNX_LIST(graph, axis));
}

onnx_value onnx_concat(onnx_graph *graph, onnx_value a, onnx_value b, int64_t axis)
{
    onnx_set(graph, "axis", axis);
    return ONNX(graph, "Concat", a, b);
}

onnx_value onnx_gather(onnx_graph *graph, const lb_tensor *parameter, onnx_value rows)
{
    return ONNX(graph, "Gather", onnx_weight(graph, parameter), rows);
}

onnx_value onnx_cast(onnx_graph *graph, onnx_value x, onnx_type type)
{
    onnx_set(graph, "to", type);
    return ONNX(graph, "Cast", x);
}

static onnx_value affine(onnx_graph *graph, onnx_value x, onnx_value weight, onnx_value bias)
{
    onnx_value product = ONNX(graph, "MatMul", x, ONNX_TRANSPOSE(graph, weight, 1, 0));
    return bias ? ONNX(graph, "Add", product, bias) : product;
}

onnx_value onnx_linear(onnx_graph *graph, onnx_value x, const lb_tensor *weight, const lb_tensor *bias)
{
    onnx_value w = onnx_weight(graph, weight), b = bias ? onnx_weight(graph, bias) : NULL;
    return affine(graph, x, w, b);
}

onnx_value onnx_softmax(onnx_graph *graph, onnx_value scores, onnx_value mask)
{
    if (mask) scores = ONNX(graph, "Add", scores, mask);
    onnx_set(graph, "axis", -1);
    return ONNX(graph, "Softmax", scores);
}

onnx_value onnx_source(onnx_graph *encoder)
{
    onnx_input(encoder, "source", ONNX_INT64, "batch length");
    return ONNX(encoder, "Greater", "source", ONNX_LIST(encoder, LB_PAD));
}

onnx_value onnx_mask(onnx_graphs *graphs, onnx_value present)
{
    onnx_graph *g = &graphs->encoder;
    onnx_value zero = onnx_number(g, 0), hidden = onnx_number(g, HIDDEN);
    onnx_value mask = onnx_unsqueeze(g, ONNX(g, "Where", present, zero, hidden), 1);
    onnx_hand_over(graphs, mask, "mask", "batch 1 length");
    return mask;
}

void onnx_hand_over(onnx_graphs *graphs, onnx_value value, const char *name, const char *axes)
{
    onnx_output(&graphs->encoder, value, name, axes);
    onnx_input(&graphs->decoder, name, ONNX_FLOAT, axes);
}

void onnx_hand_on(onnx_graph *decoder, onnx_value value, const char *name, const char *axes)
{
    onnx_output(decoder, value, onnx_name(decoder, "next_%s", name), axes);
}

void onnx_end_step(onnx_graph *decoder, const lb_model *model, onnx_value logits, int64_t axis,
                   onnx_value attention)
{
    logits = ONNX(decoder, "Squeeze", logits, ONNX_LIST(decoder, axis));
    onnx_output(decoder, logits, "logits", onnx_name(decoder, "batch %lld", (long long)model->target_vocab));
    if (!attention) return;
    onnx_output(
        decoder, attention, "attention",
        onnx_name(decoder, "batch %lld %lld length", (long long)model->layers, (long long)model->heads));
}

/* ---- Multi-head attention. ---- */

/* Rows of packed weights or biases: those of all queries, keys or values, head by head. */
static onnx_value unpack(onnx_graph *g, const lb_multi_head *attention, onnx_made made,
                         const lb_tensor *packed)
{
    static const char *const names[] = {"query", "key", "value"};
    const lb_multi_head_config *c = &attention->config;
    int64_t width = c->key_width, columns = lb_count(packed) / lb_dim(packed, 0), first = 0, share = 1;
    if (made != ONNX_QUERIES) {
        first = c->embed + (made - ONNX_KEYS) * c->kv_heads * width;
        share = c->heads / c->kv_heads;
    }
    lb_buffer raw = {0};
    lb_shape shape = packed->shape;
    assert(shape.dim[0] == c->embed + 2 * c->kv_heads * width && c->heads % c->kv_heads == 0);
    for (int64_t head = 0; head < c->heads; head++)
        protobuf_raw_floats(&raw, packed->data + (first + head / share * width) * columns, width * columns);
    shape.dim[0] = c->embed;
    return onnx_tensor(g, onnx_name(g, "%s.%s", onnx_name_of(g, packed), names[made]), ONNX_FLOAT, shape,
                       &raw);
}

static onnx_value project(onnx_graph *g, const lb_multi_head *attention, onnx_made made, onnx_value x)
{
    const lb_linear *const named[] = {&attention->query, &attention->key, &attention->value};
    if (!attention->packed_weight) return onnx_linear(g, x, named[made]->weight, named[made]->bias);
    onnx_value weight = unpack(g, attention, made, attention->packed_weight);
    return affine(g, x, weight, unpack(g, attention, made, attention->packed_bias));
}

onnx_value onnx_heads(onnx_graph *graph, const lb_multi_head *attention, onnx_made made, onnx_value x)
{
    x = project(graph, attention, made, x);
    x = ONNX_RESHAPE(graph, x, 0, 0, attention->config.heads, attention->config.key_width);
    return ONNX_TRANSPOSE(graph, x, 0, 2, 1, 3);
}

/* q' k / sqrt(width) of each head; with a softcap, c tanh(score / c). */
static onnx_value score(onnx_graph *g, const lb_multi_head *attention, onnx_value queries, onnx_value keys)
{
    onnx_value scores = ONNX(g, "MatMul", queries, ONNX_TRANSPOSE(g, keys, 0, 1, 3, 2));
    scores = ONNX(g, "Mul", scores, onnx_number(g, 1 / sqrt((double)attention->config.key_width)));
    if (!(attention->config.softcap > 0)) return scores;
    onnx_value cap = onnx_number(g, (double)attention->config.softcap);
    return ONNX(g, "Mul", ONNX(g, "Tanh", ONNX(g, "Div", scores, cap)), cap);
}

onnx_value onnx_ask(onnx_graph *graph, const lb_multi_head *attention, onnx_value x, onnx_value keys,
                    onnx_value values, onnx_value mask, onnx_value *weights)
{
    onnx_value scores = score(graph, attention, onnx_heads(graph, attention, ONNX_QUERIES, x), keys);
    *weights = onnx_softmax(graph, scores, mask ? onnx_unsqueeze(graph, mask, 1) : NULL);
    x = ONNX_TRANSPOSE(graph, ONNX(graph, "MatMul", *weights, values), 0, 2, 1, 3);
    x = ONNX_RESHAPE(graph, x, 0, 0, attention->config.embed);
    return onnx_linear(graph, x, attention->output.weight, attention->output.bias);
}

onnx_value onnx_heads_axes(onnx_graph *graph, const lb_multi_head *attention, const char *length)
{
    return onnx_name(graph, "batch %lld %s %lld", (long long)attention->config.heads, length,
                     (long long)attention->config.key_width);
}

void onnx_hand_over_heads(onnx_graphs *graphs, const lb_multi_head *attention, onnx_value x, const char *keys,
                          const char *values)
{
    onnx_graph *g = &graphs->encoder;
    onnx_value axes = onnx_heads_axes(g, attention, "length");
    onnx_hand_over(graphs, onnx_heads(g, attention, ONNX_KEYS, x), keys, axes);
    onnx_hand_over(graphs, onnx_heads(g, attention, ONNX_VALUES, x), values, axes);
}
