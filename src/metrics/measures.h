/* What measures are made of: alignments of outputs with references, BLEU and chrF. */
#ifndef LB_MEASURES_H
#define LB_MEASURES_H

#include "lookback/metrics.h"

/* ---- edit_distance.c ---- */

/** A symbol of the reference and the symbol aligned with it in the output. LB_NO_SYMBOL as `output`: the symbol is
 *  missing there; as `reference`: the output has an extra symbol. */
typedef struct lb_aligned {
    int32_t reference, output;
} lb_aligned;

/** Both sequences side by side. The number of pairs that differ is the edit distance. */
typedef struct lb_alignment {
    lb_aligned *pair; /* [length] */
    int64_t length;
} lb_alignment;

/** Aligns an output with its reference with the fewest edits. If there are several such alignments, the choice, from
 *  the start, prefers a pair of two symbols to a missing symbol to an extra one. So the first edit is where the two
 *  begin to differ: all that they have in common before it is kept.
 *  Cost:   O(a b) time and bytes.
 *  Memory: free the pairs with lb_alignment_free. After an error there are none.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_alignment *alignment,
                                        lb_error *error);

/** Frees the pairs. */
void lb_alignment_free(lb_alignment *alignment);

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

/** The agreement of two maps, such as attention and erasure. Shapes: a, b [steps, positions].
 *  Formula: tau-b is (C - D) / sqrt(A B), of C concordant and D discordant pairs of positions, A pairs that differ in
 *           a, and B in b. So a tie in either counts as neither; a row without order, or of one position, has 0. Of
 *           several largest positions one is drawn: `first` is the probability that both draw the same. Uniform weights
 *           have a tau of 0 and a share of 1 / positions.
 *  Source:  Kendall 1945, "The Treatment of Ties in Ranking Problems", Biometrika 33; for attention Jain, Wallace 2019,
 *           arXiv:1902.10186, section 4.1. */
lb_agreement lb_agreement_of(const double *a, const double *b, int64_t steps, int64_t positions);

/* ---- bleu.c ---- */

/** The number of positions where an n-gram can start. */
int64_t lb_places_for(lb_sequence sequence, int n);

/** The statistics of one output against one or more equally valid references. An n-gram matches as often as it occurs
 *  in the reference that has most of it. The reference length is the one closest to the output length; of two equally
 *  close ones, the shorter.
 *  Cost: O(output (output + references)), without memory; meant for sentences. */
lb_bleu_statistics lb_bleu_tally(lb_sequence output, const lb_sequence *references, int64_t count);

/** BLEU from 0 to 100, or NaN if it is not defined: see lb_bleu_config. */
double lb_bleu(const lb_bleu_statistics *sum, lb_bleu_config config);

/* ---- chrf.c ---- */

/** The statistics of one output against one or more references, each the characters of a text: against the one with
 *  the highest chrF, the first of equals.
 *  Cost:   O((output + references) log(length)); 24 bytes for each character during the call.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_chrf_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                                    lb_chrf_statistics *statistics, lb_error *error);

/** chrF from 0 to 100: see lb_chrf_statistics. */
double lb_chrf(const lb_chrf_statistics *sum);

#endif
