/* Lines of text from an open file or pipe, as they arrive. Unlike stdio, this distinguishes "no line yet" from "no more
 * lines", so that a program can take many lines at once from a file and still answer each typed line. */
#ifndef LB_LINES_H
#define LB_LINES_H

#include "lookback/base.h"
#include "os/os.h"

/** One line, without its end, "\n" or "\r\n". */
typedef struct lb_line {
    const char *text; /* not a string: it may contain any byte, and ends after `length` of them */
    size_t length;
    int64_t number; /* counted from 1 */
    int64_t offset; /* of its first byte, from the start of reading */
    bool crlf;      /* it ended in "\r\n" */
    bool cut;       /* it was too long; this is its start */
    bool refused;   /* its text is not its own, but what is wrong in it: see lb_pair_file_line */
} lb_line;

typedef struct lb_lines {
    const char *name; /* for messages */
    lb_os_handle handle;
    char *buffer; /* [capacity]; the bytes from `begin` to `end` are not used yet */
    size_t capacity, begin, end;
    size_t limit;    /* of the capacity */
    size_t searched; /* the bytes before this one contain no end of a line */
    int64_t number;
    int64_t base; /* bytes before the first of the buffer */
    bool at_end;
    bool skipping;  /* the rest of a cut line comes first */
    size_t skipped; /* bytes of it so far */
    size_t most;    /* bytes that are read; 0: any number */
} lb_lines;

typedef enum lb_lines_result {
    LB_LINES_ONE,    /* a line was read */
    LB_LINES_NONE,   /* there are no more lines */
    LB_LINES_LATER,  /* the next line has not arrived yet */
    LB_LINES_FAILED, /* see the error */
} lb_lines_result;

/** Whether there is nothing but blanks and tabs in a line. */
static inline bool lb_line_is_blank(const lb_line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] != ' ' && line->text[i] != '\t') return false;
    return !line->cut;
}

/** Starts reading lines of at most `longest` bytes. `name` is the name of the file in messages.
 *  Memory: what the longest line so far needs, at most a little more than `longest` bytes; free it with lb_lines_close.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lines_open(lb_lines *lines, lb_os_handle handle, const char *name, size_t longest,
                                    lb_error *error);

/** The most bytes that are read of a pipe or a device whose lines are kept: each takes some memory of its own. */
enum { LB_LINES_KEPT = 1 << 25 };

/** For who keeps all lines. A regular file has its own end, unless it is the copy of a pipe, `piped`; anything else is
 *  read up to LB_LINES_KEPT bytes. */
void lb_lines_keep(lb_lines *lines, bool piped);

/** The next line; its text is valid until the next call. Text after the last line end counts as a line. The next call
 *  skips the rest of a cut line, unless that has more than LB_FILE_STREAM bytes.
 *  Wait:   true waits until a line has arrived; false only takes what can be read without waiting.
 *  Errors: LB_ERROR_OPEN if reading fails, LB_ERROR_FORMAT if there is no end, LB_ERROR_MEMORY. */
LB_MUST_USE lb_lines_result lb_lines_next(lb_lines *lines, bool wait, lb_line *line, lb_error *error);

/** Frees the buffer; the handle stays open. */
void lb_lines_close(lb_lines *lines);

#endif
