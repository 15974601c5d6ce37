/* Ensembles: one training for each member, as many in parallel as there are processors; then they are joined. */
#ifndef APP_ENSEMBLE_H
#define APP_ENSEMBLE_H

#include "several/side_by_side.h"

#include <lookback/translate.h>

/** --ensemble LIST. */
#define APP_ENSEMBLE(pointer)                                                                                \
    APP_OPTIONAL_TEXT(                                                                                       \
        "ensemble", "LIST", (pointer),                                                                       \
        "train different models and let them vote, such as additive:3,backward:2,transformer:2: kinds "      \
        "of attention, transformer, forward or backward; additive-backward writes from the end; a number "   \
        "alone: that many with different seeds; auto: kinds and number by the pairs; --no-ensemble "         \
        "overrides "                                                                                         \
        "--config",                                                                                          \
        .usual = true)

/** How many models `auto` trains for so few pairs that a vote of many is worth its time; 0: there are more pairs. */
int app_ensemble_of_few(int64_t pairs);

/** Trains the members of `list`, each in a folder named by its kind and seed, with `repeated->seed` and the numbers
 *  after it, joins them, prints what they are good for, and writes that as ensemble.tsv. Running the same again resumes
 *  interrupted trainings and repeats none. Returns the exit status.
 *  Data:  the settings of the training; their strings must outlive the call.
 *  Usual: those without options, which members have for what is of another kind. */
int app_ensemble_run(const char *list, const app_repeated *repeated, const lb_training_config *data,
                     const lb_training_config *usual);

#endif
