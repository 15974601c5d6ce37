/* The lexicon of a model: texts whose outputs are known, which a search never sees. It is an array of bytes in the
 * file of the model, and is found there entry by entry, without a copy of its texts in memory:
 *
 *     +----------+-----------+----------+-------------------------------------------+-----
 *     | CRC-32   | what keys | entries  | the first entry: shared bytes, rest of    | the
 *     | of what  | are:      | uint32   | the key, 0, answer, 0, answer, ..., 0xFF  | next
 *     | follows  | see below |          |                                           | one
 *     +----------+-----------+----------+-------------------------------------------+-----
 *
 * Entries are in the order of the bytes of their keys; lexicon_search.h has more about them. A key is a source, in the
 * normal form of the model; an answer is a target as people write it. Where keys are in small letters, an answer to a
 * source that is spelled otherwise has 0xFE, the source and 0xFE in front. */
#ifndef LB_LEXICON_H
#define LB_LEXICON_H

#include "base/buffer.h"
#include "data/text/symbols.h"
#include "lookback/base.h"

/** The name of the array in the file of a model. */
#define LB_LEXICON_ARRAY "lookback.lexicon"

/** What keys are, by the numbers that a file has for it. */
typedef enum lb_lexicon_keys {
    LB_KEYS_EXACT, /* sources as they are */
    LB_KEYS_FOLDED, /* by full case folding, as in older files: "Masse" is "Maße", and no answer has a spelling */
    LB_KEYS_SMALL /* in small letters, with the spelling of sources beside their answers */
} lb_lexicon_keys;

/** A lexicon. Zero is none. */
typedef struct lb_lexicon {
    char *bytes; /* [size] */
    size_t size;
    int64_t entries;
    lb_lexicon_keys keys;
} lb_lexicon;

/** Copies and opens a lexicon. All of it is checked: its checksum, the number and order of its entries, and that keys
 *  and answers are texts of these rules, on one line. What is opened is sound.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_FORMAT, with the number of the entry; LB_ERROR_MEMORY.
 *  Cost:   O(size). */
LB_MUST_USE lb_status lb_lexicon_open(lb_lexicon *lexicon, const lb_symbol_rule *source,
                                      const lb_symbol_rule *target, const void *bytes, size_t size,
                                      lb_error *error);

void lb_lexicon_free(lb_lexicon *lexicon);

/** A character as keys in small letters have it. */
int32_t lb_lexicon_small(int32_t character);

/** The key of a source in symbols of the rule. Memory: release it with lb_release; NULL after an error.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE char *lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, lb_lexicon_keys keys,
                                 lb_error *error);

/** The answers of a key; NULL if there is no such entry. Cost: O(log(bytes)) comparisons. */
const char *lb_lexicon_find(const lb_lexicon *lexicon, const char *key);

/** Takes the next answer, of `*length` bytes. NULL after the last one. */
const char *lb_lexicon_next_answer(const char **answers, size_t *length);

/** Whether the sources of the next answers are spelled alike. */
bool lb_lexicon_are_alike(const char *answers, const char *others);

/** How the source of the next answer is spelled, in `*length` bytes, if not as the key; NULL: so, `*length` stays. */
const char *lb_lexicon_spelling(const char *answers, size_t *length);

/** The answers to a source: those of `like` come first, whose source is spelled alike. NULL: there are none. */
typedef struct lb_lexicon_answers {
    const char *first, *like;
} lb_lexicon_answers;

/** Finds them. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_ask(const lb_lexicon *lexicon, const lb_symbol_rule *rule,
                                     const lb_symbols *source, lb_lexicon_answers *answers, lb_error *error);

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
    bool folds;           /* keys are in small letters */
    double weight;        /* of the answer that is given next; 0: it has none */
    bool weighed;         /* one has had a weight */
    lb_vocabulary *pairs; /* keys and answers, with 0xFF between them */
    double *weights;      /* [given - LB_FIRST_TOKEN] of those that are given */
    size_t room;
    int32_t given;     /* the number of the first one that is learned */
    int64_t different; /* after lb_lexicon_finish: entries with several answers to one spelling */
} lb_lexicon_maker;

/** Adds an answer; those that are given come before those that are learned. Of an entry with several, one that is given
 *  is before one that is learned, and is the only kind of answer that the entry keeps. Given ones are in the order of
 *  their weights, the greatest first, and of their numbers; of those that are learned the most frequent one is first.
 *  An answer that is there is not added again, but its weight is.
 *  Errors: LB_ERROR_FORMAT for an answer without symbols, or a source with features that the rule has not;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_add(lb_lexicon_maker *maker, const lb_symbols *source,
                                     const lb_symbols *answer, bool given, lb_error *error);

/** Makes the lexicon of what was added; none of nothing.
 *  Memory: freed by lb_lexicon_free. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_lexicon_finish(lb_lexicon_maker *maker, lb_lexicon *lexicon, lb_error *error);

void lb_lexicon_maker_free(lb_lexicon_maker *maker);

#endif
