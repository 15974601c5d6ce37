/* The record of a benchmark: an array of JSON objects, one per run of a program. Each has the output of the program,
 * and
 *     part     "training", "decoding", "length", "hidden", "start", "peak", "bits", "scaling", "cost", "exchange",
 *              "busy", "long", "vocabulary" or "until"
 *     case     within the part, such as "small"
 *     by       "lookback", "chosen" (Lookback, which chooses its number of threads), "floor", "ranks", "pytorch" or
 *              "pytorch compiled"; of an exchange "memory" or "tcp"
 *     seconds  from the start of the program to its end */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <cJSON.h>
#include <lookback/base.h>
#include <stdbool.h>

/** Which runs. */
typedef struct bench_key {
    const char *part, *name; /* name: of the case */
    const char *by;
    int threads; /* 0: any number */
} bench_key;

/** The cases of the parts "length" and "hidden"; ends with NULL. */
extern const char *const bench_lengths[], *const bench_hiddens[];

/** The parts "cost" and "exchange": models, pairs of a step, and numbers that two ranks exchange, few and many. */
typedef struct bench_sized {
    const char *name, *embed, *hidden;
} bench_sized;
extern const bench_sized bench_models[];                            /* ends with a NULL name */
extern const char *const bench_batches[], *const bench_exchanges[]; /* end with NULL */
enum { BENCH_MOST = 8, BENCH_NAME = 64 };

/** The name of a case of the part "cost", in `name` [BENCH_NAME], which it returns. */
const char *bench_cost_name(const char *model, const char *batch, char *name);

/** The part "busy": models, how many seconds they train, many times what the first comparison of threads takes, and
 *  busy processes beside them. */
typedef struct bench_crowded_model {
    const char *name, *seconds;
} bench_crowded_model;
extern const bench_crowded_model bench_crowded[]; /* ends with a NULL name */
enum { BENCH_CROWDS = 3, BENCH_MOST_THREADS = 64 };
extern const int bench_crowds[BENCH_CROWDS];

/** The name of a case of the part "busy", in `name` [BENCH_NAME], which it returns. */
const char *bench_busy_name(const char *model, int others, char *name);

/** Reads bench.json; delete it with cJSON_Delete. NULL after an error. Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT if it has
 *  no runs; LB_ERROR_MEMORY. */
cJSON *bench_record_open(const char *path, lb_error *error);

/** Adds a run, which the record then owns. */
void bench_record_add(cJSON *record, cJSON *run, bench_key key, double seconds);

/** Whether there are runs of a part. */
bool bench_record_has(const cJSON *record, const char *part);

/** The median of a field over the runs of a key; NaN if there are none. */
double bench_record_median(const cJSON *record, bench_key key, const char *field);

/** The least of a field over the runs of a key; NaN if there are none. */
double bench_record_fastest(const cJSON *record, bench_key key, const char *field);

/** The median for a program at its best: the least of the medians with 1 and 2 threads (or those of the key), including
 *  compiled "pytorch". */
double bench_record_best(const cJSON *record, bench_key key, const char *field);

/** How many runs of a key differ from the first one in a text field; NaN if there are none. */
double bench_record_differing(const cJSON *record, bench_key key, const char *field);

#endif
