#include "base/alloc.h"
#include "support/alloc.h"
#include "support/suite.h"

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
