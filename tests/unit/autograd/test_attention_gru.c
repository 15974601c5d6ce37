/* Which rows of a batch have the exponentials of their keys, and when the tape keeps them.
 * This test runs in both precisions. */
#include "autograd/fused/attention_gru.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>

enum { BATCH = 19, KEYS = 3, WIDTH = 5, ROW = KEYS * WIDTH };

static lb_tensor *draw_keys(void)
{
    return support_leaf(LB_SHAPE(BATCH, KEYS, WIDTH), -2, 2, 1);
}

static void assert_powers(lb_key_exp2x *powers, const lb_tensor *keys, int64_t row)
{
    const lb_real *found = lb_key_exp2x_of_row(powers, row);
    ck_assert_msg(found != NULL, "row %d has no powers", (int)row);
    for (int i = 0; i < ROW; i++) {
        double expected = exp(2 * (double)keys->data[row * ROW + i]);
        ck_assert_double_eq_tol((double)found[i], expected, 1e-6 * expected);
    }
}

START_TEST(test_key_powers_of_a_row_beyond_the_range_are_missing_and_no_other)
{
    lb_tensor *keys = draw_keys();
    enum { BEYOND = 7 };
    lb_tape *tape = lb_tape_new();
    const lb_node node = {.tape = tape};
    for (int sign = -1; sign <= 1; sign += 2) {
        keys->data[BEYOND * ROW + 2] = (lb_real)(sign * 1000);
        lb_key_exp2x *powers = lb_key_exp2x_new(&node, keys);
        for (int again = 0; again < 2; again++)
            for (int64_t row = 0; row < BATCH; row++)
                if (row == BEYOND)
                    ck_assert_ptr_null(lb_key_exp2x_of_row(powers, row));
                else
                    assert_powers(powers, keys, row);
    }
    ck_assert_ptr_null(lb_key_exp2x_of_row(NULL, 0));
    lb_tape_free(tape);
    support_leaf_free(keys);
}
END_TEST

START_TEST(test_key_powers_are_made_once)
{
    lb_tensor *keys = draw_keys();
    lb_tape *tape = lb_tape_new();
    const lb_node node = {.tape = tape};
    lb_key_exp2x *powers = lb_key_exp2x_new(&node, keys);
    lb_real before = lb_key_exp2x_of_row(powers, 0)[0];
    keys->data[0] = -keys->data[0];
    ck_assert(lb_key_exp2x_of_row(powers, 0)[0] == before);
    lb_tape_free(tape);
    support_leaf_free(keys);
}
END_TEST

START_TEST(test_key_powers_are_kept_from_the_second_time_on_while_the_tape_evaluates)
{
    lb_tensor *keys = draw_keys();
    lb_tape *tape = lb_tape_new();
    const lb_node node = {.tape = tape};
    for (int time = 0; time < 3; time++) ck_assert_ptr_null(lb_key_exp2x_kept(&node, keys));
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    ck_assert_ptr_null(lb_key_exp2x_kept(&node, keys));
    lb_key_exp2x *second = lb_key_exp2x_kept(&node, keys);
    assert_powers(second, keys, BATCH - 1);
    ck_assert_ptr_eq(lb_key_exp2x_kept(&node, keys), second);
    lb_tape_reset(tape);
    ck_assert_ptr_null(lb_key_exp2x_kept(&node, keys));
    lb_tape_free(tape);
    support_leaf_free(keys);
}
END_TEST

/* Empty tensors cannot be distinguished. */
START_TEST(test_key_powers_of_no_keys_are_never_kept)
{
    lb_tape *tape = lb_tape_new();
    const lb_node node = {.tape = tape};
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    const lb_tensor *keys = lb_tensor_new(tape, LB_SHAPE(BATCH, 0, WIDTH), NULL);
    for (int time = 0; time < 3; time++) ck_assert_ptr_null(lb_key_exp2x_kept(&node, keys));
    lb_tape_free(tape);
}
END_TEST
