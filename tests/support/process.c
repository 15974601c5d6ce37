#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "support/process.h"

#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { CHUNK = 65536, NOT_STARTED = 127, USUAL_COLUMNS = 80, STUCK_SECONDS = 60 };

/* Both ends of the channels to the program; -1 if closed. */
typedef struct channels {
    int input, output, error;
    int child_input, child_output, child_error;
} channels;

typedef struct buffer {
    char *bytes;
    size_t length;
} buffer;

static void close_end(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

static void close_all(channels *c)
{
    int *ends[] = {&c->input, &c->output, &c->error, &c->child_input, &c->child_output, &c->child_error};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) close_end(ends[i]);
}

static bool make_pipe(int *reader, int *writer)
{
    int ends[2];
    if (pipe(ends)) return false;
    *reader = ends[0];
    *writer = ends[1];
    return true;
}

void support_open_terminal(int columns, int *master, int *slave)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    bool open_here = *master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0;
    *slave = open_here ? open(ptsname(*master), O_RDWR | O_NOCTTY) : -1;
    if (*slave < 0) support_skip_rest("what a terminal shows", "there is no /dev/pts");
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    struct termios mode;
    ck_assert(ioctl(*master, TIOCSWINSZ, &size) == 0 && tcgetattr(*slave, &mode) == 0);
    mode.c_oflag &= ~(tcflag_t)OPOST; /* passes bytes unchanged */
    ck_assert_int_eq(tcsetattr(*slave, TCSANOW, &mode), 0);
}

void support_need_terminal(void)
{
    int master, slave;
    support_open_terminal(USUAL_COLUMNS, &master, &slave);
    close(master);
    close(slave);
}

static bool open_channels(const support_command *command, channels *c)
{
    *c = (channels){-1, -1, -1, -1, -1, -1};
    if (command->input_path) {
        c->child_input = open(command->input_path, O_RDONLY);
        if (c->child_input < 0) return false;
    } else if (!make_pipe(&c->child_input, &c->input)) {
        return false;
    }
    if (command->output_path) {
        c->child_output = open(command->output_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (c->child_output < 0) return false;
    } else if (command->terminal_output) {
        support_open_terminal(USUAL_COLUMNS, &c->output, &c->child_output);
    } else if (!make_pipe(&c->output, &c->child_output)) {
        return false;
    }
    if (command->close_output) close_end(&c->output);
    if (!command->terminal_columns) return make_pipe(&c->error, &c->child_error);
    support_open_terminal(command->terminal_columns, &c->error, &c->child_error);
    return true;
}

static void change_environment(const char *const *changes)
{
    for (; changes && *changes; changes++) {
        char *name = strdup(*changes);
        char *value = name ? strchr(name, '=') : NULL;
        if (value) {
            *value = '\0';
            setenv(name, value + 1, 1);
        } else if (name) {
            unsetenv(name);
        }
        free(name);
    }
}

/* In the new process; does not return. */
static void become(const support_command *command, channels *c)
{
    setpgid(0, 0); /* so that its own children can be killed with it */
    signal(SIGPIPE, SIG_DFL);
    dup2(c->child_input, STDIN_FILENO);
    dup2(c->child_output, STDOUT_FILENO);
    dup2(c->child_error, STDERR_FILENO);
    close_all(c);
    if (command->terminal_columns) change_environment((const char *[]){"TERM=xterm", "NO_COLOR", NULL});
    change_environment(command->environment);
    if (command->stop) {
        setenv("SUPPORT_STOP", command->stop, 1);
        setenv("LD_PRELOAD", SUPPORT_STOP_LIBRARY, 1);
    }
    if (!command->directory || chdir(command->directory) == 0) {
        execv(command->argv[0], (char *const *)command->argv);
    }
    fprintf(stderr, "%s: cannot run: %s\n", command->argv[0], strerror(errno));
    _exit(NOT_STARTED);
}

/* Reads available output; closes our end at the end of the output. */
static void take(int *end, buffer *text)
{
    char *grown = realloc(text->bytes, text->length + CHUNK + 1);
    if (!grown) abort();
    text->bytes = grown;
    ssize_t count = read(*end, text->bytes + text->length, CHUNK);
    /* a closed terminal gives EIO */
    if (count > 0) {
        text->length += (size_t)count;
    } else if (count == 0 || errno != EINTR) {
        close_end(end);
    }
    text->bytes[text->length] = '\0';
}

static void give(int *end, const char *input, size_t length, size_t *given)
{
    ssize_t count = write(*end, input + *given, length - *given);
    if (count > 0) *given += (size_t)count;
    bool refused = count < 0 && errno != EAGAIN && errno != EINTR;
    if (refused || *given == length) close_end(end);
}

/* Writes input and reads output until the program has closed its ends. False if it hangs, which is found out soon if it
 * has said so. */
static bool converse(const support_command *command, channels *c, buffer *output, buffer *error)
{
    size_t given = 0, length = command->input_length;
    if (length == 0 && command->input) length = strlen(command->input);
    if (length == 0) close_end(&c->input);
    while (c->output >= 0 || c->error >= 0) {
        struct pollfd ends[] = {{c->input, POLLOUT, 0}, {c->output, POLLIN, 0}, {c->error, POLLIN, 0}};
        bool stuck = command->stuck && strstr(error->bytes, command->stuck);
        if (poll(ends, 3, (stuck ? STUCK_SECONDS : support_hang_seconds) * 1000) <= 0) return false;
        if (ends[0].revents) give(&c->input, command->input, length, &given);
        if (ends[1].revents) take(&c->output, output);
        if (ends[2].revents) take(&c->error, error);
    }
    return true;
}

typedef struct ending {
    pid_t child;
    int status;
} ending;

static bool has_ended(void *context)
{
    ending *e = context;
    return waitpid(e->child, &e->status, WNOHANG) != 0;
}

/* Whether no process of the group is left; this process is the parent of those that have lost their own. */
static bool is_group_empty(void *context)
{
    const ending *e = context;
    while (waitpid(-e->child, NULL, WNOHANG) > 0) {
    }
    return kill(-e->child, 0) != 0;
}

bool support_run_command(const support_command *command, support_result *result)
{
    channels ends;
    *result = (support_result){.status = NOT_STARTED};
    bool open = open_channels(command, &ends);
    fflush(NULL); /* otherwise the new process would write it again */
    if (command->stop) prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = open ? fork() : -1;
    if (child == 0) become(command, &ends);
    if (child < 0) {
        close_all(&ends);
        return false;
    }
    setpgid(child, child); /* in both processes, to avoid a race */
    close_end(&ends.child_input);
    close_end(&ends.child_output);
    close_end(&ends.child_error);
    if (ends.input >= 0) fcntl(ends.input, F_SETFL, O_NONBLOCK);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);

    buffer output = {calloc(1, 1), 0}, error = {calloc(1, 1), 0};
    ending end = {.child = child};
    bool ended = converse(command, &ends, &output, &error) &&
                 support_wait_until(has_ended, &end, "a program to end, which has closed its output");
    if (!ended) {
        kill(-child, SIGKILL);
        waitpid(child, &end.status, 0);
    }
    if (command->stop)
        ended = support_wait_until(is_group_empty, &end, "a group of processes to end") && ended;
    close_all(&ends);
    sigaction(SIGPIPE, &before, NULL);

    result->status = WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
    result->output = output.bytes;
    result->output_length = output.length;
    result->error = error.bytes;
    result->error_length = error.length;
    bool excused = command->stuck && strstr(result->error, command->stuck);
    if (!ended && !excused) ck_abort_msg("a hang of %s: %s", command->argv[0], result->error);
    return true;
}

bool support_run(const char *const argv[], const char *input, support_result *result)
{
    return support_run_command(&(support_command){.argv = argv, .input = input}, result);
}

void support_run_as(const support_command *command, support_result *result)
{
    support_result_free(result);
    ck_assert(support_run_command(command, result));
}

void support_run_in_tempdir(const char *const argv[], const char *input, support_result *result)
{
    const support_command command = {.argv = argv, .directory = support_tempdir(), .input = input};
    support_run_as(&command, result);
}

int support_kill_until_done(support_command command, support_result *result)
{
    char plan[32];
    for (int calls = 1, kills = 0;; calls += 1 + calls / 8, kills++) {
        snprintf(plan, sizeof plan, "file %d ALL", calls);
        command.stop = plan;
        support_run_as(&command, result);
        if (result->status == 0) return kills;
        ck_assert_msg(result->status == 128 + SIGKILL, "status %d: %s", result->status, result->error);
    }
}

void support_expect(const support_result *result, int status, const char *output, const char *error)
{
    ck_assert_str_eq(result->error, error);
    ck_assert_str_eq(result->output, output);
    ck_assert_int_eq(result->status, status);
}

void support_result_free(support_result *result)
{
    free(result->output);
    free(result->error);
    *result = (support_result){0};
}
