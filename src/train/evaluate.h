/* How often a model gets the whole answer right. */
#ifndef LB_EVALUATE_H
#define LB_EVALUATE_H

#include "lookback/train.h"
#include "train/batch.h"

/** Rows of a batch whose output is `target_out` up to LB_EOS, token for token, and ended there. */
int64_t lb_exact_matches(const lb_decoded *decoded, lb_tokens target_out);

/** Whether a row of lb_exact_matches counts, found from the logits of teacher forcing: the likeliest token is the right
 *  one at every position, LB_EOS included. Greedy decoding would write just those: as long as it has made no mistake, it
 *  has read the right tokens. One pass instead of a step for each token.
 *  Shapes: logits [batch, length, classes], target_out [batch, length]. */
bool lb_row_is_right(const lb_tensor *logits, lb_tokens target_out, int64_t row);

/** The measures of lb_tally_add on the first `lists` held-out lists of the task. Resets the tape; its mode is restored.
 *  Errors: what the tape holds then. */
LB_MUST_USE lb_status lb_sort_measure(const lb_model *model, const lb_sort_task *task, lb_tape *tape,
                                      int64_t lists, lb_evaluation *found);

/** Tokens after which decoding gives up on a source of this length: room for an answer twice as long. */
int64_t lb_decoding_limit(int64_t source_length);

#endif
