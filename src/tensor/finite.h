/* Numbers that are none. */
#ifndef LB_FINITE_H
#define LB_FINITE_H

#include "lookback/tensor.h"

/** The index of the first of `count` numbers that is infinite or NaN; -1 if there is none. */
int64_t lb_first_not_finite(const lb_real *x, int64_t count);

#endif
