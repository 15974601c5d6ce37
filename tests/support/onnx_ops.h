/* How an op of ONNX is run in tests, and what ops share. */
#ifndef SUPPORT_ONNX_OPS_H
#define SUPPORT_ONNX_OPS_H

#include "support/onnx_graph.h"

/* A run of a node: its operands, of which those that are left out have no numbers, and its results. */
typedef struct support_onnx_step {
    const support_onnx_node *node;
    support_onnx_array in[SUPPORT_ONNX_OPERANDS], out[SUPPORT_ONNX_OPERANDS];
} support_onnx_step;

/* An op: how many operands it has, at least and at most, and what sets its results. */
typedef struct support_onnx_op {
    const char *name;
    int least, most;
    void (*run)(support_onnx_step *step);
} support_onnx_op;

/* Each ends with an op without a name. */
extern const support_onnx_op support_onnx_element_ops[], support_onnx_shape_ops[], support_onnx_layer_ops[];

/* NULL if the node does not have it. */
const support_onnx_attribute *support_onnx_attribute_of(const support_onnx_node *node, const char *name);
int64_t support_onnx_whole(const support_onnx_node *node, const char *name, int64_t standard);

/* An axis that may be counted from the end. */
int support_onnx_axis(int64_t axis, int dims);

/* The product of the lengths of these axes. */
int64_t support_onnx_product(const support_onnx_array *x, int first, int end);

bool support_onnx_is_whole(const support_onnx_array *x);

/* Zeros in the shape of x. */
support_onnx_array support_onnx_alike(const support_onnx_array *x);

/* Zeros in the shape of both together: axes from the last one, where 1 goes with any length. */
support_onnx_array support_onnx_broadcast(const support_onnx_array *a, const support_onnx_array *b,
                                          support_onnx_type type);

/* The number of x for number i of `out`, whose last axes are those of x. */
double support_onnx_number_at(const support_onnx_array *x, const support_onnx_array *out, int64_t i);

#endif
