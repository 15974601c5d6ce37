/* A file of pairs in any format, as lines with tabs between their columns.
 *
 * TSV is read as it is. Anything else is copied into a file without a name, whose lines have the number of the original
 * line in front: messages name it. Comments, blank lines and a header are not in the copy, and a line with several
 * right answers is there once for each. */
#ifndef LB_PAIR_FILE_H
#define LB_PAIR_FILE_H

#include "data/formats/convert.h"

/** An open file. Zero with a descriptor of -1 is a closed one. */
typedef struct lb_pair_file {
    int descriptor;                 /* at the first byte of the lines */
    bool copied;                    /* it is a copy */
    bool piped;                     /* of a pipe or a device, which may have had no end */
    bool numbered;                  /* its lines begin with a number and a tab: see lb_pair_file_line */
    bool header;                    /* its first line has names */
    bool recognised;                /* the format is not given */
    bool found_columns;             /* the columns are not given */
    char kind[LB_PAIR_KIND_NAME];   /* the format; "": TSV */
    lb_pair_columns columns;        /* all that another file needs to be read as this one */
    lb_converted met;               /* on the way through the original, if the lines are numbered */
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
LB_MUST_USE lb_status lb_pair_file_source(const char *path, int *descriptor, bool *regular, lb_error *error);

/** Decides by the first bytes of the file `name` how it is read, as lb_pair_file_open does. `whole`: they are all. */
LB_MUST_USE lb_status lb_pair_file_settle(lb_pair_file *file, const char *name, const char *text,
                                          size_t length, bool whole, lb_pair_format *format, lb_error *error);

/** The name of a file in messages. */
const char *lb_pair_file_name(const char *path);

/** Gives a line of the file its own number, and the text behind it. */
void lb_pair_file_line(const lb_pair_file *file, lb_line *line);

void lb_pair_file_close(lb_pair_file *file);

#endif
