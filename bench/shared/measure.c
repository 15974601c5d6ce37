#include "shared/measure.h"
#include "base/alloc.h"

#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static long allocations;

static void *counting_malloc(size_t bytes)
{
    allocations++;
    return lb_default_allocator.allocate(bytes);
}

void bench_count_allocations(void)
{
    lb_set_allocator(&(lb_allocator){counting_malloc, lb_default_allocator.release});
}

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    if (count == 0) return NAN;
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bench_timing bench_time(bench_effort effort, void (*run)(void *context, int index), void *context)
{
    enum { ENOUGH = 2 };
    double *seconds = malloc((size_t)effort.runs * sizeof *seconds);
    if (!seconds) return (bench_timing){.median = NAN, .mean = NAN, .least = NAN};
    double limit = effort.seconds > 0 ? effort.seconds : INFINITY, begin = bench_now();
    int index = 0;
    while (index < effort.warm_up && (index < ENOUGH || bench_now() - begin < limit)) run(context, index++);
    bench_timing timing = {0};
    long before = allocations;
    begin = bench_now();
    for (double start = begin, end; timing.runs < effort.runs && start - begin < limit; start = end) {
        run(context, index++);
        end = bench_now();
        seconds[timing.runs++] = end - start;
    }
    timing.allocations = (double)(allocations - before) / timing.runs;
    timing.mean = (bench_now() - begin) / timing.runs;
    timing.median = bench_median(seconds, (size_t)timing.runs);
    timing.least = timing.runs > 0 ? seconds[0] : (double)NAN;
    free(seconds);
    return timing;
}

void bench_add(cJSON *object, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    cJSON_AddNumberToObject(object, name, strtod(text, NULL));
}

void bench_print(cJSON *object)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    bench_add(object, "threads", lb_threads());
    bench_add(object, "peak_mb", (double)usage.ru_maxrss / 1024);
    cJSON_AddStringToObject(object, "kernel", lb_kernel_name());
    char *text = cJSON_PrintUnformatted(object);
    if (text) puts(text);
    cJSON_free(text);
    cJSON_Delete(object);
}
