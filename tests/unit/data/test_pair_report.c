/* The report on files with everything, and on files with nothing to report. */
#include "data/review/pair_report.h"

#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "lookback/tensor.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lb_error error;
static lb_pairs *train, *dev;
static lb_vocabulary *source, *target;
static char *report;

static const lb_pair_format format = {.source = {.normalize = LB_NORMAL_FORM_NFC}, .skip_bad_lines = true};

/* Removes the folder from file names, so that texts can be compared. */
static lb_pairs *open_text(const char *name, const char *text)
{
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    support_write_file(name, text, strlen(text));
    return lb_pairs_open(name, format, &error);
}

/* Makes the report. NULL: no such file. */
static lb_status make(const char *train_text, const char *dev_text)
{
    error = (lb_error){0};
    train = open_text("train.tsv", train_text);
    dev = train && dev_text ? open_text("dev.tsv", dev_text) : NULL;
    source = lb_vocabulary_new_reserved(&error);
    target = lb_vocabulary_new_reserved(&error);
    report = NULL;
    if (error.status || lb_pairs_tally_symbols(train, source, target, &error)) return error.status;
    report = lb_pair_report(train, dev, source, target, &error);
    return error.status;
}

static void finish(void)
{
    lb_release(report);
    lb_pairs_close(train);
    lb_pairs_close(dev);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
}

static const char faulty_train[] = "\xEF\xBB\xBF"
                                   "cafe\u0301\tA\r\n" /* the same source three times, two targets */
                                   "café\tA\n"
                                   "café\tB\n"
                                   "a\n"
                                   "\xff\tb\n"
                                   "ab\tAB\n" /* not the same as "a", "bAB" */
                                   "a\tbAB\n"
                                   "tea\tA\n"
                                   "tea\tA\n"
                                   "\tA\n";
static const char faulty_dev[] = "café\tC\nteas\tA\ntea\tA\nsus\tA\ncafé\tC\n\x1b\tA\nx\tA\nz\tA\n";

START_TEST(test_report_on_a_test_says_what_it_shares)
{
    ck_assert_int_eq(make(faulty_train, faulty_dev), LB_OK);
    char *test = lb_pair_report_test(train, dev, "known", &error);
    ck_assert_str_eq(test,
                     "test known: 8 pairs, dev.tsv\n"
                     "  3 pairs with a source that is also in train.tsv, 1 of them with the same target\n");
    lb_release(test);
    finish();
}
END_TEST

START_TEST(test_text_says_all_of_it)
{
    ck_assert_int_eq(make(faulty_train, faulty_dev), LB_OK);
    ck_assert_str_eq(
        report,
        "train.tsv: 10 lines, 5 different pairs\n"
        "  3 bad lines skipped: 1 wrong number of columns, 1 empty source or target, 1 not UTF-8\n"
        "    train.tsv:4: found 1 column, expected 2, separated by tabs\n"
        "    train.tsv:5: found 0xFF at byte 1 of the line, expected UTF-8\n"
        "    train.tsv:10: found an empty source, expected text\n"
        "  ignored a byte order mark at the start\n"
        "  ignored the \\r of 1 line ending in \\r\\n\n"
        "  source: 1 to 4 symbols, median 3; 7 different\n"
        "  target: 1 to 3 symbols, median 1; 3 different\n"
        "  2 repeated pairs, 1 source with several targets: at most 85.7 % of the pairs can be right\n"
        "dev.tsv: 8 lines, 7 different pairs\n"
        "  source: 1 to 4 symbols, median 3; 11 different\n"
        "  target: 1 to 1 symbols, median 1; 2 different\n"
        "  1 repeated pair, 0 sources with several targets\n"
        "  3 pairs with a source that is also in train.tsv, 1 of them with the same target\n"
        "  5 source symbols never seen in training, 7 times: \"s\" 3, \"\\u001b\" 1, \"u\" 1, \"x\" 1, "
        "\"z\" 1\n"
        "  1 target symbol never seen in training, 2 times: \"C\" 2\n"
        "  more pairs than in train.tsv, the training file: are dev.tsv and it swapped?\n");
    finish();
}
END_TEST

START_TEST(test_text_of_faultless_files_is_short)
{
    ck_assert_int_eq(make("ab\tc\nb\td\n", "a\td\n"), LB_OK);
    ck_assert_str_eq(report,
                     "train.tsv: 2 lines, 2 pairs\n"
                     "  source: 1 to 2 symbols, median 1; 2 different\n"
                     "  target: 1 to 1 symbols, median 1; 2 different\n"
                     "  0 repeated pairs, 0 sources with several targets\n"
                     "dev.tsv: 1 line, 1 pair\n"
                     "  source: 1 to 1 symbols, median 1; 1 different\n"
                     "  target: 1 to 1 symbols, median 1; 1 different\n"
                     "  0 repeated pairs, 0 sources with several targets\n"
                     "  0 pairs with a source that is also in train.tsv, 0 of them with the same target\n");
    finish();
    ck_assert_int_eq(make("ab\tc\n", NULL), LB_OK);
    ck_assert_str_eq(report, "train.tsv: 1 line, 1 pair\n"
                             "  source: 2 to 2 symbols, median 2; 2 different\n"
                             "  target: 1 to 1 symbols, median 1; 1 different\n"
                             "  0 repeated pairs, 0 sources with several targets\n");
    finish();
}
END_TEST

START_TEST(test_text_of_much_is_cut_short)
{
    ck_assert_int_eq(make("x\ty\n1\n2\n3\n4\n5\n6\n", "abcdefghijklm\ty\n"), LB_OK);
    ck_assert_ptr_nonnull(
        strstr(report, "train.tsv:6: found 1 column, expected 2, separated by tabs\n    ...\n"));
    ck_assert_ptr_nonnull(strstr(report, "13 source symbols never seen in training, 13 times: \"a\" 1"));
    ck_assert_ptr_nonnull(strstr(report, "\"j\" 1, ...; most symbols are such: is this another script?\n"));
    finish();
}
END_TEST

/* 20,000 pairs: the sources 0 to 999 in turn, with 10 targets, counted by hand below. */
START_TEST(test_make_many_pairs_are_compared_with_all_others)
{
    enum { LINES = 20000, SOURCES = 1000, TARGETS = 10 };
    char *text = malloc(LINES * 16), *dev_text = malloc(SOURCES * 16), *to = text;
    for (int i = 0; i < LINES; i++) /* only in the first half, the source determines the target */
        to += sprintf(to, "%d\t%d\n", i % SOURCES, i < LINES / 2 ? i % SOURCES % TARGETS : i / SOURCES % 2);
    to = dev_text;
    for (int i = 0; i < SOURCES; i++) to += sprintf(to, "%d\t%d\n", i + SOURCES / 2, 1);
    ck_assert_int_eq(make(text, dev_text), LB_OK);
    /* Each source gets targets 0 and 1 in addition to its own, which differs for 8 sources in 10. */
    int different = SOURCES * 2 + SOURCES / 10 * 8;
    char expected[256];
    snprintf(expected, sizeof expected, "train.tsv: %d lines, %d different pairs\n", LINES, different);
    ck_assert_ptr_nonnull(strstr(report, expected));
    snprintf(expected, sizeof expected, "  %d repeated pairs, %d sources with several targets",
             LINES - different, SOURCES);
    ck_assert_ptr_nonnull(strstr(report, expected));
    ck_assert_ptr_nonnull(strstr(report, "  0 repeated pairs"));
    snprintf(expected, sizeof expected,
             "  %d pairs with a source that is also in train.tsv, %d of them with the same target\n",
             SOURCES / 2, SOURCES / 2);
    ck_assert_ptr_nonnull(strstr(report, expected));
    ck_assert_ptr_null(strstr(report, "swapped"));
    finish();
    free(text);
    free(dev_text);
}
END_TEST

START_TEST(test_make_file_that_has_changed_is_an_error)
{
    train = open_text("train.tsv", "ab\tc\n");
    dev = open_text("dev.tsv", "a\td\n");
    ck_assert_int_eq(truncate("dev.tsv", 2), 0);
    ck_assert_ptr_null(lb_pair_report(train, dev, source, target, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "dev.tsv: the file has changed since it was opened");
    finish();
}
END_TEST

static lb_status make_text(void)
{
    lb_status status = make("ab\tc\nb\nd\te\n", "a\td\nx\ty\n");
    finish();
    return status;
}

START_TEST(test_report_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    ck_assert_int_eq(make_text(), LB_OK);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 30);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_int_eq(make_text(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
