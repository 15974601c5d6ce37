#include "several/sweep.h"

#include "base/alloc.h"
#include "console/console.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/plan/recipe.h"
#include <lookback/plot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 8 };

static bool is_taken(const app_training *trainings, size_t count, int64_t combination)
{
    for (size_t i = 0; i < count; i++)
        if (trainings[i].combination == combination) return true;
    return false;
}

/* Chooses all combinations in order, or a random sample without replacement. */
static void choose_combinations(app_side_by_side *s, int64_t combinations)
{
    lb_rng rng = {s->settings->seed, lb_rng_stream("combinations of a sweep"), 0};
    const bool all = (int64_t)s->count == combinations;
    uint64_t drawn = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t next = (int64_t)i;
        while (!all &&
               is_taken(s->training, i, next = (int64_t)lb_rng_below(rng, drawn++, (uint64_t)combinations)))
            ;
        s->training[i].combination = next;
    }
}

/* The options of a combination follow those of the sweep. */
lb_status app_grid_trainings(const app_grid *grid, int count, void (*complete)(lb_training_config *),
                             app_side_by_side *s)
{
    bool all = count == 0 || count >= grid->count;
    lb_status status = app_side_by_side_open(s, (size_t)(all ? grid->count : count));
    if (!status) choose_combinations(s, grid->count);
    for (size_t i = 0; i < s->count && !status; i++) {
        lb_error found = {0};
        app_training *t = &s->training[i];
        status = app_side_by_side_set(s, i, app_grid_name(grid, t->combination, true));
        if (!status && app_grid_apply(grid, t->combination, s, &t->words, &found))
            status = app_side_by_side_refuse(s, i, &found);
        if (!status && complete) complete(&s->options->settings);
        if (!status) status = app_side_by_side_take(s, i);
    }
    return status;
}

/* Those without a result are last. */
static int compare(const void *a, const void *b)
{
    const app_training *x = a, *y = b;
    const lb_train_history *h = &x->made->history;
    const lb_train_point *of_x = app_training_best(x), *of_y = app_training_best(y);
    if (!of_x || !of_y) return !of_x - !of_y;
    if (h->is_better(lb_train_judged(h, of_x), lb_train_judged(h, of_y))) return -1;
    if (h->is_better(lb_train_judged(h, of_y), lb_train_judged(h, of_x))) return 1;
    return strcmp(x->name, y->name);
}

/* A curve of what the models are chosen by. Memory: release series->x with lb_release. */
static lb_status draw_curve(const app_training *t, const lb_criterion *by, lb_series *series, lb_axis *axis,
                            lb_error *error)
{
    const lb_train_history *h = &t->made->history;
    double *x = lb_alloc(2 * (size_t)h->count * sizeof *x);
    *series = (lb_series){.name = t->name, .x = x, .y = x + h->count, .count = h->count};
    if (!x) return lb_no_memory(error, "a sweep");
    for (int64_t i = 0; i < h->count; i++) {
        x[i] = (double)h->points[i].step;
        x[h->count + i] = lb_criterion_value(by, &h->points[i].dev);
        if (axis->max > 0) axis->max = fmax(axis->max, x[h->count + i]);
    }
    return LB_OK;
}

/* The learning curves of the best trainings. */
static lb_status draw(const app_side_by_side *s)
{
    char path[APP_PATH], label[APP_LABEL];
    lb_series series[CURVES];
    size_t curves = 0;
    lb_status status = LB_OK;
    const lb_train_point *best = app_training_best(s->training);
    const lb_criterion *by = lb_criterion_find(s->settings->choose, best ? &best->dev : NULL);
    app_name_evaluations(s->settings, by, label);
    lb_axis axis = {.label = label, .max = by->at == offsetof(lb_evaluation, loss) ? 0 : 100};
    for (const app_training *t = s->training;
         curves < CURVES && curves < s->count && t->made->history.count > 0 && !status; t++)
        status = draw_curve(t, by, &series[curves++], &axis, s->error);
    const lb_chart chart = {
        .series = series, .count = (int64_t)curves, .title = "Sweep", .x = {.label = "Step"}, .left = axis};
    if (!status && curves > 0)
        status = app_save_chart(&chart, app_path(s->settings->out, "sweep.png", path), s->error);
    for (size_t i = 0; i < curves; i++) lb_release((void *)series[i].x);
    return status;
}

/* Copies the best model to where predict looks for one. */
static lb_status keep_best(const app_side_by_side *s)
{
    char from[APP_PATH], to[APP_PATH];
    void *bytes;
    size_t count;
    const app_training *best = s->training;
    lb_status status = lb_own_check_content(app_path(best->folder, "model.safetensors", from), s->error);
    if (!status) status = lb_file_read(from, 0, &bytes, &count, s->error);
    if (status) return status;
    status =
        lb_file_write_atomic(app_path(s->settings->out, "model.safetensors", to), bytes, count, s->error);
    lb_release(bytes);
    if (!status) app_note("%s is the model of %s", to, best->name);
    return status;
}

/* A table, a chart and the best model. */
static lb_status conclude(const app_side_by_side *s)
{
    const app_result_table table = {s->training, s->count, .seeds = 1, .settings = s->settings};
    qsort(s->training, s->count, sizeof *s->training, compare);
    lb_status status = app_result_table_show(&table, "sweep.tsv", s->error);
    if (!status) status = draw(s);
    return status ? status : keep_best(s);
}

int app_sweep_run(const char *file, int count, app_side_by_side *s)
{
    static const char *const results[] = {"sweep.tsv", "sweep.png", NULL};
    app_grid grid;
    lb_status status = app_grid_open(&grid, s->program, file, s->error);
    if (!status) status = app_grid_trainings(&grid, count, NULL, s);
    if (!status) status = app_side_by_side_run(s, results, true);
    if (!status && s->failed < s->count) status = conclude(s);
    app_grid_close(&grid);
    return app_side_by_side_end(s, status);
}
