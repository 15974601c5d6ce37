/* Processes side by side, this program itself, its limits, and libraries that it loads. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_GLOBAL beside POSIX, prctl */
#include "os/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#    include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_INPUT = 66 /* sysexits.h */ };

/* Runs the new process. Does not return. */
static void become(int said, pid_t parent, int (*run)(void *context), void *context)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    lb_os_release_interrupts();
    if (getppid() != parent) _exit(LB_OS_ENDED_BY + SIGTERM);
    if (dup2(said, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0) _exit(NO_INPUT);
    close(said);
    exit(run(context));
}

bool lb_os_start(lb_os_child *child, int number, int (*run)(void *context), void *context)
{
    int said[2];
    const pid_t parent = getpid();
    *child = (lb_os_child){0};
    if (pipe(said) != 0) return false;
    fcntl(said[0], F_SETFL, O_NONBLOCK);
    const pid_t made = fork();
    if (made == 0) become(said[1], parent, run, context);
    const int reason = errno;
    close(said[1]);
    if (made < 0) close(said[0]);
    if (made > 0) *child = (lb_os_child){.number = made, .said = lb_os_handle_of(said[0])};
    (void)number;
    errno = reason;
    return made > 0;
}

int lb_os_copy(void)
{
    return 0;
}

int64_t lb_os_hear(const lb_os_child *child, void *bytes, size_t room)
{
    return read(lb_os_descriptor(child->said), bytes, room);
}

bool lb_os_has_ended(const lb_os_child *child, int *status)
{
    int found;
    if (waitpid((pid_t)child->number, &found, WNOHANG) != (pid_t)child->number) return false;
    *status = WIFEXITED(found) ? WEXITSTATUS(found) : LB_OS_ENDED_BY + WTERMSIG(found);
    return true;
}

void lb_os_stop(const lb_os_child *child)
{
    kill((pid_t)child->number, SIGTERM);
}

/* ---- This program. Without /proc, it does not know where it is. ---- */

static const char OWN_PATH[] = "/proc/self/exe";

void lb_os_restart(char **arguments)
{
    execv(OWN_PATH, arguments);
}

bool lb_os_set_variable(const char *name, const char *value)
{
    return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

bool lb_os_program_path(char path[LB_OS_PATH])
{
    ssize_t length = readlink(OWN_PATH, path, LB_OS_PATH);
    if (length < 0 || length == LB_OS_PATH) return false;
    path[length] = '\0';
    return true;
}

bool lb_os_make_temp_folder(char folder[LB_OS_PATH])
{
    int length = snprintf(folder, LB_OS_PATH, "%s/lookback-XXXXXX", lb_os_temp_folder());
    errno = ENAMETOOLONG;
    return length > 0 && length < LB_OS_PATH && mkdtemp(folder);
}

uint64_t lb_os_limit_of(lb_os_limit limit)
{
    struct rlimit found;
    return getrlimit(limit == LB_OS_STACK ? RLIMIT_STACK : RLIMIT_NOFILE, &found) == 0 ? found.rlim_cur
                                                                                       : UINT64_MAX;
}

/* ---- Libraries. ---- */

/* Open MPI's own modules look up its names in the whole process. ISO C converts no pointer to an object into one to a
 * function, as dlsym asks for. */
const char *lb_os_load(const char *path, const char *const *names, size_t count, void *functions)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL), *found = library;
    for (size_t i = 0; i < count && found; i++) {
        found = dlsym(library, names[i]);
        memcpy((char *)functions + i * sizeof found, &found, sizeof found);
    }
    return found ? NULL : dlerror();
}
