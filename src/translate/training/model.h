/* One model in training, and how it is built. */
#ifndef LB_TRAINING_MODEL_H
#define LB_TRAINING_MODEL_H

#include "train/augment.h"
#include "translate/training/batches.h"
#include "translate/training/film.h"

/** One model in training. */
typedef struct lb_training {
    const lb_training_config *config; /* settled */
    lb_training_data *data;
    const lb_start *start;
    uint64_t seed;       /* of its weights and all other random numbers */
    int shards;          /* parts of each batch */
    lb_training_run run; /* what listeners see; the caller owns its name and folder */
    lb_params *params;
    lb_model *model; /* owned by `params` */
    lb_producer producer;
    lb_train_history history;
    const lb_trainer_config *trainer; /* while it trains */
    char *model_file, *checkpoint, *log, *table, *film_file;
    lb_film film;
    char *set_aside; /* the earlier model; NULL: there is none */
    double smoothing;
    lb_shared_symbols shared;
    double *hidden; /* of lb_hide_symbols; NULL: nothing is hidden */
    int64_t logged, tabled;
} lb_training;

/** Its settings, with those that the configuration leaves open. */
lb_training_config lb_training_in_force(const lb_training *training);

/** Makes the parameters and the model, copies what the start model knows, and freezes what shall not be trained.
 *  Errors: LB_ERROR_ARGUMENT for an invalid model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_build(lb_training *training, lb_error *error);

/** The same without weights and without data, to learn whether there can be such a model. */
LB_MUST_USE lb_status lb_training_build_trial(lb_training *training, lb_error *error);

#endif
