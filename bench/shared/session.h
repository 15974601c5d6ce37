/* Measuring one thing after the other, into a record. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "common/output.h"
#include "common/progress.h"
#include "shared/record.h"

#include <stdbool.h>

enum { BENCH_FLAGS = 8 };

/** What is measured. */
typedef struct bench_case {
    const char *part, *name;
    const char *const *by;          /* by whom it is compared, as in bench_measure; NULL behind the last */
    const char *flags[BENCH_FLAGS]; /* for whichever program measures it; NULL behind the last */
} bench_case;

typedef struct bench_session {
    const char *out;     /* a folder that can be written to */
    const char *seconds; /* of each measurement */
    const char *python;  /* NULL: PyTorch is not there */
    bool compiles;       /* PyTorch can compile a model */
    char bin[APP_PATH];  /* the folder of our programs */
    cJSON *runs;         /* the record */
    bool planning;       /* only count what there is to do */
    int total, done;
    app_progress progress;
} bench_session;

/** Finds our programs, and a Python that has PyTorch: `python`, or if that is NULL one of the usual ones. */
void bench_session_open(bench_session *session, const char *python);

/** Lets one program measure a case: bench_train, bench_decode, bench_floor, torch_sort.py or torch_decode.py. `by` is
 *  "lookback", "floor", "products" (bench_floor, by OpenBLAS or by our kernel), "pytorch" or "pytorch compiled". Notes and
 *  leaves out what fails. */
void bench_measure(bench_session *session, const bench_case *what, const char *by, int threads);

/** Lets the case be measured by all that it names and that are there, one after the other. */
void bench_compare(bench_session *session, const bench_case *what, int threads);

/** Seconds until train_sort without flags sorts 99 lists of 100, and until PyTorch does so from the same start. */
void bench_until_target(bench_session *session);

#endif
