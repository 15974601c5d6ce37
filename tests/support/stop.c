#define _GNU_SOURCE    /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */
#undef _FORTIFY_SOURCE /* it defines some of these functions itself */
#include "support/stop.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The memory sanitizer of a program does not see what this library writes, which is compiled without it. */
extern void __msan_unpoison(const volatile void *memory, size_t bytes) __attribute__((weak)); // NOLINT

enum { TEXT = 1024, TICK_NS = 1000000, BILLION = 1000000000 };

static struct {
    bool active;
    char call[16], end[TEXT], action[TEXT];
    atomic_long left;
} plan;

static atomic_bool clock_fails, clock_ticks;
static atomic_llong ticks, advance_ns;
static uintptr_t program_begin, program_end; /* of the code of a program that has preloaded this */

/* ---- The plan. ---- */

static void refuse(const char *text)
{
    fprintf(stderr, "support_stop: \"%s\": expected CALL [END] N ACTION\n", text);
    _exit(127);
}

void support_stop(const char *text)
{
    long count = 0;
    int end = 0;
    plan.active = false;
    plan.end[0] = '\0';
    if (!text) return;
    if (sscanf(text, "%15s %ld %n", plan.call, &count, &end) != 2 &&
        sscanf(text, "%15s %1023s %ld %n", plan.call, plan.end, &count, &end) != 3)
        refuse(text);
    snprintf(plan.action, sizeof plan.action, "%s", text + end);
    if (count < 1 || !*plan.action) refuse(text);
    atomic_store(&plan.left, count);
    plan.active = true;
}

static void run_shell(const char *commands)
{
    pid_t shell = fork();
    if (shell == 0) {
        unsetenv("LD_PRELOAD");
        execl("/bin/sh", "sh", "-c", commands, (char *)NULL);
        _exit(127);
    }
    while (waitpid(shell, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void send_signals(const char *names)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"KILL", SIGKILL}, {"INT", SIGINT}, {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"STOP", SIGSTOP}};
    char name[8];
    for (int used = 0; sscanf(names, "%7s%n", name, &used) == 1; names += used) {
        if (strcmp(name, "LATER") == 0) {
            support_advance_clock(BILLION);
            continue;
        }
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(known[i].name, name) != 0) i++;
        if (i == sizeof known / sizeof *known) refuse(names);
        raise(known[i].number);
    }
}

static void act(void)
{
    if (strncmp(plan.action, "sh ", 3) == 0)
        run_shell(plan.action + 3);
    else if (strcmp(plan.action, "ALL") == 0)
        kill(0, SIGKILL);
    else
        send_signals(plan.action);
}

static bool is_due(const char *call, const char *path)
{
    bool same =
        strcmp(plan.call, call) == 0 || (strcmp(plan.call, "file") == 0 && strcmp(call, "clock") != 0);
    size_t all = strlen(path), end = strlen(plan.end);
    if (!same || end > all || strcmp(path + all - end, plan.end) != 0) return false;
    return atomic_fetch_sub(&plan.left, 1) == 1;
}

/* After a call. */
static void note(const char *call, const char *path)
{
    int reason = errno;
    if (plan.active && is_due(call, path)) act();
    errno = reason;
}

/* The path of a regular file; false if it is none. */
static bool find_path(int fd, char path[PATH_MAX])
{
    char link[64];
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return true;
}

static void note_descriptor(const char *call, int fd)
{
    char path[PATH_MAX];
    int reason = errno;
    if (plan.active && find_path(fd, path)) note(call, path);
    errno = reason;
}

/* ---- Calls, in place of those of libc. ---- */

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): headers of the system have names of their own

/* Sets `function` to the one of libc, or of a sanitizer. */
#define FIND(function) ((function) ? (void)0 : find(#function, (void **)&(function)))

static void find(const char *name, void **function)
{
    *function = dlsym(RTLD_NEXT, name + strlen("real_"));
    if (!*function) refuse(name);
}

static int (*real_open)(const char *path, int flags, ...);
static int (*real_openat)(int folder, const char *path, int flags, ...);
static ssize_t (*real_write)(int fd, const void *bytes, size_t count);
static int (*real_fsync)(int fd);
static int (*real_ftruncate)(int fd, off_t length);
static int (*real_linkat)(int from_folder, const char *from, int to_folder, const char *to, int flags);
static int (*real_rename)(const char *from, const char *to);
static int (*real_clock_gettime)(clockid_t clock, struct timespec *now);

static mode_t mode_of(int flags, va_list rest)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

static int opened(int fd, int flags)
{
    if (fd >= 0 && (flags & O_ACCMODE) != O_RDONLY) note_descriptor("open", fd);
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    FIND(real_open);
    return opened(real_open(path, flags, mode), flags);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    FIND(real_openat);
    return opened(real_openat(folder, path, flags, mode), flags);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    char path[PATH_MAX];
    FIND(real_write);
    bool due = plan.active && find_path(fd, path) && is_due("write", path);
    ssize_t written = real_write(fd, bytes, due && count > 1 ? count / 2 : count);
    int reason = errno;
    if (due) act();
    errno = reason;
    return written;
}

int fsync(int fd)
{
    FIND(real_fsync);
    int result = real_fsync(fd);
    note_descriptor("fsync", fd);
    return result;
}

int ftruncate(int fd, off_t length)
{
    FIND(real_ftruncate);
    int result = real_ftruncate(fd, length);
    note_descriptor("ftruncate", fd);
    return result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    FIND(real_linkat);
    int result = real_linkat(from_folder, from, to_folder, to, flags);
    if (result == 0) note("linkat", to);
    return result;
}

int rename(const char *from, const char *to)
{
    FIND(real_rename);
    int result = real_rename(from, to);
    if (result == 0) note("rename", to);
    return result;
}

/* ---- The clock. ---- */

void support_advance_clock(int64_t ns)
{
    atomic_fetch_add(&advance_ns, ns);
}

void support_fail_clock(bool fails)
{
    atomic_store(&clock_fails, fails);
}

static int fail(struct timespec *now)
{
    *now = (struct timespec){.tv_sec = 1000 * (time_t)atomic_fetch_add(&ticks, 1) + 7, .tv_nsec = 7};
    errno = EINVAL;
    return -1;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    FIND(real_clock_gettime);
    if (atomic_load(&clock_fails)) return fail(now);
    int status = real_clock_gettime(clock, now);
    if (__msan_unpoison && status == 0) __msan_unpoison(now, sizeof *now);
    bool ticking = atomic_load(&clock_ticks),
         ours = !ticking || (caller >= program_begin && caller < program_end);
    if (status != 0 || clock != CLOCK_MONOTONIC || !ours) return status;
    int64_t ns = now->tv_sec * (int64_t)BILLION + now->tv_nsec;
    if (ticking) ns = TICK_NS * (int64_t)atomic_fetch_add(&ticks, 1);
    ns += atomic_load(&advance_ns);
    *now = (struct timespec){.tv_sec = (time_t)(ns / BILLION), .tv_nsec = (long)(ns % BILLION)};
    note("clock", "");
    return 0;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

/* The first object is the program. */
static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        program_begin = info->dlpi_addr + part->p_vaddr;
        program_end = program_begin + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("SUPPORT_STOP");
    if (!text) return;
    dl_iterate_phdr(find_code, NULL);
    atomic_store(&clock_ticks, true);
    support_stop(text);
}
