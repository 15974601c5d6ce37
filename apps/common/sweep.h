/* Sweeps: one training for each combination of values, as many side by side as there are processors; then a table, a
 * chart and the best model. */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "common/options.h"

/** What the command line asks for. */
typedef struct app_sweep {
    const char *file; /* of --sweep; NULL or "": none */
    int count;        /* of combinations to draw; 0: all */
} app_sweep;

/** --sweep FILE and --sweep-count N. */
#define APP_SWEEP_OPTIONS(sweep)                                                                             \
    APP_TEXT(                                                                                                \
        0, "sweep", "FILE", &(sweep)->file,                                                                  \
        "train once for each combination of values in this JSON file, such as {\"hidden\": [128, 192]}"),    \
        APP_INT(0, "sweep-count", "N", &(sweep)->count, 0, 1 << 20,                                          \
                "combinations to train, drawn by --seed; 0: all of them")

/** A sweep and the command that it repeats. */
typedef struct app_sweep_plan {
    const app_program *program;
    int argc;
    char **argv;     /* of the command; that the options have read these already does not matter */
    const char *out; /* the folder; each training has one of its own in it */
    uint64_t seed;
    int threads; /* trainings side by side; 0: one a processor */
} app_sweep_plan;

/** Trains, prints the table, and writes sweep.tsv, sweep.png and model.safetensors, the best one, to the folder. The
 *  same sweep again resumes what was interrupted and repeats nothing. Returns the status to exit with. */
int app_sweep_run(const app_sweep *sweep, const app_sweep_plan *plan);

#endif
