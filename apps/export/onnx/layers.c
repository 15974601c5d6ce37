#include "export/onnx/layers.h"

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

onnx_value onnx_affine(onnx_graph *graph, onnx_value x, onnx_value weight, onnx_value bias)
{
    onnx_value product = ONNX(graph, "MatMul", x, ONNX_TRANSPOSE(graph, weight, 1, 0));
    return bias ? ONNX(graph, "Add", product, bias) : product;
}

onnx_value onnx_linear(onnx_graph *graph, onnx_value x, const lb_tensor *weight, const lb_tensor *bias)
{
    onnx_value w = onnx_weight(graph, weight), b = bias ? onnx_weight(graph, bias) : NULL;
    return onnx_affine(graph, x, w, b);
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
