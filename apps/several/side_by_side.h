/* Several trainings side by side: the program as the host of a list of trainings. Each is a process of its own, on one
 * thread, with its output in a log. */
#ifndef APP_SIDE_BY_SIDE_H
#define APP_SIDE_BY_SIDE_H

#include "base/buffer.h"
#include "cli/config.h"
#include "console/console.h"
#include "os/program.h"
#include "translate/plan/kinds.h"

#include <lookback/translate.h>

#include <stdbool.h>

/* ---- One training. ---- */

/** Who teaches, and what. */
typedef struct app_teaching {
    const char *teacher;    /* a model; NULL: none */
    const char *unlabelled; /* a file of sources without targets; NULL: none */
    int made_up; /* sources to make up from those of the pairs; negative: as many as there are pairs */
    char pairs[APP_PATH]; /* the file that the teacher has written */
} app_teaching;

/** The settings of the command line and of a file. */
typedef struct app_train_options {
    lb_training_config settings, usual; /* the latter without any option */
    app_config config;
    const char *sweep, *ensemble; /* a file, a list; NULL: none */
    int sweep_count;              /* of combinations to draw; 0: all */
    app_teaching teaching;
    lb_sort_task task;   /* of lists: `settings.sort` */
    const char *lengths; /* NULL: not given */
    int what;            /* is done to a list: an lb_list_task */
} app_train_options;

/** Its options, and how far it is. */
typedef struct app_training {
    char *name;          /* "hidden=128,lr=0.001" */
    char *folder;        /* of its files */
    int64_t combination; /* of a grid */
    app_train_options options;
    lb_strings words;    /* that its options point to */
    char *record;        /* the same as JSON */
    lb_os_child process; /* 0: not running; negative: it could not be started */
    lb_os_handle log;    /* while it runs: its file train.log */
    lb_buffer text;      /* what it has said */
    int status;          /* the exit status */
    lb_training *made;   /* its place in the list of the library, with its result */
} app_training;

/** The evaluation with the best weights; of lists, of the last ones. NULL: it has no result. */
const lb_train_point *app_training_best(const app_training *training);

/* ---- Tables of them (result_table.c). ---- */

/** Trainings, and what those that differ only in their seed have in common. */
typedef struct app_result_table {
    const app_training *trainings; /* [count, seeds] */
    size_t count, seeds;
    char *const *names; /* [count]; NULL: those of the trainings */
    const lb_training_config *settings;
} app_result_table;

enum { APP_MOST_SEEDS = 1000 };

/** A mean over the seeds whose training has a result, and half the width of its 95 % interval, by Student's
 *  distribution. NaN: there is none, of no seed and of fewer than two. */
typedef struct app_mean {
    double mean, half;
    int64_t seeds;
} app_mean;

/** Of numbers, NaN for trainings without a result. */
app_mean app_mean_of(const double *numbers, size_t count);

/** What is measured, in the order of the columns; tests come last. The loss of the steps has no column. */
enum {
    APP_EXACT,
    APP_SYMBOL_ERROR,
    APP_DEV_LOSS,
    APP_STEP,
    APP_SECONDS,
    APP_BLEU,
    APP_CHRF,
    APP_TESTS, /* exact match on the first test */
    APP_LOSS = APP_TESTS + LB_MOST_TESTS
};

/** The mean of a measure in row `i`. */
app_mean app_result_table_mean(const app_result_table *table, size_t i, int measure);

int app_result_table_tests(const app_result_table *table);

/** What the models are chosen by: its column, the name of its axis, and the unit of that, 100 for percent. */
typedef struct app_chosen_by {
    int column;
    const char *axis;
    double unit;
    bool texts; /* are compared */
} app_chosen_by;

app_chosen_by app_result_table_choice(const app_result_table *table);

const char *app_result_table_name(const app_result_table *table, size_t i);

/** Prints the table on standard output, and writes it as a file with tabs to the folder of the settings.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_result_table_show(const app_result_table *table, const char *file, lb_error *error);

/* ---- The trainings (side_by_side.c). ---- */

/** Trainings, begun or not. The caller sets the first ones. */
typedef struct app_side_by_side {
    /* `train` or `sort`, with a table of options over `options`, which are those that all trainings have. */
    const app_program *program;
    app_train_options *options;
    /* The command that has set them, since a file of options that varies comes before them; NULL: none can vary. */
    const app_program *command;
    int argc;
    char **argv;
    const lb_training_config *settings; /* of `options`; each training has a subfolder of `out` */
    bool compares;                      /* the trainings, by pairs that are held out */
    /* app_train_prepare, or that of lists, and app_train_run, which know nothing of several trainings. */
    lb_status (*prepare)(app_train_options *options, const app_program *program, bool compares, char **record,
                         lb_error *error);
    int (*run)(app_train_options *options);
    lb_error *error;

    app_training *training; /* [count] */
    lb_training *list;      /* [count] the same for the library */
    app_train_options all;  /* `options` as they were given */
    size_t count, ended, failed;
    int status; /* the exit status of the trainings that failed; 1 if they differ; 0: none did */
    char why[LB_MESSAGE_LENGTH]; /* ": " and what the first of them said last; or "" */
    struct lb_lock *lock;        /* on the common folder */
    bool told;                   /* all that run to end */
} app_side_by_side;

/** Room for so many trainings. Memory: freed by app_side_by_side_end, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_side_by_side_open(app_side_by_side *s, size_t count);

/** Begins training `i`: its name from lb_alloc, which app_side_by_side_end frees, NULL if memory has run out; and its
 *  folder, letters, digits and =,.-+_ of the name below the common folder. The caller then changes `options`.
 *  Errors: LB_ERROR_MEMORY, LB_ERROR_ARGUMENT for a name that is too long. */
LB_MUST_USE lb_status app_side_by_side_set(app_side_by_side *s, size_t i, char *name);

/** Sets the error of training `i`, with its name before it. */
lb_status app_side_by_side_refuse(const app_side_by_side *s, size_t i, const lb_error *found);

/** Takes `options` for training `i`, a single one in its folder, and gives them the values that they had.
 *  Errors: those of `prepare`, with the name of the training before them. */
LB_MUST_USE lb_status app_side_by_side_take(app_side_by_side *s, size_t i);

/** Runs the trainings, each in its folder, as many at a time as --threads says, until all have ended, and notes how
 *  each did. One that fails does not end the others. An interruption is passed on to all.
 *  Before: checks all of them, and that each has a folder of its own, so that a wrong one is refused before anything
 *          is trained. Makes and locks the common folder, waits two minutes at most for trainings that an earlier,
 *          killed run has left behind, and keeps a model of an earlier run, before another one replaces it, and notes
 *          its new name.
 *  Results: the files that such trainings write at the end; NULL follows the last. If `model`, they write a model, too:
 *          with the first result, it is that of the same command.
 *  Errors: those of lb_trainings_check; LB_ERROR_BUSY, LB_ERROR_WRITE, LB_ERROR_MEMORY; those of creating
 *          folders and reading logs; LB_ERROR_INTERRUPTED. */
LB_MUST_USE lb_status app_side_by_side_run(app_side_by_side *s, const char *const *results, bool model);

/** The end of the program: says what is wrong if `status` is an error, or that some trainings failed and why, closes
 *  standard output, frees the trainings, and unlocks the folder. Returns the exit status. */
int app_side_by_side_end(app_side_by_side *s, lb_status status);

/* ---- Kinds of models by a word (kinds.c). ---- */

/** Reads a kind. Errors: LB_ERROR_ARGUMENT for anything else, in the list of `option`, with the closest one. */
LB_MUST_USE lb_status app_kind_read(lb_kind *kind, const char *name, const char *option, lb_error *error);

/** Sets the settings of a kind, which are then given, and takes those back that other kinds have. */
void app_kind_apply(const lb_kind *kind, app_train_options *options);

/** Reads a list with commas between, and adds each kind once, in the order of tables: the usual ones first, then other
 *  kinds of attention and other models. NULL: the usual ones, which are soft attention and none.
 *  Errors: as app_kind_read. */
LB_MUST_USE lb_status app_kinds_sort(const char *list, lb_strings *sorted, lb_error *error);

/* ---- Ensembles: a training for each member; then they are joined (ensemble.c). ---- */

/** The members of a list such as "additive:3,backward:2,transformer:2". */
typedef struct app_members {
    lb_kind member[LB_JOIN_MOST];
    int count;
} app_members;

/** How many models `auto` trains for so few pairs that a vote of many is worth its time; 0: there are more pairs. */
int app_ensemble_of_few(int64_t pairs);

/** Reads a list, or chooses one for the pairs of `config` if it is "auto".
 *  Errors: LB_ERROR_ARGUMENT for an invalid list; those of lb_pairs_open. */
LB_MUST_USE lb_status app_ensemble_members(const char *list, const lb_training_config *config,
                                           app_members *members, lb_error *error);

/** Makes options of a whole ensemble those of member `i`. Returns its name, "additive-1", which is released with
 *  lb_release; NULL if memory runs out. */
char *app_ensemble_member(const lb_kind *member, int i, app_train_options *options);

/** Trains the members of `list`, each in a folder named by its kind and seed, with `settings->seed` and the numbers
 *  after it, joins them, prints what they are good for, and writes that as ensemble.tsv. Running the same again resumes
 *  interrupted trainings and repeats none. Returns the exit status.
 *  The strings of the settings must outlive the call. */
int app_ensemble_run(const char *list, app_side_by_side *s);

/* ---- What `train` and `join` say about the model that they have made (joined.c). ---- */

typedef struct lb_criterion lb_criterion; /* translate/plan/recipe.h */

enum { APP_LABEL = 64, APP_MEASURE = 48, APP_MEASURES = 4 * APP_MEASURE };

/** The loss of evaluations in charts and messages, such as "dev loss". `label` receives that of the axis of the measure
 *  `by`. */
const char *app_name_evaluations(const lb_training_config *config, const lb_criterion *by,
                                 char label[APP_LABEL]);

/** "exact match 97.50 %": the measure and its number, that of a loss with four digits. Returns `text`. */
char *app_tell_measure(const lb_criterion *by, const lb_evaluation *found, int digits,
                       char text[APP_MEASURE]);

/** All measures but the loss, and exact match only if the choice is by it: "symbol error 2.50 %, ". Returns `text`. */
char *app_tell_measures(const lb_criterion *by, const lb_evaluation *found, char text[APP_MEASURES]);

/** Prints what the best model is chosen by, measured on pairs, unless there are none, which are those of the
 *  configuration; and a line for each test, and says of one that the model was chosen by that it is spent. `search`
 *  found the outputs. Of a group, the first process prints. */
void app_print_result(const lb_training_config *config, const char *search, const lb_evaluation *dev,
                      int64_t pairs, const lb_evaluation *test, const int64_t *test_pairs);

/** Shows how far a join is: an lb_tell_fn. `progress` is an app_progress that is zero at first. */
lb_status app_count_joined(void *progress, const lb_event *event, lb_error *error);

/** Writes a table of the members, their weights and measures, as a file with tabs, unless `path` is NULL, and prints it
 *  to standard output, measures if there are any. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_show_joined(const lb_join_result *result, const char *path, lb_error *error);

#endif
