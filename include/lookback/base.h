/* The foundation of all other headers: version, errors, memory, threads, processes and random numbers. */
#ifndef LOOKBACK_BASE_H
#define LOOKBACK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef LB_REAL_IS_DOUBLE
/* The functions of the double library have different names, so that one program can use both libraries. */
#    include "lookback/f64_names.h"
#endif

/* Declarations between these two belong to the library: C linkage, and visible outside a shared library. */
#ifdef __cplusplus
#    define LB_EXTERN_C_BEGIN extern "C" {
#    define LB_EXTERN_C_END   }
#else
#    define LB_EXTERN_C_BEGIN
#    define LB_EXTERN_C_END
#endif
#ifdef __GNUC__
#    define LB_BEGIN_DECLS LB_EXTERN_C_BEGIN _Pragma("GCC visibility push(default)")
#    define LB_END_DECLS   _Pragma("GCC visibility pop") LB_EXTERN_C_END
#else
#    define LB_BEGIN_DECLS LB_EXTERN_C_BEGIN
#    define LB_END_DECLS   LB_EXTERN_C_END
#endif

/** The number type: float in lookback; double in lookback_f64, whose programs define LB_REAL_IS_DOUBLE. */
#ifdef LB_REAL_IS_DOUBLE
typedef double lb_real;
#else
typedef float lb_real;
#endif

LB_BEGIN_DECLS

/* ---- Version ---- */

/* The version of these headers. The build reads it here. */
/** Raised by a change that breaks programs. */
#define LB_VERSION_MAJOR 0
/** Raised by an addition. Before 1.0, it may also break programs. */
#define LB_VERSION_MINOR 3
/** Raised by a fix. */
#define LB_VERSION_PATCH 0

/** The version of the library at run time, such as "0.3.0". Static memory. */
const char *lb_version(void);

/* ---- Status codes and errors. The library never prints, aborts or exits: it reports failures through these. ---- */

#if defined(__GNUC__)
#    if defined(__MINGW32__) && !defined(__clang__) /* whose printf may be that of Windows */
#        define LB_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#    else
#        define LB_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#    endif
#    define LB_MUST_USE __attribute__((warn_unused_result))
#else
#    define LB_PRINTF(format_index, first)
#    define LB_MUST_USE
#endif

/** Name, meaning, and exit status of a program that stops because of it (as in sysexits.h). */
#define LB_STATUS_LIST(X)                                                                                    \
    X(LB_OK, "no error", 0)                                                                                  \
    X(LB_ERROR_SHAPE, "shapes do not match", 1)                                                              \
    X(LB_ERROR_ARGUMENT, "invalid argument", 2)                                                              \
    X(LB_ERROR_INDEX, "index out of range", 65)                                                              \
    X(LB_ERROR_MEMORY, "out of memory", 1)                                                                   \
    X(LB_ERROR_FORMAT, "bad data", 65)                                                                       \
    X(LB_ERROR_OPEN, "cannot read", 66)                                                                      \
    X(LB_ERROR_WRITE, "cannot write", 74)                                                                    \
    X(LB_ERROR_DIVERGED, "training diverged", 75)                                                            \
    X(LB_ERROR_GRADIENT, "analytic and numeric gradient differ", 1)                                          \
    X(LB_ERROR_INTERRUPTED, "interrupted", 130)                                                              \
    X(LB_ERROR_BUSY, "in use by another process", 75)

/** The result of a call. LB_OK is 0; LB_STATUS_LIST has them all. */
typedef enum lb_status {
#define LB_STATUS_NAME(name, text, exit_status) name,
    LB_STATUS_LIST(LB_STATUS_NAME)
#undef LB_STATUS_NAME
} lb_status;

enum { LB_MESSAGE_LENGTH = 512 };

/** The first error. Start from `lb_error error = {0};`, in C++ from `lb_error error = {};`. */
typedef struct lb_error {
    lb_status status;
    char message[LB_MESSAGE_LENGTH];
} lb_error;

/** Records an error and returns its status. The first error is kept: later ones change nothing.
 *  If `error` is NULL, only the status is returned. */
lb_status lb_error_set(lb_error *error, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** The meaning of a status in a few words of English; "unknown status" for any other number. */
const char *lb_status_text(lb_status status);

/** The exit status of a program that stops because of this status: 0, 1, 2, 65, 66, 74, 75 or 130; 1 for any
 *  other number. */
int lb_status_exit(lb_status status);

/* ---- Memory. Every allocation of the library goes through an lb_allocator, so that a program can count allocations
 * or make the n-th one fail. ---- */

/** Both functions behave like malloc and free. */
typedef struct lb_allocator {
    void *(*allocate)(size_t bytes); /* returns NULL if there is no memory */
    void (*release)(void *memory);   /* takes a result of `allocate`, or NULL */
} lb_allocator;

/** Sets the allocator of the whole process; NULL restores the default. Call it before any other function of the
 *  library: memory must be released by the allocator that allocated it. Not thread-safe. */
void lb_set_allocator(const lb_allocator *allocator);

/** `bytes` of memory, or NULL. */
void *lb_alloc(size_t bytes);

/** Releases memory. NULL is allowed. */
void lb_release(void *memory);

/* ---- Threads. Results do not depend on the number of threads, to the last bit. A child of fork may go on computing,
 * also with several threads; but not if it was forked by one of the threads that share the work of a call. ---- */

/** Sets the number of threads for future work of the calling thread. 0 or less means OMP_NUM_THREADS, or without it one
 *  for each processor that the process may use, by its CPU set and the quota of its control group. Until a number is
 *  set, trainings measure how many of these threads make their steps fastest: see lb_train. */
void lb_set_threads(int threads);

/** The number of threads in use; 1 in a build without OpenMP. */
int lb_threads(void);

/* ---- Processes. ---- */

/** The processes that train one model together, such as the ranks of MPI. Everyone calls lb_train with the same
 *  configuration and the same parameters, and gets the same weights. */
typedef struct lb_group {
    void *context; /* passed to the functions */
    int rank;      /* of this process: 0 to size - 1. Process 0 writes the files */
    int size;      /* a power of two, to train one model together */
    char name[96]; /* of this process in messages: "rank 3 on node7" */
    /* Sends bytes to `partner` and receives bytes from it, which does the same. */
    lb_status (*exchange)(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                          size_t receive_bytes, lb_error *error);
} lb_group;

/** The most parts of a batch. */
enum { LB_MOST_SHARDS = 1024 };

/* ---- Random numbers. A key and a position determine the bits, and nothing else does. There is no generator state that
 * a thread could change or a checkpoint could lose.
 * Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (Philox4x32-10). ---- */

/** The key of one sequence of random numbers: `stream` is its purpose, `step` its time. */
typedef struct lb_rng {
    uint64_t seed;
    uint32_t stream;
    uint32_t step;
} lb_rng;

/** A number in [0, 1) at position `index`, a multiple of 2^-53. */
double lb_rng_uniform(lb_rng rng, uint64_t index);

/** A number from the standard normal distribution at position `index` (Box and Muller). */
double lb_rng_normal(lb_rng rng, uint64_t index);

/** An integer in [0, bound) at position `index`; bound > 0. Its bias is less than bound / 2^64. */
uint64_t lb_rng_below(lb_rng rng, uint64_t index, uint64_t bound);

/** A stream number computed from a name, so that streams need no central list (FNV-1a). */
uint32_t lb_rng_stream(const char *name);

LB_END_DECLS

#endif
