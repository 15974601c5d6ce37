/* How lists become a batch for teacher forcing. */
#include "support/alloc.h"
#include "support/suite.h"
#include "tensor/panels.h"
#include "train/batch.h"
#include <lookback/op.h>

#include <math.h>
#include <string.h>

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

START_TEST(test_order_takes_each_row_once_and_fills_tiles_alike_longest_first)
{
    lb_tape *tape = lb_tape_new();
    for (int64_t size = 0; size <= 300; size = size * 2 + 1) {
        int32_t lengths[300], placed[300], expected = 0;
        int64_t row[300];
        for (int64_t i = 0; i < size; i++) {
            lengths[i] = (int32_t)(i * i % 7);
            expected += lengths[i];
            placed[i] = -1;
        }
        ck_assert_int_eq(lb_batch_order(tape, size, lengths, row), LB_OK);
        for (int64_t i = 0; i < size; i++) {
            ck_assert(row[i] >= 0 && row[i] < size);
            ck_assert_int_eq(placed[row[i]], -1);
            placed[row[i]] = lengths[i];
        }
        lb_row_tiles tiles = lb_row_tiles_of(size);
        for (int64_t tile = 0; tile < tiles.count; tile++) {
            int64_t first = tile * tiles.rows, height = lb_row_tile_height(tiles, tile, size);
            int32_t sum = placed[first];
            for (int64_t i = first + 1; i < first + height; i++) {
                ck_assert_int_ge(placed[i - 1], placed[i]);
                sum += placed[i];
            }
            /* The share of a tile, up to one list of each length. */
            double share = (double)expected * (double)height / (double)size;
            ck_assert_double_le(fabs((double)sum - share), 21);
        }
    }
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

START_TEST(test_tokens_mask_is_one_where_a_token_is)
{
    lb_tape *tape = lb_tape_new();
    lb_batch batch = lb_sort_batch(&task, tape, 7, 0);
    const lb_tensor *mask = lb_tokens_mask(batch.source);
    for (int64_t i = 0; i < lb_count(mask); i++) ck_assert(mask->data[i] == (batch.source.id[i] != LB_PAD));
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

static const int32_t rows_of_ids[] = {5, 6, 99, 7, 8, 9, 4, 77, 78};

START_TEST(test_tokens_from_arrays_are_their_rows_padded)
{
    lb_tape *tape = lb_tape_new();
    const int32_t lengths[] = {2, 3, 1}, expected[] = {5, 6, LB_PAD, 7, 8, 9, 4, LB_PAD, LB_PAD};
    lb_tokens tokens = lb_tokens_from(tape, rows_of_ids, lengths, 3, 3);
    ck_assert_int_eq(tokens.batch, 3);
    ck_assert_mem_eq(tokens.id, expected, sizeof expected);
    ck_assert_mem_eq(tokens.lengths, lengths, sizeof lengths);
    lb_tokens full = lb_tokens_from(tape, rows_of_ids, NULL, 3, 3);
    ck_assert_mem_eq(full.id, rows_of_ids, sizeof rows_of_ids);
    ck_assert_int_eq(full.lengths[2], 3);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_tokens_from_a_length_beyond_the_array_are_an_error_with_the_row)
{
    static const int32_t lengths[][3] = {{2, 4, 1}, {2, -1, 1}};
    for (int i = 0; SUPPORT_ROW(i, lengths); i++) {
        lb_tape *tape = lb_tape_new();
        ck_assert_int_eq(lb_tokens_from(tape, rows_of_ids, lengths[i], 3, 3).batch, 0);
        ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
        ck_assert_str_eq(lb_tape_error(tape), i ? "lb_tokens_from: length -1 of row 1, expected 0 to 3"
                                                : "lb_tokens_from: length 4 of row 1, expected 0 to 3");
        lb_tape_free(tape);
    }
}
END_TEST

START_TEST(test_tokens_batch_has_the_source_and_the_target_with_its_ends)
{
    lb_tape *tape = lb_tape_new();
    const int32_t lengths[] = {2, 1}, in[] = {LB_BOS, 5, 6, LB_BOS, 7, LB_PAD},
                  out[] = {5, 6, LB_EOS, 7, LB_EOS, LB_PAD};
    const int32_t target[] = {5, 6, 7, 99};
    lb_batch batch = lb_tokens_batch(lb_tokens_from(tape, rows_of_ids, NULL, 2, 4),
                                     lb_tokens_from(tape, target, lengths, 2, 2));
    ck_assert_mem_eq(batch.source.id, rows_of_ids, 8 * sizeof *rows_of_ids);
    ck_assert_int_eq(batch.source.lengths[1], 4);
    ck_assert_mem_eq(batch.target_in.id, in, sizeof in);
    ck_assert_mem_eq(batch.target_out.id, out, sizeof out);
    ck_assert(batch.target_in.lengths[0] == 3 && batch.target_out.lengths[1] == 2);
    batch =
        lb_tokens_batch(lb_tokens_from(tape, target, NULL, 1, 2), lb_tokens_from(tape, target, NULL, 2, 2));
    ck_assert_int_eq(batch.source.batch, 0);
    ck_assert_str_eq(lb_tape_error(tape), "lb_tokens_batch: found 1 sources and 2 targets");
    lb_tape_free(tape);
}
END_TEST
