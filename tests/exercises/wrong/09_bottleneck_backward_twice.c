/* mend descend: wrong
 * descend returns an error:  */
#include "exercises.h"

lb_status descend(lb_params *params, lb_tensor *loss, lb_real rate, lb_error *error)
{
    (void)params, (void)rate;
    lb_status status = lb_backward(loss, error);
    return status ? status : lb_backward(loss, error);
}
