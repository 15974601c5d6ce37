/* BLEU: how many of the output's n-grams occur in the references. */
#ifndef LB_BLEU_H
#define LB_BLEU_H

#include "train/sequence.h"

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
 *  exp(1 - reference / output) for outputs that are shorter than their references. 0 if nothing matches, and, except with
 *  LB_BLEU_ADD_K, if no output has LB_BLEU_ORDER symbols.
 *  Source: Papineni, Roukos, Ward, Zhu 2002, "BLEU: a method for automatic evaluation of machine translation", as
 *          sacreBLEU computes it (Post 2018, arXiv:1804.08771), with tokenize none and without effective order; smoothing:
 *          Chen and Cherry 2014, "A systematic comparison of smoothing techniques for sentence-level BLEU", methods 3, none,
 *          1 and 2.
 *  Differs: tokens are symbols as they are; there is no tokenizer. */
double lb_bleu(const lb_bleu_statistics *sum, lb_bleu_config config);

#endif
