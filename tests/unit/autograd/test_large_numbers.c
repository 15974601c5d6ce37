/* All ops that contain an exponential, with operands near a large number, far apart, and with -inf among them. Nothing
 * but differences may count, as exactly as for small numbers. This test runs in both precisions. */
#include "support/leaf.h"
#include "support/op_trials.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-8;
#else
static const double TOLERANCE = 1e-5;
#endif

enum {
    SAME = 1,   /* a number added to all elements changes no output */
    RAISED = 2, /* it is added to the output */
    HIDES = 4,  /* -inf is an element like others */
    EXACT = 8   /* elements far apart give what the reference gives */
};

/* An operand with exponentials, by its position in the cases of the op. */
typedef struct subject {
    const char *op;
    int operand;
    unsigned traits;
} subject;

/* The references of hard attention are not in logarithms: see test_hard_attention. */
static const subject subjects[] = {
    {"softmax", 0, SAME | HIDES | EXACT},
    {"log_softmax", 0, SAME | HIDES | EXACT},
    {"log_sum_exp", 0, RAISED | HIDES | EXACT},
    {"sparsemax", 0, SAME | HIDES | EXACT},
    {"entmax15", 0, SAME | HIDES | EXACT},
    {"cross_entropy", 0, SAME | HIDES | EXACT},
    {"cross_entropy_weighted", 0, SAME | HIDES | EXACT},
    {"cross_entropy_soft", 0, SAME | HIDES | EXACT},
    {"entmax_loss", 0, SAME | HIDES | EXACT},
    {"copy_mixture", 0, SAME | HIDES | EXACT},
    {"copy_mixture", 2, EXACT},
    {"attend_hard", 0, SAME | HIDES},
    {"attend_hard", 1, SAME | HIDES},
    {"attend_monotonic", 0, SAME | HIDES},
    {"attend_monotonic", 1, SAME | HIDES},
    {"attend_monotonic", 2, SAME | HIDES},
    {"attend_dot", 0, EXACT},
    {"attend_dot", 3, HIDES},
    {"attend_additive", 0, EXACT},
    {"attend_additive", 3, EXACT},
    {"attention_gru_sequence", 0, EXACT},
    {"attention_gru_sequence", 2, EXACT},
    {"attention_gru_sequence", 6, EXACT},
    {"gru_sequence", 0, EXACT},
    {"lstm_sequence", 0, EXACT},
    {"gaussian_window", 1, EXACT},
    {"pair_affine", 0, EXACT},
    {"exp", 0, HIDES | EXACT},
    {"tanh", 0, HIDES | EXACT},
    {"sigmoid", 0, HIDES | EXACT},
    {"softplus", 0, HIDES | EXACT},
};

/* A case of the op of a subject. */
typedef struct trial {
    subject of;
    const lb_op *op;
    const lb_op_proof *proof;
    const lb_op_case *example;
} trial;

static trial trials[256];
static int trial_count;

static void collect_trials(void)
{
    int count;
    const support_trial *all = support_trials(&count);
    for (int i = 0; SUPPORT_ROW(i, subjects); i++)
        for (const support_trial *t = all; t < all + count; t++) {
            int operand = subjects[i].operand;
            if (strcmp(t->proof->op, subjects[i].op) != 0) continue;
            if (operand >= t->example->inputs || t->example->fixed[operand]) continue;
            trials[trial_count++] = (trial){subjects[i], t->op, t->proof, t->example};
        }
}

START_TEST(test_every_op_with_an_exponential_is_tried)
{
    static const char *const words[] = {" e^",    "exp(",    "softmax", "sparsemax",
                                        "entmax", "sigmoid", "tanh",    "attend("};
    int count;
    const support_trial *all = support_trials(&count);
    for (int a = 0; a < count; a++) {
        const lb_op *op = all[a].op;
        bool has = strstr(op->derivative, "sparsemax") || strstr(op->formula, "tau"), tried = false;
        for (int w = 0; SUPPORT_ROW(w, words); w++) has = has || strstr(op->formula, words[w]);
        for (int t = 0; t < trial_count; t++) tried = tried || trials[t].op == op;
        ck_assert_msg(has == tried, "lb_%s %s", op->name, has ? "is not tried" : "has no exponential");
    }
}
END_TEST

/* What is done to the operand. */
typedef struct change {
    double added, factor;
    bool rounds; /* to quarters, so that sums are exact */
    bool hides;  /* a third of the elements */
} change;

typedef struct operands {
    int count;
    lb_tensor *leaf[LB_MAX_INPUTS];
} operands;

static operands make_operands(const trial *t, change c)
{
    const lb_op_case *e = t->example;
    operands made = {.count = e->inputs};
    for (int i = 0; i < e->inputs; i++) {
        lb_tensor *leaf = made.leaf[i] = support_trial_leaf(e, i);
        for (int64_t j = 0; j < lb_count(leaf); j++) {
            double dice = lb_rng_uniform((lb_rng){.seed = 77}, (uint64_t)j), x = (double)leaf->data[j];
            if (i != t->of.operand) continue;
            if (c.rounds) x = floor(4 * x) / 4;
            leaf->data[j] = (lb_real)(x * c.factor + c.added);
            if (c.hides && dice < 0.33) leaf->data[j] = -(lb_real)INFINITY;
        }
    }
    return made;
}

static void free_operands(operands made)
{
    for (int i = 0; i < made.count; i++) support_leaf_free(made.leaf[i]);
}

static const lb_node *run(const trial *t, operands made, lb_tape *tape)
{
    lb_tensor *in[LB_MAX_INPUTS];
    for (int i = 0; i < made.count; i++) in[i] = lb_on_tape(tape, made.leaf[i]);
    const lb_tensor *result = t->example->apply(in);
    ck_assert_msg(lb_is_sound(result), "%s: %s", t->example->name, lb_tape_error(tape));
    return support_node_of(t->op->name, result);
}

/* Adds the gradients through output k. */
static void run_backward(const lb_node *node, int k)
{
    int64_t count = lb_count(node->out[k]);
    lb_real *cotangent = calloc((size_t)count + 1, sizeof *cotangent);
    for (int64_t i = 0; i < count; i++)
        cotangent[i] = (lb_real)(2 * lb_rng_uniform((lb_rng){.seed = 5}, (uint64_t)i) - 1);
    ck_assert_int_eq(lb_backward_from(node->out[k], cotangent, NULL), LB_OK);
    free(cotangent);
}

static int outputs_of(const lb_op *op)
{
    return op->outputs ? op->outputs : 1;
}

static bool is_close(double found, double expected)
{
    if (!isfinite(expected) || !isfinite(found)) return found == expected;
    return fabs(found - expected) <= TOLERANCE * (1 + fabs(expected));
}

static void check_close(const trial *t, const char *what, int k, const lb_tensor *found,
                        const lb_real *values, const lb_real *expected)
{
    for (int64_t i = 0; i < lb_count(found); i++)
        SUPPORT_CHECK(is_close((double)values[i], (double)expected[i]),
                      "%s, %s, operand %d: %s %d, element %d is %.9g, not %.9g", t->op->name,
                      t->example->name, t->of.operand, what, k, (int)i, (double)values[i],
                      (double)expected[i]);
}

/* The operand has the element `factor` times a quarter of some integer, and the same plus `added`. */
static void check_shift(const trial *t, double added, double factor, bool hides)
{
    for (int k = 0; k < outputs_of(t->op); k++) {
        operands small = make_operands(t, (change){0, factor, true, hides}),
                 large = make_operands(t, (change){added, factor, true, hides});
        lb_tape *tape = lb_tape_new(), *other = lb_tape_new();
        const lb_node *expected = run(t, small, tape), *found = run(t, large, other);
        if (t->of.traits & SAME)
            check_close(t, "output", k, found->out[k], found->out[k]->data, expected->out[k]->data);
        run_backward(expected, k);
        run_backward(found, k);
        for (int i = 0; i < small.count; i++)
            if (small.leaf[i]->requires_grad)
                check_close(t, "gradient", i, large.leaf[i], large.leaf[i]->grad, small.leaf[i]->grad);
        lb_tape_free(tape);
        lb_tape_free(other);
        free_operands(small);
        free_operands(large);
    }
}

START_LOOP_TEST(test_a_large_number_added_to_an_operand_changes_nothing, trial_count)
{
    const trial *t = &trials[_i];
    static const double added[] = {1e4, -1e4, 1e6, -1e6};
    for (int k = 0; k < LB_LENGTH(added) && t->of.traits & (SAME | RAISED); k++)
        for (int hides = 0; hides <= (t->of.traits & HIDES ? 1 : 0); hides++)
            check_shift(t, added[k], 1, hides);
}
END_TEST

START_LOOP_TEST(test_equal_elements_are_equal_however_large_they_are, trial_count)
{
    if (!(trials[_i].of.traits & (SAME | RAISED))) return;
    check_shift(&trials[_i], 1e30, 0, false);
    check_shift(&trials[_i], -1e30, 0, false);
}
END_TEST

static void check_reference(const trial *t, const lb_node *node)
{
    double *expected[LB_MAX_OUTPUTS] = {NULL};
    for (int k = 0; k < outputs_of(t->op); k++)
        expected[k] = calloc((size_t)lb_count(node->out[k]) + 1, sizeof(double));
    t->proof->reference(node, expected);
    for (int k = 0; k < outputs_of(t->op); k++) {
        for (int64_t i = 0; i < lb_count(node->out[k]); i++)
            SUPPORT_CHECK(is_close((double)node->out[k]->data[i], expected[k][i]),
                          "%s, %s, operand %d: output %d, element %d is %.9g, not %.9g", t->op->name,
                          t->example->name, t->of.operand, k, (int)i, (double)node->out[k]->data[i],
                          expected[k][i]);
        free(expected[k]);
    }
}

static void check_numbers(const trial *t, const char *what, int64_t count, const lb_real *values)
{
    for (int64_t i = 0; i < count; i++)
        SUPPORT_CHECK(!isnan(values[i]), "%s, %s, operand %d: %s, element %d is NaN", t->op->name,
                      t->example->name, t->of.operand, what, (int)i);
}

static void check_change(const trial *t, change c)
{
    for (int k = 0; k < outputs_of(t->op); k++) {
        operands made = make_operands(t, c);
        lb_tape *tape = lb_tape_new();
        const lb_node *node = run(t, made, tape);
        check_numbers(t, "output", lb_count(node->out[k]), node->out[k]->data);
        if (t->of.traits & EXACT) check_reference(t, node);
        run_backward(node, k);
        for (int i = 0; i < made.count; i++)
            if (made.leaf[i]->requires_grad)
                check_numbers(t, "gradient", lb_count(made.leaf[i]), made.leaf[i]->grad);
        lb_tape_free(tape);
        free_operands(made);
    }
}

START_LOOP_TEST(test_numbers_far_apart_give_what_the_reference_gives_and_no_nan, trial_count)
{
    check_change(&trials[_i], (change){.factor = 1e4});
    check_change(&trials[_i], (change){.factor = 1e6});
}
END_TEST

START_LOOP_TEST(test_elements_of_minus_infinity_give_what_the_reference_gives_and_no_nan, trial_count)
{
    if (!(trials[_i].of.traits & HIDES)) return;
    check_change(&trials[_i], (change){.factor = 1, .hides = true});
    check_change(&trials[_i], (change){.factor = 1e4, .hides = true});
}
END_TEST

int main(void)
{
    collect_trials();
    return support_run_tests();
}
