/* The options of `train`, what a teacher adds, and what is shown of a training. */
#ifndef APP_TRAIN_OPTIONS_H
#define APP_TRAIN_OPTIONS_H

#include "io/path.h"
#include "several/side_by_side.h"

#include <lookback/translate.h>

/* ---- Pairs that a trained model teaches a new one: sequence-level distillation, after Kim, Rush 2016,
 * arXiv:1606.07947 (teacher.c). ---- */

/** With a teacher, replaces the pairs to train on by a file in the folder of the training, which stays locked. It has
 *  the same pairs, with the same columns, and behind them what the teacher writes for their sources, where it differs,
 *  for those of the file without targets, and for made-up ones (lb_cross_sources). Outputs without an end, or with an
 *  unknown symbol, are left out. Shows the progress, and says how many pairs there are. If the same teacher has already
 *  written the same, for an interrupted training, it keeps the file: the seal beside it tells.
 *  From:   a model to start from decides how the pairs are read.
 *  Errors: those of lb_warm_start_open, and of opening the model and reading the files; LB_ERROR_BUSY; LB_ERROR_WRITE;
 *          LB_ERROR_MEMORY; LB_ERROR_INTERRUPTED, with nothing written. */
LB_MUST_USE lb_status app_learn_from_teacher(app_teaching *teaching, lb_training_config *config,
                                             lb_lock **lock, lb_error *error);

/* ---- The options (train.c; of lists, sort.c). ---- */

/** Fills a table of at most APP_MOST_OPTIONS options for these settings. Returns how many there are. */
int app_train_list(app_train_options *t, app_option *to);
int app_sort_list(app_train_options *t, app_option *to);

/** Starts from the recipe; settings that depend on the model stay open until it is known.
 *  Errors: those of lb_training_config_settle. */
LB_MUST_USE lb_status app_train_begin(app_train_options *t, lb_error *error);
LB_MUST_USE lb_status app_sort_begin(app_train_options *t, lb_error *error);

/** Completes the options of one training, one of several, once they are parsed, and checks that its files can be read.
 *  Compares: the trainings are compared, which needs pairs that are held out.
 *  Memory:   `*record`, which the settings point to, is released with lb_release. Lists have none, and no use for the
 *            table.
 *  Errors:   LB_ERROR_ARGUMENT for options that do not fit together; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_train_prepare(app_train_options *t, const app_program *program, bool compares,
                                        char **record, lb_error *error);
LB_MUST_USE lb_status app_sort_prepare(app_train_options *t, const app_program *program, bool compares,
                                       char **record, lb_error *error);

/** Prints all options as --print-config does, with what the recipe chooses for the file to train on.
 *  Errors: as app_train_prepare; those of lb_training_fit. */
LB_MUST_USE lb_status app_train_print(app_train_options *t, const app_program *program, lb_error *error);

/** Trains with such options, prints the result, and closes standard output. Returns the exit status. */
int app_train_run(app_train_options *t);

/** The options for a model of this kind if none is given, as in the record of a model file.
 *  Memory: release it with lb_release; NULL for an unknown kind, or if memory runs out. */
char *app_train_usual(const char *kind);

/* ---- The display of a training: notes, a progress bar, and a chart at the end (training_view.c). ---- */

/** A training and its display. The caller sets `locked`. */
typedef struct app_training_view {
    const lb_training_config *config;
    app_progress progress, counting; /* of the steps; of what comes before them */
    lb_training_step step;           /* the last one */
    bool locked;                     /* the caller has locked the folder */
    bool begun, warned;
    const char *choose; /* what its measures are told by, from its begin on */
    int64_t pairs;      /* of the training, once it has ended */
    double seconds;     /* that it took */
    double first_loss;  /* of the first step in this process; 0: there was none */
    /* The loss of a training that ended worse than guessing and than it began, and that of guessing; 0: none. */
    double worse, guessing;
    char name[APP_SHORT + 16];   /* of the model in training, "seed 3"; "" if it is the only one */
    char prefix[APP_SHORT + 18]; /* of messages about it, "seed 3: " */
} app_training_view;

/** As lb_translator_train, with a display; Ctrl-C, SIGTERM and SIGUSR1 interrupt it.
 *  Errors: those of lb_translator_train; LB_ERROR_WRITE of the chart. */
LB_MUST_USE lb_status app_train_in_view(app_training_view *view, lb_training_config config,
                                        lb_training_result *result, lb_error *error);

/** Says on the last line if the training ended worse than guessing, and worse than it began. Returns the exit
 *  status. */
int app_training_status(const app_training_view *view);

#endif
