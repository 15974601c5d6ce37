/* Tests the gradient checker with ops that are wrong on purpose. This test runs in both precisions. */
#include "autograd/op.h"
#include "support/alloc.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* y = a b^2, with one correct backward and several wrong ones. */
static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    const lb_real *a = node->in[0]->data, *b = node->in[1]->data;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) node->out[0]->data[i] = a[i] * b[i] * b[i];
    return LB_OK;
}

/* Adds factor_a da and factor_b db; factors of 1 are correct. */
static void add_grads(lb_node *node, lb_real factor_a, lb_real factor_b)
{
    const lb_real *a = node->in[0]->data, *b = node->in[1]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        if (lb_wants_grad(node->in[0])) node->in[0]->grad[i] += factor_a * dy[i] * b[i] * b[i];
        if (lb_wants_grad(node->in[1])) node->in[1]->grad[i] += factor_b * dy[i] * 2 * a[i] * b[i];
    }
}

static void right(lb_node *node)
{
    add_grads(node, 1, 1);
}

static void flipped_sign(lb_node *node)
{
    add_grads(node, 1, -1);
}

static void both_flipped(lb_node *node)
{
    add_grads(node, -1, -1);
}

static void zero(lb_node *node)
{
    (void)node;
}

static void factor_two(lb_node *node)
{
    add_grads(node, 2, 2);
}

static void forgets_first(lb_node *node)
{
    add_grads(node, 0, 1);
}

static void forgets_second(lb_node *node)
{
    add_grads(node, 1, 0);
}

static void overwrites(lb_node *node)
{
    if (lb_wants_grad(node->in[0]))
        memset(node->in[0]->grad, 0, (size_t)lb_count(node->in[0]) * sizeof(lb_real));
    add_grads(node, 1, 1);
}

static void ignores_the_cotangent(lb_node *node)
{
    const lb_real *a = node->in[0]->data, *b = node->in[1]->data;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        if (lb_wants_grad(node->in[0])) node->in[0]->grad[i] += b[i] * b[i];
        if (lb_wants_grad(node->in[1])) node->in[1]->grad[i] += 2 * a[i] * b[i];
    }
}

static void leaves_out_the_last(lb_node *node)
{
    int64_t last = lb_count(node->out[0]) - 1;
    lb_real kept_a = node->in[0]->grad[last], kept_b = node->in[1]->grad[last];
    add_grads(node, 1, 1);
    node->in[0]->grad[last] = kept_a;
    node->in[1]->grad[last] = kept_b;
}

static void not_a_number(lb_node *node)
{
    add_grads(node, 1, (lb_real)NAN);
}

#define OP(back)                                                                                             \
    {                                                                                                        \
        .name = #back, .operands = "x", .shape = same_shape, .forward = forward, .backward = back            \
    }

static const lb_op right_op = OP(right);
static const lb_op wrong_ops[] = {OP(flipped_sign), OP(both_flipped),          OP(zero),
                                  OP(factor_two),   OP(forgets_first),         OP(forgets_second),
                                  OP(overwrites),   OP(ignores_the_cotangent), OP(leaves_out_the_last),
                                  OP(not_a_number)};
enum { WRONG_OPS = sizeof wrong_ops / sizeof *wrong_ops };

typedef struct setting {
    const lb_op *op;
    lb_tensor *leaf[2];
} setting;

static lb_tensor *apply(lb_tape *tape, void *context)
{
    const setting *s = context;
    lb_tensor *in[2] = {lb_on_tape(tape, s->leaf[0]), lb_on_tape(tape, s->leaf[1])};
    return lb_op_apply(s->op, in, 2, NULL, 0);
}

static setting set_up(const lb_op *op)
{
    return (setting){op,
                     {support_leaf(LB_SHAPE(2, 3), 0.5, 1.5, 1), support_leaf(LB_SHAPE(2, 3), 0.7, 1.6, 2)}};
}

static void tear_down(setting s)
{
    support_leaf_free(s.leaf[0]);
    support_leaf_free(s.leaf[1]);
}

static lb_status check(setting *s, lb_error *error)
{
    return lb_gradcheck(apply, s, s->leaf, 2, (lb_gradcheck_options){0}, error);
}

START_TEST(test_gradcheck_right_op_passes)
{
    setting s = set_up(&right_op);
    lb_error error = {0};
    ck_assert_msg(check(&s, &error) == LB_OK, "%s", error.message);
    ck_assert_int_eq(error.status, LB_OK);
    tear_down(s);
}
END_TEST

START_TEST(test_gradcheck_each_wrong_op_is_caught)
{
    ck_assert_int_eq(WRONG_OPS, 10);
    for (int i = 0; SUPPORT_ROW(i, wrong_ops); i++) {
        setting s = set_up(&wrong_ops[i]);
        lb_error error = {0};
        ck_assert_msg(check(&s, &error) == LB_ERROR_GRADIENT, "%s is not caught", wrong_ops[i].name);
        ck_assert_int_eq(error.status, LB_ERROR_GRADIENT);
        ck_assert_msg(strncmp(error.message, "parameter ", 10) == 0, "%s", error.message);
        ck_assert_int_eq(lb_gradcheck(apply, &s, s.leaf, 2, (lb_gradcheck_options){0}, NULL),
                         LB_ERROR_GRADIENT);
        tear_down(s);
    }
}
END_TEST

START_TEST(test_gradcheck_message_names_parameter_element_and_values)
{
    setting s = set_up(&wrong_ops[8]); /* leaves_out_the_last */
    lb_error error = {0};
    check(&s, &error);
    int parameter, element;
    double analytic, numeric;
    ck_assert_int_eq(sscanf(error.message,
                            "parameter %d, element %d: backward gives %lf, finite differences give %lf",
                            &parameter, &element, &analytic, &numeric),
                     4);
    ck_assert_int_eq(parameter, 0);
    ck_assert_int_eq(element, 5);
    ck_assert_double_eq_tol(analytic, 0, 1e-6);
    ck_assert_double_gt(numeric, 0.2); /* a cotangent of at least 0.5 times b^2 */
    tear_down(s);
}
END_TEST

START_TEST(test_gradcheck_leaves_values_and_gradients_as_they_were)
{
    for (int i = -1; i < WRONG_OPS; i++) {
        setting s = set_up(i < 0 ? &right_op : &wrong_ops[i]);
        lb_real values[6], grads[6];
        for (int j = 0; j < 6; j++) s.leaf[1]->grad[j] = (lb_real)(j - 2.5);
        memcpy(values, s.leaf[1]->data, sizeof values);
        memcpy(grads, s.leaf[1]->grad, sizeof grads);
        check(&s, &(lb_error){0});
        ck_assert_mem_eq(values, s.leaf[1]->data, sizeof values);
        ck_assert_mem_eq(grads, s.leaf[1]->grad, sizeof grads);
        tear_down(s);
    }
}
END_TEST

START_TEST(test_gradcheck_parameter_that_wants_no_gradient_is_not_checked)
{
    setting s = set_up(&wrong_ops[5]); /* forgets_second */
    s.leaf[1]->requires_grad = false;
    ck_assert_int_eq(check(&s, &(lb_error){0}), LB_OK);
    tear_down(s);
}
END_TEST

START_TEST(test_gradcheck_tolerances_are_the_callers)
{
    setting s = set_up(&wrong_ops[3]); /* factor_two: off by all of the true value */
    lb_gradcheck_options loose = {.atol = 100};
    ck_assert_int_eq(lb_gradcheck(apply, &s, s.leaf, 2, loose, &(lb_error){0}), LB_OK);
    lb_gradcheck_options relative = {.rtol = 1.1};
    ck_assert_int_eq(lb_gradcheck(apply, &s, s.leaf, 2, relative, &(lb_error){0}), LB_OK);
    lb_gradcheck_options tight = {.rtol = 0.9};
    ck_assert_int_eq(lb_gradcheck(apply, &s, s.leaf, 2, tight, &(lb_error){0}), LB_ERROR_GRADIENT);
    tear_down(s);
}
END_TEST

static lb_tensor *logarithm(lb_tape *tape, void *context)
{
    const setting *s = context;
    return lb_log(lb_on_tape(tape, s->leaf[0]));
}

START_TEST(test_gradcheck_infinite_difference_is_caught)
{
    setting s = set_up(&right_op);
    const lb_gradcheck_options options = {.step = 0.25, .atol = 100};
    lb_error error = {0};
    s.leaf[0]->data[4] = (lb_real)0.25; /* one step below it is minus infinity */
    ck_assert_int_eq(lb_gradcheck(logarithm, &s, s.leaf, 1, options, &error), LB_ERROR_GRADIENT);
    ck_assert_msg(strstr(error.message, "element 4: backward gives ") && strstr(error.message, "inf"), "%s",
                  error.message);
    tear_down(s);
}
END_TEST

static lb_tensor *misfit(lb_tape *tape, void *context)
{
    const setting *s = context;
    return lb_matmul(lb_on_tape(tape, s->leaf[0]), s->leaf[1]);
}

START_TEST(test_gradcheck_error_of_the_tape_is_passed_on)
{
    setting s = set_up(&right_op);
    lb_error error = {0};
    ck_assert_int_eq(lb_gradcheck(misfit, &s, s.leaf, 2, (lb_gradcheck_options){0}, &error), LB_ERROR_SHAPE);
    ck_assert_str_eq(error.message, "lb_matmul: inner sizes differ: a[2,3] x b[2,3] (3 != 2)");
    tear_down(s);
}
END_TEST

START_TEST(test_gradcheck_failing_allocation_is_an_error_and_leaks_nothing)
{
    setting s = set_up(&right_op);
    support_watch_allocations();
    for (long n = 1;; n++) {
        support_fail_allocation(n);
        long before = support_allocation_count();
        lb_error error = {0};
        lb_status status = check(&s, &error);
        ck_assert_int_eq(support_live_allocations(), 0);
        if (support_allocation_count() - before < n) {
            ck_assert_int_eq(status, LB_OK);
            ck_assert_int_gt(n, 3);
            break;
        }
        /* Only the arena's request for extra memory may fail without an error. */
        ck_assert(status == LB_ERROR_MEMORY || status == LB_OK);
        ck_assert_int_eq(error.status, status);
        ck_assert_int_lt(n, 1000);
    }
    tear_down(s);
}
END_TEST
