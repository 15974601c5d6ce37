/* Subwords: words in pieces, by byte-pair merges (Sennrich, Haddow and Birch 2016, arXiv:1508.07909).
 *
 * A text with a blank in front is cut into words. A word is a run of letters, of digits, or of other characters, with
 * the blank before it, if there is one. Marks and joiners belong to what is before them; of a run of blanks, all but
 * the last are a word of their own. The characters of a word are then joined pair by pair, in the order in which the
 * pairs were learned:
 *
 *     "the cats."  ->  " the", " cats", "."  ->  "▁the", "▁cat", "s", "."
 *
 * In a piece, a blank is U+2581. A piece that the vocabulary of a model lacks is taken apart again, down to its bytes,
 * "<0xC3>": so no text has an unknown symbol. Pieces that follow each other are the text again, byte for byte. */
#ifndef LB_SUBWORDS_H
#define LB_SUBWORDS_H

#include "base/table.h"
#include "data/text/symbols.h"

enum {
    LB_SUBWORD_MERGES = 100000, /* the most */
    LB_SUBWORD_PIECE = 255,     /* the most bytes of a piece that is made of others */
    LB_SUBWORD_LINK = 40        /* the bytes that cutting needs for a character */
};

/** The blank in front of a word, and the letters of a text in it. */
#define LB_SUBWORD_BLANK "\xE2\x96\x81"

/** What symbols are that are pieces, beside lb_symbol_kind_names. */
#define LB_SUBWORDS "subwords"

typedef struct lb_subword_piece {
    const char *text;
    int32_t left, right; /* the pieces that it is made of; negative: it is a character */
    bool allowed;        /* the vocabulary has it */
} lb_subword_piece;

/** Two neighbours, and what becomes of them, by the numbers of pieces. */
typedef struct lb_subword_merge {
    int32_t left, right, made;
} lb_subword_merge;

enum { LB_SUBWORD_BYTES = 256, LB_SUBWORD_BYTE_NAME = 7 };

/** Merges, and the pieces that they make. Only lb_subwords_restrict changes them. */
typedef struct lb_subwords {
    char *text;               /* the merges, a line for each */
    lb_vocabulary *ids;       /* pieces by their text; their numbers begin with LB_FIRST_TOKEN */
    lb_subword_piece *pieces; /* [piece_room], by number */
    size_t piece_room;
    lb_subword_merge *merges; /* [count], in their order */
    int64_t count;
    lb_table table;                                    /* of merges by their pairs */
    char byte[LB_SUBWORD_BYTES][LB_SUBWORD_BYTE_NAME]; /* "<0x00>" and so on */
} lb_subwords;

/** Merges as text: a line for each, in order, with its two pieces and a blank between them. A piece is a character, or
 *  made by a merge above it.
 *  Memory: free it with lb_subwords_free. NULL after an error.
 *  Errors: LB_ERROR_FORMAT, "merge 7: found X, expected Y"; LB_ERROR_MEMORY. */
LB_MUST_USE lb_subwords *lb_subwords_parse(const char *text, lb_error *error);

/** Frees them. NULL is allowed. */
void lb_subwords_free(lb_subwords *subwords);

/** From now on, there are only pieces of this vocabulary; all others are taken apart. Errors: LB_ERROR_FORMAT if it has
 *  the byte of a tab or of a line end; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_subwords_restrict(lb_subwords *subwords, const lb_vocabulary *vocabulary,
                                           lb_error *error);

/** Adds the symbols of `length` > 0 bytes of valid UTF-8 without zero bytes to those that there are. Their strings
 *  belong to the merges. `symbols` has room for length + 1 symbols and letters, and as many links. Returns where other
 *  letters may follow. Cost: O(length log length). */
char *lb_subwords_cut(const lb_subwords *subwords, const char *text, size_t length, lb_symbols *symbols);

/** Writes what a symbol stands for, at most as many bytes as it has. Returns the place behind it. */
char *lb_subwords_append(char *to, const char *symbol);

/** Turns what the symbols of a text stand for, `*length` bytes and a NUL, into the text: without the blank in front,
 *  and with U+FFFD for bytes that are not UTF-8.
 *  Memory: the text is taken over; release the result with lb_release. NULL if there is no memory. */
LB_MUST_USE char *lb_subwords_finish(char *text, size_t *length);

/** Adds the bytes that a text may have to a vocabulary. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_subwords_add_bytes(lb_vocabulary *vocabulary, lb_error *error);

/* ---- Words (subword_words.c). ---- */

/** What a character makes of its word: marks and joiners go with whatever is before them. */
typedef enum lb_subword_kind {
    LB_SUBWORD_LETTER,
    LB_SUBWORD_DIGIT,
    LB_SUBWORD_OTHER,
    LB_SUBWORD_INSIDE
} lb_subword_kind;

lb_subword_kind lb_subword_kind_of(int32_t character);

/** The next word of a text with a blank in front of it, from `*at` on, which moves to its end. Returns where it begins,
 *  or NULL at the end of the text. A U+2581 of the text is a word of its own, and what is not UTF-8 is no letter. */
const char *lb_subwords_next(const char **at, const char *end);

/** Different words, and how often the sources and targets of a training have them. Zero: none yet. */
typedef struct lb_subword_words {
    lb_vocabulary *words; /* written as pieces are */
    int64_t (*count)[2];  /* [room], by id */
    size_t room;
} lb_subword_words;

/** Counts the words of a source, `side` 0, or target, 1, whose symbols are characters, or features, which do not count.
 *  Memory: free them with lb_subword_words_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_subword_words_add(lb_subword_words *words, int side, const lb_symbols *text,
                                           lb_error *error);

void lb_subword_words_free(lb_subword_words *words);

/* ---- Merges that are learned from them (subword_learning.c). ---- */

/** Learns merges from words: again and again, the most frequent pair of neighbours becomes a piece; of equally frequent
 *  ones, that which was there first.
 *  Wanted: how many; there are fewer if no pair occurs twice any more.
 *  Least:  how often a side must have a piece; a rarer one is taken apart there.
 *  Kept:   receives the pieces of each side. Free them with lb_vocabulary_free, also after an error.
 *  Memory: release the text, for lb_subwords_parse, with lb_release. NULL after an error. Errors: LB_ERROR_MEMORY.
 *  Cost:   O(letters of the words + of those words that a merge changes). */
LB_MUST_USE char *lb_subwords_learn(const lb_subword_words *words, int64_t wanted, int64_t least,
                                    lb_vocabulary *kept[2], lb_error *error);

#endif
