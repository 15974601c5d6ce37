/* A graph of an ONNX file, and an interpreter of the ops that exported models have. It computes in double, one number
 * after the other, by the definitions of the ops, and refuses whatever they do not allow.
 * Source: the ONNX specification, onnx.ai: Operators.md, with opset 17. */
#ifndef SUPPORT_ONNX_GRAPH_H
#define SUPPORT_ONNX_GRAPH_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum { SUPPORT_ONNX_DIMS = 6, SUPPORT_ONNX_OPERANDS = 8 };

/* The types of numbers, as files have them. */
typedef enum support_onnx_type {
    SUPPORT_ONNX_FLOAT = 1,
    SUPPORT_ONNX_INT32 = 6,
    SUPPORT_ONNX_INT64 = 7,
    SUPPORT_ONNX_BOOL = 9
} support_onnx_type;

/* An array; all types are stored as double. Without `number` there is none. */
typedef struct support_onnx_array {
    support_onnx_type type;
    int dims;
    int64_t dim[SUPPORT_ONNX_DIMS];
    double *number;
} support_onnx_array;

/* An attribute: an integer or a text is a list of one. */
typedef struct support_onnx_attribute {
    char name[32], text[32];
    int64_t whole[SUPPORT_ONNX_DIMS];
    int count;
} support_onnx_attribute;

/* A node: places of what it reads and makes among the values; -1 is left out. */
typedef struct support_onnx_node {
    char op[32];
    int in[SUPPORT_ONNX_OPERANDS], out[SUPPORT_ONNX_OPERANDS], reads, makes, attributes;
    support_onnx_attribute attribute[SUPPORT_ONNX_OPERANDS];
} support_onnx_node;

/* A graph and its values: constants, inputs, and what the last run has made. */
typedef struct support_onnx_graph {
    support_onnx_node *node;
    int nodes;
    lb_strings names; /* of the values */
    support_onnx_array *value;
    bool *constant;
    lb_strings inputs, outputs;
} support_onnx_graph;

/* The graph in a file of the folder of the test. */
support_onnx_graph support_onnx_open(const char *name);

void support_onnx_close(support_onnx_graph *graph);

/* The value of this name. */
support_onnx_array *support_onnx_value(const support_onnx_graph *graph, const char *name);

/* An array of zeros. */
support_onnx_array support_onnx_array_new(support_onnx_type type, int dims, const int64_t *dim);

int64_t support_onnx_count(const support_onnx_array *array);

/* Sets an input to a copy. */
void support_onnx_set(const support_onnx_graph *graph, const char *name, const support_onnx_array *array);

/* Runs all nodes, in their order; all inputs are set. */
void support_onnx_run(const support_onnx_graph *graph);

#endif
