/* Outputs that are equal as text are one output: two orders of combining marks compose to the same letter, and a copied
 * symbol can be one that the model knows, too. */
#ifndef LB_MERGE_H
#define LB_MERGE_H

#include "translate/apply/result.h"

/** Merges the outputs of a text, which are those of the hypotheses `found`, in their order. Finished outputs and those
 *  that were cut off stay apart. The log-probability of the result is the log of the sum over different ids.
 *  Search:  the best of equal ones is kept, and the list is in order again.
 *  Samples: each one is a draw and stays in the list, in its place; equal ones get the same probability.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_merge_outputs(const lb_translate_job *job, lb_translation *text,
                                       const lb_hypothesis *found);

#endif
