/* Which symbol was written for which, and how often. */
#ifndef LB_CONFUSIONS_H
#define LB_CONFUSIONS_H

#include "train/edit_distance.h"

/** The reference has `reference` where the outputs have `output`; either may be LB_NO_SYMBOL. */
typedef struct lb_confusion {
    int32_t reference, output;
    int64_t count;
} lb_confusion;

/** Zero is an empty table. To be freed by lb_confusions_free. */
typedef struct lb_confusions {
    lb_confusion *pair; /* [count]; each pair once after lb_confusions_sort, more often before */
    int64_t count, capacity;
} lb_confusions;

/** Adds the edits of an output, as lb_edit_alignment finds them. Symbols that are right are no confusions.
 *  Errors: LB_ERROR_MEMORY; the table is sound then, but some of the edits may be missing. */
LB_MUST_USE lb_status lb_confusions_add(lb_confusions *confusions, lb_sequence reference, lb_sequence output,
                                        lb_error *error);

/** Sums up, and puts the most frequent pair first; equally frequent ones are in the order of their ids. */
void lb_confusions_sort(lb_confusions *confusions);

/** Frees the table. */
void lb_confusions_free(lb_confusions *confusions);

#endif
