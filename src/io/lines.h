/* Lines of text from a file descriptor, as they arrive. Unlike stdio this tells "no line yet" from "no line any more",
 * so that a program can take many lines at once from a file and still answer each line that is typed. */
#ifndef LB_LINES_H
#define LB_LINES_H

#include "lookback/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One line, without its end, "\n" or "\r\n". */
typedef struct lb_line {
    const char *text; /* not a string: it may contain any byte, and ends after `length` of them */
    size_t length;
    int64_t number; /* 1 is the first */
    int64_t offset; /* of its first byte, from where reading began */
    bool crlf;      /* a "\r" stood before its end */
    bool cut;       /* it was longer than the reader takes; this is how it begins */
} lb_line;

typedef struct lb_lines {
    int descriptor;
    const char *name; /* for messages */
    char *buffer;     /* [capacity]; the bytes from `begin` to `end` are not used yet */
    size_t capacity, begin, end;
    size_t searched; /* the bytes before this one contain no end of a line */
    int64_t number;
    int64_t base; /* bytes that came before the buffer's first */
    bool at_end;
    bool skipping; /* the rest of a line that was cut comes first */
} lb_lines;

typedef enum lb_lines_result {
    LB_LINES_ONE,    /* here is a line */
    LB_LINES_NONE,   /* there will be no more */
    LB_LINES_LATER,  /* the next one has not arrived */
    LB_LINES_FAILED, /* see the error */
} lb_lines_result;

/** Begins to read lines of at most `longest` bytes. `name` is what messages call the file.
 *  Memory: a little more than `longest` bytes, however much is read; freed by lb_lines_close.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lines_open(lb_lines *lines, int descriptor, const char *name, size_t longest,
                                    lb_error *error);

/** The next line; its text stays until the next call. What stands behind the last end of a line counts as a line.
 *  What is left of a line that was cut is skipped by the next call, however long it is.
 *  Wait:   true waits until a line has arrived, false takes only what can be read without waiting.
 *  Errors: LB_ERROR_OPEN if reading fails. */
LB_MUST_USE lb_lines_result lb_lines_next(lb_lines *lines, bool wait, lb_line *line, lb_error *error);

/** Frees the buffer; the descriptor stays open. */
void lb_lines_close(lb_lines *lines);

#endif
