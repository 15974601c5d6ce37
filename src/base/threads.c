#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#    include <omp.h>
#    include <pthread.h>
#endif

/* ---- The processors that this process may use. ---- */

enum { PATH = 4096 };

/* The two whole numbers of a file, the second 0 if it has one only; false without a number at its start, such as
 * "max". */
static bool read_numbers(const char *folder, const char *name, double *first, double *second)
{
    char path[PATH], text[128] = "", *end = text;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH) return false;
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
    char folder[PATH];
    size_t root = strlen(mounted);
    if (snprintf(folder, sizeof folder, "%s%s", mounted, group) >= PATH) return INFINITY;
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
    char path[PATH];
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return INFINITY;
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0') return least_quota(mounted, group);
    if (!has_cpu(controllers) || snprintf(path, sizeof path, "%s/%s", mounted, controllers) >= PATH)
        return INFINITY;
    return least_quota(path, group);
}

double lb_granted_processors(const char *groups, const char *mounted)
{
    char line[PATH];
    double least = INFINITY;
    FILE *file = fopen(groups, "re");
    while (file && fgets(line, sizeof line, file)) least = fmin(least, quota_of_line(line, mounted));
    if (file) fclose(file);
    return least;
}

int lb_processors(void)
{
#ifdef _OPENMP
    int set = omp_get_num_procs();
#else
    int set = 1;
#endif
    double granted = ceil(lb_granted_processors("/proc/self/cgroup", "/sys/fs/cgroup"));
    return granted < set ? (int)fmax(granted, 1) : set;
}

/* ---- Threads. ---- */

#ifdef _OPENMP

enum { MOST_THREADS = 1024 };

/* What the user asks of all programs with OpenMP: "4", or "4,2" for nested ones. The runtime has forgotten it once a
 * number was set. */
static int wanted(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= MOST_THREADS ? (int)number : 0;
}

void lb_use_threads(int threads)
{
    if (threads <= 0) threads = wanted();
    omp_set_num_threads(threads > 0 ? threads : lb_processors());
}

int lb_threads(void)
{
    return omp_get_max_threads();
}

bool lb_in_parallel(void)
{
    return omp_in_parallel();
}

/* GCC's runtime keeps the threads of a parallel region for the next one. A child of fork has none of them, and would
 * wait for them for ever, so they end before: parent and child start new ones. Clang's runtime does this itself. */
#    ifndef __clang__
static void end_threads(void)
{
    (void)omp_pause_resource_all(omp_pause_hard);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(end_threads, NULL, NULL);
}
#    endif

#else

void lb_use_threads(int threads)
{
    (void)threads;
}

int lb_threads(void)
{
    return 1;
}

bool lb_in_parallel(void)
{
    return false;
}

#endif

static _Thread_local bool chosen;

void lb_set_threads(int threads)
{
    chosen = threads > 0;
    lb_use_threads(threads);
}

bool lb_threads_are_chosen(void)
{
    return chosen;
}

int64_t lb_chunk_for_threads(int64_t count, int64_t least, int64_t most)
{
    assert(count >= 0 && least > 0);
    int64_t threads = lb_threads(), chunk = (count + threads * least - 1) / (threads * least) * least;
    return chunk < least ? least : chunk < most ? chunk : most;
}
