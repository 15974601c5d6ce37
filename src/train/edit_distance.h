/* How far a sequence is from another, and which symbols make the difference. */
#ifndef LB_EDIT_DISTANCE_H
#define LB_EDIT_DISTANCE_H

#include "tensor/status.h"
#include "train/sequence.h"

/** The Levenshtein distance: the least number of symbols to insert, delete or replace that turns one sequence into the
 *  other.
 *  Cost:   O(a b) time, O(min(a, b)) memory for the time of the call.
 *  Errors: LB_ERROR_MEMORY.
 *  Source: Wagner and Fischer 1974, "The string-to-string correction problem". */
LB_MUST_USE lb_status lb_edit_distance(lb_sequence a, lb_sequence b, int64_t *distance, lb_error *error);

enum { LB_NO_SYMBOL = -1 };

/** A symbol of the reference and what stands in its place in the output. LB_NO_SYMBOL as `output`: it is missing there;
 *  as `reference`: the output has one too many. */
typedef struct lb_aligned {
    int32_t reference, output;
} lb_aligned;

/** The whole of both sequences, side by side; as many pairs differ as the distance says. */
typedef struct lb_alignment {
    lb_aligned *pair; /* [length] */
    int64_t length;
} lb_alignment;

/** Aligns an output with its reference by as few edits as can be. Of several ways, the one that, read from the end,
 *  first has a pair of two symbols, then a missing one, then one too many.
 *  Cost:   O(a b) time and bytes.
 *  Memory: the pairs are freed by lb_alignment_free. After an error there are none.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_alignment *alignment,
                                        lb_error *error);

/** Frees the pairs. */
void lb_alignment_free(lb_alignment *alignment);

#endif
