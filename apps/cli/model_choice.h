/* The choice of the model, for the programs that train. */
#ifndef APP_MODEL_CHOICE_H
#define APP_MODEL_CHOICE_H

#include "cli/options.h"

#include <lookback/translate.h>

/** Kinds of model, for APP_CHOICE; ends with NULL. */
extern const char *const app_models[];

/** Directions of writing, for APP_CHOICE; ends with NULL. */
extern const char *const app_directions[];

/** Names of kinds of attention in papers and notebooks. */
extern const app_alias app_attention_aliases[];

/** --loss KIND: sets an int to an index in lb_loss_names. */
#define APP_LOSS(pointer)                                                                                    \
    APP_CHOICE(0, "loss", "KIND", (pointer), lb_loss_names,                                                  \
               "loss to train with; sparsemax and entmax give most symbols a probability of 0")

/** The options of the command line, or their defaults. */
typedef struct app_model_choice {
    int model, attention, direction; /* positions in app_models, lb_attention_names and app_directions */
    int attention_weights, loss;     /* positions in lb_normalizer_names and lb_loss_names */
    int embed;
    bool bidirectional, copy;
    int cell;                        /* position in lb_cell_names */
    int positions, kv_heads, window; /* of a transformer; a position in lb_positional_names */
    double softcap;
} app_model_choice;

/** Writes the choice to the configuration. `usual` is the default choice.
 *  Errors: LB_ERROR_ARGUMENT for a transformer with options of a seq2seq, and the other way round. */
LB_MUST_USE lb_status app_choose_model(const app_model_choice *choice, const app_model_choice *usual,
                                       lb_training_config *config, lb_error *error);

/** Resets options that were not given, so that they come from `config->from`. Does nothing if that is NULL. Call it
 *  after app_choose_model, with the structs of the options. */
void app_leave_model_open(const app_model_choice *choice, lb_training_config *config);

/** The options under "Model" of a program with these settings: an lb_training_config and an app_model_choice. */
#define APP_MODEL_OPTIONS(settings, choice)                                                                  \
    APP_TEXT(0, "from", "MODEL", &(settings)->from,                                                          \
             "start from the weights of a trained model, a file or a folder, and keep its architecture"),    \
        APP_TEXT(0, "freeze", "NAMES", &(settings)->freeze,                                                  \
                 "comma-separated parts of the model that stay unchanged, such as encoder"),                 \
        APP_CHOICE(0, "model", "KIND", &(choice)->model, app_models,                                         \
                   "GRUs with attention, or a transformer", .usual = true),                                  \
        APP_INT(0, "embed", "N", &(choice)->embed, 0, 1 << 16,                                               \
                "width of the embeddings; for a transformer, set --hidden instead; 0: the recipe's"),        \
        APP_INT(0, "hidden", "N", &(settings)->hidden, 0, 1 << 16,                                           \
                "width of the GRU states or of the transformer; 0: the recipe's", .usual = true),            \
        APP_INT(0, "layers", "N", &(settings)->layers, 0, 64,                                                \
                "layers in the encoder and in the decoder; 0: 1, or 2 for a transformer"),                   \
        APP_CHOICE(0, "cell", "KIND", &(choice)->cell, lb_cell_names,                                        \
                   "recurrent layers of a seq2seq; an LSTM is slower, especially with additive attention"),  \
        APP_FLAG(0, "bidirectional", &(choice)->bidirectional, "let the encoder read in both directions"),   \
        APP_CHOICE(0, "attention", "KIND", &(choice)->attention, lb_attention_names, "kind of attention",    \
                   .aliases = app_attention_aliases, .usual = true),                                         \
        APP_CHOICE(0, "attention-weights", "KIND", &(choice)->attention_weights, lb_normalizer_names,        \
                   "how scores become weights; sparsemax and entmax make many of them exactly 0"),           \
        APP_FLAG(0, "copy", &(choice)->copy,                                                                 \
                 "let the model copy symbols from the source, even ones that it has not seen in training"),  \
        APP_CHOICE(0, "direction", "WAY", &(choice)->direction, app_directions,                              \
                   "write the target from its start or from its end; outputs read the same either way"),     \
        APP_INT(0, "heads", "N", &(settings)->heads, 1, 1024,                                                \
                "heads of multi-head attention or of a transformer"),                                        \
        APP_CHOICE(0, "positions", "KIND", &(choice)->positions, lb_positional_names,                        \
                   "how a transformer represents the order of symbols"),                                     \
        APP_INT(0, "kv-heads", "N", &(choice)->kv_heads, 0, 1024,                                            \
                "key and value heads of a transformer, each shared by several query heads; 0: as many as "   \
                "--heads"),                                                                                  \
        APP_NUMBER(0, "softcap", "X", &(choice)->softcap, 0, 1e6,                                            \
                   "soft limit, by tanh, on the attention scores of a transformer; 0: none"),                \
        APP_INT(0, "window", "N", &(choice)->window, 0, 1000000,                                             \
                "reach of a transformer's self-attention, 0: unlimited; of local-m and local-p around "      \
                "their position, 0: 5; of the filters of location, 0: 3")

#endif
