/* A sample program that counts to a number. Like the programs of Lookback, it has every kind of option, shows its
 * progress, prints a result and fails on request. */
#include "cli/options.h"
#include "console/console.h"

int main(int argc, char **argv)
{
    enum { PLAIN, DOUBLED };
    const char *const ways[] = {"plain", "doubled", NULL};
    int steps = 3, way = PLAIN;
    bool broken = false;
    uint64_t seed = 1;
    double scale = 1;
    const char *out = "out";
    const app_option options[] = {
        APP_HEADING("Counting:"),
        APP_INT('s', "steps", "N", &steps, 0, 1000000, "how far to count"),
        APP_NUMBER(0, "scale", "X", &scale, 0, 100,
                   "what to multiply with, explained at such a length that it needs more than one line"),
        APP_CHOICE(0, "way", "WAY", &way, ways, "how to count"),
        APP_HEADING("Other:"),
        APP_TEXT('o', "out", "DIR", &out, "where to write"),
        APP_SEED(0, "seed", "SEED", &seed, "where randomness begins"),
        APP_FLAG('b', "broken", &broken, "fail at the end"),
    };
    const app_program program = {
        .name = "sample_program",
        .purpose = "Counts.",
        .operands = "[LABEL]",
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;

    app_progress progress;
    app_progress_init(&progress, (app_progress_config){.total = steps});
    for (int step = 1; step <= steps; step++) {
        app_progress_update(&progress, step, "loss %.4f", 1.0 / step);
    }
    app_progress_end(&progress);

    lb_error error = {0};
    if (broken) {
        lb_error_set(&error, LB_ERROR_FORMAT, "numbers.txt:3: expected a number, found \"a\nb\"");
        return app_fail(&error);
    }
    printf("%s %g seed %ju out %s\n", argc ? argv[0] : "counted", scale * steps * (way == DOUBLED ? 2 : 1),
           (uintmax_t)seed, out);
    return app_close_stdout(0);
}
