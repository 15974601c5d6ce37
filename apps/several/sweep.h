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

/** Adds the values of one more option, a list with commas between; each kind once, as app_kinds_sort.
 *  Errors: LB_ERROR_ARGUMENT if the grid has the option; those of app_kinds_sort; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_add(app_grid *grid, const char *name, const char *list, lb_error *error);

/** Whether it has values of this option. */
bool app_grid_varies(const app_grid *grid, const char *name);

/** Makes the seed the last option, which varies fastest. Returns how many there are: 1 without any. */
int64_t app_grid_seeds_last(app_grid *grid);

void app_grid_close(app_grid *grid);

/** The values of a combination as text, with that of the seed or without: "hidden=128,lr=0.001", or "additive,lr=0.001"
 *  with a kind.
 *  Memory: release it with lb_release; NULL if memory runs out. */
char *app_grid_name(const app_grid *grid, int64_t combination, bool seed);

/** Sets the options of the trainings to the values of a combination. The last option of the grid varies fastest.
 *  Memory: options then point to `words`, and to the grid.
 *  Errors: LB_ERROR_ARGUMENT for a value that an option cannot have; those of app_config_read; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_apply(const app_grid *grid, int64_t combination, app_side_by_side *s,
                                     lb_strings *words, lb_error *error);

/* ---- The trainings (sweep.c). ---- */

/** Makes the trainings of a grid: names and options of `count` of its combinations, drawn with the seed, or of all of
 *  them, in order. `complete`, unless NULL, sets what depends on the values.
 *  Memory: freed by app_side_by_side_end, also after an error. Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_trainings(const app_grid *grid, int count,
                                         void (*complete)(lb_training_config *settings), app_side_by_side *s);

/** Trains `count` combinations of the grid in the file, as app_grid_trainings, prints the table, and writes sweep.tsv,
 *  sweep.png and the best model as model.safetensors to the folder.
 *  Running the same sweep again resumes interrupted trainings and repeats none. Returns the exit status. */
int app_sweep_run(const char *file, int count, app_side_by_side *s);

#endif
