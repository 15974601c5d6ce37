/* What is to be seen of a training: notes, a bar, and a chart when it is done. */
#ifndef APP_TRAINING_VIEW_H
#define APP_TRAINING_VIEW_H

#include "common/output.h"
#include "common/progress.h"

#include <lookback/translate.h>

/** A training and how it is shown. */
typedef struct app_training_view {
    const char *chart; /* the name of its file */
    app_measure measure;
    app_progress progress;
    bool begun, warned;
    char name[APP_SHORT + 16]; /* of the model in training; "" if it is the only one */
} app_training_view;

/** Trains as lb_translator_train does, in view; Ctrl-C and SIGTERM interrupt it.
 *  Errors: those of lb_translator_train; LB_ERROR_WRITE of the chart. */
LB_MUST_USE lb_status app_train_in_view(app_training_view *view, lb_training_config config,
                                        lb_training_result *result, lb_error *error);

/** Hands the error of a training on, with what helps: how to resume after an interruption, what to do where that cannot
 *  be. Returns its status.
 *  Run: its name, NULL or "" for none. */
lb_status app_say_what_helps(const char *run, bool fresh, const lb_error *found, lb_error *error);

/** Names a setting as the option that sets it, "--label-smoothing 0.1": an lb_setting_fn. */
void app_name_setting(void *context, const char *name, const char *value, char *text, size_t size);

/** Shows a step of a run. Zero is a progress that has not begun; app_progress_end ends it. A run that goes on begins
 *  where it stands: time left counts the steps of this session only. */
void app_show_step(app_progress *progress, const lb_training_run *run, const lb_training_step *step);

#endif
