/* Draws curves, such as errors over the number of pairs, from lines of standard input: the name of a curve and two
 * numbers, with tabs between. */
#include "cli/options.h"
#include "console/console.h"

#include <lookback/lookback.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, POINTS = 32, NAME = 64 };

typedef struct curve {
    char name[NAME];
    double x[POINTS], y[POINTS];
    int count;
} curve;

static curve *curve_of(curve curves[MOST], const char *name)
{
    for (int i = 0; i < MOST; i++) {
        if (!*curves[i].name) snprintf(curves[i].name, NAME, "%s", name);
        if (strcmp(curves[i].name, name) == 0) return curves[i].count < POINTS ? &curves[i] : NULL;
    }
    return NULL;
}

static bool parse(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end;
}

static lb_status read_curves(curve curves[MOST], lb_error *error)
{
    char name[NAME], count[NAME], measure[NAME];
    int read;
    while ((read = scanf(" %63[^\t]\t%63s\t%63s", name, count, measure)) == 3) {
        curve *c = curve_of(curves, name);
        if (!c) return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: too many curves or points", name);
        if (!parse(count, &c->x[c->count]) || !parse(measure, &c->y[c->count])) break;
        c->count++;
    }
    return read == EOF ? LB_OK : lb_error_set(error, LB_ERROR_FORMAT, "expected a name and two numbers");
}

int main(int argc, char **argv)
{
    const char *output = "curves.png", *title = "Errors over the number of training pairs",
               *x = "Training pairs", *y = "Words wrong, %";
    bool linear = false;
    const app_option options[] = {APP_TEXT('o', "output", "FILE", &output, "the picture to write"),
                                  APP_TEXT(0, "title", "TEXT", &title, "the title"),
                                  APP_TEXT(0, "x", "TEXT", &x, "what the first numbers are"),
                                  APP_TEXT(0, "y", "TEXT", &y, "what the second numbers are"),
                                  APP_FLAG(0, "linear", &linear, "with linear axes, not logarithmic ones")};
    const app_program program = {
        .name = "bench_curves",
        .purpose =
            "Draws the curves of standard input: on each line a name and two numbers, with tabs between.",
        .options = options,
        .option_count = sizeof options / sizeof options[0]};
    static curve curves[MOST];
    lb_series series[MOST];
    lb_error error = {0};
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    if (read_curves(curves, &error)) return app_fail(&error);
    lb_chart chart = {.series = series,
                      .title = title,
                      .x = {.label = x, .log = !linear},
                      .left = {.label = y, .log = !linear, .max = linear && strchr(y, '%') ? 100 : 0}};
    for (const curve *c = curves; chart.count < MOST && c->count > 0; c++)
        series[chart.count++] = (lb_series){.name = c->name, .x = c->x, .y = c->y, .count = c->count};
    return lb_chart_save(&chart, output, &error) ? app_fail(&error) : 0;
}
