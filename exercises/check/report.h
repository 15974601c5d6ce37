/* How an answer is checked. A check calls the reader's function with several inputs and compares its results with those
 * of the library. It stops at the first difference, which is printed, and may then give a hint. */
#ifndef REPORT_H
#define REPORT_H

#include <lookback/lookback.h>

#include <stdbool.h>

/** One of the two functions of an exercise. */
typedef struct check_part {
    const char *verb; /* "write" or "mend" */
    const char *function;
    void (*check)(void);
} check_part;

typedef struct check_exercise {
    int number;
    const char *name; /* "masking" */
    const char *file; /* "exercises/03_masking.c" */
    check_part parts[2];
} check_exercise;

/** Each check/NN_NAME.c defines its own. */
extern const check_exercise exercise;

/** What is known about a part; the exit status of the process that checks it. */
typedef enum report_verdict { REPORT_RIGHT, REPORT_UNTOUCHED, REPORT_WRONG } report_verdict;

/* ---- Inputs ---- */

enum { REPORT_ROOM = 256 };

/** Room for the output of the reader's function, up to REPORT_ROOM numbers. It is marked as not written, and so is what
 *  follows it. Valid until the next call. */
double *report_room(void);
int *report_int_room(void);

/** Fills an array with numbers between -1.5 and 1.5, the same ones in each run. */
void report_random(double *values, int count);
lb_tensor *report_random_tensor(lb_tape *tape, lb_shape shape);

/** A tensor with these values, and the values of a tensor; NULL if it has none. */
lb_tensor *report_tensor(lb_tape *tape, lb_shape shape, const double *values);

/** "1 2.5 3" in a buffer that a later call uses again. */
const char *report_list(const double *values, int count);
const char *report_int_list(const int *values, int count);

/* ---- Comparing. True if they are the same. A difference is printed, with the input. ---- */

/** Describes the next input, for the reader. */
void report_asked(const char *format, ...) LB_PRINTF(1, 2);

/** `found` is the room of this input. */
bool report_same(const double *found, const double *expected, int rows, int columns);
bool report_same_ints(const int *found, const int *expected, int count);
bool report_same_number(double found, double expected);
bool report_same_tensor(lb_tensor *found, lb_tensor *expected);

/* ---- Hints, after a difference ---- */

/** Whether a wrong answer is this known one. */
bool report_is(const double *found, const double *known, int count);
bool report_is_tensor(lb_tensor *found, lb_tensor *known);

/** Prints a hint, the first one only, unless the function is not written yet. */
void report_hint(const char *format, ...) LB_PRINTF(1, 2);

report_verdict report_end(void);

#endif
