/* Holding out pairs of a file for development. */
#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 2000, SHARE = 10, LINE = 16 };

static lb_error error;
static lb_pairs *pairs;

static const lb_pair_format format = {0};

static const char *path(void)
{
    return support_path("pairs.tsv");
}

static void open_text(const char *text)
{
    support_write_file(path(), text, strlen(text));
    error = (lb_error){0};
    pairs = lb_pairs_open(path(), format, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
}

/* Each source twice, with two targets, the second time after all others; `first` is the first number. */
static void open_many(int first)
{
    static char text[PAIRS * LINE];
    size_t used = 0;
    for (int i = 0; i < PAIRS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d\t%d\n", first + i % (PAIRS / 2), i);
    open_text(text);
}

static int source_of(lb_pairs *of, int64_t pair)
{
    const lb_pair_line *line;
    ck_assert_msg(lb_pairs_read(of, pair, &line, &error) == LB_OK, "%s", error.message);
    int number = 0;
    for (size_t i = 0; i < line->source.count; i++) number = 10 * number + (*line->source.symbol[i] - '0');
    return number;
}

START_TEST(test_hold_out_takes_about_the_share_and_both_pairs_of_a_source)
{
    int held[PAIRS / 2] = {0}, kept[PAIRS / 2] = {0};
    open_many(0);
    lb_pairs *out = lb_pairs_hold_out(pairs, SHARE, &error);
    ck_assert_msg(out != NULL, "%s", error.message);
    int64_t count = lb_pairs_count(out);
    ck_assert_int_eq(count + lb_pairs_count(pairs), PAIRS);
    ck_assert_int_gt(count, PAIRS / SHARE * 3 / 4);
    ck_assert_int_lt(count, PAIRS / SHARE * 5 / 4);
    for (int64_t i = 0; i < count; i++) held[source_of(out, i)]++;
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++) kept[source_of(pairs, i)]++;
    for (int i = 0; i < PAIRS / 2; i++)
        SUPPORT_CHECK(held[i] + kept[i] == 2 && held[i] * kept[i] == 0, "source %d", i);
    for (int64_t i = 1; i < count / 2; i++) ck_assert_int_gt(source_of(out, i), source_of(out, i - 1));
    lb_pairs_close(pairs);
    ck_assert_int_eq(source_of(out, 0), source_of(out, count / 2));
    lb_pairs_close(out);
}
END_TEST

START_TEST(test_hold_out_source_that_is_held_out_of_one_file_is_held_out_of_another)
{
    enum { MORE = 300 };
    open_many(0);
    lb_pairs *out = lb_pairs_hold_out(pairs, SHARE, &error);
    ck_assert_ptr_nonnull(out);
    int last = source_of(out, lb_pairs_count(out) - 1), first = 0;
    while (source_of(out, first) < MORE) first++;
    int expected = source_of(out, first);
    lb_pairs_close(out);
    lb_pairs_close(pairs);
    ck_assert_int_gt(last, MORE);
    open_many(MORE);
    out = lb_pairs_hold_out(pairs, SHARE, &error);
    ck_assert_int_eq(source_of(out, 0), expected);
    lb_pairs_close(out);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_hold_out_tells_where_it_comes_from)
{
    char expected[SUPPORT_PATH + 16];
    open_many(0);
    lb_pairs *out = lb_pairs_hold_out(pairs, 2, &error);
    snprintf(expected, sizeof expected, "held out from %s", path());
    ck_assert_str_eq(out->path, expected);
    ck_assert_int_eq(out->facts.lines, lb_pairs_count(out));
    ck_assert_int_eq(pairs->facts.lines, PAIRS);
    lb_pairs_close(out);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_hold_out_too_few_pairs_are_an_error)
{
    open_text("a\tb\n");
    ck_assert_ptr_null(lb_pairs_hold_out(pairs, SHARE, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, ": found 1 pair with too few different sources"));
    ck_assert_int_eq(lb_pairs_count(pairs), 1);
    error = (lb_error){0};
    ck_assert_ptr_null(lb_pairs_hold_out(pairs, 1, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_hash_is_that_of_the_pairs_whatever_stands_around_them)
{
    static const struct {
        const char *text;
        bool same;
    } cases[] = {{"ab\tc\nd\te\n", true},
                 {"\xEF\xBB\xBF"
                  "ab\tc\r\nd\te",
                  true},
                 {"ab\tc\nd\tf\n", false},
                 {"d\te\nab\tc\n", false},
                 {"a\tbc\nd\te\n", false},
                 {"ab\tc\n", false}};
    open_text(cases[0].text);
    uint64_t hash = pairs->facts.hash;
    lb_pairs_close(pairs);
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        open_text(cases[i].text);
        ck_assert_int_eq(pairs->facts.hash == hash, cases[i].same);
        lb_pairs_close(pairs);
    }
}
END_TEST

static lb_status hold_out(void)
{
    error = (lb_error){0};
    pairs = lb_pairs_open(path(), format, &error);
    lb_pairs *out = pairs ? lb_pairs_hold_out(pairs, 2, &error) : NULL;
    ck_assert(out || error.status);
    if (pairs && !out) ck_assert_int_eq(lb_pairs_count(pairs), 8);
    lb_pairs_close(out);
    lb_pairs_close(pairs);
    return error.status;
}

START_TEST(test_hold_out_failing_allocation_is_an_error_and_leaks_nothing)
{
    static const char text[] = "a\tb\nc\td\ne\tf\ng\th\ni\tj\nk\tl\nm\tn\no\tp\n";
    support_write_file(path(), text, sizeof text - 1);
    support_watch_allocations();
    ck_assert_int_eq(hold_out(), LB_OK);
    long all = support_allocation_count();
    for (long n = 1; n <= all; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(hold_out(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
