/* The file of an index. It is of one machine: its numbers have the order of bytes of the machine that wrote it.
 *
 *     header
 *     counts of the source symbols, of the target symbols      int64_t each, by id
 *     places of the pairs for training, of those held out      lb_place each
 *     prints of the pairs for training                         lb_pair_print each
 *     errors of the first bad lines, without the path          strings with their NUL
 *     the source symbols, the target symbols                   strings, from lb_vocabulary_print
 *
 * Nothing comes after the last one. */
#ifndef LB_PAIR_INDEX_PARTS_H
#define LB_PAIR_INDEX_PARTS_H

#include "data/pair_index_key.h"
#include "data/pairs_internal.h"
#include "io/file.h"

/* Another version of Lookback may find other pairs in the same bytes: whoever changes how lines are read, symbols are
 * hashed or pairs are held out raises it, as well as who changes the format. */
enum { LB_PAIR_INDEX_VERSION = 2 };

#define LB_PAIR_INDEX_MAGIC "lookback pairs\n"
#define LB_PAIR_INDEX_ORDER UINT32_C(0x01020304)

typedef struct lb_pair_index_header {
    char magic[16];
    uint32_t version, order;
    uint64_t
        head_hash; /* lb_hash_long of the header, where this is 0, and of all parts but those of bulk_hash */
    uint64_t bulk_hash; /* of places and prints */
    lb_pair_index_key key;
    uint64_t train, held_out;                                                      /* pairs */
    uint64_t lines, bad[LB_BAD_LINES], crlf, byte_order_mark, columns, pairs_hash; /* as in lb_pairs_facts */
    uint64_t first_bad;                                                            /* how many are kept */
    uint64_t source_symbols, target_symbols;
    uint64_t errors_bytes, source_bytes, target_bytes; /* of the strings */
} lb_pair_index_header;

enum {
    LB_PART_SOURCE_COUNTS,
    LB_PART_TARGET_COUNTS,
    LB_PART_TRAIN,
    LB_PART_HELD_OUT,
    LB_PART_PRINTS,
    LB_PART_ERRORS,
    LB_PART_SOURCE,
    LB_PART_TARGET,
    LB_PARTS
};

/** Whether the hash of this part is bulk_hash. */
static inline bool lb_part_is_bulk(int part)
{
    return part >= LB_PART_TRAIN && part <= LB_PART_PRINTS;
}

/** Cuts a file with a header into its parts. False if they do not fill it. */
bool lb_pair_index_cut(lb_bytes file, lb_bytes parts[LB_PARTS]);

/** The hash of the bulk, and that of the rest. */
uint64_t lb_pair_index_hash_bulk(const lb_bytes parts[LB_PARTS]);
uint64_t lb_pair_index_hash_head(const lb_pair_index_header *header, const lb_bytes parts[LB_PARTS]);

/** Sets both hashes. */
void lb_pair_index_seal(lb_pair_index_header *header, const lb_bytes parts[LB_PARTS]);

#endif
