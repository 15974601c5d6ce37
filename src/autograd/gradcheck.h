/* Compares the gradient that backward computes with central differences. Part of the library, so that you can check
 * an op or a module of your own. */
#ifndef LB_GRADCHECK_H
#define LB_GRADCHECK_H

#include "autograd/tape.h"

/** Builds the output to be checked, of any shape, on `tape`. Called many times; must do the same each time. */
typedef lb_tensor *(*lb_gradcheck_fn)(lb_tape *tape, void *context);

/** Zero means the default in brackets, for double and for float. Finite differences are blunt in float: check in
 *  lookback_f64 where you can. */
typedef struct lb_gradcheck_options {
    double step;   /* [1e-6; 1e-2] */
    double atol;   /* [1e-5; 1e-2] */
    double rtol;   /* [1e-3; 1e-2] */
    uint64_t seed; /* of the cotangent, the starting gradients and the tape [0] */
} lb_gradcheck_options;

/** Checks the derivative of sum_i c_i output_i, with random c, by every element of every parameter that wants a
 *  gradient:  |analytic - numeric| <= atol + rtol |numeric|. Gradients start from random numbers, so that an op that overwrites
 *  instead of adding is caught; they are restored before it returns.
 *  Errors: LB_ERROR_GRADIENT names parameter, element and both values; any error of the tape. */
LB_MUST_USE lb_status lb_gradcheck(lb_gradcheck_fn function, void *context, lb_tensor *const *parameters,
                                   int count, const lb_gradcheck_options *options, lb_error *error);

#endif
