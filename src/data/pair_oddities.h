/* What is odd about a file of pairs, and what mends it. */
#ifndef LB_PAIR_ODDITIES_H
#define LB_PAIR_ODDITIES_H

#include "data/pairs.h"

/** Lines of text about faults that still leave a valid file: a first line like no other, symbols that hardly occur, the
 *  numbers of variants, quotes around everything, comments, and features that are none.
 *  Vocabularies: of the pairs, before any symbol is dropped.
 *  Memory: free `odd` with lb_strings_free, also after an error.
 *  Errors: as lb_pairs_read. Cost: O(bytes), unless the pairs are from an index: then nothing is said. */
LB_MUST_USE lb_status lb_pair_oddities_find(lb_pairs *pairs, const lb_vocabulary *source,
                                            const lb_vocabulary *target, lb_strings *odd, lb_error *error);

#endif
