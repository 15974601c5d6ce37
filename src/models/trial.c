#include "models/trial.h"

#include "nn/params.h"

#include <stdint.h>

static lb_status take_any(const void *context, const char *name, lb_shape shape, lb_error *error)
{
    (void)context;
    (void)name;
    (void)shape;
    (void)error;
    return LB_OK;
}

lb_params *lb_trial_params(void)
{
    static const lb_params_source any = {.check = take_any, .room = SIZE_MAX};
    lb_params *params = lb_params_new(0);
    if (params) lb_params_take_from(params, &any);
    return params;
}
