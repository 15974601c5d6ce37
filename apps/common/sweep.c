#include "common/sweep.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "common/grid.h"
#include "common/interrupt.h"
#include "common/output.h"
#include "common/report.h"
#include "common/sweep_result.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ADDED = 4, LONGEST_NAME = 200, LOOK_EVERY_MS = 50 };

static const char SELF[] = "/proc/self/exe";

/* A training, running or not. */
typedef struct member {
    int64_t combination;
    pid_t process; /* 0: not running */
    int status;    /* its exit status */
} member;

typedef struct session {
    const app_sweep_plan *plan;
    app_grid grid;
    member *members;           /* [count] */
    app_sweep_result *results; /* [count] */
    size_t count, begun, ended;
    lb_lock *lock; /* on the folder */
    lb_error *error;
} session;

static lb_status out_of_memory(const session *s)
{
    return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory for a sweep");
}

static bool is_taken(const member *members, size_t count, int64_t combination)
{
    for (size_t i = 0; i < count; i++)
        if (members[i].combination == combination) return true;
    return false;
}

/* Chooses all combinations in order, or a random sample without replacement. */
static void choose(session *s, bool all)
{
    lb_rng rng = {s->plan->seed, lb_rng_stream("combinations of a sweep"), 0};
    uint64_t drawn = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t next = (int64_t)i;
        while (!all &&
               is_taken(s->members, i, next = (int64_t)lb_rng_below(rng, drawn++, (uint64_t)s->grid.count)))
            ;
        s->members[i].combination = next;
    }
}

static lb_status name_all(session *s)
{
    for (size_t i = 0; i < s->count; i++) {
        char *name = app_grid_name(&s->grid, s->members[i].combination);
        s->results[i].name = name;
        if (!name) return out_of_memory(s);
        char folder[LONGEST_NAME + 1];
        size_t length = strlen(name);
        if (length > LONGEST_NAME)
            return lb_error_set(s->error, LB_ERROR_ARGUMENT,
                                "--sweep: the values \"%.40s...\" are too long for the name of a folder",
                                name);
        for (size_t c = 0; c <= length; c++)
            folder[c] =
                name[c] && !isalnum((unsigned char)name[c]) && !strchr("=,.-+_", name[c]) ? '_' : name[c];
        s->results[i].folder = lb_folder_path(s->plan->out, folder, s->error);
        if (!s->results[i].folder) return LB_ERROR_MEMORY;
    }
    return LB_OK;
}

/* The command of a training: the one of the sweep, followed by its own options, since the last option wins. */
static char **command(const session *s, size_t i)
{
    int words = s->plan->argc, options = s->grid.options;
    lb_buffer out = {0};
    char **argv = lb_alloc_zero((size_t)(1 + words + options + ADDED) * sizeof *argv);
    if (!argv) return NULL;
    argv[0] = "lookback";
    argv[1] = (char *)s->plan->program->name;
    for (int w = 1; w < words; w++) argv[w + 1] = s->plan->argv[w];
    lb_status status = app_grid_arguments(&s->grid, s->members[i].combination, argv + words + 1, NULL);
    char **end = argv + words + 1 + options;
    lb_buffer_print(&out, "--out=%s", s->results[i].folder);
    end[0] = out.text;
    end[1] = "--threads=1";
    end[2] = "--sweep=";
    return status || out.failed ? NULL : argv;
}

static void release_command(const session *s, char **argv)
{
    if (!argv) return;
    char **values = argv + s->plan->argc + 1;
    for (int i = 0; i <= s->grid.options; i++) lb_release(values[i]);
    lb_release((void *)argv);
}

/* Parses the options of every training in advance, to reject a sweep before anything is trained. */
static lb_status check_all(session *s)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < s->count && !status; i++) {
        char **argv = command(s, i), **words = argv ? argv + 1 : NULL;
        int count = s->plan->argc + s->grid.options + ADDED - 1;
        app_request request;
        status =
            argv ? app_options_parse(s->plan->program, &count, &words, &request, s->error) : out_of_memory(s);
        release_command(s, argv);
    }
    return status;
}

/* Runs the training in the new process, with standard output and error going to a log. Does not return. */
static void become(const session *s, size_t i, char **argv)
{
    char path[APP_PATH];
    int log = open(app_path(s->results[i].folder, "train.log", path), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0) execv(SELF, argv);
    _exit(lb_status_exit(LB_ERROR_OPEN));
}

static lb_status begin(session *s)
{
    size_t i = s->begun;
    lb_status status = lb_folder_make(s->results[i].folder, s->error);
    if (status) return status;
    char **argv = command(s, i);
    if (!argv) return out_of_memory(s);
    fflush(stdout);
    s->members[i].process = fork();
    if (s->members[i].process == 0) become(s, i, argv);
    release_command(s, argv);
    if (s->members[i].process < 0)
        return lb_error_set(s->error, LB_ERROR_MEMORY, "cannot start a training: %s", strerror(errno));
    s->begun++;
    return LB_OK;
}

static void note_end(const session *s, const app_sweep_result *r, int status)
{
    if (status == 0)
        app_note("[%zu/%zu] %s: exact match %.4f, symbol error %.4f", s->ended, s->count, r->name,
                 r->best.exact_match, r->best.symbol_error);
    else
        app_note("[%zu/%zu] %s: failed with status %d; see %s/train.log", s->ended, s->count, r->name, status,
                 r->folder);
}

/* Collects trainings that have ended. */
static lb_status collect(session *s)
{
    int found;
    for (pid_t process; (process = waitpid(-1, &found, WNOHANG)) > 0;) {
        size_t i = 0;
        while (i < s->begun && s->members[i].process != process) i++;
        if (i == s->begun) continue;
        member *m = &s->members[i];
        m->process = 0;
        m->status = WIFEXITED(found) ? WEXITSTATUS(found) : 128 + WTERMSIG(found);
        s->ended++;
        if (app_interrupted(NULL)) continue;
        lb_status status = m->status ? LB_OK : app_sweep_result_read(&s->results[i], s->error);
        if (status) return status;
        note_end(s, &s->results[i], m->status);
    }
    return LB_OK;
}

static void signal_all(const session *s)
{
    for (size_t i = 0; i < s->begun; i++)
        if (s->members[i].process > 0) kill(s->members[i].process, SIGTERM);
}

static lb_status train_all(session *s)
{
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = s->plan->threads > 0 ? (size_t)s->plan->threads : processors > 0 ? (size_t)processors : 1;
    bool asked_to_end = false;
    lb_status status = LB_OK;
    while (s->ended < s->begun || (s->begun < s->count && !status && !app_interrupted(NULL))) {
        if ((status || app_interrupted(NULL)) && !asked_to_end) {
            asked_to_end = true;
            signal_all(s);
        }
        if (s->begun < s->count && s->begun - s->ended < most && !asked_to_end && !status)
            status = begin(s);
        else
            nanosleep(&pause, NULL);
        if (!status) status = collect(s);
    }
    return status;
}

/* Copies the best model to where predict looks for one. */
static lb_status keep_best(const session *s)
{
    char from[APP_PATH], to[APP_PATH];
    void *bytes;
    size_t count;
    if (!s->results->points)
        return lb_error_set(s->error, LB_ERROR_DIVERGED, "no training of the sweep succeeded");
    lb_status status =
        lb_file_read(app_path(s->results->folder, "model.safetensors", from), &bytes, &count, s->error);
    if (status) return status;
    status = lb_file_write_atomic(app_path(s->plan->out, "model.safetensors", to), bytes, count, s->error);
    lb_release(bytes);
    if (!status) app_note("%s is the model of %s", to, s->results->name);
    return status;
}

static lb_status prepare(session *s, const app_sweep *sweep)
{
    lb_status status = app_grid_open(&s->grid, sweep->file, s->error);
    if (status) return status;
    bool all = sweep->count == 0 || sweep->count >= s->grid.count;
    s->count = (size_t)(all ? s->grid.count : sweep->count);
    s->members = lb_alloc_zero(s->count * sizeof *s->members);
    s->results = lb_alloc_zero(s->count * sizeof *s->results);
    if (!s->members || !s->results) return out_of_memory(s);
    choose(s, all);
    status = name_all(s);
    if (!status) status = check_all(s);
    if (!status) status = lb_folder_make(s->plan->out, s->error);
    return status ? status : lb_lock_folder(s->plan->out, &s->lock, s->error);
}

static void discard(session *s)
{
    for (size_t i = 0; s->results && i < s->count; i++) app_sweep_result_free(&s->results[i]);
    lb_release(s->results);
    lb_release(s->members);
    app_grid_close(&s->grid);
    lb_lock_free(s->lock);
}

int app_sweep_run(const app_sweep *sweep, const app_sweep_plan *plan)
{
    lb_error error = {0};
    session s = {.plan = plan, .error = &error};
    lb_status status = prepare(&s, sweep);
    if (!status) {
        app_note("%zu trainings in %s", s.count, plan->out);
        app_catch_interrupts();
        status = train_all(&s);
    }
    bool interrupted = !status && app_interrupted(NULL);
    if (!status && !interrupted) {
        app_sweep_results_sort(s.results, s.count);
        status = app_sweep_results_show(s.results, s.count, plan->out, &error);
        if (!status) status = keep_best(&s);
    }
    size_t ended = s.ended;
    discard(&s);
    if (!interrupted) return app_close_stdout(status ? app_fail(&error) : 0);
    app_note("interrupted after %zu trainings; the same command resumes", ended);
    return app_interrupt_status();
}
