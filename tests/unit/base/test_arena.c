#include "base/alloc.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdint.h>
#include <string.h>

static void *take(lb_arena *arena, size_t bytes)
{
    void *memory = lb_arena_alloc(arena, bytes);
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq((uintptr_t)memory % LB_ALIGNMENT, 0);
    return memory;
}

START_TEST(test_alloc_any_size_is_aligned_and_apart)
{
    static const size_t sizes[] = {1, 63, 64, 65, 7, 100000, 3, 0, 1 << 20, 5};
    unsigned char *piece[10];
    lb_arena *arena = lb_arena_new();
    for (int i = 0; i < 10; i++) {
        piece[i] = take(arena, sizes[i]);
        memset(piece[i], i + 1, sizes[i]);
    }
    for (int i = 0; i < 10; i++)
        for (size_t j = 0; j < sizes[i]; j++) SUPPORT_CHECK(piece[i][j] == i + 1, "piece %d, byte %zu", i, j);
    lb_arena_free(arena);
}
END_TEST

START_TEST(test_used_counts_whole_lines_and_reset_takes_all_back)
{
    lb_arena *arena = lb_arena_new();
    ck_assert_uint_eq(lb_arena_used(arena), 0);
    take(arena, 1);
    take(arena, 65);
    ck_assert_uint_eq(lb_arena_used(arena), 64 + 128);
    lb_arena_reset(arena);
    ck_assert_uint_eq(lb_arena_used(arena), 0);
    lb_arena_free(arena);
}
END_TEST

START_TEST(test_reset_one_block_gives_the_same_memory_again)
{
    lb_arena *arena = lb_arena_new();
    void *first = take(arena, 1000);
    lb_arena_reset(arena);
    ck_assert_ptr_eq(take(arena, 1000), first);
    lb_arena_free(arena);
}
END_TEST

/* Pieces that need many blocks at first. */
static void step(lb_arena *arena)
{
    for (size_t i = 0; i < 300; i++) memset(take(arena, 1000 * i % 7919 + 1), 3, 1000 * i % 7919 + 1);
    take(arena, 3000000);
}

START_TEST(test_reset_twice_after_equal_steps_allocates_nothing_more)
{
    support_watch_allocations();
    lb_arena *arena = lb_arena_new();
    step(arena);
    long first_step = support_allocation_count();
    ck_assert_int_gt(first_step, 3);
    lb_arena_reset(arena);
    step(arena);
    lb_arena_reset(arena);
    ck_assert_int_eq(support_live_allocations(), 2); /* the arena and its one block */
    long settled = support_allocation_count();
    for (int i = 0; i < 20; i++) {
        step(arena);
        lb_arena_reset(arena);
    }
    ck_assert_int_eq(support_allocation_count(), settled);
    lb_arena_free(arena);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_alloc_failing_allocator_gives_null_and_the_arena_goes_on)
{
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_arena_new());
    lb_arena *arena = lb_arena_new();
    support_fail_allocation(1);
    unsigned char *small = take(arena, 100); /* the generous block fails, the exact one does not */
    memset(small, 9, 100);
    lb_set_allocator(NULL);
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_arena_alloc(arena, 1 << 20)); /* nothing smaller to fall back on */
    support_fail_allocation(0);
    memset(take(arena, 1 << 20), 7, 1 << 20);
    for (int i = 0; i < 100; i++) ck_assert_uint_eq(small[i], 9);
    lb_arena_free(arena);
}
END_TEST

START_TEST(test_reset_failing_allocator_leaves_an_empty_arena_that_works)
{
    support_watch_allocations();
    lb_arena *arena = lb_arena_new();
    step(arena);
    support_fail_allocation(1);
    lb_arena_reset(arena);
    ck_assert_uint_eq(lb_arena_used(arena), 0);
    ck_assert_int_eq(support_live_allocations(), 1);
    step(arena);
    lb_arena_free(arena);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_alloc_impossible_size_is_null)
{
    lb_arena *arena = lb_arena_new();
    ck_assert_ptr_null(lb_arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_null(lb_arena_alloc(arena, SIZE_MAX / 2 + 1));
    ck_assert_uint_eq(lb_arena_used(arena), 0);
    take(arena, 10);
    lb_arena_free(arena);
    lb_arena_free(NULL);
}
END_TEST
