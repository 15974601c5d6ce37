/* A training as its user sees it: notes, a progress bar, evaluations, and a chart at the end. */
#include "training/train_options.h"

#include "apply/input.h"
#include "base/alloc.h"
#include "base/format.h"
#include "base/instruction_set.h"
#include "base/threads.h"
#include "console/console.h"
#include "io/path.h"
#include "settings/settings.h"
#include "several/side_by_side.h"
#include "translate/plan/recipe.h"
#include "translate/run/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A loss has an axis of its own, which is that of the training. */
static bool is_loss(const lb_criterion *by)
{
    return by->at == offsetof(lb_evaluation, loss);
}

/* Shows the step of the view. The name of the bar outlives the run: after an error or an interruption, the run is gone
 * before the line ends. */
static void show_progress(app_training_view *v, const lb_training_run *run)
{
    char rate[APP_SHORT], measure[APP_MEASURE], found[APP_PROGRESS_TEXT] = "";
    const lb_training_step *step = &v->step;
    if (!v->progress.updated) {
        app_progress_config config = {.unit = run->name ? v->name : NULL, .first = step->step - 1};
        app_progress_init(&v->progress, config);
    }
    v->progress.config.total = run->steps; /* --minutes looks again */
    size_t used = 0;
    const lb_criterion *by = lb_criterion_find(run->choose, NULL);
    if (step->last)
        used = (size_t)snprintf(found, sizeof found, "  %s%s", is_loss(by) ? "dev " : "",
                                app_tell_measure(by, &step->last->dev, 1, measure));
    const lb_test *test;
    for (int i = 0; step->last && run->history && (test = lb_train_test(run->history, i)) != NULL; i++) {
        const lb_criterion *of_test = lb_criterion_find(by->name, &step->last->test[i]);
        app_tell_measure(of_test, &step->last->test[i], 1, measure);
        if (used < sizeof found)
            used += (size_t)snprintf(found + used, sizeof found - used, "  %s %s", test->name,
                                     measure + (of_test == by ? strlen(by->title) + 1 : 0));
    }
    app_progress_update(&v->progress, step->step, "loss %.4f%s  %s tokens/s", step->loss, found,
                        app_short_count(step->seconds > 0 ? step->tokens / step->seconds : 0, rate));
}

static void show_begin(app_training_view *v, const lb_training_run *run)
{
    const int threads = lb_threads();
    app_progress_end(&v->counting);
    snprintf(v->name, sizeof v->name, "%s", run->name ? run->name : "");
    snprintf(v->prefix, sizeof v->prefix, run->name ? "%s: " : "%s", v->name);
    lb_os_catch_interrupts();
    v->progress = (app_progress){0};
    if (!v->begun)
        app_note("%lld parameters, %s, loops for %s, %s%d thread%s", (long long)run->parameters,
                 lb_kernel_name(), lb_instruction_set_name(),
                 threads == 1 || lb_threads_are_chosen() ? "" : "up to ", threads, lb_plural(threads));
    v->begun = true;
    v->choose = run->choose;
    if (run->set_aside) app_note("the earlier model is kept as %s", run->set_aside);
}

static void show_step(app_training_view *v, const lb_training_run *run, const lb_training_step *step)
{
    if (!v->progress.updated && step->step > 1)
        app_note("%sresuming at step %lld of %lld", v->prefix, (long long)step->step - 1,
                 (long long)run->steps);
    if (!v->progress.updated) v->first_loss = step->loss;
    v->step = *step;
    show_progress(v, run);
}

/* Shows the last step once more, now with its measures. */
static void show_evaluation(app_training_view *v, const lb_training_run *run)
{
    if (!v->progress.updated) return; /* the model that the training starts from */
    v->step.last = &run->history->points[run->history->count - 1];
    show_progress(v, run);
}

static void note_measures(const app_training_view *v, const char *what, const lb_evaluation *found,
                          const char *loss)
{
    char number[APP_MEASURED], measures[APP_MEASURES];
    app_note("%s%s: %s%s %s", v->prefix, what,
             app_tell_measures(lb_criterion_find(v->choose, NULL), found, measures), loss,
             app_measured(found->loss, 4, number));
}

/* The model that the training started from, if another one was kept. */
static void note_start(const app_training_view *v, const lb_training_run *run, const char *loss)
{
    const lb_train_point *start = run->history->points;
    if (start->step > 0 || start == run->kept) return;
    note_measures(v,
                  run->history->is_better(lb_train_judged(run->history, start),
                                          lb_train_judged(run->history, run->kept))
                      ? "the model it started from was better"
                      : "the model it started from",
                  &start->dev, loss);
}

/* Why a training ended before its last step. Once all is right, a later model is kept for its lower loss alone. */
static const char *why_ended(const lb_training_run *run)
{
    const lb_train_history *history = run->history;
    if (history->end == LB_TRAIN_TARGET) return "it reached the target";
    bool by_loss = is_loss(lb_criterion_find(run->choose, NULL));
    for (const lb_train_point *at = history->points; at < run->kept && !by_loss; at++)
        if (lb_train_judged(history, at)->exact_match >= 1)
            return "all was right before, and only the loss was lower";
    return "no later evaluation was better";
}

/* Reports which model was kept, and why the training ended before its last step. */
static void note_end(const app_training_view *v, const lb_training_run *run, const char *loss)
{
    const lb_train_history *history = run->history;
    const lb_train_point *kept = run->kept, *last = &history->points[history->count - 1];
    const lb_test *test;
    char what[APP_SHORT + 32] = "kept the model it started from";
    if (history->end != LB_TRAIN_ALL_STEPS)
        app_note("%sstopped at step %lld of %lld: %s", v->prefix, (long long)last->step,
                 (long long)run->steps, why_ended(run));
    if (kept->step > 0) snprintf(what, sizeof what, "kept the model of step %lld", (long long)kept->step);
    note_start(v, run, loss);
    note_measures(v, what, &kept->dev, loss);
    for (int i = 0; (test = lb_train_test(history, i)) != NULL; i++) {
        snprintf(what, sizeof what, "test %s", test->name);
        note_measures(v, what, &kept->test[i], "loss");
    }
}

/* The first weights may be much worse than guessing, and are no better after a few steps: such a training was short. */
static void look_at_loss(app_training_view *v, const lb_training_run *run)
{
    static const double worse = 1.25; /* batches differ */
    const lb_train_point *point = run->history->points, *last = point + run->history->count - 1;
    if (run->kept->step == 0) return; /* nothing of this training was kept */
    if (point->step == 0) point++;    /* it has no loss of steps */
    double first = point < last ? point->loss : v->first_loss, loss = last->loss;
    if (loss <= worse * fmax(first, run->guessing)) return;
    v->worse = loss;
    v->guessing = run->guessing;
}

int app_training_status(const app_training_view *v)
{
    if (v->worse == 0) return 0;
    /* The last line comes after the result, also where both go to one file. */
    if (app_flush_stdout())
        app_warn("the training ended worse than guessing: loss %.4g, and %.4g for guessing; a smaller "
                 "--lr may "
                 "help",
                 v->worse, v->guessing);
    return lb_status_exit(LB_ERROR_DIVERGED);
}

static const char *chart_of(const lb_training_config *c)
{
    return c->sort ? "loss.png" : "training.png";
}

/* Draws both losses, what the best model is chosen by, and that of each test over the steps. */
static lb_status draw(const app_training_view *v, const lb_training_run *run, lb_error *error)
{
    static const char *const of_steps[2][2] = {
        {"training loss", "training loss, raised by label smoothing"},
        {"training loss, raised by dropout", "training loss, raised by dropout and label smoothing"}};
    enum { MEASURES = 2, MOST = MEASURES + 1 + LB_MOST_TESTS };
    const lb_train_history *history = run->history;
    const lb_criterion *by = lb_criterion_find(run->choose, NULL);
    const size_t points = (size_t)history->count, tests = is_loss(by) ? MEASURES : MEASURES + 1;
    char path[APP_PATH], label[APP_LABEL], names[MOST][APP_LABEL];
    lb_series series[MOST] = {{.name = of_steps[run->dropout > 0][run->label_smoothing > 0]},
                              {.name = app_name_evaluations(v->config, by, label)},
                              {.name = by->title}};
    double *x = lb_alloc((1 + MOST) * points * sizeof *x), highest = 100;
    if (!x) return lb_no_memory(error, "the chart of the training");
    size_t count = tests;
    for (const lb_test *test; (test = lb_train_test(history, (int)(count - tests))) != NULL; count++) {
        const lb_criterion *of = lb_criterion_find(by->name, &history->points->test[count - tests]);
        series[count].name = names[count];
        snprintf(names[count], APP_LABEL, "test %s%s%s", test->name, of == by ? "" : ", ",
                 of == by ? "" : of->title);
    }
    for (size_t i = 0; i < points; i++) {
        const lb_train_point *point = &history->points[i];
        double *y = x + points + i;
        x[i] = (double)point->step;
        y[0] = point->loss;
        y[points] = point->dev.loss;
        for (size_t s = MEASURES; s < count; s++) {
            const lb_evaluation *found = s < tests ? &point->dev : &point->test[s - tests];
            const double value = lb_criterion_value(lb_criterion_find(by->name, found), found);
            y[s * points] = value;
            if (!is_loss(by)) highest = fmax(highest, value);
        }
    }
    for (size_t i = 0; i < count; i++) {
        series[i].x = x;
        series[i].y = x + (1 + i) * points;
        series[i].count = (int64_t)points;
        series[i].right = i >= MEASURES && !is_loss(by);
    }
    const lb_chart chart = {.series = series,
                            .count = (int64_t)count,
                            .title = "Training",
                            .x = {.label = "Step"},
                            .left = {.label = "Loss"},
                            .right = {.label = label, .min = 0, .max = highest}};
    lb_status status = app_save_chart(&chart, app_path(run->folder, chart_of(v->config), path), error);
    lb_release(x);
    return status;
}

static lb_status show_end(app_training_view *v, const lb_training_run *run, lb_error *error)
{
    char label[APP_LABEL];
    const char *loss = app_name_evaluations(v->config, lb_criterion_find(run->choose, NULL), label);
    const lb_train_history *history = run->history;
    if (v->progress.updated)
        app_progress_end(&v->progress);
    else if (history->points[history->count - 1].step > 0)
        app_note("the model in %s has been trained already; --fresh trains it again", run->folder);
    v->pairs = run->pairs;
    v->seconds = history->points[history->count - 1].seconds;
    note_end(v, run, loss);
    look_at_loss(v, run);
    return draw(v, run, error);
}

static lb_status show_event(void *view, const lb_event *event, lb_error *error)
{
    app_training_view *v = view;
    switch (event->kind) {
    case LB_EVENT_REPORT:
        app_show(event->text);
        break;
    case LB_EVENT_HINT:
        app_warn("%s", event->text);
        break;
    case LB_EVENT_NOTE:
        app_note("%s", event->text);
        break;
    case LB_EVENT_COUNTED:
        app_progress_count(&v->counting, event->unit, event->done, event->total);
        break;
    case LB_EVENT_BEGUN:
        show_begin(v, event->run);
        break;
    case LB_EVENT_STEPPED:
        show_step(v, event->run, &event->step);
        break;
    case LB_EVENT_POINT:
        show_evaluation(v, event->run);
        break;
    case LB_EVENT_UNSAVED:
        if (!v->warned)
            app_warn("%s; training continues and tries again at each evaluation", event->error->message);
        v->warned = true;
        break;
    case LB_EVENT_ENDED:
        return show_end(v, event->run, error);
    case LB_EVENT_EVALUATED:
        break;
    }
    return LB_OK;
}

static lb_status say_what_helps(const char *prefix, bool fresh, const lb_error *found, lb_error *error)
{
    static const char refused[] = "cannot resume from ";
    char help[LB_MESSAGE_LENGTH / 2] = "";
    bool interrupted = found->status == LB_ERROR_INTERRUPTED;
    if (interrupted)
        snprintf(help, sizeof help, "; the same command%s resumes", fresh ? " without --fresh" : "");
    else if (found->status == LB_ERROR_FORMAT && strncmp(found->message, refused, strlen(refused)) == 0)
        snprintf(help, sizeof help, "; --fresh starts over, or choose another --out");
    else if (app_lacks_targets(found->message))
        snprintf(help, sizeof help, "; --train-targets names a file of the targets");
    return lb_error_set(error, found->status, "%s%.*s%s", interrupted ? prefix : "",
                        LB_MESSAGE_LENGTH - (int)sizeof help, found->message, help);
}

static void name_setting(void *context, const char *name, const char *value, char *text, size_t size)
{
    char option[LB_SETTING_NAME];
    bool off = strcmp(value, "false") == 0, flag = off || strcmp(value, "true") == 0;
    const lb_setting *setting = lb_setting_find(name);
    (void)context;
    snprintf(option, sizeof option, "%s", name);
    for (char *letter = option; *letter; letter++)
        if (*letter == '_') *letter = '-';
    if (setting && setting->rare)
        snprintf(text, size, *value ? "--set %s=%s" : "no --set %s", option, value);
    else if (!*value)
        snprintf(text, size, "no --%s", option);
    else
        snprintf(text, size, "--%s%s%s%s", off ? "no-" : "", option, flag ? "" : " ", flag ? "" : value);
}

lb_status app_train_in_view(app_training_view *view, lb_training_config config, lb_training_result *result,
                            lb_error *error)
{
    char chart[APP_PATH];
    if (lb_own_check(app_path(config.out, chart_of(&config), chart), "a file", error)) return error->status;
    view->config = &config;
    config.context = view;
    config.tell = show_event;
    config.stop = app_interrupted;
    config.setting = name_setting;
    lb_error found = {0};
    if (config.group) lb_os_catch_interrupts(); /* only the first rank hears that a model begins */
    lb_status status = lb_train_models(&config, NULL, view->locked, result, &found);
    lb_os_release_interrupts();
    app_progress_end(&view->counting);
    if (!status) return LB_OK;
    app_progress_end(&view->progress);
    return say_what_helps(view->prefix, config.fresh, &found, error);
}
