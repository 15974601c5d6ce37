/* A file for --sweep: its combinations, as names and as arguments. */
#include "common/grid.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COMBINATIONS = 8 };

static void name_combination(const app_grid *grid, int64_t combination)
{
    char *name = app_grid_name(grid, combination);
    fuzz_require(name != NULL, "a combination has a name");
    lb_release(name);
    char **argument = calloc((size_t)grid->options, sizeof *argument);
    fuzz_require(argument && app_grid_arguments(grid, combination, argument, NULL) == LB_OK,
                 "a combination has arguments");
    for (int i = 0; i < grid->options; i++) {
        fuzz_require(strncmp(argument[i], "--", 2) == 0, "an argument begins with two dashes");
        lb_release(argument[i]);
    }
    free(argument);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    app_grid grid;
    lb_status status = app_grid_open(&grid, fuzz_file(data, size), &error);
    fuzz_require_told(status == LB_OK, &error);
    for (int64_t i = 0; !status && i < grid.count && i < MOST_COMBINATIONS; i++) {
        name_combination(&grid, i);
        name_combination(&grid, grid.count - 1 - i);
    }
    app_grid_close(&grid);
    return 0;
}
