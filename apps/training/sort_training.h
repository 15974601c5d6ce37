/* Parts of a training to sort, for callers with their own steps: the recipe, the loss of a step, and the model file. */
#ifndef APP_SORT_TRAINING_H
#define APP_SORT_TRAINING_H

#include "console/progress.h"

#include <lookback/lookback.h>

/** One model in training, and all settings that determine the result. */
typedef struct app_sort_training {
    lb_sort_task task; /* its seed determines the initial weights and all lists */
    int steps, batch;  /* batch: lists per step */
    double lr;         /* at the start */
    lb_params *params;
    lb_model *model;
    const char *name; /* before the progress bar; NULL: "step" */
    app_progress progress;
} app_sort_training;

/** The loss of lists step * batch to (step + 1) * batch - 1 of a task; adds their tokens to `tokens`. The task is the
 *  one of the training, or a part of it. */
lb_tensor *app_sort_loss(const app_sort_training *training, const lb_sort_task *task, lb_tape *tape,
                         int64_t step, int64_t *tokens);

/** The recipe: Adam with clipping, a cosine schedule and averaged weights. The caller adds the functions and the
 *  checkpoint. */
lb_trainer_config app_sort_recipe(const app_sort_training *training);

/** Shows the progress of the training, from the arguments of an lb_progress_fn. In a resumed run, the time left is
 *  based on the steps of this session only. */
void app_sort_show(app_sort_training *training, int64_t step, double loss, const lb_train_point *last,
                   double tokens, double seconds);

/** As lb_train, but stops at Ctrl-C or SIGTERM, and ends the progress of app_sort_show. If it cannot resume, it says
 *  what helps. */
LB_MUST_USE lb_status app_sort_train(app_sort_training *training, const lb_trainer_config *config,
                                     lb_train_history *history, lb_error *error);

enum { APP_IDENTITY = 1024 };

/** Writes the settings that identify this training into `text`, for lb_trainer_config.run. Returns `text`. */
char *app_sort_identity(const app_sort_training *training, char text[APP_IDENTITY]);

/** Writes the trained model to `path`, with its task and its history. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sort_save(const app_sort_training *training, const char *path,
                                    const lb_train_history *history, lb_error *error);

#endif
