/* Other programs, run to be measured. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <cJSON.h>
#include <stdbool.h>

/** What became of a program. */
typedef struct bench_child {
    bool done;      /* it ended by itself, with status 0 */
    char *output;   /* what it wrote on standard output; NULL if it could not be read; to be freed */
    double seconds; /* from its start to its end */
} bench_child;

/** Runs a program to its end, or until it has taken ten minutes. Nothing in its environment steers BLAS or threads.
 *  `quiet` hides what it says on standard error. */
bench_child bench_run(const char *const argv[], bool quiet);

/** The JSON object in the last line of a text, to be freed with cJSON_Delete; NULL if there is none. */
cJSON *bench_last_json(const char *text);

#endif
