#include "common/side_by_side.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "common/interrupt.h"
#include "common/output.h"
#include "common/ranks.h"
#include "common/report.h"
#include "io/folder.h"
#include "io/set_aside.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#ifdef __linux__
#    include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAME = 200, LOOK_EVERY_MS = 50 };

static const char SELF[] = "/proc/self/exe";

/* A single training on one thread. */
static const char *const always[] = {"--threads=1", "--sweep=", "--ensemble="};

enum { ALWAYS = sizeof always / sizeof *always };

char *app_training_folder(const app_repeated *repeated, const char *name, lb_error *error)
{
    char folder[LONGEST_NAME + 1];
    size_t length = strlen(name);
    if (length > LONGEST_NAME) {
        lb_error_set(error, LB_ERROR_ARGUMENT,
                     "--sweep: the values \"%.40s...\" are too long for the name of a folder", name);
        return NULL;
    }
    for (size_t c = 0; c <= length; c++)
        folder[c] = name[c] && !isalnum((unsigned char)name[c]) && !strchr("=,.-+_", name[c]) ? '_' : name[c];
    return lb_folder_path(repeated->out, folder, error);
}

static char *option_of_folder(const char *folder)
{
    lb_buffer out = {0};
    lb_buffer_print(&out, "--out=%s", folder);
    if (!out.failed) return out.text;
    lb_release(out.text);
    return NULL;
}

char **app_repeated_command(const app_repeated *r, const char *const *own, const char *folder)
{
    int options = 0, words = r->argc + 1, at = 0;
    while (own[options]) options++;
    char **command = lb_alloc_zero((size_t)(words + options + ALWAYS + 2) * sizeof *command);
    if (!command) return NULL;
    bool whole = (command[at++] = lb_alloc_string("lookback")) != NULL;
    whole = (command[at++] = lb_alloc_string(r->program->name)) && whole;
    for (int w = 1; w < r->argc; w++) whole = (command[at++] = lb_alloc_string(r->argv[w])) && whole;
    for (int o = 0; o < options; o++) whole = (command[at++] = lb_alloc_string(own[o])) && whole;
    whole = (command[at++] = option_of_folder(folder)) && whole;
    for (int a = 0; a < ALWAYS; a++) whole = (command[at++] = lb_alloc_string(always[a])) && whole;
    if (whole) return command;
    for (int w = 0; w < at; w++) lb_release(command[w]);
    lb_release((void *)command);
    return NULL;
}

void app_command_free(char **command)
{
    for (char **word = command; word && *word; word++) lb_release(*word);
    lb_release((void *)command);
}

lb_status app_keep_earlier_model(const app_repeated *repeated, const char *table, lb_error *error)
{
    char path[APP_PATH];
    char *kept = NULL;
    if (!repeated->fresh && access(app_path(repeated->out, table, path), F_OK) == 0) return LB_OK;
    lb_status status = lb_set_aside(app_path(repeated->out, "model.safetensors", path), &kept, error);
    if (kept) app_note("the earlier model is kept as %s", kept);
    lb_release(kept);
    return status;
}

lb_status app_commands_check(const app_side_by_side *s)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < s->count && !status; i++) {
        int count = 0, all = 0;
        while (s->command[i][all]) all++;
        char **words = lb_alloc((size_t)(all + 1) * sizeof *words), **parsed = words;
        app_request request;
        if (!words) return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory for a training");
        memcpy((void *)words, (const void *)(s->command[i] + 1), (size_t)all * sizeof *words);
        count = all - 1;
        status = app_options_parse(s->repeated->program, &count, &parsed, &request, s->error);
        lb_release((void *)words);
    }
    return status;
}

/* A training does not outlive the program that started it, even if that is killed. */
static void end_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) _exit(128 + SIGTERM);
}

/* Runs the training in the new process, with standard output and error going to a log. Does not return. */
static void become(const app_side_by_side *s, size_t i)
{
    char path[APP_PATH];
    int log = open(app_path(s->results[i].folder, "train.log", path), O_WRONLY | O_CREAT | O_APPEND, 0666);
    app_ranks_forget();
    if (log >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execv(SELF, s->command[i]);
    _exit(lb_status_exit(LB_ERROR_OPEN));
}

static lb_status begin(app_side_by_side *s)
{
    size_t i = s->begun;
    lb_status status = lb_folder_make(s->results[i].folder, s->error);
    if (status) return status;
    pid_t parent = getpid();
    fflush(stdout);
    s->process[i] = fork();
    if (s->process[i] == 0) {
        end_with_parent(parent);
        become(s, i);
    }
    if (s->process[i] < 0)
        return lb_error_set(s->error, LB_ERROR_MEMORY, "cannot start a training: %s", strerror(errno));
    s->begun++;
    return LB_OK;
}

static void note_end(const app_side_by_side *s, const app_sweep_result *r, int status)
{
    if (status == 0)
        app_note("[%zu/%zu] %s: exact match %.4f, symbol error %.4f", s->ended, s->count, r->name,
                 r->best.exact_match, r->best.symbol_error);
    else
        app_note("[%zu/%zu] %s: failed with status %d; see %s/train.log", s->ended, s->count, r->name, status,
                 r->folder);
}

static lb_status note_process(app_side_by_side *s, pid_t process, int found)
{
    size_t i = 0;
    while (i < s->begun && s->process[i] != process) i++;
    if (i == s->begun) return LB_OK;
    int exit_status = WIFEXITED(found) ? WEXITSTATUS(found) : 128 + WTERMSIG(found);
    s->process[i] = 0;
    s->ended++;
    s->failed += exit_status != 0;
    if (exit_status) s->status = exit_status;
    if (app_interrupted(NULL)) return LB_OK;
    lb_status status = exit_status ? LB_OK : app_sweep_result_read(&s->results[i], s->error);
    if (!status) note_end(s, &s->results[i], exit_status);
    return status;
}

/* Collects trainings that have ended. */
static lb_status collect(app_side_by_side *s)
{
    int found;
    lb_status status = LB_OK;
    for (pid_t process; !status && (process = waitpid(-1, &found, WNOHANG)) > 0;)
        status = note_process(s, process, found);
    return status;
}

static void signal_all(const app_side_by_side *s)
{
    for (size_t i = 0; i < s->begun; i++)
        if (s->process[i] > 0) kill(s->process[i], SIGTERM);
}

static lb_status run(app_side_by_side *s)
{
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    lb_set_threads(s->repeated->threads);
    size_t most = (size_t)lb_threads();
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
        lb_status collected = collect(s);
        status = status ? status : collected;
    }
    return status;
}

lb_status app_side_by_side_run(app_side_by_side *s)
{
    s->process = lb_alloc_zero(s->count * sizeof *s->process);
    if (!s->process) return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory for a training");
    lb_status status = run(s);
    lb_release(s->process);
    s->process = NULL;
    return status;
}
