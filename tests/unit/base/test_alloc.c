/* Memory, from the allocator or from an arena. */
#include "base/alloc.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdint.h>
#include <string.h>

START_TEST(test_allocator_set_is_the_one_that_is_called)
{
    support_watch_allocations();
    void *one = lb_alloc(10), *none = lb_alloc(0);
    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_nonnull(none);
    ck_assert_int_eq(support_allocation_count(), 2);
    ck_assert_int_eq(support_live_allocations(), 2);
    lb_release(one);
    lb_release(none);
    lb_release(NULL);
    ck_assert_int_eq(support_live_allocations(), 0);
    lb_set_allocator(NULL);
    one = lb_alloc(10);
    ck_assert_int_eq(support_allocation_count(), 2);
    lb_release(one);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_alloc_zero_is_zero)
{
    for (int round = 0; round < 3; round++) {
        unsigned char *memory = lb_alloc_zero(1000);
        for (int i = 0; i < 1000; i++) ck_assert_uint_eq(memory[i], 0);
        memset(memory, 255, 1000);
        lb_release(memory);
    }
}
END_TEST

START_TEST(test_grow_keeps_what_was_there_and_releases_the_old)
{
    support_watch_allocations();
    char *memory = lb_alloc(4);
    memcpy(memory, "abc", 4);
    memory = lb_alloc_grow(memory, 4, 5000);
    ck_assert_str_eq(memory, "abc");
    ck_assert_int_eq(support_live_allocations(), 1);
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_alloc_grow(memory, 5000, 10000));
    ck_assert_str_eq(memory, "abc");
    ck_assert_int_eq(support_live_allocations(), 1);
    lb_release(memory);
    memory = lb_alloc_grow(NULL, 0, 8);
    ck_assert_ptr_nonnull(memory);
    lb_release(memory);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_array_grows_as_elements_are_added)
{
    int *number = NULL;
    size_t count = 0, room = 0;
    support_watch_allocations();
    for (; count < 1000; count++) {
        ck_assert(lb_alloc_more(&number, count, &room, sizeof *number));
        ck_assert_uint_gt(room, count);
        number[count] = (int)count;
    }
    for (int i = 0; i < 1000; i++) ck_assert_int_eq(number[i], i);
    ck_assert_int_lt(support_allocation_count(), 10);
    size_t full = room;
    int *same = number;
    support_fail_allocation(1);
    ck_assert(!lb_alloc_more(&number, full, &room, sizeof *number));
    ck_assert_uint_eq(room, full);
    ck_assert_ptr_eq(number, same);
    lb_release(number);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_room_for_several_keeps_what_is_counted)
{
    char *text = NULL;
    size_t room = 0;
    ck_assert(lb_alloc_room(&text, 0, 4, &room, 1));
    memcpy(text, "abc", 4);
    ck_assert(lb_alloc_room(&text, 4, 100000, &room, 1));
    ck_assert_uint_ge(room, 100000);
    ck_assert_str_eq(text, "abc");
    char *same = text;
    ck_assert(lb_alloc_room(&text, 4, room, &room, 1));
    ck_assert_ptr_eq(text, same);
    lb_release(text);
}
END_TEST

START_TEST(test_failing_allocator_gives_null_everywhere)
{
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_alloc(3));
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_alloc_zero(3));
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_alloc_string("text"));
    support_fail_allocation(0);
    char *copy = lb_alloc_string("text");
    ck_assert_str_eq(copy, "text");
    lb_release(copy);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_align_rounds_up)
{
    ck_assert_uint_eq(lb_align_up(0), 0);
    ck_assert_uint_eq(lb_align_up(1), 64);
    ck_assert_uint_eq(lb_align_up(64), 64);
    ck_assert_uint_eq(lb_align_up(65), 128);
}
END_TEST

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
    lb_arena_reset(arena, 0);
    ck_assert_uint_eq(lb_arena_used(arena), 0);
    lb_arena_free(arena);
}
END_TEST

START_TEST(test_reset_one_block_gives_the_same_memory_again)
{
    lb_arena *arena = lb_arena_new();
    void *first = take(arena, 1000);
    lb_arena_reset(arena, 0);
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
    lb_arena_reset(arena, 0);
    step(arena);
    lb_arena_reset(arena, 0);
    ck_assert_int_eq(support_live_allocations(), 2); /* the arena and its one block */
    long settled = support_allocation_count();
    for (int i = 0; i < 20; i++) {
        step(arena);
        lb_arena_reset(arena, 0);
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
    lb_arena_reset(arena, 0);
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
