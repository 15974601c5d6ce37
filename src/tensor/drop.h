/* Which elements dropout zeroes: one rule for every op that drops. */
#ifndef LB_DROP_H
#define LB_DROP_H

#include "tensor/real.h"
#include "tensor/rng.h"

/** Writes what elements `first` to first + count - 1 are multiplied with: 0 with probability p, else 1 / (1 - p).
 *  Element i has word i mod 4 of block i / 4 of the sequence to itself: which thread computes it plays no part. */
void lb_drop_factors(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor);

#endif
