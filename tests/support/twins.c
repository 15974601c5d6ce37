#include "support/twins.h"

#include "autograd/op.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-11;
#else
static const double TOLERANCE = 2e-5;
#endif

void support_twins_leaf(support_twins *t, lb_shape shape)
{
    t->leaf[t->leaves] = support_leaf(shape, -1, (lb_real)1.2, 40 + (uint64_t)t->leaves);
    t->leaves++;
}

uint64_t support_draw_below(uint64_t at, uint64_t bound)
{
    return lb_rng_below((lb_rng){.seed = 99}, at, bound);
}

const int32_t *support_draw_lengths(int64_t batch, int64_t steps)
{
    static int32_t lengths[64];
    for (int64_t row = 0; row < batch; row++)
        lengths[row] = (int32_t)support_draw_below((uint64_t)row, (uint64_t)steps + 1);
    if (batch > 2) lengths[1] = 0;
    lengths[0] = (int32_t)steps;
    return lengths;
}

/* Everything that one twin computes: outputs, then the gradients of all leaves. */
static double *evaluate(support_twin run, const support_twins *t, int64_t *total)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[SUPPORT_TWINS_LEAVES] = {NULL};
    for (int i = 0; i < t->leaves; i++) {
        memset(t->leaf[i]->grad, 0, (size_t)lb_count(t->leaf[i]) * sizeof(lb_real));
        in[i] = lb_on_tape(tape, t->leaf[i]);
    }
    lb_unfused_result result = run(tape, t, in);
    lb_tensor *loss = NULL;
    *total = 0;
    for (int k = 0; k < 4 && result.output[k]; k++) {
        lb_tensor *output = result.output[k];
        ck_assert_msg(lb_is_sound(output), "%s: %s", t->name, lb_tape_error(tape));
        lb_tensor *cotangent = lb_tensor_new(tape, output->shape, NULL);
        for (int64_t i = 0; i < lb_count(output); i++)
            cotangent->data[i] =
                (lb_real)(lb_rng_uniform((lb_rng){.seed = 7, .stream = (uint32_t)k}, (uint64_t)i) - 0.3);
        lb_tensor *part = lb_sum_all(lb_mul(output, cotangent));
        loss = loss ? lb_add(loss, part) : part;
        *total += lb_count(output);
    }
    lb_error error = {0};
    ck_assert_msg(lb_backward(loss, &error) == LB_OK, "%s: %s", t->name, error.message);
    for (int i = 0; i < t->leaves; i++) *total += lb_count(t->leaf[i]);
    double *all = calloc((size_t)*total + 1, sizeof *all);
    int64_t at = 0;
    for (int k = 0; k < 4 && result.output[k]; k++)
        for (int64_t i = 0; i < lb_count(result.output[k]); i++)
            all[at++] = (double)result.output[k]->data[i];
    for (int i = 0; i < t->leaves; i++)
        for (int64_t j = 0; j < lb_count(t->leaf[i]); j++) all[at++] = (double)t->leaf[i]->grad[j];
    lb_tape_free(tape);
    return all;
}

/* Compares each output and each gradient, relative to its own size. */
static void compare_part(const support_twins *t, const char *what, int which, const double *fused,
                         const double *unfused, int64_t count)
{
    double squares = 0;
    for (int64_t i = 0; i < count; i++) squares += unfused[i] * unfused[i];
    double size = sqrt(squares / (double)(count ? count : 1));
    ck_assert(isfinite(size));
    /* Softmax divides errors of scores by their sum; the others pass them on, step after step. */
    double tolerance = TOLERANCE * (t->normalizer == LB_SOFTMAX ? 1 : 10);
    /* Of large keys the tanh is nearly 1, and what goes back through it is the rounding of its derivative, 1 - tanh^2;
     * in the gradient of the keys it is multiplied by their factor. The same operands with small keys have no such
     * allowance. */
    bool keys = which == 2 && strstr(what, "gradient");
    double rounding = t->number > 1 ? TOLERANCE / 100 * (keys ? (double)t->number / 10 : 1) : 0;
    for (int64_t i = 0; i < count; i++)
        SUPPORT_CHECK(fabs(fused[i] - unfused[i]) <= tolerance * (size + fabs(unfused[i])) + rounding,
                      "%s: %s %d, element %d of %d is %.12g, its twin says %.12g", t->name, what, which,
                      (int)i, (int)count, fused[i], unfused[i]);
}

void support_twins_compare(support_twins *t, support_twin fused, support_twin unfused,
                           const int64_t *output_counts)
{
    int64_t total_fused, total_unfused, at = 0;
    double *a = evaluate(fused, t, &total_fused), *b = evaluate(unfused, t, &total_unfused);
    ck_assert_int_eq(total_fused, total_unfused);
    bool moves = false;
    for (int64_t i = 0; i < total_unfused; i++) moves = moves || b[i] != 0;
    ck_assert(moves);
    for (int k = 0; k < 4 && output_counts[k]; at += output_counts[k++])
        compare_part(t, "output", k, a + at, b + at, output_counts[k]);
    for (int i = 0; i < t->leaves; i++) {
        compare_part(t, "gradient of operand", i, a + at, b + at, lb_count(t->leaf[i]));
        at += lb_count(t->leaf[i]);
    }
    ck_assert_int_eq(at, total_unfused);
    free(a);
    free(b);
    for (int i = 0; i < t->leaves; i++) support_leaf_free(t->leaf[i]);
    t->leaves = 0;
}
