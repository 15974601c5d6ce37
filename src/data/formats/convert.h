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
    int64_t asides, unknown;       /* words that other lines have, too, and those with "_" for a text */
    int64_t weighed;               /* lines with a weight */
    int64_t names;                 /* the line with the names of the columns; 0: there is none */
    int64_t long_fields;           /* quoted fields that go over several lines */
    int64_t long_first, long_last; /* the lines of the first of them */
    bool marked;                   /* the file begins with a byte order mark */
} lb_converted;

/** What to convert. */
typedef struct lb_conversion {
    const char *name, *targets_name; /* in messages */
    int from, targets;               /* descriptors at the first byte; -1: there are no targets apart */
    int to;
    size_t
        most; /* bytes that are written, usually LB_COPY_MOST: a weight repeats a line up to a million times */
    lb_pair_kind *kind;
    bool header;           /* leave out the first line that is neither blank nor a comment */
    int32_t weight_column; /* 0: none */
    /* Whose columns are read: of several right answers, only the first line has the others. NULL: all are. */
    const lb_pair_format *format;
    lb_converted *met;
} lb_conversion;

/** A conversion line by line: zero but for `asked`, whose descriptors do not count. Memory: free it with
 *  lb_converter_free. */
typedef struct lb_converter {
    lb_conversion asked;
    lb_fields fields;
    lb_buffer record; /* the lines of one whose quoted field is open */
    int64_t first;    /* number of the first line of the record */
    int64_t opened;   /* that of the line in which its open field begins */
    int columns;      /* of the last record; 0: there was none */
    lb_buffer out;    /* the converted lines; the caller takes them away */
    size_t room;      /* for bytes of a copy */
    lb_error *error;
} lb_converter;

/** Adds what a line becomes: none, one or several. Errors: as lb_convert. */
LB_MUST_USE lb_status lb_converter_take(lb_converter *c, lb_line *line, lb_error *error);

/** Ends a record that is open behind the last line. Errors: as lb_convert. */
LB_MUST_USE lb_status lb_converter_end(lb_converter *c, lb_error *error);

void lb_converter_free(lb_converter *c);

/** Converts all lines. One that is not of its format stays as it is: whoever reads it will say so.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT for a weight that is none, a quoted field without an end, or over several
 *          lines with text behind it, more sources than targets or fewer, or more than `most` bytes;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_convert(const lb_conversion *asked, lb_error *error);

#endif
