/* mend descend: wrong
 * Step 1 does not go along the gradient of its own batch alone. */
#include "exercises.h"

lb_status descend(lb_params *params, lb_tensor *loss, lb_real rate, lb_error *error)
{
    lb_params_zero_grads(params);
    lb_status status = lb_backward(loss, error);
    lb_real *value = lb_params_values(params), *gradient = lb_params_grads(params);
    for (int64_t i = 0; i < lb_params_size(params) && !status; i++) value[i] += rate * gradient[i];
    return status;
}
