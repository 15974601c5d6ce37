/* A copy of what can be read only once, such as standard input, or is compressed. */
#ifndef LB_PLAIN_COPY_H
#define LB_PLAIN_COPY_H

#include "lookback/base.h"

#include <stdbool.h>

/** A file without a name in TMPDIR, or /tmp, to be written and read.
 *  Returns the descriptor, to be closed; -1 with errno set. */
int lb_nameless_file(void);

/** Whether a regular file begins like gzip data. */
bool lb_is_gzip(int descriptor);

/** Copies the rest of an open file, decompressed if it is gzip data, into one without a name, which begins at its first
 *  byte. `name` is for messages.
 *  Memory: close `*copy`; -1 after an error, also if there is nothing to copy it to.
 *  Errors: LB_ERROR_OPEN if it cannot be read, or the copy not be written; LB_ERROR_FORMAT for damaged gzip data, or
 *          without the end of a line in LB_FILE_STREAM bytes; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_plain_copy(int descriptor, const char *name, int *copy, lb_error *error);

#endif
