/* Symbols, such as words, and the numbers that stand for them. */
#ifndef LB_VOCABULARY_H
#define LB_VOCABULARY_H

#include "tensor/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct lb_vocabulary lb_vocabulary;

/** A vocabulary of nothing but the special symbols, whose ids are 0, 1, 2 ... as given; `unknown` is the id of the one
 *  that stands for whatever the vocabulary does not have. Padding is LB_PAD: the first special symbol is for that.
 *  Memory: freed by lb_vocabulary_free; symbols are copied. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if a special symbol occurs twice or `unknown` is none of them; LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new(const char *const *specials, int32_t count, int32_t unknown,
                                             lb_error *error);

/** A vocabulary for texts that may contain anything: LB_FIRST_TOKEN special symbols, spelt <pad>, <bos>, <eos> and <unk>,
 *  are reserved by their ids alone. A text's own "<eos>" is a symbol like any other and gets an id of its own.
 *  Memory: freed by lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new_reserved(lb_error *error);

/** Frees the vocabulary. NULL is allowed. */
void lb_vocabulary_free(lb_vocabulary *vocabulary);

/** Counts an occurrence of each of `count` symbols; one that is new gets the next id.
 *  Cost:   O(length) a symbol.
 *  Errors: LB_ERROR_MEMORY; some of the symbols may have been counted then. */
LB_MUST_USE lb_status lb_vocabulary_add(lb_vocabulary *vocabulary, const char *const *symbols, size_t count,
                                        lb_error *error);

/** Drops what has been counted less than `least` times and gives new ids to the rest: the most frequent first, equal
 *  ones in the order of their characters. Special symbols stay where they are.
 *  Source: torchtext's build_vocab_from_iterator, with min_freq = least, which gives the same ids. */
void lb_vocabulary_sort(lb_vocabulary *vocabulary, int64_t least);

/** Number of ids. */
int32_t lb_vocabulary_size(const lb_vocabulary *vocabulary);

/** The id of a symbol, or that of the unknown one. */
int32_t lb_vocabulary_id(const lb_vocabulary *vocabulary, const char *symbol);

/** The symbol of an id; NULL of an id that it does not have. Memory: the vocabulary's. */
const char *lb_vocabulary_symbol(const lb_vocabulary *vocabulary, int32_t id);

/** How often the symbol of an id has been counted; 0 of an id that it does not have. */
int64_t lb_vocabulary_count(const lb_vocabulary *vocabulary, int32_t id);

/** Writes exactly `length` ids: those of the first of `count` symbols, and LB_PAD behind them if they are fewer. Returns
 *  how many are not padding. */
int32_t lb_vocabulary_encode(const lb_vocabulary *vocabulary, const char *const *symbols, size_t count,
                             int32_t *id, int32_t length);

#endif
