/* The hash of a file that may be larger than memory. */
#ifndef LB_FILE_HASH_H
#define LB_FILE_HASH_H

#include "lookback/base.h"

#include <stdint.h>

/** Reads the whole regular file `path`. `hash` receives its lb_hash_long, in pieces of 1 MiB, and `bytes` its size.
 *  Errors: LB_ERROR_OPEN with the path and the reason of the system; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_file_hash(const char *path, uint64_t *hash, uint64_t *bytes, lb_error *error);

#endif
