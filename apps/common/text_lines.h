/* The texts of standard input, as they arrive, in the ids of a model. */
#ifndef APP_TEXT_LINES_H
#define APP_TEXT_LINES_H

#include "common/text_model.h"

#include "data/pair_line.h"
#include "io/lines.h"

/** One line. */
typedef struct app_text_line {
    const char *source; /* [length] the text as it stands there; nothing if it cannot be shown */
    size_t length;
    int64_t number;
    bool bad; /* no text: it was skipped */
} app_text_line;

/** Lines that have been read and are not answered yet. */
typedef struct app_text_lines {
    const app_text_model *model;
    lb_pair_format format;
    lb_lines input;
    lb_pair_line parts; /* of the last line */
    int capacity, count;
    app_text_line *line; /* [count] */
    app_text *text;      /* [count] of the lines that are not bad */
    int32_t *ids;        /* theirs */
    char *letters;
    size_t ids_used, letters_used;
    lb_vocabulary *unknown; /* symbols of which it has been said that the model does not know them */
    int64_t unknown_times, skipped;
    bool strangers_said; /* that the model does not know a single symbol of a text */
} app_text_lines;

/** Begins to read for a model, which must outlive this: `capacity` lines at a time at most. `source_column` is that of a
 *  TSV file; 0: a line is a text. Bad lines are errors, or counted and skipped.
 *  Memory: freed by app_text_lines_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_text_lines_open(app_text_lines *lines, const app_text_model *model, int capacity,
                                          int source_column, bool skip_bad_lines, lb_error *error);

/** Reads the lines that are there, waiting only for the first, in place of those that were read before. Says on standard
 *  error which symbols the model does not know, each once, and which lines are bad.
 *  Returns false if no more can follow: at the end, and after an error. What came before is there all the same.
 *  Errors: LB_ERROR_FORMAT with the line's number, unless bad lines are skipped; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
bool app_text_lines_gather(app_text_lines *lines, lb_error *error);

/** Sums up on standard error what was too much to be told one by one. */
void app_text_lines_sum_up(const app_text_lines *lines);

void app_text_lines_close(app_text_lines *lines);

#endif
