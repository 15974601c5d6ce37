/* The identity of a run: how two descriptions differ, and the message that says so. */
#include "io/run_differences.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static lb_run_differences differences_of(const char *found, const char *ours)
{
    lb_run_differences d;
    lb_error error = {0};
    ck_assert_msg(lb_run_compare(found, ours, &d, &error) == LB_OK, "%s", error.message);
    return d;
}

static void expect_difference(const lb_run_differences *d, int at, const char *name, const char *found,
                              const char *ours)
{
    ck_assert_int_lt(at, d->count);
    ck_assert_str_eq(d->list[at].name, name);
    ck_assert_str_eq(d->list[at].found, found);
    ck_assert_str_eq(d->list[at].ours, ours);
}

START_TEST(test_compare_lists_what_differs_in_our_order_and_then_what_only_the_other_has)
{
    lb_run_differences d = differences_of("{\"a\":1,\"gone\":true,\"b\":2,\"same\":0}",
                                          "{\"b\":3,\"new\":\"x\",\"same\":0,\"a\":1.5}");
    ck_assert_int_eq(d.count, 4);
    expect_difference(&d, 0, "b", "2", "3");
    expect_difference(&d, 1, "new", "", "x");
    expect_difference(&d, 2, "a", "1", "1.5");
    expect_difference(&d, 3, "gone", "true", "");
}
END_TEST

START_TEST(test_compare_writes_values_as_people_do)
{
    lb_run_differences d = differences_of(
        "{\"whole\":-3,\"part\":0.0009765625,\"exact\":9007199254740991,\"large\":9007199254740992,"
        "\"empty\":\"\",\"blanks\":\"a b\",\"tab\":\"a\\tb\",\"no\":false,\"list\":[1]}",
        "{\"whole\":0,\"part\":0,\"exact\":0,\"large\":0,\"empty\":0,\"blanks\":0,\"tab\":0,\"no\":0,"
        "\"list\":0}");
    ck_assert_int_eq(d.count, 9);
    expect_difference(&d, 0, "whole", "-3", "0");
    expect_difference(&d, 1, "part", "0.0009765625", "0");
    expect_difference(&d, 2, "exact", "9007199254740991", "0");
    expect_difference(&d, 3, "large", "9007199254740992", "0");
    expect_difference(&d, 4, "empty", "''", "0");
    expect_difference(&d, 5, "blanks", "'a b'", "0");
    expect_difference(&d, 6, "tab", "'a\tb'", "0");
    expect_difference(&d, 7, "no", "false", "0");
    expect_difference(&d, 8, "list", "", "0");
}
END_TEST

/* Their texts are cut, for messages: those of two values can be equal. */
START_TEST(test_compare_tells_values_apart_whose_texts_begin_alike)
{
    char found[256], ours[256], same[LB_RUN_WORD];
    lb_run_differences d = differences_of("{\"a\":0.90000004,\"b\":0.5,\"c\":[1],\"d\":null}",
                                          "{\"a\":0.90000001,\"b\":0.50000000000000011,\"c\":[1]}");
    ck_assert_int_eq(d.count, 2);
    expect_difference(&d, 0, "a", "0.90000004", "0.90000001");
    expect_difference(&d, 1, "b", "0.5", "0.5000000000000001");
    d = differences_of("{\"whole\":9007199254740991,\"list\":[1]}",
                       "{\"whole\":9007199254740990,\"list\":[2]}");
    ck_assert_int_eq(d.count, 2);
    expect_difference(&d, 0, "whole", "9007199254740991", "9007199254740990");
    snprintf(found, sizeof found, "{\"long\":\"%0100d\"}", 1);
    snprintf(ours, sizeof ours, "{\"long\":\"%0100d\"}", 2);
    snprintf(same, sizeof same, "%0*d", LB_RUN_WORD - 1, 0);
    d = differences_of(found, ours);
    ck_assert_int_eq(d.count, 1);
    expect_difference(&d, 0, "long", same, same);
}
END_TEST

START_TEST(test_compare_looks_into_objects_and_leaves_out_steps)
{
    lb_run_differences d =
        differences_of("{\"model\":{\"hidden\":8,\"kind\":\"a\"},\"steps\":5,\"gone\":{\"heads\":2}}",
                       "{\"model\":{\"hidden\":9,\"kind\":\"a\"},\"steps\":7,\"deep\":{\"er\":{\"x\":1}}}");
    ck_assert_int_eq(d.count, 3);
    expect_difference(&d, 0, "hidden", "8", "9");
    expect_difference(&d, 1, "x", "", "1");
    expect_difference(&d, 2, "heads", "2", "");
    /* An object here, a number there: the members of the object. */
    d = differences_of("{\"a\":1}", "{\"a\":{\"b\":2}}");
    expect_difference(&d, 0, "b", "", "2");
    /* A name counts once. */
    d = differences_of("{\"a\":{\"x\":1},\"b\":{\"x\":2}}", "{\"a\":{\"x\":3},\"b\":{\"x\":4}}");
    ck_assert_int_eq(d.count, 1);
    expect_difference(&d, 0, "x", "1", "3");
}
END_TEST

START_TEST(test_compare_of_many_keeps_the_first)
{
    lb_buffer found = {0}, ours = {0};
    for (int i = 0; i < LB_RUN_DIFFERENCES + 5; i++) {
        lb_buffer_print(&found, "%s\"n%d\":1", i ? "," : "{", i);
        lb_buffer_print(&ours, "%s\"n%d\":2", i ? "," : "{", i);
    }
    lb_buffer_print(&found, "}");
    lb_buffer_print(&ours, "}");
    lb_run_differences d = differences_of(found.text, ours.text);
    ck_assert_int_eq(d.count, LB_RUN_DIFFERENCES);
    expect_difference(&d, LB_RUN_DIFFERENCES - 1, "n31", "1", "2");
    lb_release(found.text);
    lb_release(ours.text);
}
END_TEST

START_TEST(test_compare_of_other_texts_is_an_error_unless_they_are_equal)
{
    lb_run_differences d;
    lb_error error = {0};
    ck_assert_int_eq(lb_run_compare("words", "words", &d, NULL), LB_OK);
    ck_assert_int_eq(d.count, 0);
    ck_assert_int_eq(lb_run_compare("words", "{\"a\":1}", &d, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "found the run \"words\", expected \"{\"a\":1}\"");
    ck_assert_int_eq(lb_run_compare("{\"a\":1}", "[1]", &d, NULL), LB_ERROR_FORMAT);
}
END_TEST

START_TEST(test_compare_and_refuse_without_memory_say_so)
{
    const char *found = "{\"a\":{\"b\":1},\"c\":\"x\"}", *ours = "{\"a\":{\"b\":2},\"c\":\"y\"}";
    lb_run_differences d;
    support_watch_allocations();
    ck_assert_int_eq(lb_run_compare(found, ours, &d, NULL), LB_OK);
    long all = support_allocation_count();
    for (long n = 1; n <= all; n++) {
        lb_error error = {0};
        support_fail_allocation(n);
        ck_assert_int_eq(lb_run_compare(found, ours, &d, &error), LB_ERROR_MEMORY);
        ck_assert_str_eq(error.message, "out of memory");
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    support_fail_allocation(0);
    ck_assert_int_eq(lb_run_compare(found, ours, &d, NULL), LB_OK);
    support_fail_allocation(1);
    ck_assert_int_eq(lb_run_refuse(&(lb_run_words){0}, "", &d, NULL), LB_ERROR_MEMORY);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_forget_removes_a_name_and_says_whether_it_was_there)
{
    lb_run_differences d = differences_of("{\"a\":1,\"b\":1,\"c\":1}", "{\"a\":2,\"b\":2,\"c\":2}");
    ck_assert(!lb_run_forget(&d, "d"));
    ck_assert_int_eq(d.count, 3);
    ck_assert(lb_run_forget(&d, "b"));
    ck_assert_int_eq(d.count, 2);
    expect_difference(&d, 0, "a", "1", "2");
    expect_difference(&d, 1, "c", "1", "2");
    ck_assert(!lb_run_forget(&d, "b"));
    ck_assert(lb_run_forget(&d, "c"));
    ck_assert_int_eq(d.count, 1);
    ck_assert_ptr_eq(lb_run_find(&d, "a"), &d.list[0]);
    ck_assert_ptr_null(lb_run_find(&d, "c"));
}
END_TEST

/* The words of a program for a setting, which fill the room for them. */
static void in_words(void *context, const char *name, const char *value, char *text, size_t size)
{
    ck_assert_uint_eq(size, (size_t)2 * LB_RUN_WORD);
    snprintf(text, size, "%s%s=%s", (const char *)context, name, value);
}

START_TEST(test_refuse_lists_the_settings_of_both_runs)
{
    const lb_run_words plain = {0}, words = {.setting = in_words, .context = "--"};
    lb_run_differences d = differences_of("{\"a\":1,\"b\":1}", "{\"a\":2,\"b\":2,\"c\":2}");
    lb_error error = {0};
    ck_assert_int_eq(lb_run_refuse(&plain, "", &d, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message,
                     "it was trained with a 1, b 1 and c unset, this run has a 2, b 2 and c 2");
    error = (lb_error){0};
    ck_assert_int_eq(lb_run_refuse(&words, "other pairs", &d, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "other pairs; it was trained with --a=1, --b=1 and --c=, this run has "
                                    "--a=2, --b=2 and --c=2");
    d.count = 0;
    error = (lb_error){0};
    ck_assert_int_eq(lb_run_refuse(&plain, "other pairs", &d, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "other pairs");
    ck_assert_int_eq(lb_run_refuse(&plain, "", &d, NULL), LB_OK);
}
END_TEST
