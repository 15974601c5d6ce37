/* How several models do on lists of each length: the numbers as a table, as a chart and as JSON. */
#ifndef APP_COMPARISON_H
#define APP_COMPARISON_H

#include "data/sort_task.h"

enum {
    APP_LONGEST = 200, /* list; 1 is the shortest */
    APP_MODELS = 8
};

/** One model. */
typedef struct app_compared {
    const char *name;
    int64_t parameters;
    double loss, seconds;            /* of the last steps of its training, and of all of it */
    double exact_match[APP_LONGEST]; /* [lengths] */
} app_compared;

/** All of them, and what they have in common. */
typedef struct app_comparison {
    lb_sort_task task; /* its shortest list is the first length, its longest the last */
    int steps, batch;  /* of each training */
    int lists;         /* held out, of each length */
    int count;
    app_compared models[APP_MODELS]; /* [count] */
} app_comparison;

/** How many lengths there are. */
int app_comparison_lengths(const app_comparison *comparison);

/** Prints a line for each length and a column for each model on standard output. */
void app_comparison_print(const app_comparison *comparison);

/** Draws exact match against length, a line for each model. Errors: those of lb_chart_save. */
LB_MUST_USE lb_status app_comparison_draw(const app_comparison *comparison, const char *path,
                                          lb_error *error);

/** Writes the same as JSON. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_comparison_write(const app_comparison *comparison, const char *path,
                                           lb_error *error);

#endif
