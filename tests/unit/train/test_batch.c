/* The order of rows in a batch, and arrays of ids as a batch for teacher forcing. */
#include "support/suite.h"
#include "tensor/panels.h"
#include "translate/batches/batch.h"
#include <lookback/op.h>

#include <math.h>

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

static const int32_t rows_of_ids[] = {5, 6, 99, 7, 8, 9, 4, 77, 78};

START_TEST(test_tokens_mask_is_one_where_a_token_is)
{
    lb_tape *tape = lb_tape_new();
    const int32_t lengths[] = {2, 0, 3};
    lb_tokens tokens = lb_tokens_from(tape, rows_of_ids, lengths, 3, 3);
    const lb_tensor *mask = lb_tokens_mask(tokens);
    ck_assert_int_eq(lb_count(mask), 9);
    for (int64_t i = 0; i < lb_count(mask); i++) ck_assert(mask->data[i] == (tokens.id[i] != LB_PAD));
    lb_tape_free(tape);
}
END_TEST

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
