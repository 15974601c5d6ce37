/* Gives measures their intervals: by resampling, and for means by the distribution of Student. */
#include "base/bytes.h"
#include "metrics/measures.h"

#include <math.h>
#include <stdlib.h>

enum { WORDS = 4 }; /* of a block of random bits */
enum { MEASURES = sizeof(lb_measures) / sizeof(double) };

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

/* The ends of the middle part of the values that are defined, of `all`, which are sorted for it. Values without spread
 * have no ends. */
static void cut(double *values, int64_t all, double confidence, double *low, double *high)
{
    int64_t count = 0;
    for (int64_t i = 0; i < all; i++)
        if (!isnan(values[i])) values[count++] = values[i];
    qsort(values, (size_t)count, sizeof *values, lb_compare_numbers);
    *low = *high = NAN;
    if (count == 0 || values[0] == values[count - 1]) return;
    /* Rounded as in decimals: 0.05 of 1000 is 50, although (1 - 0.9) / 2 is slightly less than 0.05. */
    int64_t off = (int64_t)floor((double)count * (1 - confidence) / 2 + 1e-9), most = (count - 1) / 2;
    off = off < most ? off : most;
    *low = values[off];
    *high = values[count - 1 - off];
}

/* Between minus and plus this value lies the share `confidence` of the normal distribution. */
static double normal_end(double confidence)
{
    double low = 0, high = 40; /* beyond it, the tail is smaller than any double */
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        *(erfc(middle / sqrt(2)) > 1 - confidence ? &low : &high) = middle;
    }
    return low;
}

/* Wilson's interval of `part` of `count`, in percent. */
static void find_share(int64_t part, int64_t count, double confidence, double *low, double *high)
{
    double n = (double)count, share = (double)part / n, z = normal_end(confidence), scale = 1 + z * z / n;
    double middle = (share + z * z / (2 * n)) / scale;
    double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale;
    *low = part > 0 ? 100 * (middle - half) : 0;
    *high = part < count ? 100 * (middle + half) : 100;
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
    double *values = lb_alloc(MEASURES * (size_t)resamples * sizeof *values);
    if (!values)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld resamples", (long long)resamples);
    uint32_t stream = lb_rng_stream("bootstrap");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < resamples; i++) {
        lb_rng rng = {.seed = config.seed, .stream = stream, .step = (uint32_t)i};
        const lb_measures found = resample(outputs, count, rng, config.bleu);
        const double *measure = (const double *)(const void *)&found;
        for (int k = 0; k < MEASURES; k++) values[k * resamples + i] = measure[k];
    }
    double *low = (double *)(void *)&intervals->low, *high = (double *)(void *)&intervals->high;
    for (int k = 1; k < MEASURES; k++) /* sequence_error_rate has another interval */
        cut(values + k * resamples, resamples, confidence, &low[k], &high[k]);
    int64_t errors = 0;
    for (int64_t i = 0; i < count; i++) errors += outputs[i].errors;
    find_share(errors, count, confidence, &low[0], &high[0]);
    lb_release(values);
    return LB_OK;
}

/* The share of Student's distribution between minus and plus t. Source: Abramowitz, Stegun 1964, "Handbook of
 * Mathematical Functions", 26.7.3 and 26.7.4. */
static double student_share(double t, int64_t freedom)
{
    static const double pi = 3.14159265358979323846;
    const double angle = atan2(t, sqrt((double)freedom)), cosine = cos(angle);
    const bool odd = freedom % 2 == 1;
    double sum = 0, term = odd ? cosine : 1;
    for (int64_t k = odd; k < freedom; k += 2) {
        sum += term;
        term *= cosine * cosine * (double)(k + 1) / (double)(k + 2);
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/* Between minus and plus this value lies the share `confidence`. */
static double student_end(double confidence, int64_t freedom)
{
    double low = 0, high = 1e6;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(student_share(middle, freedom) < confidence ? &low : &high) = middle;
    }
    return high;
}

void lb_mean_interval(const double *numbers, int64_t count, double confidence, double *mean, double *half)
{
    double sum = 0, squares = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (isnan(numbers[i])) continue;
        sum += numbers[i];
        n++;
    }
    *mean = n > 0 ? sum / (double)n : NAN;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(numbers[i])) squares += pow(numbers[i] - *mean, 2);
    *half = n > 1 ? student_end(confidence, n - 1) * sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}
