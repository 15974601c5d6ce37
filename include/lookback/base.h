/* What everything else stands on: version, errors, memory, threads and random numbers. */
#ifndef LOOKBACK_BASE_H
#define LOOKBACK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef LB_REAL_IS_DOUBLE
/* Functions of the double library have names of their own: one program can use both libraries. */
#    include "lookback/f64_names.h"
#endif

/* What stands between these two is the library's: linked as C, and visible outside of a shared library. */
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

LB_BEGIN_DECLS

/* ---- Version ---- */

/* The version of these headers. The build reads it here. */
/** Rises where programs have to be changed. */
#define LB_VERSION_MAJOR 0
/** Rises where something was added; before 1.0 programs may have to be changed then, too. */
#define LB_VERSION_MINOR 2
/** Rises where something was mended. */
#define LB_VERSION_PATCH 0

/** The version of the library that the program runs with, such as "0.2.0". Static memory. */
const char *lb_version(void);

/* ---- Status codes and errors. Nothing in the library prints, aborts or exits: what fails says so through these.
 * ---- */

#if defined(__GNUC__)
#    define LB_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#    define LB_MUST_USE                    __attribute__((warn_unused_result))
#else
#    define LB_PRINTF(format_index, first)
#    define LB_MUST_USE
#endif

/** Name, what it means, exit status of a program that stops because of it (after sysexits.h) */
#define LB_STATUS_LIST(X)                                                                                    \
    X(LB_OK, "no error", 0)                                                                                  \
    X(LB_ERROR_SHAPE, "shapes do not fit", 1)                                                                \
    X(LB_ERROR_ARGUMENT, "impossible argument", 2)                                                           \
    X(LB_ERROR_INDEX, "index out of range", 65)                                                              \
    X(LB_ERROR_MEMORY, "out of memory", 1)                                                                   \
    X(LB_ERROR_FORMAT, "bad data", 65)                                                                       \
    X(LB_ERROR_OPEN, "cannot read", 66)                                                                      \
    X(LB_ERROR_WRITE, "cannot write", 74)                                                                    \
    X(LB_ERROR_DIVERGED, "training diverged", 75)                                                            \
    X(LB_ERROR_GRADIENT, "analytic and numeric gradient differ", 1)                                          \
    X(LB_ERROR_INTERRUPTED, "interrupted", 130)

/** What became of a call. LB_OK is 0; LB_STATUS_LIST names them all. */
typedef enum lb_status {
#define LB_STATUS_NAME(name, text, exit_status) name,
    LB_STATUS_LIST(LB_STATUS_NAME)
#undef LB_STATUS_NAME
} lb_status;

enum { LB_ERROR_LENGTH = 512 };

/** The first thing that went wrong. Start from `lb_error error = {0};`, in C++ from `lb_error error = {};`. */
typedef struct lb_error {
    lb_status status;
    char message[LB_ERROR_LENGTH];
} lb_error;

/** Records a failure and returns its status. The first failure stays: a later one changes nothing.
 *  `error` may be NULL, then only the status is returned. */
lb_status lb_error_set(lb_error *error, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** What a status means, in a few words of English; "unknown status" of a number that is none. */
const char *lb_status_text(lb_status status);

/** The status with which a program exits when it stops because of this: 0, 1, 2, 65, 66, 74, 75 or 130; 1 for a number
 *  that is none. */
int lb_status_exit(lb_status status);

/* ---- Where memory comes from. Every allocation of the library passes here, so that a program can count them,
 * or make the n-th one fail. ---- */

/** Both functions behave as malloc and free do. */
typedef struct lb_allocator {
    void *(*allocate)(size_t bytes); /* NULL if there is none */
    void (*release)(void *memory);   /* what `allocate` gave, or NULL */
} lb_allocator;

/** malloc and free, but blocks of 2 MB and more lie on large pages where the system has them. For allocators that count
 *  or refuse, and otherwise leave things as they are. */
extern const lb_allocator lb_default_allocator;

/** Sets the allocator for the whole process; NULL restores the default one. To be called before anything else
 *  of the library: memory must go back to where it came from. Not thread-safe. */
void lb_set_allocator(const lb_allocator *allocator);

/** `bytes` of memory, or NULL. */
void *lb_alloc(size_t bytes);

/** Gives memory back. NULL is allowed. */
void lb_release(void *memory);

/* ---- How many threads the library computes with. Results do not depend on it, to the last bit. ---- */

/** Sets the number of threads for the calling thread's future work; 0 or less means one per processor. */
void lb_set_threads(int threads);

/** The number of threads in use; 1 in a build without OpenMP. */
int lb_threads(void);

/* ---- Randomness as a function: a key and a position give the bits, and nothing else does. No generator has a state
 * that a thread could change or a checkpoint could forget.
 * Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (Philox4x32-10). ---- */

/** Names one sequence of random numbers: what it is for (`stream`) and when (`step`). */
typedef struct lb_rng {
    uint64_t seed;
    uint32_t stream;
    uint32_t step;
} lb_rng;

/** 128 random bits at position `index` of the sequence. */
typedef struct lb_rng_block {
    uint32_t word[4];
} lb_rng_block;

/** The bits at position `index` of the sequence, which the numbers below are made of. */
lb_rng_block lb_rng_bits(lb_rng rng, uint64_t index);

/** A number in [0, 1) at position `index`, a multiple of 2^-53. */
double lb_rng_uniform(lb_rng rng, uint64_t index);

/** A number of the standard normal distribution at position `index` (Box and Muller). */
double lb_rng_normal(lb_rng rng, uint64_t index);

/** A whole number in [0, bound) at position `index`; bound > 0. Its bias is less than bound / 2^64. */
uint64_t lb_rng_below(lb_rng rng, uint64_t index, uint64_t bound);

/** A stream number made from a name, so that streams need no central list (FNV-1a). */
uint32_t lb_rng_stream(const char *name);

LB_END_DECLS

#endif
