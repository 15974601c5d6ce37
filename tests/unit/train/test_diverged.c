/* A training that cannot go on says where a number stopped being finite: the op, the place, the parameter. */
#include "lookback/nn.h"
#include "lookback/op.h"
#include "lookback/train.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { COUNT = 8, LENGTH = 4, IDS = 5, WIDTH = 3 };

static int32_t ids[COUNT][LENGTH], lengths[COUNT], labels[COUNT];
static lb_error error;

/* A reader whose attention weighs keys by their norm, which is 0 at padding: its root has an infinite derivative there,
 * and 0 times that is NaN. */
typedef struct reader {
    lb_params *params;
    lb_embedding embedding;
    lb_linear judge;
    lb_tape *tape;    /* of a loop of its own */
    int64_t poisoned; /* the part of a batch with padding; -1: all */
} reader;

static reader new_reader(void)
{
    reader r = {.params = lb_params_new(1), .tape = lb_tape_new(), .poisoned = -1};
    lb_embedding_init(&r.embedding, r.params, "embedding", IDS, WIDTH, -1);
    lb_linear_init(&r.judge, r.params, "judge", (lb_linear_config){.inputs = WIDTH, .outputs = 2});
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < LENGTH; k++) ids[i][k] = (i + k) % IDS;
        lengths[i] = i == 5 ? 2 : LENGTH;
        labels[i] = i % 2;
    }
    error = (lb_error){0};
    return r;
}

static void free_reader(reader *r)
{
    lb_tape_free(r->tape);
    lb_params_free(r->params);
}

static lb_tensor *apply(void *model, lb_example_input input)
{
    const reader *r = model;
    lb_tokens t = input.tokens;
    lb_tensor *mask = lb_reshape(lb_tokens_mask(t), LB_SHAPE(t.batch, t.length, 1));
    lb_tensor *keys = lb_mul(lb_embedding_forward(&r->embedding, t), mask);
    lb_tensor *norm = lb_sqrt(lb_sum(lb_mul(keys, keys), -1));
    lb_tensor *weights = lb_reshape(lb_softmax(norm), LB_SHAPE(t.batch, t.length, 1));
    return lb_linear_forward(&r->judge, lb_sum(lb_mul(keys, weights), 1));
}

static lb_tensor *loss_of(const reader *r, lb_tape *tape)
{
    lb_tokens t = lb_tokens_from(tape, ids[0], lengths, COUNT, LENGTH);
    lb_tensor *logits = apply((void *)(uintptr_t)r, (lb_example_input){.tape = tape, .tokens = t});
    return lb_cross_entropy(logits, lb_tokens_from(tape, labels, NULL, COUNT, 1), -1);
}

static void expect_message(const char *begin, const char *end)
{
    size_t length = strlen(error.message), tail = strlen(end);
    ck_assert_int_eq(error.status, LB_ERROR_DIVERGED);
    ck_assert_msg(strncmp(error.message, begin, strlen(begin)) == 0, "%s", error.message);
    ck_assert_msg(length >= tail && strcmp(error.message + length - tail, end) == 0, "%s", error.message);
}

static const char first_step[] = "lb_optimizer_step: step 1: the gradient of embedding.weight is nan at [";

static const char root[] =
    "] (training diverged): first in the backward pass of lb_sqrt: the gradient of x[8,4] is "
    "inf at [5,2], where x is 0; nan since lb_mul";

START_TEST(test_fit_root_of_zero_at_padding_names_the_root_and_no_learning_rate)
{
    reader r = new_reader();
    lb_examples e = {.count = COUNT, .ids = ids[0], .lengths = lengths, .length = LENGTH, .vocabulary = IDS};
    e.labels = labels;
    e.classes = 2;
    lb_fit_config config = {.model = &r, .apply = apply, .held_out = -1};
    ck_assert_int_eq(lb_fit(r.params, e, config, NULL, &error), LB_ERROR_DIVERGED);
    expect_message(first_step, "where x is 0; nan since lb_mul"); /* the examples are shuffled */
    ck_assert_ptr_nonnull(
        strstr(error.message, "first in the backward pass of lb_sqrt: the gradient of x[8,4]"));
    free_reader(&r);
}
END_TEST

START_TEST(test_optimizer_step_with_a_tape_names_the_op_and_without_one_how_to_know)
{
    reader r = new_reader();
    for (int with = 0; with < 2; with++) {
        error = (lb_error){0};
        lb_optimizer *adam = lb_optimizer_new(r.params, (lb_optimizer_config){.tape = with ? r.tape : NULL});
        lb_tape_reset(r.tape);
        ck_assert_int_eq(lb_backward(loss_of(&r, r.tape), &error), LB_OK);
        ck_assert_int_eq(lb_optimizer_step(adam, &error), LB_ERROR_DIVERGED);
        expect_message(first_step, with ? root : ": lb_optimizer_config.tape tells the op where that began");
        for (int64_t i = 0; i < lb_params_size(r.params); i++) ck_assert(lb_params_grads(r.params)[i] == 0);
        lb_optimizer_free(adam);
    }
    free_reader(&r);
}
END_TEST

/* The parts of a batch are taken again: only the last one is on the tape. */
static lb_tensor *loss_of_part(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    reader *r = context;
    for (int i = 0; i < COUNT; i++) lengths[i] = LENGTH;
    if (step == r->poisoned) lengths[5] = 2;
    *tokens += COUNT;
    return loss_of(r, tape);
}

START_TEST(test_train_with_shards_names_the_op_of_the_part_and_advises_after_good_steps)
{
    for (int64_t bad = 0; bad < 8; bad++) {
        reader r = new_reader();
        lb_train_history history;
        r.poisoned = bad;
        lb_trainer_config config = {.params = r.params,
                                    .context = &r,
                                    .loss = loss_of_part,
                                    .steps = 2,
                                    .shards = 4,
                                    .schedule = {.lr = 1e-3}};
        ck_assert_int_eq(lb_train(config, &history, &error), LB_ERROR_DIVERGED);
        expect_message(bad < 4 ? "training diverged: the gradient of step 1 is not finite: first in"
                               : "training diverged: the gradient of step 2 is not finite: first in",
                       bad < 4 ? root + strlen("] (training diverged): ") + strlen("first in")
                               : "nan since lb_mul; a smaller learning rate may help");
        lb_release(history.points);
        free_reader(&r);
    }
}
END_TEST

/* ---- Losses: the forward pass. ---- */

static lb_tensor *numbers_of(const reader *r, const lb_real *numbers)
{
    return lb_tensor_new(r->tape, LB_SHAPE(2, 3), numbers);
}

static lb_tensor *weight_of(const reader *r)
{
    return lb_on_tape(r->tape, lb_params_find(r->params, "judge.weight"));
}

static void expect_loss(reader *r, lb_tensor *loss, const char *message)
{
    error = (lb_error){0};
    lb_optimizer *o =
        lb_optimizer_new(r->params, (lb_optimizer_config){.lr = (lb_real)1e-3, .tape = r->tape});
    ck_assert_int_eq(lb_backward(loss, &error), LB_OK);
    ck_assert_int_eq(lb_optimizer_step(o, &error), LB_ERROR_DIVERGED);
    ck_assert_str_eq(error.message, message);
    ck_assert_int_eq(lb_tape_status(r->tape), LB_OK);
    for (int64_t i = 0; i < lb_params_size(r->params); i++) ck_assert(lb_params_grads(r->params)[i] == 0);
    lb_optimizer_free(o);
    lb_tape_reset(r->tape);
}

START_TEST(test_optimizer_step_after_a_loss_that_is_not_finite_names_the_first_op)
{
    const lb_real some[] = {1, 2, 3, 4, 0, 6}, negative[] = {1, 2, 3, 4, 5, -6},
                  none[] = {0, 0, (lb_real)NAN};
    reader r = new_reader();
    lb_tensor *weight = weight_of(&r);
    expect_loss(&r, lb_sum_all(lb_mul(weight, lb_log(numbers_of(&r, some)))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in lb_log: its "
                "result[2,3] is -inf at [1,1], where x "
                "is 0");
    weight = weight_of(&r);
    lb_tensor *zero = lb_scale(weight, 0);
    expect_loss(&r, lb_sum_all(lb_mul(zero, lb_log(numbers_of(&r, some)))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in lb_log: its "
                "result[2,3] is -inf at [1,1], where x "
                "is 0; nan since lb_mul");
    /* An infinity that is meant: the score of a hidden key. */
    weight = weight_of(&r);
    lb_tensor *hidden = lb_masked_fill(weight, numbers_of(&r, some), -(lb_real)INFINITY);
    expect_loss(&r, lb_sum_all(lb_add(lb_softmax(hidden), lb_sqrt(numbers_of(&r, negative)))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in lb_sqrt: "
                "its result[2,3] is nan at [1,2], where x "
                "is -6");
    const lb_real both[] = {1, 0, 3, 4, -5, 6};
    weight = weight_of(&r);
    expect_loss(&r, lb_sum_all(lb_mul(weight, lb_log(numbers_of(&r, both)))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in lb_log: its "
                "result[2,3] is nan at [1,1], "
                "where x is -5");
    weight = weight_of(&r);
    expect_loss(&r, lb_sum_all(lb_add(weight, lb_tensor_new(r.tape, LB_SHAPE(3), none))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in lb_add: its "
                "operand b[3] is nan at [2]");
    free_reader(&r);
}
END_TEST

START_TEST(test_optimizer_step_after_an_overflow_in_a_module_names_the_module)
{
    reader r = new_reader();
    lb_params_find(r.params, "judge.weight")->data[4] = (lb_real)INFINITY;
    const lb_real some[] = {1, 2, 3, 4, 5, 6};
    expect_loss(&r, lb_sum_all(lb_tanh(lb_scale(lb_linear_forward(&r.judge, numbers_of(&r, some)), 0))),
                "lb_optimizer_step: step 1: the loss is not finite (training diverged): first in judge: "
                "lb_affine: its operand weight[2,3] is inf at "
                "[1,1]; nan since lb_scale");
    free_reader(&r);
}
END_TEST

static lb_tensor *logarithm_of_part(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    const lb_real numbers[] = {1, 0, 3};
    const reader *r = context;
    *tokens += 1;
    lb_tensor *weight = lb_on_tape(tape, lb_params_find(r->params, "judge.weight"));
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(3), step == r->poisoned ? numbers : NULL);
    return lb_sum_all(step == r->poisoned ? lb_mul(weight, lb_log(x)) : lb_mul(weight, x));
}

START_TEST(test_train_loss_that_is_not_finite_names_the_op_of_the_forward_pass)
{
    for (int shards = 1; shards <= 4; shards *= 4) {
        reader r = new_reader();
        lb_train_history history;
        r.poisoned = shards / 2;
        lb_trainer_config config = {
            .params = r.params, .context = &r, .loss = logarithm_of_part, .steps = 9, .shards = shards};
        ck_assert_int_eq(lb_train(config, &history, &error), LB_ERROR_DIVERGED);
        expect_message(
            "training diverged: the loss of step 1 is not finite: first in lb_log: its result[3] is -inf at "
            "[1], where x is 0",
            "");
        ck_assert_ptr_null(strstr(error.message, "learning rate"));
        lb_release(history.points);
        free_reader(&r);
    }
}
END_TEST

START_TEST(test_train_loss_of_the_first_step_has_no_advice_and_a_later_one_has)
{
    reader r = new_reader();
    lb_train_history history;
    lb_trainer_config config = {
        .params = r.params, .context = &r, .loss = loss_of_part, .steps = 30, .schedule = {.lr = 1e36}};
    ck_assert_int_eq(lb_train(config, &history, &error), LB_ERROR_DIVERGED);
    ck_assert_msg(strstr(error.message, "step 2") && strstr(error.message, ": first in "), "%s",
                  error.message);
    expect_message("", "; a smaller learning rate may help");
    lb_release(history.points);
    error = (lb_error){0};
    lb_params_find(r.params, "judge.bias")->data[1] = (lb_real)NAN;
    ck_assert_int_eq(lb_train(config, &history, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "before the first step, judge.bias is nan at [1], expected a number");
    free_reader(&r);
}
END_TEST

/* ---- Gradients of more than one op, and of ops of a program's own. ---- */

static void expect_cause(reader *r, lb_tensor *loss, const char *end)
{
    error = (lb_error){0};
    lb_optimizer *sgd =
        lb_optimizer_new(r->params, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD, .tape = r->tape});
    ck_assert_int_eq(lb_backward(loss, &error), LB_OK);
    ck_assert_int_eq(lb_optimizer_step(sgd, &error), LB_ERROR_DIVERGED);
    expect_message("lb_optimizer_step: step 1: the gradient of judge.weight is ", end);
    lb_optimizer_free(sgd);
    lb_tape_reset(r->tape);
}

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status copy(lb_node *node)
{
    memcpy(node->out[0]->data, node->in[0]->data, (size_t)lb_count(node->in[0]) * sizeof(lb_real));
    return LB_OK;
}

static void spoil(lb_node *node)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++)
        node->in[0]->grad[i] += i == 4 ? -(lb_real)INFINITY : node->out[0]->grad[i];
}

static const lb_op own = {
    .name = "own", .operands = "stuff", .shape = same_shape, .forward = copy, .backward = spoil};

START_TEST(test_optimizer_step_names_the_op_that_has_given_what_is_not_finite)
{
    reader r = new_reader();
    /* One tensor, three ops: the second of them. */
    lb_params_find(r.params, "judge.weight")->data[4] = (lb_real)0.25;
    lb_tensor *weight = weight_of(&r), *x = lb_scale(weight, 2);
    lb_tensor *bad = lb_op_apply(&own, LB_INPUTS(x), NULL, 0), *last = lb_exp(x);
    expect_cause(
        &r, lb_sum_all(lb_add(lb_add(lb_tanh(x), bad), last)),
        ": first in the backward pass of lb_own: the gradient of stuff[2,3] is -inf at [1,1], where stuff "
        "is 0.5");
    /* What is not finite on a way that is not taken does not count. */
    weight = weight_of(&r);
    x = lb_scale(weight, 2);
    const lb_real never[] = {0, 0, 0, 0, 0, 0};
    lb_tensor *unused = lb_op_apply(&own, LB_INPUTS(lb_relu(lb_scale(x, -1))), NULL, 0);
    lb_tensor *taken = lb_sqrt(lb_mul(x, numbers_of(&r, never)));
    expect_cause(
        &r, lb_sum_all(lb_add(unused, taken)),
        ": first in the backward pass of lb_sqrt: the gradient of x[2,3] is inf at [0,0], where x is 0; nan "
        "since lb_mul");
    free_reader(&r);
}
END_TEST

START_TEST(test_optimizer_step_does_not_blame_a_tape_that_is_finite)
{
    reader r = new_reader();
    lb_optimizer *adam = lb_optimizer_new(r.params, (lb_optimizer_config){.tape = r.tape});
    lb_tensor *weight = weight_of(&r);
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_op_apply(&own, LB_INPUTS(weight), NULL, 0)), &error), LB_OK);
    lb_tape_reset(r.tape);
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_tanh(weight_of(&r))), &error), LB_OK);
    ck_assert_int_eq(lb_optimizer_step(adam, &error), LB_ERROR_DIVERGED);
    expect_message("lb_optimizer_step: step 1: the gradient of judge.weight is -inf at [1,1]",
                   "(training diverged)");
    lb_optimizer_free(adam);
    free_reader(&r);
}
END_TEST
