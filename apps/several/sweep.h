/* Sweeps: one training for each combination of values, as many in parallel as there are processors; then a table, a
 * chart and the best model. `compare` has the same trainings, and other tables. */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "cli/config.h"
#include "cli/options.h"
#include "several/side_by_side.h"

/* ---- The combinations of values of some options, from a file, {"hidden": [128, 192], "lr": [0.001, 0.002]}, and from
 * lists on a command line (grid.c). ---- */

/** Zero is an empty grid. */
typedef struct app_grid {
    app_json_file file;
    int64_t count; /* of the combinations */
} app_grid;

/** Reads a file with a JSON object of lists of strings, numbers, and true or false, by the names of the program's
 *  options, or "kinds" for the kinds of app_kind_read.
 *  Path:   NULL: a grid of one combination, for app_grid_add.
 *  Memory: freed by app_grid_close, also after an error.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT, with file and line, for anything else or more than 2^31 combinations;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_open(app_grid *grid, const app_program *program, const char *path,
                                    lb_error *error);

/** Adds the values of one more option. Errors: LB_ERROR_ARGUMENT if the grid has it; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_add(app_grid *grid, const char *name, const lb_strings *values,
                                   lb_error *error);

/** Whether it has values of this option. */
bool app_grid_varies(const app_grid *grid, const char *name);

/** Makes the seed the last option, which varies fastest. Returns how many there are: 1 without any. */
int64_t app_grid_seeds_last(app_grid *grid);

/** Frees the grid. */
void app_grid_close(app_grid *grid);

/** The values of a combination as text, with that of the seed or without: "hidden=128,lr=0.001", or "additive,lr=0.001"
 *  with a kind.
 *  Memory: release it with lb_release; NULL if memory runs out. */
char *app_grid_name(const app_grid *grid, int64_t combination, bool seed);

/** Adds the values of a combination as arguments, "--hidden=128". The last option of the grid varies fastest.
 *  Errors: LB_ERROR_ARGUMENT for an unknown kind; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_arguments(const app_grid *grid, int64_t combination,
                                         const app_repeated *repeated, lb_strings *arguments,
                                         lb_error *error);

/* ---- The trainings (sweep.c). ---- */

/** What the command line asks for. */
typedef struct app_sweep {
    const char *file; /* of --sweep; NULL: none */
    int count;        /* of combinations to draw; 0: all */
} app_sweep;

/** --sweep FILE. */
#define APP_SWEEP_FILE(sweep)                                                                                \
    APP_OPTIONAL_TEXT("sweep", "FILE", &(sweep)->file,                                                       \
                      "train once for each combination of the values in this JSON file, such as "            \
                      "{\"hidden\": [128, 192]}, "                                                           \
                      "side by side; --no-sweep overrides --config")

/** The same and --sweep-count N. */
#define APP_SWEEP_OPTIONS(sweep)                                                                             \
    APP_SWEEP_FILE(sweep), APP_INT(0, "sweep-count", "N", &(sweep)->count, 0, 1 << 20,                       \
                                   "number of combinations to train, drawn with --seed; 0: all of them")

/** The trainings of a grid. */
typedef struct app_sweeping {
    app_grid grid;
    app_side_by_side all;
    int64_t *combination; /* [all.count] */
} app_sweeping;

/** Names the trainings of the grid that is open and makes their commands: of `count` of its combinations, drawn with
 *  the seed, or of all of them, in order.
 *  Memory: freed by app_sweeping_free, also after an error. Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sweeping_open(app_sweeping *s, int count);

/** Frees the trainings and the grid. */
void app_sweeping_free(app_sweeping *s);

/** Trains, prints the table, and writes sweep.tsv, sweep.png and the best model as model.safetensors to the folder.
 *  Running the same sweep again resumes interrupted trainings and repeats none. Returns the exit status: 1 if only some
 *  trainings failed. */
int app_sweep_run(const app_sweep *sweep, const app_repeated *repeated);

#endif
