/* A file for --sweep: its combinations, as names and as options. */
#include "fuzz.h"
#include "several/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COMBINATIONS = 8 };

static void name_combination(const app_grid *grid, int64_t combination, const app_program *program)
{
    app_train_options options = {.usual.model = "seq2seq"};
    app_side_by_side all = {.program = program, .options = &options};
    lb_error error = {0};
    for (int seed = 0; seed < 2; seed++) {
        char *name = app_grid_name(grid, combination, seed);
        fuzz_require(name != NULL, "a combination has a name");
        lb_release(name);
    }
    lb_strings words = {0};
    lb_status status = app_grid_apply(grid, combination, &all, &words, &error);
    fuzz_require_told(status == LB_OK, &error);
    for (size_t i = 0; i < words.count; i++)
        fuzz_require(strncmp(words.text[i], "--", 2) == 0, "an argument begins with two dashes");
    lb_strings_free(&words);
}

/* What is wrong with the text is on one of its lines, unless it is no text, or a file of another kind. */
static void require_line(const char *path, const uint8_t *data, size_t size, const lb_error *error)
{
    size_t length = strlen(path);
    long last = 1;
    for (size_t i = 0; i < size; i++) last += data[i] == '\n';
    fuzz_require(strncmp(error->message, path, length) == 0 && error->message[length] == ':',
                 "an error names the file");
    long line = strtol(error->message + length + 1, NULL, 10);
    fuzz_require((line >= 1 && line <= last) || strstr(error->message, "UTF-8") ||
                     strstr(error->message, ", expected JSON"),
                 "an error names a line of the file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    app_grid grid;
    int number = 0;
    const app_option options[] = {
        APP_INT(0, "hidden", "N", &number, 0, 0, "a number"), APP_INT(0, "lr", "N", &number, 0, 0, "another"),
        APP_INT(0, "t", "N", &number, 0, 0, "a short name"),  APP_FLAG(0, "tied", &(bool){false}, "a flag"),
        APP_INT(0, "C", "N", &number, 0, 0, "a short name"),
    };
    const app_program program = {
        .name = "fuzz", .options = options, .option_count = sizeof options / sizeof *options};
    const char *path = fuzz_file(data, size);
    lb_status status = app_grid_open(&grid, &program, path, &error);
    fuzz_require_told(status == LB_OK, &error);
    if (status == LB_ERROR_FORMAT) require_line(path, data, size, &error);
    for (int64_t i = 0; !status && i < grid.count && i < MOST_COMBINATIONS; i++) {
        name_combination(&grid, i, &program);
        name_combination(&grid, grid.count - 1 - i, &program);
    }
    if (!status) fuzz_require(app_grid_seeds_last(&grid) >= 1, "there is a seed");
    app_grid_close(&grid);
    return 0;
}
