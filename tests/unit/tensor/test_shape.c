#include "support/suite.h"
#include "tensor/shape.h"

#include <string.h>

START_TEST(test_count_multiplies_and_a_scalar_has_one)
{
    ck_assert_int_eq(lb_shape_count((lb_shape){0}), 1);
    ck_assert_int_eq(lb_shape_count(LB_SHAPE(7)), 7);
    ck_assert_int_eq(lb_shape_count(LB_SHAPE(2, 3, 5, 7, 11, 13)), 30030);
    ck_assert_int_eq(lb_shape_count(LB_SHAPE(2, 0, 5)), 0);
}
END_TEST

START_TEST(test_valid_refuses_negative_too_many_and_too_much)
{
    ck_assert(lb_shape_valid((lb_shape){0}));
    ck_assert(lb_shape_valid(LB_SHAPE(3, 0, 4)));
    ck_assert(lb_shape_valid(LB_SHAPE(1, 2, 3, 4, 5, 6)));
    ck_assert(!lb_shape_valid(LB_SHAPE(3, -1)));
    ck_assert(!lb_shape_valid((lb_shape){.ndim = LB_MAX_DIMS + 1}));
    ck_assert(!lb_shape_valid((lb_shape){.ndim = -1}));
    ck_assert(!lb_shape_valid(LB_SHAPE(INT64_MAX)));
    ck_assert(!lb_shape_valid(LB_SHAPE(INT64_MAX, INT64_MAX)));
    ck_assert(!lb_shape_valid(LB_SHAPE(1LL << 32, 1LL << 32)));     /* the product wraps to 0 */
    ck_assert(!lb_shape_valid(LB_SHAPE(3, 6148914691236517206LL))); /* and here to 2 */
    ck_assert(!lb_shape_valid(LB_SHAPE(PTRDIFF_MAX / 8 + 1)));      /* the bytes do not fit */
    ck_assert(lb_shape_valid(LB_SHAPE(PTRDIFF_MAX / 8)));
    ck_assert(!lb_shape_valid(LB_SHAPE(0, 1LL << 40, 1LL << 40))); /* strides would overflow */
}
END_TEST

START_TEST(test_equal_compares_rank_and_every_length)
{
    ck_assert(lb_shape_equal(LB_SHAPE(2, 3), LB_SHAPE(2, 3)));
    ck_assert(!lb_shape_equal(LB_SHAPE(2, 3), LB_SHAPE(3, 2)));
    ck_assert(!lb_shape_equal(LB_SHAPE(2, 3), LB_SHAPE(2, 3, 1)));
    ck_assert(lb_shape_equal((lb_shape){0}, (lb_shape){.ndim = 0, .dim = {9}}));
}
END_TEST

START_TEST(test_axis_counts_from_either_end)
{
    lb_shape shape = LB_SHAPE(2, 3, 5);
    ck_assert_int_eq(lb_shape_axis(shape, 0), 0);
    ck_assert_int_eq(lb_shape_axis(shape, -1), 2);
    ck_assert_int_eq(lb_shape_axis(shape, -3), 0);
    ck_assert_int_eq(lb_shape_axis(shape, 3), -1);
    ck_assert_int_eq(lb_shape_axis(shape, -4), -1);
    ck_assert_int_eq(lb_shape_axis((lb_shape){0}, 0), -1);
    ck_assert_int_eq(lb_shape_axis((lb_shape){0}, -1), -1);
    ck_assert_int_eq(lb_shape_dim(shape, 1), 3);
    ck_assert_int_eq(lb_shape_dim(shape, -3), 2);
}
END_TEST

START_TEST(test_stride_is_the_product_of_what_follows)
{
    lb_shape shape = LB_SHAPE(2, 3, 5, 7);
    ck_assert_int_eq(lb_shape_stride(shape, 0), 105);
    ck_assert_int_eq(lb_shape_stride(shape, 1), 35);
    ck_assert_int_eq(lb_shape_stride(shape, -1), 1);
    ck_assert_int_eq(lb_shape_stride(shape, -2), 7);
}
END_TEST

static void check_broadcast(lb_shape a, lb_shape b, lb_shape expected)
{
    lb_shape found;
    ck_assert(lb_shape_broadcast(a, b, &found));
    ck_assert(lb_shape_equal(found, expected));
    ck_assert(lb_shape_broadcast(b, a, &found));
    ck_assert(lb_shape_equal(found, expected));
}

START_TEST(test_broadcast_follows_numpy)
{
    check_broadcast(LB_SHAPE(2, 3), LB_SHAPE(2, 3), LB_SHAPE(2, 3));
    check_broadcast(LB_SHAPE(2, 3), LB_SHAPE(3), LB_SHAPE(2, 3));
    check_broadcast(LB_SHAPE(2, 3), (lb_shape){0}, LB_SHAPE(2, 3));
    check_broadcast(LB_SHAPE(4, 1, 3), LB_SHAPE(5, 1), LB_SHAPE(4, 5, 3));
    check_broadcast(LB_SHAPE(1, 1, 1, 7), LB_SHAPE(2, 1), LB_SHAPE(1, 1, 2, 7));
}
END_TEST

START_TEST(test_broadcast_misfit_leaves_the_result_alone)
{
    lb_shape result = LB_SHAPE(9, 9);
    ck_assert(!lb_shape_broadcast(LB_SHAPE(2, 3), LB_SHAPE(2), &result));
    ck_assert(!lb_shape_broadcast(LB_SHAPE(2, 3), LB_SHAPE(4, 3), &result));
    ck_assert(!lb_shape_broadcast(LB_SHAPE(0), LB_SHAPE(2), &result));
    ck_assert(lb_shape_equal(result, LB_SHAPE(9, 9)));
    ck_assert(lb_shape_broadcast(LB_SHAPE(0), LB_SHAPE(1), &result));
    ck_assert(lb_shape_equal(result, LB_SHAPE(0)));
}
END_TEST

START_TEST(test_format_writes_brackets_and_never_beyond_its_text)
{
    char text[LB_SHAPE_TEXT + 8];
    ck_assert_str_eq(lb_shape_format(LB_SHAPE(32, 10, 128), text), "[32,10,128]");
    ck_assert_str_eq(lb_shape_format((lb_shape){0}, text), "[]");
    ck_assert_str_eq(lb_shape_format(LB_SHAPE(-1), text), "[-1]");
    memset(text, '#', sizeof text);
    lb_shape huge = LB_SHAPE(INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN);
    ck_assert_ptr_eq(lb_shape_format(huge, text), text);
    ck_assert_ptr_nonnull(memchr(text, 0, LB_SHAPE_TEXT));
    for (int i = LB_SHAPE_TEXT; i < (int)sizeof text; i++) ck_assert_int_eq(text[i], '#');
}
END_TEST
