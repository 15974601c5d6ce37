/* Exercise 9: the bottleneck. Read docs/lessons/09_bottleneck.md first, then work here. `./run check 9` checks both
 * parts, and `git checkout exercises/09_bottleneck.c` brings this file back as it was. */
#include "exercises.h"

/* Yours to write: the vector that is the bottleneck, the last state of each list, in a batch of unequal lists.
 *
 *   state [batch, time, hidden], lengths [batch] -> last [batch, hidden]
 *
 * List b has lengths[b] numbers. After its end, the states are not its own. An empty list leaves the encoder in its
 * initial state, which is zero. The arrays are flat: number i of the state of list b after t + 1 numbers is
 * state[(b * time + t) * hidden + i]. */
void last_states(const double *state, const int *lengths, int batch, int time, int hidden, double *last)
{
}

/* To mend: one step of gradient descent, value <- value - rate * gradient. A training calls it once for each batch,
 * with the loss of that batch. The gradients come from lb_backward, which include/lookback/autograd.h describes;
 * include/lookback/nn.h has the functions of lb_params. */
lb_status descend(lb_params *params, lb_tensor *loss, lb_real rate, lb_error *error)
{
    lb_status status = lb_backward(loss, error);
    lb_real *value = lb_params_values(params), *gradient = lb_params_grads(params);
    for (int64_t i = 0; i < lb_params_size(params) && !status; i++) value[i] -= rate * gradient[i];
    return status;
}
