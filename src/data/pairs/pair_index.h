/* What the passes over a file of pairs find, in a file of its own, so that a second training can do without them.
 *
 * Such an index is of one machine: its numbers have the order of bytes of the machine that wrote it. It begins with
 * lb_pair_index_header; the parts follow without a gap, and nothing comes after the last one:
 *
 *             +-------------------------------------------+
 *           0 | magic, "lookback pairs\n"                 |
 *          16 | version  | order    | head_hash           |
 *          32 | bulk_hash           | key.content         |
 *          48 | key.bytes           | key.format          |
 *          64 | train               | held_out            |
 *          80 | lines               | bad: 7 numbers, by  |
 *          96 | the kind of bad line, which end at 144    |
 *         144 | crlf                | byte_order_mark     |
 *         160 | columns             | pairs_hash          |
 *         176 | first_bad           | source_symbols      |
 *         192 | target_symbols      | errors_bytes        |
 *         208 | source_bytes        | target_bytes        |
 *         224 | different           +---------------------+
 *             +---------------------+
 *         232 | int64_t[source_symbols]: counts, by id    | head_hash
 *             | int64_t[target_symbols]: counts, by id    | head_hash
 *             | lb_place[train]: pairs for training       | bulk_hash
 *             | lb_place[held_out]: pairs held out        | bulk_hash
 *             | lb_pair_print[train], sorted              | bulk_hash
 *             | float[train]: lb_pairs.weights; none if   | bulk_hash
 *             | all pairs are different                   |
 *             | errors_bytes: first_bad strings           | head_hash
 *             | source_bytes: a string, the symbols       | head_hash
 *             | target_bytes: a string, the symbols       | head_hash
 *             +-------------------------------------------+
 *
 * At the right is the hash that a part belongs to. head_hash is also of the header, where it is 0 itself. Strings have
 * their NUL; errors lack the path at their beginning, and symbols are as lb_vocabulary_print has them. For
 * each pair, there are these numbers of 16 bytes:
 *
 *             +----------------------------+----------------+----------+------------+------------+
 *    lb_place | offset: 43 bits            | bytes: 21 bits | hash: 32 | source: 16 | target: 16 |
 *             +----------------------------+----------------+----------+------------+------------+
 *       print | source: 64 bits                             | pair: 64 bits                      |
 *             +---------------------------------------------+------------------------------------+ */
#ifndef LB_PAIR_INDEX_H
#define LB_PAIR_INDEX_H

#include "data/pairs/pairs.h"
#include "io/file.h"
#include "io/scratch_file.h"

/** The bytes of a file, and how they are read. */
typedef struct lb_pair_index_key {
    uint64_t content, bytes; /* lb_hash_long of the whole file, and its size */
    uint64_t format;         /* lb_pair_index_format */
} lb_pair_index_key;

/* Another version of Lookback may find other pairs in the same bytes: whoever changes how lines are read, symbols are
 * hashed or pairs are held out raises it, as well as who changes the format. */
enum { LB_PAIR_INDEX_VERSION = 3 };

#define LB_PAIR_INDEX_MAGIC "lookback pairs\n"
#define LB_PAIR_INDEX_ORDER UINT32_C(0x01020304)

typedef struct lb_pair_index_header {
    char magic[16];
    uint32_t version, order;
    uint64_t head_hash, bulk_hash; /* lb_hash_long of what is drawn above */
    lb_pair_index_key key;
    uint64_t train, held_out; /* pairs */
    uint64_t lines, bad[LB_LINE_FORMAT], crlf, byte_order_mark, columns,
        pairs_hash;     /* as in lb_pairs_facts */
    uint64_t first_bad; /* how many are kept */
    uint64_t source_symbols, target_symbols;
    uint64_t errors_bytes, source_bytes, target_bytes; /* of the strings */
    uint64_t different;                                /* pairs for training */
} lb_pair_index_header;

/** The parts behind the header. */
enum {
    LB_PART_SOURCE_COUNTS,
    LB_PART_TARGET_COUNTS,
    LB_PART_TRAIN,
    LB_PART_HELD_OUT,
    LB_PART_PRINTS,
    LB_PART_WEIGHTS,
    LB_PART_ERRORS,
    LB_PART_SOURCE,
    LB_PART_TARGET,
    LB_PARTS
};

/* ---- pair_index.c ---- */

/** The hash of everything but the bytes of the file that decides which pairs there are: the format, the share of
 *  lb_pairs_hold_out (0: none are held out), and the version of Unicode. */
uint64_t lb_pair_index_format(const lb_pair_format *format, int32_t share);

/** Reads the whole file `path` to find its key.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_index_find_key(const char *path, const lb_pair_format *format, int32_t share,
                                             lb_pair_index_key *key, lb_error *error);

/** Cuts a file with a header into its parts. False if they do not fill it. */
bool lb_pair_index_cut(lb_bytes file, lb_bytes parts[LB_PARTS]);

/** Sets both hashes, or that of the bulk only if it is asked for. */
void lb_pair_index_seal(lb_pair_index_header *header, const lb_bytes parts[LB_PARTS], bool bulk);

/** The pairs for training, and those held out of them, with what the passes over them find. */
typedef struct lb_indexed_pairs {
    lb_pairs *train, *held_out;     /* NULL: none are held out */
    lb_vocabulary *source, *target; /* of train: all symbols */
    lb_scratch file;                /* a copy of the index, if they are from one */
    uint64_t id;                    /* of the index: another one has another */
} lb_indexed_pairs;

/** Makes the passes over pairs for training, without an index. NULL is what could not be opened, with its error.
 *  Memory: takes `train`; free `pairs` with lb_indexed_pairs_free, also after an error.
 *  Errors: as lb_pairs_hold_out and lb_pairs_tally_symbols. */
LB_MUST_USE lb_status lb_indexed_pairs_read(lb_indexed_pairs *pairs, lb_pairs *train, int32_t share,
                                            lb_error *error);

/** Writes the index of pairs from lb_indexed_pairs_read. `own` says that we chose its name, where a link is an error.
 *  Memory: 16 bytes per pair during the call, and as much for sorting.
 *  Errors: LB_ERROR_WRITE; errors of reading the pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_indexed_pairs_write(const lb_indexed_pairs *pairs, const char *index, bool own,
                                             const lb_pair_index_key *key, lb_error *error);

void lb_indexed_pairs_free(lb_indexed_pairs *pairs);

/* ---- pair_index_open.c ---- */

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

#endif
