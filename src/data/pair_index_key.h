/* What the index of a file belongs to. */
#ifndef LB_PAIR_INDEX_KEY_H
#define LB_PAIR_INDEX_KEY_H

#include "data/pair_line.h"

/** The bytes of a file, and how they are read. */
typedef struct lb_pair_index_key {
    uint64_t content, bytes; /* lb_hash_long of the whole file, and its size */
    uint64_t format;         /* lb_pair_index_format */
} lb_pair_index_key;

/** The hash of everything but the bytes of the file that decides which pairs there are: the format, the share of
 *  lb_pairs_hold_out (0: none are held out), and the version of Unicode. */
uint64_t lb_pair_index_format(const lb_pair_format *format, int32_t share);

/** Reads the whole file `path` to find its key.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_index_find_key(const char *path, const lb_pair_format *format, int32_t share,
                                             lb_pair_index_key *key, lb_error *error);

#endif
