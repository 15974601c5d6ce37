/* What `compare` trains and shows: kinds of models, one in training, and their results. */
#ifndef APP_COMPARISON_H
#define APP_COMPARISON_H

#include "console/console.h"
#include "data/sort_task.h"

#include <lookback/lookback.h>

/* ---- The kinds of models (compared_kinds.c). ---- */

/** One kind. */
typedef struct app_compared_kind {
    const char *name;
    lb_attention_kind attention; /* of a recurrent model */
    lb_normalizer weights;       /* of the attention */
    lb_cell_kind cell;
    bool copy, transformer;
    lb_positional_kind positions; /* of a transformer */
} app_compared_kind;

enum { APP_COMPARED_KINDS = 32 }; /* room for all of them */

/** The default: soft attention, and none. */
#define APP_USUAL_KINDS "none,additive,dot,general,scaled-dot,multi-head,sparsemax,entmax,transformer"

/** The help of a list of kinds. */
const char *app_compared_kinds_help(void);

/** Reads a list of names with commas between them into kinds, in the order of the columns and of the legend: the usual
 *  ones first, then other kinds of attention and other models. Returns their number; 0 after an error.
 *  Errors: LB_ERROR_ARGUMENT for an unknown name. */
int app_compared_kinds_read(const char *list, app_compared_kind kinds[APP_COMPARED_KINDS], lb_error *error);

/* ---- One of the models that is trained to sort lists of numbers (compared_training.c). ---- */

/** What all models have in common. */
typedef struct app_compared_budget {
    int max_number, min_length, max_length, hidden, batch, steps;
} app_compared_budget;

/** A model in training; another kind may follow in the same place. */
typedef struct app_compared_training {
    app_compared_budget size;
    uint64_t seed;
    const char *out; /* the folder of all models */
    bool fresh;      /* start again instead of resuming */
    bool warned;     /* that a checkpoint could not be written */
    const app_compared_kind *kind;
    lb_sort_task task; /* its seed determines the initial weights and all lists */
    lb_params *params;
    lb_model *model; /* one of these */
    app_progress progress;
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} app_compared_training;

enum { APP_HELD_OUT = 1000 }; /* lists of each length */

/** The lists of all lengths, and those of one. */
lb_sort_task app_compared_task(const app_compared_training *t);
lb_sort_task app_compared_length(const lb_sort_task *task, int32_t length);

/** Builds the model of a kind, and frees the one before it. Errors: those of the settings; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_compared_build(app_compared_training *t, const app_compared_kind *kind,
                                         lb_error *error);

/** Trains the model that was built, or resumes its training, and writes it to the folder. If it is fresh, an earlier
 *  model of the kind is kept under another name, see lb_set_aside.
 *  Memory: release history->points with lb_release, also after an error. Errors: those of lb_train; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_compared_train(app_compared_training *t, lb_train_history *history,
                                         lb_error *error);

/** Measures the exact match [lengths] on held-out lists. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_compared_measure(const app_compared_training *t, double *exact_match,
                                           lb_error *error);

/** Frees the model. */
void app_compared_free(app_compared_training *t);

/* ---- All of them by list length: as a table, a chart and JSON (comparison.c). ---- */

enum { APP_LONGEST = 200 }; /* the longest list; the shortest has one number */

/** One model. */
typedef struct app_compared {
    const char *name;
    int64_t parameters;
    double loss, seconds;            /* of the last training steps; of the whole training */
    double exact_match[APP_LONGEST]; /* [lengths] */
} app_compared;

/** All models, and their common settings. */
typedef struct app_comparison {
    lb_sort_task task; /* its shortest and longest lists are the first and last length */
    int steps, batch;  /* of each training */
    int lists;         /* held out, per length */
    int count;
    app_compared models[APP_COMPARED_KINDS]; /* [count] */
} app_comparison;

/** Prints a line for each length and a column for each model on standard output, and what a step of each took on
 *  standard error, since that differs from run to run. */
void app_comparison_print(const app_comparison *comparison);

/** Draws exact match against length, a line for each model. Errors: those of lb_chart_save. */
LB_MUST_USE lb_status app_comparison_draw(const app_comparison *comparison, const char *path,
                                          lb_error *error);

/** Writes the same as JSON. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_comparison_write(const app_comparison *comparison, const char *path,
                                           lb_error *error);

#endif
