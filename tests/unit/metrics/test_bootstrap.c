/* Intervals: by the bootstrap against the binomial distribution, by Wilson's formula against published ones, and
 * reproducibility. */
#include "metrics/measures.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUTS = 400, WRONG = 80 };

/* Outputs, each one word; WRONG of them are wrong in one or two of five symbols. */
static lb_statistics *make(void)
{
    lb_statistics *all = calloc(OUTPUTS, sizeof *all);
    for (int i = 0; i < OUTPUTS; i++) {
        int32_t reference[] = {1, 2, 3, 4, 5}, output[] = {1, 2, 3, 4, 5};
        lb_sequence one = {reference, 5};
        if (i < WRONG) output[i % 5] = 9;
        if (i < WRONG / 2) output[(i + 1) % 5] = 9;
        ck_assert_int_eq(lb_statistics_of((lb_sequence){output, 5}, &one, 1, &all[i], NULL, NULL), LB_OK);
        int32_t word = i < WRONG;
        ck_assert_int_eq(lb_statistics_count_words((lb_sequence){&word, 1}, (lb_sequence){&(int32_t){0}, 1},
                                                   &all[i], NULL),
                         LB_OK);
    }
    return all;
}

static lb_intervals intervals_of(const lb_statistics *all, lb_bootstrap_config config)
{
    lb_intervals found;
    ck_assert_int_eq(lb_bootstrap(all, OUTPUTS, config, &found, NULL), LB_OK);
    return found;
}

/* The least number of errors that a share `p` of all draws from the binomial distribution does not exceed. */
static double binomial_quantile(double p)
{
    double share = (double)WRONG / OUTPUTS, sum = 0;
    for (int k = 0; k <= OUTPUTS; k++) {
        sum += exp(lgamma(OUTPUTS + 1.0) - lgamma(k + 1.0) - lgamma(OUTPUTS - k + 1.0) + k * log(share) +
                   (OUTPUTS - k) * log1p(-share));
        if (sum >= p) return k;
    }
    return OUTPUTS;
}

START_TEST(test_bootstrap_of_words_that_are_right_or_wrong_is_the_binomial_interval)
{
    lb_statistics *all = make();
    const double confidences[] = {0.5, 0.9, 0.95};
    for (int c = 0; SUPPORT_ROW(c, confidences); c++) {
        lb_intervals found = intervals_of(
            all, (lb_bootstrap_config){.resamples = 20000, .confidence = confidences[c], .seed = 3});
        double tail = (1 - confidences[c]) / 2, unit = 100.0 / OUTPUTS;
        /* The quantiles of 20,000 draws are within one error of those of the distribution. */
        ck_assert_double_eq_tol(found.low.word_error_rate, unit * binomial_quantile(tail), 1.01 * unit);
        ck_assert_double_eq_tol(found.high.word_error_rate, unit * binomial_quantile(1 - tail), 1.01 * unit);
    }
    lb_intervals usual = intervals_of(all, (lb_bootstrap_config){0});
    ck_assert_double_eq_tol(usual.low.word_error_rate, 100 * (0.2 - 1.96 * sqrt(0.2 * 0.8 / OUTPUTS)), 0.8);
    ck_assert_double_eq_tol(usual.high.word_error_rate, 100 * (0.2 + 1.96 * sqrt(0.2 * 0.8 / OUTPUTS)), 0.8);
    free(all);
}
END_TEST

/* Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3, has four digits. */
START_TEST(test_bootstrap_of_the_sequence_error_rate_is_the_published_interval_of_wilson)
{
    static const struct {
        int errors, outputs;
        double low, high;
    } published[] = {
        {81, 263, 25.53, 36.62}, {15, 148, 6.24, 16.05}, {0, 20, 0, 16.11}, {1, 29, 0.61, 17.18}};
    for (int i = 0; SUPPORT_ROW(i, published); i++) {
        lb_statistics all[263] = {0};
        lb_intervals found;
        for (int k = 0; k < published[i].outputs; k++)
            all[k] = (lb_statistics){.outputs = 1, .errors = k < published[i].errors, .reference_length = 1};
        ck_assert_int_eq(lb_bootstrap(all, published[i].outputs, (lb_bootstrap_config){0}, &found, NULL),
                         LB_OK);
        ck_assert_double_eq_tol(found.low.sequence_error_rate, published[i].low, 0.0051);
        ck_assert_double_eq_tol(found.high.sequence_error_rate, published[i].high, 0.0051);
    }
}
END_TEST

START_TEST(test_bootstrap_contains_the_measures_and_widens_with_confidence)
{
    lb_statistics *all = make(), sum = {0};
    for (int i = 0; i < OUTPUTS; i++) lb_statistics_add(&sum, &all[i]);
    lb_measures whole = lb_measure(&sum, (lb_bleu_config){0});
    lb_intervals wide = intervals_of(all, (lb_bootstrap_config){.confidence = 0.99}),
                 narrow = intervals_of(all, (lb_bootstrap_config){.confidence = 0.8});
    ck_assert_double_lt(narrow.low.sequence_error_rate, whole.sequence_error_rate);
    ck_assert_double_gt(narrow.high.sequence_error_rate, whole.sequence_error_rate);
    ck_assert_double_lt(narrow.low.symbol_error_rate, whole.symbol_error_rate);
    ck_assert_double_gt(narrow.high.symbol_error_rate, whole.symbol_error_rate);
    ck_assert_double_lt(narrow.low.bleu, whole.bleu);
    ck_assert_double_gt(narrow.high.bleu, whole.bleu);
    ck_assert_double_lt(wide.low.symbol_error_rate, narrow.low.symbol_error_rate);
    ck_assert_double_gt(wide.high.bleu, narrow.high.bleu);
    /* The standard deviation of a symbol error rate is that of the mean of independent edits. */
    double mean = (double)sum.edits / OUTPUTS, square = (WRONG / 2 + WRONG / 2 * 4.0) / OUTPUTS,
           deviation = sqrt((square - mean * mean) / OUTPUTS);
    lb_intervals usual = intervals_of(all, (lb_bootstrap_config){.resamples = 20000});
    ck_assert_double_eq_tol(usual.high.symbol_error_rate - usual.low.symbol_error_rate,
                            100 * 2 * 1.96 * deviation / 5, 0.2);
    free(all);
}
END_TEST

START_TEST(test_bootstrap_same_seed_gives_the_same_bits_on_any_number_of_threads)
{
    lb_statistics *all = make();
    lb_intervals first = intervals_of(all, (lb_bootstrap_config){.seed = 7});
    for (int threads = 1; threads <= 4; threads++) {
        lb_set_threads(threads);
        lb_intervals again = intervals_of(all, (lb_bootstrap_config){.seed = 7});
        ck_assert_mem_eq(&again, &first, sizeof again);
    }
    lb_intervals other = intervals_of(all, (lb_bootstrap_config){.seed = 8});
    ck_assert_mem_ne(&other, &first, sizeof other);
    free(all);
}
END_TEST

/* Half of 10 % of 1000 is 50 on each side, although (1 - 0.9) / 2 is slightly less than 0.05. The same resamples, with
 * confidences between, show the ends with 49, 50 and 51 beyond them. */
START_TEST(test_bootstrap_leaves_out_as_many_resamples_as_the_decimals_say)
{
    lb_statistics *all = make();
    lb_intervals found = intervals_of(all, (lb_bootstrap_config){.confidence = 0.9}),
                 fifty = intervals_of(all, (lb_bootstrap_config){.confidence = 0.899}),
                 less = intervals_of(all, (lb_bootstrap_config){.confidence = 0.901}),
                 more = intervals_of(all, (lb_bootstrap_config){.confidence = 0.897});
    ck_assert_double_eq(found.low.bleu, fifty.low.bleu);
    ck_assert_double_eq(found.high.bleu, fifty.high.bleu);
    ck_assert_double_lt(less.low.bleu, found.low.bleu);
    ck_assert_double_gt(less.high.bleu, found.high.bleu);
    ck_assert_double_gt(more.low.bleu, found.low.bleu);
    ck_assert_double_lt(more.high.bleu, found.high.bleu);
    free(all);
}
END_TEST

START_TEST(test_bootstrap_of_almost_no_confidence_keeps_the_middle)
{
    lb_statistics *all = make();
    for (int64_t resamples = 2; resamples <= 11; resamples++) {
        const lb_bootstrap_config middle = {.resamples = resamples, .confidence = 1e-12},
                                  narrow = {.resamples = resamples, .confidence = 0.01};
        lb_intervals found = intervals_of(all, middle), wider = intervals_of(all, narrow);
        ck_assert_double_le(found.low.bleu, found.high.bleu);
        ck_assert(resamples % 2 == 1 || found.low.bleu < found.high.bleu);
        ck_assert_double_eq(found.low.bleu, wider.low.bleu);
        ck_assert_double_eq(found.high.bleu, wider.high.bleu);
    }
    free(all);
}
END_TEST

START_TEST(test_bootstrap_without_spread_has_no_interval)
{
    lb_statistics *all = make();
    lb_intervals found;
    ck_assert_int_eq(lb_bootstrap(all + WRONG, 3, (lb_bootstrap_config){0}, &found, NULL), LB_OK);
    ck_assert_double_nan(found.low.symbol_error_rate);
    ck_assert_double_nan(found.high.word_error_rate);
    ck_assert_double_nan(found.low.bleu);
    ck_assert_double_eq(found.low.sequence_error_rate, 0);
    ck_assert_double_eq_tol(found.high.sequence_error_rate, 56.15, 0.005);
    found = intervals_of(all, (lb_bootstrap_config){.resamples = 1});
    ck_assert_double_nan(found.high.symbol_error_rate);
    ck_assert_double_gt(found.high.sequence_error_rate, 20);
    free(all);
}
END_TEST

/* A third of the resamples has short outputs only, and no BLEU. */
START_TEST(test_bootstrap_leaves_out_resamples_whose_bleu_is_not_defined)
{
    int32_t id[] = {1, 2, 3, 4, 5};
    lb_statistics rows[3];
    lb_intervals found;
    for (int i = 0; i < 3; i++) {
        lb_sequence right = {id, i == 0 ? 5 : 3};
        ck_assert_int_eq(lb_statistics_of(right, &right, 1, &rows[i], NULL, NULL), LB_OK);
    }
    ck_assert_int_eq(lb_bootstrap(rows, 3, (lb_bootstrap_config){0}, &found, NULL), LB_OK);
    ck_assert_double_nan(found.low.bleu);
    lb_sequence wrong = {(int32_t[]){1, 2, 9}, 3}, reference = {id, 3};
    ck_assert_int_eq(lb_statistics_of(wrong, &reference, 1, &rows[1], NULL, NULL), LB_OK);
    ck_assert_int_eq(lb_bootstrap(rows, 3, (lb_bootstrap_config){0}, &found, NULL), LB_OK);
    ck_assert_double_gt(found.low.bleu, 20);
    ck_assert_double_eq(found.high.bleu, 100);
}
END_TEST

START_TEST(test_bootstrap_impossible_arguments_and_no_memory_are_errors)
{
    support_watch_allocations();
    lb_statistics *all = make();
    lb_intervals found;
    const lb_bootstrap_config bad[] = {
        {.resamples = -1}, {.confidence = 1}, {.confidence = -0.5}, {.confidence = NAN}};
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_error error = {0};
        ck_assert_int_eq(lb_bootstrap(all, OUTPUTS, bad[i], &found, &error), LB_ERROR_ARGUMENT);
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    }
    ck_assert_int_eq(lb_bootstrap(all, 0, (lb_bootstrap_config){0}, &found, NULL), LB_ERROR_ARGUMENT);
    support_fail_allocation(1);
    ck_assert_int_eq(lb_bootstrap(all, OUTPUTS, (lb_bootstrap_config){0}, &found, NULL), LB_ERROR_MEMORY);
    ck_assert_int_eq(support_live_allocations(), 0);
    free(all);
}
END_TEST

/* Two-sided 95 % and 99 % points of Student's distribution, from its usual tables. */
START_TEST(test_mean_interval_is_that_of_tables)
{
    static const struct {
        int64_t freedom;
        double confidence, end;
    } table[] = {{1, 0.95, 12.706205}, {2, 0.95, 4.302653},  {3, 0.95, 3.182446},   {4, 0.99, 4.604095},
                 {9, 0.95, 2.262157},  {30, 0.99, 2.749996}, {120, 0.95, 1.979930}, {999, 0.95, 1.962341}};
    double numbers[1000], mean, half;
    for (size_t i = 0; SUPPORT_ROW(i, table); i++) {
        const int64_t count = table[i].freedom + 1;
        double squares = 0;
        for (int64_t k = 0; k < count; k++) numbers[k] = 0.25 + (k % 2 ? 0.125 : -0.125) * (double)(k + 1);
        lb_mean_interval(numbers, count, table[i].confidence, &mean, &half);
        double sum = 0;
        for (int64_t k = 0; k < count; k++) sum += numbers[k];
        ck_assert_double_eq_tol(mean, sum / (double)count, 1e-12);
        for (int64_t k = 0; k < count; k++) squares += (numbers[k] - mean) * (numbers[k] - mean);
        const double deviation = sqrt(squares / (double)table[i].freedom);
        ck_assert_double_eq_tol(half / (deviation / sqrt((double)count)), table[i].end, 1e-5);
    }
}
END_TEST

START_TEST(test_mean_interval_leaves_out_what_is_no_number)
{
    const double numbers[] = {NAN, 0.5, NAN, 0.7, 0.9};
    const double same[] = {0.5, 0.7, 0.9};
    double mean, half, other_mean, other_half;
    lb_mean_interval(numbers, 5, 0.95, &mean, &half);
    lb_mean_interval(same, 3, 0.95, &other_mean, &other_half);
    ck_assert_double_eq(mean, other_mean);
    ck_assert_double_eq(half, other_half);
    lb_mean_interval(numbers, 2, 0.95, &mean, &half);
    ck_assert_double_eq(mean, 0.5);
    ck_assert(isnan(half));
    lb_mean_interval(numbers, 1, 0.95, &mean, &half);
    ck_assert(isnan(mean) && isnan(half));
}
END_TEST
