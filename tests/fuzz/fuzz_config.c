/* A file for --config, with options of every kind. What is accepted is printed as a file that means the same. */
#include "base/alloc.h"
#include "cli/config.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    app_config config;
    int steps, way, most, any;
    double rate, share;
    bool fresh, tied;
    uint64_t seed;
    const char *out, *input;
} values;

/* Reads the file into new values, and prints them; NULL, with the error, if the file is refused. */
static char *read_and_print(const char *path, lb_error *error)
{
    static const char *const ways[] = {"plain", "doubled", "tr\xc3\xa4ge", NULL};
    static const lb_alias aliases[] = {{"twice", 1}, {NULL, 0}};
    values v = {.steps = 3, .most = -1, .rate = -1, .share = 0.5, .out = "out"};
    const app_option options[] = {
        APP_HEADING("All kinds"),
        APP_INT('s', "steps", "N", &v.steps, 0, 1000000, "from 0 on"),
        APP_INT(0, "most", "N", &v.most, 0, 10, "not given at first"),
        APP_INT(0, "any", "N", &v.any, 0, 0, "any number"),
        APP_NUMBER(0, "rate", "X", &v.rate, 0, 1e30, "not given at first"),
        APP_NUMBER(0, "share", "X", &v.share, 0, 0, "any number"),
        {.kind = APP_IS_CHOICE,
         .name = "kind",
         .metavar = "KIND",
         .value.integer = &v.way,
         .choices = ways,
         .aliases = aliases},
        APP_SEED(0, "seed", "N", &v.seed, "64 bits"),
        APP_FLAG('f', "fresh", &v.fresh, "a flag"),
        APP_FLAG(0, "tied", &v.tied, "another"),
        APP_TEXT('o', "out", "DIR", &v.out, "with a default"),
        APP_TEXT(0, "input", "FILE", &v.input, "without a default"),
        APP_CONFIG_OPTIONS(&v.config),
    };
    const app_program program = {
        .name = "fuzz", .options = options, .option_count = sizeof options / sizeof options[0]};
    char *json = NULL;
    if (app_config_read(&program, &v.config, path, error) == LB_OK) {
        json = app_config_record(&program, NULL);
        fuzz_require(json != NULL, "there is memory for a configuration");
    }
    app_json_file_close(&v.config.read);
    return json;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    char *first = read_and_print(fuzz_file(data, size), &error);
    fuzz_require_told(first != NULL, &error);
    if (!first) return 0;
    char *second = read_and_print(fuzz_file(first, strlen(first)), &error);
    fuzz_require(second && strcmp(first, second) == 0, "a printed configuration is read as the same");
    lb_release(second);
    lb_release(first);
    return 0;
}
