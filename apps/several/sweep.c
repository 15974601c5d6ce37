#include "several/sweep.h"

#include "base/alloc.h"
#include "console/console.h"
#include "console/output.h"
#include "io/file.h"
#include "io/path.h"
#include "several/side_by_side.h"

enum { SOME_FAILED = 1 }; /* the exit status */

static bool is_taken(const int64_t *taken, size_t count, int64_t combination)
{
    for (size_t i = 0; i < count; i++)
        if (taken[i] == combination) return true;
    return false;
}

/* Chooses all combinations in order, or a random sample without replacement. */
static void choose_combinations(app_sweeping *s, bool all)
{
    lb_rng rng = {s->all.repeated->settings->seed, lb_rng_stream("combinations of a sweep"), 0};
    uint64_t drawn = 0;
    for (size_t i = 0; i < s->all.count; i++) {
        int64_t next = (int64_t)i;
        while (!all && is_taken(s->combination, i,
                                next = (int64_t)lb_rng_below(rng, drawn++, (uint64_t)s->grid.count)))
            ;
        s->combination[i] = next;
    }
}

/* The options of a combination follow those of the sweep. */
static lb_status make_training(app_sweeping *s, size_t i)
{
    lb_status status = app_side_by_side_set(&s->all, i, app_grid_name(&s->grid, s->combination[i], true));
    return status ? status
                  : app_grid_arguments(&s->grid, s->combination[i], s->all.repeated, &s->all.command[i],
                                       s->all.error);
}

lb_status app_sweeping_open(app_sweeping *s, int count)
{
    bool all = count == 0 || count >= s->grid.count;
    lb_status status = app_side_by_side_open(&s->all, (size_t)(all ? s->grid.count : count));
    if (status) return status;
    s->combination = lb_alloc_zero(s->all.count * sizeof *s->combination);
    if (!s->combination) return lb_no_memory(s->all.error, "a sweep");
    choose_combinations(s, all);
    for (size_t i = 0; i < s->all.count && !status; i++) status = make_training(s, i);
    return status;
}

void app_sweeping_free(app_sweeping *s)
{
    app_side_by_side_free(&s->all);
    app_grid_close(&s->grid);
    lb_release(s->combination);
}

/* Copies the best model to where predict looks for one. */
static lb_status keep_best(const app_side_by_side *s)
{
    char from[APP_PATH], to[APP_PATH];
    void *bytes;
    size_t count;
    const app_sweep_result *best = s->results;
    if (!best->points) return lb_error_set(s->error, LB_ERROR_DIVERGED, "no training of the sweep succeeded");
    lb_status status = lb_own_check_content(app_path(best->folder, "model.safetensors", from), s->error);
    if (!status) status = lb_file_read(from, 0, &bytes, &count, s->error);
    if (status) return status;
    status = lb_file_write_atomic(app_path(s->repeated->settings->out, "model.safetensors", to), bytes, count,
                                  s->error);
    lb_release(bytes);
    if (!status) app_note("%s is the model of %s", to, best->name);
    return status;
}

static lb_status prepare_trainings(app_sweeping *s, const app_sweep *sweep)
{
    static const char *const results[] = {"sweep.tsv", "sweep.png", NULL};
    lb_status status = app_grid_open(&s->grid, s->all.repeated->program, sweep->file, s->all.error);
    if (!status) status = app_sweeping_open(s, sweep->count);
    return status ? status : app_side_by_side_prepare(&s->all, results, true);
}

/* A table, a chart and the best model. */
static lb_status conclude(const app_sweeping *s)
{
    const app_side_by_side *all = &s->all;
    app_sweep_results_sort(all->results, all->count);
    lb_status status = app_sweep_results_show(all->results, all->count, all->repeated->settings, all->error);
    return status ? status : keep_best(all);
}

int app_sweep_run(const app_sweep *sweep, const app_repeated *repeated)
{
    lb_error error = {0};
    app_sweeping s = {.all = {.repeated = repeated, .error = &error}};
    lb_status status = prepare_trainings(&s, sweep);
    if (!status) status = app_side_by_side_run(&s.all);
    if (!status) status = conclude(&s);
    int exit_status = status             ? app_close_stdout(app_fail(&error))
                      : s.all.failed > 0 ? app_side_by_side_incomplete(&s.all, SOME_FAILED)
                                         : app_close_stdout(0);
    app_sweeping_free(&s);
    return exit_status;
}
