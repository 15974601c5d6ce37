/* What measures are made of: alignments of outputs with references, BLEU and chrF. */
#ifndef LB_MEASURES_H
#define LB_MEASURES_H

#include "lookback/metrics.h"

/* ---- edit_distance.c ---- */

/** Takes a symbol of the reference and the one aligned with it in the output. LB_NO_SYMBOL as `output`: the symbol is
 *  missing there; as `reference`: the output has an extra symbol. False: there is no memory for it. */
typedef bool lb_take_aligned(void *to, int32_t reference, int32_t output);

/** Aligns an output with its reference with the fewest edits, from the start, and counts these. If there are several
 *  such alignments, the choice, from the start, prefers a pair of two symbols to a missing symbol to an extra one. So
 *  the first edit is where the two begin to differ: all that they have in common before it is kept.
 *  Long:   pieces of sequences that are too long for lb_edit_distance are aligned one after the other.
 *  Cost:   O(log reference) times that of lb_edit_distance; at most 50 bytes for each symbol during the call. Without
 *          `take`, NULL, no more than that.
 *  Errors: LB_ERROR_MEMORY; some pairs may have been taken before. */
LB_MUST_USE lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_take_aligned *take,
                                        void *to, int64_t *edits, lb_error *error);

/* ---- bootstrap.c ---- */

/** The mean of some numbers, those that are not NaN, and half the width of the interval that has the mean of the normal
 *  distribution that they come from with this confidence, such as 0.95.
 *  Half:   NaN for fewer than two numbers.
 *  Source: Student 1908, "The Probable Error of a Mean", Biometrika 6. */
void lb_mean_interval(const double *numbers, int64_t count, double confidence, double *mean, double *half);

/* ---- attention.c ---- */

/** How far two maps agree, as a mean over their steps. */
typedef struct lb_agreement {
    double tau;   /* on the order of the positions: 1 the same, -1 the opposite, 0 not related */
    double first; /* on the largest position: share of the rows */
} lb_agreement;

/** The agreement of two maps, such as attention and erasure.
 *  Shapes:  a, b [steps, positions], at least one position; no weight is NaN.
 *  Formula: tau-b is (C - D) / sqrt(A B), of C concordant and D discordant pairs of positions, A pairs that differ in
 *           a, and B in b. So a tie in either counts as neither; a row without order, or of one position, has 0. Of
 *           several largest positions one is drawn: `first` is the probability that both draw the same. Uniform weights
 *           have a tau of 0 and a share of 1 / positions.
 *  Cost:    O(steps positions log(positions)) time; 32 bytes for each position during the call.
 *  Errors:  LB_ERROR_MEMORY.
 *  Source:  Kendall 1945, "The Treatment of Ties in Ranking Problems", Biometrika 33; by sorting, Knight 1966, "A
 *           Computer Method for Calculating Kendall's Tau with Ungrouped Data", JASA 61; for attention Jain, Wallace
 *           2019, arXiv:1902.10186, section 4.1. */
LB_MUST_USE lb_status lb_agreement_of(const double *a, const double *b, int64_t steps, int64_t positions,
                                      lb_agreement *agreement, lb_error *error);

/* ---- ngrams.c ---- */

/** The statistics of one output against one or more equally valid references. An n-gram matches as often as it occurs
 *  in the reference that has most of it. The reference length is the one closest to the output length; of two equally
 *  close ones, the shorter.
 *  Cost:   O((output + references) log(length) + output count); 25 bytes for each symbol during the call.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_bleu_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                                    lb_bleu_statistics *statistics, lb_error *error);

/** BLEU from 0 to 100, or NaN if it is not defined: see lb_bleu_config. */
double lb_bleu(const lb_bleu_statistics *sum, lb_bleu_config config);

/** The statistics of one output against one or more references, each the characters of a text: against the one with
 *  the highest chrF, the first of equals.
 *  Cost:   O((output + references) log(length) + output count); 24 bytes for each character during the call.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_chrf_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                                    lb_chrf_statistics *statistics, lb_error *error);

/** chrF from 0 to 100: see lb_chrf_statistics. */
double lb_chrf(const lb_chrf_statistics *sum);

#endif
