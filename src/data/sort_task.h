/* The task that the engine is shown with: put a list of numbers in order. */
#ifndef LB_SORT_TASK_H
#define LB_SORT_TASK_H

#include "tensor/status.h"

#include <stdint.h>

/** Lists of `min_length` to `max_length` numbers from 0 to `max_value`, all drawn evenly. */
typedef struct lb_sort_task {
    int32_t max_value;
    int32_t min_length, max_length;
    uint64_t seed; /* which lists training and testing see */
} lb_sort_task;

typedef enum lb_split {
    LB_SPLIT_TRAIN,
    LB_SPLIT_TEST /* one list in ten, chosen by a hash of its numbers: no list is ever in both */
} lb_split;

/** Checks the numbers against each other, and that either split has a list at all.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_check(const lb_sort_task *task, lb_error *error);

/** Ids that a vocabulary of the task needs: the numbers and LB_FIRST_TOKEN special ones. */
int32_t lb_sort_vocab(const lb_sort_task *task);

/** Draws list number `index` of a split into `values` (room for max_length). Returns its length.
 *  The same task, split and index give the same list. The task must have passed lb_sort_check: of a split without a
 *  list, none could ever be drawn. */
int32_t lb_sort_draw(const lb_sort_task *task, lb_split split, uint64_t index, int32_t *values);

/** Which split a list belongs to: a property of its numbers alone. */
lb_split lb_sort_split(const int32_t *values, int32_t length);

/** Sorts in place, ascending. */
void lb_sort_values(int32_t *values, int32_t length);

#endif
