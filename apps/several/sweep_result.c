#include "several/side_by_side.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "console/console.h"
#include "console/output.h"
#include "io/file.h"
#include "io/json.h"
#include <lookback/plot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 8 };

/* 0 for what no chart could show, such as 1e999. */
static double number(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : 0;
}

static void add_point(app_sweep_result *r, const cJSON *json)
{
    const cJSON *loss = cJSON_GetObjectItemCaseSensitive(json, "dev_loss");
    lb_evaluation found = {.exact_match = number(json, "exact_match"),
                           .symbol_error = number(json, "symbol_error"),
                           .loss = cJSON_IsNull(loss) ? NAN : number(json, "dev_loss")};
    if (r->points == 0 || lb_evaluation_is_better(&found, &r->best)) {
        r->best = found;
        r->best_step = number(json, "step");
    }
    r->seconds = number(json, "seconds");
    r->step[r->points] = number(json, "step");
    r->error[r->points++] = 1 - found.exact_match;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
    return lines;
}

static lb_status read_lines(app_sweep_result *r, const char *path, const char *text, lb_error *error)
{
    size_t lines = count_lines(text);
    r->step = lb_alloc((lines + 1) * sizeof *r->step);
    r->error = lb_alloc((lines + 1) * sizeof *r->error);
    if (!r->step || !r->error) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sweep");
    for (size_t line = 1; line <= lines; line++) {
        const char *end = strchr(text, '\n');
        cJSON *json;
        if (lb_json_parse(text, (size_t)(end - text), NULL, &json) == LB_ERROR_MEMORY)
            return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sweep");
        if (!cJSON_IsObject(json)) {
            cJSON_Delete(json);
            return lb_error_set(error, LB_ERROR_FORMAT, "%s:%zu: expected a JSON object", path, line);
        }
        add_point(r, json);
        cJSON_Delete(json);
        text = end + 1;
    }
    return LB_OK;
}

lb_status app_sweep_result_read(app_sweep_result *result, lb_error *error)
{
    char path[APP_PATH];
    void *text;
    size_t length;
    if (lb_file_is_missing(app_path(result->folder, "log.jsonl", path))) return LB_OK;
    lb_status status = lb_file_read_own(path, 0, &text, &length, error);
    if (status) return status;
    status = read_lines(result, path, text, error);
    lb_release(text);
    return status;
}

void app_sweep_result_free(app_sweep_result *result)
{
    lb_release(result->name);
    lb_release(result->folder);
    lb_release(result->step);
    lb_release(result->error);
    *result = (app_sweep_result){0};
}

static int compare(const void *a, const void *b)
{
    const app_sweep_result *x = a, *y = b;
    if (!x->points || !y->points) return (x->points == 0) - (y->points == 0);
    if (lb_evaluation_is_better(&x->best, &y->best)) return -1;
    if (lb_evaluation_is_better(&y->best, &x->best)) return 1;
    return strcmp(x->name, y->name);
}

void app_sweep_results_sort(app_sweep_result *results, size_t count)
{
    qsort(results, count, sizeof *results, compare);
}

static lb_status write_table(const app_sweep_result *results, size_t count, const char *path, lb_error *error)
{
    lb_buffer text = {0};
    lb_buffer_print(&text, "exact_match\tsymbol_error\tdev_loss\tstep\tseconds\ttraining\n");
    for (size_t i = 0; i < count; i++) {
        const app_sweep_result *r = &results[i];
        char loss[APP_MEASURED];
        if (r->points)
            lb_buffer_print(&text, "%.6f\t%.6f\t%s\t%.0f\t%.1f\t%s\n", r->best.exact_match,
                            r->best.symbol_error,
                            isnan(r->best.loss) ? "" : app_measured(r->best.loss, 6, loss), r->best_step,
                            r->seconds, r->name);
        else
            lb_buffer_print(&text, "\t\t\t\t\t%s\n", r->name);
    }
    lb_status status = text.failed
                           ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the table of a sweep")
                           : lb_file_write_own(path, &(lb_bytes){text.text, text.length}, 1, error);
    lb_release(text.text);
    return status;
}

static void print_table(const app_sweep_result *results, size_t count)
{
    app_print("%-12s %-13s %-10s %-8s %-8s %s\n", "exact match", "symbol error", "dev loss", "step",
              "seconds", "training");
    for (size_t i = 0; i < count; i++) {
        const app_sweep_result *r = &results[i];
        char loss[APP_MEASURED];
        if (r->points)
            app_print("%-12.4f %-13.4f %-10s %-8.0f %-8.1f %s\n", r->best.exact_match, r->best.symbol_error,
                      app_measured(r->best.loss, 4, loss), r->best_step, r->seconds, r->name);
        else
            app_print("%-55s %s\n", "failed", r->name);
    }
}

static lb_status draw(const app_sweep_result *results, size_t count, const char *path, lb_error *error)
{
    lb_series series[CURVES];
    size_t curves = 0;
    for (; curves < CURVES && curves < count && results[curves].points; curves++)
        series[curves] = (lb_series){.name = results[curves].name,
                                     .x = results[curves].step,
                                     .y = results[curves].error,
                                     .count = (int64_t)results[curves].points};
    if (curves == 0) return LB_OK;
    const lb_chart chart = {.series = series,
                            .count = (int64_t)curves,
                            .title = "Sweep",
                            .x = {.label = "Step"},
                            .left = {.label = "Share of wrong outputs on dev", .min = 0, .max = 1}};
    return app_save_chart(&chart, path, error);
}

lb_status app_sweep_results_show(const app_sweep_result *results, size_t count, const char *out,
                                 lb_error *error)
{
    char path[APP_PATH];
    print_table(results, count);
    lb_status status = write_table(results, count, app_path(out, "sweep.tsv", path), error);
    return status ? status : draw(results, count, app_path(out, "sweep.png", path), error);
}
