/* The texts of standard input, as they arrive: a line each, or a column of it. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "data/pair_line.h"
#include "io/lines.h"

/** What messages call it. */
extern const char app_input_name[];

/** One line. */
typedef struct app_input_line {
    const char *text; /* a string; NULL if the line is blank, or bad and to be skipped, which has been said */
    bool blank;
    int64_t number;
} app_input_line;

/** Lines that have been read and are not answered yet. */
typedef struct app_input {
    lb_pair_format format;
    bool tabs; /* stand in a text as blanks do */
    lb_lines lines;
    lb_pair_line parts; /* of the last line */
    int capacity, count, text_count;
    app_input_line *line; /* [count] */
    const char **text;    /* [text_count] those of the lines that have one */
    char *letters;
    size_t letters_used;
    int64_t skipped;
} app_input;

/** Begins to read, at most `capacity` lines at a time. `format` has the columns; without them, a line is a text. With
 *  `tabs`, a text may have tabs. Bad lines are errors, or reported and skipped.
 *  Memory: freed by app_input_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_input_open(app_input *input, int capacity, lb_pair_format format, bool tabs,
                                     lb_error *error);

/** Reads the lines that are there, waiting only for the first, in place of those that were read before.
 *  Returns false if no more can follow: at the end, and after an error. What came before is there all the same.
 *  Errors: LB_ERROR_FORMAT with the line's number, unless bad lines are skipped; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
bool app_input_gather(app_input *input, lb_error *error);

/** Counts a bad line that is skipped, and says so if it is one of the first. */
void app_input_skip(app_input *input, const char *message);

/** Says how many lines were skipped, and frees all. */
void app_input_close(app_input *input);

#endif
