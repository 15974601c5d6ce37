/* The results of lesson 9 vary slightly between processors. Its point does not: the model sorts long lists with
 * attention, and fails without it. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

enum { SHORTEST = 2, LONGEST = 12 };

START_TEST(test_lesson_bottleneck_attention_holds_where_one_vector_fails)
{
    const support_command command = {.argv = (const char *const[]){BIN_DIR "/09_bottleneck", NULL},
                                     .directory = support_tempdir()};
    support_result result;
    double without[LONGEST + 1] = {0}, with[LONGEST + 1] = {0};
    ck_assert(support_run_command(&command, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    int lines = 0;
    for (const char *at = result.output; (at = strstr(at, "measured: ")) != NULL; at++, lines++) {
        int length;
        double shares[2];
        ck_assert_int_eq(
            sscanf(at, "measured: %d numbers without %lf with %lf", &length, &shares[0], &shares[1]), 3);
        ck_assert_int_eq(length, SHORTEST + lines);
        ck_assert_int_le(length, LONGEST);
        without[length] = shares[0];
        with[length] = shares[1];
    }
    ck_assert_int_eq(lines, LONGEST - SHORTEST + 1);
    ck_assert_double_ge(without[SHORTEST], 0.8);
    ck_assert_double_le(without[LONGEST], 0.4);
    ck_assert_double_ge(with[SHORTEST], 0.9);
    ck_assert_double_ge(with[LONGEST], 0.75);
    support_result_free(&result);
}
END_TEST
