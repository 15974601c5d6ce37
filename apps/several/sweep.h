/* Sweeps: one training for each combination of values, as many in parallel as there are processors; then a table, a
 * chart and the best model. */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "cli/config.h"
#include "cli/options.h"
#include "several/side_by_side.h"

/* ---- The combinations of values that a file gives for some options:
 * {"hidden": [128, 192], "lr": [0.001, 0.002]} (grid.c). ---- */

/** Zero is an empty grid. */
typedef struct app_grid {
    app_json_file file;
    int64_t count; /* of the combinations */
} app_grid;

/** Reads a file with a JSON object of lists of strings, numbers, and true or false, by the names of the program's
 *  options.
 *  Memory: freed by app_grid_close, also after an error.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT, with file and line, for anything else or more than 2^31 combinations;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_open(app_grid *grid, const app_program *program, const char *path,
                                    lb_error *error);

/** Frees the grid. */
void app_grid_close(app_grid *grid);

/** The values of a combination as text: "hidden=128,lr=0.001".
 *  Memory: release it with lb_release; NULL if memory runs out. */
char *app_grid_name(const app_grid *grid, int64_t combination);

/** Adds the values of a combination as arguments, "--hidden=128". The last option of the file varies fastest.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_arguments(const app_grid *grid, int64_t combination, lb_strings *arguments,
                                         lb_error *error);

/* ---- The trainings (sweep.c). ---- */

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
