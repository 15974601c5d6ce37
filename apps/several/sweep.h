/* Sweeps: one training for each combination of values, as many in parallel as there are processors; then a table, a
 * chart and the best model. */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "several/side_by_side.h"

/** What the command line asks for. */
typedef struct app_sweep {
    const char *file; /* of --sweep; NULL: none */
    int count;        /* of combinations to draw; 0: all */
} app_sweep;

/** --sweep FILE and --sweep-count N. */
#define APP_SWEEP_OPTIONS(sweep)                                                                             \
    APP_OPTIONAL_TEXT("sweep", "FILE", &(sweep)->file,                                                       \
                      "train once for each combination of the values in this JSON file, such as "            \
                      "{\"hidden\": [128, 192]}, "                                                           \
                      "side by side; --no-sweep overrides --config"),                                        \
        APP_INT(0, "sweep-count", "N", &(sweep)->count, 0, 1 << 20,                                          \
                "number of combinations to train, drawn with --seed; 0: all of them")

/** Trains, prints the table, and writes sweep.tsv, sweep.png and the best model as model.safetensors to the folder.
 *  Running the same sweep again resumes interrupted trainings and repeats none. Returns the exit status: 1 if only some
 *  trainings failed. */
int app_sweep_run(const app_sweep *sweep, const app_repeated *repeated);

#endif
