/* Multi-head attention in a graph of ONNX. */
#ifndef APP_ONNX_HEADS_H
#define APP_ONNX_HEADS_H

#include "export/onnx/layers.h"

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

#endif
