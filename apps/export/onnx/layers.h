/* A model as two files of ONNX, and the parts that the graphs of all kinds of models share. */
#ifndef APP_ONNX_LAYERS_H
#define APP_ONNX_LAYERS_H

#include "export/onnx/graph.h"
#include "translate/file/text_model.h"

/** The two graphs of a model: what runs once per text, and one step of the decoder. */
typedef struct onnx_graphs {
    onnx_graph encoder, decoder;
} onnx_graphs;

/** The axes in another order, such as 0, 2, 1. */
#define ONNX_TRANSPOSE(graph, x, ...) onnx_transpose((graph), (x), ONNX_ARRAY(__VA_ARGS__))
onnx_value onnx_transpose(onnx_graph *graph, onnx_value x, const int64_t *order, int64_t count);

/** In another shape; 0 for the first axes that stay, at most. */
#define ONNX_RESHAPE(graph, x, ...) onnx_reshape((graph), (x), ONNX_ARRAY(__VA_ARGS__))
onnx_value onnx_reshape(onnx_graph *graph, onnx_value x, const int64_t *shape, int64_t count);

/** x with one more axis of length 1. */
onnx_value onnx_unsqueeze(onnx_graph *graph, onnx_value x, int64_t axis);

/** Both, one after the other along an axis. */
onnx_value onnx_concat(onnx_graph *graph, onnx_value a, onnx_value b, int64_t axis);

/** Rows of a parameter. */
onnx_value onnx_gather(onnx_graph *graph, const lb_tensor *parameter, onnx_value rows);

onnx_value onnx_cast(onnx_graph *graph, onnx_value x, onnx_type type);

/** x weight' + bias, over the last axis; `bias` may be NULL. */
onnx_value onnx_linear(onnx_graph *graph, onnx_value x, const lb_tensor *weight, const lb_tensor *bias);

/** Weights of attention, the softmax of the last axis; `mask` is added before, unless it is NULL. */
onnx_value onnx_softmax(onnx_graph *graph, onnx_value scores, onnx_value mask);

/** Adds the input "source", [batch, length] ids. Returns where it has a symbol, and not padding: truths. */
onnx_value onnx_source(onnx_graph *encoder);

/** Hands over "mask" to the decoder, [batch, 1, length]: what is added to scores, 0 for a symbol, and otherwise so low
 *  that nothing is left. */
onnx_value onnx_mask(onnx_graphs *graphs, onnx_value present);

/** Hands a value of the encoder to the decoder, as an output of the one and an input of the other, with one name. */
void onnx_hand_over(onnx_graphs *graphs, onnx_value value, const char *name, const char *axes);

/** Makes a value the output "next_NAME" of the decoder: NAME of the next step. */
void onnx_hand_on(onnx_graph *decoder, onnx_value value, const char *name, const char *axes);

/** The outputs of a step: "logits", [batch, symbols], which still has an `axis` of length 1; and "attention", [batch,
 *  layers, heads, length]; NULL: none. */
void onnx_end_step(onnx_graph *decoder, const lb_model *model, onnx_value logits, int64_t axis,
                   onnx_value attention);

/* ---- Multi-head attention. ---- */

/** What is made of a vector. */
typedef enum onnx_made { ONNX_QUERIES, ONNX_KEYS, ONNX_VALUES } onnx_made;

/** Queries, keys or values of x, [batch, length, .]: [batch, heads, length, width of a head]. Keys that several heads
 *  share are repeated. */
onnx_value onnx_heads(onnx_graph *graph, const lb_multi_head *attention, onnx_made made, onnx_value x);

/** Asks with x. Returns [batch, queries, width], and sets the weights, [batch, heads, queries, keys]. `mask` is
 *  [batch, 1, keys], or NULL. */
onnx_value onnx_ask(onnx_graph *graph, const lb_multi_head *attention, onnx_value x, onnx_value keys,
                    onnx_value values, onnx_value mask, onnx_value *weights);

/** The axes of keys or values; `length` is the word for their number. */
onnx_value onnx_heads_axes(onnx_graph *graph, const lb_multi_head *attention, const char *length);

/** Keys and values of x in the encoder, which the decoder reads under these names. */
void onnx_hand_over_heads(onnx_graphs *graphs, const lb_multi_head *attention, onnx_value x, const char *keys,
                          const char *values);

/* ---- Recurrent models: recurrent.c. ---- */

void onnx_recurrent_add(const lb_model *base, onnx_graphs *graphs);

/* ---- Transformers: transformer.c. ---- */

/** Adds the nodes of the model. Its decoder keeps the keys and values of the steps before. */
void onnx_transformer_add(const lb_model *model, onnx_graphs *graphs);

/* ---- The files: onnx.c. ---- */

typedef void app_onnx_add(const lb_model *model, onnx_graphs *graphs);

/** Whether the name of a file asks for ONNX. */
bool app_onnx_is_name(const char *path);

/** Writes NAME.encoder.onnx and NAME.decoder.onnx for the path NAME.onnx. Their metadata are those of `file`, from
 *  which the model was loaded. Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_onnx_write(const lb_text_model *model, app_onnx_add *add,
                                     const lb_safetensors *file, const char *path, lb_error *error);

#endif
