/* The lexicon of a model: texts whose outputs are known, which a search never sees. It is an array of bytes in the
 * file of the model, and is found there entry by entry, without a copy of its texts in memory:
 *
 *     +----------+-----------+----------+-----------------------+----------+----------+-----
 *     | CRC-32   | 1: keys   | entries  | where each block      | block 0  | block 1  | ...
 *     | of what  | are       | uint32   | begins, uint32, from  | 16       | 16       |
 *     | follows  | folded    |          | block 0               | entries  | entries  |
 *     +----------+-----------+----------+-----------------------+----------+----------+-----
 *
 * Entries are in the order of the bytes of their keys. An entry has the number of bytes that its key shares with the
 * one before it (none at the beginning of a block), the number of the others, those bytes, the number of bytes of its
 * answers, and the answers. An answer has the number of its symbols, and each symbol is the number that it has in the
 * target vocabulary; 0, a number of bytes, and those bytes if it is not in it. All of these numbers have seven bits in
 * each byte, the lowest first, and the eighth bit if more follow.
 *
 * A key has the symbols of a source, with the separator of sources between them; each feature has a tab before it. */
#ifndef LB_LEXICON_H
#define LB_LEXICON_H

#include "base/buffer.h"
#include "data/symbols.h"
#include "lookback/base.h"

/** Bytes of a number of the head, and of the head. */
enum { LB_LEXICON_WORD = 4, LB_LEXICON_HEAD = 3 * LB_LEXICON_WORD };

/* ---- Finding entries (lexicon.c). ---- */

/** The name of the array in the file of a model. */
#define LB_LEXICON_ARRAY "lookback.lexicon"

/** A lexicon. Zero is none. */
typedef struct lb_lexicon {
    unsigned char *bytes; /* [size] */
    size_t size;
    int64_t entries;
    bool folds; /* keys are compared without their case */
} lb_lexicon;

/** Copies and opens a lexicon. It need not be one: what is read later stays within its bytes.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_FORMAT if its head is not that of a lexicon; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_open(lb_lexicon *lexicon, const void *bytes, size_t size, lb_error *error);

void lb_lexicon_free(lb_lexicon *lexicon);

/** The checksum, which says whether two lexicons are the same. */
uint32_t lb_lexicon_checksum(const lb_lexicon *lexicon);

/** Replaces `key` by the key of a source in symbols of the rule. A failure of memory is in `key`. */
void lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, bool folds, lb_buffer *key);

/** The source of a key, as people write it: the inverse of lb_lexicon_key, but for what is folded.
 *  Memory: release it with lb_release; NULL after an error. Errors: those of lb_symbols_split. */
LB_MUST_USE char *lb_lexicon_source(const lb_symbol_rule *rule, const char *key, lb_error *error);

/** The answers of an entry. Zero is none. */
typedef struct lb_lexicon_answers {
    const unsigned char *at, *end;
} lb_lexicon_answers;

/** Finds the answers of a key; none if there is no such entry.
 *  Errors: LB_ERROR_FORMAT if the lexicon is damaged. Cost: O(log(entries)) comparisons. */
LB_MUST_USE lb_status lb_lexicon_find(const lb_lexicon *lexicon, const lb_buffer *key,
                                      lb_lexicon_answers *answers, lb_error *error);

/** Replaces `symbols` by the next answer; none after the last one.
 *  Memory: free `symbols` with lb_strings_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the lexicon is damaged; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_next_answer(lb_lexicon_answers *answers, const lb_vocabulary *target,
                                             lb_strings *symbols, lb_error *error);

/** The error of a damaged lexicon. Returns LB_ERROR_FORMAT. */
lb_status lb_lexicon_damaged(lb_error *error);

/** A walk over all entries. It begins as a lexicon and zeros, and ends as `key.text` is released. */
typedef struct lb_lexicon_walk {
    const lb_lexicon *lexicon;
    int64_t entry; /* the number of the next one */
    lb_buffer key; /* of this one */
    lb_lexicon_answers answers;
    const unsigned char *at; /* after this one */
} lb_lexicon_walk;

/** Goes to the next entry. Before the first one it checks the checksum, and at each of them the order of keys. False at
 *  the end and after an error. Errors: LB_ERROR_FORMAT if the lexicon is damaged; LB_ERROR_MEMORY. */
bool lb_lexicon_walk_next(lb_lexicon_walk *walk, lb_error *error);

/* ---- Making one (lexicon_make.c). ---- */

/** Adds a number of an entry. */
void lb_lexicon_add_number(lb_buffer *bytes, size_t number);

/** Entries that are written in the order of their keys, and where their blocks begin. It begins as zeros. */
typedef struct lb_lexicon_table {
    lb_buffer entries, places, key; /* of the last one */
    int64_t count;
} lb_lexicon_table;

/** Adds an entry. A failure of memory is in a buffer. */
void lb_lexicon_table_add(lb_lexicon_table *table, const char *key, size_t length, const lb_buffer *answers);

void lb_lexicon_table_free(lb_lexicon_table *table);

/** A lexicon while it is made. It begins as zeros with `source`, `target` and `folds`. */
typedef struct lb_lexicon_maker {
    const lb_symbol_rule *source;
    const lb_vocabulary *target;
    bool folds;
    lb_buffer key, bytes;          /* of the next entry; of all of them, keys and answers */
    struct lb_lexicon_pair *pairs; /* [count] */
    size_t count, room;
    int64_t different; /* after lb_lexicon_finish: entries with several answers */
} lb_lexicon_maker;

/** Adds an answer. Of an entry with several, one that is given comes before one that is learned, and is the only kind
 *  of answer that the entry keeps; given ones keep their order, and of those that are learned the most frequent one is
 *  first. An answer that is there is not added again.
 *  Errors: LB_ERROR_FORMAT for an answer without symbols, or a source with features that the rule has not;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_add(lb_lexicon_maker *maker, const lb_symbols *source,
                                     const lb_symbols *answer, bool given, lb_error *error);

/** Makes the lexicon of what was added; none of nothing.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_ARGUMENT if it had 4 GiB or more; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_finish(lb_lexicon_maker *maker, lb_lexicon *lexicon, lb_error *error);

void lb_lexicon_maker_free(lb_lexicon_maker *maker);

#endif
