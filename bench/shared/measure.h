/* What the programs in bench/ share: how they time and count, and the one JSON object that each of them prints. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** How long to measure. */
typedef struct bench_effort {
    int warm_up;    /* runs before the clock starts; two are enough where they take longer than `seconds` */
    int runs;       /* at most */
    double seconds; /* no new run after that; 0: all runs */
} bench_effort;

/** Rows of a table of options that set an effort. */
#define BENCH_EFFORT_OPTIONS(effort, what)                                                                   \
    APP_INT(0, "steps", "N", &(effort).runs, 1, 1000000, what " that are timed, at most"),                   \
        APP_NUMBER(0, "seconds", "S", &(effort).seconds, 0, 3600, "no new ones after that time; 0: all"),    \
        APP_INT(0, "warm-up", "N", &(effort).warm_up, 0, 1000, what " before the clock starts")

/** What came of it. */
typedef struct bench_timing {
    int runs;
    double median, least; /* seconds of a run */
    double allocations;   /* of the library, for each timed run */
} bench_timing;

/** Lets the library's allocations be counted. To be called before anything else of the library. */
void bench_count_allocations(void);

/** Times run(context, 0), run(context, 1), ... */
bench_timing bench_time(bench_effort effort, void (*run)(void *context, int index), void *context);

/** The median, which sorts the values; NaN if there are none. */
double bench_median(double *values, size_t count);

/** Seconds of a clock that only grows. */
double bench_now(void);

/** Adds a number, rounded to six digits; null for what is not finite. */
void bench_add(cJSON *object, const char *name, double value);

/** Adds what is known of the process, prints the object as one line on standard output, and frees it. */
void bench_print(cJSON *object);

#endif
