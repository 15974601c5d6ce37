/* Batches for teacher forcing. */
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "autograd/tokens.h"
#include "data/sort_task.h"

typedef struct lb_batch {
    lb_tokens source;
    lb_tokens target_in;  /* LB_BOS y1 ... yn: what the decoder reads */
    lb_tokens target_out; /* y1 ... yn LB_EOS: what it should write */
} lb_batch;

/** Lists number step * size to (step + 1) * size - 1 of the training split, on the tape.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; then the batch is empty. */
lb_batch lb_sort_batch(const lb_sort_task *task, lb_tape *tape, int64_t size, int64_t step);

/** `size` lists of either split from number `first` on. */
lb_batch lb_sort_batch_from(const lb_sort_task *task, lb_split split, lb_tape *tape, int64_t size,
                            uint64_t first);

#endif
