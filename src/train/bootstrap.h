/* How sure a measure is: the interval in which it would lie had other sentences been drawn. */
#ifndef LB_BOOTSTRAP_H
#define LB_BOOTSTRAP_H

#include "train/measures.h"

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

/** Intervals of all measures. Each resample draws as many outputs as there are, with replacement, from their statistics;
 *  of its measures, sorted, the resamples (1 - confidence) / 2 lowest and as many highest are cut off.
 *  Exact:  the same seed gives the same bits, on any number of threads.
 *  Cost:   O(resamples count), whatever the lengths; 10,000 outputs take about 0.1 s on one core.
 *  Memory: three numbers for each resample, for the time of the call.
 *  Errors: LB_ERROR_ARGUMENT without an output, for fewer than 1 resample or a confidence that is not between 0 and 1;
 *          LB_ERROR_MEMORY.
 *  Source: percentile bootstrap, Efron and Tibshirani 1993, "An introduction to the bootstrap", chapter 13; for corpus
 *          measures Koehn 2004, "Statistical significance tests for machine translation evaluation". */
LB_MUST_USE lb_status lb_bootstrap(const lb_statistics *outputs, int64_t count, lb_bootstrap_config config,
                                   lb_intervals *intervals, lb_error *error);

#endif
