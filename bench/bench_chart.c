/* Draws how cost grows with the length of the lists and with the width of the model, from the output of bench_table. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/record.h"

#include <lookback/lookback.h>

#include <math.h>
#include <stdlib.h>

enum { LOOKBACK, PYTORCH, FLOOR, PROGRAMS };
enum { MOST = 8, PANELS = 4 };

static const struct {
    const char *by, *name;
} programs[PROGRAMS] = {[LOOKBACK] = {"lookback", "Lookback"},
                        [PYTORCH] = {"pytorch", "PyTorch"},
                        [FLOOR] = {"floor", "matrix products alone"}};

/* One panel and its data. */
typedef struct panel {
    double x[PROGRAMS][MOST], y[PROGRAMS][MOST];
    lb_series series[PROGRAMS];
    lb_chart chart;
} panel;

static void fill(panel *p, const cJSON *runs, const char *part, const char *const *names, bool memory)
{
    p->chart = (lb_chart){
        .series = p->series,
        .x = {.log = true},
        .left = {.label = memory ? "Peak memory, MB" : "Time of a token, microseconds", .log = true},
        .width = 352, /* so that both can be read where a page is 830 pixels wide */
        .height = 260,
    };
    /* Without the last program: the memory of the products alone is not that of a model. */
    for (int i = 0; i < (memory ? FLOOR : PROGRAMS); i++) {
        size_t count = 0;
        for (const char *const *name = names; *name; name++) {
            bench_key key = {part, *name, programs[i].by, 0};
            double y = memory ? bench_record_median(runs, key, "peak_mb")
                              : 1e6 / bench_record_median(runs, key, "tokens_per_second");
            if (!isfinite(y)) continue; /* not measured: the line continues after it */
            p->x[i][count] = strtod(*name, NULL);
            p->y[i][count++] = y;
        }
        if (count > 0)
            p->series[p->chart.count++] =
                (lb_series){.name = programs[i].name, .x = p->x[i], .y = p->y[i], .count = (int64_t)count};
    }
}

static lb_status draw(const cJSON *runs, const char *path, lb_error *error)
{
    panel panels[PANELS];
    lb_panel drawn[PANELS];
    for (int i = 0; i < PANELS; i++) {
        bool hidden = i % 2 == 1;
        fill(&panels[i], runs, hidden ? "hidden" : "length", hidden ? bench_hiddens : bench_lengths, i >= 2);
        panels[i].chart.x.label = hidden ? "Width of the state" : "Numbers in a list";
        drawn[i] = lb_chart_panel(&panels[i].chart);
    }
    lb_figure figure = {
        .panels = drawn, .count = PANELS, .columns = 2, .title = "A training step on two threads, batch 64"};
    return lb_figure_save(&figure, path, error);
}

static lb_status read_and_draw(const char *input, const char *output, lb_error *error)
{
    cJSON *bench = bench_record_open(input, error);
    if (!bench) return error->status;
    lb_status status = draw(cJSON_GetObjectItem(bench, "runs"), output, error);
    cJSON_Delete(bench);
    return status;
}

int main(int argc, char **argv)
{
    const char *output = "bench_growth.png";
    const app_option options[] = {APP_TEXT('o', "output", "FILE", &output, "the picture to write")};
    const app_program program = {
        .name = "bench_chart",
        .purpose = "Draws how the cost of training grows, from the bench.json of bench_table.",
        .operands = "FILE",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    return read_and_draw(argv[0], output, &error) ? app_fail(&error) : 0;
}
