/* The lists that scripts of bench/ and of the tests draw: in their bounds, decided by the seed, the same everywhere. */
#include "support/process.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static support_result result;

static void draw(const char *seed, const char *count, const char *least, const char *most, const char *below)
{
    const char *const argv[] = {BIN_DIR "/random_lists", seed, count, least, most, below, NULL};
    support_result_free(&result);
    ck_assert(support_run(argv, NULL, &result));
}

START_TEST(test_random_lists_are_those_of_the_seed_on_every_machine)
{
    draw("54", "3", "2", "10", "100");
    support_expect(&result, 0, "86 13 70 91 93 45 77 60 21 61\n37 61 85 89 32\n15 10 52 11 49\n", "");
    draw("54", "1", "0", "0", "1");
    support_expect(&result, 0, "\n", "");
    draw("18446744073709551615", "2", "1", "1", "1");
    support_expect(&result, 0, "0\n0\n", "");
}
END_TEST

START_TEST(test_random_lists_have_every_length_and_number_between_the_bounds)
{
    enum { LEAST = 2, MOST = 5, BELOW = 8 };
    int lines = 0, lengths[MOST + 2] = {0}, numbers[BELOW + 1] = {0};
    draw("7", "400", "2", "5", "8");
    ck_assert_int_eq(result.status, 0);
    for (char *line = strtok(result.output, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int length = 0;
        for (char *at = line, *end; *at; at = end, length++) {
            long number = strtol(at, &end, 10);
            ck_assert(end > at && number >= 0 && number < BELOW);
            numbers[number]++;
        }
        ck_assert(length >= LEAST && length <= MOST);
        lengths[length]++;
    }
    ck_assert_int_eq(lines, 400);
    for (int i = LEAST; i <= MOST; i++) ck_assert_int_gt(lengths[i], 60); /* 100 on average */
    for (int i = 0; i < BELOW; i++) ck_assert_int_gt(numbers[i], 120);    /* 175 */
}
END_TEST

START_TEST(test_random_lists_wrong_usage_is_told)
{
    static const char *const wrong[][5] = {{"1", "1", "3", "2", "9"},  {"1", "1", "1", "2", "0"},
                                           {"1", "-1", "1", "2", "9"}, {"", "1", "1", "2", "9"},
                                           {"1", "1", "1", "2", "9x"}, {"1", "4294967296", "1", "2", "9"},
                                           {"1", "1", "1", "2", NULL}};
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        draw(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3], wrong[i][4]);
        support_expect(&result, 2, "", "usage: random_lists SEED COUNT LEAST MOST BELOW\n");
    }
}
END_TEST
