/* The choice of the model, for the programs that train. */
#ifndef APP_MODEL_CHOICE_H
#define APP_MODEL_CHOICE_H

#include "common/options.h"

#include <lookback/translate.h>

/** Kinds of model, for APP_CHOICE; ends with NULL. */
extern const char *const app_models[];

/** Names of kinds of attention in papers and notebooks. */
extern const app_alias app_attention_aliases[];

/** --attention KIND: sets an int to an index in lb_attention_names. */
#define APP_ATTENTION(pointer, about)                                                                        \
    {                                                                                                        \
        .kind = APP_IS_CHOICE, .name = "attention", .metavar = "KIND", .help = (about),                      \
        .value.integer = (pointer), .choices = lb_attention_names, .aliases = app_attention_aliases          \
    }

/** The options of the command line, or their defaults. */
typedef struct app_model_choice {
    int model, attention; /* positions in app_models and lb_attention_names */
    int embed;
    bool bidirectional;
} app_model_choice;

/** Writes the choice to the configuration. `usual` is the default choice.
 *  Errors: LB_ERROR_ARGUMENT for a transformer with options of a seq2seq. */
LB_MUST_USE lb_status app_choose_model(const app_model_choice *choice, const app_model_choice *usual,
                                       lb_training_config *config, lb_error *error);

/** Resets options that were not given, so that they come from `config->from`. Does nothing if that is NULL. Call it
 *  after app_choose_model. */
void app_leave_model_open(const app_model_choice *choice, lb_training_config *config, const int *hidden,
                          const int *heads);

/** --from MODEL and --freeze NAMES. */
#define APP_START_OPTIONS(config)                                                                            \
    APP_TEXT(0, "from", "MODEL", &(config)->from,                                                            \
             "start from the weights of a trained model, a file or a folder; its architecture is kept"),     \
        APP_TEXT(0, "freeze", "NAMES", &(config)->freeze,                                                    \
                 "parts of the model that stay as they are, with commas between, such as encoder")

#endif
