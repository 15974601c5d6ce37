/* What lb_gru_sequence refuses, and why. */
#include "autograd/tape.h"
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "support/suite.h"

#include <string.h>

enum { ROWS = 2, STEPS = 3, HIDDEN = 2 };

static lb_tape *tape;
static lb_tensor *x, *state, *weight, *bias; /* as they should be */

static lb_tensor *zeros(lb_shape shape)
{
    return lb_tensor_new(tape, shape, NULL);
}

static void set_up(void)
{
    tape = lb_tape_new();
    x = zeros(LB_SHAPE(ROWS, STEPS, 3 * HIDDEN));
    state = zeros(LB_SHAPE(ROWS, HIDDEN));
    weight = zeros(LB_SHAPE(3 * HIDDEN, HIDDEN));
    bias = zeros(LB_SHAPE(3 * HIDDEN));
}

static void expect_refused(const lb_tensor *result, lb_status status, const char *message)
{
    ck_assert(!lb_is_sound(result));
    ck_assert_str_eq(lb_tensor_error(result), message);
    ck_assert_int_eq(lb_tensor_status(result), status);
    lb_tape_clear_error(tape);
}

START_TEST(test_gru_sequence_of_sizes_that_do_not_match_names_both_shapes)
{
    set_up();
    ck_assert(lb_is_sound(lb_gru_sequence(x, NULL, state, weight, bias, NULL, false)));
    expect_refused(lb_gru_sequence(zeros(LB_SHAPE(ROWS, 3 * HIDDEN)), NULL, NULL, weight, bias, NULL, false),
                   LB_ERROR_SHAPE, "lb_gru_sequence: gate sizes do not match: x[2,6] x weight_hh[6,2]");
    expect_refused(
        lb_gru_sequence(zeros(LB_SHAPE(ROWS, STEPS, HIDDEN)), NULL, state, weight, bias, NULL, false),
        LB_ERROR_SHAPE, "lb_gru_sequence: gate sizes do not match: x[2,3,2] x weight_hh[6,2]");
    expect_refused(lb_gru_sequence(x, NULL, state, zeros(LB_SHAPE(3 * HIDDEN, 3)), bias, NULL, false),
                   LB_ERROR_SHAPE, "lb_gru_sequence: gate sizes do not match: x[2,3,6] x weight_hh[6,3]");
    expect_refused(lb_gru_sequence(x, NULL, state, bias, bias, NULL, false), LB_ERROR_SHAPE,
                   "lb_gru_sequence: gate sizes do not match: x[2,3,6] x weight_hh[6]");
    expect_refused(lb_gru_sequence(x, NULL, state, weight, weight, NULL, false), LB_ERROR_SHAPE,
                   "lb_gru_sequence: bias sizes do not match: bias_hh[6,2] x weight_hh[6,2]");
    expect_refused(lb_gru_sequence(x, NULL, zeros(LB_SHAPE(ROWS + 1, HIDDEN)), weight, bias, NULL, false),
                   LB_ERROR_SHAPE, "lb_gru_sequence: state sizes do not match: initial[3,2] x x[2,3,6]");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_gru_sequence_of_impossible_lengths_names_the_row)
{
    set_up();
    ck_assert(lb_is_sound(lb_gru_sequence(x, NULL, state, weight, bias, (int32_t[]){0, STEPS}, false)));
    expect_refused(lb_gru_sequence(x, NULL, state, weight, bias, (int32_t[]){0, -1}, false),
                   LB_ERROR_ARGUMENT, "lb_gru_sequence: row 1 has length -1, expected 0 to 3");
    expect_refused(lb_gru_sequence(x, NULL, state, weight, bias, (int32_t[]){STEPS + 1, 0}, false),
                   LB_ERROR_ARGUMENT, "lb_gru_sequence: row 0 has length 4, expected 0 to 3");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_gru_sequence_of_tokens_needs_a_table_that_has_them)
{
    static const int32_t lengths[] = {STEPS, STEPS};
    int32_t id[ROWS * STEPS] = {0, 3, 2, 1, 0, 1};
    set_up();
    lb_tokens tokens = {tape, ROWS, STEPS, id, lengths};
    lb_tensor *table = zeros(LB_SHAPE(4, 3 * HIDDEN));
    ck_assert(lb_is_sound(lb_gru_sequence(table, &tokens, state, weight, bias, lengths, false)));
    expect_refused(lb_gru_sequence(x, &tokens, state, weight, bias, lengths, false), LB_ERROR_SHAPE,
                   "lb_gru_sequence: gate sizes do not match: x[2,3,6] x weight_hh[6,2]");
    for (int i = 0; i < 2; i++) {
        id[4] = i == 0 ? 4 : -1;
        expect_refused(lb_gru_sequence(table, &tokens, state, weight, bias, lengths, false), LB_ERROR_INDEX,
                       i == 0 ? "lb_gru_sequence: token id 4 in row 1, position 1: the table has 4 rows"
                              : "lb_gru_sequence: token id -1 in row 1, position 1: the table has 4 rows");
    }
    lb_tape_free(tape);
}
END_TEST
