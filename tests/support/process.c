#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "support/process.h"

#include "support/tempdir.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_MS = 120000, CHUNK = 65536, NOT_STARTED = 127 };

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

static bool make_terminal(int columns, int *master, int *slave)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master)) return false;
    *slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    struct termios mode;
    if (*slave < 0 || ioctl(*master, TIOCSWINSZ, &size) || tcgetattr(*slave, &mode)) return false;
    mode.c_oflag &= ~(tcflag_t)OPOST; /* passes bytes unchanged */
    return tcsetattr(*slave, TCSANOW, &mode) == 0;
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
    } else if (!make_pipe(&c->output, &c->child_output)) {
        return false;
    }
    if (command->close_output) close_end(&c->output);
    if (command->terminal_columns)
        return make_terminal(command->terminal_columns, &c->error, &c->child_error);
    return make_pipe(&c->error, &c->child_error);
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
    change_environment(command->environment);
    if (!command->directory || chdir(command->directory) == 0) {
        execv(command->argv[0], (char *const *)command->argv);
    }
    fprintf(stderr, "%s: cannot run: %s\n", command->argv[0], strerror(errno));
    _exit(NOT_STARTED);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
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

/* Writes input and reads output until the program has closed its ends. */
static void converse(const support_command *command, channels *c, buffer *output, buffer *error,
                     int64_t deadline)
{
    size_t given = 0, length = command->input_length;
    if (length == 0 && command->input) length = strlen(command->input);
    if (length == 0) close_end(&c->input);
    while (c->output >= 0 || c->error >= 0) {
        int64_t remaining = deadline - now_ms();
        struct pollfd ends[] = {{c->input, POLLOUT, 0}, {c->output, POLLIN, 0}, {c->error, POLLIN, 0}};
        if (remaining <= 0 || poll(ends, 3, (int)remaining) <= 0) return;
        if (ends[0].revents) give(&c->input, command->input, length, &given);
        if (ends[1].revents) take(&c->output, output);
        if (ends[2].revents) take(&c->error, error);
    }
}

/* Waits for the program to end, and kills it at the deadline. Returns true if it was killed. */
static bool reap(pid_t child, int64_t deadline, int *status)
{
    int how = 0;
    bool killed = false;
    while (waitpid(child, &how, killed ? 0 : WNOHANG) == 0) {
        if (now_ms() >= deadline) {
            kill(-child, SIGKILL);
            killed = true;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return killed;
}

bool support_run_command(const support_command *command, support_result *result)
{
    channels ends;
    *result = (support_result){.status = NOT_STARTED};
    bool open = open_channels(command, &ends);
    fflush(NULL); /* otherwise the new process would write it again */
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

    int limit = command->timeout_ms ? command->timeout_ms : DEFAULT_TIMEOUT_MS;
    int64_t begin = now_ms();
    bool to_be_killed = command->kill_after_ms > 0 && command->kill_after_ms < limit;
    int64_t deadline = begin + (to_be_killed ? command->kill_after_ms : limit);
    buffer output = {calloc(1, 1), 0}, error = {calloc(1, 1), 0};
    if (command->signal_after_ms) {
        converse(command, &ends, &output, &error, begin + command->signal_after_ms);
        kill(child, command->signal); /* not reaped yet, so the pid is still valid */
    }
    converse(command, &ends, &output, &error, deadline);
    bool killed = reap(child, deadline, &result->status);
    close_all(&ends);
    sigaction(SIGPIPE, &before, NULL);

    result->timed_out = killed && !to_be_killed;
    result->output = output.bytes;
    result->output_length = output.length;
    result->error = error.bytes;
    result->error_length = error.length;
    return true;
}

bool support_run(const char *const argv[], const char *input, support_result *result)
{
    return support_run_command(&(support_command){.argv = argv, .input = input}, result);
}

void support_run_in_tempdir(const char *const argv[], const char *input, support_result *result)
{
    const support_command command = {.argv = argv, .directory = support_tempdir(), .input = input};
    support_result_free(result);
    ck_assert(support_run_command(&command, result));
    ck_assert(!result->timed_out);
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
