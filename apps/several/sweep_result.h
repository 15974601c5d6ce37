/* The results of a sweep. */
#ifndef APP_SWEEP_RESULT_H
#define APP_SWEEP_RESULT_H

#include <lookback/train.h>

#include <stdbool.h>

/** One training. */
typedef struct app_sweep_result {
    char *name;           /* "hidden=128,lr=0.001" */
    char *folder;         /* of its files */
    double *step, *error; /* [points] share of wrong outputs on dev, over the steps */
    size_t points;        /* 0: it has no result */
    lb_evaluation best;
    double best_step, seconds;
} app_sweep_result;

/** Reads the log of a training. Without a log there is no result.
 *  Memory: freed by app_sweep_result_free, also after an error. Errors: LB_ERROR_FORMAT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sweep_result_read(app_sweep_result *result, lb_error *error);

/** Frees the result. */
void app_sweep_result_free(app_sweep_result *result);

/** Sorts the trainings, best first, those without a result last. */
void app_sweep_results_sort(app_sweep_result *results, size_t count);

/** Prints a table, and writes it as sweep.tsv, and the learning curves of the best trainings as sweep.png.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sweep_results_show(const app_sweep_result *results, size_t count, const char *out,
                                             lb_error *error);

#endif
