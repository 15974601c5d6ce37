#include "several/side_by_side.h"

#include "base/alloc.h"
#include "base/format.h"
#include "console/console.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/run/stepper.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 200, PATIENCE_S = 120, LOOK_MS = 50, PIECE = 4096, SEVERAL_REASONS = 1 };

static char *folder_of(const app_side_by_side *s, const char *name)
{
    char folder[LONGEST_NAME + 1];
    size_t length = strlen(name);
    if (length > LONGEST_NAME)
        return lb_null(lb_error_set(s->error, LB_ERROR_ARGUMENT,
                                    "the values \"%.40s...\" are too long for the name of a folder", name));
    for (size_t c = 0; c <= length; c++)
        folder[c] = name[c] && !isalnum((unsigned char)name[c]) && !strchr("=,.-+_", name[c]) ? '_' : name[c];
    return lb_folder_path(s->settings->out, folder, s->error);
}

lb_status app_side_by_side_open(app_side_by_side *s, size_t count)
{
    s->all = *s->options;
    s->training = lb_alloc_zero(count * sizeof *s->training);
    s->list = lb_alloc_zero(count * sizeof *s->list);
    if (!s->training || !s->list)
        return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory for %zu trainings", count);
    s->count = count;
    return LB_OK;
}

lb_status app_side_by_side_set(app_side_by_side *s, size_t i, char *name)
{
    app_training *t = &s->training[i];
    t->name = name;
    if (!name) return lb_no_memory(s->error, "a training");
    t->folder = folder_of(s, name);
    return t->folder ? LB_OK : s->error->status;
}

lb_status app_side_by_side_refuse(const app_side_by_side *s, size_t i, const lb_error *found)
{
    return lb_error_set(s->error, found->status, "%s: %.*s", s->training[i].name,
                        LB_MESSAGE_LENGTH - LONGEST_NAME, found->message);
}

lb_status app_side_by_side_take(app_side_by_side *s, size_t i)
{
    lb_error found = {0};
    app_training *t = &s->training[i];
    app_train_options *o = s->options;
    o->settings.out = t->folder;
    o->sweep = o->ensemble = NULL;
    lb_status status = s->prepare(o, s->program, s->compares, &t->record, &found);
    t->options = *o;
    *o = s->all;
    if (status) return app_side_by_side_refuse(s, i, &found);
    if (t->options.settings.sort) t->options.settings.sort = &t->options.task;
    t->made = &s->list[i];
    *t->made = (lb_training){.config = t->options.settings, .name = t->name};
    return LB_OK;
}

const lb_train_point *app_training_best(const app_training *t)
{
    const lb_train_history *history = &t->made->history;
    return t->made->config.sort ? lb_train_last(history) : lb_train_best(history);
}

static lb_status keep_earlier_model(const app_side_by_side *s, const char *table)
{
    char path[APP_PATH];
    char *kept = NULL;
    const lb_training_config *c = s->settings;
    if (!c->fresh && !lb_file_is_missing(app_path(c->out, table, path))) return LB_OK;
    lb_status status = lb_set_aside(app_path(c->out, "model.safetensors", path), &kept, s->error);
    if (kept) app_note("the earlier model is kept as %s", kept);
    lb_release(kept);
    return status;
}

static lb_status try_to_lock(const char *folder, lb_error *error)
{
    lb_lock *lock;
    lb_status status = lb_own_check(folder, "a folder", error);
    if (status || lb_file_is_missing(folder)) return status;
    status = lb_lock_folder(folder, &lock, error);
    if (!status) lb_lock_free(lock);
    return status;
}

/* A program that is killed leaves trainings behind. They are asked to end, and do so after their step. */
static lb_status wait_for_folder(const char *folder, int64_t end, lb_error *error)
{
    for (bool told = false;; told = true) {
        lb_error found = {0};
        lb_status status = try_to_lock(folder, &found);
        if (status != LB_ERROR_BUSY) {
            if (status) *error = found;
            return status;
        }
        if (lb_os_clock() >= end)
            return lb_error_set(error, status, "%s; waited %d s for it to end", found.message, PATIENCE_S);
        if (!told) app_warn("%s; waiting up to %d s for it to end", found.message, PATIENCE_S);
        lb_os_pause(LOOK_MS);
    }
}

static lb_status open_folders(app_side_by_side *s, const char *const *results, bool model)
{
    char path[APP_PATH];
    const char *out = s->settings->out;
    lb_status status = lb_folder_make(out, s->error);
    if (!status) status = lb_lock_folder(out, &s->lock, s->error);
    const int64_t end = lb_os_clock() + PATIENCE_S * INT64_C(1000000000);
    for (size_t i = 0; i < s->count && !status; i++)
        status = wait_for_folder(s->training[i].folder, end, s->error);
    for (int i = 0; results[i] && !status; i++)
        status = lb_own_check(app_path(out, results[i], path), "a file", s->error);
    if (!status && model) status = keep_earlier_model(s, results[0]);
    if (!status) app_note("%zu training%s in %s", s->count, lb_plural((int64_t)s->count), out);
    return status;
}

/* Closes in a new process what a program of its own would not have. */
static void close_inherited(const app_side_by_side *s)
{
    lb_lock_leave(s->lock);
    for (const app_training *t = s->training; t < s->training + s->count; t++) {
        if (t->process.number <= 0) continue;
        (void)lb_os_close(t->process.said);
        (void)lb_os_close(t->log);
    }
}

/* A training that is about to be started. */
typedef struct starting {
    const app_side_by_side *all;
    app_training *one;
} starting;

/* Runs the training in the new process. */
static int run_training(void *context)
{
    const starting *begun = context;
    app_training *t = begun->one;
    app_ranks_forget();
    close_inherited(begun->all);
    app_called_as(t->options.settings.sort ? "lookback sort" : "lookback train");
    lb_os_drop(&t->log);
    app_quiet = false;
    lb_set_threads(1);
    return begun->all->run(&t->options);
}

/* Notes that a training has failed, and why: the last line that it said, without the name of the program. */
static void note_failure(app_side_by_side *s, const app_training *t)
{
    const int exit_status = t->status;
    char nothing[] = "", *text = t->text.text ? t->text.text : nothing;
    size_t length = t->text.length;
    while (length > 0 && text[length - 1] == '\n') length--;
    text[length] = '\0';
    const char *last = strrchr(text, '\n'), *why = strstr(last ? last : text, ": ");
    if (s->failed++ == 0) {
        s->status = exit_status;
        snprintf(s->why, sizeof s->why, "%s", why ? why : "");
    }
    if (s->status != exit_status) s->status = SEVERAL_REASONS;
    app_warn("[%zu/%zu] %s: failed with status %d; see %s/train.log%s", s->ended, s->count, t->name,
             exit_status, t->folder, why ? why : "");
}

/* Without its log, it would write into the terminal, among the notes of the others: it has failed. */
static lb_status start_training(void *context, int64_t i, lb_error *error)
{
    char path[APP_PATH];
    lb_error found = {0};
    app_side_by_side *s = context;
    app_training *t = &s->training[i];
    lb_status status = lb_own_check(t->folder, "a folder", error);
    if (!status) status = lb_folder_make(t->folder, error);
    if (status) return status;
    t->process.number = -1;
    t->log = lb_own_open(app_path(t->folder, "train.log", path), LB_OS_WRITE | LB_OS_CREATE | LB_OS_APPEND,
                         &found);
    if (!lb_os_is_open(t->log)) {
        lb_buffer_print(&t->text, ": %s", found.message);
        t->status = lb_status_exit(found.status);
        return LB_OK;
    }
    starting begun = {s, t};
    if (lb_os_start(&t->process, (int)i + 1, run_training, &begun)) return LB_OK;
    t->process.number = -1;
    lb_os_drop(&t->log);
    return lb_error_set(error, LB_ERROR_MEMORY, "cannot start a training: %s", strerror(errno));
}

/* Copies what a training says to its log, and keeps it: on a full disk, the log lacks the reason for its end. */
static void listen_to(app_training *t)
{
    char piece[PIECE];
    int64_t count;
    while ((count = lb_os_hear(&t->process, piece, sizeof piece)) > 0) {
        (void)lb_os_write_all(t->log, piece, (size_t)count);
        lb_buffer_add(&t->text, piece, (size_t)count);
    }
}

static bool has_ended(app_training *t)
{
    const bool runs = t->process.number > 0;
    if (t->process.number == 0) return false;
    if (runs) listen_to(t);
    if (runs && !lb_os_has_ended(&t->process, &t->status)) return false;
    if (runs) listen_to(t);
    lb_os_drop(&t->process.said);
    lb_os_drop(&t->log);
    t->process.number = 0;
    return true;
}

/* Hears what all say. An interruption is passed on. */
static int64_t wait_for_one(void *context, bool stop, lb_error *error)
{
    app_side_by_side *s = context;
    for (size_t i = 0; i < s->count && stop && !s->told; i++)
        if (s->training[i].process.number > 0) lb_os_stop(&s->training[i].process);
    s->told = stop;
    for (size_t i = 0; i < s->count; i++) {
        if (!has_ended(&s->training[i])) continue;
        if (s->training[i].status) lb_error_set(error, LB_ERROR_DIVERGED, "it has failed");
        return (int64_t)i;
    }
    lb_os_pause(LOOK_MS);
    return -1;
}

/* One that an interruption has ended will go on another time. */
static lb_status note_end(void *context, int64_t i, lb_error *error)
{
    app_side_by_side *s = context;
    const app_training *t = &s->training[i];
    const bool interrupted = app_interrupted(NULL);
    char measures[APP_MEASURES];
    (void)error;
    s->ended += t->status == 0 || !interrupted;
    if (interrupted) return LB_OK;
    if (t->status) note_failure(s, t);
    const lb_train_point *best = app_training_best(t);
    if (t->status || !best) return LB_OK;
    app_tell_measures(lb_criterion_find(t->made->config.choose, &best->dev), &best->dev, measures);
    app_note("[%zu/%zu] %s: %.*s", s->ended, s->count, t->name, (int)strlen(measures) - 2, measures);
    return LB_OK;
}

lb_status app_side_by_side_run(app_side_by_side *s, const char *const *results, bool model)
{
    lb_error found = {0};
    lb_training_host host = {.begin = start_training, .wait = wait_for_one, .context = s};
    const lb_trainings list = {.training = s->list,
                               .count = (int64_t)s->count,
                               .host = &host,
                               .context = s,
                               .stop = app_interrupted,
                               .ended = note_end};
    lb_status status = lb_trainings_check(&list, s->error);
    const int copy = lb_os_copy();
    if (!status && copy > 0 && (size_t)copy <= s->count)
        exit(run_training(&(starting){s, &s->training[copy - 1]}));
    if (!status) status = open_folders(s, results, model);
    if (status) return status;
    lb_set_threads(app_threads);
    host.most = lb_threads();
    lb_os_catch_interrupts();
    status = lb_trainings_run(&list, &found);
    if (status == LB_ERROR_INTERRUPTED)
        return lb_error_set(s->error, status, "interrupted after %zu training%s; the same command resumes",
                            s->ended, lb_plural((int64_t)s->ended));
    return status ? lb_error_set(s->error, status, "%s", found.message) : LB_OK;
}

static void free_training(const app_side_by_side *s, app_training *t)
{
    lb_release(t->name);
    lb_release(t->folder);
    lb_strings_free(&t->words);
    lb_release(t->record);
    lb_release(t->text.text);
    if (t->made) lb_release(t->made->history.points);
    if (t->options.config.read.text != s->all.config.read.text) app_json_file_close(&t->options.config.read);
}

int app_side_by_side_end(app_side_by_side *s, lb_status status)
{
    int exit_status = status ? app_fail(s->error) : s->status;
    if (!status && s->failed > 0)
        app_warn("%zu of %zu trainings failed%s; the same command tries them again", s->failed, s->count,
                 s->why);
    for (size_t i = 0; i < s->count; i++) free_training(s, &s->training[i]);
    lb_release(s->training);
    lb_release(s->list);
    lb_lock_free(s->lock);
    return app_close_stdout(exit_status);
}
