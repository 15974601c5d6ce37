/* The texts of a report: the lines of a file of pairs, or texts of the command line. */
#ifndef APP_REPORT_ROWS_H
#define APP_REPORT_ROWS_H

#include "apply/pair_input.h"
#include "base/buffer.h"

/** One text. */
typedef struct app_report_row {
    char *source;       /* NULL: the line could not be read */
    lb_strings targets; /* right answers; none: not known */
    char *error;        /* why the line could not be read */
    int64_t number;     /* of the line or text, from 1 */
} app_report_row;

/** Where the texts come from, and the next ones. Zero is closed. */
typedef struct app_report_rows {
    app_pair_input file; /* unless there are texts */
    const char *name;    /* of the file, or of the option, in messages */
    app_report_row *row; /* [count] */
    size_t count, capacity;
    /* [all_count] the texts of the command line, or, if any target is right, all of the file; the first `next` have
     * been read */
    app_report_row *all;
    size_t all_count, all_room, next;
} app_report_rows;

/** Opens a file, and checks all of its lines unless bad ones are skipped or it is a pipe. With `once`, reads
 *  all of it, and makes one row of the lines with the same source.
 *  Memory: freed by app_report_rows_close, also after an error. `format` must outlive the rows.
 *  Errors: those of app_pair_input_open and app_pair_input_check. */
LB_MUST_USE lb_status app_report_rows_open(app_report_rows *rows, const char *path,
                                           const lb_pair_format *format, size_t capacity, bool once,
                                           lb_error *error);

/** Takes the texts of --input instead, each line of them. Errors: LB_ERROR_FORMAT if there is none; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_rows_take(app_report_rows *rows, const lb_strings *texts, size_t capacity,
                                           lb_error *error);

/** Replaces the rows by the next ones, at most `most`; by none at the end. A bad line is an error, or, if the format
 *  skips them, a row with that error. Errors: those of app_pair_input_next. */
LB_MUST_USE lb_status app_report_rows_read(app_report_rows *rows, size_t most, lb_error *error);

/** How many rows there are in all, but for lines that are bad. */
int64_t app_report_rows_expected(const app_report_rows *rows);

void app_report_rows_close(app_report_rows *rows);

#endif
