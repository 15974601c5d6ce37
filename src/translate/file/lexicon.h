/* The lexicon of a model: texts whose outputs are known, which a search never sees. It is an array of bytes in the
 * file of the model, and is found there entry by entry, without a copy of its texts in memory:
 *
 *     +----------+-----------+----------+-------------------------------------------+-----
 *     | CRC-32   | 1: keys   | entries  | the first entry: shared bytes, rest of    | the
 *     | of what  | are       | uint32   | the key, 0, answer, 0, answer, ..., 0xFF  | next
 *     | follows  | folded    |          |                                           | one
 *     +----------+-----------+----------+-------------------------------------------+-----
 *
 * Entries are in the order of the bytes of their keys; lexicon_search.h has more about them. A key is a source, in the
 * normal form of the model; an answer is a target as people write it. */
#ifndef LB_LEXICON_H
#define LB_LEXICON_H

#include "base/buffer.h"
#include "data/text/symbols.h"
#include "lookback/base.h"

/** The name of the array in the file of a model. */
#define LB_LEXICON_ARRAY "lookback.lexicon"

/** A lexicon. Zero is none. */
typedef struct lb_lexicon {
    char *bytes; /* [size] */
    size_t size;
    int64_t entries;
    bool folds; /* keys are compared without their case */
} lb_lexicon;

/** Copies and opens a lexicon. All of it is checked: its checksum, the number and order of its entries, and that keys
 *  and answers are texts of these rules, on one line. What is opened is sound.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_FORMAT, with the number of the entry; LB_ERROR_MEMORY.
 *  Cost:   O(size). */
LB_MUST_USE lb_status lb_lexicon_open(lb_lexicon *lexicon, const lb_symbol_rule *source,
                                      const lb_symbol_rule *target, const void *bytes, size_t size,
                                      lb_error *error);

void lb_lexicon_free(lb_lexicon *lexicon);

/** The key of a source in symbols of the rule. Memory: release it with lb_release; NULL after an error.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE char *lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, bool folds,
                                 lb_error *error);

/** The answers of a key; NULL if there is no such entry. Cost: O(log(bytes)) comparisons. */
const char *lb_lexicon_find(const lb_lexicon *lexicon, const char *key);

/** Takes the next answer, of `*length` bytes. NULL after the last one. */
const char *lb_lexicon_next_answer(const char **answers, size_t *length);

/** A walk over all entries. It begins as a lexicon and zeros, and is ended by lb_lexicon_walk_end. */
typedef struct lb_lexicon_walk {
    const lb_lexicon *lexicon;
    int64_t entry;             /* the number of this one, from 1 */
    lb_buffer key;             /* of this one */
    const char *answers, *end; /* of this one */
} lb_lexicon_walk;

/** Goes to the next entry. False at the end and after an error. Errors: LB_ERROR_MEMORY. */
bool lb_lexicon_walk_next(lb_lexicon_walk *walk, lb_error *error);

void lb_lexicon_walk_end(lb_lexicon_walk *walk);

/* ---- Making one. ---- */

/** Entries while they are written. Zero is none. */
typedef struct lb_lexicon_writer {
    lb_buffer bytes, key; /* the key of the last one */
    int64_t entries;
} lb_lexicon_writer;

/** Adds an entry, whose key of `length` bytes is after that of the last one. `answers` have NULs between them. */
void lb_lexicon_write(lb_lexicon_writer *writer, const char *key, size_t length, const char *answers,
                      size_t bytes);

/** The bytes, for lb_release; NULL if memory has run out, or there are none. */
LB_MUST_USE char *lb_lexicon_write_end(lb_lexicon_writer *writer);

/** A lexicon while it is made. It begins as zeros with `source`, `target` and `folds`. */
typedef struct lb_lexicon_maker {
    const lb_symbol_rule *source, *target;
    bool folds;
    lb_vocabulary *pairs; /* keys and answers, with 0xFF between them */
    int32_t given;        /* the number of the first one that is learned */
    int64_t different;    /* after lb_lexicon_finish: entries with several answers */
} lb_lexicon_maker;

/** Adds an answer; those that are given come before those that are learned. Of an entry with several, one that is given
 *  is before one that is learned, and is the only kind of answer that the entry keeps; given ones keep their order, and
 *  of those that are learned the most frequent one is first. An answer that is there is not added again.
 *  Errors: LB_ERROR_FORMAT for an answer without symbols, or a source with features that the rule has not;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_add(lb_lexicon_maker *maker, const lb_symbols *source,
                                     const lb_symbols *answer, bool given, lb_error *error);

/** Makes the lexicon of what was added; none of nothing.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_finish(lb_lexicon_maker *maker, lb_lexicon *lexicon, lb_error *error);

void lb_lexicon_maker_free(lb_lexicon_maker *maker);

#endif
