/* Takes measurements one after the other, into a record. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "console/console.h"
#include "shared/record.h"

#include <stdbool.h>

enum { BENCH_FLAGS = 12 };

/** A case to measure. */
typedef struct bench_case {
    const char *part, *name;
    const char *const *by;          /* what to compare, as in bench_measure; ends with NULL */
    const char *flags[BENCH_FLAGS]; /* for the program that measures it; ends with NULL */
} bench_case;

typedef struct bench_session {
    const char *out;     /* a writable folder */
    const char *seconds; /* of each measurement */
    const char *python;  /* NULL: PyTorch is not available */
    bool compiles;       /* PyTorch can compile a model */
    char bin[APP_PATH];  /* the folder of our programs */
    cJSON *runs;         /* the record */
    bool planning;       /* only count the measurements */
    int total, done;
    app_progress progress;
} bench_session;

/** Finds our programs, and a Python with PyTorch: `python` or, if that is NULL, one of the usual ones. */
void bench_session_open(bench_session *session, const char *python);

/** Measures a case with one program: bench_train, bench_decode, bench_floor, torch_sort.py or torch_decode.py. `by` is
 *  "lookback", "bfloat16", "chosen" (0 threads), "floor", "products" (bench_floor with OpenBLAS or with our kernel),
 *  "pytorch", "pytorch compiled" or "pytorch autocast". Reports failures and leaves them out. */
void bench_measure(bench_session *session, const bench_case *what, const char *by, int threads);

/** Measures the case with all its programs that are available, one after the other. */
void bench_compare(bench_session *session, const bench_case *what, int threads);

/** Measures bench_train on two ranks of mpirun, with one thread each, as "ranks". */
void bench_measure_ranks(bench_session *session, const bench_case *what);

/** Measures bench_exchange of so many numbers between two ranks, by "memory" or by "tcp", in the part "exchange". */
void bench_measure_exchange(bench_session *session, const char *numbers, const char *by);

/** Seconds until train_sort sorts 99 of 100 lists of 5 to 10 numbers with additive attention, and until PyTorch does so
 *  from the same start. */
void bench_until_target(bench_session *session);

#endif
