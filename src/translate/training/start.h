/* A training that starts from a trained model, on other pairs or with other settings. */
#ifndef LB_START_H
#define LB_START_H

#include "lookback/translate.h"
#include "translate/file/text_model.h"

typedef struct lb_start {
    lb_text_model model; /* params are NULL if the training starts afresh */
    uint64_t hash;       /* of its parameters and vocabularies */
} lb_start;

/** Opens `config->from`, if it is set, and sets architecture and symbol rules where the configuration has not.
 *  Memory: freed by lb_start_free, also after an error; the configuration points into it.
 *  Errors: those of lb_model_file_open and lb_text_model_load; LB_ERROR_ARGUMENT for an ensemble, a model of another
 *          task, one that `config->out` would overwrite, or one that contradicts the configuration. */
LB_MUST_USE lb_status lb_start_open(lb_start *start, lb_training_config *config, lb_error *error);

void lb_start_free(lb_start *start);

/** Puts `old`, a vocabulary of the model, in front of `*symbols`: old ids stay, new symbols follow in their order. Does
 *  nothing without a model. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_start_grow(const lb_start *start, const lb_vocabulary *old, lb_vocabulary **symbols,
                                    lb_error *error);

/** Copies its parameters into those of a new model. If that has more symbols, their rows are not changed.
 *  Errors: LB_ERROR_ARGUMENT if the new model differs in anything else. */
LB_MUST_USE lb_status lb_start_copy(const lb_start *start, const lb_training_config *config,
                                    const lb_model *model, lb_params *params, lb_error *error);

#endif
