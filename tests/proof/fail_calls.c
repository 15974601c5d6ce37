/* For LD_PRELOAD, what strace cannot do: the n-th write is short, n from the environment variable SHORT_AT, or the n-th
 * question for the time fails, n from CLOCK_AT. With COUNTS, a process adds a line to that file when it ends: how many
 * of each it had. The writes of stdio are the C library's own and not seen here; it repeats those that are short. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): syscall */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_long writes, clocks;
static long short_at, clock_at;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void read_environment(void)
{
    short_at = number("SHORT_AT");
    clock_at = number("CLOCK_AT");
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("COUNTS");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (!file) return;
    fprintf(file, "%ld %ld\n", atomic_load(&writes), atomic_load(&clocks));
    fclose(file);
}

/* Half of the bytes, but at least one: no bytes at all would mean another thing. */
static size_t shorten(size_t count)
{
    return count > 1 && atomic_fetch_add(&writes, 1) + 1 == short_at ? count / 2 : count;
}

static int clock_fails(void)
{
    if (atomic_fetch_add(&clocks, 1) + 1 != clock_at) return 0;
    errno = EINVAL;
    return 1;
}

/* The system's headers have other names for the arguments.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
ssize_t write(int fd, const void *bytes, size_t count)
{
    return syscall(SYS_write, fd, bytes, shorten(count));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    return syscall(SYS_pwrite64, fd, bytes, shorten(count), offset);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    return clock_fails() ? -1 : (int)syscall(SYS_clock_gettime, clock, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    return clock_fails() ? -1 : (int)syscall(SYS_gettimeofday, now, zone);
}

time_t time(time_t *now)
{
    struct timespec found;
    if (clock_fails() || syscall(SYS_clock_gettime, CLOCK_REALTIME, &found) != 0) return (time_t)-1;
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
