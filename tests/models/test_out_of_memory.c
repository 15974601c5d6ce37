/* Every allocation fails once: each time an error or a clean NULL, no crash, no leak, and no gradient touched. */
#include "models/greedy.h"
#include "support/alloc.h"
#include "support/sorting.h"
#include "support/suite.h"

static const lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 4, .seed = 3};

static bool any_gradient(const lb_params *params)
{
    for (int64_t i = 0; i < lb_params_size(params); i++)
        if (lb_params_grads(params)[i] != 0) return true;
    return false;
}

typedef lb_status (*scenario)(lb_seq2seq_config config);

/* Two steps: the arena consolidates between them. */
static lb_status train(lb_seq2seq_config config)
{
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, config);
    for (int step = 0; step < 2 && !status; step++) {
        status = support_sorting_step(&s, 12, step, NULL);
        /* Either all of backward ran, and the update set the gradients to zero, or none did. */
        ck_assert(!any_gradient(s.params));
        ck_assert_int_eq(lb_tape_status(s.tape), status);
    }
    support_sorting_close(&s);
    return status;
}

static lb_status decode(lb_seq2seq_config config)
{
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, config);
    if (!status) {
        lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, 12, 0);
        lb_decoded found = lb_greedy(&s.model, batch.source, 40);
        status = lb_tape_status(s.tape);
        ck_assert_int_eq(found.batch, status ? 0 : 12);
        ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    }
    support_sorting_close(&s);
    return status;
}

static void fail_each_allocation(scenario run, lb_seq2seq_config config, int at_least)
{
    support_watch_allocations();
    ck_assert_int_eq(run(config), LB_OK);
    ck_assert_int_eq(support_live_allocations(), 0);
    long all = support_allocation_count();
    int failed = 0;
    for (long n = 1; n <= all + 1; n++) {
        long before = support_allocation_count();
        support_fail_allocation(n);
        lb_status status = run(config);
        ck_assert_int_eq(support_live_allocations(), 0);
        ck_assert_msg(status == LB_OK || status == LB_ERROR_MEMORY, "allocation %ld: %s", n,
                      lb_status_text(status));
        failed += status != LB_OK;
        if (support_allocation_count() - before < n) ck_assert_int_eq(status, LB_OK);
    }
    ck_assert_int_ge(failed, at_least);
}

/* Large enough that a step needs several blocks. */
static const lb_seq2seq_config config = {.embed = 16, .hidden = 32};
static const lb_seq2seq_config deep = {
    .embed = 16, .hidden = 24, .layers = 2, .bidirectional = true, .dropout = (lb_real)0.1};

START_TEST(test_training_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(train, config, 8);
}
END_TEST

START_TEST(test_training_deep_model_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(train, deep, 8);
}
END_TEST

START_TEST(test_greedy_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(decode, config, 8);
    fail_each_allocation(decode, deep, 8);
}
END_TEST

int main(void)
{
    return support_run_tests(
        "out of memory",
        SUPPORT_TESTS(test_training_any_failing_allocation_is_an_error_and_leaks_nothing,
                      test_training_deep_model_any_failing_allocation_is_an_error_and_leaks_nothing,
                      test_greedy_any_failing_allocation_is_an_error_and_leaks_nothing));
}
