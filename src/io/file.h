/* Files: read at once, written atomically, appended to, hashed, and recognised. */
#ifndef LB_FILE_H
#define LB_FILE_H

#include "base/buffer.h"
#include "lookback/base.h"
#include "os/os.h"

/** Some bytes, owned elsewhere. */
typedef struct lb_bytes {
    const void *data;
    size_t count;
} lb_bytes;

/** Replaces the content of the file `path` by `count` bytes, atomically: a reader sees either the complete old or the
 *  complete new content, even after a crash or a power failure during this call.
 *  How:     writes a file without a name in the same folder, fsync, link and rename, fsync of the folder. The new file
 *           gets the permissions of an existing one. A symbolic link is followed, and its target is replaced; a link to
 *           a file that does not exist is an error.
 *  Errors:  LB_ERROR_WRITE with the path and the reason of the system, also if `path` exists and is not a regular file.
 *           The old file is then unchanged, and no temporary file is left. Only if the last fsync fails, the new file
 *           is in place but may not survive a power failure.
 *  Killed:  a process that is killed leaves nothing, or, on file systems without files that have no name, a file whose
 *           name starts with `path`.tmp, which the next save of the same path removes. See os/posix/new_file.c.
 *  Several: processes and threads may save the same path at once; the last rename wins. */
LB_MUST_USE lb_status lb_file_write_atomic(const char *path, const void *bytes, size_t count,
                                           lb_error *error);

/** The same for content in several `parts`, one after the other. */
LB_MUST_USE lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count,
                                          lb_error *error);

/** What a file shall have in it. */
typedef struct lb_new_file {
    const char *path;
    const lb_bytes *parts; /* [part_count] */
    size_t part_count;
} lb_new_file;

/** The same for several files, of which all are replaced or none: they are complete on the disk before the first gets
 *  its name. A power failure may come between two names. If the system refuses a name after it has given another, the
 *  new files are removed, but an old one that was replaced is lost. */
LB_MUST_USE lb_status lb_file_write_all(const lb_new_file *files, size_t count, lb_error *error);

/** The same for a file that we name ourselves, where a link is an error: see lb_own_open. */
LB_MUST_USE lb_status lb_file_write_own(const char *path, const lb_bytes *parts, size_t part_count,
                                        lb_error *error);

/** Appends `count` bytes to an existing file, in one write, so that a concurrent reader never sees a part of a line.
 *  Only if the system takes a part of them, the rest follows. They come after the first `size` bytes of the file, and
 *  replace whatever follows; LB_FILE_END: after all.
 *  Errors: LB_ERROR_WRITE with the path and the reason of the system, also if there is no such file or it is a link. A
 *          part of the bytes may have been written. */
#define LB_FILE_END SIZE_MAX
LB_MUST_USE lb_status lb_file_append(const char *path, size_t size, const void *bytes, size_t count,
                                     lb_error *error);

/** Whether there is certainly no such file. Where the system cannot say, for example for lack of permission, there may
 *  be one. */
bool lb_file_is_missing(const char *path);

/** The most bytes that are read of a pipe or a device, which may have no end. */
#define LB_FILE_STREAM ((size_t)256 << 20)

/** Says that a pipe or a device has more than `most` bytes. Returns LB_ERROR_FORMAT. */
lb_status lb_file_is_endless(const char *path, size_t most, lb_error *error);

/** Reads all of the file `path`, which a user names: a link is followed, and a pipe is read to its end.
 *  Limit:   `most` bytes; 0: a regular file may have any size, and anything else LB_FILE_STREAM bytes.
 *  Memory:  `*bytes` is the caller's, to be given to lb_release. A NUL that `*count` does not count follows it.
 *  Errors:  LB_ERROR_OPEN if there is no such file, it is a folder or it cannot be read, LB_ERROR_FORMAT if it has more
 *           bytes, LB_ERROR_MEMORY; then `*bytes` is NULL and `*count` 0. */
LB_MUST_USE lb_status lb_file_read(const char *path, size_t most, void **bytes, size_t *count,
                                   lb_error *error);

/** The same for a file that we name ourselves, where a link, a pipe or a device is an error: see lb_own_open. */
LB_MUST_USE lb_status lb_file_read_own(const char *path, size_t most, void **bytes, size_t *count,
                                       lb_error *error);

/** Reads the whole regular file `path`. `hash` receives its lb_hash_long, in pieces of 1 MiB, and `bytes` its size.
 *  Errors: LB_ERROR_OPEN with the path and the reason of the system; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_file_hash(const char *path, uint64_t *hash, uint64_t *bytes, lb_error *error);

/* ---- file_kind.c: what a file seems to be that is not what was expected, for messages that say what to type. ---- */

typedef struct lb_file_kind {
    const char *name;   /* "gzip data" */
    const char *remedy; /* what to type before the name of the file; NULL: nothing helps */
    const char *after;  /* and after it; NULL: the remedy is an option, which names no file */
    bool is_text;
} lb_file_kind;

/** The kind of a file by its first `count` bytes; NULL if it is unknown. Text without a format of its own is
 *  unknown. */
const lb_file_kind *lb_file_kind_find(const void *bytes, size_t count);

/** The same, but text without a format of its own is a kind, too. */
const lb_file_kind *lb_file_kind_or_text(const void *bytes, size_t count);

/** Adds "; try: gunzip PATH" to a message, if there is a remedy. */
void lb_file_kind_add_remedy(const lb_file_kind *kind, const char *path, lb_buffer *text);

enum { LB_FILE_KIND_TEXT = 320 };

/** Prints "found gzip data, expected EXPECTED; try: gunzip PATH". `pairs`: that is a file of pairs, to which another
 *  kind of text can be converted. Returns `text`. */
const char *lb_file_kind_print(const lb_file_kind *kind, const char *path, const char *expected, bool pairs,
                               char text[LB_FILE_KIND_TEXT]);

#endif
