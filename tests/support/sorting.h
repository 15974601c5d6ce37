/* A small model that learns to sort, and everything needed to train it. */
#ifndef SUPPORT_SORTING_H
#define SUPPORT_SORTING_H

#include "lookback/translate.h"
#include "models/built_in.h"
#include "train/optimizer.h"
#include "translate/batches/batch.h"

/* A transformer if its width is given, otherwise a seq2seq. */
typedef struct support_sorter {
    lb_seq2seq_config seq2seq;
    lb_transformer_config transformer;
} support_sorter;

typedef struct support_sorting {
    lb_sort_task task;
    lb_params *params;
    lb_tape *tape;
    lb_optimizer *adam;
    lb_model *model;
} support_sorting;

/* The vocabularies are those of the task. If memory runs out, pointers are NULL. Returns the first error. */
lb_status support_sorting_open(support_sorting *s, lb_sort_task task, support_sorter sorter);
void support_sorting_close(support_sorting *s);

/* Forward, backward and update on batch `step`; `loss`, unless NULL, receives the loss. */
lb_status support_sorting_step(support_sorting *s, int64_t batch_size, int64_t step, lb_real *loss);

#endif
