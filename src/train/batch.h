/* Batches for teacher forcing. */
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "data/sort_task.h"
#include "lookback/train.h"

/** Where the ids of a new batch are to be written. */
typedef struct lb_batch_rows {
    int64_t source_width, target_width;                 /* of a row; the second counts LB_BOS or LB_EOS */
    int32_t *source, *target_in, *target_out;           /* [size, width] */
    int32_t *source_lengths, *in_lengths, *out_lengths; /* [size] */
} lb_batch_rows;

/** A batch of padding alone, on the tape, for sources and targets of at most so many tokens. What is written to `rows`
 *  appears in it.
 *  Shapes: source [size, source_longest], target_in and target_out [size, target_longest + 1].
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY, recorded on the tape; then the batch is empty. */
lb_batch lb_batch_new(lb_tape *tape, int64_t size, int64_t source_longest, int64_t target_longest,
                      lb_batch_rows *rows);

/** A batch without rows. Each part knows the tape, where the error stands: a model that is given them goes on as it
 *  does with poison. */
lb_batch lb_batch_empty(lb_tape *tape);

/** Writes the source of one row: `length` ids. */
void lb_batch_set_source(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** Writes the target of one row: `length` ids, with LB_BOS before what is read and LB_EOS behind what is written. */
void lb_batch_set_target(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** Which row each list of a batch takes, so that padding costs a recurrent model little: each of the tiles in which
 *  rows go through time (tensor/row_tiles.h) gets lists of about the same lengths, longest first. `row` receives one
 *  for each list.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
LB_MUST_USE lb_status lb_batch_order(lb_tape *tape, int64_t size, const int32_t *lengths, int64_t *row);

#endif
