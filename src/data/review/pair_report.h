/* A report on pairs, to read before training on them, and what is odd about a file, as people have written it. */
#ifndef LB_PAIR_REPORT_H
#define LB_PAIR_REPORT_H

#include "data/pairs/pairs.h"
#include "data/text/text_kind.h"

/* ---- text_oddities.c: the texts of one side. ---- */

/** Pairs with something in common. */
typedef struct lb_odd_pairs {
    int64_t count, first; /* of pairs; the first of them */
} lb_odd_pairs;

/** Zero before the first text. */
typedef struct lb_text_oddities {
    int64_t texts;
    int64_t quoted, half_quoted; /* texts in quotes; those that only begin with one */
    int64_t enclosed;            /* in slashes, or in square brackets */
    int64_t blanks, loose;       /* texts with a blank; with one that no comma or the like is in front of */
    lb_odd_pairs doubled;        /* texts in quotes that have others within, each of them twice */
    lb_odd_pairs answers;        /* texts with a comma or the like, and a blank behind it */
    lb_odd_pairs no_break;       /* texts with U+00A0 */
} lb_text_oddities;

/** Counts one more pair. */
static inline void lb_odd_pairs_add(lb_odd_pairs *pairs, int64_t pair)
{
    if (pairs->count++ == 0) pairs->first = pair;
}

/** What is said about them. It begins with the pairs, the list and the error. */
typedef struct lb_remarks {
    const lb_pairs *pairs;
    lb_strings *list;
    lb_status status; /* the first error, after which nothing is said */
    lb_error *error;
} lb_remarks;

/** Adds a line. Errors: LB_ERROR_MEMORY. */
#define LB_REMARK(to, ...)                                                                                   \
    ((to)->status = (to)->status ? (to)->status : lb_strings_print((to)->list, (to)->error, __VA_ARGS__))

/** The line of a pair, for a remark. */
static inline long long lb_remark_line(const lb_remarks *remarks, int64_t pair)
{
    return (long long)lb_pairs_line_number(remarks->pairs, pair);
}

/** Looks at the text of a pair. */
void lb_text_oddities_look(lb_text_oddities *of, const lb_symbols *text, int64_t pair);

/** A side of the pairs, and its name. */
typedef enum lb_pair_side { LB_SIDE_SOURCE, LB_SIDE_TARGET } lb_pair_side;
extern const char *const lb_pair_side_names[];

/** Says what was odd about the texts of a side. */
void lb_text_oddities_say(const lb_text_oddities *of, lb_pair_side side, lb_remarks *remarks);

/** What the texts of both sides are. */
typedef struct lb_texts {
    lb_text_kind kind[2];
    double length[2]; /* of a word, in characters */
} lb_texts;

/** Looks at 5,000 pairs at most, evenly spaced. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_texts_look(lb_pairs *pairs, lb_texts *texts, lb_error *error);

/** Says which of them have symbols between blanks, with the separators that they lack, as options or as fields; false:
 *  there is nothing to say, about characters and sentences. */
bool lb_texts_say(const lb_texts *texts, const lb_pairs *pairs, bool options, char text[LB_MESSAGE_LENGTH]);

/* ---- lexicon_oddities.c: what of a lexicon does not fit its model. ---- */

/** The model that gets a lexicon. */
typedef struct lb_lexicon_model {
    const lb_vocabulary *source, *target;
    bool folds;      /* the lexicon is without case */
    lb_pairs *train; /* the pairs that it is trained on; NULL: unknown */
} lb_lexicon_model;

/** Zero before the first pair. */
typedef struct lb_lexicon_oddities {
    lb_odd_pairs capitals, comments, exchanged, answers, copies, numbers;
    lb_odd_pairs strange; /* targets of which the model knows no symbol */
} lb_lexicon_oddities;

/** Looks at a pair. */
void lb_lexicon_oddities_look(lb_lexicon_oddities *of, const lb_lexicon_model *model,
                              const lb_pair_format *format, const lb_pair_line *line, int64_t pair);

/** Says what was odd. */
void lb_lexicon_oddities_say(const lb_lexicon_oddities *of, lb_remarks *remarks);

/* ---- pair_oddities.c: what is odd, and what mends it. ---- */

/** Lines of text about faults that still leave a valid file: a first line like no other, symbols that hardly occur, the
 *  numbers of variants, quotes around everything, comments, and features that are none.
 *  Vocabularies: of the pairs, before any symbol is dropped.
 *  Model:  that gets the pairs as a lexicon; NULL: they are to be trained on.
 *  Memory: free `odd` with lb_strings_free, also after an error.
 *  Errors: as lb_pairs_read. Cost: O(bytes), unless the pairs are from an index: then nothing is said. */
LB_MUST_USE lb_status lb_pair_oddities_find(lb_pairs *pairs, const lb_vocabulary *source,
                                            const lb_vocabulary *target, const lb_lexicon_model *model,
                                            lb_strings *odd, lb_error *error);

/* ---- pair_report.c ---- */

/** Lines of text about the pairs for training and, unless NULL, for development. Texts are compared after
 *  normalisation, by hashes of 64 bits: among 10 million texts, the chance that two different ones have the same hash
 *  is 3 in a million.
 *  Vocabularies: of train, from lb_vocabulary_new_reserved and lb_pairs_tally_symbols, before any symbol is dropped. If
 *          both sides use the same one, symbols are those of both.
 *  Memory: 16 bytes per pair during the call, and as much for sorting; release the string with lb_release; NULL after
 *          an error.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE char *lb_pair_report(lb_pairs *train, lb_pairs *dev, const lb_vocabulary *source,
                                 const lb_vocabulary *target, lb_error *error);

/** Lines of text about a lexicon, opened with weights_beside: as about pairs for training, and what does not fit the
 *  model or contradicts the pairs that it is trained on. Memory and errors: as for lb_pair_report. */
LB_MUST_USE char *lb_pair_report_lexicon(lb_pairs *lexicon, const lb_lexicon_model *model, lb_error *error);

/** Two lines of text on a test with this name: its pairs, and how many of them are in `train`; NULL: one line.
 *  Memory and errors: as for lb_pair_report. */
LB_MUST_USE char *lb_pair_report_test(lb_pairs *train, lb_pairs *test, const char *name, lb_error *error);

#endif
