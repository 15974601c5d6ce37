/* A graph of ONNX under construction, and the messages that it consists of. Sources: the ONNX specification, onnx.ai:
 * IR.md, onnx.proto, Operators.md; the encoding of Protocol Buffers, protobuf.dev. */
#ifndef APP_ONNX_GRAPH_H
#define APP_ONNX_GRAPH_H

#include "base/buffer.h"

#include <lookback/nn.h>

/* ---- Fields of protobuf messages, as bytes. ---- */

/** Adds an integer, or a value of an enum, as a field with this number. */
void protobuf_whole(lb_buffer *message, int field, int64_t value);

void protobuf_text(lb_buffer *message, int field, const char *text);

/** Adds a message that is complete, and empties it. */
void protobuf_message(lb_buffer *message, int field, lb_buffer *part);

/** Appends floats as raw numbers of 32 bits, the lowest byte first. */
void protobuf_raw_floats(lb_buffer *raw, const lb_real *x, int64_t count);

/* ---- The graph. ---- */

/** The types of tensors in ONNX, by their numbers. */
typedef enum onnx_type { ONNX_FLOAT = 1, ONNX_INT32 = 6, ONNX_INT64 = 7 } onnx_type;

/** What a node reads or makes, by its name, which lives as long as the graph. "": an optional one that is left out. */
typedef const char *onnx_value;

/** Nodes are added in the order in which they are computed. Start from zero with `params`. Without memory, `failed` is
 *  set: check it once, with the message of onnx_graph_end. */
typedef struct onnx_graph {
    const lb_params *params;
    lb_buffer nodes, tensors, inputs, outputs; /* fields of a GraphProto */
    lb_buffer attributes;                      /* of the next node */
    lb_strings names;                          /* of values */
    bool failed;                               /* there is no memory */
} onnx_graph;

void onnx_graph_free(onnx_graph *graph);

/** The name, formatted as by printf, for as long as the graph lives. */
onnx_value onnx_name(onnx_graph *graph, const char *format, ...) LB_PRINTF(2, 3);

void onnx_set(onnx_graph *graph, const char *attribute, int64_t value);
void onnx_set_list(onnx_graph *graph, const char *attribute, const int64_t *value, int64_t count);
void onnx_set_text(onnx_graph *graph, const char *attribute, const char *value);

/** Adds a node with `made` outputs, whose names it sets. `read` ends with NULL. */
void onnx_add(onnx_graph *graph, const char *op, const onnx_value *read, int made, onnx_value *out);

/** Adds a node with one output, which it returns. At most one operand is a call, here and elsewhere: several would
 *  add their nodes in any order. */
#define ONNX(graph, op, ...) onnx_add_one((graph), (op), (const onnx_value[]){__VA_ARGS__, NULL})
onnx_value onnx_add_one(onnx_graph *graph, const char *op, const onnx_value *read);

/** A constant tensor; empties `raw`, its numbers in bytes. */
onnx_value onnx_tensor(onnx_graph *graph, onnx_value name, onnx_type type, lb_shape shape, lb_buffer *raw);

/** A constant: one number without a shape. */
onnx_value onnx_number(onnx_graph *graph, double value);

/** Integers: a list, or without a shape if `count` is 0. */
onnx_value onnx_wholes(onnx_graph *graph, const int64_t *value, int64_t count);
#define ONNX_LIST(graph, ...) onnx_wholes((graph), ONNX_ARRAY(__VA_ARGS__))
#define ONNX_ARRAY(...)                                                                                      \
    (const int64_t[]){__VA_ARGS__}, (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

const char *onnx_name_of(const onnx_graph *graph, const lb_tensor *parameter);

/** A parameter as it is; one that two nodes read is stored once. */
onnx_value onnx_weight(onnx_graph *graph, const lb_tensor *parameter);

/** An input of the graph. `axes` are numbers, or words for what differs from call to call: "batch length 48". */
void onnx_input(onnx_graph *graph, const char *name, onnx_type type, const char *axes);

void onnx_output(onnx_graph *graph, onnx_value value, const char *name, const char *axes);

/** Appends the graph as a GraphProto, and empties it. */
void onnx_graph_end(onnx_graph *graph, const char *name, lb_buffer *message);

#endif
