/* Failing allocations, one at a time or all from some point on, give an error or NULL, without a crash or a leak. */
#include "lookback/models.h"
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

typedef lb_status (*scenario)(support_sorter sorter);

/* One step. A failure before or in backward leaves the gradients unchanged; after an update they are zero. */
static lb_status train_step(support_sorting *s, int step)
{
    lb_tape_reset(s->tape);
    lb_batch batch = lb_sort_batch(&s->task, s->tape, 12, step);
    lb_tensor *logits = lb_model_forward(s->model, batch.source, batch.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    lb_status forward = lb_tape_status(s->tape), backward = lb_backward(loss, NULL);
    ck_assert_int_eq(lb_is_sound(loss), forward == LB_OK);
    if (forward) ck_assert_int_eq(backward, forward);
    if (backward) ck_assert(!any_gradient(s->params));
    ck_assert_int_eq(lb_tape_status(s->tape), backward);
    if (backward) return backward;
    ck_assert(any_gradient(s->params));
    lb_status update = lb_optimizer_step(s->adam, NULL);
    ck_assert(!any_gradient(s->params));
    return update;
}

/* Two steps: the arena consolidates between them. */
static lb_status train(support_sorter sorter)
{
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, sorter);
    for (int step = 0; step < 2 && !status; step++) status = train_step(&s, step);
    support_sorting_close(&s);
    return status;
}

static lb_status decode(support_sorter sorter)
{
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, sorter);
    if (!status) {
        lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, 12, 0);
        lb_decoded found = lb_greedy(s.model, batch.source, 40);
        status = lb_tape_status(s.tape);
        ck_assert_int_eq(found.batch, status ? 0 : 12);
        ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    }
    support_sorting_close(&s);
    return status;
}

/* `fail_at` makes the n-th allocation fail, or all from there on. The second is needed, too: after a single failure, an
 * arena asks for less, so some places would never run out of memory. `count` single failures at least are errors, and
 * all of the others but `count`, which a run can do without. */
static void fail_each_allocation(scenario run, support_sorter of, void (*fail_at)(long n), long count)
{
    support_watch_allocations();
    ck_assert_int_eq(run(of), LB_OK);
    ck_assert_int_eq(support_live_allocations(), 0);
    long all = support_allocation_count(), failed = 0;
    for (long n = 1; n <= all; n++) {
        fail_at(n);
        lb_status status = run(of);
        ck_assert_int_eq(support_live_allocations(), 0);
        ck_assert_msg(status == LB_OK || status == LB_ERROR_MEMORY, "allocation %ld: %s", n,
                      lb_status_text(status));
        failed += status != LB_OK;
    }
    fail_at(0);
    ck_assert_int_eq(run(of), LB_OK);
    ck_assert_int_ge(failed, fail_at == support_fail_from_allocation ? all - count : count);
}

/* Large enough that a step needs several blocks. */
static const support_sorter plain = {.seq2seq = {.embed = 16, .hidden = 32}};
static const support_sorter deep = {
    .seq2seq = {.embed = 16, .hidden = 24, .layers = 2, .bidirectional = true, .dropout = (lb_real)0.1}};
static const support_sorter transformer = {.transformer = {.width = 24, .dropout = (lb_real)0.1}};

START_TEST(test_training_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(train, plain, support_fail_allocation, 8);
    fail_each_allocation(train, plain, support_fail_from_allocation, 0);
}
END_TEST

START_TEST(test_training_deep_model_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(train, deep, support_fail_allocation, 8);
    fail_each_allocation(train, deep, support_fail_from_allocation, 0);
}
END_TEST

START_TEST(test_training_transformer_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(train, transformer, support_fail_allocation, 8);
    fail_each_allocation(train, transformer, support_fail_from_allocation, 0);
}
END_TEST

START_TEST(test_training_with_each_attention_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    for (int kind = 0; lb_attention_names[kind]; kind++) {
        support_sorter small = {
            .seq2seq = {.embed = 8, .hidden = 8, .attention = (lb_attention_kind)kind, .heads = 2}};
        fail_each_allocation(train, small, support_fail_allocation, 8);
    }
}
END_TEST

START_TEST(test_greedy_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    fail_each_allocation(decode, plain, support_fail_allocation, 8);
    fail_each_allocation(decode, plain, support_fail_from_allocation, 0);
    fail_each_allocation(decode, deep, support_fail_allocation, 8);
    fail_each_allocation(decode, deep, support_fail_from_allocation, 0);
    fail_each_allocation(decode, transformer, support_fail_allocation, 8);
    fail_each_allocation(decode, transformer, support_fail_from_allocation, 2); /* a larger table of sines */
}
END_TEST

static lb_status init_in_a_block(lb_attention_kind attention, size_t filled)
{
    lb_seq2seq model;
    const lb_seq2seq_config config = {
        .source_vocab = 4, .target_vocab = 4, .embed = 2, .hidden = 2, .heads = 2, .attention = attention};
    lb_params *params = lb_params_new(1);
    lb_params_alloc(params, filled);
    lb_status status = params ? lb_seq2seq_init(&model, params, "", config) : LB_ERROR_MEMORY;
    lb_params_free(params);
    return status;
}

/* Wherever the first block of the store ends, which has 64 KB. */
START_TEST(test_init_of_each_attention_without_another_block_is_an_error_and_leaks_nothing)
{
    enum { BLOCK = 1 << 16, LAST = 4096, UNIT = 16 };
    support_watch_allocations();
    for (lb_attention_kind kind = 0; lb_attention_names[kind]; kind++)
        for (size_t filled = BLOCK - LAST; filled < BLOCK; filled += UNIT) {
            lb_status status = LB_ERROR_MEMORY;
            for (long n = 1; status; n++) {
                support_fail_from_allocation(n);
                status = init_in_a_block(kind, filled);
                ck_assert(status == LB_OK || status == LB_ERROR_MEMORY);
                ck_assert_int_eq(support_live_allocations(), 0);
            }
        }
}
END_TEST
