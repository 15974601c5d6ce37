#include "shared/child.h"

#include "shared/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 600, CHUNK = 65536, NOT_STARTED = 127 };

extern char **environ;

/* Whether this "NAME=value" changes the speed of a program. */
static bool steers(const char *entry)
{
    static const char *const beginnings[] = {"OPENBLAS_", "GOTO_", "MKL_", "OMP_", "GOMP_", "KMP_", "ATEN_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(entry, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

static void clear_environment(void)
{
    char **kept = environ;
    for (char **entry = environ; *entry; entry++)
        if (!steers(*entry)) *kept++ = *entry;
    *kept = NULL;
}

/* In the new process; does not return. */
static void become(const char *const argv[], bool quiet, int output)
{
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (quiet) dup2(nowhere, STDERR_FILENO);
    close(output);
    clear_environment();
    alarm(MOST_SECONDS);
    execvp(argv[0], (char *const *)argv);
    _exit(NOT_STARTED);
}

static char *read_all(int input)
{
    size_t length = 0, room = 0;
    char *text = NULL;
    for (;;) {
        if (room - length <= CHUNK) {
            room = 2 * room + CHUNK + 1;
            char *grown = realloc(text, room);
            if (!grown) break;
            text = grown;
        }
        ssize_t count = read(input, text + length, CHUNK);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            text[length] = '\0';
            return text;
        }
        length += (size_t)count;
    }
    free(text);
    return NULL;
}

bench_child bench_run(const char *const argv[], bool quiet)
{
    int ends[2], status = 0;
    bench_child child = {.done = false};
    if (pipe(ends)) return child;
    double begin = bench_now();
    pid_t id = fork();
    if (id == 0) {
        close(ends[0]);
        become(argv, quiet, ends[1]);
    }
    close(ends[1]);
    child.output = id > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    if (id > 0) child.done = waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    child.seconds = bench_now() - begin;
    return child;
}

pid_t bench_keep_busy(void)
{
    const pid_t parent = getpid(), id = fork();
    while (id == 0 && getppid() == parent) {
    }
    if (id == 0) _exit(0);
    return id;
}

void bench_end_busy(pid_t id)
{
    if (id > 0 && kill(id, SIGKILL) == 0) waitpid(id, NULL, 0);
}

cJSON *bench_last_json(const char *text)
{
    const char *line = NULL;
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (*at == '{') line = at;
    return line ? cJSON_Parse(line) : NULL;
}
