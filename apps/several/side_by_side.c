#include "several/side_by_side.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "base/progress.h"
#include "console/console.h"
#include "io/file.h"
#include "io/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#    include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAME = 200, PATIENCE_S = 120, PIECE = 4096, SEVERAL_REASONS = 1 };

static const struct timespec pause_of_a_look = {.tv_nsec = 50 * 1000000L};

static const char SELF[] = "/proc/self/exe";

/* A single training on one thread, whose log is complete; of lists there is no other. */
static const char *const always[] = {"--threads=1", "--no-quiet", "--no-sweep", "--no-ensemble"};
enum { ALWAYS = sizeof always / sizeof *always, ALWAYS_OF_LISTS = 2 };

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

static lb_status add_words(lb_strings *command, const char *const *words, int count, lb_error *error)
{
    lb_status status = LB_OK;
    for (int w = 0; w < count && !status; w++)
        status = lb_strings_add(command, lb_alloc_string(words[w]), error);
    return status;
}

lb_status app_side_by_side_open(app_side_by_side *s, size_t count)
{
    s->training = lb_alloc_zero(count * sizeof *s->training);
    if (!s->training)
        return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory for %zu trainings", count);
    s->count = count;
    return LB_OK;
}

lb_status app_side_by_side_set(app_side_by_side *s, size_t i, char *name)
{
    const char *const program[] = {"lookback", s->program->name};
    app_training *t = &s->training[i];
    t->name = name;
    if (!name) return lb_no_memory(s->error, "a training");
    t->folder = folder_of(s, name);
    if (!t->folder) return s->error->status;
    lb_status status = add_words(&t->command, program, 2, s->error);
    return status ? status : add_words(&t->command, (const char *const *)s->argv + 1, s->argc - 1, s->error);
}

/* Adds what makes the command a single training in its folder, and NULL, as execv needs it. */
static lb_status end_command(const app_side_by_side *s, app_training *t)
{
    lb_strings *command = &t->command;
    lb_status status = lb_strings_print(command, s->error, "--out=%s", t->folder);
    if (!status) status = add_words(command, always, s->settings->sort ? ALWAYS_OF_LISTS : ALWAYS, s->error);
    if (status) return status;
    if (!lb_alloc_more(&command->text, command->count, &command->capacity, sizeof *command->text))
        return lb_no_memory(s->error, "a training");
    command->text[command->count] = NULL;
    return LB_OK;
}

static int compare_folders(const void *a, const void *b)
{
    const app_training *const *x = a, *const *y = b;
    return strcmp((*x)->folder, (*y)->folder);
}

static lb_status check_folders(const app_side_by_side *s)
{
    const app_training **sorted = lb_alloc(s->count * sizeof *sorted);
    lb_status status = LB_OK;
    if (!sorted) return lb_no_memory(s->error, "a training");
    for (size_t i = 0; i < s->count; i++) sorted[i] = &s->training[i];
    qsort((void *)sorted, s->count, sizeof *sorted, compare_folders);
    for (size_t i = 1; i < s->count && !status; i++)
        if (strcmp(sorted[i - 1]->folder, sorted[i]->folder) == 0)
            status = lb_error_set(s->error, LB_ERROR_ARGUMENT,
                                  "found %.80s and %.80s with the same folder, %.120s; expected "
                                  "values that differ in letters or digits",
                                  sorted[i - 1]->name, sorted[i]->name, sorted[i]->folder);
    lb_release((void *)sorted);
    return status;
}

static lb_status check_command(const app_side_by_side *s, const app_training *t)
{
    lb_error found = {0};
    if (!s->check(s, (int)t->command.count - 1, t->command.text + 1, &found)) return LB_OK;
    return lb_error_set(s->error, found.status, "%s: %.*s", t->name, (int)sizeof found.message - LONGEST_NAME,
                        found.message);
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
        if (lb_clock() >= end)
            return lb_error_set(error, status, "%s; waited %d s for it to end", found.message, PATIENCE_S);
        if (!told) app_warn("%s; waiting up to %d s for it to end", found.message, PATIENCE_S);
        nanosleep(&pause_of_a_look, NULL);
    }
}

/* All commands are complete and checked before anything is written. */
static lb_status open_folders(app_side_by_side *s, const char *const *results, bool model)
{
    char path[APP_PATH];
    const char *out = s->settings->out;
    lb_status status = check_folders(s);
    for (size_t i = 0; i < s->count && !status; i++) status = end_command(s, &s->training[i]);
    for (size_t i = 0; i < s->count && !status; i++) status = check_command(s, &s->training[i]);
    if (!status) status = lb_folder_make(out, s->error);
    if (!status) status = lb_lock_folder(out, &s->lock, s->error);
    const int64_t end = lb_clock() + PATIENCE_S * INT64_C(1000000000);
    for (size_t i = 0; i < s->count && !status; i++)
        status = wait_for_folder(s->training[i].folder, end, s->error);
    for (int i = 0; results[i] && !status; i++)
        status = lb_own_check(app_path(out, results[i], path), "a file", s->error);
    if (!status && model) status = keep_earlier_model(s, results[0]);
    if (!status) app_note("%zu training%s in %s", s->count, lb_plural((int64_t)s->count), out);
    return status;
}

/* Runs the training in the new process, with standard output and error going to us. Does not return. It does not
 * outlive the program that started it, even if that is killed. */
static void become(const app_training *t, int said, pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) _exit(128 + SIGTERM);
    app_ranks_forget();
    if (dup2(said, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0) execv(SELF, t->command.text);
    app_warn("cannot start: %s", strerror(errno));
    _exit(lb_status_exit(LB_ERROR_OPEN));
}

/* Notes that a training has failed, and why: the last line that it said, without the name of the program. */
static void note_failure(app_side_by_side *s, app_training *t, int exit_status)
{
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

static lb_status start_training(app_side_by_side *s, app_training *t)
{
    char path[APP_PATH];
    int said[2] = {-1, -1};
    lb_error found = {0};
    lb_status status = lb_own_check(t->folder, "a folder", s->error);
    if (!status) status = lb_folder_make(t->folder, s->error);
    if (status) return status;
    t->log = lb_own_open(app_path(t->folder, "train.log", path), O_WRONLY | O_CREAT | O_APPEND, &found);
    if (t->log < 0) {
        s->ended++;
        lb_buffer_print(&t->text, ": %s", found.message);
        note_failure(s, t, lb_status_exit(found.status));
        return LB_OK;
    }
    const pid_t parent = getpid();
    t->process = -1;
    if (pipe(said) == 0) {
        for (int end = 0; end < 2; end++) fcntl(said[end], F_SETFD, FD_CLOEXEC);
        fcntl(said[0], F_SETFL, O_NONBLOCK);
        t->process = fork();
    }
    if (t->process == 0) become(t, said[1], parent);
    const int reason = errno;
    close(said[1]);
    t->said = said[0];
    s->running += t->process > 0;
    if (t->process > 0) return LB_OK;
    close(t->said);
    close(t->log);
    return lb_error_set(s->error, LB_ERROR_MEMORY, "cannot start a training: %s", strerror(reason));
}

/* Copies what a training says to its log, and keeps it: on a full disk, the log lacks the reason for its end. */
static void listen_to(app_training *t)
{
    char piece[PIECE];
    ssize_t count;
    while ((count = read(t->said, piece, sizeof piece)) > 0) {
        (void)lb_write_all(t->log, piece, (size_t)count);
        lb_buffer_add(&t->text, piece, (size_t)count);
    }
}

/* One that an interruption has ended will go on another time. */
static lb_status note_end(app_side_by_side *s, pid_t process, int found)
{
    app_training *t = s->training, *behind = t + s->count;
    while (t < behind && t->process != process) t++;
    if (t == behind) return LB_OK;
    int exit_status = WIFEXITED(found) ? WEXITSTATUS(found) : 128 + WTERMSIG(found);
    listen_to(t);
    close(t->said);
    close(t->log);
    t->process = 0;
    s->running--;
    s->ended += exit_status == 0 || !app_interrupted(NULL);
    if (app_interrupted(NULL)) return LB_OK;
    if (exit_status != 0) {
        note_failure(s, t, exit_status);
        return LB_OK;
    }
    lb_status status = app_training_read(t, s->settings, s->error);
    if (!status)
        app_note("[%zu/%zu] %s: exact match %.2f %%, symbol error %.2f %%", s->ended, s->count, t->name,
                 100 * t->best.dev.exact_match, 100 * t->best.dev.symbol_error);
    return status;
}

/* Hears what all say, and notes which have ended. */
static lb_status look_at_all(app_side_by_side *s)
{
    int found;
    lb_status status = LB_OK;
    for (size_t i = 0; i < s->count; i++)
        if (s->training[i].process > 0) listen_to(&s->training[i]);
    for (pid_t process; !status && (process = waitpid(-1, &found, WNOHANG)) > 0;)
        status = note_end(s, process, found);
    return status;
}

static lb_status run_all(app_side_by_side *s)
{
    size_t next = 0;
    bool asked_to_end = false;
    lb_status status = LB_OK;
    while (s->running > 0 || (next < s->count && !asked_to_end && !status)) {
        if ((status || app_interrupted(NULL)) && !asked_to_end) {
            asked_to_end = true;
            for (size_t i = 0; i < s->count; i++)
                if (s->training[i].process > 0) kill(s->training[i].process, SIGTERM);
        }
        if (next < s->count && s->running < lb_threads() && !asked_to_end && !status)
            status = start_training(s, &s->training[next++]);
        else
            nanosleep(&pause_of_a_look, NULL);
        const lb_status noted = look_at_all(s);
        status = status ? status : noted;
    }
    return status;
}

lb_status app_side_by_side_run(app_side_by_side *s, const char *const *results, bool model)
{
    lb_status status = open_folders(s, results, model);
    if (status) return status;
    lb_set_threads(app_threads);
    app_catch_interrupts();
    status = run_all(s);
    if (status || !app_interrupted(NULL)) return status;
    return lb_error_set(s->error, LB_ERROR_INTERRUPTED,
                        "interrupted after %zu trainings; the same command resumes", s->ended);
}

int app_side_by_side_end(app_side_by_side *s, lb_status status)
{
    int exit_status = status ? app_fail(s->error) : s->status;
    if (!status && s->failed > 0)
        app_warn("%zu of %zu trainings failed%s; the same command tries them again", s->failed, s->count,
                 s->why);
    for (size_t i = 0; i < s->count; i++) app_training_free(&s->training[i]);
    lb_release(s->training);
    lb_lock_free(s->lock);
    return app_close_stdout(exit_status);
}
