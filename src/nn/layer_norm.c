#include "autograd/tape.h"
#include "lookback/nn.h"

#include "lookback/op.h"
#include "nn/params.h"

lb_status lb_layer_norm_init(lb_layer_norm *norm, lb_params *params, const char *name, int64_t width,
                             lb_real epsilon)
{
    lb_params_need(params, name, "width", width);
    *norm = (lb_layer_norm){.name = lb_params_scope(params, "", name)};
    norm->epsilon = epsilon == 0 ? (lb_real)1e-5 : epsilon;
    norm->weight = lb_params_add(params, name, "weight", LB_SHAPE(width), (lb_init){LB_INIT_CONSTANT, 1});
    norm->bias = lb_params_add(params, name, "bias", LB_SHAPE(width), (lb_init){LB_INIT_CONSTANT, 0});
    return lb_params_status(params);
}

lb_tensor *lb_layer_norm_forward(const lb_layer_norm *norm, lb_tensor *x)
{
    const char *outer = lb_module_enter(x, norm->name);
    lb_tensor *y = lb_standardize(x, norm->weight, norm->bias, norm->epsilon);
    lb_module_leave(x, outer);
    return y;
}
