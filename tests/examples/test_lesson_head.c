/* The results of lesson 12 vary slightly between processors. What its page says of them does not: the head looks one
 * ahead, what is seen is written, some changes break it and others do not.
 * This test is too slow for sanitizers, and belongs to verify: it trains a model. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

static support_result result;

/* The first numbers behind a text of the output. */
static void read_numbers(const char *behind, int count, double *number)
{
    const char *at = strstr(result.output, behind);
    ck_assert_msg(at != NULL, "no '%s' in %s", behind, result.output);
    at += strlen(behind);
    for (int i = 0; i < count; i++) {
        int length;
        at += strcspn(at, "-0123456789");
        ck_assert_msg(sscanf(at, "%lf%n", &number[i], &length) == 1, "%s: %d numbers", behind, i);
        at += length;
    }
}

static double number(const char *behind)
{
    double found;
    read_numbers(behind, 1, &found);
    return found;
}

static void check_changes(void)
{
    ck_assert_double_ge(number("as it is"), 0.98);
    ck_assert_double_le(number("the head switched off"), 0.01);
    ck_assert_double_le(number("even weights"), 0.15);
    ck_assert_double_ge(number("the largest weight alone"), 0.25);
    ck_assert_double_le(number("the largest weight alone"), 0.6);
}

/* The means of both circuits: 10 below, the same, 10 above, further. */
static void check_circuits(void)
{
    double qk[4], ov[4];
    read_numbers("measured: QK ", 4, qk);
    read_numbers("measured: OV ", 4, ov);
    for (int i = 0; i < 4; i++)
        if (i != 2) ck_assert_double_gt(qk[2], qk[i] + 1.5);
    ck_assert_double_le(qk[2] - qk[3], 2.5);
    for (int i = 0; i < 4; i++)
        if (i != 1) ck_assert_double_gt(ov[1], ov[i] + 50);
    ck_assert_double_gt(ov[0], 20);
    ck_assert_double_lt(ov[2], -20);
    ck_assert_double_lt(ov[2], ov[3] - 20);
    ck_assert_double_le(number("scores of the model differ from QK by"), 1e-5);
}

static void check_needs(void)
{
    double looks[2];
    read_numbers("the number that is written has", 2, looks);
    ck_assert_double_ge(looks[0], 0.4);
    ck_assert_double_le(looks[0], 0.7);
    ck_assert_double_ge(looks[1], 85);
    ck_assert_double_le(looks[1], 95);
    ck_assert_double_ge(number("its erasure costs most in"), 99.5);
}

static void check_patching(void)
{
    double later[6], before[6];
    read_numbers("asked as one step later", 6, later);
    read_numbers("asked as one step before", 6, before);
    ck_assert_double_ge(later[5], 75);
    ck_assert_double_ge(before[5], 25);
    ck_assert_double_le(before[5], 55);
    ck_assert_double_eq(later[0], 17);
    ck_assert_double_eq(before[0], 8);
}

START_TEST(test_lesson_head_is_as_its_page_says)
{
    const support_command command = {.argv = (const char *const[]){BIN_DIR "/12_head", NULL},
                                     .directory = support_tempdir()};
    ck_assert(support_run_command(&command, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    check_changes();
    check_circuits();
    check_needs();
    check_patching();
    support_result_free(&result);
}
END_TEST
