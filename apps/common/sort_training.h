/* A training to sort whose steps are the caller's: the recipe, a step's loss, and the file of the model. */
#ifndef APP_SORT_TRAINING_H
#define APP_SORT_TRAINING_H

#include "common/progress.h"

#include <lookback/lookback.h>

/** One model in training, and all that decides which numbers come out. */
typedef struct app_sort_training {
    lb_sort_task task; /* its seed decides the first weights and all lists */
    int steps, batch;  /* lists in a step */
    double lr;         /* at the start */
    lb_params *params;
    lb_model *model;
    const char *name; /* in front of the bar that shows its progress; NULL: "step" */
    app_progress progress;
} app_sort_training;

/** The loss of lists number step * batch to (step + 1) * batch - 1 of a task; adds their tokens to `tokens`. The task
 *  is that of the training, or a part of it. */
lb_tensor *app_sort_loss(const app_sort_training *training, const lb_sort_task *task, lb_tape *tape,
                         int64_t step, int64_t *tokens);

/** The recipe: Adam with clipping, its rate along a cosine, weights averaged. The caller adds the functions and the
 *  checkpoint. */
lb_trainer_config app_sort_recipe(const app_sort_training *training);

/** Shows how far the training is, from what an lb_progress_fn is told. A run that goes on begins where it stands: time
 *  left counts the steps of this session only. */
void app_sort_show(app_sort_training *training, int64_t step, double loss, const lb_train_point *last,
                   double tokens, double seconds);

/** Trains as lb_train does, until Ctrl-C or SIGTERM, and ends what app_sort_show has begun; says what helps if it cannot
 *  resume. */
LB_MUST_USE lb_status app_sort_train(app_sort_training *training, const lb_trainer_config *config,
                                     lb_train_history *history, lb_error *error);

enum { APP_IDENTITY = 1024 };

/** Writes what tells this training from any other into `text`, for lb_trainer_config.run. Returns it. */
char *app_sort_identity(const app_sort_training *training, char text[APP_IDENTITY]);

/** Writes the trained model to `path`, with its task and its history. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sort_save(const app_sort_training *training, const char *path,
                                    const lb_train_history *history, lb_error *error);

#endif
