/* How pairs of a file become a batch for teacher forcing. */
#include "autograd/tape.h"
#include "data/pairs/pairs.h"
#include "lookback/translate.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/op.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static lb_error error;
static lb_pairs *pairs;
static lb_vocabulary *source, *target;
static lb_tape *tape;

static const lb_pair_format format = {.target = {.separator = " "}};

static void begin(const char *text)
{
    support_write_file(support_path("pairs.tsv"), text, strlen(text));
    tape = lb_tape_new();
    pairs = lb_pairs_open(support_path("pairs.tsv"), format, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    source = lb_vocabulary_new_reserved(NULL);
    target = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_pairs_tally_symbols(pairs, source, target, &error), LB_OK);
    lb_vocabulary_sort(source, 2);
    lb_vocabulary_sort(target, 1);
}

static void finish(void)
{
    lb_pairs_close(pairs);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_tape_free(tape);
}

enum { A = LB_FIRST_TOKEN, B, X = LB_FIRST_TOKEN, Y };

static void expect_ids(lb_tokens tokens, const int32_t *id)
{
    for (int64_t i = 0; i < tokens.batch * tokens.length; i++) ck_assert_int_eq(tokens.id[i], id[i]);
}

#define EXPECT_IDS(tokens, ...) expect_ids(tokens, (const int32_t[]){__VA_ARGS__})

START_TEST(test_pair_batch_rows_are_the_pairs_in_ids)
{
    begin("aab\tx y x\nb\tx\nba?\ty x\n");
    lb_batch batch = lb_pair_batch(pairs, source, target, tape, (const int64_t[]){2, 1, 0}, 3);
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    ck_assert_int_eq(batch.source.batch, 3);
    ck_assert_int_eq(batch.source.length, 3);
    ck_assert_int_eq(batch.target_in.length, 4);
    ck_assert_int_eq(batch.target_out.length, 4);
    EXPECT_IDS(batch.source, B, A, LB_UNK, B, LB_PAD, LB_PAD, A, A, B);
    EXPECT_IDS(batch.target_in, LB_BOS, Y, X, LB_PAD, LB_BOS, X, LB_PAD, LB_PAD, LB_BOS, X, Y, X);
    EXPECT_IDS(batch.target_out, Y, X, LB_EOS, LB_PAD, X, LB_EOS, LB_PAD, LB_PAD, X, Y, X, LB_EOS);
    ck_assert_mem_eq(batch.source.lengths, ((const int32_t[]){3, 1, 3}), sizeof(int32_t[3]));
    ck_assert_mem_eq(batch.target_in.lengths, ((const int32_t[]){3, 2, 4}), sizeof(int32_t[3]));
    ck_assert_mem_eq(batch.target_out.lengths, ((const int32_t[]){3, 2, 4}), sizeof(int32_t[3]));
    finish();
}
END_TEST

START_TEST(test_pair_batch_what_it_cannot_read_is_recorded_on_the_tape)
{
    begin("ab\tx y\nb\tx\n");
    lb_batch batch = lb_pair_batch(pairs, source, target, tape, (const int64_t[]){0, 2}, 2);
    ck_assert_int_eq(batch.source.batch, 0);
    ck_assert(batch.source.tape == tape && batch.target_in.tape == tape && batch.target_out.tape == tape);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    ck_assert_str_eq(lb_tape_error(tape), "lb_pair_batch: pair 2 is out of range: there are 2");
    lb_tape_clear_error(tape);
    lb_pairs_close(pairs); /* otherwise cached lines would not be read again */
    pairs = lb_pairs_open(support_path("pairs.tsv"), format, &error);
    ck_assert_int_eq(truncate(support_path("pairs.tsv"), 3), 0);
    batch = lb_pair_batch(pairs, source, target, tape, (const int64_t[]){0, 1}, 2);
    ck_assert_int_eq(batch.target_out.batch, 0);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "the file has changed since it was opened"));
    finish();
}
END_TEST

START_TEST(test_pair_batch_steps_allocate_nothing_once_they_are_under_way)
{
    char text[4000] = "";
    for (int i = 0; i < 100; i++)
        sprintf(text + strlen(text), "%.*s\tx y\n", i % 20 + 1, "abababababababababab");
    support_watch_allocations();
    begin(text);
    lb_pair_order *order = lb_pair_order_new(pairs, 5, 1, &error);
    long before = 0;
    for (int64_t step = 0; step < 80; step++) {
        lb_tape_reset(tape);
        lb_pair_step now = lb_pair_order_at(order, step);
        ck_assert_int_eq(lb_pair_batch(pairs, source, target, tape, now.pair, now.count).source.batch, 5);
        if (step == 20) before = support_allocation_count();
    }
    ck_assert_int_eq(support_allocation_count(), before);
    lb_pair_order_free(order);
    finish();
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_pair_batch_failing_allocation_is_an_empty_batch)
{
    support_watch_allocations();
    begin("ab\tx y\nb\tx\n");
    lb_tape_alloc(tape, (1 << 16) - 64); /* the allocation after the next one needs a new block */
    support_fail_from_allocation(1);
    lb_batch batch = lb_pair_batch(pairs, source, target, tape, (const int64_t[]){0, 1}, 2);
    ck_assert_int_eq(batch.source.batch, 0);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_MEMORY);
    finish();
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
