/* All that a training on pairs can be told, and what it does where nothing is said. */
#ifndef APP_PAIR_SETTINGS_H
#define APP_PAIR_SETTINGS_H

#include <lookback/lookback.h>

enum { APP_SEQ2SEQ, APP_TRANSFORMER, APP_MODELS };

/** Their names, NULL behind the last. */
extern const char *const app_pair_models[APP_MODELS + 1];

/** Names of lb_normalization, NULL behind the last. */
extern const char *const app_normalizations[];

typedef struct app_pair_settings {
    const char *train, *dev; /* files; dev NULL: one pair of APP_HELD_OUT of train */
    const char *source_separator, *target_separator;
    int source_column, target_column, normalize, min_count;
    bool skip_bad_lines;
    int model, embed, hidden, layers, attention, heads;
    bool bidirectional, tied;
    double dropout;
    int batch, steps, epochs, evaluate_every, warm_up, patience, seeds, threads;
    double lr, scheduled_sampling;
    double label_smoothing; /* below 0: as the recipe has it for so many pairs */
    uint64_t seed;
    const char *out;
    bool fresh;
} app_pair_settings;

/** One of so many pairs is held out where there is no file of them. */
enum { APP_HELD_OUT = 10 };

/** The recipe: what becomes of a setting of which nobody has said anything, and what is no setting. */
typedef struct app_pair_recipe {
    int embed, hidden, heads;
    bool bidirectional;
    double dropout;
    int warm_up, evaluate_every;
    struct {
        int layers;
        double lr;
    } of[APP_MODELS];
    int few_pairs;        /* less than so many are few */
    int few_batch, batch; /* small batches where there are few */
    double few_smoothing, label_smoothing;
    int epochs, least_steps;   /* so many epochs, but at least so many steps */
    double clip_norm, average; /* of lb_trainer_config */
} app_pair_recipe;

extern const app_pair_recipe app_pair_default;

/** What the settings are before the options are read: the recipe's, or 0 where that depends on model or data. */
app_pair_settings app_pair_settings_new(void);

/** Checks what a table of options cannot, and fills in what depends on the model.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_pair_settings_check(app_pair_settings *settings, lb_error *error);

/** What the settings say of a line. Memory: it points to the settings' separators. */
lb_pair_format app_pair_settings_format(const app_pair_settings *settings);

/** Pairs in a batch, label smoothing, and steps in such batches, for so many pairs. */
int app_pair_settings_batch(const app_pair_settings *settings, int64_t pairs);
double app_pair_settings_smoothing(const app_pair_settings *settings, int64_t pairs);
int64_t app_pair_settings_steps(const app_pair_settings *settings, int64_t batches);

/** Builds the model for vocabularies of these sizes, with its parameters in `params`, which own it. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT for impossible sizes, LB_ERROR_MEMORY. */
lb_model *app_pair_settings_model(const app_pair_settings *settings, int64_t source_vocab,
                                  int64_t target_vocab, lb_params *params, lb_error *error);

#endif
