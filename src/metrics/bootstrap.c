#include "lookback/metrics.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

enum { WORDS = 4 }; /* of a block of random bits */

/* One draw of `count` outputs with replacement. A block of bits gives four; the bias of each is below count / 2^32. */
static lb_measures resample(const lb_statistics *outputs, int64_t count, lb_rng rng, lb_bleu_config bleu)
{
    lb_statistics sum = {0};
    for (int64_t drawn = 0; drawn < count;) {
        lb_rng_block bits = lb_rng_bits(rng, (uint64_t)(drawn / WORDS));
        for (int w = 0; w < WORDS && drawn < count; w++, drawn++)
            lb_statistics_add(&sum, &outputs[(uint64_t)bits.word[w] * (uint64_t)count >> 32]);
    }
    return lb_measure(&sum, bleu);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The ends of the middle part of `count` values, which are sorted for it. */
static void cut(double *values, int64_t count, double confidence, double *low, double *high)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    /* Rounded as in decimals: 0.05 of 1000 is 50, although (1 - 0.9) / 2 is slightly less than 0.05. */
    int64_t off = (int64_t)floor((double)count * (1 - confidence) / 2 + 1e-9), most = (count - 1) / 2;
    off = off < most ? off : most;
    *low = values[off];
    *high = values[count - 1 - off];
}

lb_status lb_bootstrap(const lb_statistics *outputs, int64_t count, lb_bootstrap_config config,
                       lb_intervals *intervals, lb_error *error)
{
    int64_t resamples = config.resamples ? config.resamples : 1000;
    double confidence = config.confidence != 0 ? config.confidence : 0.95;
    if (count < 1 || count > UINT32_MAX || resamples < 1 || resamples > UINT32_MAX ||
        !(confidence > 0 && confidence < 1))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "bootstrap: invalid request: %lld resamples of %lld outputs, confidence %g",
                            (long long)resamples, (long long)count, confidence);
    double *sequences = lb_alloc(4 * (size_t)resamples * sizeof *sequences);
    if (!sequences)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld resamples", (long long)resamples);
    double *words = sequences + resamples, *symbols = words + resamples, *bleus = symbols + resamples;
    uint32_t stream = lb_rng_stream("bootstrap");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < resamples; i++) {
        lb_rng rng = {.seed = config.seed, .stream = stream, .step = (uint32_t)i};
        lb_measures found = resample(outputs, count, rng, config.bleu);
        sequences[i] = found.sequence_error_rate;
        words[i] = found.word_error_rate;
        symbols[i] = found.symbol_error_rate;
        bleus[i] = found.bleu;
    }
    lb_measures *low = &intervals->low, *high = &intervals->high;
    cut(sequences, resamples, confidence, &low->sequence_error_rate, &high->sequence_error_rate);
    cut(words, resamples, confidence, &low->word_error_rate, &high->word_error_rate);
    cut(symbols, resamples, confidence, &low->symbol_error_rate, &high->symbol_error_rate);
    cut(bleus, resamples, confidence, &low->bleu, &high->bleu);
    lb_release(sequences);
    return LB_OK;
}
