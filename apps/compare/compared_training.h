/* One of the models that lookback compare trains to sort lists of numbers. */
#ifndef APP_COMPARED_TRAINING_H
#define APP_COMPARED_TRAINING_H

#include "compare/compared_kinds.h"
#include "console/progress.h"

#include <lookback/lookback.h>

/** What all models have in common. */
typedef struct app_compared_budget {
    int max_number, min_length, max_length, hidden, batch, steps;
} app_compared_budget;

/** A model in training; another kind may follow in the same place. */
typedef struct app_compared_training {
    app_compared_budget size;
    uint64_t seed;
    const char *out; /* the folder of all models */
    bool fresh;      /* start again instead of resuming */
    bool warned;     /* that a checkpoint could not be written */
    const app_compared_kind *kind;
    lb_sort_task task; /* its seed determines the initial weights and all lists */
    lb_params *params;
    lb_model *model; /* one of these */
    app_progress progress;
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} app_compared_training;

enum { APP_HELD_OUT = 1000 }; /* lists of each length */

/** The lists of all lengths, and those of one. */
lb_sort_task app_compared_task(const app_compared_training *t);
lb_sort_task app_compared_length(const lb_sort_task *task, int32_t length);

/** Builds the model of a kind, and frees the one before it. Errors: those of the settings; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_compared_build(app_compared_training *t, const app_compared_kind *kind,
                                         lb_error *error);

/** Trains the model that was built, or resumes its training, and writes it to the folder. If it is fresh, an earlier
 *  model of the kind is kept under another name, see lb_set_aside.
 *  Memory: release history->points with lb_release, also after an error. Errors: those of lb_train; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_compared_train(app_compared_training *t, lb_train_history *history,
                                         lb_error *error);

/** Measures the exact match [lengths] on held-out lists. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_compared_measure(const app_compared_training *t, double *exact_match,
                                           lb_error *error);

/** Frees the model. */
void app_compared_free(app_compared_training *t);

#endif
