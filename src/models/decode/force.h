/* What a model gives to targets that it is told. */
#ifndef LB_FORCE_H
#define LB_FORCE_H

#include "lookback/models.h"

/** What a model finds of given targets; on the tape, in reading order. */
typedef struct lb_forced {
    /* [batch, T, target_vocab] of each token, given those that the model writes before it; NULL after an error */
    lb_tensor *log_probabilities;
    /* [batch, layers heads, T, S]; NULL without attention, and of members that vote */
    lb_tensor *weights;
} lb_forced;

/** The tokens of a row before its LB_EOS, if it has one. */
int64_t lb_symbols_before_end(lb_tokens target_out, int64_t row);

/** What the decoder reads to write `target_out`, in the order in which the model writes: LB_BOS and all tokens but the
 *  last. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_tokens lb_model_target_in(const lb_model *model, lb_tokens target_out);

/** Teacher forcing in reading order, whatever the direction of the model. The tape is in LB_MODE_EVALUATE meanwhile;
 *  its mode is restored.
 *  Target: `target_out` [batch, T] in reading order. A row ends with LB_EOS, or else was cut off.
 *  Errors: as lb_model_forward, recorded on the tape. */
lb_forced lb_model_force(const lb_model *model, lb_tokens source, lb_tokens target_out);

/** The same for several targets of a source: row i of the targets is one of source row[i]. Not for members that
 *  vote. */
lb_forced lb_model_force_rows(const lb_model *model, lb_tokens source, const int64_t *row,
                              lb_tokens target_out);

#endif
