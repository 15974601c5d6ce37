/* Status codes and errors. Nothing in the library prints, aborts or exits: what fails says so through these. */
#ifndef LB_STATUS_H
#define LB_STATUS_H

#if defined(__GNUC__)
#    define LB_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#    define LB_MUST_USE                    __attribute__((warn_unused_result))
#else
#    define LB_PRINTF(format_index, first)
#    define LB_MUST_USE
#endif

/* name, what it means, exit status of a program that stops because of it (after sysexits.h) */
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
    X(LB_ERROR_GRADIENT, "analytic and numeric gradient differ", 1)

typedef enum lb_status {
#define LB_STATUS_NAME(name, text, exit_status) name,
    LB_STATUS_LIST(LB_STATUS_NAME)
#undef LB_STATUS_NAME
} lb_status;

enum { LB_ERROR_LENGTH = 512 };

/** The first thing that went wrong. Start from `lb_error error = {0};`. */
typedef struct lb_error {
    lb_status status;
    char message[LB_ERROR_LENGTH];
} lb_error;

/** Records a failure and returns its status. The first failure stays: a later one changes nothing.
 *  `error` may be NULL, then only the status is returned. */
lb_status lb_error_set(lb_error *error, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** What a status means, in a few words of English; "unknown status" of a number that is none. */
const char *lb_status_text(lb_status status);

/** The status with which a program exits when it stops because of this: 0, 1, 2, 65, 66, 74 or 75; 1 for a number that is
 *  none. */
int lb_status_exit(lb_status status);

#endif
