/* Scheduled sampling: the decoder reads some of its own tokens. This test runs in both precisions. */
#include "autograd/tape.h"
#include "lookback/train.h"
#include "support/alloc.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "translate/batches/batch.h"
#include "translate/input/augment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 6, .seed = 3};

/* With dropout, for which the first pass must not draw random numbers. */
static const support_sorter sorters[] = {
    {.seq2seq = {.embed = 5, .hidden = 6, .layers = 2, .dropout = (lb_real)0.2}},
    {.transformer = {.width = 8, .heads = 2, .dropout = (lb_real)0.2}},
};

enum { BATCH = 40, VOCAB = 14 };

static support_sorting open_sorter(int which)
{
    support_sorting s;
    ck_assert_int_eq(support_sorting_open(&s, task, sorters[which]), LB_OK);
    ck_assert_int_eq(lb_sort_vocab(&task), VOCAB);
    return s;
}

/* Makes the model write each token with these probabilities, whatever it reads. */
static void fix_predictions(const support_sorting *s, const double *probability)
{
    const lb_tensor *weight = lb_params_find(s->params, "sort.output.weight"),
                    *bias = lb_params_find(s->params, "sort.output.bias");
    memset(weight->data, 0, (size_t)lb_count(weight) * sizeof *weight->data);
    for (int i = 0; i < VOCAB; i++) bias->data[i] = (lb_real)log(probability[i]);
}

static bool is_replaceable(lb_tokens tokens, int64_t i)
{
    int64_t t = i % tokens.length;
    return t > 0 && t < tokens.lengths[i / tokens.length];
}

START_TEST(test_scheduled_tokens_with_probability_zero_are_the_right_ones)
{
    support_sorting s = open_sorter(0);
    lb_batch batch = lb_sort_batch(&task, s.tape, BATCH, 0);
    lb_tokens mixed =
        lb_scheduled_tokens(s.model, batch.source, batch.target_in, (lb_scheduled_sampling){.seed = 1}, 0);
    ck_assert_ptr_eq(mixed.id, batch.target_in.id);
    ck_assert_ptr_eq(mixed.lengths, batch.target_in.lengths);
    support_sorting_close(&s);
}
END_TEST

START_TEST(test_scheduled_tokens_likeliest_of_all_are_the_choices_of_the_model_one_step_later)
{
    for (int which = 0; which < 2; which++) {
        support_sorting s = open_sorter(which);
        lb_batch batch = lb_sort_batch(&task, s.tape, BATCH, 0);
        lb_tokens right = batch.target_in;
        lb_tokens mixed = lb_scheduled_tokens(
            s.model, batch.source, right, (lb_scheduled_sampling){.probability = 1, .likeliest = true}, 0);
        ck_assert_msg(mixed.batch == BATCH, "%s", lb_tape_error(s.tape));
        ck_assert_int_eq(mixed.length, right.length);
        ck_assert_mem_eq(mixed.lengths, right.lengths, BATCH * sizeof *right.lengths);
        lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
        const lb_tensor *logits = lb_model_forward(s.model, batch.source, right);
        int64_t changed = 0, padding = 0;
        for (int64_t i = 0; i < BATCH * right.length; i++) {
            int32_t expected =
                is_replaceable(right, i)
                    ? LB_EOS + lb_argmax(logits->data + (i - 1) * VOCAB + LB_EOS, VOCAB - LB_EOS)
                    : right.id[i];
            SUPPORT_CHECK(mixed.id[i] == expected, "token %d is %d, not %d", (int)i, (int)mixed.id[i],
                          (int)expected);
            changed += mixed.id[i] != right.id[i];
            padding += right.id[i] == LB_PAD;
        }
        ck_assert_int_gt(changed, 0);
        ck_assert_int_gt(padding, 0);
        support_sorting_close(&s);
    }
}
END_TEST

START_TEST(test_scheduled_tokens_replace_the_share_that_was_asked_for)
{
    support_sorting s = open_sorter(0);
    double always_unknown[VOCAB];
    for (int i = 0; i < VOCAB; i++) always_unknown[i] = i == LB_UNK ? 1 : 1e-300;
    fix_predictions(&s, always_unknown);
    const double shares[] = {0.1, 0.5, 0.9};
    for (int k = 0; SUPPORT_ROW(k, shares); k++) {
        double replaced = 0, all = 0;
        for (int step = 0; step < 30; step++) {
            lb_tape_reset(s.tape);
            lb_batch batch = lb_sort_batch(&task, s.tape, BATCH, step);
            lb_tokens right = batch.target_in,
                      mixed = lb_scheduled_tokens(s.model, batch.source, right,
                                                  (lb_scheduled_sampling){.probability = shares[k]}, step);
            for (int64_t i = 0; i < BATCH * right.length; i++) {
                bool unknown = mixed.id[i] == LB_UNK, may = is_replaceable(right, i);
                SUPPORT_CHECK(unknown ? may : mixed.id[i] == right.id[i], "token %d became %d", (int)i,
                              (int)mixed.id[i]);
                replaced += unknown;
                all += may;
            }
        }
        ck_assert_double_gt(all, 4000);
        ck_assert_double_eq_tol(replaced / all, shares[k], 4 * sqrt(shares[k] * (1 - shares[k]) / all));
    }
    support_sorting_close(&s);
}
END_TEST

/* Draws from tokens whose probabilities grow or fall with their number: the likeliest is the last or the first. Those
 * that are never written leave their share to the others. */
static void check_draws(bool falling)
{
    support_sorting s = open_sorter(1);
    double probability[VOCAB], count[VOCAB] = {0}, all = 0;
    for (int i = 0; i < VOCAB; i++)
        probability[i] = (falling ? VOCAB - i : i + 1) / (VOCAB * (VOCAB + 1) / 2.0);
    fix_predictions(&s, probability);
    for (int step = 0; step < 30; step++) {
        lb_tape_reset(s.tape);
        lb_batch batch = lb_sort_batch(&task, s.tape, BATCH, step);
        lb_tokens mixed = lb_scheduled_tokens(s.model, batch.source, batch.target_in,
                                              (lb_scheduled_sampling){.probability = 1}, step);
        for (int64_t i = 0; i < BATCH * mixed.length; i++) {
            if (!is_replaceable(mixed, i)) continue;
            count[mixed.id[i]]++;
            all++;
        }
    }
    ck_assert_double_gt(all, 4000);
    double written = 1 - probability[LB_PAD] - probability[LB_BOS];
    for (int i = 0; i < VOCAB; i++) {
        double p = i < LB_EOS ? 0 : probability[i] / written;
        ck_assert_msg(i < LB_EOS ? count[i] == 0 : fabs(count[i] / all - p) < 4 * sqrt(p * (1 - p) / all),
                      "token %d: %g, not %g", i, count[i] / all, p);
    }
    support_sorting_close(&s);
}

START_TEST(test_scheduled_tokens_are_drawn_as_likely_as_the_model_holds_them)
{
    check_draws(false);
    check_draws(true);
}
END_TEST

/* The mixed tokens of batch 0, to be freed. */
static int32_t *mixed_with(uint64_t seed, int64_t step, int threads)
{
    enum { MANY_LISTS = 200 };
    lb_set_threads(threads);
    support_sorting s = open_sorter(0);
    lb_batch batch = lb_sort_batch(&task, s.tape, MANY_LISTS, 0);
    lb_tokens mixed = lb_scheduled_tokens(s.model, batch.source, batch.target_in,
                                          (lb_scheduled_sampling){.probability = 0.5, .seed = seed}, step);
    ck_assert_int_eq(mixed.batch, MANY_LISTS);
    ck_assert_int_eq(mixed.length, task.max_length + 1);
    size_t bytes = (size_t)(mixed.batch * mixed.length) * sizeof(int32_t);
    int32_t *id = malloc(bytes);
    memcpy(id, mixed.id, bytes);
    support_sorting_close(&s);
    return id;
}

START_TEST(test_scheduled_tokens_follow_from_seed_and_step_on_any_number_of_threads)
{
    const size_t bytes = (size_t)(200 * (task.max_length + 1)) * sizeof(int32_t);
    int32_t *first = mixed_with(1, 5, 1), *again = mixed_with(1, 5, 3), *later = mixed_with(1, 6, 1),
            *other = mixed_with(2, 5, 1);
    ck_assert_mem_eq(first, again, bytes);
    ck_assert_mem_ne(first, later, bytes);
    ck_assert_mem_ne(first, other, bytes);
    free(first);
    free(again);
    free(later);
    free(other);
}
END_TEST

/* Adds the gradient of the loss on batch 0; `id` are the tokens that the decoder reads; NULL: mixed ones. */
static void add_gradient(support_sorting *s, int32_t *id, int32_t *read)
{
    lb_tape_seed(s->tape, 5, 0);
    lb_batch batch = lb_sort_batch(&task, s->tape, BATCH, 0);
    lb_tokens in = batch.target_in;
    size_t bytes = (size_t)(BATCH * in.length) * sizeof *id;
    if (id)
        in.id = id;
    else
        in = lb_scheduled_tokens(s->model, batch.source, in, (lb_scheduled_sampling){.probability = 0.5}, 0);
    ck_assert_int_eq(lb_tape_mode(s->tape), LB_MODE_TRAIN);
    if (read) memcpy(read, in.id, bytes);
    lb_tensor *logits = lb_model_forward(s->model, batch.source, in);
    ck_assert_int_eq(lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), NULL), LB_OK);
}

START_TEST(test_scheduled_tokens_leave_no_gradient_and_no_dropout_behind)
{
    for (int which = 0; which < 2; which++) {
        support_sorting mixed = open_sorter(which), plain = open_sorter(which);
        int32_t read[BATCH * 7];
        ck_assert_int_eq(task.max_length, 6);
        add_gradient(&mixed, NULL, read);
        add_gradient(&plain, read, NULL);
        ck_assert_mem_eq(lb_params_grads(mixed.params), lb_params_grads(plain.params),
                         (size_t)lb_params_size(plain.params) * sizeof(lb_real));
        support_sorting_close(&mixed);
        support_sorting_close(&plain);
    }
}
END_TEST

START_TEST(test_scheduled_tokens_of_an_impossible_probability_or_target_are_errors)
{
    const double bad[] = {-0.1, 1.1, (double)NAN};
    support_sorting s = open_sorter(0);
    lb_batch batch = lb_sort_batch(&task, s.tape, BATCH, 0);
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_tokens none = lb_scheduled_tokens(s.model, batch.source, batch.target_in,
                                             (lb_scheduled_sampling){.probability = bad[i]}, 0);
        ck_assert_int_eq(none.batch, 0);
        ck_assert_ptr_eq(none.tape, s.tape);
        ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_ARGUMENT);
        if (i == 0)
            ck_assert_str_eq(lb_tape_error(s.tape),
                             "lb_scheduled_tokens: invalid probability -0.1, expected 0 to 1");
        lb_tape_clear_error(s.tape);
    }
    const int32_t id[] = {LB_BOS, VOCAB}, length = 2;
    lb_tokens none = lb_scheduled_tokens(s.model, batch.source, (lb_tokens){s.tape, 1, 2, id, &length},
                                         (lb_scheduled_sampling){.probability = 1}, 0);
    ck_assert_int_eq(none.batch, 0);
    ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_INDEX);
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    support_sorting_close(&s);
}
END_TEST

static lb_status sample(void)
{
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, sorters[0]);
    if (!status) {
        lb_batch batch = lb_sort_batch(&task, s.tape, 12, 0);
        lb_tokens mixed = lb_scheduled_tokens(s.model, batch.source, batch.target_in,
                                              (lb_scheduled_sampling){.probability = 1}, 0);
        status = lb_tape_status(s.tape);
        ck_assert_int_eq(mixed.batch, status ? 0 : 12);
        ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    }
    support_sorting_close(&s);
    return status;
}

START_TEST(test_scheduled_tokens_without_memory_are_an_error_and_leak_nothing)
{
    support_watch_allocations();
    ck_assert_int_eq(sample(), LB_OK);
    long all = support_allocation_count();
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_int_eq(sample(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    support_fail_from_allocation(0);
}
END_TEST
