/* What texts are, by the words between their blanks, for the recipe, hints and measures alike. */
#ifndef LB_TEXT_KIND_H
#define LB_TEXT_KIND_H

#include "data/text/symbols.h"

typedef enum lb_text_kind {
    LB_TEXTS_CHARACTERS, /* words, names, formulas without blanks: each character is a symbol */
    LB_TEXTS_SYMBOLS,    /* between blanks: sounds, moves, a formal language */
    LB_TEXTS_WORDS, /* sentences of few words, which occur again and again; beside symbols, they are some, too */
    LB_TEXTS_PIECES, /* of words, as another tool has cut them */
    LB_TEXTS_SENTENCES
} lb_text_kind;

enum { LB_SENTENCE_WORDS = 4, LB_PIECE_MARKS = 3 };

/** What has been counted. Zero before the first text. */
typedef struct lb_text_facts {
    lb_vocabulary *seen, *words;       /* different texts, and their words */
    int64_t texts, several, sentences; /* texts of two words or more, and of LB_SENTENCE_WORDS or more */
    int64_t count, letters;            /* words, and their characters */
    int64_t formal; /* words with digits, brackets and other marks that sentences hardly have */
    int64_t pieces[LB_PIECE_MARKS]; /* words with a mark of pieces */
} lb_text_facts;

/** Counts the words of a text, up to a tab, unless it has been counted. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_text_facts_add(lb_text_facts *facts, const char *text, lb_error *error);

/** What the texts are. Most of these rules are for half of the texts, so that a few others change nothing. */
lb_text_kind lb_text_kind_of(const lb_text_facts *facts);

/** Makes words of pieces, in place, if the texts have any. */
void lb_text_join_pieces(const lb_text_facts *facts, char *text);

void lb_text_facts_free(lb_text_facts *facts);

#endif
