/* Memory that runs out at any place of an op, forward or backward. This test runs in both precisions. */
#include "base/alloc.h"
#include "lookback/ops.h"
#include "support/alloc.h"
#include "support/leaf.h"
#include "support/op_trials.h"
#include "support/suite.h"
#include "support/tape_room.h"

#include <stdlib.h>
#include <string.h>

typedef support_trial trial;

static const trial *trials;
static int trial_count;

/* The op and the gradient of the sum of its results, with room for `pieces` allocations, or as many as it takes. */
static lb_status run(const trial *t, lb_tensor *const *leaf, const long *pieces, bool for_good, lb_mode mode,
                     double *sum)
{
    lb_tensor *in[LB_MAX_INPUTS];
    lb_tape *tape = lb_tape_new();
    lb_tape_set_mode(tape, mode);
    if (pieces) support_leave_room(*pieces, for_good);
    for (int i = 0; i < t->example->inputs; i++) in[i] = lb_on_tape(tape, leaf[i]);
    lb_tensor *result = lb_sum_all(t->example->apply(in));
    lb_status status = lb_tape_status(tape);
    SUPPORT_CHECK(lb_is_sound(result) == (status == LB_OK), "%s, %s: a result in spite of an error, or none",
                  t->op->name, t->example->name);
    if (!status) *sum = (double)lb_item(result);
    if (!status && mode == LB_MODE_TRAIN) status = lb_backward(result, NULL);
    support_find_memory();
    lb_tape_free(tape);
    return status;
}

static void check_and_clear_gradients(const trial *t, int inputs, lb_tensor *const *leaf,
                                      double *const *expected, bool ran)
{
    for (int i = 0; i < inputs; i++)
        for (int64_t j = 0; leaf[i]->requires_grad && j < lb_count(leaf[i]); j++) {
            SUPPORT_CHECK((double)leaf[i]->grad[j] == (ran ? expected[i][j] : 0),
                          "%s, %s: the gradient of operand %d", t->op->name, t->example->name, i);
            leaf[i]->grad[j] = 0;
        }
}

/* In training and in evaluation, where ops keep what they have made of a weight. */
static void run_out_of_memory(const trial *t, lb_mode mode, bool for_good)
{
    const int inputs = t->example->inputs;
    lb_tensor *leaf[LB_MAX_INPUTS] = {NULL};
    double *expected[LB_MAX_INPUTS] = {NULL}, sum, found;
    for (int i = 0; i < inputs; i++) leaf[i] = support_trial_leaf(t->example, i);
    ck_assert_int_eq(run(t, leaf, NULL, false, mode, &sum), LB_OK);
    for (int i = 0; i < inputs; i++) {
        expected[i] = calloc((size_t)lb_count(leaf[i]) + 1, sizeof **expected);
        for (int64_t j = 0; leaf[i]->requires_grad && j < lb_count(leaf[i]); j++) {
            expected[i][j] = (double)leaf[i]->grad[j];
            leaf[i]->grad[j] = 0;
        }
    }
    long pieces = 0;
    for (lb_status status = LB_ERROR_MEMORY; status; pieces++) {
        long live = support_live_allocations();
        status = run(t, leaf, &pieces, for_good, mode, &found);
        SUPPORT_CHECK(status == LB_OK || status == LB_ERROR_MEMORY, "%s, %s, %ld pieces: %s", t->op->name,
                      t->example->name, pieces, lb_status_text(status));
        SUPPORT_CHECK(status != LB_OK || found == sum || sum != sum, "%s, %s, %ld pieces: another result",
                      t->op->name, t->example->name, pieces);
        check_and_clear_gradients(t, inputs, leaf, expected, !status);
        ck_assert_int_eq(support_live_allocations(), live);
    }
    ck_assert_int_gt(pieces, 1);
    for (int i = 0; i < inputs; i++) {
        free(expected[i]);
        support_leaf_free(leaf[i]);
    }
}

START_LOOP_TEST(test_op_without_enough_memory_is_an_error_and_changes_no_gradient, trial_count)
{
    lb_set_threads(1);
    support_watch_allocations();
    run_out_of_memory(&trials[_i], LB_MODE_TRAIN, false);
    run_out_of_memory(&trials[_i], LB_MODE_TRAIN, true);
    run_out_of_memory(&trials[_i], LB_MODE_EVALUATE, false);
    run_out_of_memory(&trials[_i], LB_MODE_EVALUATE, true);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

int main(void)
{
    trials = support_trials(&trial_count);
    return support_run_tests();
}
