/* Training one model on pairs, in a folder of its own. */
#ifndef APP_PAIR_TRAINING_H
#define APP_PAIR_TRAINING_H

#include "common/output.h"
#include "common/pair_data.h"
#include "common/progress.h"

/** One model in training. */
typedef struct app_pair_training {
    const app_pair_settings *settings;
    app_pair_data *data;
    uint64_t seed;       /* of its weights and of all that it draws */
    const char *folder;  /* gets model.safetensors, checkpoint.safetensors, log.jsonl, training.png */
    const char *options; /* as JSON, for the record; NULL: not there */
    const char *name;    /* in front of the bar that shows its progress; NULL: "step" */
    lb_params *params;
    lb_model *model; /* `params` own it */
    lb_pair_order *order;
    lb_train_history history;
    int64_t steps, logged;
    double smoothing;
    bool stepped; /* in this session */
    app_progress progress;
} app_pair_training;

/** Builds the model. The caller has set what stands above `params`, and all of it must outlive the training.
 *  Memory: freed by app_pair_training_free, also after an error.
 *  Errors: LB_ERROR_ARGUMENT for an impossible model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pair_training_init(app_pair_training *training, lb_error *error);

/** Trains until the steps are done or patience is at its end, from the checkpoint on if there is one, and leaves the best
 *  weights in `params`. The best model so far is in its file from its evaluation on.
 *  Errors: those of lb_train. */
LB_MUST_USE lb_status app_pair_training_run(app_pair_training *training, lb_error *error);

/** The record of the training, for lb_translator.training: {"steps", "seconds", "exact_match": the best, "best_step",
 *  "seed", "options", "history": [as in log.jsonl]}. Memory: to be released with lb_release; NULL if there is none. */
char *app_pair_training_record(const app_pair_training *training);

void app_pair_training_free(app_pair_training *training);

#endif
