/* Writes the lines of a file of any format as numbered lines with tabs. */
#ifndef LB_CONVERT_H
#define LB_CONVERT_H

#include "data/formats/pair_kind.h"
#include "io/lines.h"
#include "lookback/data.h"

enum { LB_PAIR_LINE_BYTES = 1 << 20 }; /* maximum bytes of a line, also for lb_lines_open */

/** What was met on the way. */
typedef struct lb_converted {
    int64_t lines; /* with those that are left out */
    int64_t comments, blanks;
    int64_t weighed; /* lines with a weight */
    bool marked;     /* the file begins with a byte order mark */
} lb_converted;

/** What to convert. */
typedef struct lb_conversion {
    const char *name, *targets_name; /* in messages */
    int from, targets;               /* descriptors at the first byte; -1: there are no targets apart */
    int to;
    size_t
        most; /* bytes that are written, usually LB_COPY_MOST: a weight repeats a line up to a million times */
    lb_pair_kind *kind;
    bool header;           /* leave out the first line */
    int32_t weight_column; /* 0: none */
    /* Whose columns are read: of several right answers, only the first line has the others. NULL: all are. */
    const lb_pair_format *format;
    lb_converted *met;
} lb_conversion;

/** Converts all lines. One that is not of its format stays as it is: whoever reads it will say so.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT for a weight that is none, more sources than targets or fewer, or more than
 *          `most` bytes; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_convert(const lb_conversion *asked, lb_error *error);

#endif
