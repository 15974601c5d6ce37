/* A mixture of choosing and copying at the limits of numbers. This test runs in both precisions. */
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>

enum { CLASSES = 3, KEYS = 2 };

typedef struct subject {
    lb_tensor *logits, *weights, *gate;
    lb_tape *tape;
} subject;

/* One step of one row. Class 1 is copied from both positions, classes 0 and 2 are not. */
static subject make(const lb_real *logits, double gate)
{
    subject s = {support_leaf(LB_SHAPE(1, 1, CLASSES), 0, 1, 1), support_leaf(LB_SHAPE(1, 1, KEYS), 0, 1, 2),
                 support_leaf(LB_SHAPE(1, 1, 1), 0, 1, 3), lb_tape_new()};
    for (int v = 0; v < CLASSES; v++) s.logits->data[v] = logits[v];
    s.weights->data[0] = (lb_real)0.25;
    s.weights->data[1] = (lb_real)0.75;
    s.gate->data[0] = (lb_real)gate;
    return s;
}

static lb_tensor *mix(const subject *s)
{
    static const int32_t symbols[] = {1, 1}, lengths[] = {KEYS};
    return lb_copy_mixture(lb_on_tape(s->tape, s->logits), lb_on_tape(s->tape, s->weights),
                           lb_on_tape(s->tape, s->gate), (lb_tokens){s->tape, 1, KEYS, symbols, lengths});
}

static void discard(subject s)
{
    lb_tape_free(s.tape);
    support_leaf_free(s.logits);
    support_leaf_free(s.weights);
    support_leaf_free(s.gate);
}

/* Where the sigmoid is 0 or 1 in float, its logarithm is not. */
START_TEST(test_gate_that_is_nearly_closed_keeps_what_is_improbable)
{
    static const double gates[] = {45, 60, 200, 5000};
    const lb_real hidden = -(lb_real)INFINITY, logits[] = {0, hidden, 0};
    for (int i = 0; SUPPORT_ROW(i, gates); i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            subject s = make(logits, sign * gates[i]);
            lb_tensor *y = mix(&s);
            double chosen = sign < 0 ? -gates[i] : 0, copied = sign < 0 ? 0 : -gates[i];
            ck_assert_double_eq_tol((double)y->data[0], chosen - log(2), 1e-6 * gates[i]);
            ck_assert_double_eq_tol((double)y->data[1], copied, 1e-6 * gates[i]);
            ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){1, 2, 0}, NULL), LB_OK);
            ck_assert_double_eq_tol((double)s.gate->grad[0], sign < 0 ? 1 : -2, 1e-6);
            ck_assert_double_eq_tol((double)s.logits->grad[0], 0.5, 1e-6);
            ck_assert_double_eq_tol((double)s.logits->grad[2], -0.5, 1e-6);
            discard(s);
        }
}
END_TEST

/* Class 2 is possible in no way, whatever its own gradient says; class 1 only by copying. */
START_TEST(test_class_that_is_hidden_and_not_copied_is_impossible_and_has_no_gradient)
{
    const lb_real hidden = -(lb_real)INFINITY, logits[] = {1, hidden, hidden};
    subject s = make(logits, 0);
    lb_tensor *y = mix(&s);
    ck_assert_double_eq_tol((double)y->data[0], log(0.5), 1e-6);
    ck_assert_double_eq_tol((double)y->data[1], log(0.5), 1e-6);
    ck_assert(y->data[2] == hidden);
    ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){3, 1, 7}, NULL), LB_OK);
    for (int v = 0; v < CLASSES; v++) ck_assert(s.logits->grad[v] == 0);
    ck_assert_double_eq_tol((double)s.gate->grad[0], 1, 1e-6);
    for (int k = 0; k < KEYS; k++) ck_assert_double_eq_tol((double)s.weights->grad[k], 1, 1e-6);
    discard(s);
}
END_TEST

START_TEST(test_row_of_hidden_classes_only_copies)
{
    const lb_real hidden = -(lb_real)INFINITY, logits[] = {hidden, hidden, hidden};
    subject s = make(logits, 0);
    lb_tensor *y = mix(&s);
    ck_assert(y->data[0] == hidden && y->data[2] == hidden);
    ck_assert_double_eq_tol((double)y->data[1], log(0.5), 1e-6);
    ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){3, 1, 7}, NULL), LB_OK);
    for (int v = 0; v < CLASSES; v++) ck_assert(s.logits->grad[v] == 0);
    ck_assert_double_eq_tol((double)s.gate->grad[0], -0.5, 1e-6);
    discard(s);
}
END_TEST
