/* Files in place of memory. They have no name: nobody else can shorten one, which would end the process that has it
 * mapped. */
#ifndef LB_SCRATCH_FILE_H
#define LB_SCRATCH_FILE_H

#include "lookback/base.h"

#include <stddef.h>

/** Bytes to work with. Zero: none. */
typedef struct lb_scratch {
    void *bytes; /* [count] */
    size_t count;
    bool
        mapped; /* they are in a file without a name, and the system writes them there when it lacks memory */
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

#endif
