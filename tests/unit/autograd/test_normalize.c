/* Layer normalisation of rows far from zero. This test runs in both precisions. */
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>

enum { MOST = 700 };

static const lb_real epsilon = (lb_real)1e-5;

/* lb_standardize of one row with weights of 2 and biases of 3. */
static void normalize(int width, const lb_real *row, double *y)
{
    lb_real weight[MOST], bias[MOST];
    for (int i = 0; i < width; i++) {
        weight[i] = 2;
        bias[i] = 3;
    }
    lb_tape *tape = lb_tape_new();
    const lb_tensor *out = lb_standardize(lb_tensor_new(tape, LB_SHAPE(1, width), row),
                                          lb_tensor_new(tape, LB_SHAPE(width), weight),
                                          lb_tensor_new(tape, LB_SHAPE(width), bias), epsilon);
    ck_assert_msg(lb_is_sound(out), "%s", lb_tape_error(tape));
    for (int i = 0; i < width; i++) y[i] = (double)out->data[i];
    lb_tape_free(tape);
}

START_TEST(test_normalize_of_a_constant_row_is_its_bias)
{
    static const double values[] = {1e-3, 0.1, 1, 1e3, 1e6, 1e8, -1e6, 1.1e19, 3e38, -3e38};
    static const int widths[] = {1, 7, 64, 512, 700};
    lb_real row[MOST];
    double y[MOST];
    for (int v = 0; v < 10; v++)
        for (int w = 0; w < 5; w++) {
            for (int i = 0; i < widths[w]; i++) row[i] = (lb_real)values[v];
            normalize(widths[w], row, y);
            for (int i = 0; i < widths[w]; i++)
                SUPPORT_CHECK(fabs(y[i] - 3) < 1e-4, "%d times %g, element %d: %.9g", widths[w], values[v], i,
                              y[i]);
            for (int i = 0; i < widths[w] && fabs(values[v]) > 1; i++)
                SUPPORT_CHECK(y[i] == 3, "%d times %g, element %d: %.9g", widths[w], values[v], i, y[i]);
        }
}
END_TEST

START_TEST(test_normalize_is_as_precise_far_from_zero_as_near_it)
{
    static const double means[] = {0, 1, 10, 50, 200, 1e3, 1e4, 1e5, 1e6, -1e6};
    lb_real row[MOST];
    double y[MOST];
    for (int m = 0; m < 10; m++)
        for (int width = 3; width < MOST; width += 58) {
            double mean = 0, variance = 0;
            for (int i = 0; i < width; i++) {
                row[i] = (lb_real)(means[m] + sin(1 + 7.0 * i));
                mean += (double)row[i] / width;
            }
            for (int i = 0; i < width; i++) variance += pow((double)row[i] - mean, 2) / width;
            normalize(width, row, y);
            for (int i = 0; i < width; i++) {
                double expected = 3 + 2 * ((double)row[i] - mean) / sqrt(variance + (double)epsilon);
                SUPPORT_CHECK(fabs(y[i] - expected) < 2e-5, "mean %g, width %d, element %d: %.9g, not %.9g",
                              means[m], width, i, y[i], expected);
            }
        }
}
END_TEST

START_TEST(test_normalize_of_a_row_far_from_zero_has_the_gradient_of_one_near_it)
{
    enum { WIDTH = 5 };
    /* Sums without rounding. */
    const lb_real row[WIDTH] = {(lb_real)0.25, -3, (lb_real)1.75, 2, (lb_real)-0.5},
                  cotangent[WIDTH] = {1, -2, 3, (lb_real)0.5, 4};
    lb_tensor *weight = support_leaf(LB_SHAPE(WIDTH), -1, 1, 2),
              *bias = support_leaf(LB_SHAPE(WIDTH), -1, 1, 3);
    lb_tensor *x[] = {support_leaf(LB_SHAPE(1, WIDTH), 0, 1, 1), support_leaf(LB_SHAPE(1, WIDTH), 0, 1, 1)};
    for (int far = 0; SUPPORT_ROW(far, x); far++) {
        for (int i = 0; i < WIDTH; i++) x[far]->data[i] = row[i] + (far ? 1048576 : 0);
        lb_tape *tape = lb_tape_new();
        lb_tensor *y = lb_standardize(lb_on_tape(tape, x[far]), weight, bias, epsilon);
        ck_assert_int_eq(lb_backward_from(y, cotangent, NULL), LB_OK);
        lb_tape_free(tape);
    }
    for (int i = 0; i < WIDTH; i++)
        ck_assert_double_eq_tol((double)x[1]->grad[i], (double)x[0]->grad[i], 1e-5);
    ck_assert(fabs((double)x[0]->grad[1]) > 1e-2);
    for (int far = 0; far < 2; far++) support_leaf_free(x[far]);
    support_leaf_free(weight);
    support_leaf_free(bias);
}
END_TEST
