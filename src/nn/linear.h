/* The linear layer. */
#ifndef LB_LINEAR_H
#define LB_LINEAR_H

#include "nn/params.h"

typedef struct lb_linear_config {
    int64_t inputs, outputs;
    bool no_bias;
    lb_tensor
        *tied; /* another module's weight [outputs, inputs], to be shared: then none is added; or NULL */
} lb_linear_config;

/** y = x weight' + bias. */
typedef struct lb_linear {
    const char *name;
    lb_tensor *weight; /* [outputs, inputs] */
    lb_tensor *bias;   /* [outputs]; NULL without bias */
} lb_linear;

/** Adds NAME.weight, unless it is tied, and NAME.bias, uniform within 1 / sqrt(inputs) as nn.Linear starts them.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_linear_init(lb_linear *linear, lb_params *params, const char *name, lb_linear_config config);

/** Shapes: x [..., inputs] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward(const lb_linear *linear, lb_tensor *x);

/** The layer applied to two tensors side by side, [a; b], which are not copied together for it.
 *  Shapes: a [..., n], b [..., inputs - n] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward_pair(const lb_linear *linear, lb_tensor *a, lb_tensor *b);

#endif
