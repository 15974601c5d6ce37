/* Sticky errors, the propagation of poison, and what the tape records. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "models/built_in.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

START_TEST(test_status_first_error_stays_and_reset_keeps_it)
{
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    ck_assert_str_eq(lb_tape_error(tape), "");
    lb_tensor *a = lb_tensor_new(tape, LB_SHAPE(2, 3), NULL), *b = lb_tensor_new(tape, LB_SHAPE(4), NULL);
    lb_add(a, b);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape), "lb_add: shapes do not broadcast: a[2,3] x b[4]");
    lb_slice(a, 7, 0, 1); /* would be an error of argument */
    lb_tape_fail(tape, LB_ERROR_DIVERGED, "later");
    lb_tape_reset(tape);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape), "lb_add: shapes do not broadcast: a[2,3] x b[4]");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_alloc_zero_of_more_than_an_address_counts_is_out_of_memory)
{
    lb_tape *tape = lb_tape_new();
    ck_assert_ptr_null(lb_tape_alloc_zero(tape, INT64_MAX / 4 + 2, 8));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_MEMORY);
    lb_tape_free(tape);
}
END_TEST
START_TEST(test_error_text_of_matmul_names_shapes_and_sizes)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *a = lb_tensor_new(tape, LB_SHAPE(32, 7, 64), NULL),
              *b = lb_tensor_new(tape, LB_SHAPE(48, 64), NULL);
    ck_assert(!lb_is_sound(lb_matmul(a, b)));
    ck_assert_str_eq(lb_tape_error(tape), "lb_matmul: inner sizes differ: a[32,7,64] x b[48,64] (64 != 48)");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_poison_flows_through_ops_and_is_never_computed_with)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *a = lb_tensor_new(tape, LB_SHAPE(2, 3), (lb_real[]){1, 2, 3, 4, 5, 6});
    lb_tensor *poison = lb_matmul(a, a);
    lb_tensor *after[] = {lb_add(a, poison),
                          lb_softmax(poison),
                          lb_sum_all(poison),
                          lb_reshape(poison, LB_SHAPE(-1)),
                          lb_concat((lb_tensor *[]){a, poison}, 2, 0),
                          lb_stack((lb_tensor *[]){poison, a}, 2, 0),
                          lb_dropout(poison, (lb_real)0.5),
                          lb_tanh(a) /* sound operands, but the tape has failed */};
    for (int i = 0; SUPPORT_ROW(i, after); i++) {
        ck_assert_msg(!lb_is_sound(after[i]), "op %d", i);
        ck_assert(isnan(lb_item(after[i])));
    }
    ck_assert_ptr_eq(lb_op_output(poison, 2), poison);
    ck_assert(a->data[5] == 6);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_backward_after_an_error_returns_it_and_touches_no_gradient)
{
    lb_tensor *weight = support_leaf(LB_SHAPE(3, 3), -1, 1, 5);
    for (int i = 0; i < 9; i++) weight->grad[i] = (lb_real)i;
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 3), (lb_real[]){1, 2, 3, 4, 5, 6});
    lb_tensor *sound = lb_sum_all(lb_matmul(x, weight));
    lb_tensor *broken = lb_sum_all(lb_matmul(weight, x));
    ck_assert_int_eq(lb_backward(broken, NULL), LB_ERROR_SHAPE);
    ck_assert_int_eq(lb_backward(sound, NULL), LB_ERROR_SHAPE); /* this one was computed without an error */
    for (int i = 0; i < 9; i++) ck_assert(weight->grad[i] == (lb_real)i);
    lb_tape_free(tape);
    support_leaf_free(weight);
}
END_TEST

START_TEST(test_backward_of_more_than_one_number_is_an_error_of_shape)
{
    lb_tensor *weight = support_leaf(LB_SHAPE(3), -1, 1, 5);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = lb_tanh(lb_on_tape(tape, weight));
    ck_assert_int_eq(lb_backward(y, NULL), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape), "lb_backward: expected a loss of one number, found [3]");
    for (int i = 0; i < 3; i++) ck_assert(weight->grad[i] == 0);
    lb_tape_free(tape);
    support_leaf_free(weight);
}
END_TEST

START_TEST(test_backward_twice_is_an_error_and_adds_nothing)
{
    lb_tensor *weight = support_leaf(LB_SHAPE(3), 1, 2, 5);
    lb_tape *tape = lb_tape_new();
    lb_tensor *loss = lb_sum_all(lb_scale(lb_on_tape(tape, weight), 7));
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    ck_assert_int_eq(lb_backward(loss, NULL), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(tape), "lb_backward: already called since the last lb_tape_reset");
    for (int i = 0; i < 3; i++) ck_assert(weight->grad[i] == 7);
    lb_tape_clear_error(tape);
    lb_tape_reset(tape);
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_scale(lb_on_tape(tape, weight), -2)), NULL), LB_OK);
    for (int i = 0; i < 3; i++) ck_assert(weight->grad[i] == 5); /* parameters accumulate */
    lb_tape_free(tape);
    support_leaf_free(weight);
}
END_TEST

START_TEST(test_module_name_stands_in_front_of_the_message)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_linear linear;
    lb_linear_init(&linear, params, "model.output", (lb_linear_config){.inputs = 3, .outputs = 5});
    lb_linear_forward(&linear, lb_tensor_new(tape, LB_SHAPE(2, 4), NULL));
    ck_assert_str_eq(lb_tape_error(tape), "model.output: lb_affine: widths differ: x[2,4] x weight[5,3]");
    lb_tape_clear_error(tape);
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 4), NULL);
    lb_matmul(x, x); /* after the module, errors no longer have its name */
    const char *found = "lb_matmul: inner sizes differ: a[2,4] x b[2,4] (4 != 2)";
    ck_assert_str_eq(lb_tape_error(tape), found);
    lb_tape_clear_error(tape);
    const char *outer = lb_tape_enter(tape, ""); /* a model without a name */
    lb_matmul(x, x);
    lb_tape_leave(tape, outer);
    ck_assert_str_eq(lb_tape_error(tape), found);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_module_name_of_an_inner_module_is_the_whole_path)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_seq2seq model;
    lb_seq2seq_init(&model, params, "sorter",
                    (lb_seq2seq_config){.source_vocab = 6, .target_vocab = 6, .embed = 2, .hidden = 3});
    int32_t *id, *lengths;
    lb_tokens source = lb_tokens_new(tape, 1, 2, &id, &lengths);
    id[1] = -1;
    lengths[0] = 2;
    lb_seq2seq_encode(&model, source);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    ck_assert_msg(strstr(lb_tape_error(tape),
                         "sorter.source_embedding: lb_embedding_lookup: token id -1 in row 0, position 1") ==
                      lb_tape_error(tape),
                  "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_operands_of_two_tapes_are_an_error)
{
    lb_tape *tape = lb_tape_new(), *other = lb_tape_new();
    lb_tensor *a = lb_tensor_new(tape, LB_SHAPE(2), NULL), *b = lb_tensor_new(other, LB_SHAPE(2), NULL);
    ck_assert(!lb_is_sound(lb_mul(a, b)));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(tape), "lb_mul: operand b is on another tape");
    ck_assert_int_eq(lb_tape_status(other), LB_OK);
    lb_tape_free(tape);
    lb_tape_free(other);
}
END_TEST

START_TEST(test_operands_without_a_tape_give_poison_that_is_reported_where_it_arrives)
{
    lb_tensor *a = support_leaf(LB_SHAPE(2), -1, 1, 1), *b = support_leaf(LB_SHAPE(2), -1, 1, 2);
    lb_tensor *stray = lb_add(a, b);
    ck_assert(!lb_is_sound(stray));
    ck_assert_int_eq(lb_backward(stray, NULL), LB_ERROR_ARGUMENT);
    lb_tape *tape = lb_tape_new();
    ck_assert(!lb_is_sound(lb_add(lb_tensor_new(tape, LB_SHAPE(2), NULL), stray)));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    lb_tape_free(tape);
    support_leaf_free(a);
    support_leaf_free(b);
}
END_TEST

START_TEST(test_item_is_the_one_value_or_nan)
{
    lb_tape *tape = lb_tape_new();
    ck_assert(lb_item(lb_tensor_new(tape, (lb_shape){0}, (lb_real[]){3})) == 3);
    ck_assert(lb_item(lb_tensor_new(tape, LB_SHAPE(1, 1), (lb_real[]){-4})) == -4);
    ck_assert(isnan(lb_item(lb_tensor_new(tape, LB_SHAPE(2), NULL))));
    ck_assert(isnan(lb_item(NULL)));
    ck_assert(isnan(lb_item(lb_tensor_new(tape, LB_SHAPE(-2), NULL))));
    ck_assert_str_eq(lb_tape_error(tape), "invalid shape [-2]");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_doubles_are_the_values_and_null_for_poison)
{
    lb_tape *tape = lb_tape_new();
    const lb_tensor *matrix = lb_tensor_new(tape, LB_SHAPE(2, 2), (lb_real[]){3, -0.5, 0.25, 7});
    const double *values = lb_doubles(matrix), expected[] = {3, -0.5, 0.25, 7};
    for (int i = 0; SUPPORT_ROW(i, expected); i++) ck_assert_double_eq(values[i], expected[i]);
    ck_assert_ptr_null(lb_doubles(NULL));
    ck_assert_ptr_null(lb_doubles(lb_tensor_new(tape, LB_SHAPE(-2), NULL)));
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_clear_error_makes_the_tape_usable_again)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *a = lb_tensor_new(tape, LB_SHAPE(2), (lb_real[]){2, 5});
    lb_tensor *poison = lb_matmul(a, a);
    lb_tape_clear_error(tape);
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    ck_assert_str_eq(lb_tape_error(tape), "");
    ck_assert(lb_item(lb_sum_all(a)) == 7);
    lb_add(a, poison); /* poison stays poison */
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_add: operand b is poison: the tensor is the result of a failed op");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_evaluate_mode_records_nothing)
{
    lb_tensor *weight = support_leaf(LB_SHAPE(3), -1, 1, 5);
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_tape_mode(tape), LB_MODE_TRAIN);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_tensor *loss = lb_sum_all(lb_exp(lb_on_tape(tape, weight)));
    ck_assert(!loss->requires_grad);
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    for (int i = 0; i < 3; i++) ck_assert(weight->grad[i] == 0);
    lb_tape_set_mode(tape, LB_MODE_TRAIN);
    loss = lb_sum_all(lb_exp(lb_on_tape(tape, weight)));
    ck_assert(loss->requires_grad);
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)weight->grad[i], exp((double)weight->data[i]), 1e-5);
    lb_tape_free(tape);
    support_leaf_free(weight);
}
END_TEST

START_TEST(test_backward_through_a_diamond_sums_both_ways)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1), 3, 3, 1);
    lb_tensor *on = lb_on_tape(tape, x), *square = lb_mul(on, on), *cube = lb_mul(square, on);
    /* d(x^2 + x^3 + x^2 x^3)/dx = 2x + 3x^2 + 5x^4 */
    lb_tensor *loss = lb_sum_all(lb_add(lb_add(square, cube), lb_mul(square, cube)));
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    ck_assert_double_eq_tol((double)x->grad[0], 6 + 27 + 405, 1e-4);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_backward_of_many_ops_needs_no_stack)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1), 1, 1, 1), *y = lb_on_tape(tape, x);
    lb_tensor *one = lb_tensor_new(tape, LB_SHAPE(1), (lb_real[]){1});
    for (int i = 0; i < 200000; i++) y = lb_add(y, one);
    ck_assert_int_eq(lb_backward(y, NULL), LB_OK);
    ck_assert(x->grad[0] == 1);
    ck_assert(lb_item(y) == 200001);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_step_lives_until_the_step_after_the_next_begins)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *before = lb_tensor_new(tape, LB_SHAPE(1), (lb_real[]){7}), *step[5];
    for (int i = 0; SUPPORT_ROW(i, step); i++) {
        lb_tape_begin_step(tape, false);
        step[i] = lb_tensor_new(tape, LB_SHAPE(1), (lb_real[]){(lb_real)i});
        ck_assert(i == 0 || lb_item(step[i - 1]) == (lb_real)(i - 1));
        ck_assert(i < 2 || step[i] == step[i - 2]); /* in its memory */
        ck_assert(i == 0 || step[i] != step[i - 1]);
        ck_assert(!lb_tape_lasts(tape, step[i]->data));
    }
    lb_tensor *kept = lb_tape_alloc_lasting(tape, sizeof *kept);
    ck_assert(lb_tape_lasts(tape, kept) && lb_tape_lasts(tape, before) && lb_item(before) == 7);
    lb_tape_end_steps(tape);
    ck_assert(lb_tape_lasts(tape, lb_tensor_new(tape, LB_SHAPE(1), NULL)));
    lb_tape_free(tape);
}
END_TEST

/* Another step may have other numbers at the same address. */
START_TEST(test_step_has_no_cache_for_its_own_numbers)
{
    lb_tape *tape = lb_tape_new();
    lb_node node = {.tape = tape};
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_real *lasting = lb_tape_alloc(tape, sizeof *lasting);
    lb_tape_begin_step(tape, false);
    lb_kept *cached = lb_op_kept(&node, lasting, 1);
    ck_assert(cached && lb_tape_lasts(tape, cached));
    ck_assert_ptr_null(lb_op_kept(&node, lb_tape_alloc(tape, sizeof *lasting), 1));
    lb_tape_begin_step(tape, false);
    ck_assert_ptr_eq(lb_op_kept(&node, lasting, 1), cached);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_select_rows_in_a_step_shares_only_what_lasts_and_if_told)
{
    static const int64_t rows[] = {0, 1};
    lb_tape *tape = lb_tape_new();
    lb_tensor *lasting = lb_tensor_new(tape, LB_SHAPE(2), (lb_real[]){3, 4});
    lb_tape_begin_step(tape, true);
    lb_tensor *early = lb_tensor_new(tape, LB_SHAPE(2), (lb_real[]){5, 6});
    lb_tape_begin_step(tape, true);
    ck_assert_ptr_eq(lb_select_rows(tape, lasting, rows, 2)->data, lasting->data);
    const lb_tensor *copy = lb_select_rows(tape, early, rows, 2);
    ck_assert(copy->data != early->data && copy->data[0] == 5 && copy->data[1] == 6);
    lb_tape_begin_step(tape, false);
    copy = lb_select_rows(tape, lasting, rows, 2);
    ck_assert(copy->data != lasting->data && copy->data[1] == 4);
    lb_tape_free(tape);
}
END_TEST
