/* The lines of a file of sources as they arrive, as lines with tabs: the answer to one never waits for the next.
 *
 * The first line with a text decides how all are read, of a pipe and of a file alike, and two bytes tell gzip data. */
#ifndef LB_PAIR_STREAM_H
#define LB_PAIR_STREAM_H

#include "data/formats/pair_file.h"

/** An open file. Zero is a closed one. */
typedef struct lb_pair_stream {
    const char *name; /* in messages */
    lb_pair_file file;
    lb_pair_format *format; /* of the caller; from the first line with a text on, with what that says */
    lb_lines lines;
    lb_pair_kind kind;
    bool begun;             /* a line with a text has come */
    bool converts, ended;   /* lines are converted; there are no more of them */
    lb_converter converter; /* of such lines */
    size_t taken;           /* bytes of its lines that have been handed out */
} lb_pair_stream;

/** Opens the file `path`; "-" is standard input. Waits for its first bytes, and for the end of gzip data.
 *  Memory: `path` and `format` must outlive the stream; free it with lb_pair_stream_close, also after an error.
 *  Errors: LB_ERROR_OPEN, LB_ERROR_FORMAT for damaged gzip data, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_stream_open(lb_pair_stream *stream, const char *path, lb_pair_format *format,
                                          lb_error *error);

/** The next line, with its number in the file. Blank lines before the first text are lines, too; the header is none.
 *  Otherwise as lb_lines_next. Errors: also those of lb_pair_file_open and lb_convert. */
LB_MUST_USE lb_lines_result lb_pair_stream_next(lb_pair_stream *stream, bool wait, lb_line *line,
                                                lb_error *error);

void lb_pair_stream_close(lb_pair_stream *stream);

#endif
