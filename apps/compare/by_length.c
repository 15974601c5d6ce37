/* Comparisons on lists: the exact match of each model by length, measured after the trainings, as a table and a
 * chart. */
#include "compare/comparison.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "console/console.h"
#include "data/lists/sort_task.h"
#include "io/file.h"
#include "translate/apply/translator.h"

#include <lookback/plot.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NARROWEST = 7, NARROWEST_WITH_INTERVAL = 15, LISTS = 1000, CELL = 32 };

typedef struct measuring {
    const app_result_table *all;
    const lb_sort_task *task;
    size_t lengths;
    int64_t *parameters; /* [all->count] */
    double *found;       /* [all->count, lengths, all->seeds] exact match */
    lb_tape *tape;
    lb_series *series; /* [all->count] of the chart */
    double *x;         /* [lengths] of it, and behind it y, [all->count, lengths] */
    lb_error *error;
} measuring;

/* The lists are the same for all seeds. */
static lb_status measure_training(measuring *m, size_t k, size_t seed)
{
    const size_t seeds = m->all->seeds;
    const app_training *training = &m->all->trainings[k * seeds + seed];
    double *found = m->found + k * m->lengths * seeds + seed;
    for (size_t i = 0; i < m->lengths; i++) found[i * seeds] = NAN;
    if (training->made->history.count == 0) return LB_OK;
    lb_translator *model = lb_translator_open(training->folder, m->error);
    if (!model) return m->error->status;
    m->parameters[k] = lb_params_learned(model->model.params);
    lb_status status = LB_OK;
    for (size_t i = 0; i < m->lengths && !status; i++) {
        lb_sort_task part = *m->task;
        part.min_length = part.max_length = m->task->min_length + (int32_t)i;
        status = lb_sort_evaluate(model->model.model, &part, m->tape, LISTS, &found[i * seeds]);
        if (status) lb_error_set(m->error, status, "%s", lb_tape_error(m->tape));
    }
    lb_translator_close(model);
    return status;
}

/* Of the trainings of combination `k`, on lists of length `i`, counted from the shortest. */
static app_mean mean_of(const measuring *m, size_t k, size_t i)
{
    return app_mean_of(m->found + (k * m->lengths + i) * m->all->seeds, m->all->seeds);
}

static int width_of(const measuring *m, size_t k)
{
    int width = (int)strlen(app_result_table_name(m->all, k)),
        narrowest = m->all->seeds > 1 ? NARROWEST_WITH_INTERVAL : NARROWEST;
    return width > narrowest ? width : narrowest;
}

static const char *print_mean(app_mean mean, char text[CELL])
{
    if (mean.seeds < 2)
        app_measured(mean.mean, 3, text);
    else
        snprintf(text, CELL, "%.3f +- %.3f", mean.mean, mean.half);
    return text;
}

static void print_table(const measuring *m)
{
    const size_t count = m->all->count;
    const int steps = m->all->settings->steps;
    char cell[CELL];
    app_print("exact match on %d held-out lists of each length", LISTS);
    if (steps > 0) app_print(", after %d step%s", steps, lb_plural(steps));
    if (m->all->seeds > 1) app_print("; means of %zu seeds, with the half of 95 %% intervals", m->all->seeds);
    app_print("\n\n%10s", "length");
    for (size_t k = 0; k < count; k++) app_print("  %*s", width_of(m, k), app_result_table_name(m->all, k));
    for (size_t i = 0; i < m->lengths; i++) {
        app_print("\n%10d", (int)m->task->min_length + (int)i);
        for (size_t k = 0; k < count; k++)
            app_print("  %*s", width_of(m, k), print_mean(mean_of(m, k, i), cell));
    }
    app_print("\n%10s", "parameters");
    for (size_t k = 0; k < count; k++) app_print("  %*lld", width_of(m, k), (long long)m->parameters[k]);
    app_print("\n");
    if (!app_flush_stdout()) return;
    lb_buffer speed = {0};
    lb_buffer_print(&speed, "%10s", "ms a step");
    for (size_t k = 0; k < count; k++) {
        double seconds = app_result_table_mean(m->all, k, APP_SECONDS).mean,
               taken = app_result_table_mean(m->all, k, APP_STEP).mean;
        lb_buffer_print(&speed, "  %*s", width_of(m, k), app_measured(1000 * seconds / taken, 2, cell));
    }
    if (!speed.failed) app_show(speed.text);
    lb_release(speed.text);
}

static lb_status draw(const measuring *m)
{
    char path[APP_PATH];
    for (size_t i = 0; i < m->lengths; i++) m->x[i] = m->task->min_length + (double)i;
    for (size_t k = 0; k < m->all->count; k++) {
        double *y = m->x + (1 + k) * m->lengths;
        for (size_t i = 0; i < m->lengths; i++) y[i] = 100 * mean_of(m, k, i).mean;
        m->series[k] = (lb_series){
            .name = app_result_table_name(m->all, k), .x = m->x, .y = y, .count = (int64_t)m->lengths};
    }
    const lb_chart chart = {.series = m->series,
                            .count = (int64_t)m->all->count,
                            .title = m->task->what == LB_LIST_SORT ? "Sorting Lists of Different Lengths"
                                                                   : "Lists of Different Lengths",
                            .x = {.label = "Numbers in the list"},
                            .left = {.label = "Exact match, %", .min = 0, .max = 100}};
    return app_save_chart(&chart, app_path(m->all->settings->out, "exact_match.png", path), m->error);
}

static void print_combination(const measuring *m, size_t k, lb_buffer *json)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "name", app_result_table_name(m->all, k));
    lb_json_whole(json, "parameters", m->parameters[k]);
    lb_json_number(json, "loss", app_result_table_mean(m->all, k, APP_LOSS).mean, 9);
    lb_json_number(json, "seconds", round(1000 * app_result_table_mean(m->all, k, APP_SECONDS).mean) / 1000,
                   9);
    lb_buffer_print(json, ",\"exact_match\":[");
    for (size_t i = 0; i < m->lengths; i++) lb_json_number(json, NULL, mean_of(m, k, i).mean, 9);
    lb_buffer_print(json, "]");
    if (m->all->seeds > 1) {
        lb_buffer_print(json, ",\"seeds\":%lld,\"half_interval\":[", (long long)mean_of(m, k, 0).seeds);
        for (size_t i = 0; i < m->lengths; i++) lb_json_number(json, NULL, mean_of(m, k, i).half, 9);
        lb_buffer_print(json, "]");
    }
    lb_buffer_print(json, "}");
}

static lb_status write_json(const measuring *m)
{
    char path[APP_PATH];
    lb_buffer json = {0};
    const lb_sort_task *task = m->task;
    lb_buffer_print(&json, "{\"task\":\"%s\",\"max_number\":%d,\"seed\":%llu", lb_list_task_names[task->what],
                    (int)task->max_value, (unsigned long long)task->seed);
    if (m->all->settings->steps > 0) lb_json_whole(&json, "steps", m->all->settings->steps);
    if (m->all->settings->batch > 0) lb_json_whole(&json, "batch", m->all->settings->batch);
    lb_buffer_print(&json, ",\n\"lists\":%d,\"lengths\":[", LISTS);
    for (size_t i = 0; i < m->lengths; i++) lb_json_whole(&json, NULL, task->min_length + (int64_t)i);
    lb_buffer_print(&json, "],\n\"models\":[\n");
    for (size_t k = 0; k < m->all->count; k++) {
        print_combination(m, k, &json);
        lb_buffer_print(&json, k + 1 < m->all->count ? ",\n" : "\n");
    }
    lb_buffer_print(&json, "]}\n");
    app_path(m->all->settings->out, "exact_match.json", path);
    lb_status status = json.failed
                           ? lb_error_set(m->error, LB_ERROR_MEMORY, "%s: no memory", path)
                           : lb_file_write_own(path, &(lb_bytes){json.text, json.length}, 1, m->error);
    lb_release(json.text);
    return status;
}

static lb_status measure_and_show(measuring *m)
{
    lb_status status = LB_OK;
    for (size_t k = 0; k < m->all->count; k++)
        for (size_t seed = 0; seed < m->all->seeds && !status; seed++) status = measure_training(m, k, seed);
    if (status) return status;
    print_table(m);
    status = draw(m);
    return status ? status : write_json(m);
}

lb_status app_compare_lengths(const app_result_table *table, const lb_sort_task *task, lb_error *error)
{
    const size_t count = table->count, lengths = (size_t)(task->max_length - task->min_length) + 1;
    measuring m = {.all = table,
                   .task = task,
                   .lengths = lengths,
                   .parameters = lb_alloc_zero(count * sizeof *m.parameters),
                   .found = lb_alloc(count * lengths * table->seeds * sizeof *m.found),
                   .tape = lb_tape_new(),
                   .series = lb_alloc(count * sizeof *m.series),
                   .x = lb_alloc((1 + count) * lengths * sizeof *m.x),
                   .error = error};
    lb_status status = m.parameters && m.found && m.tape && m.series && m.x
                           ? measure_and_show(&m)
                           : lb_no_memory(error, "a comparison");
    lb_tape_free(m.tape);
    lb_release(m.parameters);
    lb_release(m.found);
    lb_release(m.series);
    lb_release(m.x);
    return status;
}
