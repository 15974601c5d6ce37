/* The memory, the clocks, the processors and the locales of the machine. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): MADV_HUGEPAGE */
#include "os/os.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#    include <xlocale.h>
#endif

/* ---- Memory. ---- */

/* Only whole large pages matter. */
void lb_os_prefer_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t skipped = (LB_OS_LARGE_PAGE - (uintptr_t)memory % LB_OS_LARGE_PAGE) % LB_OS_LARGE_PAGE;
    if (bytes >= skipped + LB_OS_LARGE_PAGE)
        madvise((char *)memory + skipped, bytes - skipped, MADV_HUGEPAGE); /* a hint only */
#else
    (void)memory, (void)bytes;
#endif
}

void *lb_os_large_memory(size_t bytes)
{
    void *memory;
    if (bytes > SIZE_MAX - LB_OS_LARGE_PAGE) return NULL;
#ifndef __SANITIZE_ADDRESS__ /* it shall see who writes beyond the end */
    bytes = (bytes + LB_OS_LARGE_PAGE - 1) / LB_OS_LARGE_PAGE * LB_OS_LARGE_PAGE; /* the end, too */
#endif
    if (posix_memalign(&memory, LB_OS_LARGE_PAGE, bytes)) return NULL;
    lb_os_prefer_large_pages(memory, bytes);
    return memory;
}

/* ---- Clocks, threads and processes. ---- */

int64_t lb_os_clock(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec : 0;
}

void lb_os_pause(int milliseconds)
{
    const struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    if (milliseconds > 0)
        nanosleep(&pause, NULL);
    else
        sched_yield();
}

int64_t lb_os_process(void)
{
    return getpid();
}

void lb_os_before_fork(void (*call)(void))
{
    (void)pthread_atfork(call, NULL, NULL);
}

/* ---- Locales. ---- */

lb_os_locale lb_os_locale_enter(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (lb_os_locale){plain, uselocale(plain)};
}

void lb_os_locale_leave(lb_os_locale locale)
{
    uselocale(locale.host);
    if (locale.plain) freelocale(locale.plain);
}

/* ---- The processors that a quota grants. ---- */

/* The two whole numbers of a file, the second 0 if it has one only; false without a number at its start, such as
 * "max". */
static bool read_numbers(const char *folder, const char *name, double *first, double *second)
{
    char path[LB_OS_PATH], text[128] = "", *end = text;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= LB_OS_PATH) return false;
    FILE *file = fopen(path, "re");
    bool found = file && fgets(text, sizeof text, file);
    if (file) fclose(file);
    *first = (double)strtoll(text, &end, 10);
    *second = (double)strtoll(end, NULL, 10);
    return found && end != text;
}

/* Version 2 has the time and the period in one file. A quota of -1 is no limit in version 1. */
static double quota_of(const char *folder)
{
    double time = 0, period = 0, none;
    if (!read_numbers(folder, "cpu.max", &time, &period) &&
        read_numbers(folder, "cpu.cfs_quota_us", &time, &none))
        read_numbers(folder, "cpu.cfs_period_us", &period, &none);
    return time > 0 && period > 0 ? time / period : INFINITY;
}

/* The least quota of the group and of all above it. */
static double least_quota(const char *mounted, const char *group)
{
    char folder[LB_OS_PATH];
    size_t root = strlen(mounted);
    if (snprintf(folder, sizeof folder, "%s%s", mounted, group) >= LB_OS_PATH) return INFINITY;
    double least = INFINITY;
    for (;;) {
        least = fmin(least, quota_of(folder));
        char *slash = strrchr(folder + root, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

/* Whether a list of controllers, "cpu,cpuacct", has the one for processors. */
static bool has_cpu(const char *controllers)
{
    for (const char *at = controllers; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == '\0' || at[3] == ',')) return true;
    return false;
}

/* A line "4:cpu,cpuacct:/group", or "0::/group" of version 2. */
static double quota_of_line(char *line, const char *mounted)
{
    char path[LB_OS_PATH];
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return INFINITY;
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0') return least_quota(mounted, group);
    if (!has_cpu(controllers) || snprintf(path, sizeof path, "%s/%s", mounted, controllers) >= LB_OS_PATH)
        return INFINITY;
    return least_quota(path, group);
}

double lb_os_granted_processors(const char *groups, const char *mounted)
{
    char line[LB_OS_PATH];
    double least = INFINITY;
    if (!mounted) mounted = "/sys/fs/cgroup";
    FILE *file = fopen(groups ? groups : "/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) least = fmin(least, quota_of_line(line, mounted));
    if (file) fclose(file);
    return least;
}
