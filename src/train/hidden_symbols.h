/* Symbols made unknown in training, for models that copy. */
#ifndef LB_HIDDEN_SYMBOLS_H
#define LB_HIDDEN_SYMBOLS_H

#include "lookback/train.h"

/** How often each symbol of a source is hidden: with the probability `most`, but frequent ones less often, so that none
 *  is hidden in more places than a symbol of average frequency. Symbols that are not copied are never hidden.
 *  Memory: `*share` [source_vocab], to be given to lb_release; NULL for a model that does not copy.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_hidden_shares(const lb_model *model, const lb_vocabulary *source, double most,
                                       double **share, lb_error *error);

/** The batch, in reading order, with some symbols hidden: each symbol of a source that its target has, too, becomes
 *  LB_UNK in both with the probability `share` [source_vocab], wherever it occurs. A model that copies then cannot know
 *  what it is, and learns to point at it, as it has to at symbols that the training does not have.
 *  Random: depends on seed, step and row, not on the threads or on earlier random ops of the tape.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. With `share` NULL it is the batch itself. */
lb_batch lb_hide_symbols(const lb_model *model, lb_batch batch, const double *share, uint64_t seed,
                         int64_t step);

#endif
