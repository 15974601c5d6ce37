/* How good outputs are, measured against references: word error rate, symbol error rate, BLEU. */
#ifndef LB_MEASURES_H
#define LB_MEASURES_H

#include "tensor/status.h"
#include "train/bleu.h"

/** What one output contributes to all measures. Those of several outputs are told from the sum of their statistics. */
typedef struct lb_statistics {
    int64_t outputs;          /* 1 */
    int64_t errors;           /* 1 if the output is none of its references */
    int64_t edits;            /* its distance from the nearest of them */
    int64_t reference_length; /* of that one */
    lb_bleu_statistics bleu;
} lb_statistics;

/** In percent, as they are usually reported. */
typedef struct lb_measures {
    double word_error_rate; /* outputs that are wrong: 100 less the exact match rate */
    double
        symbol_error_rate; /* sum of edits / sum of reference lengths; above 100 if outputs are far too long */
    double bleu;
} lb_measures;

/** The statistics of an output against `count` references, any of which is right. The edits are those to the nearest
 *  reference, the first of equally near ones, whose place `nearest` receives unless it is NULL.
 *  Where a source has several rows in a file, one for each reference, there are two ways to count:
 *      each row on its own, with its one reference. A source with two rows gives at least one error. So does the script of
 *          SIGMORPHON's shared tasks on grapheme-to-phoneme conversion, whose tables are counted in this way.
 *      once for each source, with all its references. Kinder, and not to be compared with those tables.
 *  Errors: LB_ERROR_ARGUMENT without a reference, LB_ERROR_MEMORY.
 *  Source: evaluation/evaluate.py in github.com/sigmorphon/2021-task1 (word error rate) and task1/evaluation in
 *          github.com/sigmorphon/2020 (the symbol error rate, there "LER", elsewhere the phone error rate, "PER").
 *  Differs: the distance of the script of 2020 is too small where the difference is at the beginning, because the first
 *          row and column of its table hold ones instead of 0, 1, 2 ...; here it is Levenshtein's. */
LB_MUST_USE lb_status lb_statistics_of(lb_sequence output, const lb_sequence *references, int64_t count,
                                       lb_statistics *statistics, int64_t *nearest, lb_error *error);

/** Adds `more` to `sum`, which starts from zero. */
void lb_statistics_add(lb_statistics *sum, const lb_statistics *more);

/** The measures of all that has been added. Without an output all are 0; edits of references that have no symbol at all
 *  are an infinite rate. */
lb_measures lb_measure(const lb_statistics *sum, lb_bleu_config config);

#endif
