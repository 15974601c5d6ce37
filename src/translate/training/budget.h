/* A training that fits into the time that its user has. */
#ifndef LB_BUDGET_H
#define LB_BUDGET_H

#include "lookback/translate.h"

/** What a training costs, in seconds. */
typedef struct lb_training_cost {
    double step;
    double evaluation;
} lb_training_cost;

/** How many steps cost at most so many seconds, with an evaluation after each `evaluate_every` of them and after the
 *  last one; at least 1. */
int64_t lb_budget_steps(double seconds, lb_training_cost cost, int64_t evaluate_every);

/** The next smaller width of a model, which takes about half of the time; the same if there is none. */
int lb_budget_narrower(int width);

/** Chooses width and steps of a fitted configuration with `minutes`: the steps of the recipe if they fit into the time.
 *  Otherwise fewer; but a width for which less than a third of them fit is made narrower. The speed is measured by some
 *  steps on the data. A run that is resumed keeps its choice. `folder` has its checkpoint.
 *  Errors: LB_ERROR_ARGUMENT for standard input, a group, or several seeds; those of lb_stepper_new. */
LB_MUST_USE lb_status lb_budget_fit(lb_training_config *config, const char *folder, lb_error *error);

#endif
