/* One line of a TSV file as a pair of texts, in symbols. */
#ifndef LB_PAIR_LINE_H
#define LB_PAIR_LINE_H

#include "data/symbols.h"
#include "io/lines.h"
#include "lookback/data.h"

enum {
    LB_PAIR_LONGEST = UINT16_MAX,
    LB_PAIR_LINE_BYTES = 1 << 20, /* what a line may have, and what lb_lines_open should be told */
    LB_PAIR_LINE_MARK = 3         /* bytes of a byte order mark */
};

/* name, what is wrong with such lines */
#define LB_BAD_LINE_LIST(X)                                                                                  \
    X(LB_LINE_GOOD, "nothing")                                                                               \
    X(LB_LINE_COLUMNS, "wrong number of columns")                                                            \
    X(LB_LINE_EMPTY, "empty source or target")                                                               \
    X(LB_LINE_UTF8, "not UTF-8")                                                                             \
    X(LB_LINE_ZERO, "zero byte")                                                                             \
    X(LB_LINE_LONG, "too long")                                                                              \
    X(LB_LINE_SYMBOL, "empty or endless symbol")

typedef enum lb_bad_line {
#define LB_BAD_LINE_NAME(name, text) name,
    LB_BAD_LINE_LIST(LB_BAD_LINE_NAME)
#undef LB_BAD_LINE_NAME
        LB_BAD_LINES
} lb_bad_line;

/** What is wrong with such lines, in a few words of English. */
const char *lb_bad_line_text(lb_bad_line bad);

/** One line in parts. Zero before the first; each line uses the memory of the one before. */
typedef struct lb_pair_line {
    lb_symbols source, target; /* no target has no symbols */
    lb_bad_line bad;
    int32_t columns; /* that the lines have to have; 0: not known before the first that has enough */
} lb_pair_line;

/** Checks a format. Errors: LB_ERROR_ARGUMENT, with what is impossible in it; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_format_check(const lb_pair_format *format, lb_error *error);

/** Takes the next line of the file `name` apart by a format that lb_pair_format_check accepts. A byte order mark before
 *  line number 1 does not belong to it. To begin with another file, set `columns` to 0.
 *  Memory: freed by lb_pair_line_free, also after an error.
 *  Errors: LB_ERROR_FORMAT, "NAME:LINE: what was found, expected what", and `bad` says what kind of;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_line_read(const lb_pair_format *format, const char *name, const lb_line *line,
                                        lb_pair_line *pair, lb_error *error);

/** The source's column of the next line alone, as it stands there: `length` bytes of UTF-8 without a zero byte, at
 *  least one. What else lb_pair_line_read says of the line holds here too, but for symbols, which are not looked at.
 *  Memory: the line's. */
LB_MUST_USE lb_status lb_pair_line_source(const lb_pair_format *format, const char *name, const lb_line *line,
                                          lb_pair_line *pair, const char **source, size_t *length,
                                          lb_error *error);

/** Does the first line of a file begin with a byte order mark, LB_PAIR_LINE_MARK bytes? */
bool lb_pair_line_has_mark(const char *text, size_t length);

/** Frees what lb_pair_line_read made. */
void lb_pair_line_free(lb_pair_line *pair);

#endif
