/* How good outputs are: edit distance, error rates, BLEU, their intervals, confusions. */
#ifndef LOOKBACK_METRICS_H
#define LOOKBACK_METRICS_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- A sequence of symbols, as the measures see outputs and references. ---- */

/** Symbols by their ids, 0 or more, without any that stands for a beginning, an end or padding. */
typedef struct lb_sequence {
    const int32_t *id; /* [length] */
    int64_t length;
} lb_sequence;

/* ---- How far a sequence is from another, and which symbols make the difference. ---- */

/** The Levenshtein distance: the least number of symbols to insert, delete or replace that turns one sequence into the
 *  other.
 *  Cost:   O(a b) time, O(min(a, b)) memory for the time of the call.
 *  Errors: LB_ERROR_MEMORY.
 *  Source: Wagner and Fischer 1974, "The string-to-string correction problem". */
LB_MUST_USE lb_status lb_edit_distance(lb_sequence a, lb_sequence b, int64_t *distance, lb_error *error);

enum { LB_NO_SYMBOL = -1 };

/** A symbol of the reference and what stands in its place in the output. LB_NO_SYMBOL as `output`: it is missing there;
 *  as `reference`: the output has one too many. */
typedef struct lb_aligned {
    int32_t reference, output;
} lb_aligned;

/** The whole of both sequences, side by side; as many pairs differ as the distance says. */
typedef struct lb_alignment {
    lb_aligned *pair; /* [length] */
    int64_t length;
} lb_alignment;

/** Aligns an output with its reference by as few edits as can be. Of several ways, the one that, read from the end,
 *  first has a pair of two symbols, then a missing one, then one too many.
 *  Cost:   O(a b) time and bytes.
 *  Memory: the pairs are freed by lb_alignment_free. After an error there are none.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_alignment *alignment,
                                        lb_error *error);

/** Frees the pairs. */
void lb_alignment_free(lb_alignment *alignment);

/* ---- BLEU: how many of the output's n-grams occur in the references. ---- */

/** The longest n-grams that count. */
enum { LB_BLEU_ORDER = 4 };

/** What an output contributes. BLEU of several outputs is that of the sums of their statistics, no mean of theirs. */
typedef struct lb_bleu_statistics {
    int64_t matches[LB_BLEU_ORDER]; /* [n - 1]: n-grams of the output that a reference has, too */
    int64_t totals[LB_BLEU_ORDER];  /* [n - 1]: n-grams of the output */
    int64_t output_length, reference_length;
} lb_bleu_statistics;

/** What becomes of a precision whose matches are 0, which would make BLEU 0. */
typedef enum lb_bleu_smoothing {
    LB_BLEU_EXP,   /* the first such one is taken for 1/2 of a match, the next for 1/4, and so on (NIST) */
    LB_BLEU_NONE,  /* BLEU is 0 */
    LB_BLEU_FLOOR, /* taken for `value` of a match */
    LB_BLEU_ADD_K  /* `value` is added to matches and totals of all orders but the first, always */
} lb_bleu_smoothing;

/** Zero means the default in brackets. */
typedef struct lb_bleu_config {
    lb_bleu_smoothing smoothing; /* [LB_BLEU_EXP] */
    double value;                /* [LB_BLEU_FLOOR: 0.1, LB_BLEU_ADD_K: 1] */
} lb_bleu_config;

/** The statistics of one output against one or several references that are equally right: an n-gram matches as often as
 *  it occurs in the one that has most of it; the reference length is that next to the output's, of two the shorter.
 *  Cost: O(output (output + references)), without memory; meant for sentences. */
lb_bleu_statistics lb_bleu_count(lb_sequence output, const lb_sequence *references, int64_t count);

/** Adds `more` to `sum`. */
void lb_bleu_add(lb_bleu_statistics *sum, const lb_bleu_statistics *more);

/** BLEU from 0 to 100: the geometric mean of the precisions matches / totals, times the brevity penalty
 *  exp(1 - reference / output) for outputs that are shorter than their references. 0 if nothing matches, and, except
 *  with LB_BLEU_ADD_K, if no output has LB_BLEU_ORDER symbols.
 *  Source: Papineni, Roukos, Ward, Zhu 2002, "BLEU: a method for automatic evaluation of machine translation", as
 *          sacreBLEU computes it (Post 2018, arXiv:1804.08771), with tokenize none and without effective order;
 *          smoothing:
 *          Chen and Cherry 2014, "A systematic comparison of smoothing techniques for sentence-level BLEU", methods 3,
 *          none,
 *          1 and 2.
 *  Differs: tokens are symbols as they are; there is no tokenizer. */
double lb_bleu(const lb_bleu_statistics *sum, lb_bleu_config config);

/* ---- How good outputs are, measured against references: sequence, word and symbol error rate, BLEU. ---- */

/** What one output contributes to all measures. To score several outputs, add up their statistics first. */
typedef struct lb_statistics {
    int64_t outputs;          /* 1 */
    int64_t errors;           /* 1 if the output is none of its references */
    int64_t edits;            /* its distance from the nearest of them */
    int64_t reference_length; /* of that one */
    int64_t word_edits;       /* see lb_statistics_count_words; 0 where nobody counts words */
    int64_t reference_words;
    lb_bleu_statistics bleu;
} lb_statistics;

/** In percent, as they are usually reported. */
typedef struct lb_measures {
    double sequence_error_rate; /* outputs that are wrong; the exact match is 100 less this */
    double word_error_rate;     /* sum of word edits / sum of reference words */
    double
        symbol_error_rate; /* sum of edits / sum of reference lengths; above 100 if outputs are far too long */
    double bleu;
} lb_measures;

/** The statistics of an output against `count` references, any of which is right. The edits are those to the nearest
 *  reference, the first of equally near ones, whose place `nearest` receives unless it is NULL.
 *  Where a source has several rows in a file, one for each reference, there are two ways to count:
 *      each row on its own, with its one reference. A source with two rows gives at least one error. So does the script
 *      of
 *          SIGMORPHON's shared tasks on grapheme-to-phoneme conversion, whose tables are counted in this way.
 *      once for each source, with all its references. Kinder, and not to be compared with those tables.
 *  Errors: LB_ERROR_ARGUMENT without a reference, LB_ERROR_MEMORY.
 *  Source: evaluation/evaluate.py in github.com/sigmorphon/2021-task1 (the sequence error rate, there and in its
 *          tables "word error rate", WER, as each sequence is the pronunciation of one word) and task1/evaluation in
 *          github.com/sigmorphon/2020 (the symbol error rate, there "LER", elsewhere the phone error rate, "PER").
 *  Differs: the distance of the script of 2020 is too small where the difference is at the beginning, because the first
 *          row and column of its table hold ones instead of 0, 1, 2 ...; here it is Levenshtein's. */
LB_MUST_USE lb_status lb_statistics_of(lb_sequence output, const lb_sequence *references, int64_t count,
                                       lb_statistics *statistics, int64_t *nearest, lb_error *error);

/** Counts words: sets word_edits, the distance of two sequences whose ids stand for words, and reference_words. For
 *  outputs whose symbols are smaller than words; where the symbols are words, the symbol error rate is the word error
 *  rate.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_statistics_count_words(lb_sequence output, lb_sequence reference,
                                                lb_statistics *statistics, lb_error *error);

/** Adds `more` to `sum`, which starts from zero. */
void lb_statistics_add(lb_statistics *sum, const lb_statistics *more);

/** The measures of all that has been added. Without an output all are 0; edits of references that have no symbol at all
 *  are an infinite rate. */
lb_measures lb_measure(const lb_statistics *sum, lb_bleu_config config);

/* ---- How sure a measure is: the interval in which it would lie had other sentences been drawn. ---- */

/** Zero means the default in brackets. */
typedef struct lb_bootstrap_config {
    int64_t resamples; /* [1000] */
    double confidence; /* [0.95] */
    uint64_t seed;
    lb_bleu_config bleu;
} lb_bootstrap_config;

/** The ends of the intervals, in percent. */
typedef struct lb_intervals {
    lb_measures low, high;
} lb_intervals;

/** Intervals of all measures. Each resample draws as many outputs as there are, with replacement, from their
 *  statistics; of its measures, sorted, the resamples (1 - confidence) / 2 lowest and as many highest are cut off.
 *  Exact:  the same seed gives the same bits, on any number of threads.
 *  Cost:   O(resamples count), whatever the lengths; 10,000 outputs take about 0.1 s on one core.
 *  Memory: four numbers for each resample, for the time of the call.
 *  Errors: LB_ERROR_ARGUMENT without an output, for fewer than 1 resample or a confidence that is not between 0 and 1;
 *          LB_ERROR_MEMORY.
 *  Source: percentile bootstrap, Efron and Tibshirani 1993, "An introduction to the bootstrap", chapter 13; for corpus
 *          measures Koehn 2004, "Statistical significance tests for machine translation evaluation". */
LB_MUST_USE lb_status lb_bootstrap(const lb_statistics *outputs, int64_t count, lb_bootstrap_config config,
                                   lb_intervals *intervals, lb_error *error);

/* ---- Which symbol was written for which, and how often. ---- */

/** The reference has `reference` where the outputs have `output`; either may be LB_NO_SYMBOL. */
typedef struct lb_confusion {
    int32_t reference, output;
    int64_t count;
} lb_confusion;

/** Zero is an empty table. To be freed by lb_confusions_free. */
typedef struct lb_confusions {
    lb_confusion *pair; /* [count]; each pair once after lb_confusions_sort, more often before */
    int64_t count, capacity;
} lb_confusions;

/** Adds the edits of an output, as lb_edit_alignment finds them. Symbols that are right are no confusions.
 *  Errors: LB_ERROR_MEMORY; the table is sound then, but some of the edits may be missing. */
LB_MUST_USE lb_status lb_confusions_add(lb_confusions *confusions, lb_sequence reference, lb_sequence output,
                                        lb_error *error);

/** Sums up, and puts the most frequent pair first; equally frequent ones are in the order of their ids. */
void lb_confusions_sort(lb_confusions *confusions);

/** Frees the table. */
void lb_confusions_free(lb_confusions *confusions);

LB_END_DECLS

#endif
