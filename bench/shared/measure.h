/* Shared by the programs in bench/: timing, counting, and the JSON object that each of them prints. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** How long to measure. */
typedef struct bench_effort {
    int warm_up;    /* runs before the clock starts; two are enough if they take longer than `seconds` */
    int runs;       /* at most */
    double seconds; /* no new run after this time; 0: all runs */
} bench_effort;

/** Rows of a table of options that set an effort. */
#define BENCH_EFFORT_OPTIONS(effort, what)                                                                   \
    APP_INT(0, "steps", "N", &(effort).runs, 1, 1000000, what " that are timed, at most"),                   \
        APP_NUMBER(0, "seconds", "S", &(effort).seconds, 0, 3600, "no new ones after that time; 0: all"),    \
        APP_INT(0, "warm-up", "N", &(effort).warm_up, 0, 1000, what " before the clock starts")

/** The result of a measurement. */
typedef struct bench_timing {
    int runs;
    double median, mean, least; /* seconds of a run */
    double allocations;         /* of the library, per timed run */
} bench_timing;

/** Starts counting the allocations of the library. Call it before any other function of the library. */
void bench_count_allocations(void);

/** Times run(context, 0), run(context, 1), ... */
bench_timing bench_time(bench_effort effort, void (*run)(void *context, int index), void *context);

/** The median, which sorts the values; NaN if there are none. */
double bench_median(double *values, size_t count);

/** Seconds of a monotonic clock. */
double bench_now(void);

/** Adds a number, rounded to six digits; null if it is not finite. */
void bench_add(cJSON *object, const char *name, double value);

/** Adds facts about the process, prints the object as one line on standard output, and frees it. */
void bench_print(cJSON *object);

#endif
