/* Every instruction set that this processor has: trainings with each of them, and how one is asked for. */
#include "base/instruction_set.h"
#include "lookback/models.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "tensor/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, BATCH = 61 };

/* The library asks again, unless this is another than LB_SET_WIDEST. */
static int in_force = LB_SET_WIDEST;

static void ask_for(const char *name)
{
    ck_assert_int_eq(name ? setenv(LB_SET_VARIABLE, name, 1) : unsetenv(LB_SET_VARIABLE), 0);
    atomic_store(&lb_instruction_set_in_force, in_force);
}

/* Trains with a set. Returns the loss of the last step and the weights, to be freed. */
static double train(int set, int threads, lb_real **weights, size_t *bytes)
{
    const lb_sort_task task = {.max_value = 30, .min_length = 3, .max_length = 7, .seed = 3};
    const support_sorter sorter = {.seq2seq = {.embed = 24, .hidden = 101}};
    support_sorting s;
    lb_real loss = 0;
    ask_for(lb_instruction_set_names[set]);
    lb_set_threads(threads);
    ck_assert_int_eq(support_sorting_open(&s, task, sorter), LB_OK);
    for (int step = 0; step < STEPS; step++)
        ck_assert_msg(support_sorting_step(&s, BATCH, step, &loss) == LB_OK, "%s", lb_tape_error(s.tape));
    *bytes = (size_t)lb_params_size(s.params) * sizeof **weights;
    *weights = malloc(*bytes);
    memcpy(*weights, lb_params_values(s.params), *bytes);
    support_sorting_close(&s);
    return (double)loss;
}

START_TEST(test_each_instruction_set_trains_alike_and_with_the_same_bits_on_any_number_of_threads)
{
    lb_real *first[LB_SET_AVX512 + 1], *again;
    size_t bytes;
    double loss[LB_SET_AVX512 + 1];
    for (int set = LB_SET_BASE; set <= (int)lb_instruction_set_widest(); set++) {
        loss[set] = train(set, 1, &first[set], &bytes);
        ck_assert_int_eq(lb_instruction_set_here(), set);
        ck_assert_double_eq_tol(loss[set], loss[LB_SET_BASE], 1e-3);
        train(set, 6, &again, &bytes);
        ck_assert_msg(memcmp(first[set], again, bytes) == 0, "%s: 6 threads give other bits",
                      lb_instruction_set_name());
        /* The order of sums is written: only fused products differ, and products by OpenBLAS. */
        if (set == LB_SET_AVX2) ck_assert_mem_ne(first[set], first[LB_SET_BASE], bytes);
        if (set == LB_SET_AVX512 && !lb_gemm_blas_kernel())
            ck_assert_mem_eq(first[set], first[LB_SET_AVX2], bytes);
        free(again);
    }
    for (int set = LB_SET_BASE; set <= (int)lb_instruction_set_widest(); set++) free(first[set]);
}
END_TEST

START_TEST(test_portable_has_the_same_bits_in_each_width)
{
    lb_real *first, *again;
    size_t bytes;
    train(LB_SET_PORTABLE, 1, &first, &bytes);
    ck_assert_int_eq(lb_instruction_set_here(),
                     LB_SET_PORTABLE + (int)lb_instruction_set_widest() - LB_SET_BASE);
    ck_assert_ptr_nonnull(strstr(lb_kernel_name(), "portable"));
    for (int width = LB_SET_BASE; width <= (int)lb_instruction_set_widest(); width++) {
        in_force = LB_SET_PORTABLE + width - LB_SET_BASE;
        train(LB_SET_PORTABLE, 6, &again, &bytes);
        ck_assert_msg(memcmp(first, again, bytes) == 0, "%s has other bits", lb_instruction_set_name());
        free(again);
    }
    in_force = LB_SET_WIDEST;
    free(first);
}
END_TEST

/* Nothing is computed with a set that nobody has asked for. */
static void assert_refused(const char *name, const char *message)
{
    lb_error error = {0};
    ask_for(name);
    ck_assert_int_eq(lb_instruction_set_check("--isa", &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
    ck_assert_int_eq(lb_instruction_set_here(), lb_instruction_set_widest());
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(strncmp(lb_tape_error(tape), "LOOKBACK_ISA: found ", 20), 0);
    lb_tape_free(tape);
}

START_TEST(test_an_instruction_set_without_a_name_is_refused)
{
    assert_refused("avx1024",
                   "--isa: found \"avx1024\", expected widest, baseline, avx2, avx512 or portable");
}
END_TEST

START_TEST(test_an_instruction_set_that_the_processor_lacks_is_refused)
{
    if (lb_instruction_set_widest() == LB_SET_AVX512) {
        support_skip("an instruction set that is not there", "this processor has all");
        return;
    }
    char message[128];
    snprintf(message, sizeof message, "--isa: found avx512, but this processor has no more than %s",
             lb_instruction_set_names[lb_instruction_set_widest()]);
    assert_refused("avx512", message);
}
END_TEST

START_TEST(test_no_instruction_set_is_the_widest)
{
    static const char *const none[] = {NULL, "", "widest"};
    for (int i = 0; SUPPORT_ROW(i, none); i++) {
        lb_error error = {0};
        ask_for(none[i]);
        ck_assert_int_eq(lb_instruction_set_check("--isa", &error), LB_OK);
        ck_assert_int_eq(lb_instruction_set_here(), lb_instruction_set_widest());
    }
}
END_TEST
