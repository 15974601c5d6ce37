#include "nn/linear.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "nn/params.h"

#include <math.h>

lb_status lb_linear_init(lb_linear *linear, lb_params *params, const char *name, lb_linear_config config)
{
    lb_init init = {LB_INIT_UNIFORM, 1 / sqrt((double)config.inputs)};
    lb_params_need(params, name, "inputs", config.inputs);
    lb_params_need(params, name, "outputs", config.outputs);
    *linear = (lb_linear){.name = lb_params_scope(params, "", name)};
    linear->weight = config.tied;
    if (!config.tied)
        linear->weight = lb_params_add(params, name, "weight", LB_SHAPE(config.outputs, config.inputs), init);
    if (!config.no_bias) linear->bias = lb_params_add(params, name, "bias", LB_SHAPE(config.outputs), init);
    return lb_params_status(params);
}

lb_tensor *lb_linear_forward(const lb_linear *linear, lb_tensor *x)
{
    const char *outer = lb_module_enter(x, linear->name);
    lb_tensor *y = lb_affine(x, linear->weight, linear->bias);
    lb_module_leave(x, outer);
    return y;
}

lb_tensor *lb_linear_forward_pair(const lb_linear *linear, lb_tensor *a, lb_tensor *b)
{
    const char *outer = lb_module_enter(a, linear->name);
    lb_tensor *y = lb_affine_pair(a, b, linear->weight, linear->bias);
    lb_module_leave(a, outer);
    return y;
}
