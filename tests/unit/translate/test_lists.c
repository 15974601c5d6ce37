/* Lists as a batch for teacher forcing, and the exact match on them, found by teacher forcing and by decoding. This
 * test runs in both precisions. */
#include "data/lists/sort_task.h"
#include "lookback/op.h"
#include "models/decode/model.h"
#include "support/alloc.h"
#include "support/sorting.h"
#include "support/suite.h"

#include <string.h>

/* ---- Batches. ---- */

static const lb_sort_task task = {.max_value = 12, .min_length = 1, .max_length = 6, .seed = 8};

/* Compares one row of all three parts with its list. */
static void check_row(const lb_batch *batch, int64_t row, const int32_t *list, int32_t length)
{
    int32_t sorted[6];
    const int64_t width = batch->source.length;
    const int32_t *source = batch->source.id + row * width;
    const int32_t *in = batch->target_in.id + row * (width + 1),
                  *out = batch->target_out.id + row * (width + 1);
    memcpy(sorted, list, (size_t)length * sizeof *list);
    lb_sort_values(sorted, length);
    ck_assert_int_eq(batch->source.lengths[row], length);
    ck_assert_int_eq(batch->target_in.lengths[row], length + 1);
    ck_assert_int_eq(batch->target_out.lengths[row], length + 1);
    ck_assert_int_eq(in[0], LB_BOS);
    ck_assert_int_eq(out[length], LB_EOS);
    for (int32_t i = 0; i < length; i++) {
        ck_assert_int_eq(source[i], list[i] + LB_FIRST_TOKEN);
        ck_assert_int_eq(in[i + 1], sorted[i] + LB_FIRST_TOKEN);
        ck_assert_int_eq(out[i], sorted[i] + LB_FIRST_TOKEN);
    }
    for (int64_t i = length; i < width; i++) ck_assert_int_eq(source[i], LB_PAD);
    for (int64_t i = length + 1; i < width + 1; i++) {
        ck_assert_int_eq(in[i], LB_PAD);
        ck_assert_int_eq(out[i], LB_PAD);
    }
}

static void check_batch(lb_split split, const lb_batch *batch, int64_t size, uint64_t first)
{
    int32_t longest = 0;
    ck_assert_int_eq(batch->source.batch, size);
    ck_assert_int_eq(batch->target_in.length, batch->source.length + 1);
    ck_assert_int_eq(batch->target_out.length, batch->source.length + 1);
    int32_t lengths[64];
    int64_t row[64];
    for (int64_t i = 0; i < size; i++) {
        int32_t list[6];
        lengths[i] = lb_sort_draw(&task, split, first + (uint64_t)i, list);
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    ck_assert_int_eq(lb_batch_order(batch->source.tape, size, lengths, row), LB_OK);
    for (int64_t i = 0; i < size; i++) {
        int32_t list[6], length = lb_sort_draw(&task, split, first + (uint64_t)i, list);
        check_row(batch, row[i], list, length);
    }
    ck_assert_int_eq(batch->source.length, longest);
}

START_TEST(test_sort_batch_rows_are_lists_and_their_sorted_twins)
{
    lb_tape *tape = lb_tape_new();
    lb_batch third = lb_sort_batch(&task, tape, 9, 3);
    check_batch(LB_SPLIT_TRAIN, &third, 9, 27);
    lb_batch test = lb_sort_batch_from(&task, LB_SPLIT_TEST, tape, 20, 5);
    check_batch(LB_SPLIT_TEST, &test, 20, 5);
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_sort_batch_width_is_that_of_the_longest_list)
{
    lb_tape *tape = lb_tape_new();
    int narrow = 0;
    for (int step = 0; step < 60; step++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_sort_batch(&task, tape, 1, step);
        ck_assert_int_eq(batch.source.length, batch.source.lengths[0]);
        narrow += batch.source.length < task.max_length;
    }
    ck_assert_int_gt(narrow, 30);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_sort_batch_of_one_length_has_no_padding_and_each_length_comes)
{
    const lb_sort_task even = {
        .max_value = 9, .min_length = 2, .max_length = 5, .seed = 3, .one_length = true};
    bool seen[6] = {false};
    lb_tape *tape = lb_tape_new();
    for (int64_t step = 0; step < 40; step++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_sort_batch(&even, tape, 7, step);
        for (int64_t row = 0; row < 7; row++)
            ck_assert_int_eq(batch.source.lengths[row], batch.source.length);
        seen[batch.source.length] = true;
    }
    for (int length = even.min_length; length <= even.max_length; length++) ck_assert(seen[length]);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_sort_batch_of_a_split_that_there_is_not_is_an_error)
{
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_sort_batch_from(&task, (lb_split)2, tape, 3, 0).source.batch, 0);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(tape), "lb_sort_batch_from: split is 2, expected 0 or 1");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_sort_batch_failing_allocation_is_an_empty_batch)
{
    support_watch_allocations();
    lb_tape *tape = lb_tape_new();
    ck_assert_int_gt(lb_sort_batch(&task, tape, 64, 0).source.batch, 0);
    lb_tape_free(tape);
    tape = lb_tape_new();
    lb_tape_alloc(tape, (1 << 16) - 64); /* the next piece needs a new block */
    support_fail_allocation(1);
    lb_batch batch = lb_sort_batch(&task, tape, 20000, 0);
    ck_assert_int_eq(batch.source.batch, 0);
    ck_assert_int_eq(batch.target_in.batch, 0);
    ck_assert(batch.source.tape == tape && batch.target_in.tape == tape && batch.target_out.tape == tape);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_MEMORY);
    lb_tape_free(tape);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

/* ---- Evaluations. ---- */

static const lb_sort_task learned = {.max_value = 9, .min_length = 1, .max_length = 4, .seed = 3};

enum { LISTS = 600, DECODED_AT_ONCE = 200 };

/* The rows whose output equals the target, LB_EOS included. */
static int64_t exact_matches(const lb_decoded *decoded, lb_tokens target_out)
{
    int64_t matches = 0;
    for (int64_t row = 0; row < decoded->batch; row++) {
        int32_t length = target_out.lengths[row] - 1; /* without LB_EOS */
        bool same = decoded->finished[row] && decoded->lengths[row] == length;
        matches +=
            same && memcmp(decoded->id + row * decoded->length, target_out.id + row * target_out.length,
                           (size_t)length * sizeof *target_out.id) == 0;
    }
    return matches;
}

static double decoded_share(support_sorting *s)
{
    int64_t matches = 0;
    for (uint64_t first = 0; first < LISTS; first += DECODED_AT_ONCE) {
        lb_tape_reset(s->tape);
        lb_batch batch = lb_sort_batch_from(&learned, LB_SPLIT_TEST, s->tape, DECODED_AT_ONCE, first);
        lb_decoded decoded = lb_greedy(s->model, batch.source, lb_decoding_limit(batch.source.length));
        matches += exact_matches(&decoded, batch.target_out);
    }
    return (double)matches / LISTS;
}

START_TEST(test_sort_evaluate_finds_what_greedy_decoding_finds)
{
    support_sorting s;
    ck_assert_int_eq(
        support_sorting_open(&s, learned, (support_sorter){.seq2seq = {.embed = 8, .hidden = 16}}), LB_OK);
    double begun = 0, forced = 0;
    ck_assert_int_eq(lb_sort_evaluate(s.model, &learned, s.tape, LISTS, &begun), LB_OK);
    for (int step = 0; step < 900; step++) {
        support_sorting_step(&s, 16, step, NULL);
        if (step % 300 != 299) continue;
        ck_assert_int_eq(lb_sort_evaluate(s.model, &learned, s.tape, LISTS, &forced), LB_OK);
        ck_assert_double_eq(forced, decoded_share(&s));
        ck_assert_double_gt(forced, begun);
        ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    }
    ck_assert_double_lt(begun, 0.1);
    ck_assert_double_gt(forced, 0.2);
    ck_assert_double_lt(forced, 1);
    support_sorting_close(&s);
}
END_TEST
