#include "export/onnx/heads.h"

#include "export/onnx/protobuf.h"

#include <math.h>

static int64_t head_width(const lb_multi_head *attention)
{
    return attention->config.embed / attention->config.heads;
}

/* Rows of packed weights or biases: those of all queries, keys or values, head by head. */
static app_onnx_value unpack(app_onnx_graph *g, const lb_multi_head *attention, app_onnx_made made,
                             const lb_tensor *packed)
{
    static const char *const names[] = {"query", "key", "value"};
    const lb_multi_head_config *c = &attention->config;
    int64_t width = head_width(attention), columns = lb_count(packed) / lb_dim(packed, 0);
    int64_t stored = c->kv_heads ? c->kv_heads : c->heads,
            share = made == APP_ONNX_QUERIES ? 1 : c->heads / stored;
    int64_t first = made == APP_ONNX_QUERIES ? 0 : c->embed + (made - APP_ONNX_KEYS) * stored * width;
    lb_buffer raw = {0};
    lb_shape shape = packed->shape;
    for (int64_t head = 0; head < c->heads; head++)
        app_protobuf_raw_floats(&raw, packed->data + (first + head / share * width) * columns,
                                width * columns);
    shape.dim[0] = c->embed;
    app_onnx_value name = app_onnx_name(g, "%s.%s", app_onnx_name_of(g, packed), names[made]);
    return app_onnx_tensor(g, name, APP_ONNX_FLOAT, shape, &raw);
}

static app_onnx_value project(app_onnx_graph *g, const lb_multi_head *attention, app_onnx_made made,
                              app_onnx_value x)
{
    const lb_linear *const named[] = {&attention->query, &attention->key, &attention->value};
    if (!attention->packed_weight) return app_onnx_linear(g, x, named[made]);
    app_onnx_value weight = unpack(g, attention, made, attention->packed_weight);
    app_onnx_value bias = attention->packed_bias ? unpack(g, attention, made, attention->packed_bias) : NULL;
    return app_onnx_affine(g, x, weight, bias);
}

app_onnx_value app_onnx_heads(app_onnx_graph *graph, const lb_multi_head *attention, app_onnx_made made,
                              app_onnx_value x)
{
    x = project(graph, attention, made, x);
    app_onnx_value shape = APP_ONNX_LIST(graph, 0, 0, attention->config.heads, head_width(attention));
    app_onnx_value split = APP_ONNX(graph, "Reshape", x, shape);
    return APP_ONNX_TRANSPOSE(graph, split, 0, 2, 1, 3);
}

/* q' k / sqrt(width) of each head; with a softcap, c tanh(score / c). */
static app_onnx_value score(app_onnx_graph *g, const lb_multi_head *attention, app_onnx_value queries,
                            app_onnx_value keys)
{
    app_onnx_value turned = APP_ONNX_TRANSPOSE(g, keys, 0, 1, 3, 2);
    app_onnx_value product = APP_ONNX(g, "MatMul", queries, turned);
    app_onnx_value scale = app_onnx_number(g, 1 / sqrt((double)head_width(attention)));
    app_onnx_value scores = APP_ONNX(g, "Mul", product, scale);
    if (!(attention->config.softcap > 0)) return scores;
    app_onnx_value cap = app_onnx_number(g, (double)attention->config.softcap);
    app_onnx_value part = APP_ONNX(g, "Div", scores, cap);
    app_onnx_value bent = APP_ONNX(g, "Tanh", part);
    return APP_ONNX(g, "Mul", bent, cap);
}

app_onnx_value app_onnx_ask(app_onnx_graph *graph, const lb_multi_head *attention, app_onnx_value queries,
                            app_onnx_value keys, app_onnx_value values, app_onnx_value mask,
                            app_onnx_value *weights)
{
    app_onnx_value scores = score(graph, attention, queries, keys);
    if (mask) mask = app_onnx_unsqueeze(graph, mask, 1);
    *weights = app_onnx_softmax(graph, scores, mask);
    app_onnx_value seen = APP_ONNX(graph, "MatMul", *weights, values);
    app_onnx_value turned = APP_ONNX_TRANSPOSE(graph, seen, 0, 2, 1, 3);
    app_onnx_value shape = APP_ONNX_LIST(graph, 0, 0, attention->config.embed);
    app_onnx_value joined = APP_ONNX(graph, "Reshape", turned, shape);
    return app_onnx_linear(graph, joined, &attention->output);
}

app_onnx_value app_onnx_heads_axes(app_onnx_graph *graph, const lb_multi_head *attention, const char *length)
{
    return app_onnx_name(graph, "batch %lld %s %lld", (long long)attention->config.heads, length,
                         (long long)head_width(attention));
}

app_onnx_value app_onnx_hand_over_heads(app_onnx_graphs *graphs, const lb_multi_head *attention,
                                        app_onnx_made made, app_onnx_value x, const char *name)
{
    app_onnx_value heads = app_onnx_heads(&graphs->encoder, attention, made, x);
    return app_onnx_hand_over(graphs, heads, name,
                              app_onnx_heads_axes(&graphs->encoder, attention, "length"));
}
