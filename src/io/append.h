/* Files that grow while they are read. */
#ifndef LB_APPEND_H
#define LB_APPEND_H

#include "lookback/base.h"

#include <stddef.h>

/** Appends `count` bytes to an existing file, in one write, so that a concurrent reader never sees a part of a line.
 *  Only if the system takes a part of them, the rest follows.
 *  Errors: LB_ERROR_WRITE with the path and the reason of the system, also if there is no such file or it is a link. A
 *          part of the bytes may have been written. */
LB_MUST_USE lb_status lb_file_append(const char *path, const void *bytes, size_t count, lb_error *error);

/** The same after the first `size` bytes of the file, where they replace whatever follows. */
LB_MUST_USE lb_status lb_file_append_at(const char *path, size_t size, const void *bytes, size_t count,
                                        lb_error *error);

#endif
