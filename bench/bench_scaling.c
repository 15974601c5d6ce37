/* What more machines would gain: a model of the time of a step, fitted to the output of bench_table, as a table and a
 * chart. It is not a measurement of several machines.
 *
 *     step(pairs of a node, nodes) = compute(pairs) + exchange(nodes)
 *     compute(pairs)  = fixed + pairs * each
 *     exchange(nodes) = 2 log2(nodes) latency + 2 (1 - 1 / nodes) bytes (1 / network + 1 / memory)
 *
 * Measured on one machine: `fixed` and `each` for each model, `latency` by TCP, and `memory`, the rate at which two
 * ranks copy and add without a network. Taken as given: the rate of the network. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/record.h"

#include "io/file.h"
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODELS = 3, NETWORKS = 2, DOUBLINGS = 7, PANELS = 2, LINES = MODELS * NETWORKS };
/* Pairs of a step, which the nodes share. */
static const int batches[PANELS] = {64, 1024};

static const struct {
    const char *name;
    double bytes_per_second;
} networks[NETWORKS] = {{"10 Gbit/s", 1.25e9}, {"100 Gbit/s", 12.5e9}};

/* A fitted model; times are in seconds. */
typedef struct cost {
    double fixed, each, bytes;
    double latency, memory; /* seconds of a message; bytes a second */
} cost;

/* The line with the least relative errors: a step of four pairs counts as much as one of 256. */
static void fit_line(const double *x, const double *y, int count, cost *c)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (int i = 0; i < count; i++) {
        double weight = 1 / (y[i] * y[i]);
        w += weight;
        wx += weight * x[i];
        wy += weight * y[i];
        wxx += weight * x[i] * x[i];
        wxy += weight * x[i] * y[i];
    }
    c->each = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    c->fixed = (wy - c->each * wx) / w;
}

/* Seconds; NaN if it was not measured. */
static double exchanged(const cJSON *runs, const char *numbers, const char *by)
{
    return 1e-3 * bench_record_median(runs, (bench_key){"exchange", numbers, by, 0}, "ms");
}

static lb_status fit(const cJSON *runs, const char *model, cost *c, lb_error *error)
{
    double batch[BENCH_MOST], seconds[BENCH_MOST], numbers = strtod(bench_exchanges[1], NULL);
    int count = 0;
    for (int i = 0; bench_batches[i]; i++) {
        char name[BENCH_NAME];
        bench_key key = {"cost", bench_cost_name(model, bench_batches[i], name), "lookback", 2};
        double ms = bench_record_median(runs, key, "ms_per_step");
        c->bytes = bench_record_median(runs, key, "parameters") * sizeof(float);
        if (!isfinite(ms)) continue;
        batch[count] = strtod(bench_batches[i], NULL);
        seconds[count++] = 1e-3 * ms;
    }
    /* Two ranks send one message of half the numbers there, and one back. */
    c->latency = exchanged(runs, bench_exchanges[0], "tcp") / 2;
    c->memory = numbers * sizeof(float) / exchanged(runs, bench_exchanges[1], "memory");
    if (count < 2 || !isfinite(c->latency) || !isfinite(c->memory))
        return lb_error_set(error, LB_ERROR_FORMAT, "no measurements of bench_table --part scaling");
    fit_line(batch, seconds, count, c);
    return LB_OK;
}

static double step(const cost *c, double pairs, double nodes, double network)
{
    double exchange =
        2 * log2(nodes) * c->latency + 2 * (1 - 1 / nodes) * c->bytes * (1 / network + 1 / c->memory);
    return c->fixed + pairs * c->each + (nodes > 1 ? exchange : 0);
}

/* How much faster a step is than on one node. */
static double gain(const cost *c, int batch, double nodes, double network)
{
    return step(c, batch, 1, network) / step(c, batch / nodes, nodes, network);
}

/* The most nodes of which no more than half is lost. */
static int worth(const cost *c, int batch, double network)
{
    int nodes = 1;
    while (gain(c, batch, 2 * nodes, network) >= nodes) nodes *= 2;
    return nodes;
}

static void print_gains(const cost *costs, int batch)
{
    printf("\ngain of a step of %d pairs on\n%-10s%-12s", batch, "model", "network");
    for (int d = 1; d < DOUBLINGS; d++) printf("%8d", 1 << d);
    printf("%8s%17s\n", "nodes", "half used up to");
    for (int m = 0; m < MODELS; m++)
        for (int n = 0; n < NETWORKS; n++) {
            double rate = networks[n].bytes_per_second;
            printf("%-10s%-12s", bench_models[m].name, networks[n].name);
            for (int d = 1; d < DOUBLINGS; d++) printf("%8.2f", gain(&costs[m], batch, 1 << d, rate));
            printf("%25d\n", worth(&costs[m], batch, rate));
        }
}

/* One panel and its data. */
typedef struct panel {
    char names[LINES][BENCH_NAME];
    double x[DOUBLINGS], y[LINES][DOUBLINGS];
    lb_series series[LINES];
    char title[BENCH_NAME];
    lb_chart chart;
} panel;

static void fill(panel *p, const cost *costs, int batch)
{
    for (int d = 0; d < DOUBLINGS; d++) p->x[d] = 1 << d;
    for (int line = 0; line < LINES; line++) {
        int m = line / NETWORKS, n = line % NETWORKS;
        snprintf(p->names[line], BENCH_NAME, "%s, %s", bench_models[m].name, networks[n].name);
        for (int d = 0; d < DOUBLINGS; d++)
            p->y[line][d] = 100 * gain(&costs[m], batch, p->x[d], networks[n].bytes_per_second) / p->x[d];
        p->series[line] = (lb_series){.name = p->names[line], .x = p->x, .y = p->y[line], .count = DOUBLINGS};
    }
    snprintf(p->title, sizeof p->title, "A step of %d pairs", batch);
    p->chart = (lb_chart){.series = p->series,
                          .count = LINES,
                          .title = p->title,
                          .x = {.label = "Nodes of two cores", .log = true},
                          .left = {.label = "Used share of the nodes, %", .min = 0, .max = 100}};
}

static lb_status draw(const cost *costs, const char *path, lb_error *error)
{
    static panel panels[PANELS];
    lb_panel drawn[PANELS];
    for (int i = 0; i < PANELS; i++) {
        fill(&panels[i], costs, batches[i]);
        drawn[i] = lb_chart_panel(&panels[i].chart);
    }
    lb_figure figure = {
        .panels = drawn, .count = PANELS, .columns = 1, .title = "Not measured: a model of several machines"};
    return lb_figure_save(&figure, path, error);
}

static lb_status read_and_draw(const char *input, const char *output, lb_error *error)
{
    cost costs[MODELS] = {{0}};
    lb_status status = LB_OK;
    cJSON *bench = bench_record_open(input, error);
    if (!bench) return error->status;
    for (int m = 0; m < MODELS && !status; m++)
        status = fit(cJSON_GetObjectItem(bench, "runs"), bench_models[m].name, &costs[m], error);
    cJSON_Delete(bench);
    if (status) return status;
    for (int m = 0; m < MODELS; m++)
        printf("%s parameters: a step takes %.2f ms and %.3f ms for each pair\n", bench_models[m].name,
               1e3 * costs[m].fixed, 1e3 * costs[m].each);
    printf("a message takes %.1f microseconds by TCP; two ranks copy and add %.2f GB/s\n",
           1e6 * costs->latency, 1e-9 * costs->memory);
    for (int i = 0; i < PANELS; i++) print_gains(costs, batches[i]);
    return draw(costs, output, error);
}

int main(int argc, char **argv)
{
    const char *output = "bench_scaling.png";
    const app_option options[] = {APP_TEXT('o', "output", "FILE", &output, "the picture to write")};
    const app_program program = {
        .name = "bench_scaling",
        .purpose =
            "Estimates what more machines would gain, from the bench.json of bench_table --part scaling.",
        .operands = "FILE",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    return app_close_stdout(read_and_draw(argv[0], output, &error) ? app_fail(&error) : 0);
}
