/* Pairs reduced to hashes, to find those that are equal or contradict each other, and a report on pairs. */
#ifndef LB_PAIR_REPORT_H
#define LB_PAIR_REPORT_H

#include "data/pairs.h"

/* ---- pair_prints.c ---- */

/** The hashes of a source, and of source and target. The file of an index has it, too. */
typedef struct lb_pair_print {
    uint64_t source, pair;
} lb_pair_print;

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

/* ---- pair_report.c: a report, to read before training on the pairs. ---- */

/** All sources, or all targets, of a file. */
typedef struct lb_side_report {
    int32_t shortest, median, longest; /* in symbols; the median is the lower of two */
    int64_t symbols;                   /* different ones */
} lb_side_report;

/** One file. */
typedef struct lb_pair_file_report {
    const lb_pairs *pairs; /* NULL: there is no such file */
    lb_side_report source, target;
    lb_pair_repetitions repetitions;
} lb_pair_file_report;

/** A symbol that does not occur in training, and its count in the other file. */
typedef struct lb_unseen_symbol {
    const char *symbol;
    int64_t times;
} lb_unseen_symbol;

/** The symbols that do not occur in training, most frequent first. */
typedef struct lb_unseen_report {
    int64_t count, times;     /* different symbols; all occurrences */
    lb_unseen_symbol *unseen; /* [count] */
    lb_vocabulary *symbols;   /* owns them: all symbols of the file on this side */
} lb_unseen_report;

/** Both files. */
typedef struct lb_pair_report {
    lb_pair_file_report train, dev;
    int64_t shared_sources; /* pairs of dev whose source is also in train */
    int64_t shared_pairs;   /* of these, pairs with the same target */
    lb_unseen_report source, target;
    bool maybe_swapped; /* dev has more pairs than train */
    lb_strings odd;     /* lb_pair_oddities_find of train */
} lb_pair_report;

/** Examines the pairs for training and, unless NULL, for development. Texts are compared after normalisation, by hashes
 *  of 64 bits: among 10 million texts, the chance that two different ones have the same hash is 3 in a million.
 *  Vocabularies: of train, from lb_vocabulary_new_reserved and lb_pairs_tally_symbols, before any symbol is dropped. If
 *          both sides use the same one, symbols are those of both.
 *  Memory: 16 bytes per pair during the call, and as much for sorting; free `report` with lb_pair_report_free, also
 *          after an error. The pairs must outlive it.
 *  Errors: as lb_pairs_read. Cost: O(n log n). */
LB_MUST_USE lb_status lb_pair_report_make(lb_pairs *train, lb_pairs *dev, const lb_vocabulary *source,
                                          const lb_vocabulary *target, lb_pair_report *report,
                                          lb_error *error);

/** The report as lines of text.
 *  Memory: release the string with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE char *lb_pair_report_text(const lb_pair_report *report, lb_error *error);

/** Two lines of text on a test with this name: its pairs, and how many of them are in `train`; NULL: one line.
 *  Memory and errors: as for lb_pair_report_make and lb_pair_report_text. */
LB_MUST_USE char *lb_pair_report_test(lb_pairs *train, lb_pairs *test, const char *name, lb_error *error);

void lb_pair_report_free(lb_pair_report *report);

#endif
