/* A graph of ONNX under construction. Source: the ONNX specification, onnx.ai: IR.md, onnx.proto, Operators.md. */
#ifndef APP_ONNX_GRAPH_H
#define APP_ONNX_GRAPH_H

#include "base/buffer.h"
#include "data/strings.h"

#include <lookback/nn.h>

/** The types of tensors in ONNX, by their numbers. */
typedef enum app_onnx_type { APP_ONNX_FLOAT = 1, APP_ONNX_INT32 = 6, APP_ONNX_INT64 = 7 } app_onnx_type;

/** What a node reads or makes, by its name, which lives as long as the graph. "": an optional one that is left out. */
typedef const char *app_onnx_value;

/** Nodes are added in the order in which they are computed. Start from zero with `params`. Without memory, `failed` is
 *  set: check it once, with the message of app_onnx_graph_end. */
typedef struct app_onnx_graph {
    const lb_params *params;
    lb_buffer nodes, tensors, inputs, outputs; /* fields of a GraphProto */
    lb_buffer attributes;                      /* of the next node */
    lb_strings names;                          /* of values */
    bool failed;                               /* there is no memory */
} app_onnx_graph;

/** Frees what the graph owns. */
void app_onnx_graph_free(app_onnx_graph *graph);

/** The name, formatted as by printf, for as long as the graph lives. */
app_onnx_value app_onnx_name(app_onnx_graph *graph, const char *format, ...) LB_PRINTF(2, 3);

/** Gives the next node an attribute. */
void app_onnx_whole(app_onnx_graph *graph, const char *attribute, int64_t value);
void app_onnx_wholes(app_onnx_graph *graph, const char *attribute, const int64_t *value, int64_t count);
void app_onnx_text(app_onnx_graph *graph, const char *attribute, const char *value);

/** Adds a node with `made` outputs, whose names it sets. `read` ends with NULL. */
void app_onnx_add(app_onnx_graph *graph, const char *op, const app_onnx_value *read, int made,
                  app_onnx_value *out);

/** Adds a node with one output, which it returns. Operands are names, not calls: these would add nodes in any order. */
#define APP_ONNX(graph, op, ...) app_onnx_add_one((graph), (op), (const app_onnx_value[]){__VA_ARGS__, NULL})
app_onnx_value app_onnx_add_one(app_onnx_graph *graph, const char *op, const app_onnx_value *read);

/** A constant tensor; empties `raw`, its numbers in bytes. */
app_onnx_value app_onnx_tensor(app_onnx_graph *graph, app_onnx_value name, app_onnx_type type, lb_shape shape,
                               lb_buffer *raw);

/** A constant: one number without a shape, or a list of integers. */
app_onnx_value app_onnx_number(app_onnx_graph *graph, double value);
app_onnx_value app_onnx_integer(app_onnx_graph *graph, int64_t value);
#define APP_ONNX_LIST(graph, ...)                                                                            \
    app_onnx_list((graph), (const int64_t[]){__VA_ARGS__},                                                   \
                  (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
app_onnx_value app_onnx_list(app_onnx_graph *graph, const int64_t *value, int64_t count);

/** The name of a parameter of the model. */
const char *app_onnx_name_of(const app_onnx_graph *graph, const lb_tensor *parameter);

/** A parameter as it is; one that two nodes read is stored once. */
app_onnx_value app_onnx_weight(app_onnx_graph *graph, const lb_tensor *parameter);

/** An input of the graph. `axes` are numbers, or words for what differs from call to call: "batch length 48". */
app_onnx_value app_onnx_input(app_onnx_graph *graph, const char *name, app_onnx_type type, const char *axes);

/** Makes `value` an output of the graph. */
void app_onnx_output(app_onnx_graph *graph, app_onnx_value value, const char *name, const char *axes);

/** Appends the graph as a GraphProto, and empties it. */
void app_onnx_graph_end(app_onnx_graph *graph, const char *name, lb_buffer *message);

#endif
