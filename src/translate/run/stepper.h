/* One model in training, by lb_translator_train, which may train several, or step by step; and the files that it
 * writes: models, the log, and the attention history. */
#ifndef LB_TRAINING_STEPPER_H
#define LB_TRAINING_STEPPER_H

#include "base/buffer.h"
#include "io/path.h"
#include "translate/input/augment.h"
#include "translate/input/data.h"

/* ---- The attention history: what the model writes for a few held-out pairs at each evaluation, and where it looks
 * (attention_history.c). ---- */

/** An attention history while it is made: the file `path`, a line of JSON for each evaluation and pair. It begins as
 *  zero with a path.
 *      {"step":250,"pair":7,"source":[...],"expected":[...],"output":[...],"finished":true,"weights":"base64"}
 *  The symbols are those that the model reads and writes. `weights` has a byte for each step of the output and symbol
 *  of the source, round(255 weight): the mean over the heads of the last layer; "" without attention. */
typedef struct lb_attention_history {
    char *path;
    lb_tape *tape;     /* of its own: the training's is not disturbed */
    lb_buffer pending; /* lines that are not in the file yet */
    size_t size;       /* bytes of the file that belong to the history */
    bool begun, continued;
} lb_attention_history;

/** Before the first step: continues the file of a training that is resumed, after the evaluations of `history`; later
 *  lines in it were made by a run that was killed, and are dropped. A missing file begins anew; one that cannot be read
 *  is left as it is. Does nothing a second time.
 *  Errors: LB_ERROR_OPEN, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_attention_history_begin(lb_attention_history *shown, const lb_train_history *history,
                                                 lb_error *error);

/** Adds the lines of an evaluation, which is the last of `history`, with the weights that the model has now. Unless the
 *  file is continued, the first one begins a new file; with no `pairs`, it removes the file.
 *  Model:  as it will be in its file.
 *  Errors: LB_ERROR_WRITE: the lines are kept, and written with the next ones; LB_ERROR_MEMORY; those of decoding. */
LB_MUST_USE lb_status lb_attention_history_add(lb_attention_history *shown, lb_data_loader *loader,
                                               const lb_text_model *model, int pairs,
                                               const lb_train_history *history, lb_error *error);

/** Writes what could not be written before. Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_attention_history_save(lb_attention_history *shown, lb_error *error);

/** Frees the memory, and the path. */
void lb_attention_history_free(lb_attention_history *shown);

/* ---- All of them (files.c). ---- */

/** The log of a training: a file with one line per evaluation, in JSON or, if its name ends in ".csv", as a table whose
 *  first line names the columns. */
typedef struct lb_training_log {
    char *path;
    int64_t count; /* the first points of the history, which the file is known to have; 0 if none is */
} lb_training_log;

typedef struct lb_training_files {
    char *model, *checkpoint;
    lb_training_log log, table;
    lb_attention_history shown;
    char *set_aside; /* the earlier model; NULL: there is none */
} lb_training_files;

/** Names the files of a folder.
 *  Memory: freed by lb_training_files_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_files_name(lb_training_files *files, const char *folder, bool sorts,
                                             lb_error *error);

void lb_training_files_free(lb_training_files *files);

/* ---- The training. ---- */

/** A comparison of texts under way (text_measures.c). */
typedef struct lb_text_comparison lb_text_comparison;

/** The caller sets the fields above `shards`, which must outlive the training, and makes the folder of `run`; without
 *  one, nothing is written. */
struct lb_stepper {
    const lb_training_config *config; /* without gaps */
    lb_training_data *data;
    const lb_warm_start *start;
    uint64_t seed;       /* of its weights and all other random numbers */
    lb_training_run run; /* what is told */
    int shards;          /* parts of each batch */
    lb_params *params;
    lb_model *model; /* owned by `params` */
    lb_data_loader loader;
    lb_trainer_config loop;
    lb_train_history history;
    lb_training_files files;
    char *identity; /* `run` of `loop` */
    lb_shared_symbols shared;
    double *hidden;            /* of lb_hide_symbols; NULL: nothing is hidden */
    double loss;               /* of the last step */
    lb_translator *translator; /* of the model in training */
    lb_tallies tallies;        /* of an evaluation */
    lb_text_comparison *texts; /* of one in parts */
    struct lone_stepper *own;  /* of one that lb_stepper_new has made; NULL elsewhere */
};

/* ---- A training (stepper.c). ---- */

/** Builds the model and the configuration of its loop, looks at the files, and tells that the training begins.
 *  Memory: freed by lb_stepper_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT for an invalid model; those of lb_stepper_begin_files; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_stepper_begin(lb_stepper *stepper, lb_error *error);

/** After the loop: writes all files, and tells that the training has ended. Errors: those of lb_stepper_end_files. */
LB_MUST_USE lb_status lb_stepper_end(lb_stepper *stepper, lb_error *error);

/** Frees all but the stepper itself. */
void lb_stepper_close(lb_stepper *stepper);

/** Fills in what the recipe chooses for the pairs of a configuration that starts from no model; not the steps if it
 *  says `epochs` or `minutes`. Reads the files, and writes none.
 *  Errors: those of lb_training_data_open. */
LB_MUST_USE lb_status lb_training_fit(lb_training_config *config, lb_error *error);

/* ---- Its model (model.c). ---- */

/** The settings of the training, also those that its configuration leaves open. */
lb_training_config lb_stepper_in_force(const lb_stepper *stepper);

/** Makes the parameters and the model, copies what the start model knows, and freezes what shall not be trained.
 *  Errors: LB_ERROR_ARGUMENT for an invalid model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_stepper_build(lb_stepper *stepper, lb_error *error);

/** The same without data, to learn whether there can be such a model. */
LB_MUST_USE lb_status lb_stepper_build_trial(lb_stepper *stepper, lb_error *error);

/* ---- Its files (files.c). ---- */

/** The evaluation whose weights would be the result if the training ended now: the best, or the last. */
static inline const lb_train_point *lb_stepper_kept(const lb_stepper *s)
{
    return s->loop.keep_best ? lb_train_best(&s->history) : lb_train_last(&s->history);
}

/** The test with this number, from 0; NULL behind the last. */
static inline const lb_test *lb_train_test(const lb_train_history *history, int number)
{
    const lb_test *tests = history->tests;
    return tests && number < LB_MOST_TESTS && *tests[number].name ? &tests[number] : NULL;
}

/** Checks that the files can be written, and sets aside an earlier model, if the training is fresh.
 *  Errors: those of lb_own_check and lb_set_aside. */
LB_MUST_USE lb_status lb_stepper_begin_files(lb_stepper *stepper, lb_error *error);

/** An lb_tell_fn of its loop: saves what is evaluated, and passes on what the user shall hear. The file of the model
 *  holds the weights that would be the result if the training ended now.
 *  Errors: LB_ERROR_MEMORY; whatever the listener returns. */
LB_MUST_USE lb_status lb_stepper_hear(void *stepper, const lb_event *event, lb_error *error);

/** Writes the model once more, now with the record of the whole training, and all files.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_stepper_end_files(lb_stepper *stepper, lb_error *error);

/** The record of the training so far, for lb_text_model.training of a file with the weights of the point `kept`:
 *  {"steps", "exact_match": of `kept`, "best_step", "seed", "test": of `kept`, if there are tests, "options": as
 *  config->options, "settings": what these left open, but for the architecture, which is in the configuration of the
 *  model, "made": what decides the bits, {"version", "instruction_set", "kernel", "run": lb_run_identity},
 *  "history": [as in the log, but without seconds]}. Equal trainings have equal records, on however many threads
 *  and whether they were interrupted or not.
 *  Memory: release it with lb_release; NULL if there is no memory. */
char *lb_stepper_record(const lb_stepper *stepper, const lb_train_point *kept);

/* ---- A training that fits into the time that its user has (budget.c). ---- */

/** What a training costs, in seconds. */
typedef struct lb_training_cost {
    double step;
    double evaluation;
} lb_training_cost;

/** How many steps cost at most so many seconds, with an evaluation after each `evaluate_every` of them and after the
 *  last one; at least 1. */
int64_t lb_budget_steps(double seconds, lb_training_cost cost, int64_t evaluate_every);

/** The next smaller width of a model, which takes about half of the time; the same if there is none. */
int lb_budget_narrower(int width);

/** How many steps a run with these evaluations takes in so many seconds, at most `most`, if the next steps cost what
 *  those since the evaluation before the last one did; those that are done if no time is left. */
int64_t lb_budget_refit(const lb_train_history *history, double seconds, int64_t most);

/** Chooses width and steps of a fitted configuration with `minutes`: the steps of the recipe if they fit into the time.
 *  Otherwise fewer; but a width for which less than a third of them fit is made narrower, unless it was `asked` for.
 *  The speed is measured by some steps on the data, whose time is taken off `minutes`. A run that is resumed has the
 *  width and the steps of its checkpoint.
 *  Errors: LB_ERROR_ARGUMENT for standard input, a group, or several seeds; those of lb_stepper_new. */
LB_MUST_USE lb_status lb_budget_fit(lb_training_config *config, const lb_training_config *asked,
                                    lb_error *error);

/** An lb_replan_fn of its loop, if it has `minutes`: fits its steps into the time that is left, and the learning rate
 *  to these steps. Its identity, which the checkpoint has, tells them. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_budget_look_again(void *stepper, lb_trainer_config *loop, lb_error *error);

/* ---- Measures of texts (text_measures.c). ---- */

/** BLEU and chrF2, see lb_statistics_count_text, of greedy outputs for at most 500 pairs of the dev set, or sources if
 *  any target is right: sets LB_OWN_BLEU and LB_OWN_CHRF. Outputs are texts as people read them.
 *  Parts:  a call translates 20 of them, and returns LB_ERROR_INTERRUPTED with `so_far` before the last one is done.
 *  Memory: `so_far` begins as NULL, and is NULL again at the end, also after an error.
 *  Errors: those of lb_pairs_read; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_compare_texts(const lb_training_data *data, const lb_translator *translator,
                                                lb_text_comparison **so_far, bool in_parts,
                                                lb_evaluation *found, lb_error *error);

/** Frees what a training leaves that ends within a comparison. NULL is allowed. */
void lb_text_comparison_free(lb_text_comparison *t);

/* ---- Its identity, and the message if a checkpoint belongs to another one (run_identity.c). ---- */

/** The settings that determine the weights, for lb_trainer_config.run: a JSON object, to be released with lb_release;
 *  NULL if memory runs out. Steps, patience and target are not compared: a finished run can be resumed with more of
 *  them. */
char *lb_run_identity(const lb_stepper *stepper);

/** What an earlier session has decided about its run. */
typedef struct lb_run_facts {
    int shards, steps;
    int embed, hidden; /* of a seq2seq; the width of a transformer */
} lb_run_facts;

/** The facts of the run that a checkpoint belongs to; all 0 without a checkpoint, or with one that lb_train will
 *  refuse. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_identity_facts(const char *checkpoint, lb_run_facts *facts, lb_error *error);

/** An lb_same_run_fn: compares the settings of a checkpoint with ours.
 *  Errors: LB_ERROR_FORMAT with the differences; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_identity_check(void *stepper, const char *found, lb_error *error);

/* ---- From files to models (train.c). ---- */

/** lb_translator_train, in a folder `out` that the caller may keep locked: see io/path.h. `name` is that of one of
 *  several, or NULL. */
LB_MUST_USE lb_status lb_train_models(const lb_training_config *config, const char *name, bool locked,
                                      lb_training_result *result, lb_error *error);

/* ---- Lists of trainings (several.c). ---- */

/** The first half of lb_translator_train_all: whether each training of the list can be begun, as far as can be said
 *  without its pairs, in a folder that no other one has.
 *  Errors: LB_ERROR_ARGUMENT; those of lb_warm_start_open and lb_stepper_build_trial. */
LB_MUST_USE lb_status lb_trainings_check(const lb_trainings *list, lb_error *error);

/** The second half, for a list with a host. Errors: as lb_translator_train_all. */
LB_MUST_USE lb_status lb_trainings_run(const lb_trainings *list, lb_error *error);

#endif
