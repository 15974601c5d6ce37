/* The weights of a training between its steps: for lb_train, and for whoever asks for each step. */
#ifndef LB_STEP_H
#define LB_STEP_H

#include "lookback/train.h"
#include "train/resume.h"
#include "train/shards.h"

typedef struct lb_train_session {
    const lb_trainer_config *config;
    lb_tape *tape;
    lb_train_state state;
    lb_shards shards;
    lb_real *room; /* [LB_GROUP_ROOM] for the gradients of others; NULL without a group */
    double tokens; /* of the targets in the steps of this session */
    bool stopped;  /* a process of the group wants to stop: all know it after the same step */
} lb_train_session;

/** Begins before the first step. The caller has set `config`, and `state.history` if it needs one.
 *  Memory: freed by lb_train_session_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_train_session_begin(lb_train_session *session, lb_error *error);

/** One step: batch, gradient, optimiser, average. `loss` receives its value. With a group, everyone takes its parts of the
 *  batch.
 *  Errors: LB_ERROR_DIVERGED if the loss or the gradient is not finite; errors of the tape. */
LB_MUST_USE lb_status lb_train_session_step(lb_train_session *session, double *loss, lb_error *error);

/** Swaps the weights with their average, if there is one: before and after evaluating it. */
void lb_train_session_swap(const lb_train_session *session);

/** The bytes of all weights. */
size_t lb_train_session_bytes(const lb_train_session *session);

void lb_train_session_free(lb_train_session *session);

#endif
