/* Batches of sources and targets for teacher forcing, while they are made and changed. */
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "base/threads.h"
#include "lookback/translate.h"

/** The arrays for the ids of a new batch. */
typedef struct lb_batch_rows {
    int64_t source_width, target_width;                 /* of a row; target_width counts LB_BOS or LB_EOS */
    int32_t *source, *target_in, *target_out;           /* [size, width] */
    int32_t *source_lengths, *in_lengths, *out_lengths; /* [size] */
} lb_batch_rows;

/** A batch on the tape for sources and targets of at most this many tokens, filled with padding. Fill in tokens through
 *  `rows`.
 *  Shapes: source [size, source_longest], target_in and target_out [size, target_longest + 1].
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_new(lb_tape *tape, int64_t size, int64_t source_longest, int64_t target_longest,
                      lb_batch_rows *rows);

/** The same batch with ids of its own, to be changed through `rows`.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_copy(lb_batch batch, lb_batch_rows *rows);

/** A batch, in reading order, as a model reads it for lb_model_forward: with reversed targets for a model that writes
 *  from the end (lb_model.from_end), and otherwise the batch itself.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_for(const lb_model *model, lb_batch batch);

/** What the decoder reads to write `target_out`, in the order in which the model writes: LB_BOS and all tokens but the
 *  last. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_tokens lb_target_in_of(const lb_model *model, lb_tokens target_out);

/** The log-probabilities of what a model writes. No output has LB_PAD and LB_BOS: they get -inf, and the other symbols
 *  share their probability; lb_model_loss counts all symbols. Shapes: logits [..., target_vocab] -> the same. */
lb_tensor *lb_written_log_probabilities(const lb_model *model, lb_tensor *logits);

/** A batch without rows. Each part knows the tape, which has the error, so a model treats it like poison. */
lb_batch lb_batch_empty(lb_tape *tape);

/** Writes the source of one row: `length` ids. */
void lb_batch_set_source(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** Writes the target of one row: `length` ids, with LB_BOS at the start of target_in and LB_EOS at the end of
 *  target_out. */
void lb_batch_set_target(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** The row of each list in a batch, ordered so that padding costs a recurrent model little: each tile of rows
 *  (lb_row_tiles) gets lists of similar lengths, longest first. `row` receives one row per list.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
LB_MUST_USE lb_status lb_batch_order(lb_tape *tape, int64_t size, const int32_t *lengths, int64_t *row);

#endif
