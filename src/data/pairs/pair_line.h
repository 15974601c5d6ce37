/* Lines of files with tabs: one as a pair of texts, in symbols, and those of a file of sources as they arrive. */
#ifndef LB_PAIR_LINE_H
#define LB_PAIR_LINE_H

#include "data/formats/pair_file.h"
#include "data/text/symbols.h"

enum { LB_PAIR_LONGEST = UINT16_MAX };

/* name, description of such lines */
#define LB_BAD_LINE_LIST(X)                                                                                  \
    X(LB_LINE_GOOD, "nothing")                                                                               \
    X(LB_LINE_COLUMNS, "wrong number of columns")                                                            \
    X(LB_LINE_EMPTY, "empty source or target")                                                               \
    X(LB_LINE_UTF8, "not UTF-8")                                                                             \
    X(LB_LINE_ZERO, "zero byte")                                                                             \
    X(LB_LINE_LONG, "too long")                                                                              \
    X(LB_LINE_SYMBOL, "empty or endless symbol")                                                             \
    X(LB_LINE_FORMAT, "not of the format")

typedef enum lb_bad_line {
#define LB_BAD_LINE_NAME(name, text) name,
    LB_BAD_LINE_LIST(LB_BAD_LINE_NAME)
#undef LB_BAD_LINE_NAME
        LB_BAD_LINES
} lb_bad_line;

/** The end of the message about a line with more columns than a pair has, after which a program names its options. */
#define LB_PAIR_LINE_CHOOSE "; choose two of them"

/** The fault of such lines in a few words of English. */
extern const char *const lb_bad_line_texts[LB_BAD_LINES];

/** One split line. Zero before the first; each line reuses the memory of the previous one. */
typedef struct lb_pair_line {
    lb_symbols source, target; /* without a target, it has no symbols */
    double weight;             /* with weights_beside; 0: none */
    lb_bad_line bad;
    int32_t columns; /* required number of columns; 0: unknown before the first line that has enough */
    int32_t usual;   /* lb_first_look.width of the file */
    char *joined;    /* the source, a tab and its features */
    size_t room;
} lb_pair_line;

/** Checks a format. Errors: LB_ERROR_ARGUMENT, with the invalid field; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_format_check(const lb_pair_format *format, lb_error *error);

/** How many columns a line needs at least, by a format that lb_pair_format_check accepts. */
int32_t lb_pair_format_columns(const lb_pair_format *format);

/** Splits the next line of the file `name` by a format that lb_pair_format_check accepts. A byte order mark before line
 *  1 is not part of it. To start another file, set `columns` to 0. A line with the number 0 is not of a file: then
 *  `name` alone says which it is.
 *  Memory: free it with lb_pair_line_free, also after an error.
 *  Errors: LB_ERROR_FORMAT, "NAME:LINE: found X, expected Y", and `bad` is the kind of fault; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_line_read(const lb_pair_format *format, const char *name, const lb_line *line,
                                        lb_pair_line *pair, lb_error *error);

/** Only the source of the next line, unchanged, with a tab and its features if it has any: `length` bytes of UTF-8
 *  without a zero byte, at least one. Otherwise as lb_pair_line_read, but symbols are not checked.
 *  Memory: owned by the line, or by `pair` until it reads another one. */
LB_MUST_USE lb_status lb_pair_line_source(const lb_pair_format *format, const char *name, const lb_line *line,
                                          lb_pair_line *pair, const char **source, size_t *length,
                                          lb_error *error);

void lb_pair_line_free(lb_pair_line *pair);

/* ---- advice.c ---- */

/** Adds to the error of a bad line, or of a file without a good one, what mends it: another format, columns, that the
 *  line can be left out, or what the file seems to be. What is said has been tried on the first lines of the file.
 *  `format` is what the file is read by. Returns the status of the error. */
lb_status lb_pair_advise(const char *name, const lb_pair_file *file, const lb_pair_format *format,
                         lb_error *error);

/* ---- pair_stream.c: the lines of a file of sources as they arrive, as lines with tabs.
 *
 * The answer to one never waits for the next. The first line with a text decides how all are read, of a pipe and of a
 * file alike, and two bytes tell gzip data. ---- */

/** An open file. Zero is a closed one. */
typedef struct lb_pair_stream {
    lb_pair_file file;      /* whose lines are converted if they are numbered */
    lb_pair_format *format; /* of the caller; from the first line with a text on, with what that says */
    lb_pair_format asked;   /* before that */
    lb_lines lines;
    lb_pair_kind kind;
    bool begun;             /* a line has come that says how they are read */
    lb_fields names;        /* of the columns, from a header; those of JSON are in `kind.keys` */
    lb_converter converter; /* of numbered lines */
    size_t taken;           /* bytes of its lines that have been handed out */
} lb_pair_stream;

/** Opens the file `path`; "-" is standard input. Waits for its first bytes, and for the end of gzip data.
 *  Memory: `path` and `format` must outlive the stream; free it with lb_pair_stream_close, also after an error.
 *  Errors: LB_ERROR_OPEN, LB_ERROR_FORMAT for damaged gzip data, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_stream_open(lb_pair_stream *stream, const char *path, lb_pair_format *format,
                                          lb_error *error);

/** The next line, with its number in the file. Blank lines before the first text are lines, too; the header is none.
 *  Otherwise as lb_lines_next. Errors: also those of lb_pair_file_open and lb_convert. */
LB_MUST_USE lb_lines_result lb_pair_stream_next(lb_pair_stream *stream, bool wait, lb_line *line,
                                                lb_error *error);

void lb_pair_stream_close(lb_pair_stream *stream);

#endif
