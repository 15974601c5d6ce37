/* One step of a training: for lb_train, and for whoever asks for each step. */
#ifndef LB_STEP_H
#define LB_STEP_H

#include "lookback/train.h"
#include "train/group.h"
#include "train/resume.h"
#include "train/thread_choice.h"

/** A model in training. */
typedef struct lb_trainer {
    const lb_trainer_config *config;
    lb_tape *tape;
    lb_train_state state;
    lb_shards shards;
    lb_thread_choice threads;
    int64_t waited, ended; /* ns that the last step waited for others; the clock at its end */
    lb_real *room;         /* [LB_GROUP_ROOM] for the gradients of others; NULL without a group */
    bool stopped;          /* a process of the group wants to stop: all know it after the same step */
    double start;          /* of lb_train, by its clock: earlier by the seconds of the run that it resumes */
    int64_t saved;         /* the step of the checkpoint of lb_train */
} lb_trainer;

/** Begins before the first step. The caller has set `config`, and `state.history` if it needs one.
 *  Memory: freed by lb_trainer_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_trainer_begin(lb_trainer *trainer, lb_error *error);

/** One step: batch, gradient, optimiser, average. `loss` receives its value. With a group, everyone takes its parts of
 *  the batch.
 *  Errors: LB_ERROR_DIVERGED if the loss or the gradient is not finite; errors of the tape. */
LB_MUST_USE lb_status lb_trainer_step(lb_trainer *trainer, double *loss, lb_error *error);

/** Swaps the weights with their average, if there is one: before and after evaluating it. */
void lb_trainer_swap(const lb_trainer *trainer);

/** The bytes of all weights. */
size_t lb_trainer_bytes(const lb_trainer *trainer);

void lb_trainer_free(lb_trainer *trainer);

#endif
