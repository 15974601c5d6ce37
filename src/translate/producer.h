/* Where the pairs of one model's training come from: files, or the sort task, which draws them. */
#ifndef LB_PRODUCER_H
#define LB_PRODUCER_H

#include "base/buffer.h"
#include "translate/training_data.h"

typedef struct lb_producer {
    lb_training_data *data;
    int min_count;        /* of symbols that are known */
    int64_t batch;        /* pairs in a step */
    lb_pair_order *order; /* of those in files; NULL: */
    lb_sort_task task;    /* they are drawn, by its seed */
} lb_producer;

/** Begins for a seed, with data that have been opened. Memory: freed by lb_producer_free, also after an error.
 *  Errors: those of lb_pair_order_new. */
LB_MUST_USE lb_status lb_producer_init(lb_producer *producer, lb_training_data *data,
                                       const lb_training_config *config, uint64_t seed, lb_error *error);

void lb_producer_free(lb_producer *producer);

/** Steps of a training. */
int64_t lb_producer_steps(const lb_producer *producer, const lb_training_config *config);

/** The pairs of a step, on the tape. Errors: those of lb_pair_batch or lb_sort_batch. */
lb_batch lb_producer_batch(lb_producer *producer, lb_tape *tape, int64_t step);

/** Evaluates the model on the pairs for measuring. Resets the tape. Errors: what the tape holds then. */
LB_MUST_USE lb_status lb_producer_measure(lb_producer *producer, const lb_model *model, lb_tape *tape,
                                          lb_evaluation *found);

/** Prints what tells these pairs from any others: members of a JSON object. */
void lb_producer_print(const lb_producer *producer, lb_buffer *json);

#endif
