/* A comparison of several models by list length: as a table, a chart and JSON. */
#ifndef APP_COMPARISON_H
#define APP_COMPARISON_H

#include "compare/compared_kinds.h"
#include "data/sort_task.h"

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
