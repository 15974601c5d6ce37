/* The combinations of values that a file gives for some options: {"hidden": [128, 192], "lr": [0.001, 0.002]}. */
#ifndef APP_GRID_H
#define APP_GRID_H

#include "cli/json_file.h"
#include "cli/options.h"

/** Zero is an empty grid. */
typedef struct app_grid {
    app_json_file file;
    int64_t count; /* of the combinations */
    int options;   /* in each of them */
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

/** The values of a combination as arguments, "--hidden=128". The last option of the file varies fastest.
 *  Memory: release each of argument[0] to argument[options - 1] with lb_release. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_grid_arguments(const app_grid *grid, int64_t combination, char **argument,
                                         lb_error *error);

#endif
