/* Rows that are right, found by teacher forcing. This test runs in both precisions. */
#include "support/suite.h"
#include "translate/batches/evaluate.h"

static int right_rows(const lb_tensor *logits, lb_tokens target)
{
    return lb_row_is_right(logits, target, 0) + lb_row_is_right(logits, target, 1);
}

START_TEST(test_row_is_right_needs_every_token_and_the_end)
{
    static const int32_t id[] = {4, LB_EOS, LB_PAD, 5, 4, LB_EOS}, lengths[] = {2, 3};
    lb_tape *tape = lb_tape_new();
    lb_tokens target = {tape, 2, 3, id, lengths};
    lb_tensor *logits = lb_tensor_new(tape, LB_SHAPE(2, 3, 6), NULL);
    for (int64_t i = 0; i < 6; i++) logits->data[i * 6 + id[i]] = 1;
    ck_assert_int_eq(right_rows(logits, target), 2);
    logits->data[2 * 6 + 3] = 9; /* padding is ignored */
    ck_assert_int_eq(right_rows(logits, target), 2);
    logits->data[1 * 6 + 5] = 2; /* continues where the row should end */
    ck_assert_int_eq(right_rows(logits, target), 1);
    logits->data[3 * 6 + LB_PAD] = 2; /* is never written */
    ck_assert_int_eq(right_rows(logits, target), 1);
    logits->data[3 * 6 + LB_UNK] = 2;
    ck_assert_int_eq(right_rows(logits, target), 0);
    lb_tape_free(tape);
}
END_TEST
