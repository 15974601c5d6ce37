/* Trains the sort model with each kind of attention and without, and compares them on longer lists. */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "compare/comparison.h"
#include "console/console.h"
#include "console/output.h"
#include "io/path.h"
#include "training/training_view.h"

/* What --quick changes. */
static const app_compared_budget full = {49, 5, 30, 128, 64, 8000}, quick = {19, 2, 16, 64, 32, 3000};

typedef struct run {
    app_compared_training one; /* size -1: from the table above */
    bool quick, quiet;
    app_compared_kind wanted[APP_COMPARED_KINDS];
    int kinds, threads;
    const char *list; /* of kinds */
    lb_lock *lock;    /* on the folder */
} run;

/* Adds the name of the kind to an error. */
static lb_status name_kind(const app_compared_kind *kind, const lb_error *found, lb_error *error)
{
    return lb_error_set(error, found->status, "%s: %s", kind->name, found->message);
}

static lb_status train_and_measure(run *r, app_compared *model, lb_error *error)
{
    lb_train_history history = {0};
    lb_status status = app_compared_train(&r->one, &history, error);
    if (!status) status = app_compared_measure(&r->one, model->exact_match, error);
    if (!status) {
        const lb_train_point *last = &history.points[history.count - 1];
        model->name = r->one.kind->name;
        model->parameters = lb_params_learned(r->one.params);
        model->loss = last->loss;
        model->seconds = last->seconds;
    }
    lb_release(history.points);
    return status;
}

static lb_status write_results(const run *r, const app_comparison *comparison, lb_error *error)
{
    char path[APP_PATH];
    lb_status status = app_comparison_draw(comparison, app_path(r->one.out, "exact_match.png", path), error);
    if (!status)
        status = app_comparison_write(comparison, app_path(r->one.out, "exact_match.json", path), error);
    return status;
}

static lb_status compare_kinds(run *r, app_comparison *comparison, lb_error *error)
{
    for (int k = 0; k < r->kinds; k++) {
        lb_error found = {0};
        app_compared *model = &comparison->models[comparison->count++];
        if (app_compared_build(&r->one, &r->wanted[k], &found) || train_and_measure(r, model, &found))
            return name_kind(&r->wanted[k], &found, error);
    }
    return write_results(r, comparison, error);
}

/* Reports invalid settings before the first training. */
static lb_status check_settings(run *r, lb_error *error)
{
    lb_sort_task task = app_compared_task(&r->one);
    lb_status status = lb_sort_check(&task, error);
    for (int32_t length = task.min_length; length <= task.max_length && !status; length++) {
        lb_sort_task part = app_compared_length(&task, length);
        status = lb_sort_check(&part, error);
    }
    for (int k = 0; k < r->kinds && !status; k++) {
        lb_error found = {0};
        if (app_compared_build(&r->one, &r->wanted[k], &found))
            status = name_kind(&r->wanted[k], &found, error);
    }
    if (!status) status = lb_folder_make(r->one.out, error);
    return status ? status : lb_lock_folder(r->one.out, &r->lock, error);
}

static int compare_and_print(run *r)
{
    lb_error error = {0};
    static app_comparison comparison; /* too large for a small stack */
    comparison = (app_comparison){.task = app_compared_task(&r->one),
                                  .steps = r->one.size.steps,
                                  .batch = r->one.size.batch,
                                  .lists = APP_HELD_OUT};
    lb_status status = check_settings(r, &error);
    if (!status) {
        app_note("%s", app_arithmetic());
        status = compare_kinds(r, &comparison, &error);
    }
    if (!status) app_comparison_print(&comparison);
    app_compared_free(&r->one);
    lb_lock_free(r->lock);
    return status ? app_fail(&error) : app_close_stdout(0);
}

static void set_if_open(int *value, int usual)
{
    if (*value < 0) *value = usual;
}

/* Options that were not given come from the budget. */
static lb_status fill_in_options(run *r, lb_error *error)
{
    const app_compared_budget *usual = r->quick ? &quick : &full;
    app_compared_budget *size = &r->one.size;
    set_if_open(&size->max_number, usual->max_number);
    set_if_open(&size->min_length, usual->min_length);
    set_if_open(&size->max_length, usual->max_length);
    set_if_open(&size->hidden, usual->hidden);
    set_if_open(&size->batch, usual->batch);
    set_if_open(&size->steps, usual->steps);
    r->kinds = app_compared_kinds_read(r->list, r->wanted, error);
    return r->kinds ? LB_OK : error->status;
}

static const app_example examples[] = {
    {"Compare a model without attention with one that has it, in seconds.",
     "lookback compare --quick --kinds none,additive --max-length 8 --steps 100"},
    {"Compare two kinds of attention on short lists.",
     "lookback compare --kinds dot,scaled-dot --min-length 2 --max-length 5 \\\n"
     "      --hidden 32 --steps 100 --out out/scores"},
};

int compare_main(int argc, char **argv)
{
    run r = {.one = {.size = {-1, -1, -1, -1, -1, -1}, .seed = 1, .out = "out/attention"},
             .list = APP_USUAL_KINDS};
    app_compared_training *one = &r.one;
    app_compared_budget *size = &one->size;
    const app_option options[] = {
        APP_TEXT(0, "kinds", "LIST", &r.list, app_compared_kinds_help()),
        APP_FLAG(0, "quick", &r.quick, "use shorter lists, smaller models and fewer steps"),
        APP_HEADING("Task"),
        APP_INT(0, "max-number", "N", &size->max_number, 0, 1000000, "largest number (49, quick 19)"),
        APP_INT(0, "min-length", "N", &size->min_length, 1, APP_LONGEST,
                "length of the shortest list (5, quick 2)"),
        APP_INT(0, "max-length", "N", &size->max_length, 1, APP_LONGEST,
                "length of the longest list (30, quick 16)"),
        APP_HEADING("Training"),
        APP_INT(0, "hidden", "N", &size->hidden, 2, 1 << 16,
                "width of the GRU states; the transformer is half as wide (128, quick 64)"),
        APP_INT(0, "batch", "N", &size->batch, 1, 1 << 20, "lists per step (64, quick 32)"),
        APP_INT(0, "steps", "N", &size->steps, 1, 1 << 30, "steps of each training (8000, quick 3000)"),
        APP_SEED(0, "seed", "N", &one->seed, "seed of the initial weights and of all lists"),
        APP_THREADS(&r.threads),
        APP_QUIET(&r.quiet),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &one->out, "folder for the chart, results and models"),
        APP_FLAG(0, "fresh", &one->fresh, "start over instead of resuming an earlier run"),
    };
    const app_program program = {
        .name = "compare",
        .purpose = "Trains a model to sort lists with each kind of attention and without any, and shows how "
                   "each copes with longer lists. The same command, run again, resumes where it stopped.",
        APP_TABLES(options, examples),
        .threads = &r.threads,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    return fill_in_options(&r, &error) ? app_fail(&error) : compare_and_print(&r);
}
