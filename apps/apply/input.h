/* Texts from standard input or a file, as they arrive: one per line, or a column of each line. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "data/pair_line.h"

/** One line. */
typedef struct app_input_line {
    const char *text;   /* a string; NULL if the line is blank or bad */
    const char *prefix; /* the text of the prefix column, if there is one */
    bool blank;
    char *bad; /* why, for app_input_skip; NULL: it is not */
    int64_t number;
} app_input_line;

/** Lines that have been read, but not answered yet. */
typedef struct app_input {
    const char *name; /* in messages */
    lb_pair_stream stream;
    lb_pair_format format;
    bool tabs;             /* in texts count as blanks */
    int32_t prefix_column; /* how the output begins; 0: there is none */
    bool told;             /* the user knows how the lines are read */
    lb_pair_line parts;    /* of the last line */
    int capacity;          /* lines at a time */
    int count, text_count;
    app_input_line *line; /* [count] */
    const char **text;    /* [text_count]: the texts of lines that have one */
    const char **prefix;  /* [text_count]: their prefixes */
    char *letters;
    size_t letters_used;
    int64_t skipped;
} app_input;

/** Whether `path` is standard input, and that is a terminal. */
bool app_input_is_typed(const char *path);

/** Starts reading a file, at most `capacity` lines at a time; NULL or "-" is standard input. `format` has the columns;
 *  without columns, a line is a text, unless the first one looks like a line of the training, `format.usual`. With
 *  `tabs`, a text may have tabs. Bad lines are errors, or marked.
 *  Memory: freed by app_input_close, also after an error. Errors: LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_input_open(app_input *input, const char *path, int capacity, lb_pair_format format,
                                     bool tabs, lb_error *error);

/** Replaces the lines by the next ones that are available; waits only for the first. Returns false at the end and after
 *  an error, when no more lines follow. Lines before the end or error are valid.
 *  Errors: LB_ERROR_FORMAT with the line number, unless bad lines are skipped; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
bool app_input_gather(app_input *input, lb_error *error);

/** The lines of the file; 0 if it is a pipe or a device, whose end is not known. Cost: O(bytes). */
int64_t app_input_lines(const app_input *input);

/** Counts a skipped line, and reports it if it is one of the first. */
void app_input_skip(app_input *input, const char *message);

/** Reports the number of skipped lines, and frees everything. */
void app_input_close(app_input *input);

#endif
