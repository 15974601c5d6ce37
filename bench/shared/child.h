/* Running other programs for measurement. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <cJSON.h>
#include <stdbool.h>
#include <sys/types.h>

/** The result of a program. */
typedef struct bench_child {
    bool done;      /* it ended normally, with status 0 */
    char *output;   /* its standard output; NULL if it could not be read; to be freed */
    double seconds; /* from its start to its end */
} bench_child;

/** Runs a program to its end, or for at most ten minutes, with an environment that does not affect BLAS or threads.
 *  `quiet` hides its standard error. */
bench_child bench_run(const char *const argv[], bool quiet);

/** Starts a process that computes for ever, or until this one ends. Negative if it cannot. */
pid_t bench_keep_busy(void);

/** Ends it. */
void bench_end_busy(pid_t id);

/** The JSON object in the last line of a text, to be freed with cJSON_Delete; NULL if there is none. */
cJSON *bench_last_json(const char *text);

#endif
