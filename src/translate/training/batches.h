/* Where the pairs of one model's training come from: files, or the sort task, which draws them. */
#ifndef LB_PRODUCER_H
#define LB_PRODUCER_H

#include "base/buffer.h"
#include "data/pairs.h"
#include "translate/training/data.h"

typedef struct lb_producer {
    lb_training_data *data;
    int64_t batch;        /* pairs per step */
    int shards;           /* parts of a batch */
    int64_t *pair;        /* [batch]: the pairs of a part */
    lb_pair_order *order; /* of pairs from files; NULL for the sort task */
    lb_sort_task task;    /* without files: draws the pairs from its seed */
} lb_producer;

/** Begins with a seed and opened data. Memory: freed by lb_producer_free, also after an error.
 *  Errors: those of lb_pair_order_new. */
LB_MUST_USE lb_status lb_producer_init(lb_producer *producer, lb_training_data *data,
                                       const lb_training_config *config, uint64_t seed, int shards,
                                       lb_error *error);

void lb_producer_free(lb_producer *producer);

/** The number of steps of a training. */
int64_t lb_producer_steps(const lb_producer *producer, const lb_training_config *config);

/** The pairs of part number `part` of the training, step * shards + its number within the step, on the tape: every
 *  shards-th pair of the batch, whose lengths are then those of the whole batch. There may be none.
 *  Errors: those of lb_pair_batch or lb_sort_batch. */
lb_batch lb_producer_batch(lb_producer *producer, lb_tape *tape, int64_t part);

/** At most `count` pairs that are kept out of the training, evenly spaced, on the tape. `number[row]` receives the
 *  number of each pair, in the dev file or the split of the task. Errors: as lb_producer_batch. */
lb_batch lb_producer_held_out(lb_producer *producer, lb_tape *tape, int64_t count, int64_t *number);

/** Evaluates the model on the dev pairs, shared with a group unless it is NULL. Resets the tape.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_producer_measure(lb_producer *producer, const lb_model *model, lb_tape *tape,
                                          const lb_group *group, lb_evaluation *found);

/** Prints the members of a JSON object that identify these pairs. */
void lb_producer_print(const lb_producer *producer, lb_buffer *json);

#endif
