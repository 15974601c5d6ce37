/* Exact match: how often a model gets the whole answer right. */
#ifndef LB_EVALUATE_H
#define LB_EVALUATE_H

#include "lookback/train.h"
#include "train/batch.h"

/** The number of rows whose output equals `target_out`, LB_EOS included. */
int64_t lb_exact_matches(const lb_decoded *decoded, lb_tokens target_out);

/** The measures of lb_tally_add on the first `lists` held-out lists of the task, shared with a group unless it is NULL.
 *  Resets the tape; its mode is restored.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_sort_measure(const lb_model *model, const lb_sort_task *task, lb_tape *tape,
                                      int64_t lists, const lb_group *group, lb_evaluation *found);

#endif
