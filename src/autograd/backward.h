/* Backward for those who can use gradients before all of them are known. */
#ifndef LB_BACKWARD_H
#define LB_BACKWARD_H

#include "lookback/autograd.h"

/** Hears which gradients of parameters are final while backward still runs: layers come in reverse order. */
typedef struct lb_final_grads {
    const lb_real *grads; /* [count]: the slab of the gradients */
    int64_t count;
    /* From number `from` of the slab on, all are final. Called after each op; `from` never grows. */
    void (*final)(void *context, int64_t from);
    void *context;
} lb_final_grads;

/** As lb_backward. `final` is not called after an error. */
LB_MUST_USE lb_status lb_backward_watched(lb_tensor *loss, const lb_final_grads *watch, lb_error *error);

#endif
