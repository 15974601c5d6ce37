/* The display of a training: notes, a progress bar, and a chart at the end. */
#ifndef APP_TRAINING_VIEW_H
#define APP_TRAINING_VIEW_H

#include "console/console.h"

#include <lookback/translate.h>

/** A training and its display. The caller sets `locked`. */
typedef struct app_training_view {
    const lb_training_config *config;
    app_progress progress, counting; /* of the steps; of what comes before them */
    lb_training_step step;           /* the last one */
    bool locked;                     /* the caller has locked the folder */
    bool begun, warned;
    int64_t pairs;     /* of the training, once it has ended */
    double seconds;    /* that it took */
    double first_loss; /* of the first step in this process; 0: there was none */
    /* The loss of a training that ended worse than guessing and than it began, and that of guessing; 0: none. */
    double worse, guessing;
    char name[APP_SHORT + 16];   /* of the model in training, "seed 3"; "" if it is the only one */
    char prefix[APP_SHORT + 18]; /* of messages about it, "seed 3: " */
} app_training_view;

/** As lb_translator_train, with a display; Ctrl-C, SIGTERM and SIGUSR1 interrupt it.
 *  Errors: those of lb_translator_train; LB_ERROR_WRITE of the chart. */
LB_MUST_USE lb_status app_train_in_view(app_training_view *view, lb_training_config config,
                                        lb_training_result *result, lb_error *error);

/** Says on the last line if the training ended worse than guessing, and worse than it began. Returns the exit
 *  status. */
int app_training_status(const app_training_view *view);

#endif
