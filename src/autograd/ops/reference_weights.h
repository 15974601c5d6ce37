/* Softmax and its relatives by their definition, for the references of ops. */
#ifndef LB_REFERENCE_WEIGHTS_H
#define LB_REFERENCE_WEIGHTS_H

#include "tensor/instruction_set.h"

#include <stdint.h>

/** Turns a row of scores into weights, in place. A score of -inf hides; a row of only hidden scores becomes zeros.
 *  The threshold of the sparse ones is found by bisection. */
void lb_reference_weights(lb_normalizer normalizer, int64_t count, double *x);

/** ln softmax(x)_i; -inf where x_i is. */
double lb_reference_log_softmax(int64_t count, const lb_real *x, int64_t i);

#endif
