/* The record of a benchmark: an array of JSON objects, one per run of a program. Each has the output of the program,
 *     and part     "training", "decoding", "length", "hidden", "start", "bits", "scaling" or "until"
 *     case     within the part, such as "small"
 *     by       "lookback", "floor", "ranks", "pytorch" or "pytorch compiled"
 *     seconds  from the start of the program to its end */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <cJSON.h>

/** Which runs. */
typedef struct bench_key {
    const char *part, *name; /* name: of the case */
    const char *by;
    int threads; /* 0: any number */
} bench_key;

/** The cases of the parts "length" and "hidden"; ends with NULL. */
extern const char *const bench_lengths[], *const bench_hiddens[];

/** Adds a run, which the record then owns. */
void bench_record_add(cJSON *record, cJSON *run, bench_key key, double seconds);

/** The median of a field over the runs of a key; NaN if there are none. */
double bench_record_median(const cJSON *record, bench_key key, const char *field);

/** The same for a program at its best: the least of the medians with 1 and 2 threads (or those of the key), including
 *  compiled "pytorch". */
double bench_record_best(const cJSON *record, bench_key key, const char *field);

/** How many runs of a key differ from the first one in a text field; NaN if there are none. */
double bench_record_differing(const cJSON *record, bench_key key, const char *field);

#endif
