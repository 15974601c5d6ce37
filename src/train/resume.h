/* The state of a training run in a file, from which lb_train resumes. */
#ifndef LB_RESUME_H
#define LB_RESUME_H

#include "lookback/train.h"

/** What changes from step to step, apart from the parameters. */
typedef struct lb_train_state {
    int64_t step;           /* steps done */
    double loss_sum;        /* of the steps since the last point */
    double seconds, tokens; /* of the run, as in lb_train_point */
    lb_optimizer *optimizer;
    lb_real *average; /* average weights, laid out like the weights; NULL: not kept */
    lb_real *best;    /* weights of the best evaluation, laid out like the weights; NULL: not kept */
    lb_train_history *history;
} lb_train_state;

/** Writes the state and the parameters.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY; the old file is then intact. */
LB_MUST_USE lb_status lb_resume_save(const lb_trainer_config *config, const lb_train_state *state,
                                     lb_error *error);

/** Reads the state and the parameters. Without a file it changes nothing.
 *  Errors: LB_ERROR_FORMAT if the file is damaged, from another run, or has more steps than the run. */
LB_MUST_USE lb_status lb_resume_load(const lb_trainer_config *config, lb_train_state *state, lb_error *error);

/** Appends a point. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_train_history_add(lb_train_history *history, lb_train_point point, lb_error *error);

#endif
