/* Small models of every kind, with every combination of its choices: attention or positions, cell, loss, normaliser.
 * They are found in the tables that model files are read by, so that a new kind or choice is among them. */
#ifndef SUPPORT_EVERY_MODEL_H
#define SUPPORT_EVERY_MODEL_H

#include "lookback/models.h"

enum { SUPPORT_SYMBOLS = 5, SUPPORT_VOCABULARY = LB_FIRST_TOKEN + SUPPORT_SYMBOLS };

typedef struct support_every_model {
    lb_model *model;
    lb_params *params;
    const char *config; /* its JSON */
} support_every_model;

/** Calls it with each model. With `options`, each optional field is set once with each combination, too. Half of the
 *  models write from the end. Fails if what a kind refuses is more than its documentation says. Returns how many there
 *  were. */
int support_for_every_model(bool options, void (*check)(const support_every_model *m));

#endif
