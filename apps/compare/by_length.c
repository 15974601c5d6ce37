#include "compare/comparison.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "console/console.h"
#include "console/output.h"
#include "data/sort_task.h"
#include "io/file.h"
#include "translate/apply/translator.h"

#include <lookback/plot.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NARROWEST = 7, NARROWEST_WITH_INTERVAL = 15, LISTS = 1000, CELL = 32 };

/* One column: the means of the trainings of a combination. */
typedef struct column {
    const char *name;
    int64_t parameters;
    double loss, seconds; /* of the last training steps; of the whole training */
    double steps;
    app_mean of[APP_LONGEST]; /* [lengths] exact match */
} column;

typedef struct measuring {
    const app_result_table *all;
    const lb_sort_task *task;
    int lengths;
    column *columns; /* [all->count] */
    double *found;   /* [lengths, all->seeds] of the column that is measured */
    lb_tape *tape;
    lb_error *error;
} measuring;

lb_sort_task app_task_of_length(const lb_sort_task *task, int32_t length)
{
    lb_sort_task part = *task;
    part.min_length = part.max_length = length;
    return part;
}

/* The lists are the same for all seeds. */
static lb_status measure_model(measuring *m, size_t seed, const lb_translator *model)
{
    lb_status status = LB_OK;
    for (int i = 0; i < m->lengths && !status; i++) {
        lb_sort_task part = app_task_of_length(m->task, m->task->min_length + i);
        status = lb_sort_evaluate(model->model.model, &part, m->tape, LISTS,
                                  &m->found[(size_t)i * m->all->seeds + seed]);
        if (status) lb_error_set(m->error, status, "%s", lb_tape_error(m->tape));
    }
    return status;
}

static lb_status measure_training(measuring *m, column *c, size_t seed, const app_sweep_result *training)
{
    for (int i = 0; i < m->lengths; i++) m->found[(size_t)i * m->all->seeds + seed] = NAN;
    if (!training->points) return LB_OK;
    lb_translator *model = lb_translator_open(training->folder, m->error);
    if (!model) return m->error->status;
    c->parameters = lb_params_learned(model->model.params);
    lb_status status = measure_model(m, seed, model);
    lb_translator_close(model);
    return status;
}

static lb_status measure_column(measuring *m, size_t k)
{
    column *c = &m->columns[k];
    const size_t seeds = m->all->seeds;
    const app_sweep_result *training = &m->all->results[k * seeds];
    double *loss = m->found, *seconds = loss + seeds, *steps = seconds + seeds; /* before exact match */
    for (size_t i = 0; i < seeds; i++) {
        loss[i] = training[i].points ? training[i].best.loss : NAN;
        seconds[i] = training[i].points ? training[i].seconds : NAN;
        steps[i] = training[i].points ? (double)training[i].best.step : NAN;
    }
    *c = (column){.name = app_result_table_name(m->all, k),
                  .loss = app_mean_of(loss, seeds).mean,
                  .seconds = app_mean_of(seconds, seeds).mean,
                  .steps = app_mean_of(steps, seeds).mean};
    lb_status status = LB_OK;
    for (size_t i = 0; i < seeds && !status; i++) status = measure_training(m, c, i, &training[i]);
    for (int i = 0; i < m->lengths; i++) c->of[i] = app_mean_of(m->found + (size_t)i * seeds, seeds);
    return status;
}

static int width_of(const measuring *m, const column *c)
{
    int width = (int)strlen(c->name), narrowest = m->all->seeds > 1 ? NARROWEST_WITH_INTERVAL : NARROWEST;
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
    const column *end = m->columns + m->all->count;
    const int steps = m->all->settings->steps;
    char cell[CELL];
    app_print("exact match on %d held-out lists of each length", LISTS);
    if (steps > 0) app_print(", after %d step%s", steps, lb_plural(steps));
    if (m->all->seeds > 1) app_print("; means of %zu seeds, with the half of 95 %% intervals", m->all->seeds);
    app_print("\n\n%10s", "length");
    for (const column *c = m->columns; c < end; c++) app_print("  %*s", width_of(m, c), c->name);
    for (int i = 0; i < m->lengths; i++) {
        app_print("\n%10d", (int)m->task->min_length + i);
        for (const column *c = m->columns; c < end; c++)
            app_print("  %*s", width_of(m, c), print_mean(c->of[i], cell));
    }
    app_print("\n%10s", "parameters");
    for (const column *c = m->columns; c < end; c++)
        app_print("  %*lld", width_of(m, c), (long long)c->parameters);
    app_print("\n");
    if (!app_flush_stdout()) return;
    lb_buffer speed = {0};
    lb_buffer_print(&speed, "%10s", "ms a step");
    for (const column *c = m->columns; c < end; c++)
        lb_buffer_print(&speed, "  %*s", width_of(m, c), app_measured(1000 * c->seconds / c->steps, 2, cell));
    if (!speed.failed) app_show(speed.text);
    lb_release(speed.text);
}

/* `series` [columns] and `x` [1 + columns, lengths] are to be filled in. */
static lb_status draw_series(const measuring *m, lb_series *series, double *x, lb_error *error)
{
    char path[APP_PATH];
    const size_t lengths = (size_t)m->lengths, count = m->all->count;
    for (size_t i = 0; i < lengths; i++) x[i] = m->task->min_length + (double)i;
    for (size_t k = 0; k < count; k++) {
        double *y = x + lengths * (1 + k);
        for (size_t i = 0; i < lengths; i++) y[i] = m->columns[k].of[i].mean;
        series[k] = (lb_series){.name = m->columns[k].name, .x = x, .y = y, .count = (int64_t)lengths};
    }
    const lb_chart chart = {.series = series,
                            .count = (int64_t)count,
                            .title = m->task->what == LB_LIST_SORT ? "Sorting Lists of Different Lengths"
                                                                   : "Lists of Different Lengths",
                            .x = {.label = "Numbers in the list"},
                            .left = {.label = "Exact match on held-out lists", .min = 0, .max = 1}};
    return app_save_chart(&chart, app_path(m->all->settings->out, "exact_match.png", path), error);
}

static lb_status draw(const measuring *m, lb_error *error)
{
    lb_series *series = lb_alloc(m->all->count * sizeof *series);
    double *x = lb_alloc((size_t)m->lengths * (1 + m->all->count) * sizeof *x);
    lb_status status = series && x ? draw_series(m, series, x, error) : lb_no_memory(error, "a chart");
    lb_release(series);
    lb_release(x);
    return status;
}

static void print_column(const measuring *m, const column *c, lb_buffer *json)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "name", c->name);
    lb_json_whole(json, "parameters", c->parameters);
    lb_json_number(json, "loss", c->loss, 9);
    lb_json_number(json, "seconds", round(1000 * c->seconds) / 1000, 9);
    lb_buffer_print(json, ",\"exact_match\":[");
    for (int i = 0; i < m->lengths; i++) lb_json_number(json, NULL, c->of[i].mean, 9);
    lb_buffer_print(json, "]");
    if (m->all->seeds > 1) {
        lb_buffer_print(json, ",\"seeds\":%lld,\"half_interval\":[", (long long)c->of->seeds);
        for (int i = 0; i < m->lengths; i++) lb_json_number(json, NULL, c->of[i].half, 9);
        lb_buffer_print(json, "]");
    }
    lb_buffer_print(json, "}");
}

static lb_status write_json(const measuring *m, lb_error *error)
{
    char path[APP_PATH];
    lb_buffer json = {0};
    const lb_sort_task *task = m->task;
    lb_buffer_print(&json, "{\"task\":\"%s\",\"max_number\":%d,\"seed\":%llu", lb_list_task_names[task->what],
                    (int)task->max_value, (unsigned long long)task->seed);
    if (m->all->settings->steps > 0) lb_json_whole(&json, "steps", m->all->settings->steps);
    if (m->all->settings->batch > 0) lb_json_whole(&json, "batch", m->all->settings->batch);
    lb_buffer_print(&json, ",\n");
    lb_buffer_print(&json, "\"lists\":%d,\"lengths\":[", LISTS);
    for (int i = 0; i < m->lengths; i++) lb_json_whole(&json, NULL, task->min_length + i);
    lb_buffer_print(&json, "],\n\"models\":[\n");
    for (size_t k = 0; k < m->all->count; k++) {
        print_column(m, &m->columns[k], &json);
        lb_buffer_print(&json, k + 1 < m->all->count ? ",\n" : "\n");
    }
    lb_buffer_print(&json, "]}\n");
    app_path(m->all->settings->out, "exact_match.json", path);
    lb_status status = json.failed ? lb_error_set(error, LB_ERROR_MEMORY, "%s: no memory", path)
                                   : lb_file_write_own(path, &(lb_bytes){json.text, json.length}, 1, error);
    lb_release(json.text);
    return status;
}

static lb_status measure_and_show(measuring *m)
{
    lb_status status = LB_OK;
    for (size_t k = 0; k < m->all->count && !status; k++) status = measure_column(m, k);
    if (!status) {
        print_table(m);
        status = draw(m, m->error);
    }
    return status ? status : write_json(m, m->error);
}

lb_status app_compare_lengths(const app_result_table *table, const lb_sort_task *task, lb_error *error)
{
    measuring m = {.all = table,
                   .task = task,
                   .lengths = task->max_length - task->min_length + 1,
                   .columns = lb_alloc_zero(table->count * sizeof *m.columns),
                   .tape = lb_tape_new(),
                   .error = error};
    /* With room for three other numbers of each seed. */
    m.found = lb_alloc(((size_t)m.lengths + 2) * table->seeds * sizeof *m.found);
    lb_status status =
        m.columns && m.found && m.tape ? measure_and_show(&m) : lb_no_memory(error, "a comparison");
    lb_tape_free(m.tape);
    lb_release(m.columns);
    lb_release(m.found);
    return status;
}
