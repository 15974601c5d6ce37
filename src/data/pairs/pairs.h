/* Pairs of texts in a file or in memory. */
#ifndef LB_PAIRS_H
#define LB_PAIRS_H

#include "base/progress.h"
#include "data/pairs/pair_line.h"

enum {
    LB_PAIRS_BAD_KEPT = 5,
    LB_PAIRS_COUNTED = 1 << 12 /* the counter hears of one line in so many */
};

/** What the reading of a file found besides its pairs. */
typedef struct lb_pairs_facts {
    int64_t lines;             /* good and bad lines */
    int64_t bad[LB_BAD_LINES]; /* skipped lines, by kind */
    lb_strings first_bad;      /* the errors of the first LB_PAIRS_BAD_KEPT of them */
    int64_t crlf;              /* lines that end in "\r\n" */
    bool byte_order_mark;
    uint64_t hash; /* of the symbols of all pairs, in order: identifies the pairs */
} lb_pairs_facts;

/* A file has at most 8 TiB, and a line LB_PAIR_LINE_BYTES, so that a place still has 16 bytes. */
enum { LB_PLACE_OFFSET_BITS = 43, LB_PLACE_BYTES_BITS = 64 - LB_PLACE_OFFSET_BITS };

/** One pair: the position of its line in the file, its lengths in bytes and in symbols, and the low bits of
 *  lb_hash_long of the bytes, by which a line that is read again is known to be the same, but for one change in 2^32.
 *  The file of an index has it, too. */
typedef struct lb_place {
    uint64_t offset : LB_PLACE_OFFSET_BITS, bytes : LB_PLACE_BYTES_BITS;
    uint32_t hash;
    uint16_t source, target;
} lb_place;

/** The hashes of a source, and of source and target. The file of an index has it, too. */
typedef struct lb_pair_print {
    uint64_t source, pair;
} lb_pair_print;

struct lb_pairs {
    char *path;
    lb_pair_file file;   /* zero if it is not open */
    lb_pair_texts texts; /* the pairs in memory, whose numbers are offsets then; zero: they are in the file */
    lb_pair_format format;  /* with what the file says about itself; its `kind` is that of the file */
    const lb_place *places; /* [count] those of `owned`, or of an index */
    lb_place *owned;        /* [capacity] */
    int64_t count;
    size_t capacity;
    const lb_pair_print *prints; /* [count] sorted, of an index; NULL: unknown */
    /* [count] what each pair counts in training, and 0 for one that equals another one before it, see
     * lb_pairs_take_stock; NULL: 1 */
    const float *weights;
    float *owned_weights; /* if they are not of an index */
    int64_t different;    /* pairs, by lb_pairs_take_stock or an index */
    const char *index;    /* the path of the index; NULL: there is none */
    lb_pairs_facts facts;
    lb_pair_line line; /* the last one read */
    lb_buffer window;  /* `held` bytes of the file from `start` on, or a pair in memory as a line */
    size_t held;
    uint64_t start;
    int64_t next;       /* after the last pair read: sequential reading gets more bytes at once */
    lb_counter counter; /* hears of passes over the pairs */
};

/* ---- pairs.c: opening files. ---- */

/** Whether there are such pairs in memory, or what was meant as some. */
bool lb_pair_texts_given(const lb_pair_texts *texts);

/** As lb_pairs_open. The counter hears of the reading and, as long as the pairs have it, of each further pass. */
LB_MUST_USE lb_pairs *lb_pairs_open_counted(const char *path, lb_pair_format format, lb_counter counter,
                                            lb_error *error);

/** The file `path` without pairs, not yet read. Memory and errors: as lb_pairs_open. */
LB_MUST_USE lb_pairs *lb_pairs_new(const char *path, const lb_pair_format *format, lb_error *error);

/** Adds the pair of a line, which is good, or may be skipped. The line gets its own number, see lb_pair_file_line.
 *  Errors: LB_ERROR_FORMAT for a bad line that must not be skipped; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pairs_take(lb_pairs *pairs, const char *name, lb_line *line, lb_error *error);

/** The same file, opened again, without pairs, for those that are held out.
 *  Memory: close and free it with lb_pairs_close; NULL after an error. Errors: LB_ERROR_MEMORY, LB_ERROR_OPEN. */
LB_MUST_USE lb_pairs *lb_pairs_new_held_out(const lb_pairs *pairs, lb_error *error);

/* ---- pairs_read.c: the pairs of an open file, or of texts in memory, one after the other. ---- */

lb_status lb_pairs_out_of_memory(const lb_pairs *pairs, lb_error *error);

/** Text `number` as a line of columns, in the window of the pairs. `name` receives its name in messages.
 *  Errors: LB_ERROR_FORMAT if it cannot be a line, and pairs->line.bad is its kind; LB_ERROR_MEMORY. */
enum { LB_PAIR_NAME = 32 };
LB_MUST_USE lb_status lb_pair_memory_line(lb_pairs *pairs, int64_t number, lb_line *line,
                                          char name[LB_PAIR_NAME], lb_error *error);

/** The symbols of a pair. Memory: `*line` is valid until the next call.
 *  Errors: LB_ERROR_INDEX if there is no such pair; LB_ERROR_OPEN if the file cannot be read any more; LB_ERROR_FORMAT
 *          if the line in the file has changed; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pairs_read(lb_pairs *pairs, int64_t pair, const lb_pair_line **line,
                                    lb_error *error);

/** From now on, the symbols are these subwords, which must outlive the pairs. Errors: as lb_pairs_read, and those of a
 *  line that is too long now. Cost: O(bytes). */
LB_MUST_USE lb_status lb_pairs_split_again(lb_pairs *pairs, const struct lb_subwords *source,
                                           const struct lb_subwords *target, lb_error *error);

/** Writes the ids of a pair: lb_pairs_source_length of them to `source` and lb_pairs_target_length to `target`, without
 *  LB_BOS and LB_EOS. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_pairs_encode(lb_pairs *pairs, int64_t pair, const lb_vocabulary *source_vocabulary,
                                      const lb_vocabulary *target_vocabulary, int32_t *source,
                                      int32_t *target, lb_error *error);

/** Counts the symbols of a line, see below. */
LB_MUST_USE lb_status lb_pair_line_tally(const lb_pair_line *line, lb_vocabulary *source,
                                         lb_vocabulary *target, lb_error *error);

/** Counts the symbols of all sources and targets. Both may use the same vocabulary; `target` may be NULL. Call
 *  lb_vocabulary_sort afterwards.
 *  Errors: errors of reading the file, as in lb_pairs_open; some of the symbols may have been counted by then. */
LB_MUST_USE lb_status lb_pairs_tally_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                             lb_error *error);

/** The same for vocabularies that it makes. Memory: free both with lb_vocabulary_free, also after an error. */
LB_MUST_USE lb_status lb_pairs_count_symbols(lb_pairs *pairs, lb_vocabulary **source, lb_vocabulary **target,
                                             lb_error *error);

/** The number of the line of a pair, counted from 1; 0 if the file cannot be read any more. Cost: O(bytes before
 *  it). */
int64_t lb_pairs_line_number(const lb_pairs *pairs, int64_t pair);

/** The number of pairs to train on: of those with a weight. */
int64_t lb_pairs_different(const lb_pairs *pairs);

/* ---- pair_prints.c: pairs reduced to hashes, to find those that are equal or contradict each other. ---- */

/** The prints of all pairs, sorted by source, then by pair.
 *  Memory: 16 bytes per pair, and as much for sorting; release them with lb_release. NULL after an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_pair_print *lb_pair_prints_make(lb_pairs *pairs, lb_error *error);

/** Counts the symbols, as lb_pairs_tally_symbols, and finds equal pairs, by their hashes, in one pass: gives all pairs
 *  weights, unless all differ. Several targets of a source share, by their numbers, what as many pairs count; pairs
 *  with weights of their own count as often as they are there.
 *  Memory: 4 bytes per pair; 24 more during the call, and as much for sorting. Errors and cost: as there. */
LB_MUST_USE lb_status lb_pairs_take_stock(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                          lb_error *error);

/** How pairs repeat. */
typedef struct lb_pair_repetitions {
    int64_t duplicates; /* pairs that equal another one before them */
    int64_t ambiguous;  /* different sources with more than one target */
    int64_t possible;   /* pairs that are right if each source gets its most frequent target */
} lb_pair_repetitions;

/** Sorts `count` prints, as those of lb_pair_prints_make are. */
void lb_pair_prints_sort(lb_pair_print *prints, int64_t count);

/** Counts the repetitions among sorted prints. */
lb_pair_repetitions lb_pair_prints_count(const lb_pair_print *prints, int64_t count);

/** The first of `count` sorted prints, or of structs of `size` bytes that begin with one, that is not before `wanted`;
 *  or their end. */
const void *lb_pair_prints_find(const void *sorted, int64_t count, size_t size, lb_pair_print wanted);

/** At most `most` pairs of `dev` whose source is in `train`, but never with their target, as texts with the numbers of
 *  their lines, in the order of `dev`; if there are more, "..." follows.
 *  Memory: 24 bytes per pair of `train` during the call, and as much for sorting; free `found` with lb_strings_free,
 *          also after an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_status lb_pair_conflicts_find(lb_pairs *train, lb_pairs *dev, int64_t most, lb_strings *found,
                                             lb_error *error);

/* ---- pair_order.c: the order of pairs in training, in batches of similar lengths, another one in each epoch. ---- */

/** The number of batches that are sorted by length together. A larger pool means less padding; a smaller pool means
 *  better mixed batches. */
enum { LB_PAIR_ORDER_POOL = 100 };

/** The pairs of each step, a function of seed and step: a resumed run has nothing to load.
 *  In each epoch, all pairs are shuffled and split into pools of LB_PAIR_ORDER_POOL batches. A pool is sorted by target
 *  length, then source length, and split into batches. The batches are shuffled. Each pair is in exactly one batch. If
 *  the division leaves a remainder, one batch is smaller. */
typedef struct lb_pair_order lb_pair_order;

/** The pairs of one step. */
typedef struct lb_pair_step {
    const int64_t *pair; /* [count] pair numbers */
    int64_t count;
} lb_pair_step;

/** The order of the pairs in batches of `batch_size`. It reads only the lengths of the pairs.
 *  Memory: 4 bytes per pair; `pairs` must outlive it; free it with lb_pair_order_free. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if the batch size is less than 1 or there are more than 2^32 pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed,
                                             lb_error *error);

/** Frees the order. NULL is allowed. */
void lb_pair_order_free(lb_pair_order *order);

/** The number of batches per epoch. */
int64_t lb_pair_order_batches(const lb_pair_order *order);

/** The pairs of a step, 0 <= step. Memory: `pair` is valid until the next call.
 *  Cost: O(batch size); O(pool) for the first batch of a pool, O(pairs) if the epoch differs from that of the previous
 *  call. */
lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step);

/* ---- Pairs for development. ---- */

/** Moves about one in `share` pairs out of a file into a new lb_pairs, numbered from 0: for development if there is no
 *  other file. A hash of the source decides. Pairs with the same source stay together, and added lines do not move
 *  other pairs. The path of the result is "held out from PATH"; of the facts it has only the number of lines.
 *  Memory: close and free it with lb_pairs_close, before or after `pairs`. NULL after an error; `pairs` is then
 *          unchanged.
 *  Errors: LB_ERROR_ARGUMENT if share < 2; LB_ERROR_FORMAT if either side would have no pairs; errors of reading the
 *          file, as in lb_pairs_open. Cost: O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_hold_out(lb_pairs *pairs, int64_t share, lb_error *error);

#endif
