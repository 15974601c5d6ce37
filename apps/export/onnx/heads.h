/* Multi-head attention in a graph of ONNX. */
#ifndef APP_ONNX_HEADS_H
#define APP_ONNX_HEADS_H

#include "export/onnx/layers.h"

/** What is made of a vector. */
typedef enum app_onnx_made { APP_ONNX_QUERIES, APP_ONNX_KEYS, APP_ONNX_VALUES } app_onnx_made;

/** Queries, keys or values of x, [batch, length, .]: [batch, heads, length, width of a head]. Keys that several heads
 *  share are repeated. */
app_onnx_value app_onnx_heads(app_onnx_graph *graph, const lb_multi_head *attention, app_onnx_made made,
                              app_onnx_value x);

/** Asks. Returns [batch, length of the queries, width], and sets the weights, [batch, heads, queries, keys]. `mask` is
 *  [batch, 1, keys], or NULL. */
app_onnx_value app_onnx_ask(app_onnx_graph *graph, const lb_multi_head *attention, app_onnx_value queries,
                            app_onnx_value keys, app_onnx_value values, app_onnx_value mask,
                            app_onnx_value *weights);

/** The axes of keys or values; `length` is the word for their number. */
app_onnx_value app_onnx_heads_axes(app_onnx_graph *graph, const lb_multi_head *attention, const char *length);

/** Keys or values of the encoder, which the decoder reads under this name. */
app_onnx_value app_onnx_hand_over_heads(app_onnx_graphs *graphs, const lb_multi_head *attention,
                                        app_onnx_made made, app_onnx_value x, const char *name);

#endif
