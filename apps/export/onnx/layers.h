/* Parts that the graphs of all kinds of models share. */
#ifndef APP_ONNX_LAYERS_H
#define APP_ONNX_LAYERS_H

#include "export/onnx/graph.h"

/** The two graphs of a model: what runs once per text, and one step of the decoder. */
typedef struct app_onnx_graphs {
    app_onnx_graph encoder, decoder;
} app_onnx_graphs;

/** The axes in another order, such as 0, 2, 1. */
#define APP_ONNX_TRANSPOSE(graph, x, ...)                                                                    \
    app_onnx_transpose((graph), (x), (const int64_t[]){__VA_ARGS__},                                         \
                       (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
app_onnx_value app_onnx_transpose(app_onnx_graph *graph, app_onnx_value x, const int64_t *order,
                                  int64_t count);

/** x with one more axis of length 1. */
app_onnx_value app_onnx_unsqueeze(app_onnx_graph *graph, app_onnx_value x, int64_t axis);

/** Both, one after the other along an axis. */
app_onnx_value app_onnx_concat(app_onnx_graph *graph, app_onnx_value a, app_onnx_value b, int64_t axis);

/** x weight' + bias, over the last axis; a `bias` of NULL is none. */
app_onnx_value app_onnx_affine(app_onnx_graph *graph, app_onnx_value x, app_onnx_value weight,
                               app_onnx_value bias);

/** The same with the parameters of a module. */
app_onnx_value app_onnx_linear(app_onnx_graph *graph, app_onnx_value x, const lb_linear *linear);

/** Weights of attention, the softmax of the last axis; `mask` is added before, unless it is NULL. */
app_onnx_value app_onnx_softmax(app_onnx_graph *graph, app_onnx_value scores, app_onnx_value mask);

/** The input of the encoder, "source": [batch, length] ids. */
app_onnx_value app_onnx_source(app_onnx_graph *encoder);

/** Where the source has a symbol, and not padding: [batch, length] truths. */
app_onnx_value app_onnx_present(app_onnx_graph *encoder, app_onnx_value source);

/** Makes "mask" of it, [batch, 1, length]: what is added to scores, 0 for a symbol, and otherwise so low that nothing is
 *  left. */
app_onnx_value app_onnx_mask(app_onnx_graph *encoder, app_onnx_value present);

/** Hands a value of the encoder to the decoder, as an output of the one and an input of the other. Returns the latter. */
app_onnx_value app_onnx_hand_over(app_onnx_graphs *graphs, app_onnx_value value, const char *name,
                                  const char *axes);

/** Makes a value the output "next_NAME" of the decoder: NAME of the next step. */
void app_onnx_hand_on(app_onnx_graph *decoder, app_onnx_value value, const char *name, const char *axes);

/** The input of the decoder, "symbol": [batch] ids, the symbols before the step. */
app_onnx_value app_onnx_symbol(app_onnx_graph *decoder);

/** The outputs of the decoder: "logits", [batch, symbols], which still has an `axis` of length 1; and "attention", [batch,
 *  layers, heads, length]. */
void app_onnx_logits(app_onnx_graph *decoder, app_onnx_value logits, int64_t axis, int64_t symbols);
void app_onnx_attention(app_onnx_graph *decoder, app_onnx_value weights, int64_t layers, int64_t heads);

#endif
