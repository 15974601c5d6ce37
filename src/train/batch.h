/* Batches: of sources and targets for teacher forcing, and of examples in arrays. */
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "data/sort_task.h"
#include "lookback/train.h"

/* ---- batch.c ---- */

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

/** A batch without rows. Each part knows the tape, which has the error, so a model treats it like poison. */
lb_batch lb_batch_empty(lb_tape *tape);

/** Writes the source of one row: `length` ids. */
void lb_batch_set_source(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** Writes the target of one row: `length` ids, with LB_BOS at the start of target_in and LB_EOS at the end of
 *  target_out. */
void lb_batch_set_target(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** The row of each list in a batch, ordered so that padding costs a recurrent model little: each tile of rows
 *  (tensor/panels.h) gets lists of similar lengths, longest first. `row` receives one row per list.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
LB_MUST_USE lb_status lb_batch_order(lb_tape *tape, int64_t size, const int32_t *lengths, int64_t *row);

/* ---- examples.c ---- */

/** The label of what does not count. */
enum { LB_NO_LABEL = -1 };

/** Some examples, on the tape. */
typedef struct lb_example_batch {
    lb_example_input input;
    lb_tokens labels;  /* [batch, 1], or with tags and `next` as the tokens; empty for values */
    lb_tensor *values; /* [batch, outputs]; NULL for labels */
} lb_example_batch;

/** Checks all examples. Errors: LB_ERROR_ARGUMENT and LB_ERROR_INDEX, as lb_fit. */
LB_MUST_USE lb_status lb_examples_check(const lb_examples *examples, lb_error *error);

/** A hash of all that is in the arrays. */
uint64_t lb_examples_hash(const lb_examples *examples);

/** The examples with these numbers, in this order. Tokens are as long as the longest of them.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_example_batch lb_examples_batch(const lb_examples *examples, lb_tape *tape, const int64_t *number,
                                   int64_t count);

#endif
