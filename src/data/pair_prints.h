/* Pairs reduced to hashes, to find those that are equal, or that contradict each other. */
#ifndef LB_PAIR_PRINTS_H
#define LB_PAIR_PRINTS_H

#include "data/pairs.h"

/** The hashes of a source, and of source and target. The file of an index has it, too. */
typedef struct lb_pair_print {
    uint64_t source, pair;
} lb_pair_print;

/** The print of one pair. */
lb_pair_print lb_pair_print_of(const lb_pair_line *line);

/** The prints of all pairs, sorted by source, then by pair.
 *  Memory: 16 bytes per pair, and as much for sorting; release them with lb_release. NULL after an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_pair_print *lb_pair_prints_make(lb_pairs *pairs, lb_error *error);

/** Less than 0, 0 or more than 0, in their order. */
int lb_pair_print_compare(const lb_pair_print *a, const lb_pair_print *b);

/** How pairs repeat. */
typedef struct lb_pair_repetitions {
    int64_t duplicates; /* pairs that equal another one before them */
    int64_t ambiguous;  /* different sources with more than one target */
    int64_t possible;   /* pairs that are right if each source gets its most frequent target */
} lb_pair_repetitions;

/** Sorts `count` prints, as those of lb_pair_prints_make are. */
void lb_pair_prints_sort(lb_pair_print *prints, int64_t count);

/** Counts the repetitions among sorted prints. */
lb_pair_repetitions lb_pair_prints_count(const lb_pair_print *prints, int64_t count);

/** The first of `count` sorted prints that is not before `wanted`, or the end. */
const lb_pair_print *lb_pair_print_find(const lb_pair_print *prints, int64_t count, lb_pair_print wanted);

/** At most `most` pairs of `dev` whose source is in `train`, but never with their target, as texts with the numbers of
 *  their lines, in the order of `dev`; if there are more, "..." follows.
 *  Memory: 16 bytes per pair of `train` during the call, and as much for sorting; free `found` with lb_strings_free,
 *          also after an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_status lb_pair_conflicts_find(lb_pairs *train, lb_pairs *dev, int64_t most, lb_strings *found,
                                             lb_error *error);

#endif
