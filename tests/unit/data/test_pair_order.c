/* Batches of similar lengths: each pair once per epoch, in an order that depends on the seed and the step. */
#include "data/review/pair_report.h"
#include "lookback/data.h"

#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_error error;

/* Pairs of 1 to 40 letters on each side, from a linear congruential generator. */
static lb_pairs *make_pairs(int64_t count)
{
    static const char letters[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    uint32_t state = 1;
    FILE *file = fopen(support_path("pairs.tsv"), "w");
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        fprintf(file, "%.*s\t%.*s\n", (int)(state >> 20) % 40 + 1, letters, (int)(state >> 8) % 40 + 1,
                letters);
    }
    fclose(file);
    lb_pairs *pairs = lb_pairs_open(support_path("pairs.tsv"), (lb_pair_format){0}, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    return pairs;
}

/* Writes the pairs of an epoch, step by step, to `order`, and asserts that all batches except one are full. */
static void read_epoch(lb_pair_order *steps, int64_t epoch, int64_t pairs, int64_t batch_size, int64_t *order)
{
    int64_t batches = lb_pair_order_batches(steps), at = 0, part = 0;
    ck_assert_int_eq(batches, (pairs + batch_size - 1) / batch_size);
    for (int64_t batch = 0; batch < batches; batch++) {
        lb_pair_step step = lb_pair_order_at(steps, epoch * batches + batch);
        SUPPORT_CHECK(step.count == batch_size || (step.count == pairs % batch_size && !part++), "%lld",
                      (long long)step.count);
        SUPPORT_CHECK(at + step.count <= pairs, "more than %lld", (long long)pairs);
        memcpy(order + at, step.pair, (size_t)step.count * sizeof *order);
        at += step.count;
    }
    ck_assert_int_eq(at, pairs);
}

static void check_each_once(const int64_t *order, int64_t count)
{
    char *seen = calloc((size_t)count, 1);
    for (int64_t i = 0; i < count; i++) {
        SUPPORT_CHECK(order[i] >= 0 && order[i] < count && !seen[order[i]], "pair %lld", (long long)order[i]);
        seen[order[i]] = 1;
    }
    free(seen);
}

START_TEST(test_order_each_pair_is_in_one_batch_of_every_epoch)
{
    static const int64_t counts[] = {1, 2, 7, 64, 65, 1000, 6401};
    static const int64_t sizes[] = {1, 2, 7, 64, 10000};
    for (size_t c = 0; SUPPORT_ROW(c, counts); c++) {
        lb_pairs *pairs = make_pairs(counts[c]);
        int64_t *order = calloc((size_t)counts[c], sizeof *order);
        for (size_t s = 0; SUPPORT_ROW(s, sizes); s++) {
            int64_t size = sizes[s] < counts[c] ? sizes[s] : counts[c];
            lb_pair_order *steps = lb_pair_order_new(pairs, sizes[s], 11, &error);
            for (int64_t epoch = 0; epoch < 3; epoch++) {
                read_epoch(steps, epoch, counts[c], size, order);
                check_each_once(order, counts[c]);
            }
            lb_pair_order_free(steps);
        }
        free(order);
        lb_pairs_close(pairs);
    }
}
END_TEST

START_TEST(test_order_is_a_function_of_seed_and_step)
{
    enum { PAIRS = 1000, SIZE = 8, STEPS = PAIRS / SIZE };
    lb_pairs *pairs = make_pairs(PAIRS);
    lb_pair_order *a = lb_pair_order_new(pairs, SIZE, 3, &error),
                  *b = lb_pair_order_new(pairs, SIZE, 3, &error);
    lb_pair_order *other = lb_pair_order_new(pairs, SIZE, 4, &error);
    int64_t same_seed = 0, same_epoch = 0;
    for (int64_t step = 3 * STEPS - 1; step >= 0; step--) { /* the other one in reverse */
        int64_t first[SIZE], forward = 3 * STEPS - 1 - step;
        memcpy(first, lb_pair_order_at(a, forward).pair, sizeof first);
        SUPPORT_CHECK(memcmp(first, lb_pair_order_at(b, forward).pair, sizeof first) == 0, "%lld",
                      (long long)forward);
        lb_pair_order_at(b, step);
        same_seed += memcmp(first, lb_pair_order_at(other, forward).pair, sizeof first) == 0;
        same_epoch += memcmp(first, lb_pair_order_at(b, forward + STEPS).pair, sizeof first) == 0;
    }
    ck_assert_int_lt(same_seed, 3);
    ck_assert_int_lt(same_epoch, 3);
    lb_pair_order_free(a);
    lb_pair_order_free(b);
    lb_pair_order_free(other);
    lb_pairs_close(pairs);
}
END_TEST

/* With its own repeats, a file has the order of the pairs that differ. */
START_TEST(test_order_equal_pairs_come_once)
{
    enum { PAIRS = 300, SIZE = 7 };
    lb_pairs *pairs[2];
    lb_pair_order *order[2];
    int64_t number[3 * PAIRS] = {0}, lines = 0;
    FILE *file[2];
    const char *const path[] = {support_path("once.tsv"), support_path("repeated.tsv")};
    for (int k = 0; k < 2; k++) file[k] = fopen(path[k], "w");
    for (int i = 0; i < PAIRS; i++)
        for (int again = 0; again <= i % 3; again++) {
            int shown = again ? i / 2 : i; /* a repeat of an earlier one */
            fprintf(file[1], "%d\t%.*s\n", shown, shown % 11 + 1, "xxxxxxxxxxx");
            if (!again) fprintf(file[0], "%d\t%.*s\n", i, i % 11 + 1, "xxxxxxxxxxx");
            number[lines++] = again ? -1 : i;
        }
    for (int k = 0; k < 2; k++) {
        fclose(file[k]);
        pairs[k] = lb_pairs_open(path[k], (lb_pair_format){0}, &error);
        lb_vocabulary *symbols = lb_vocabulary_new_reserved(&error);
        ck_assert_int_eq(lb_pairs_take_stock(pairs[k], symbols, NULL, &error), LB_OK);
        lb_vocabulary_free(symbols);
        order[k] = lb_pair_order_new(pairs[k], SIZE, 11, &error);
    }
    ck_assert_ptr_null(pairs[0]->weights);
    ck_assert_int_eq(lb_pairs_count(pairs[1]), lines);
    ck_assert_int_eq(lb_pairs_different(pairs[1]), PAIRS);
    ck_assert_int_eq(lb_pair_order_batches(order[1]), lb_pair_order_batches(order[0]));
    for (int64_t step = 0; step < 2 * lb_pair_order_batches(order[0]); step++) {
        lb_pair_step once = lb_pair_order_at(order[0], step), now = lb_pair_order_at(order[1], step);
        ck_assert_int_eq(once.count, now.count);
        for (int64_t i = 0; i < now.count; i++) {
            SUPPORT_CHECK(number[now.pair[i]] == once.pair[i], "%lld", (long long)now.pair[i]);
            ck_assert(pairs[1]->weights[now.pair[i]] == 1);
        }
    }
    for (int k = 0; k < 2; k++) {
        lb_pair_order_free(order[k]);
        lb_pairs_close(pairs[k]);
    }
}
END_TEST

/* Padding up to the longest pair of each batch. For shuffled pairs, half of all tokens are padding. */
START_TEST(test_order_pairs_of_similar_length_are_together)
{
    enum { PAIRS = 20000, SIZE = 32 };
    lb_pairs *pairs = make_pairs(PAIRS);
    lb_pair_order *order = lb_pair_order_new(pairs, SIZE, 5, &error);
    int64_t source[2] = {0}, target[2] = {0}, rising = 0, previous = 0; /* tokens; with padding */
    for (int64_t step = 0; step < lb_pair_order_batches(order); step++) {
        lb_pair_step now = lb_pair_order_at(order, step);
        int32_t widest_source = 0, widest_target = 0;
        for (int64_t i = 0; i < now.count; i++) {
            int32_t s = (int32_t)lb_pairs_source_length(pairs, now.pair[i]),
                    t = (int32_t)lb_pairs_target_length(pairs, now.pair[i]);
            source[0] += s;
            target[0] += t;
            widest_source = s > widest_source ? s : widest_source;
            widest_target = t > widest_target ? t : widest_target;
        }
        source[1] += now.count * widest_source;
        target[1] += now.count * widest_target;
        rising += widest_target > previous;
        previous = widest_target;
    }
    ck_assert_int_lt(100 * target[1], 105 * target[0]);
    ck_assert_int_lt(100 * source[1], 175 * source[0]);
    int64_t batches = lb_pair_order_batches(order); /* batches are shuffled: lengths go up as often as down */
    ck_assert_int_gt(100 * rising, 40 * batches);
    ck_assert_int_lt(100 * rising, 60 * batches);
    lb_pair_order_free(order);
    lb_pairs_close(pairs);
}
END_TEST

/* The position of one pair in 4,000 epochs: all positions are equally likely. */
START_TEST(test_order_every_place_is_as_likely)
{
    enum { PAIRS = 8, EPOCHS = 4000 };
    lb_pairs *pairs = make_pairs(PAIRS);
    lb_pair_order *order = lb_pair_order_new(pairs, 1, 6, &error);
    int at[PAIRS][PAIRS] = {{0}};
    for (int64_t step = 0; step < (int64_t)PAIRS * EPOCHS; step++)
        at[lb_pair_order_at(order, step).pair[0]][step % PAIRS]++;
    for (int pair = 0; pair < PAIRS; pair++)
        for (int place = 0; place < PAIRS; place++) /* 500 expected, five deviations of 21 */
            SUPPORT_CHECK(abs(at[pair][place] - EPOCHS / PAIRS) < 105, "%d", at[pair][place]);
    lb_pair_order_free(order);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_new_impossible_batch_size_is_refused)
{
    lb_pairs *pairs = make_pairs(3);
    error = (lb_error){0};
    ck_assert_ptr_null(lb_pair_order_new(pairs, 0, 1, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "cannot put 3 pairs into batches of 0");
    lb_pair_order_free(NULL);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_new_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    lb_pairs *pairs = make_pairs(10);
    long before = support_live_allocations();
    for (long n = 1; n <= 4; n++) {
        error = (lb_error){0};
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_pair_order_new(pairs, 2, 1, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), before);
    }
    lb_pairs_close(pairs);
}
END_TEST
