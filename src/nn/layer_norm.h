/* Layer normalisation as a module. */
#ifndef LB_LAYER_NORM_H
#define LB_LAYER_NORM_H

#include "nn/params.h"

typedef struct lb_layer_norm {
    const char *name;
    lb_tensor *weight, *bias; /* [width] */
    lb_real epsilon;
} lb_layer_norm;

/** Adds NAME.weight, all 1, and NAME.bias, all 0. An epsilon of 0 means 1e-5, as in nn.LayerNorm.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_layer_norm_init(lb_layer_norm *norm, lb_params *params, const char *name, int64_t width,
                             lb_real epsilon);

/** Shapes: x [..., width] -> the same. Errors: LB_ERROR_SHAPE. Source: see lb_normalize. */
lb_tensor *lb_layer_norm_forward(const lb_layer_norm *norm, lb_tensor *x);

#endif
