/* The configuration of a training: its defaults, whether it makes sense, and who hears of the training. */
#ifndef LB_RECIPE_H
#define LB_RECIPE_H

#include "base/group.h"
#include "data/review/pair_report.h"
#include "lookback/translate.h"

#define LB_MODEL_SEQ2SEQ      "seq2seq"
#define LB_MODEL_TRANSFORMER  "transformer"
#define LB_DIRECTION_FORWARD  "forward"
#define LB_DIRECTION_BACKWARD "backward"

/** Without a dev file, one pair in LB_HELD_OUT is held out. A model is evaluated on at most LB_MEASURED pairs. */
enum { LB_HELD_OUT = 10, LB_MEASURED = 2000 };

/** Whether lb_seq2seq_config.window is for this attention. */
static inline bool lb_attention_has_window(lb_attention_kind attention)
{
    return attention == LB_ATTENTION_LOCAL_M || attention == LB_ATTENTION_LOCAL_P ||
           attention == LB_ATTENTION_LOCATION;
}

/* ---- Who hears of the training. ---- */

/** Tells it, if somebody listens. Errors: those of the listener. */
static inline lb_status lb_training_tell(const lb_training_config *config, lb_event event, lb_error *error)
{
    return config->tell ? config->tell(config->context, &event, error) : LB_OK;
}

/** Tells a text before the training begins; of a group, the first process does. */
static inline void lb_training_tell_text(const lb_training_config *config, lb_event_kind kind,
                                         const char *text)
{
    if (!lb_group_leads(config->group)) return;
    lb_training_tell(config, (lb_event){.kind = kind, .text = text}, NULL);
}

/* ---- Defaults (recipe.c). ---- */

/** As lb_training_config_settle, also for a training that starts from a model, after lb_warm_start_open has set what
 *  comes from the model. */
LB_MUST_USE lb_status lb_recipe_fill_in(lb_training_config *config, lb_error *error);

/** What the recipe knows of the pairs to train on; zero: nothing. */
typedef struct lb_recipe_facts {
    int64_t pairs;   /* different ones, unless all are trained on */
    int64_t symbols; /* of the targets, once they are known */
    bool sentences;  /* on both sides, whose symbols are left to the recipe */
    lb_texts texts;
} lb_recipe_facts;

/** Fills in what decides the symbols, and what else does not depend on their number. */
void lb_recipe_fit_texts(lb_training_config *config, const lb_recipe_facts *facts);

/** Says what the recipe has filled in for sentences; false, and no note, if the pairs are none. */
bool lb_recipe_note(const lb_training_config *config, const lb_recipe_facts *facts,
                    char note[LB_MESSAGE_LENGTH]);

/** Fills in all that depends on the pairs. */
void lb_recipe_fit(lb_training_config *config, const lb_recipe_facts *facts);

/** The steps of a training on pairs that make this many batches. The configuration has no gaps. */
int64_t lb_recipe_steps(const lb_training_config *config, const lb_recipe_facts *facts, int64_t batches);

/** The configuration of the training loop; the caller adds its functions and the checkpoint. */
lb_trainer_config lb_recipe_trainer(const lb_training_config *config, int64_t steps);

/** Builds the model for vocabularies of these sizes, with its parameters in `params`, which own it. NULL after an
 *  error.
 *  Errors: LB_ERROR_ARGUMENT for invalid sizes, LB_ERROR_MEMORY. */
lb_model *lb_recipe_model(const lb_training_config *config, int64_t source_vocab, int64_t target_vocab,
                          lb_params *params, lb_error *error);

/** The line format of the configuration. Memory: it points to the separators of the configuration. */
lb_pair_format lb_recipe_format(const lb_training_config *config);

/** Looks at pairs whose symbols are still those of their rules.
 *  Pairs: lb_pairs_take_stock has counted those that differ. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_recipe_look(lb_pairs *pairs, lb_recipe_facts *facts, lb_error *error);

/* ---- What the best model is chosen by (choice.c). ---- */

/** A measure that the best model is chosen by, and that progress, charts and results tell. */
typedef struct lb_criterion {
    const char *name;          /* in `config->choose` */
    const char *key;           /* in a log */
    const char *title, *axis;  /* "exact match"; of a chart, where 1 is all, but for a loss */
    size_t at;                 /* in lb_evaluation */
    double scale;              /* of the number that is printed: 100 for percent */
    lb_is_better_fn is_better; /* equals by exact match, symbol error and loss */
    bool texts;                /* are compared: see lb_training_compare_texts */
} lb_criterion;

/** The choice of this name; NULL: that of the recipe, chrF2 if `found` has compared texts, otherwise exact match.
 *  Symbol error stands in for a measure of texts that `found` does not have, as that of a test. `found` may be NULL. */
const lb_criterion *lb_criterion_find(const char *name, const lb_evaluation *found);

/** The number that is printed. */
double lb_criterion_value(const lb_criterion *choice, const lb_evaluation *found);

/* ---- What cannot be (config_check.c). ---- */

/** Checks a configuration: ranges by the rows of the settings, and what two of them say together.
 *  Errors: LB_ERROR_ARGUMENT, with the name of the field. */
LB_MUST_USE lb_status lb_config_check(lb_training_config *config, lb_error *error);

/** Whether the configuration asks for a lexicon. */
bool lb_training_has_lexicon(const lb_training_config *config);

/** The number of the test with this name, from 0; -1: there is none, or no name. */
int lb_config_test(const lb_training_config *config, const char *name);

#endif
