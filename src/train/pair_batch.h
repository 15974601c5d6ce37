/* Pairs of a file as a batch. */
#ifndef LB_PAIR_BATCH_H
#define LB_PAIR_BATCH_H

#include "data/pairs.h"
#include "train/batch.h"

/** The pairs with the `count` numbers in `pair`, in this order, on the tape: ids by the two vocabularies, which may be
 *  one and the same and begin with the special symbols, as those of lb_vocabulary_new_reserved do.
 *  Shapes: source [count, longest source], target_in and target_out [count, longest target + 1].
 *  Errors: as lb_pairs_encode, and LB_ERROR_INDEX for a number of no pair; recorded on the tape, and the batch is empty. */
lb_batch lb_pair_batch(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                       lb_tape *tape, const int64_t *pair, int64_t count);

#endif
