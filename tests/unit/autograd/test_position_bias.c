/* Biases of attention by position: where the buckets begin, and sizes that cannot be. */
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/suite.h"

/* Nine buckets up to 128: four of a distance each, then one for each power of two. */
START_TEST(test_relative_bias_begins_a_bucket_at_its_first_distance)
{
    enum { BUCKETS = 9, FIRST = 70 };
    static const int distances[] = {3, 4, 7, 8, 15, 16, 31, 32, 63, 64},
                     buckets[] = {3, 4, 4, 5, 5, 6, 6, 7, 7, 8};
    lb_real number[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) number[i] = (lb_real)i;
    lb_tape *tape = lb_tape_new();
    const lb_tensor *bias = lb_relative_bias(
        lb_tensor_new(tape, LB_SHAPE(BUCKETS, 1), number),
        (lb_relative_options){.queries = 1, .keys = FIRST, .first = FIRST, .farthest = 128, .causal = true});
    for (int i = 0; SUPPORT_ROW(i, distances); i++)
        ck_assert_int_eq((int)bias->data[FIRST - distances[i]], buckets[i]);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_alibi_bias_of_less_than_no_heads_is_an_error_that_names_it)
{
    lb_tape *tape = lb_tape_new();
    ck_assert(!lb_is_sound(lb_alibi_bias(tape, -1, 2, 3, 0)));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_alibi_bias: found -1 heads, 2 queries and 3 keys, expected 0 or more");
    lb_tape_free(tape);
}
END_TEST
