#include "compare/comparison.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "console/console.h"
#include "console/output.h"
#include "io/file.h"
#include <lookback/plot.h>

#include <stdio.h>
#include <string.h>

enum { NARROWEST = 7 };

static int lengths_of(const app_comparison *comparison)
{
    return comparison->task.max_length - comparison->task.min_length + 1;
}

static int width_of(const app_compared *model)
{
    int width = (int)strlen(model->name);
    return width > NARROWEST ? width : NARROWEST;
}

void app_comparison_print(const app_comparison *comparison)
{
    const app_compared *end = comparison->models + comparison->count;
    app_print("exact match on %d held-out lists of each length, after %d step%s\n\n", comparison->lists,
              comparison->steps, lb_plural(comparison->steps));
    app_print("%10s", "length");
    for (const app_compared *m = comparison->models; m < end; m++) app_print("  %*s", width_of(m), m->name);
    for (int i = 0; i < lengths_of(comparison); i++) {
        app_print("\n%10d", (int)comparison->task.min_length + i);
        for (const app_compared *m = comparison->models; m < end; m++)
            app_print("  %*.3f", width_of(m), m->exact_match[i]);
    }
    app_print("\n%10s", "parameters");
    for (const app_compared *m = comparison->models; m < end; m++)
        app_print("  %*lld", width_of(m), (long long)m->parameters);
    app_print("\n");
    if (!app_flush_stdout()) return;
    lb_buffer speed = {0};
    lb_buffer_print(&speed, "%10s", "ms a step");
    for (const app_compared *m = comparison->models; m < end; m++)
        lb_buffer_print(&speed, "  %*.2f", width_of(m), 1000 * m->seconds / comparison->steps);
    if (!speed.failed) app_show(speed.text);
    lb_release(speed.text);
}

lb_status app_comparison_draw(const app_comparison *comparison, const char *path, lb_error *error)
{
    double length[APP_LONGEST];
    lb_series series[APP_COMPARED_KINDS];
    size_t lengths = (size_t)lengths_of(comparison), count = (size_t)comparison->count;
    for (size_t i = 0; i < lengths; i++) length[i] = comparison->task.min_length + (double)i;
    for (size_t k = 0; k < count; k++) {
        const app_compared *model = &comparison->models[k];
        series[k] =
            (lb_series){.name = model->name, .x = length, .y = model->exact_match, .count = (int64_t)lengths};
    }
    const lb_chart chart = {.series = series,
                            .count = (int64_t)count,
                            .title = "Sorting Lists of Different Lengths",
                            .x = {.label = "Numbers in the list"},
                            .left = {.label = "Exact match on held-out lists", .min = 0, .max = 1}};
    return app_save_chart(&chart, path, error);
}

static void print_model(lb_buffer *json, const app_compared *model, int lengths)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "name", model->name);
    lb_buffer_print(json, ",\"parameters\":%lld,\"loss\":%.9g,\"seconds\":%.3f,\"exact_match\":[",
                    (long long)model->parameters, model->loss, model->seconds);
    for (int i = 0; i < lengths; i++) lb_json_number(json, NULL, model->exact_match[i], 9);
    lb_buffer_print(json, "]}");
}

lb_status app_comparison_write(const app_comparison *comparison, const char *path, lb_error *error)
{
    lb_buffer json = {0};
    const lb_sort_task *task = &comparison->task;
    int lengths = lengths_of(comparison);
    lb_buffer_print(&json, "{\"task\":\"sort\",\"max_number\":%d,\"seed\":%llu,\"steps\":%d,\"batch\":%d,\n",
                    (int)task->max_value, (unsigned long long)task->seed, comparison->steps,
                    comparison->batch);
    lb_buffer_print(&json, "\"lists\":%d,\"lengths\":[", comparison->lists);
    for (int i = 0; i < lengths; i++) lb_json_whole(&json, NULL, task->min_length + i);
    lb_buffer_print(&json, "],\n\"models\":[\n");
    for (int k = 0; k < comparison->count; k++) {
        print_model(&json, &comparison->models[k], lengths);
        lb_buffer_print(&json, k + 1 < comparison->count ? ",\n" : "\n");
    }
    lb_buffer_print(&json, "]}\n");
    lb_status status = json.failed ? lb_error_set(error, LB_ERROR_MEMORY, "%s: no memory", path)
                                   : lb_file_write_own(path, &(lb_bytes){json.text, json.length}, 1, error);
    lb_release(json.text);
    return status;
}
