/* Many classes: a product lays out a large weight itself, and tiles go through a large operand part by part. This test
 * runs in both precisions, and takes seconds. */
#include "autograd/op.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"
#include "tensor/gemm.h"

#include <stdlib.h>

enum { EXAMPLES = 70, INPUTS = 21, BESIDE = 9, OUTPUTS = 60001, TOP = 333 };

START_TEST(test_a_large_weight_gives_the_values_of_its_rows)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(EXAMPLES, INPUTS), -1, 1, 1),
              *beside = support_leaf(LB_SHAPE(EXAMPLES, BESIDE), -1, 1, 2),
              *weight = support_leaf(LB_SHAPE(OUTPUTS, INPUTS + BESIDE), -1, 1, 3),
              *other = support_leaf(LB_SHAPE(OUTPUTS, INPUTS), -1, 1, 5),
              *bias = support_leaf(LB_SHAPE(OUTPUTS), -1, 1, 4);
    for (int with_bias = 0; with_bias < 2; with_bias++) {
        lb_tape_reset(tape);
        lb_tensor *y = lb_affine_pair(lb_on_tape(tape, x), beside, weight, with_bias ? bias : NULL);
        ck_assert_msg(lb_is_sound(y), "%s", lb_tape_error(tape));
        for (int64_t i = 0; i < EXAMPLES; i += 23)
            for (int64_t j = 0; j < OUTPUTS; j += j < OUTPUTS - 200 ? 97 : 1) {
                const lb_real *w = weight->data + j * (INPUTS + BESIDE);
                double sum = with_bias ? (double)bias->data[j] : 0;
                for (int k = 0; k < INPUTS; k++) sum += (double)w[k] * (double)x->data[i * INPUTS + k];
                for (int k = 0; k < BESIDE; k++)
                    sum += (double)w[INPUTS + k] * (double)beside->data[i * BESIDE + k];
                ck_assert_double_eq_tol((double)y->data[i * OUTPUTS + j], sum, 1e-5);
            }
    }
    lb_tape_reset(tape);
    lb_tensor *all = lb_affine(lb_on_tape(tape, x), other, bias),
              *some = lb_affine_rows(lb_on_tape(tape, x), other, TOP, OUTPUTS - TOP, bias);
    for (int64_t i = 0; i < EXAMPLES; i++)
        ck_assert_mem_eq(some->data + i * (OUTPUTS - TOP), all->data + i * OUTPUTS + TOP,
                         (size_t)(OUTPUTS - TOP) * sizeof *all->data);
    lb_tape_free(tape);
    support_leaf_free(x);
    support_leaf_free(other);
    support_leaf_free(beside);
    support_leaf_free(weight);
    support_leaf_free(bias);
}
END_TEST

/* Whether our kernel computes such a product. */
static bool is_ours(void)
{
    return !lb_gemm_blas_serves() || lb_instruction_set_here() == LB_SET_AVX512;
}

/* The gradient of the examples: tiles one above the other share the weight. */
START_TEST(test_parts_of_a_large_operand_keep_the_bits_of_our_kernel)
{
    lb_tensor *x = support_leaf(LB_SHAPE(EXAMPLES, OUTPUTS), -1, 1, 6),
              *weight = support_leaf(LB_SHAPE(OUTPUTS, INPUTS), -1, 1, 7);
    lb_real *tiled = calloc(EXAMPLES * INPUTS, sizeof *tiled),
            *whole = calloc(EXAMPLES * INPUTS, sizeof *whole);
    for (int beta = 0; beta < 2; beta++) {
        lb_gemm_tiled(lb_gemm_own, EXAMPLES, INPUTS, OUTPUTS, lb_plain(x->data, OUTPUTS),
                      lb_plain(weight->data, INPUTS), (lb_real)beta, NULL, false, whole, INPUTS);
        lb_gemm_hold();
        lb_gemm(EXAMPLES, INPUTS, OUTPUTS, lb_plain(x->data, OUTPUTS), lb_plain(weight->data, INPUTS),
                (lb_real)beta, tiled, INPUTS);
        lb_gemm_release();
        if (is_ours())
            ck_assert_mem_eq(tiled, whole, EXAMPLES * INPUTS * sizeof *whole);
        else
            for (int i = 0; i < EXAMPLES * INPUTS; i++)
                ck_assert_double_eq_tol((double)tiled[i], (double)whole[i], 1e-2);
    }
    free(tiled);
    free(whole);
    support_leaf_free(x);
    support_leaf_free(weight);
}
END_TEST
