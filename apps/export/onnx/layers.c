#include "export/onnx/layers.h"

/* What is added to the score of padding: e to the power of it is 0. */
static const double HIDDEN = -1e30;

app_onnx_value app_onnx_transpose(app_onnx_graph *graph, app_onnx_value x, const int64_t *order,
                                  int64_t count)
{
    app_onnx_wholes(graph, "perm", order, count);
    return APP_ONNX(graph, "Transpose", x);
}

app_onnx_value app_onnx_unsqueeze(app_onnx_graph *graph, app_onnx_value x, int64_t axis)
{
    app_onnx_value axes = APP_ONNX_LIST(graph, axis);
    return APP_ONNX(graph, "Unsqueeze", x, axes);
}

app_onnx_value app_onnx_concat(app_onnx_graph *graph, app_onnx_value a, app_onnx_value b, int64_t axis)
{
    app_onnx_whole(graph, "axis", axis);
    return APP_ONNX(graph, "Concat", a, b);
}

app_onnx_value app_onnx_affine(app_onnx_graph *graph, app_onnx_value x, app_onnx_value weight,
                               app_onnx_value bias)
{
    app_onnx_value turned = APP_ONNX_TRANSPOSE(graph, weight, 1, 0);
    app_onnx_value product = APP_ONNX(graph, "MatMul", x, turned);
    return bias ? APP_ONNX(graph, "Add", product, bias) : product;
}

app_onnx_value app_onnx_linear(app_onnx_graph *graph, app_onnx_value x, const lb_linear *linear)
{
    app_onnx_value weight = app_onnx_weight(graph, linear->weight);
    app_onnx_value bias = linear->bias ? app_onnx_weight(graph, linear->bias) : NULL;
    return app_onnx_affine(graph, x, weight, bias);
}

app_onnx_value app_onnx_softmax(app_onnx_graph *graph, app_onnx_value scores, app_onnx_value mask)
{
    if (mask) scores = APP_ONNX(graph, "Add", scores, mask);
    app_onnx_whole(graph, "axis", -1);
    return APP_ONNX(graph, "Softmax", scores);
}

app_onnx_value app_onnx_source(app_onnx_graph *encoder)
{
    return app_onnx_input(encoder, "source", APP_ONNX_INT64, "batch length");
}

app_onnx_value app_onnx_present(app_onnx_graph *encoder, app_onnx_value source)
{
    app_onnx_value padding = app_onnx_integer(encoder, LB_PAD);
    return APP_ONNX(encoder, "Greater", source, padding);
}

app_onnx_value app_onnx_mask(app_onnx_graph *encoder, app_onnx_value present)
{
    app_onnx_value zero = app_onnx_number(encoder, 0), hidden = app_onnx_number(encoder, HIDDEN);
    app_onnx_value mask = APP_ONNX(encoder, "Where", present, zero, hidden);
    return app_onnx_unsqueeze(encoder, mask, 1);
}

app_onnx_value app_onnx_hand_over(app_onnx_graphs *graphs, app_onnx_value value, const char *name,
                                  const char *axes)
{
    app_onnx_output(&graphs->encoder, value, name, axes);
    return app_onnx_input(&graphs->decoder, name, APP_ONNX_FLOAT, axes);
}

void app_onnx_hand_on(app_onnx_graph *decoder, app_onnx_value value, const char *name, const char *axes)
{
    app_onnx_output(decoder, value, app_onnx_name(decoder, "next_%s", name), axes);
}

app_onnx_value app_onnx_symbol(app_onnx_graph *decoder)
{
    return app_onnx_input(decoder, "symbol", APP_ONNX_INT64, "batch");
}

void app_onnx_logits(app_onnx_graph *decoder, app_onnx_value logits, int64_t axis, int64_t symbols)
{
    app_onnx_value axes = APP_ONNX_LIST(decoder, axis);
    logits = APP_ONNX(decoder, "Squeeze", logits, axes);
    app_onnx_output(decoder, logits, "logits", app_onnx_name(decoder, "batch %lld", (long long)symbols));
}

void app_onnx_attention(app_onnx_graph *decoder, app_onnx_value weights, int64_t layers, int64_t heads)
{
    app_onnx_output(decoder, weights, "attention",
                    app_onnx_name(decoder, "batch %lld %lld length", (long long)layers, (long long)heads));
}
