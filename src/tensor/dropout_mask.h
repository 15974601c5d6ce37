/* The elements that dropout sets to zero: one rule for every op with dropout. */
#ifndef LB_DROPOUT_MASK_H
#define LB_DROPOUT_MASK_H

#include "lookback/base.h"
#include "tensor/real.h"

/** Writes the factors of elements `first` to first + count - 1: 0 with probability p, else 1 / (1 - p).
 *  Element i uses word i mod 4 of block i / 4 of the sequence, so the thread that computes it does not matter. */
void lb_dropout_mask(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor);

#endif
