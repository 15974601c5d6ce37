/* Files in place of memory: one to read, which all processes of a machine have in common, and one to work in. */
#ifndef LB_MAPPING_H
#define LB_MAPPING_H

#include "lookback/base.h"

#include <stddef.h>

/** The content of a file, which the system reads when it is needed. Zero: none. */
typedef struct lb_mapping {
    void *bytes; /* [count] only to be read; at the start of a page */
    size_t count;
} lb_mapping;

/** Maps the file `path` to be read. It must not be shortened while it is mapped; to be replaced does no harm.
 *  Memory: none of its own; unmap it with lb_mapping_close.
 *  Errors: LB_ERROR_OPEN if there is no such file, or it is not a file or cannot be read; LB_ERROR_FORMAT if it is
 *  empty. */
LB_MUST_USE lb_status lb_mapping_open(lb_mapping *mapping, const char *path, lb_error *error);

void lb_mapping_close(lb_mapping *mapping);

/** Bytes to work with. Zero: none. */
typedef struct lb_scratch {
    void *bytes; /* [count] */
    size_t count;
    bool
        mapped; /* they are in a file without a name, and the system writes them there when it lacks memory */
} lb_scratch;

/** Gets `count` bytes, at least one, in a file in the folder of `beside`, or in memory if `beside` is NULL or there
 *  cannot be such a file. All are zero in a file, and not set in memory.
 *  Memory: give it back with lb_scratch_free. Errors: false if there is no memory either. */
LB_MUST_USE bool lb_scratch_get(lb_scratch *scratch, size_t count, const char *beside);

void lb_scratch_free(lb_scratch *scratch);

#endif
