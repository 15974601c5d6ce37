/* A file of pairs in any format, as lines with tabs between their columns.
 *
 * TSV is read as it is. Anything else is copied into a file without a name, whose lines have the number of the original
 * line in front: messages name it. Comments, blank lines and a header are not in the copy, and a line with several
 * right answers is there once for each. */
#ifndef LB_PAIR_FILE_H
#define LB_PAIR_FILE_H

#include "data/formats/pair_kind.h"
#include "io/lines.h"

#include <string.h>

enum { LB_PAIR_LINE_BYTES = 1 << 20 }; /* maximum bytes of a line, also for lb_lines_open */

/** Takes a byte order mark off the first line of a file. Returns whether there was one. */
static inline bool lb_line_drop_mark(lb_line *line)
{
    enum { MARK = 3 };
    if (line->number != 1 || line->length < MARK || memcmp(line->text, "\xEF\xBB\xBF", MARK) != 0)
        return false;
    line->text += MARK;
    line->length -= MARK;
    line->offset += MARK;
    return true;
}

/** What was met on the way. */
typedef struct lb_converted {
    int64_t lines; /* with those that are left out */
    int64_t comments, blanks;
    int64_t asides, unknown;       /* words that other lines have, too, and those with "_" for a text */
    int64_t weighed;               /* lines with a weight */
    int64_t names;                 /* the line with the names of the columns; 0: there is none */
    int64_t long_fields;           /* quoted fields that go over several lines */
    int64_t long_first, long_last; /* the lines of the first of them */
    int64_t broken, broken_first;  /* texts with a line break or a tab within them; the line of the first */
    bool marked;                   /* the file begins with a byte order mark */
} lb_converted;

/** An open file. Zero is a closed one. */
typedef struct lb_pair_file {
    lb_os_handle handle;          /* at the first byte of the lines */
    bool copied;                  /* it is a copy */
    bool piped;                   /* of a pipe or a device, which may have had no end */
    bool numbered;                /* its lines begin with a number and a tab: see lb_pair_file_line */
    bool header;                  /* its first line has names */
    bool recognised;              /* the format is not given */
    bool found_columns;           /* the columns are not given */
    char kind[LB_PAIR_KIND_NAME]; /* the format; "": TSV */
    lb_pair_columns columns;      /* all that another file needs to be read as this one */
    char *first;                  /* its first bytes, as they were; NULL: there are none */
    size_t first_bytes;
    bool first_whole; /* they are all of it */
    lb_converted met; /* on the way through the original, if the lines are numbered */
    lb_first_look look;
    char note[LB_MESSAGE_LENGTH];   /* how it is read otherwise than the file of the training; "": nothing */
    char unused[LB_MESSAGE_LENGTH]; /* its other columns, as "1 \"id\", 4"; "": there are none */
} lb_pair_file;

/** Opens the file `path`, and `format->targets` if there is one; "-" is standard input. Puts into `format` what the
 *  file says about itself: columns and separators that are not given.
 *  Order:   what is given; else what the names of the columns say, first those of `format->usual`; else what the first
 *           lines look like; else `format->usual`.
 *  Pipes:   they are copied first, and then read as a file is.
 *  Memory:  free it with lb_pair_file_close; after an error, it is closed. `format->usual` is not needed any more.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT, LB_ERROR_ARGUMENT for an unknown format, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_file_open(lb_pair_file *file, const char *path, lb_pair_format *format,
                                        lb_error *error);

/** Opens what a path or "-" names, and tells whether it is a regular file. Memory: as lb_pair_file_open. Errors:
 *  LB_ERROR_OPEN. */
LB_MUST_USE lb_status lb_pair_file_source(const char *path, lb_os_handle *handle, bool *regular,
                                          lb_error *error);

/** Decides by the first bytes of the file `name` how it is read, as lb_pair_file_open does. `whole`: they are all.
 *  Memory: `kind` is freed by lb_pair_kind_free, also after an error. */
LB_MUST_USE lb_status lb_pair_file_decide(lb_pair_file *file, const char *name, const char *text,
                                          size_t length, bool whole, lb_pair_format *format,
                                          lb_pair_kind *kind, lb_error *error);

/** The file of targets number `number`, from 0; NULL behind the last. */
static inline const char *lb_pair_format_targets(const lb_pair_format *format, int number)
{
    if (number == 0) return format->targets;
    return number <= format->reference_count ? format->references[number - 1] : NULL;
}

/** The name of a file in messages. */
static inline const char *lb_pair_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/** Gives a line of the file its own number, and the text behind it, or what is wrong in the line. */
void lb_pair_file_line(const lb_pair_file *file, lb_line *line);

void lb_pair_file_close(lb_pair_file *file);

/* ---- json_elements.c: a file of JSON that is one array or dictionary. ---- */

/** Where the open file `*handle` is such a file, puts one with an element on each line in its place, and the format
 *  is JSON lines, if none is given. The elements are objects or lists; a dictionary of texts gives lists of a key and
 *  its value.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_FORMAT for more bytes than a copy may have, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_json_unpack(lb_os_handle *handle, const char *name, lb_pair_format *format,
                                     lb_error *error);

/* ---- convert.c: the lines of a file of any format become numbered lines with tabs. ---- */

/** A conversion line by line. Whoever begins one fills in what comes before `fields`. Memory: free it with
 *  lb_converter_free. */
typedef struct lb_converter {
    const char *name; /* in messages */
    lb_pair_kind *kind;
    const lb_pair_format
        *format;        /* of several right answers, only the first line has columns that are not read */
    lb_pair_file *file; /* how it is read; it receives what is met */
    lb_os_handle to;    /* where the lines go; none: the caller takes them away from `out` */
    size_t room; /* for bytes of them, usually LB_COPY_MOST: a weight repeats a line up to a million times */
    lb_fields fields; /* and zeros from here on */
    lb_buffer record; /* the lines of one whose quoted field is open */
    int64_t first;    /* number of the first line of the record */
    int64_t opened;   /* that of the line in which its open field begins */
    int columns;      /* of the last record; 0: there was none */
    lb_buffer out;    /* the converted lines */
    lb_error *error;
} lb_converter;

/** Adds what a line becomes: none, one or several. Errors: as lb_convert. */
LB_MUST_USE lb_status lb_converter_take(lb_converter *c, lb_line *line, lb_error *error);

/** Ends a record that is open behind the last line. Errors: as lb_convert. */
LB_MUST_USE lb_status lb_converter_end(lb_converter *c, lb_error *error);

void lb_converter_free(lb_converter *c);

/** Converts all lines of the file, with those of `count` files of targets, each at its first byte.
 *  In the place of one that is not of its format comes what is wrong in it: whoever reads it will say so.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT for a quoted field without an end, or over several lines with text behind it,
 *          more sources than targets or fewer, or more bytes than there is room for; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_convert(const lb_converter *begun, const lb_os_handle *targets, int count,
                                 lb_error *error);

#endif
