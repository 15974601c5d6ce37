/* The display of a training: notes, a progress bar, and a chart at the end. */
#ifndef APP_TRAINING_VIEW_H
#define APP_TRAINING_VIEW_H

#include "console/console.h"
#include "console/output.h"

#include <lookback/translate.h>

/** A training and its display. */
typedef struct app_training_view {
    const char *chart; /* its file name */
    app_measure measure;
    app_progress progress, counting; /* of the steps; of what comes before them */
    lb_training_step step;           /* the last one */
    bool locked;                     /* the caller has locked the folder */
    bool begun, warned;
    int64_t pairs;     /* of the training, once it has ended */
    double seconds;    /* that it took */
    double first_loss; /* of the first step in this process; 0: there was none */
    /* The loss of a training that ended worse than guessing and than it began, and that of guessing; 0: none. */
    double worse, guessing;
    char name[APP_SHORT + 16]; /* of the model in training; "" if it is the only one */
} app_training_view;

/** As lb_translator_train, with a display; Ctrl-C, SIGTERM and SIGUSR1 interrupt it.
 *  Errors: those of lb_translator_train; LB_ERROR_WRITE of the chart. */
LB_MUST_USE lb_status app_train_in_view(app_training_view *view, lb_training_config config,
                                        lb_training_result *result, lb_error *error);

/** Says on the last line if the training ended worse than guessing, and worse than it began. Returns the exit
 *  status. */
int app_training_status(const app_training_view *view);

/** Passes on the error of a training, with a hint: how to resume after an interruption, or what to do if that is
 *  impossible. Returns its status.
 *  Run: its name, NULL or "" for none. */
lb_status app_say_what_helps(const char *run, bool fresh, const lb_error *found, lb_error *error);

/** What computes, such as "OpenBLAS 0.3.21 Haswell, loops for AVX2, 2 threads". Valid until the next call. */
const char *app_arithmetic(void);

/** Says that files cannot be written now, unless `*warned`, and sets it. Once is enough: the same disk is full at every
 *  evaluation. */
void app_warn_unsaved(bool *warned, const lb_error *error);

/** Describes a setting by its option, "--lr 0.01": an lb_setting_fn. */
void app_name_setting(void *context, const char *name, const char *value, char *text, size_t size);

/** Shows a step of a run. Start with a zero `progress`, and end it with app_progress_end. In a resumed run, the time
 *  left is based on the steps of this process only. */
void app_show_step(app_progress *progress, const lb_training_run *run, const lb_training_step *step);

#endif
