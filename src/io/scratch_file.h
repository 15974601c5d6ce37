/* Files without a name, in place of memory, or for a copy of what can be read only once. */
#ifndef LB_SCRATCH_FILE_H
#define LB_SCRATCH_FILE_H

#include "lookback/base.h"
#include "os/os.h"

/** Bytes to work with. Zero: none. */
typedef struct lb_scratch {
    void *bytes; /* [count] */
    size_t count;
    bool mapped; /* to a file without a name: the system writes them there when it lacks memory */
} lb_scratch;

/** For less, a file is not worth its system calls. */
enum { LB_SCRATCH_LEAST = 1 << 20 };

/** Gets `count` bytes, at least one, in a file in the folder of `beside`; in memory if `beside` is NULL, if they are
 *  few, or if there cannot be such a file. All are zero in a file, and not set in memory.
 *  Memory: give it back with lb_scratch_free. Errors: false if there is no memory either. */
LB_MUST_USE bool lb_scratch_get(lb_scratch *scratch, size_t count, const char *beside);

/** The same with the bytes of the file `path`. What becomes of that file does no harm any more.
 *  Memory: give it back with lb_scratch_free; nothing is to be given back after an error.
 *  Errors: LB_ERROR_OPEN if there is no such file, or it is not a file or cannot be read; LB_ERROR_FORMAT if it is
 *          empty; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_scratch_read(lb_scratch *scratch, const char *path, lb_error *error);

void lb_scratch_free(lb_scratch *scratch);

/* ---- plain_copy.c: a copy of what can be read only once, such as standard input, or is compressed. ---- */

/** The bytes with which gzip data begin. Source: RFC 1952. */
enum { LB_GZIP_FIRST = 0x1F, LB_GZIP_SECOND = 0x8B, LB_GZIP_MAGIC = 2 };

/** Whether bytes begin so. */
static inline bool lb_begins_gzip(const void *bytes, size_t count)
{
    const unsigned char *first = bytes;
    return count >= LB_GZIP_MAGIC && first[0] == LB_GZIP_FIRST && first[1] == LB_GZIP_SECOND;
}

/** The most bytes of a copy: what is copied may have no end, and its copy fills the disk. */
#define LB_COPY_MOST ((size_t)1 << 30)

/** Says that what `name` has cannot be copied to a file of lb_os_temp_file, with the reason in errno. Returns
 *  LB_ERROR_WRITE. */
lb_status lb_cannot_copy(const char *name, lb_error *error);

/** Adds bytes to a copy, and takes their number off `room`. `name` is for messages.
 *  Errors: LB_ERROR_FORMAT if there is no room left; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_copy_add(lb_os_handle copy, size_t *room, const char *name, const void *bytes,
                                  size_t count, lb_error *error);

/** Whether a regular file begins like gzip data. */
bool lb_is_gzip(lb_os_handle file);

/** Copies the rest of an open file, decompressed if it is gzip data, into one without a name, which begins at its first
 *  byte. `first` is the `count` bytes that have been read already; `most` is the most bytes of the copy, usually
 *  LB_COPY_MOST; `name` is for messages.
 *  Memory: close `*copy`; none after an error, also if there is nothing to copy it to.
 *  Errors: LB_ERROR_OPEN if it cannot be read; LB_ERROR_WRITE; LB_ERROR_FORMAT for damaged gzip data, without the end
 *          of a line in LB_FILE_STREAM bytes, or with more than `most`; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_plain_copy(lb_os_handle file, const char *first, size_t count, const char *name,
                                    size_t most, lb_os_handle *copy, lb_error *error);

#endif
