/* What the passes over a file of pairs find, in a file of its own, so that a second training can do without them. */
#ifndef LB_PAIR_INDEX_H
#define LB_PAIR_INDEX_H

#include "data/pair_index_key.h"
#include "data/pairs.h"
#include "io/scratch_file.h"

/** The pairs for training, and those held out of them, with what the passes over them find. */
typedef struct lb_indexed_pairs {
    lb_pairs *train, *held_out;     /* NULL: none are held out */
    lb_vocabulary *source, *target; /* of train: all symbols */
    lb_scratch file;                /* a copy of the index, if they are from one */
    uint64_t id;                    /* of the index: another one has another */
} lb_indexed_pairs;

/** The path of the index beside the file `path`. Memory: release it with lb_release; NULL if there is no memory. */
LB_MUST_USE char *lb_pair_index_path(const char *path);

/** Makes the passes over pairs for training, without an index. NULL is what could not be opened, with its error.
 *  Memory: takes `train`; free `pairs` with lb_indexed_pairs_free, also after an error.
 *  Errors: as lb_pairs_hold_out and lb_pairs_tally_symbols. */
LB_MUST_USE lb_status lb_indexed_pairs_read(lb_indexed_pairs *pairs, lb_pairs *train, int32_t share,
                                            lb_error *error);

/** Opens the file `path` with the index in the file `index`, whose pairs then take no memory of their own, if a file
 *  without a name can take their places. The path of the index must outlive the pairs; what becomes of the file itself
 *  does not matter.
 *  Check:  everything is checked, and reading a pair checks it again: with an index that is not damaged, the pairs are
 *          those of lb_indexed_pairs_read. `all` false leaves out the hash of what grows with the pairs, for processes
 *          that another one has told `id`.
 *  Memory: free `pairs` with lb_indexed_pairs_free; after an error, nothing is to be freed.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT if the index has another key, another version or order of bytes, or is
 *          damaged; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_indexed_pairs_open(lb_indexed_pairs *pairs, const char *path,
                                            const lb_pair_format *format, const char *index,
                                            const lb_pair_index_key *key, bool all, lb_error *error);

/** Writes the index of pairs from lb_indexed_pairs_read. `own` says that its name is ours, where a link is an error.
 *  Memory: 16 bytes per pair during the call, and as much for sorting.
 *  Errors: LB_ERROR_WRITE; errors of reading the pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_indexed_pairs_write(const lb_indexed_pairs *pairs, const char *index, bool own,
                                             const lb_pair_index_key *key, lb_error *error);

void lb_indexed_pairs_free(lb_indexed_pairs *pairs);

#endif
