/* The error rule of docs/errors.md: no failure is silent, and the error for a missing operand names it. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "models/built_in.h"
#include "nn/params.h"
#include "support/leaf.h"
#include "support/suite.h"
#include "train/optimizer.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static lb_params *params;
static lb_tape *tape;
static lb_tensor *weight; /* a parameter [2, 2] */
static lb_tensor *x;      /* on the tape [2, 2] */

static void set_up(void)
{
    params = lb_params_new(3);
    tape = lb_tape_new();
    weight = lb_params_add(params, "", "weight", LB_SHAPE(2, 2), (lb_init){LB_INIT_UNIFORM, 1});
    x = lb_tensor_new(tape, LB_SHAPE(2, 2), (lb_real[]){1, 2, 3, 5});
}

static void tear_down(void)
{
    lb_tape_free(tape);
    lb_params_free(params);
}

/* Asserts that `result` is poison, with this reason. */
static void check_poison(const lb_tensor *result, lb_status status, const char *message)
{
    ck_assert(!lb_is_sound(result));
    ck_assert_str_eq(lb_tensor_error(result), message);
    ck_assert_int_eq(lb_tensor_status(result), status);
}

static const char *const no_tape = "lb_mul: no operand is on a tape: a and b are parameters; see lb_on_tape";

START_TEST(test_mul_of_parameters_alone_is_poison_that_says_so)
{
    set_up();
    lb_tensor *product = lb_mul(weight, weight);
    check_poison(product, LB_ERROR_ARGUMENT, no_tape);
    lb_tensor *loss = lb_sum_all(product);
    check_poison(loss, LB_ERROR_ARGUMENT, no_tape);
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(loss, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, no_tape);
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    tear_down();
}
END_TEST

START_TEST(test_stray_poison_that_meets_a_tape_is_recorded_with_its_reason)
{
    set_up();
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_add(x, lb_mul(weight, weight))), &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(
        error.message,
        "lb_add: operand b is poison: lb_mul: no operand is on a tape: a and b are parameters; see "
        "lb_on_tape");
    ck_assert_str_eq(lb_tape_error(tape), error.message);
    tear_down();
}
END_TEST

START_TEST(test_message_without_a_tape_lists_the_operands_that_are_there)
{
    set_up();
    check_poison(lb_exp(weight), LB_ERROR_ARGUMENT,
                 "lb_exp: no operand is on a tape: x is a parameter; see lb_on_tape");
    check_poison(lb_affine(weight, weight, NULL), LB_ERROR_ARGUMENT,
                 "lb_affine: no operand is on a tape: x and weight are parameters; see lb_on_tape");
    check_poison(lb_concat((lb_tensor *[]){weight, weight, weight}, 3, 0), LB_ERROR_ARGUMENT,
                 "lb_concat: no operand is on a tape: x_1, x_2 and x_3 are parameters; see lb_on_tape");
    check_poison(lb_concat(NULL, 0, 0), LB_ERROR_ARGUMENT, "lb_concat: operand x_1 is missing");
    tear_down();
}
END_TEST

static void *fail_elsewhere(void *parameter)
{
    lb_exp(parameter);
    return NULL;
}

START_TEST(test_stray_poison_of_another_thread_leaves_this_one_s_message)
{
    set_up();
    const lb_tensor *here = lb_mul(weight, weight);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, weight), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    check_poison(here, LB_ERROR_ARGUMENT, no_tape);
    tear_down();
}
END_TEST

START_TEST(test_sub_without_b_is_an_error_that_names_it)
{
    set_up();
    check_poison(lb_sub(x, NULL), LB_ERROR_ARGUMENT, "lb_sub: operand b is missing");
    ck_assert_str_eq(lb_tape_error(tape), "lb_sub: operand b is missing");
    check_poison(lb_sub(weight, NULL), LB_ERROR_ARGUMENT, "lb_sub: operand b is missing"); /* no tape */
    check_poison(lb_sub(NULL, NULL), LB_ERROR_ARGUMENT, "lb_sub: operand a is missing");
    tear_down();
}
END_TEST

START_TEST(test_backward_of_nothing_is_an_error_that_says_so)
{
    set_up();
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "lb_backward: loss is missing");
    ck_assert_int_eq(lb_backward(NULL, NULL), LB_ERROR_ARGUMENT);
    error = (lb_error){0};
    ck_assert_int_eq(lb_backward_from(x, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "lb_backward: cotangent is missing");
    error = (lb_error){0};
    ck_assert_int_eq(lb_backward(weight, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "lb_backward: the loss is a parameter, which is not on a tape");
    tear_down();
}
END_TEST

START_TEST(test_backward_of_poison_whose_error_was_cleared_is_an_error)
{
    set_up();
    lb_tensor *poison = lb_reshape(x, LB_SHAPE(3));
    lb_tape_clear_error(tape);
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(poison, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "lb_backward: invalid loss: the tensor is the result of a failed op");
    tear_down();
}
END_TEST

START_TEST(test_backward_hands_over_the_first_error_of_the_tape_and_keeps_that_of_the_caller)
{
    set_up();
    lb_error error = {0}, earlier = {LB_ERROR_OPEN, "earlier"};
    lb_tensor *loss = lb_sum_all(lb_add(x, lb_tensor_new(tape, LB_SHAPE(3), NULL)));
    ck_assert_int_eq(lb_backward(loss, &error), LB_ERROR_SHAPE);
    ck_assert_str_eq(error.message, "lb_add: shapes do not broadcast: a[2,2] x b[3]");
    ck_assert_int_eq(error.status, LB_ERROR_SHAPE);
    ck_assert_int_eq(lb_backward(loss, &earlier), LB_ERROR_SHAPE);
    ck_assert_str_eq(earlier.message, "earlier");
    tear_down();
}
END_TEST

static lb_status shape_of_x(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status copy_x(lb_node *node)
{
    memcpy(node->out[0]->data, node->in[0]->data, (size_t)lb_count(node->in[0]) * sizeof(lb_real));
    return LB_OK;
}

START_TEST(test_op_whose_descriptor_lacks_something_is_an_error_that_names_it)
{
    static const lb_op whole = {.name = "same", .operands = "x", .shape = shape_of_x, .forward = copy_x};
    static const char *const messages[] = {"lb_op_apply: the descriptor of the op has no name",
                                           "lb_same: the descriptor of the op has no operands",
                                           "lb_same: the descriptor of the op has no shape",
                                           "lb_same: the descriptor of the op has no forward"};
    set_up();
    lb_op ops[] = {whole, whole, whole, whole};
    ops[0].name = NULL;
    ops[1].operands = NULL;
    ops[2].shape = NULL;
    ops[3].forward = NULL;
    for (size_t i = 0; SUPPORT_ROW(i, ops); i++) {
        check_poison(lb_op_apply(&ops[i], LB_INPUTS(x), NULL, 0), LB_ERROR_ARGUMENT, messages[i]);
        lb_tape_clear_error(tape);
    }
    /* Without a gradient it needs no backward. */
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_op_apply(&whole, LB_INPUTS(x), NULL, 0)), &error), LB_OK);
    lb_tape_reset(tape);
    lb_tensor *loss = lb_sum_all(lb_op_apply(&whole, LB_INPUTS(lb_on_tape(tape, weight)), NULL, 0));
    ck_assert(lb_is_sound(loss));
    ck_assert_int_eq(lb_backward(loss, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "lb_same: the descriptor of the op has no backward, but a gradient is wanted");
    tear_down();
}
END_TEST

START_TEST(test_tensor_error_of_a_sound_tensor_is_empty_and_of_none_says_so)
{
    set_up();
    ck_assert_str_eq(lb_tensor_error(x), "");
    ck_assert_int_eq(lb_tensor_status(weight), LB_OK);
    ck_assert_str_eq(lb_tensor_error(NULL), "the tensor is missing");
    ck_assert_int_eq(lb_tensor_status(NULL), LB_ERROR_ARGUMENT);
    tear_down();
}
END_TEST

START_TEST(test_parameter_that_could_not_be_made_tells_the_tape_why)
{
    set_up();
    lb_linear linear;
    lb_linear_init(&linear, params, "output", (lb_linear_config){.inputs = 2, .outputs = 0, .no_bias = true});
    check_poison(linear.weight, LB_ERROR_ARGUMENT,
                 "output: outputs is 0, expected at least 1; a field that is not set is 0");
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_linear_forward(&linear, x)), &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "output: lb_affine: operand weight is poison: output: outputs "
                                    "is 0, expected at least 1; a field that is not set is 0");
    lb_tape_clear_error(tape);
    check_poison(lb_on_tape(tape, linear.weight), LB_ERROR_ARGUMENT,
                 "lb_on_tape: output: outputs is 0, expected at least 1; a field that is not set is 0");
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){0});
    error = (lb_error){0};
    ck_assert_int_eq(lb_optimizer_step(adam, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "output: outputs is 0, expected at least 1; a field that is not set is 0");
    lb_optimizer_free(adam);
    tear_down();
}
END_TEST

START_TEST(test_ops_that_look_at_an_operand_first_take_none)
{
    set_up();
    static const int32_t id[] = {0, 1}, lengths[] = {2};
    lb_tokens tokens = {tape, 1, 2, id, lengths};
    check_poison(lb_dropout(NULL, 0), LB_ERROR_ARGUMENT, "lb_dropout: operand x is missing");
    check_poison(lb_embedding_lookup(tokens, NULL), LB_ERROR_ARGUMENT,
                 "lb_embedding_lookup: operand table is missing");
    check_poison(lb_cross_entropy(NULL, tokens, -1), LB_ERROR_ARGUMENT,
                 "lb_cross_entropy: operand logits is missing");
    check_poison(lb_attend_dot(NULL, weight, weight, NULL, NULL, 1, 1, 0), LB_ERROR_ARGUMENT,
                 "lb_attend_dot: operand query is missing");
    check_poison(lb_gru_sequence(NULL, &tokens, NULL, weight, weight, NULL, false), LB_ERROR_ARGUMENT,
                 "lb_gru_sequence: operand x is missing");
    check_poison(lb_stack((lb_tensor *[]){x, NULL}, 2, 0), LB_ERROR_ARGUMENT,
                 "lb_concat: operand x_2 is missing");
    lb_tape_clear_error(tape);
    check_poison(lb_stack((lb_tensor *[]){NULL, x}, 2, 0), LB_ERROR_ARGUMENT,
                 "lb_concat: operand x_1 is missing");
    lb_tape_clear_error(tape);
    check_poison(lb_attend_dot(lb_reshape(x, LB_SHAPE(1, 2, 2)), lb_reshape(x, LB_SHAPE(1, 2, 2)),
                               lb_reshape(x, LB_SHAPE(1, 2, 2)), NULL, NULL, 0, 1, 0),
                 LB_ERROR_SHAPE, "lb_attend_dot: cannot divide [1,2,2] into 0 heads");
    tear_down();
}
END_TEST

START_TEST(test_ops_along_an_axis_that_is_not_there_say_so)
{
    set_up();
    check_poison(lb_cumsum(x, 2), LB_ERROR_ARGUMENT, "lb_cumsum: x[2,2] has no axis 2");
    lb_tape_clear_error(tape);
    check_poison(lb_reduce_max(x, -3), LB_ERROR_ARGUMENT, "lb_reduce_max: x[2,2] has no axis -3");
    tear_down();
}
END_TEST

START_TEST(test_stack_of_a_parameter_in_front_of_a_tensor_has_the_new_axis)
{
    set_up();
    const lb_tensor *both = lb_stack((lb_tensor *[]){weight, x}, 2, 0);
    ck_assert(lb_is_sound(both));
    ck_assert(lb_shape_equal(both->shape, LB_SHAPE(2, 2, 2)));
    ck_assert(both->data[3] == weight->data[3] && both->data[7] == 5);
    tear_down();
}
END_TEST

START_TEST(test_modules_without_an_operand_name_it)
{
    set_up();
    lb_linear linear;
    lb_layer_norm norm;
    lb_gru gru;
    lb_multi_head heads;
    lb_positional positions;
    lb_linear_init(&linear, params, "linear", (lb_linear_config){.inputs = 2, .outputs = 2});
    lb_layer_norm_init(&norm, params, "norm", 2, 0);
    lb_gru_init(&gru, params, "gru", (lb_gru_config){.input = 2, .hidden = 2});
    lb_multi_head_init(&heads, params, "heads", (lb_multi_head_config){.embed = 2});
    lb_positional_init(&positions, params, "positions", (lb_positional_config){.width = 2});
    ck_assert_int_eq(lb_params_status(params), LB_OK);
    const char *affine = "lb_affine: operand x is missing";
    check_poison(lb_linear_forward(&linear, NULL), LB_ERROR_ARGUMENT, affine);
    check_poison(lb_layer_norm_forward(&norm, NULL), LB_ERROR_ARGUMENT,
                 "lb_standardize: operand x is missing");
    check_poison(lb_gru_forward(&gru, NULL, NULL, NULL).outputs, LB_ERROR_ARGUMENT, affine);
    check_poison(lb_multi_head_forward(&heads, NULL, NULL, NULL, NULL, NULL).context, LB_ERROR_ARGUMENT,
                 affine);
    check_poison(lb_positional_forward(&positions, NULL, 0), LB_ERROR_ARGUMENT,
                 "lb_positional_forward: operand x is missing");
    check_poison(lb_linear_forward_pair(&linear, NULL, x), LB_ERROR_ARGUMENT, affine);
    ck_assert_str_eq(lb_tape_error(tape), affine);
    tear_down();
}
END_TEST

START_TEST(test_modules_of_a_parameter_alone_say_that_there_is_no_tape)
{
    set_up();
    lb_gru gru;
    lb_positional positions;
    lb_gru_init(&gru, params, "gru", (lb_gru_config){.input = 2, .hidden = 2});
    lb_positional_init(&positions, params, "positions", (lb_positional_config){.width = 2});
    check_poison(lb_gru_forward(&gru, weight, NULL, NULL).outputs, LB_ERROR_ARGUMENT,
                 "lb_affine: no operand is on a tape: x, weight and bias are parameters; see lb_on_tape");
    check_poison(lb_positional_forward(&positions, weight, 0), LB_ERROR_ARGUMENT,
                 "lb_positional_forward: no operand is on a tape: x is a parameter; see lb_on_tape");
    tear_down();
}
END_TEST

START_TEST(test_readers_of_no_tensor_return_nothing)
{
    set_up();
    ck_assert(isnan(lb_item(NULL)));
    ck_assert_ptr_null(lb_doubles(NULL));
    ck_assert_ptr_null(lb_doubles(weight));
    ck_assert_ptr_null(lb_op_output(NULL, 0));
    lb_tensor *sum = lb_add(x, x);
    ck_assert_ptr_eq(lb_op_output(sum, 0), sum);
    ck_assert_ptr_null(lb_op_output(sum, 1));
    ck_assert_ptr_null(lb_op_output(sum, LB_MAX_OUTPUTS));
    ck_assert_ptr_null(lb_op_output(sum, -1));
    check_poison(lb_on_tape(tape, NULL), LB_ERROR_ARGUMENT, "lb_on_tape: the tensor is missing");
    tear_down();
}
END_TEST

START_TEST(test_no_tape_is_one_that_is_out_of_memory)
{
    set_up();
    ck_assert_int_eq(lb_tape_status(NULL), LB_ERROR_MEMORY);
    ck_assert_str_eq(lb_tape_error(NULL), "out of memory");
    lb_tape_reset(NULL);
    lb_tape_clear_error(NULL);
    lb_tape_set_mode(NULL, LB_MODE_EVALUATE);
    lb_tape_seed(NULL, 1, 2);
    ck_assert_int_eq(lb_tape_mode(NULL), LB_MODE_TRAIN);
    lb_tape_leave(NULL, lb_tape_enter(NULL, "module"));
    int32_t *id, *lengths;
    lb_tokens tokens = lb_tokens_new(NULL, 1, 2, &id, &lengths);
    ck_assert_int_eq(tokens.batch, 0);
    check_poison(lb_tensor_new(NULL, LB_SHAPE(2), NULL), LB_ERROR_MEMORY, "out of memory");
    check_poison(lb_length_mask(NULL, (const int32_t[]){1}, 1, 1), LB_ERROR_MEMORY, "out of memory");
    check_poison(lb_causal_mask(NULL, 2), LB_ERROR_MEMORY, "out of memory");
    check_poison(lb_on_tape(NULL, weight), LB_ERROR_MEMORY, "out of memory");
    check_poison(lb_embedding_lookup(tokens, weight), LB_ERROR_MEMORY, "out of memory");
    lb_error error = {0};
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_on_tape(NULL, weight)), &error), LB_ERROR_MEMORY);
    ck_assert_str_eq(error.message, "out of memory");
    tear_down();
}
END_TEST

START_TEST(test_no_params_are_a_store_that_is_out_of_memory)
{
    set_up();
    ck_assert_int_eq(lb_params_status(NULL), LB_ERROR_MEMORY);
    ck_assert_str_eq(lb_params_error(NULL), "out of memory");
    ck_assert_int_eq(lb_params_fail(NULL, LB_ERROR_SHAPE, "later"), LB_ERROR_MEMORY);
    check_poison(lb_params_add(NULL, "", "w", LB_SHAPE(2), (lb_init){LB_INIT_CONSTANT, 1}), LB_ERROR_MEMORY,
                 "out of memory");
    ck_assert_int_eq(lb_params_count(NULL) + lb_params_size(NULL) + lb_params_learned(NULL), 0);
    ck_assert(!lb_params_values(NULL) && !lb_params_grads(NULL) && !lb_params_find(NULL, "w"));
    lb_params_zero_grads(NULL);
    ck_assert(lb_params_grad_norm(NULL) == 0);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 5, .target_vocab = 5};
    ck_assert_int_eq(lb_seq2seq_init(&model, NULL, "model", config), LB_ERROR_MEMORY);
    static const int32_t id[] = {LB_BOS, LB_EOS}, lengths[] = {2};
    lb_tokens tokens = {tape, 1, 2, id, lengths};
    ck_assert_int_eq(lb_tensor_status(lb_seq2seq_forward(&model, tokens, tokens)), LB_ERROR_MEMORY);
    ck_assert_ptr_null(lb_optimizer_new(NULL, (lb_optimizer_config){0}));
    ck_assert_ptr_null(lb_optimizer_new(NULL, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD}));
    lb_error error = {0};
    lb_optimizer_set_lr(NULL, 1);
    ck_assert_int_eq(lb_optimizer_step(NULL, &error), LB_ERROR_MEMORY);
    ck_assert_str_eq(error.message, "lb_optimizer_step: the optimiser is missing: out of memory");
    ck_assert_int_eq(lb_optimizer_step(NULL, NULL), LB_ERROR_MEMORY);
    tear_down();
}
END_TEST
