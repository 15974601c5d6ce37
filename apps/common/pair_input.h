/* The lines of a file of pairs, one after the other, also of a pipe. */
#ifndef APP_PAIR_INPUT_H
#define APP_PAIR_INPUT_H

#include "data/pair_line.h"
#include "io/lines.h"

/** An open file. Zero and a descriptor of -1 is none. */
typedef struct app_pair_input {
    const char *name; /* in messages */
    int descriptor;
    lb_lines lines;
    lb_pair_format format;
    lb_pair_line pair; /* of the last line */
    int64_t count, skipped;
} app_pair_input;

/** Opens a file; "-" is standard input. `format`, which is checked, and `path` must outlive the input.
 *  Memory: freed by app_pair_input_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT for an impossible format; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pair_input_open(app_pair_input *input, const char *path,
                                          const lb_pair_format *format, lb_error *error);

/** Looks at all lines before the first is read, so that a bad one far behind does not end hours of work. A pipe can be
 *  read only once: its lines are not looked at.
 *  Errors: those of app_pair_input_next; LB_ERROR_FORMAT if there is no pair. */
LB_MUST_USE lb_status app_pair_input_check(app_pair_input *input, lb_error *error);

/** Gives the next line, whatever it holds. Returns false at the end, and after an error.
 *  Errors: LB_ERROR_OPEN if it cannot be read. */
bool app_pair_input_line(app_pair_input *input, lb_line *line, lb_error *error);

/** Reads the next pair into input->pair; lines that are none are counted as skipped where the format says so. Returns
 *  false at the end, and after an error.
 *  Errors: LB_ERROR_FORMAT, with file and line; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
bool app_pair_input_next(app_pair_input *input, lb_line *line, lb_error *error);

/** Closes the file and frees all. */
void app_pair_input_close(app_pair_input *input);

/** Pairs as texts that a model can be given. */
typedef struct app_pair_texts {
    char **source, **target; /* [count] */
    int64_t *number;         /* [count] of their lines */
    size_t count, capacity;
} app_pair_texts;

/** Makes room for `capacity` pairs. Memory: freed by app_pair_texts_free, also after an error.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pair_texts_new(app_pair_texts *texts, size_t capacity, lb_error *error);

/** Reads as many of the next pairs as there is room for, in place of those that were there. None is left at the end.
 *  Errors: those of app_pair_input_next. */
LB_MUST_USE lb_status app_pair_texts_read(app_pair_texts *texts, app_pair_input *input, lb_error *error);

/** Frees the texts. */
void app_pair_texts_free(app_pair_texts *texts);

#endif
