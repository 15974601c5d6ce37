/* The quality of outputs: edit distance, error rates, BLEU, chrF, confidence intervals, confusions; and how a model
 * attends. */
#ifndef LOOKBACK_METRICS_H
#define LOOKBACK_METRICS_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- Sequences of symbols: outputs and references. ---- */

/** The ids of symbols, each 0 or more, without start, end and padding. */
typedef struct lb_sequence {
    const int32_t *id; /* [length] */
    int64_t length;
} lb_sequence;

/* ---- Edit distance of two sequences. ---- */

/** The Levenshtein distance: the minimum number of insertions, deletions and substitutions of symbols that turn one
 *  sequence into the other.
 *  Exact:  if the product of the lengths is at most 2^34, as for two sequences of 131,072 symbols. Longer sequences
 *          are cut into pieces of equal share, and the distance is the sum of theirs: at least the true one.
 *  Cost:   O((a + b) log a + a b / 64), with 2^34 in place of a larger product, which takes about a second; at most 24
 *          bytes for each symbol during the call.
 *  Errors: LB_ERROR_MEMORY.
 *  Source: Wagner and Fischer 1974, "The string-to-string correction problem"; 64 rows of their table at a time: Myers
 *          1999, "A fast bit-vector algorithm for approximate string matching based on dynamic programming". */
LB_MUST_USE lb_status lb_edit_distance(lb_sequence a, lb_sequence b, int64_t *distance, lb_error *error);

/** No symbol, where one is missing. */
enum { LB_NO_SYMBOL = -1 };

/* ---- BLEU: how many n-grams of the output occur in the references. ---- */

/** The longest n-grams that BLEU counts. */
enum { LB_BLEU_ORDER = 4 };

/** The statistics of an output. To score several outputs, add up their statistics first; do not average scores. */
typedef struct lb_bleu_statistics {
    int64_t matches[LB_BLEU_ORDER]; /* [n - 1]: n-grams of the output that also occur in a reference */
    int64_t totals[LB_BLEU_ORDER];  /* [n - 1]: n-grams of the output */
    int64_t output_length, reference_length;
} lb_bleu_statistics;

/** How to treat a precision without matches, which would make BLEU 0. */
typedef enum lb_bleu_smoothing {
    LB_BLEU_EXP,   /* the first one counts as 1/2 of a match, the next as 1/4, and so on (NIST) */
    LB_BLEU_NONE,  /* BLEU is 0 */
    LB_BLEU_FLOOR, /* it counts as `value` of a match */
    LB_BLEU_ADD_K  /* `value` is always added to the matches and totals of all orders except the first */
} lb_bleu_smoothing;

/** BLEU from 0 to 100: the geometric mean of the precisions matches / totals, times the brevity penalty
 *  exp(1 - reference / output) for outputs that are shorter than their references. It is 0 if nothing matches.
 *  Otherwise, except with LB_BLEU_ADD_K, it is not defined if no output has LB_BLEU_ORDER symbols: NaN.
 *  Source:  Papineni, Roukos, Ward, Zhu 2002, "BLEU: a method for automatic evaluation of machine translation", as
 *           computed by sacreBLEU (Post 2018, arXiv:1804.08771) with tokenize none and without effective order.
 *           Smoothing: Chen and Cherry 2014, "A systematic comparison of smoothing techniques for sentence-level BLEU",
 *           methods 3, none, 1 and 2.
 *  Differs: tokens are symbols; there is no tokenizer. A score that is not defined is 0, even for outputs that
 *  are right.
 *  Zero means the default in brackets. */
typedef struct lb_bleu_config {
    lb_bleu_smoothing smoothing; /* [LB_BLEU_EXP] */
    double value;                /* [LB_BLEU_FLOOR: 0.1, LB_BLEU_ADD_K: 1] */
} lb_bleu_config;

/* ---- chrF: how many n-grams of characters the output and the reference have in common. ---- */

/** The longest n-grams that chrF counts. */
enum { LB_CHRF_ORDER = 6 };

/** The statistics of an output. To score several outputs, add up their statistics first.
 *  Formula: F = 5 P R / (4 P + R), where recall R counts twice as much as precision P (beta = 2). P is the mean of
 *           matches / outputs and R that of matches / references, over the lengths of n-grams that both sides have.
 *  Source:  Popovic 2015, "chrF: character n-gram F-score for automatic MT evaluation", as computed by sacreBLEU (Post
 *           2018, arXiv:1804.08771) by default: chrF2, of characters without white space and not of words. */
typedef struct lb_chrf_statistics {
    int64_t matches[LB_CHRF_ORDER]; /* [n - 1]: n-grams of the output that also occur in the reference */
    int64_t outputs[LB_CHRF_ORDER]; /* [n - 1]: n-grams of the output; 0 if the reference has none so long */
    int64_t references[LB_CHRF_ORDER]; /* [n - 1]: n-grams of the reference */
} lb_chrf_statistics;

/* ---- Measures of outputs against references: sequence, word and symbol error rate, BLEU, chrF. ---- */

/** The statistics of one output for all measures. To score several outputs, add up their statistics first. */
typedef struct lb_statistics {
    int64_t outputs;          /* 1 */
    int64_t errors;           /* 1 if the output equals none of its references */
    int64_t edits;            /* its distance from the nearest reference */
    int64_t reference_length; /* length of the nearest reference */
    int64_t word_edits;       /* see lb_statistics_count_words; 0 if words are not counted */
    int64_t reference_words;
    lb_bleu_statistics bleu;     /* of the symbols */
    lb_bleu_statistics bleu_13a; /* see lb_statistics_count_text; 0, as is chrf2, if texts are not counted */
    lb_chrf_statistics chrf2;
} lb_statistics;

/** Measures in percent, as they are usually reported. */
typedef struct lb_measures {
    double sequence_error_rate; /* wrong outputs; exact match is 100 minus this */
    double word_error_rate;     /* sum of word edits / sum of reference words */
    /* Sum of edits / sum of reference lengths; above 100 if outputs are far too long. */
    double symbol_error_rate;
    double bleu;     /* of the symbols; NaN if it is not defined, see lb_bleu_config */
    double bleu_13a; /* of the words of texts, with LB_BLEU_EXP; NaN if no output has four words */
    double chrf2;    /* of the characters of texts */
} lb_measures;

/** The statistics of an output against `count` references, each of which is correct. Edits are counted against the
 *  nearest reference, the first of equally near ones. `nearest` receives its index, unless it is NULL.
 *  If a source has several rows in a file, one per reference, there are two ways to count:
 *      each row separately, with its one reference: a source with two different rows gives at least one error. The
 *          script of the SIGMORPHON shared tasks on grapheme-to-phoneme conversion, and therefore their tables, count
 *          this way.
 *      each source once, with all its references: this gives lower rates, which do not compare with those tables.
 *  Cost:    that of lb_edit_distance for each reference, and O(symbols log(symbols)); at most 25 bytes for each
 *           symbol during the call.
 *  Errors:  LB_ERROR_ARGUMENT without a reference, LB_ERROR_MEMORY.
 *  Source:  evaluation/evaluate.py in github.com/sigmorphon/2021-task1 (the sequence error rate, called "word error
 *           rate", WER, in its tables, because each sequence is the pronunciation of one word) and task1/evaluation in
 *           github.com/sigmorphon/2020 (the symbol error rate, called "LER" there and phone error rate, "PER",
 *           elsewhere).
 *  Differs: the script of 2020 computes too small a distance if the difference is at the start, because the first row
 *           and column of its table are ones instead of 0, 1, 2 ... Here it is the Levenshtein distance. */
LB_MUST_USE lb_status lb_statistics_of(lb_sequence output, const lb_sequence *references, int64_t count,
                                       lb_statistics *statistics, int64_t *nearest, lb_error *error);

/** Counts words: sets word_edits, the distance of two sequences of word ids, and reference_words. For outputs whose
 *  symbols are smaller than words. If the symbols are words, the symbol error rate is the word error rate.
 *  Cost:   that of lb_edit_distance. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_statistics_count_words(lb_sequence output, lb_sequence reference,
                                                lb_statistics *statistics, lb_error *error);

/** Counts what BLEU and chrF of translations are computed from, as papers report them: sets bleu_13a and chrf2. Texts
 *  are as a reader sees them, detokenised and in one normal form. Words are those of the tokenization 13a; characters
 *  are code points other than white space. Each reference is correct: BLEU takes n-grams from all of them, chrF the
 *  most similar one.
 *  Lower:   compare in lower case, as str.lower() in Python.
 *  Cost:    O(bytes log(bytes)), and the bytes of the output once more for each reference.
 *  Errors:  LB_ERROR_ARGUMENT without a reference; LB_ERROR_FORMAT for a text that is not UTF-8; LB_ERROR_MEMORY.
 *  Source:  sacreBLEU (Post 2018, arXiv:1804.08771): BLEU with case:mixed, or case:lc, eff:no, tok:13a and smooth:exp,
 *           and chrF2 with eff:yes, nc:6, nw:0 and space:no. */
LB_MUST_USE lb_status lb_statistics_count_text(const char *output, const char *const *references,
                                               int64_t count, bool lower, lb_statistics *statistics,
                                               lb_error *error);

/** Adds `more` to `sum`, which starts from zero. */
void lb_statistics_add(lb_statistics *sum, const lb_statistics *more);

/** The measures of added-up statistics. Without outputs all are 0. If all references are empty, edits give an infinite
 *  rate. */
lb_measures lb_measure(const lb_statistics *sum, lb_bleu_config config);

/* ---- Confidence intervals of measures, by the bootstrap and by Wilson's formula. ---- */

/** Zero means the default in brackets. */
typedef struct lb_bootstrap_config {
    int64_t resamples; /* [1000] */
    double confidence; /* [0.95] */
    uint64_t seed;
    lb_bleu_config bleu;
} lb_bootstrap_config;

/** The ends of the intervals, in percent. NaN: there is none. */
typedef struct lb_intervals {
    lb_measures low, high;
} lb_intervals;

/** Confidence intervals of all measures. That of the sequence error rate, a share of the outputs, is Wilson's, which
 *  has a width even if all of them are right. For the others, each resample draws `count` outputs with replacement; the
 *  interval leaves out the lowest and the highest (1 - confidence) / 2 of the values that are defined. If these are all
 *  the same, they tell nothing of the width, and there is no interval.
 *  Exact:  the same seed gives the same bits with any number of threads.
 *  Cost:   O(resamples count), whatever the lengths; 10,000 outputs take about 0.2 s on one core.
 *  Memory: five numbers per resample during the call.
 *  Errors: LB_ERROR_ARGUMENT for fewer than one output or resample, or a confidence that is not between 0 and 1;
 *          LB_ERROR_MEMORY.
 *  Source: percentile bootstrap, Efron and Tibshirani 1993, "An introduction to the bootstrap", chapter 13; for corpus
 *          measures Koehn 2004, "Statistical significance tests for machine translation evaluation". Wilson 1927,
 *          "Probable inference, the law of succession, and statistical inference". */
LB_MUST_USE lb_status lb_bootstrap(const lb_statistics *outputs, int64_t count, lb_bootstrap_config config,
                                   lb_intervals *intervals, lb_error *error);

/* ---- Confusions: which symbols were mistaken for which, and how often. ---- */

/** The outputs have `output` where the references have `reference`. Either may be LB_NO_SYMBOL. */
typedef struct lb_confusion {
    int32_t reference, output;
    int64_t count;
} lb_confusion;

/** A table of confusions. Zero is an empty table. Free it with lb_confusions_free. */
typedef struct lb_confusions {
    lb_confusion *pair; /* [count]; pairs are unique only after lb_confusions_sort */
    int64_t count, capacity;
} lb_confusions;

/** Adds the edits of an output, by the alignment with the fewest edits. Correct symbols are not added.
 *  Cost:   O(log reference) times that of lb_edit_distance, and the same pieces of sequences that are too long; at most
 *          50 bytes for each symbol during the call.
 *  Errors: LB_ERROR_MEMORY; the table stays valid, but some of the edits may be missing. */
LB_MUST_USE lb_status lb_confusions_add(lb_confusions *confusions, lb_sequence reference, lb_sequence output,
                                        lb_error *error);

/** Merges equal pairs and sorts by count, the most frequent first; equally frequent pairs are sorted by id. */
void lb_confusions_sort(lb_confusions *confusions);

/** Frees the table. */
void lb_confusions_free(lb_confusions *confusions);

/* ---- Calibration: whether the confidence of a model is how often it is right. ---- */

enum { LB_CALIBRATION_BINS = 10 };

/** The outputs whose confidence is between i and i + 1 tenths; 1 belongs to the last bin. */
typedef struct lb_calibration_bin {
    int64_t outputs, right;
    double confidence; /* sum over the outputs */
} lb_calibration_bin;

/** Outputs by their confidence. Zero is empty. */
typedef struct lb_calibration {
    lb_calibration_bin bin[LB_CALIBRATION_BINS];
} lb_calibration;

/** Adds an output that the model gave this probability, 0 to 1. Others count as the nearest of the two, NaN as 0. */
void lb_calibration_add(lb_calibration *calibration, double confidence, bool right);

/** The expected calibration error: the mean over the bins of |share of right outputs - mean confidence|, weighted by
 *  their outputs. 0 is best; without outputs it is 0.
 *  Source: Guo, Pleiss, Sun, Weinberger 2017, arXiv:1706.04599, equation 3. */
double lb_calibration_error(const lb_calibration *calibration);

/* ---- Attention: how sharp, how ordered and how complete it is. ---- */

/** The statistics of a map of attention. To measure several maps, add up their statistics first. */
typedef struct lb_attention_statistics {
    int64_t maps;    /* 1 */
    int64_t steps;   /* rows */
    int64_t moves;   /* from one row to the next */
    int64_t forward; /* moves of the most attended position that are not backward */
    double entropy;  /* sum over the rows of the entropy divided by log(positions) */
    /* Sum over the maps of the share of positions that are the most attended one of some row. */
    double coverage;
} lb_attention_statistics;

/** Measures of attention, each from 0 to 1. */
typedef struct lb_attention_measures {
    double entropy;      /* mean over the rows: 0 looks at one position, 1 looks at all alike */
    double monotonicity; /* share of moves that do not go back */
    double coverage;     /* mean over the maps: how much of the source was looked at most by some row */
} lb_attention_measures;

/** The statistics of one map. The most attended position of a row is the first of its largest weights.
 *  Shapes:  weights [steps, positions]; a row sums to 1.
 *  Formula: the entropy of a row is -sum_j w_j log w_j, with 0 log 0 = 0; it is 0 if there is one position only.
 *  Memory:  a byte per position during the call. Errors: LB_ERROR_MEMORY.
 *  Source:  entropy: Ghader and Monz 2017, "What does attention in neural machine translation pay attention to?",
 *           section 4.2, here divided by its largest value. Monotonicity and coverage: the share of a path that never
 *           goes back (Raffel et al. 2017, arXiv:1704.00784, where it is a constraint), and the coverage of Tu et al.
 *           2016, arXiv:1601.04811, with the largest weight of a row in place of its weights. */
LB_MUST_USE lb_status lb_attention_tally(const double *weights, int64_t steps, int64_t positions,
                                         lb_attention_statistics *statistics, lb_error *error);

/** Adds `more` to `sum`, which starts from zero. */
void lb_attention_add(lb_attention_statistics *sum, const lb_attention_statistics *more);

/** The measures of added-up statistics. Without moves, monotonicity is 1; without maps, the others are 0. */
lb_attention_measures lb_attention_measure(const lb_attention_statistics *sum);

/** How much each position of the last layer draws from each input position, through all layers of self-attention: the
 *  product of the layers' mean weights over the heads, each mixed half and half with the identity for the residual
 *  connection.
 *  Shapes:  weights [layers, heads, length, length], rows sum to 1 -> rollout [length, length], rows sum to 1.
 *  Formula: A_l = (mean over heads of W_l + I) / 2; rollout = A_L ... A_2 A_1.
 *  Cost:    O(layers length^2 (heads + length)), as its matrices are multiplied.
 *  Memory:  length^2 numbers during the call. Errors: LB_ERROR_MEMORY.
 *  Source:  Abnar and Zuidema 2020, arXiv:2005.00928, section 3. */
LB_MUST_USE lb_status lb_attention_rollout(const double *weights, int64_t layers, int64_t heads,
                                           int64_t length, double *rollout, lb_error *error);

LB_END_DECLS

#endif
