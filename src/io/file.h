/* Whole files, read in one go and written so that nobody ever sees half of one. */
#ifndef LB_FILE_H
#define LB_FILE_H

#include <stddef.h>

#include "lookback/base.h"

/** Some bytes that belong to somebody else. */
typedef struct lb_bytes {
    const void *data;
    size_t count;
} lb_bytes;

/** Makes `count` bytes the content of the file `path`: whoever opens the file, also after a crash or a power cut in
 *  the middle of this call, finds either all of the old content or all of the new.
 *  How:     writes `path`.tmp0, fsync, rename, fsync of the folder. An existing file hands on its permissions; a
 *           symbolic link is replaced, not followed.
 *  Errors:  LB_ERROR_WRITE with the path and the system's reason, also if `path` exists and is not a regular file.
 *           The old file is as it was and no temporary file is left; only if the very last fsync fails, the new
 *           file is in place but may not outlive a power cut.
 *  Killed:  a temporary file that a killed process left behind is removed by the next save of the same path.
 *           Hence `path`.tmp0 to .tmp15 are no names for files of one's own.
 *  Several: processes and threads may save the same path at once; the last rename wins. */
LB_MUST_USE lb_status lb_file_write_atomic(const char *path, const void *bytes, size_t count,
                                           lb_error *error);

/** The same for content that lies in several places: `parts`, one behind the other. */
LB_MUST_USE lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count,
                                          lb_error *error);

/** Reads all of the file `path`.
 *  Memory:  `*bytes` is the caller's, to be given to lb_release. A NUL that `*count` does not count follows it.
 *  Errors:  LB_ERROR_OPEN if there is no such file, it is a folder or it cannot be read, LB_ERROR_MEMORY; then
 *           `*bytes` is NULL and `*count` 0. */
LB_MUST_USE lb_status lb_file_read(const char *path, void **bytes, size_t *count, lb_error *error);

#endif
