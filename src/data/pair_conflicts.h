/* Pairs of a file that contradict those of another one. */
#ifndef LB_PAIR_CONFLICTS_H
#define LB_PAIR_CONFLICTS_H

#include "data/pairs.h"

/** At most `most` pairs of `dev` whose source is in `train`, but never with their target, as texts with the numbers of
 *  their lines, in the order of `dev`; if there are more, "..." follows.
 *  Memory: 16 bytes per pair of `train` during the call, and as much for sorting; free `found` with lb_strings_free, also
 *          after an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_status lb_pair_conflicts_find(lb_pairs *train, lb_pairs *dev, int64_t most, lb_strings *found,
                                             lb_error *error);

#endif
