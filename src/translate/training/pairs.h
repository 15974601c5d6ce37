/* The pairs to train on: in memory, or a file with its index, if it has one or shall have one. */
#ifndef LB_TRAINING_PAIRS_H
#define LB_TRAINING_PAIRS_H

#include "data/pair_index.h"
#include "lookback/translate.h"

/** The pairs of the file `path` or, if they are given, those in memory. The listener hears how much has been read, and
 *  of each pass over them until their counter is empty.
 *  Memory and errors: as lb_pairs_open and lb_pairs_from_memory. */
LB_MUST_USE lb_pairs *lb_training_pairs_find(const char *path, const lb_pair_texts *texts,
                                             const lb_pair_format *format,
                                             const lb_training_listener *listener, lb_error *error);

/** Opens `config->train` and counts its symbols; without pairs for development, also holds some out. Uses the index of
 *  the file, which only the first process of a group makes; its folder must exist, and be ours if that is
 *  `config->out`. An index that cannot be made is no error: the listener gets a note.
 *  Memory: free `pairs` with lb_indexed_pairs_free and then `*index` with lb_release, both also after an error.
 *  Errors: as lb_indexed_pairs_read; those of the exchange. */
LB_MUST_USE lb_status lb_training_pairs_open(lb_indexed_pairs *pairs, char **index,
                                             const lb_training_config *config, const lb_pair_format *format,
                                             lb_error *error);

#endif
