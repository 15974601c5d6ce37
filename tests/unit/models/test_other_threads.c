/* Training does not interfere with the rest of the program: other threads that train, and its own use of OpenBLAS. */
#include "base/threads.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "tensor/gemm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_OPENBLAS
#    include <cblas.h>
#endif

enum { STEPS = 20, BATCH = 48, JOBS = 2 };

/* The model that a thread trains, and the resulting weights. */
typedef struct job {
    support_sorter sorter;
    uint64_t seed;
    lb_status status;
    lb_real *weights;
    size_t bytes;
} job;

static const support_sorter sorters[JOBS] = {{.seq2seq = {.embed = 24, .hidden = 48}},
                                             {.transformer = {.width = 36, .heads = 3}}};

static void *train(void *argument)
{
    job *j = argument;
    support_sorting s;
    lb_set_threads(2);
    j->status = support_sorting_open(
        &s, (lb_sort_task){.max_value = 30, .min_length = 3, .max_length = 7, .seed = j->seed}, j->sorter);
    for (int step = 0; step < STEPS && !j->status; step++)
        j->status = support_sorting_step(&s, BATCH, step, NULL);
    if (!j->status) {
        j->bytes = (size_t)lb_params_size(s.params) * sizeof *j->weights;
        j->weights = malloc(j->bytes);
        memcpy(j->weights, lb_params_values(s.params), j->bytes);
    }
    support_sorting_close(&s);
    return NULL;
}

START_TEST(test_training_on_two_threads_at_once_gives_the_same_bits_as_alone)
{
    job alone[JOBS], beside[JOBS];
    pthread_t thread[JOBS];
    for (int i = 0; i < JOBS; i++) alone[i] = beside[i] = (job){.sorter = sorters[i], .seed = (uint64_t)i};
    for (int i = 0; i < JOBS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, train, &alone[i]), 0);
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    }
    for (int i = 0; i < JOBS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, train, &beside[i]), 0);
    for (int i = 0; i < JOBS; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < JOBS; i++) {
        ck_assert_int_eq(alone[i].status, LB_OK);
        ck_assert_int_eq(beside[i].status, LB_OK);
        ck_assert_uint_eq(alone[i].bytes, beside[i].bytes);
        ck_assert_msg(memcmp(alone[i].weights, beside[i].weights, alone[i].bytes) == 0,
                      "thread %d has trained other weights beside another than alone", i);
        free(alone[i].weights);
        free(beside[i].weights);
    }
}
END_TEST

#ifdef LB_OPENBLAS

enum { OWN = 3 }; /* threads of OpenBLAS that the program wants */

START_TEST(test_training_leaves_openblas_its_threads)
{
    job j = {.sorter = sorters[0]};
    openblas_set_num_threads(OWN);
    train(&j);
    ck_assert_int_eq(j.status, LB_OK);
    ck_assert_int_eq(openblas_get_num_threads(), OWN);
    free(j.weights);
}
END_TEST

/* False, with a note in the output, if OpenBLAS has no threads of its own. */
static bool holds_work(void)
{
    if (openblas_get_parallel() == OPENBLAS_THREAD) return true;
    support_skip("lb_gemm_hold", "this OpenBLAS has no threads of its own");
    return false;
}

START_TEST(test_gemm_hold_lasts_until_the_last_release)
{
    if (!holds_work()) return;
    openblas_set_num_threads(OWN);
    lb_gemm_hold();
    lb_gemm_hold();
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    lb_gemm_release();
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    lb_gemm_release();
    ck_assert_int_eq(openblas_get_num_threads(), OWN);
    lb_gemm_hold();
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    lb_gemm_release();
    ck_assert_int_eq(openblas_get_num_threads(), OWN);
}
END_TEST

START_TEST(test_gemm_release_keeps_what_the_program_set_meanwhile)
{
    if (!holds_work()) return;
    openblas_set_num_threads(OWN);
    lb_gemm_hold();
    openblas_set_num_threads(OWN - 1);
    lb_gemm_release();
    ck_assert_int_eq(openblas_get_num_threads(), OWN - 1);
}
END_TEST

enum { HOLDERS = 4, ROUNDS = 500000 };

/* Counts how often OpenBLAS had several threads while it was held. */
static void *hold_often(void *broken)
{
    for (int round = 0; round < ROUNDS; round++) {
        lb_gemm_hold();
        *(int *)broken += openblas_get_num_threads() != 1;
        lb_gemm_release();
    }
    return NULL;
}

START_TEST(test_gemm_hold_by_many_threads_holds_for_each)
{
    if (!holds_work()) return;
    pthread_t thread[HOLDERS];
    int broken[HOLDERS] = {0};
    openblas_set_num_threads(OWN);
    for (int i = 0; SUPPORT_ROW(i, broken); i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, hold_often, &broken[i]), 0);
    for (int i = 0; i < HOLDERS; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (int i = 0; SUPPORT_ROW(i, broken); i++) ck_assert_int_eq(broken[i], 0);
    ck_assert_int_eq(openblas_get_num_threads(), OWN);
}
END_TEST

#else

START_TEST(test_openblas_is_not_there)
{
    support_skip("what the library does to OpenBLAS", "this build has none");
    lb_gemm_hold();
    lb_gemm_release();
    ck_assert_int_eq(strncmp(lb_kernel_name(), "own kernel, ", 12), 0);
}
END_TEST

#endif
