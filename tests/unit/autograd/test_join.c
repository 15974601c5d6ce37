/* The axes of lb_stack, lb_concat and lb_slice. */
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/suite.h"

#include <string.h>

static lb_tape *tape;
static lb_tensor *a, *b; /* [2, 3]: 0 to 5, 10 to 15 */

static void set_up(void)
{
    tape = lb_tape_new();
    a = lb_tensor_new(tape, LB_SHAPE(2, 3), (const lb_real[]){0, 1, 2, 3, 4, 5});
    b = lb_tensor_new(tape, LB_SHAPE(2, 3), (const lb_real[]){10, 11, 12, 13, 14, 15});
}

static void expect(const lb_tensor *found, lb_shape shape, int count, const lb_real *values)
{
    ck_assert_msg(lb_is_sound(found), "%s", lb_tensor_error(found));
    ck_assert(lb_shape_equal(found->shape, shape));
    ck_assert_int_eq(lb_count(found), count);
    for (int i = 0; i < count; i++) ck_assert(found->data[i] == values[i]);
}

START_TEST(test_stack_of_a_negative_axis_counts_from_the_end_of_the_result)
{
    static const lb_real front[] = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15},
                         middle[] = {0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15},
                         back[] = {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15};
    set_up();
    for (int negative = 0; negative < 2; negative++) {
        int offset = negative ? -3 : 0;
        expect(lb_stack((lb_tensor *[]){a, b}, 2, offset), LB_SHAPE(2, 2, 3), 12, front);
        expect(lb_stack((lb_tensor *[]){a, b}, 2, offset + 1), LB_SHAPE(2, 2, 3), 12, middle);
        expect(lb_stack((lb_tensor *[]){a, b}, 2, offset + 2), LB_SHAPE(2, 3, 2), 12, back);
    }
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_stack_of_an_axis_beyond_the_result_is_an_error)
{
    static const int axes[] = {-4, 3};
    for (int i = 0; SUPPORT_ROW(i, axes); i++) {
        set_up();
        ck_assert(!lb_is_sound(lb_stack((lb_tensor *[]){a, b}, 2, axes[i])));
        ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), i ? "axis 3" : "axis -4"));
        lb_tape_free(tape);
    }
}
END_TEST

START_TEST(test_concat_and_slice_of_a_negative_axis_count_from_the_end)
{
    set_up();
    expect(lb_concat((lb_tensor *[]){a, b}, 2, -1), LB_SHAPE(2, 6), 12,
           (const lb_real[]){0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15});
    expect(lb_concat((lb_tensor *[]){a, b}, 2, -2), LB_SHAPE(4, 3), 12,
           (const lb_real[]){0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
    expect(lb_slice(b, -1, 1, 2), LB_SHAPE(2, 2), 4, (const lb_real[]){11, 12, 14, 15});
    expect(lb_slice(b, -2, 1, 1), LB_SHAPE(1, 3), 3, (const lb_real[]){13, 14, 15});
    lb_tape_free(tape);
}
END_TEST
