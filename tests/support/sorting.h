/* A small model that learns to sort, and everything needed to train it. */
#ifndef SUPPORT_SORTING_H
#define SUPPORT_SORTING_H

#include "data/sort_task.h"
#include "models/seq2seq.h"
#include "models/transformer.h"
#include "train/batch.h"
#include "train/optimizer.h"

/* A transformer where its width is given, else a seq2seq. */
typedef struct support_sorter {
    lb_seq2seq_config seq2seq;
    lb_transformer_config transformer;
} support_sorter;

typedef struct support_sorting {
    lb_sort_task task;
    lb_params *params;
    lb_tape *tape;
    lb_adam *adam;
    lb_model *model;
} support_sorting;

/* Vocabularies are those of the task. Any of the pointers is NULL where memory failed; returns the first error. */
lb_status support_sorting_open(support_sorting *s, lb_sort_task task, support_sorter sorter);
void support_sorting_close(support_sorting *s);

/* Forward, backward and update on the batch of this number; the loss goes to `loss` unless that is NULL. */
lb_status support_sorting_step(support_sorting *s, int64_t batch_size, int64_t step, lb_real *loss);

#endif
