/* A report: what is asked for, the texts that it is about, and its parts that are not about pairs. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include "apply/input.h"
#include "report/data.h"

/** What the command line asks for. */
typedef struct app_report_asked {
    const char *title;     /* NULL: from the names of model and file */
    const char *model;     /* as given */
    const char *file;      /* as given; NULL: texts of the command line */
    char *command;         /* as typed, without folders */
    const char *output;    /* file of the page */
    const char *engine;    /* file of the engine, which the page carries with the model; NULL: neither */
    lb_strings inputs;     /* texts instead of a file */
    lb_pair_format format; /* of the lines of the file; a model has its own symbol rules */
    int batch, beam, details, heads_off, why;
    bool held_out;  /* only the pairs of the file that a training holds out */
    bool once;      /* one row for each source, and any of its targets is right */
    bool all_heads; /* keep heads apart, however large the page becomes */
    double length_penalty;
} app_report_asked;

/* ---- about.c: the card of the model, and the history of its training. ---- */

/** Prints "about":{...}, with the beam of decoding. */
void app_report_about_print(const app_report_asked *asked, int beam, const lb_translator *translator,
                            app_report_data *report);

/** A path without its folders, which a page that is passed on need not tell; NULL for NULL. */
const char *app_report_name_of(const char *path);

/** Leaves the folders of a path out, wherever it is in the text. NULL is allowed. */
void app_report_drop_folders(char *text, const char *path);

/** The command line as a shell would read it, for lb_release; NULL if memory runs out. */
char *app_report_command(int argc, char *const *argv);

/** Prints "history":{...}, from the record in the model file; null if it has none. */
void app_report_history_print(const lb_translator_facts *model, app_report_data *report);

/* ---- attention_history.c: the attention history of a training. ---- */

/** Prints "film":[...] from film.jsonl in the folder of the model; [] if there is none. Of a long training it shows
 *  frames of at most 60 evaluations, evenly spaced, with the first and the last one. Lines that are no frames are left
 *  out, and counted in `*bad`. Errors: LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_attention_history_print(const char *model, app_report_data *report,
                                                         int64_t *bad, lb_error *error);

/* ---- rows.c: the lines of a file of pairs, or texts of the command line. ---- */

/** One text. */
typedef struct app_report_row {
    char *source;       /* NULL: the line could not be read */
    lb_strings targets; /* right answers; none: not known */
    char *error;        /* why the line could not be read */
    int64_t number;     /* of the line or text, from 1 */
} app_report_row;

/** All texts, and the next ones. Zero is none. */
typedef struct app_report_rows {
    const char *name; /* of the file, or of the option, in messages */
    app_report_row *all;
    size_t all_count, all_room;
    int64_t expected;    /* rows that can be read; with `once`, all */
    app_report_row *row; /* [count] the next ones, in `all` */
    size_t count;
} app_report_rows;

/** Reads a file. With `once`, makes one row of the lines with the same source. A bad line is an error, or, if the
 *  format skips them, a row with that error.
 *  Memory: freed by app_report_rows_close, also after an error.
 *  Errors: those of app_pair_input_open and app_pair_input_texts; LB_ERROR_FORMAT if there is no pair. */
LB_MUST_USE lb_status app_report_rows_open(app_report_rows *rows, const char *path,
                                           const lb_pair_format *format, bool once, bool held_out,
                                           lb_error *error);

/** Takes the texts of --input instead, each line of them. Errors: LB_ERROR_FORMAT if there is none; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_rows_take(app_report_rows *rows, const lb_strings *texts, lb_error *error);

/** Goes on to the next rows, at most `most`; to none at the end. */
void app_report_rows_next(app_report_rows *rows, size_t most);

void app_report_rows_close(app_report_rows *rows);

#endif
