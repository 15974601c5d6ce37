/* Which elements dropout zeroes: one rule for every op that drops. */
#ifndef LB_DROPOUT_MASK_H
#define LB_DROPOUT_MASK_H

#include "lookback/base.h"
#include "tensor/real.h"

/** Writes what elements `first` to first + count - 1 are multiplied with: 0 with probability p, else 1 / (1 - p).
 *  Element i has word i mod 4 of block i / 4 of the sequence to itself: which thread computes it plays no part. */
void lb_dropout_mask(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor);

#endif
