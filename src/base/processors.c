#include "base/processors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#    include <omp.h>
#endif

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
