/* Tests all ops of the registry: each against its reference, and its gradient against finite differences.
 * This test runs in both precisions: values are compared in both, gradients are checked in double. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/op_trials.h"
#include "support/suite.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-10;
#else
static const double TOLERANCE = 1e-5;
#endif

typedef support_trial trial;

static const trial *trials;
static int trial_count;

typedef struct operands {
    const lb_op_case *example;
    lb_tensor *leaf[LB_MAX_INPUTS];
    bool behind_an_op; /* the op under test gets copies of the leaves, made by another op */
    int runs;          /* runs of the op on these operands: one or two */
} operands;

/* Operands with the values of the case; `wanted` has a bit for each one that requires a gradient. */
static operands make_operands(const lb_op_case *example, unsigned wanted)
{
    operands made = {.example = example, .runs = 1};
    for (int i = 0; i < example->inputs; i++) {
        lb_tensor *leaf = made.leaf[i] = support_trial_leaf(example, i);
        leaf->requires_grad = leaf->requires_grad && (wanted >> i & 1);
    }
    return made;
}

static void free_operands(const operands *made)
{
    for (int i = 0; i < made->example->inputs; i++) support_leaf_free(made->leaf[i]);
}

static void put_on(lb_tape *tape, const operands *made, lb_tensor **in)
{
    for (int i = 0; i < made->example->inputs; i++) {
        in[i] = lb_on_tape(tape, made->leaf[i]);
        if (made->behind_an_op && in[i]->shape.ndim) in[i] = lb_slice(in[i], 0, 0, lb_dim(in[i], 0));
    }
}

START_TEST(test_op_is_complete)
{
    ck_assert_int_gt(trial_count, 100);
    for (const trial *t = trials; t < trials + trial_count; t++) {
        ck_assert_msg(t->op != NULL, "the first case of %s runs no such op", t->proof->op);
        ck_assert_msg(t->op->operands && t->op->formula && t->op->derivative, "%s lacks its texts",
                      t->op->name);
        ck_assert_msg(t->op->shape && t->op->forward && t->op->backward, "%s lacks a function", t->op->name);
        ck_assert_msg(t->proof->reference != NULL, "%s has no reference", t->op->name);
    }
}
END_TEST

/* The run of the op under test that led to this result. */
static const lb_node *node_of(const trial *t, const lb_tensor *result)
{
    ck_assert_msg(lb_is_sound(result), "%s, %s: %s", t->op->name, t->example->name, lb_tensor_error(result));
    return support_node_of(t->op->name, result);
}

/* Runs the op of a trial on these operands. */
static const lb_node *run_op(const trial *t, lb_tensor *const *in)
{
    return node_of(t, t->example->apply(in));
}

/* Without the first condition, everything would be close to infinity. */
static bool is_close(double found, double expected)
{
    if (!isfinite(expected)) return found == expected;
    return fabs(found - expected) <= TOLERANCE * (1 + fabs(expected));
}

START_LOOP_TEST(test_op_forward_matches_reference, trial_count)
{
    const trial *t = &trials[_i];
    operands made = make_operands(t->example, ~0u);
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[LB_MAX_INPUTS];
    put_on(tape, &made, in);
    const lb_node *node = run_op(t, in);
    double *expected[LB_MAX_OUTPUTS] = {NULL};
    int outputs = t->op->outputs ? t->op->outputs : 1;
    /* No room to spare: a sanitizer would miss a write there. */
    for (int k = 0; k < outputs; k++) {
        size_t count = (size_t)lb_count(node->out[k]);
        expected[k] = calloc(count ? count : 1, sizeof(double));
    }
    t->proof->reference(node, expected);
    for (int k = 0; k < outputs; k++) {
        for (int64_t i = 0; i < lb_count(node->out[k]); i++) {
            double found = (double)node->out[k]->data[i];
            ck_assert_msg(is_close(found, expected[k][i]),
                          "%s, %s: output %d, element %d is %.12g, not %.12g", t->op->name, t->example->name,
                          k, (int)i, found, expected[k][i]);
        }
        free(expected[k]);
    }
    lb_tape_free(tape);
    free_operands(&made);
}
END_TEST

START_LOOP_TEST(test_op_has_a_name_for_each_operand, trial_count)
{
    const trial *t = &trials[_i];
    operands made = make_operands(t->example, ~0u);
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[LB_MAX_INPUTS];
    char name[LB_OPERAND_TEXT], other[LB_OPERAND_TEXT];
    put_on(tape, &made, in);
    const lb_node *node = run_op(t, in);
    for (int i = 0; i < node->inputs; i++) {
        lb_operand_name(t->op->operands, i, name);
        ck_assert_msg(*name, "%s has no name for operand %d", t->op->name, i);
        for (int j = 0; j < i; j++) ck_assert_str_ne(name, lb_operand_name(t->op->operands, j, other));
    }
    if (!strstr(t->op->operands, "..."))
        ck_assert_str_eq(lb_operand_name(t->op->operands, node->inputs, name), "");
    lb_tape_free(tape);
    free_operands(&made);
}
END_TEST

START_LOOP_TEST(test_op_without_an_operand_that_it_needs_says_which, trial_count)
{
    const trial *t = &trials[_i];
    operands made = make_operands(t->example, ~0u);
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[LB_MAX_INPUTS];
    put_on(tape, &made, in);
    const lb_node *node = run_op(t, in);
    int needed = 0;
    for (int i = 0; i < node->inputs; i++) {
        if (lb_operand_optional(t->op->operands, i)) continue;
        char name[LB_OPERAND_TEXT], expected[LB_MESSAGE_LENGTH];
        lb_tensor *without[LB_MAX_INPUTS];
        memcpy(without, node->in, sizeof without);
        without[i] = NULL;
        const lb_tensor *poison = lb_op_apply(t->op, without, node->inputs, NULL, 0);
        snprintf(expected, sizeof expected, "lb_%s: operand %s is missing", t->op->name,
                 lb_operand_name(t->op->operands, i, name));
        ck_assert_str_eq(lb_tensor_error(poison), expected);
        ck_assert_int_eq(lb_tensor_status(poison), LB_ERROR_ARGUMENT);
        lb_tape_clear_error(tape);
        needed++;
    }
    ck_assert_msg(needed > 0, "%s needs no operand", t->op->name);
    lb_tape_free(tape);
    free_operands(&made);
}
END_TEST

/* Without an optional operand, the others may not match: this gives an error. */
START_LOOP_TEST(test_op_without_an_operand_that_may_be_left_out_computes_or_says_why_not, trial_count)
{
    const trial *t = &trials[_i];
    operands made = make_operands(t->example, ~0u);
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[LB_MAX_INPUTS];
    put_on(tape, &made, in);
    const lb_node *node = run_op(t, in);
    for (int k = 0; k < node->inputs; k++)
        for (int i = 0; i < t->example->inputs; i++) {
            if (in[i] != node->in[k] || !lb_operand_optional(t->op->operands, k)) continue;
            lb_tensor *without[LB_MAX_INPUTS];
            memcpy(without, in, sizeof without);
            without[i] = NULL;
            const lb_tensor *result = t->example->apply(without);
            ck_assert_int_eq(lb_is_sound(result), lb_tape_status(tape) == LB_OK);
            if (lb_tape_status(tape))
                ck_assert_ptr_eq(strstr(lb_tape_error(tape), "lb_"), lb_tape_error(tape));
            lb_tape_clear_error(tape);
        }
    lb_tape_free(tape);
    free_operands(&made);
}
END_TEST

enum { UNTOUCHED = 0xa5 }; /* as a number neither 0 nor NaN: ops turn it into another one */

static void *allocate_untouched(size_t bytes)
{
    void *memory = malloc(bytes);
    return memory ? memset(memory, UNTOUCHED, bytes) : NULL;
}

/* All outputs of an op concatenated, so that each gets a cotangent. */
static lb_tensor *in_one_row(lb_tensor *first)
{
    lb_tensor *rows[LB_MAX_OUTPUTS];
    if (!lb_is_sound(first)) return first;
    int outputs = first->node->op->outputs;
    for (int i = 0; i < outputs; i++) rows[i] = lb_reshape(lb_op_output(first, i), LB_SHAPE(-1));
    return outputs > 1 ? lb_concat(rows, outputs, 0) : lb_reshape(first, LB_SHAPE(-1));
}

/* Arrays on a tape are rounded up to LB_ALIGNMENT. The rest must be as the allocator left it. */
static void check_rest(const trial *t, const char *what, int which, const lb_real *values, int64_t count)
{
    const unsigned char *end = (const unsigned char *)(values + count);
    size_t bytes = (size_t)count * sizeof *values, rest = lb_align_up(bytes) - bytes;
    LB_MARK_WRITTEN(end, rest);
    for (size_t i = 0; i < rest; i++)
        SUPPORT_CHECK(end[i] == UNTOUCHED, "%s, %s: a write to byte %d past the end of %s %d", t->op->name,
                      t->example->name, (int)i, what, which);
}

START_LOOP_TEST(test_op_writes_nothing_past_the_end_of_its_outputs_and_gradients, trial_count)
{
    const trial *t = &trials[_i];
    lb_set_allocator(&(lb_allocator){allocate_untouched, free});
    operands made = make_operands(t->example, ~0u);
    made.behind_an_op = true;
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[LB_MAX_INPUTS];
    put_on(tape, &made, in);
    lb_tensor *result = t->example->apply(in);
    const lb_node *node = node_of(t, result);
    ck_assert_int_eq(lb_backward(lb_sum_all(in_one_row(result)), NULL), LB_OK);
    for (int k = 0; k < (t->op->outputs ? t->op->outputs : 1); k++)
        check_rest(t, "output", k, node->out[k]->data, lb_count(node->out[k]));
    for (int i = 0; i < node->inputs; i++)
        if (node->in[i] && node->in[i]->node && node->in[i]->grad)
            check_rest(t, "the gradient of operand", i, node->in[i]->grad, lb_count(node->in[i]));
    lb_tape_free(tape);
    free_operands(&made);
}
END_TEST

#ifdef LB_REAL_IS_DOUBLE

static lb_tensor *all_outputs(lb_tape *tape, void *context)
{
    const operands *made = context;
    lb_tensor *in[LB_MAX_INPUTS], *runs[2];
    put_on(tape, made, in);
    for (int i = 0; i < made->runs; i++) runs[i] = in_one_row(made->example->apply(in));
    return made->runs == 1 ? runs[0] : lb_concat(runs, made->runs, 0);
}

static void check_gradient(const trial *t, operands *made, unsigned wanted)
{
    lb_error error = {0};
    lb_status status =
        lb_gradcheck(all_outputs, made, made->leaf, t->example->inputs, (lb_gradcheck_options){0}, &error);
    ck_assert_msg(status == LB_OK, "%s, %s, operands %x: %s", t->op->name, t->example->name, wanted,
                  error.message);
}

/* Every subset of a few operands; with many operands, the subsets of one, of all, and of all but one. */
static bool is_tried(unsigned wanted, int inputs)
{
    enum { FEW = 5 };
    int count = 0;
    for (int i = 0; i < inputs; i++) count += (int)(wanted >> i & 1);
    return inputs <= FEW || count == 1 || count >= inputs - 1;
}

START_LOOP_TEST(test_op_gradient_matches_differences, trial_count)
{
    const trial *t = &trials[_i];
    for (unsigned wanted = 1; wanted < 1u << t->example->inputs; wanted++) {
        if (!is_tried(wanted, t->example->inputs)) continue;
        operands made = make_operands(t->example, wanted);
        check_gradient(t, &made, wanted);
        free_operands(&made);
    }
}
END_TEST

static void *allocate_nan(size_t bytes)
{
    void *memory = malloc(bytes);
    return memory ? memset(memory, 0xff, bytes) : NULL;
}

/* The gradient of another op's result starts with arbitrary values: the first run of the op sets it in backward, and a
 * second run adds to it. */
START_LOOP_TEST(test_op_gradient_of_other_ops_results_matches_differences, trial_count)
{
    const trial *t = &trials[_i];
    lb_set_allocator(&(lb_allocator){allocate_nan, free});
    for (int runs = 1; runs <= 2; runs++) {
        operands made = make_operands(t->example, ~0u);
        made.behind_an_op = true;
        made.runs = runs;
        check_gradient(t, &made, ~0u);
        free_operands(&made);
    }
}
END_TEST

START_LOOP_TEST(test_op_gradient_of_one_tensor_as_both_operands_matches_differences, trial_count)
{
    const trial *t = &trials[_i];
    const lb_op_case *example = t->example;
    if (example->inputs != 2 || example->fixed[1] || !lb_shape_equal(example->shape[0], example->shape[1]))
        return;
    operands made = make_operands(example, ~0u);
    support_leaf_free(made.leaf[1]);
    made.leaf[1] = made.leaf[0];
    lb_error error = {0};
    lb_status status = lb_gradcheck(all_outputs, &made, made.leaf, 1, (lb_gradcheck_options){0}, &error);
    ck_assert_msg(status == LB_OK, "%s, %s: %s", t->op->name, example->name, error.message);
    support_leaf_free(made.leaf[0]);
}
END_TEST

#endif

int main(void)
{
    trials = support_trials(&trial_count);
    return support_run_tests();
}
