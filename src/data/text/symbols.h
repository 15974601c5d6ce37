/* Text as symbols, which are characters or the text between separators, and as words; vocabularies of symbols. */
#ifndef LB_SYMBOLS_H
#define LB_SYMBOLS_H

#include "base/buffer.h"
#include "base/bytes.h"
#include "lookback/data.h"

/** The symbols of a text, in order. A struct of zeros has none; each split reuses the memory of the previous one. */
typedef struct lb_symbols {
    size_t count;
    const char **symbol; /* [count] UTF-8, each a string of at least one character */
    char *letters;       /* their memory */
    int32_t *characters; /* the text during normalisation */
    void *links;         /* characters that are joined to subwords */
    size_t symbol_room, letter_room, character_room, link_room;
} lb_symbols;

/** The maximum number of marks in a row. The limit of Unicode for streams is 30; sorting them takes quadratic time. */
enum { LB_SYMBOL_MARKS = 255 };

bool lb_symbol_rule_has_features(const lb_symbol_rule *rule);

/** Checks a rule. Errors: LB_ERROR_ARGUMENT if a separator is not UTF-8, contains a tab or a line end, or is not in
 *  the normal form of the rule, so that no text would contain it. */
LB_MUST_USE lb_status lb_symbol_rule_check(const lb_symbol_rule *rule, lb_error *error);

/** Splits `length` bytes by a rule that lb_symbol_rule_check accepts. With an empty separator, each character (code
 *  point) is a symbol, even a blank. With a separator of blanks, a run of them counts as one, and those around the text
 *  as none. An empty text has no symbols.
 *  Memory: free it with lb_symbols_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the text is not UTF-8 or has a zero byte, with the number of the byte, counted from 1; if
 *          it has an empty symbol, from two separators in a row or one at an end, unless it is of blanks; if the rule
 *          has features and the text none; if it must be normalised and has more than LB_SYMBOL_MARKS combining marks
 *          in a row. LB_ERROR_MEMORY.
 *  Cost:   O(length). */
LB_MUST_USE lb_status lb_symbols_split(const lb_symbol_rule *rule, const char *text, size_t length,
                                       lb_symbols *symbols, lb_error *error);

/** Joins `count` symbols with the separator, and composes them (NFC), unless the rule does not normalise or there are
 *  more than LB_SYMBOL_MARKS marks in a row. It is the inverse of lb_symbols_split, in composed form.
 *  Memory: release the string with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE char *lb_symbols_join(const lb_symbol_rule *rule, const char *const *symbols, size_t count,
                                  lb_error *error);

/** Room for a symbol in a message; a longer one is cut. */
enum { LB_SYMBOL_SHOWN = 96 };

/** Whether a symbol begins with a combining mark, such as U+0308, which shows only on the letter before it. */
bool lb_symbol_is_mark(const char *symbol);

/** A symbol in a message: its name, with the numbers of characters that cannot be seen, such as "U+00A0", or that have
 *  no letter to combine with. Returns `shown`. */
const char *lb_symbol_show(const char *symbol, char shown[LB_SYMBOL_SHOWN]);

/** A hash, see lb_hash, of the symbols and their ends, which can be continued with further symbols. */
uint64_t lb_symbols_hash(const lb_symbols *symbols, uint64_t hash);

void lb_symbols_free(lb_symbols *symbols);

/** What a symbol is without a separator: "characters", or "graphemes" where lb_symbol_rule.graphemes is true. NULL is
 *  the last, as in all such lists. */
extern const char *const lb_symbol_kind_names[];

/** "none", "nfc", "nfd", by lb_normal_form. */
extern const char *const lb_normal_form_names[];

/* ---- crossed_sources.c: sources that nobody has written, the beginning of one and the end of another. ---- */

/** Makes up sources for a teacher. Each crosses two of the given ones at a place before which both have the same two
 *  symbols: from "nation" and "actif", "natif" and "action". So every three symbols in a row occur in a given source,
 *  and features belong to the end. All are different, from each other and from the given ones.
 *  Given:  texts that the rule accepts.
 *  Made:   receives at most `wanted` texts; fewer, or none, if few crossings are new. Free it with lb_strings_free,
 *          also after an error.
 *  Errors: those of lb_symbols_split; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_cross_sources(const lb_symbol_rule *rule, const lb_strings *given, size_t wanted,
                                       uint64_t seed, lb_strings *made, lb_error *error);

/* ---- words.c: text as words, and in lower case. ---- */

/** Puts `by`, which is no longer, in the place of a text wherever it occurs. */
void lb_text_replace(char *text, const char *what, const char *by);

/** The words of a text, in order. */
typedef struct lb_words {
    size_t count;
    const char **word; /* [count] UTF-8 strings */
    char *letters;     /* their memory */
} lb_words;

/** Whether a string of valid UTF-8 contains only white space. */
bool lb_words_none(const char *text);

/** Splits valid UTF-8 at white space of any script, like text.split() in Python. Punctuation belongs to its word:
 *  "good," is not "good".
 *  Memory: free it with lb_words_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_words_split(const char *text, lb_words *words, lb_error *error);

void lb_words_free(lb_words *words);

/** The maximum bytes of the lower case of `length` bytes: a letter that grows takes 3 bytes instead of 2. */
#define LB_LOWER_CASE_ROOM(length) ((length) + (length) / 2)

/** Writes the lower case of `length` bytes of valid UTF-8 to `lower`, which has LB_LOWER_CASE_ROOM. Returns its length.
 *  As:     str.lower() in Python, which is the default mapping of the Unicode Standard, section 3.13: a capital sigma
 *          at the end of a word becomes a final sigma, and the Turkish capital i with a dot becomes an i and a dot
 *          above.
 *  Cost:   O(length). */
size_t lb_lower_case(const char *text, size_t length, char *lower);

/* ---- vocabulary.c: symbols, such as words, and their ids. ---- */

bool lb_symbol_is_feature(const char *symbol);

/** The name of a symbol, for people: without the tab of a feature. */
const char *lb_symbol_name(const char *symbol);

/** The count of the symbol with this id; 0 if there is no such id. */
int64_t lb_vocabulary_count(const lb_vocabulary *vocabulary, int32_t id);

/** Sets the counts [size] of all symbols, by id. */
void lb_vocabulary_set_counts(lb_vocabulary *vocabulary, const int64_t *counts);

/* ---- A vocabulary as text, as stored in the file of a model. ---- */

/** A JSON array of all symbols, including special ones, in the order of their ids. It does not contain counts.
 *  Memory: release it with lb_release; NULL if there is no memory. */
char *lb_vocabulary_print(const lb_vocabulary *vocabulary);

/** Reads the output of lb_vocabulary_print for a vocabulary from lb_vocabulary_new_reserved, of `most` symbols at most.
 *  Every symbol has count 1.
 *  Memory: free it with lb_vocabulary_free. NULL after an error.
 *  Errors: LB_ERROR_FORMAT if `text` is NULL or not such an array, which begins with the special symbols; if it has
 *          too many, which takes no memory; or if a symbol occurs twice, is empty or contains a tab or a line end,
 *          which no TSV file can contain; LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_parse(const char *text, int32_t most, lb_error *error);

/* ---- pieces.c: features, or several right answers. ---- */

/** The pieces of a text, one after the other. */
typedef struct lb_pieces {
    const char *at, *end; /* what is left; `at` is NULL after the last piece */
    const char *separator;
    bool nested; /* a separator within brackets is part of its piece */
} lb_pieces;

/** Begins with a text, whose brackets are letters. Separator: of at least one byte. */
static inline lb_pieces lb_pieces_at(lb_span text, const char *separator)
{
    return (lb_pieces){.at = text.text, .end = text.text + text.length, .separator = separator};
}

/** The same, but brackets of each kind keep together what is in them, as in "PSS(1,PL)" or "N;non{NOM;ACC}",
 *  unless one of them has no partner, or the separator has one: then they are letters.
 *  Cost: O(length), for all pieces together, too. */
lb_pieces lb_pieces_of(lb_span text, const char *separator);

/** The next piece, which may be empty; false after the last one. There is at least one. */
bool lb_pieces_next(lb_pieces *pieces, lb_span *piece);

#endif
