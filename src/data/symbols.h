/* Text as symbols: characters, or whatever stands between separators. */
#ifndef LB_SYMBOLS_H
#define LB_SYMBOLS_H

#include "lookback/data.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The symbols of a text, in order. Zero has none; each split uses the memory of the one before. */
typedef struct lb_symbols {
    size_t count;
    const char **symbol; /* [count] UTF-8, each a string of at least one character */
    char *letters;       /* where they lie */
    int32_t *characters; /* the text while it is normalised */
    size_t symbol_room, letter_room, character_room;
} lb_symbols;

/** Marks that may follow each other. Unicode's own limit for streams is 30; sorting them takes quadratic time. */
enum { LB_SYMBOL_MARKS = 255 };

/** Checks a rule. Errors: LB_ERROR_ARGUMENT if the separator is not UTF-8, contains a tab or the end of a line, or
 *  is not normalised as the rule says: no text would contain it. */
LB_MUST_USE lb_status lb_symbol_rule_check(const lb_symbol_rule *rule, lb_error *error);

/** Takes `length` bytes apart by a rule that lb_symbol_rule_check accepts. With an empty separator each character
 *  (code point) is a symbol, a blank too. An empty text has no symbols.
 *  Memory: freed by lb_symbols_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the text is not UTF-8 or has a zero byte, with the number of the byte (1 is the
 *          first); if it has an empty symbol, that is two separators in a row or one at an end; if it is to be
 *          normalised and more than LB_SYMBOL_MARKS combining marks follow each other. LB_ERROR_MEMORY.
 *  Cost:   O(length). */
LB_MUST_USE lb_status lb_symbols_split(const lb_symbol_rule *rule, const char *text, size_t length,
                                       lb_symbols *symbols, lb_error *error);

/** Puts `count` symbols together: the separator between them, and composed (NFC) unless the rule does not normalise or
 *  more than LB_SYMBOL_MARKS marks follow each other. What lb_symbols_split took apart comes back, in composed form.
 *  Memory: a string, to be given to lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE char *lb_symbols_join(const lb_symbol_rule *rule, const char *const *symbols, size_t count,
                                  lb_error *error);

/** Where hashes begin. */
#define LB_SYMBOLS_HASH UINT64_C(14695981039346656037)

/** A hash of 64 bits of the symbols and their ends, to go on with others from: FNV-1a. Its low bits are good for
 *  comparing, not for choosing. Source: Fowler, Noll, Vo 1991. */
uint64_t lb_symbols_hash(const lb_symbols *symbols, uint64_t hash);

/** Frees what lb_symbols_split made. */
void lb_symbols_free(lb_symbols *symbols);

#endif
