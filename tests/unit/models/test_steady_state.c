/* After the first steps, training allocates nothing, through lb_alloc or otherwise. */
#include "lookback/ops.h"
#include "support/alloc.h"
#include "support/sorting.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdlib.h>

static const lb_sort_task task = {.max_value = 20, .min_length = 6, .max_length = 6, .seed = 3};

/* The linker redirects every malloc of the library and of this file here (tests/CMakeLists.txt). It does not cover
 * OpenBLAS: for some shapes, on some processors, its small kernels allocate in each call. */
static atomic_long mallocs;

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    atomic_fetch_add(&mallocs, 1);
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    atomic_fetch_add(&mallocs, 1);
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    atomic_fetch_add(&mallocs, 1);
    return __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    atomic_fetch_add(&mallocs, 1);
    return __real_aligned_alloc(alignment, bytes);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

static long malloc_count(void)
{
    return atomic_load(&mallocs);
}

enum { WARM_UP = 5, STEPS = 50, BATCH = 40 };

static void check_steady(support_sorter sorter, int threads)
{
    lb_set_threads(threads);
    support_watch_allocations();
    support_sorting s;
    ck_assert_int_eq(support_sorting_open(&s, task, sorter), LB_OK);
    for (int step = 0; step < WARM_UP; step++)
        ck_assert_int_eq(support_sorting_step(&s, BATCH, step, NULL), LB_OK);
    long library = support_allocation_count(), all = malloc_count();
    int failed = 0;
    lb_real loss = 0;
    for (int step = WARM_UP; step < WARM_UP + STEPS; step++)
        failed += support_sorting_step(&s, BATCH, step, &loss) != LB_OK;
    long library_after = support_allocation_count(), all_after = malloc_count();
    ck_assert_int_eq(failed, 0);
    ck_assert(loss > 0);
    ck_assert_int_gt(library, 5);
    ck_assert_int_ge(all, library);
    ck_assert_int_eq(library_after - library, 0);
    ck_assert_int_eq(all_after - all, 0);
    support_sorting_close(&s);
    ck_assert_int_eq(support_live_allocations(), 0);
}

START_TEST(test_training_steps_after_the_first_allocate_nothing)
{
    check_steady((support_sorter){.seq2seq = {.embed = 16, .hidden = 32}}, 2);
}
END_TEST

START_TEST(test_training_deep_model_steps_after_the_first_allocate_nothing)
{
    lb_seq2seq_config config = {
        .embed = 9, .hidden = 17, .layers = 2, .bidirectional = true, .dropout = (lb_real)0.2};
    check_steady((support_sorter){.seq2seq = config}, 3);
}
END_TEST

START_TEST(test_training_transformer_steps_after_the_first_allocate_nothing)
{
    check_steady((support_sorter){.transformer = {.width = 32, .heads = 2, .dropout = (lb_real)0.1}}, 2);
    for (int kind = LB_POSITIONAL_FIRE; kind <= LB_POSITIONAL_RANDOM; kind++)
        check_steady((support_sorter){.transformer = {.width = 32, .positions = (lb_positional_kind)kind}},
                     2);
}
END_TEST

START_TEST(test_training_on_one_thread_steps_after_the_first_allocate_nothing)
{
    check_steady((support_sorter){.seq2seq = {.embed = 16, .hidden = 32}}, 1);
}
END_TEST

START_TEST(test_malloc_of_any_kind_is_seen)
{
    long before = malloc_count();
    void *volatile memory = malloc(100);
    void *volatile grown = realloc(memory, 200);
    free(grown);
    memory = calloc(2, 50);
    free(memory);
    memory = aligned_alloc(64, 128);
    free(memory);
    ck_assert_int_eq(malloc_count() - before, 4);
}
END_TEST

/* A program of its own. */
int main(void)
{
    return support_run_tests();
}
