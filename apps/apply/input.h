/* Reads what a model is applied to, from a file or a pipe: pairs one by one, or texts as they arrive. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "data/pairs/pair_line.h"
#include "settings/settings.h"

/** The columns of a struct that has them, such as lb_pair_format. `is_usual`: whether --help shows the first two. */
#define APP_COLUMNS(format, is_usual)                                                                        \
    APP_INT(0, "source-column", "N", &(format)->source_column, 1, 1 << 16,                                   \
            "column of the sources, if lines have more columns than a source and a target; columns that "    \
            "are not given are those of the training",                                                       \
            .usual = (is_usual)),                                                                            \
        APP_INT(0, "target-column", "N", &(format)->target_column, 1, 1 << 16, "column of the targets",      \
                .usual = (is_usual)),                                                                        \
        APP_FEATURES(format, 1,                                                                              \
                     "column of the features of the sources; if neither this nor the training had one, 2")
#define APP_FEATURES(format, least, ...)                                                                     \
    APP_INT(0, "features-column", "N", &(format)->features_column, (least), 1 << 16, __VA_ARGS__)

/** The format of the files of a program, and the targets in a file of their own. */
#define APP_FORMAT(format) APP_TEXT(0, "format", "NAME", (format), lb_setting_find("format")->help)
#define APP_TARGETS(name, of, targets)                                                                       \
    APP_TEXT(0, name, "FILE", (targets),                                                                     \
             "file of the targets, a line for each line of " of ", which then has only sources")

/** The same, given once or several times, and the format that they make: all of a line are right. */
#define APP_SEVERAL_TARGETS(files)                                                                           \
    APP_TEXTS(                                                                                               \
        0, "targets", "FILE", (files),                                                                       \
        "file of the targets, a line for each line of FILE, which then has only sources; further ones "      \
        "have further right targets")
void app_set_targets(lb_pair_format *format, const lb_strings *files);

/** What a program does with lines that are not pairs, in a format; and with sources that have several targets. */
#define APP_SKIP_BAD_LINES(format, ...) APP_FLAG(0, "skip-bad-lines", &(format)->skip_bad_lines, __VA_ARGS__)
#define APP_ANY_TARGET(value, ...)      APP_FLAG(0, "any-target", (value), __VA_ARGS__)
#define APP_HELD_OUT(value)                                                                                  \
    APP_FLAG(0, "held-out", (value),                                                                         \
             "FILE is that of a training without --dev: take only the pairs that it held out")
#define APP_ANY_TARGET_HELP                                                                                  \
    "count each source once, and its output as right "                                                       \
    "if it equals any of its targets"

/* ---- Pairs. ---- */

/** Sets both sides of a format to these choices of lb_symbol_kind_names and lb_normal_form_names. */
void app_set_symbols(lb_pair_format *format, int symbols, int normalize);

/** Whether a line with this error is left out. */
static inline bool app_skips(const lb_pair_format *format, lb_status status)
{
    return status == LB_ERROR_FORMAT && format->skip_bad_lines;
}

/** An open file. Zero is a closed one. */
typedef struct app_pair_input {
    const char *name; /* in messages */
    lb_pair_file file;
    lb_lines lines;
    lb_pair_format format; /* with what the file says about itself */
    lb_pair_line pair;     /* of the last line */
    lb_pairs *held;        /* the pairs that app_pair_input_hold_out has chosen; NULL: all */
    int64_t count, skipped;
    int64_t checked;             /* pairs that app_pair_input_check has found */
    lb_strings sources, targets; /* texts of pairs, for a model */
    int64_t *number;             /* [sources.count] of their lines */
    size_t number_room;
} app_pair_input;

/** The format of pairs for a model: its rules and limits, and the columns of its training where `asked` has none.
 *  `model` must outlive the opening. */
lb_pair_format app_pair_format(lb_pair_format asked, const lb_translator_facts *model);

/** Opens a file; "-" is standard input. Checks `format`. `format` and `path` must outlive the input.
 *  Memory: freed by app_pair_input_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT for an invalid format; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pair_input_open(app_pair_input *input, const char *path,
                                          const lb_pair_format *format, lb_error *error);

/** Passes over the pairs that a training on the file without --dev does not hold out, which it finds as that does.
 *  Errors: LB_ERROR_OPEN for standard input; those of lb_pairs_open and lb_pairs_hold_out. */
LB_MUST_USE lb_status app_pair_input_hold_out(app_pair_input *input, const char *path, lb_error *error);

/** Checks all lines in advance, so that a bad one near the end does not waste hours of work.
 *  Errors: those of app_pair_input_texts; LB_ERROR_FORMAT if there is no pair. */
LB_MUST_USE lb_status app_pair_input_check(app_pair_input *input, lb_error *error);

/** Reads the next line, whatever its content, but for those that are passed over. Returns false at the end, and after
 *  an error.
 *  Errors: LB_ERROR_OPEN if it cannot be read. */
bool app_pair_input_line(app_pair_input *input, lb_line *line, lb_error *error);

/** Sets the error of a line, with what mends it. `trained`: a model was, and chooses the columns that are not given. */
lb_status app_pair_input_refuse(const app_pair_input *input, const lb_error *found, bool trained,
                                lb_error *error);

/** Whether a line has no target, and no advice helps: the targets may be in a file of their own. */
bool app_lacks_targets(const char *message);

/** Closes the file and frees everything. */
void app_pair_input_close(app_pair_input *input);

/** Replaces the texts by the next pairs, at most `most`; by none at the end. Skips and counts bad lines if the format
 *  says so. Errors: LB_ERROR_FORMAT, with file and line; LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pair_input_texts(app_pair_input *input, size_t most, lb_error *error);

/** Whether a path ends in, for example, ".jsonl", and has more; NULL does not. */
bool app_ends_in(const char *path, const char *ending);

/* ---- Texts, one for each line, or a column of each line. ---- */

/** One line. */
typedef struct app_input_line {
    const char *text; /* a string; NULL if the line is blank or bad */
    bool blank;
    char *bad; /* why, for app_input_skip; NULL: it is not */
    int64_t number;
    const char *row; /* its columns, with tabs between them, if `rows` asks for them */
} app_input_line;

/** Lines that have been read, but not answered yet. */
typedef struct app_input {
    const char *name; /* in messages */
    lb_pair_stream stream;
    lb_pair_format format;
    bool tabs;  /* in texts count as blanks */
    bool plain; /* a line has been a text without a tab, where nothing says that lines have columns */
    int32_t prefix_column; /* how the output begins; 0: there is none */
    bool told;             /* the user knows how the lines are read */
    bool rows;             /* lines are kept as they come */
    bool chosen;           /* the column of the texts was asked for */
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
