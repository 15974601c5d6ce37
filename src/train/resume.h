/* The state of a training run in a file: what lb_train saves and goes on from. */
#ifndef LB_RESUME_H
#define LB_RESUME_H

#include "lookback/train.h"

/** What changes from step to step, besides the parameters. */
typedef struct lb_train_state {
    int64_t step;           /* steps done */
    double loss_sum;        /* of the steps since the last point */
    double seconds, tokens; /* of the run, as lb_train_point has them */
    lb_adam *adam;
    lb_real *average; /* of the weights, a slab as theirs; NULL if none is kept */
    lb_real *best;    /* the weights of the best evaluation, likewise */
    lb_train_history *history;
} lb_train_state;

/** Writes all of it and the parameters.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY; the old file is intact then. */
LB_MUST_USE lb_status lb_resume_save(const lb_trainer_config *config, const lb_train_state *state,
                                     lb_error *error);

/** Reads them back, if there is such a file; else leaves everything as it is.
 *  Errors: LB_ERROR_FORMAT if it is damaged, of another run, or has more steps than the run. */
LB_MUST_USE lb_status lb_resume_load(const lb_trainer_config *config, lb_train_state *state, lb_error *error);

/** Appends a point. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_train_history_add(lb_train_history *history, lb_train_point point, lb_error *error);

#endif
