/* Sources made up from the beginning of one and the end of another. */
#include "data/text/symbols.h"

#include "support/alloc.h"
#include "support/suite.h"

#include <stdbool.h>
#include <string.h>

static lb_error error;

static const lb_symbol_rule letters = {.normalize = LB_NORMAL_FORM_NFD};

static lb_strings given_texts(char **text, size_t count)
{
    return (lb_strings){.count = count, .capacity = count, .text = text};
}

#define GIVEN(...) given_texts((char *[]){__VA_ARGS__}, sizeof(char *[]){__VA_ARGS__} / sizeof(char *))

static bool is_among(const lb_strings *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->text[i], text) == 0) return true;
    return false;
}

/* Makes up all that there is. */
static lb_strings make(const lb_symbol_rule *rule, lb_strings given, size_t wanted, uint64_t seed)
{
    lb_strings made;
    error = (lb_error){0};
    ck_assert_msg(!lb_cross_sources(rule, &given, wanted, seed, &made, &error), "%s", error.message);
    for (size_t i = 0; i < made.count; i++) ck_assert(!is_among(&given, made.text[i]));
    return made;
}

/* All that there is to make up. */
static void expect_both(const lb_symbol_rule *rule, lb_strings given, const char *one, const char *other)
{
    lb_strings made = make(rule, given, 100, 1);
    ck_assert_uint_eq(made.count, 2);
    ck_assert(is_among(&made, one) && is_among(&made, other));
    lb_strings_free(&made);
}

START_TEST(test_crossed_sources_have_both_ways_round)
{
    expect_both(&letters, GIVEN("nation", "actif"), "natif", "action");
}
END_TEST

START_TEST(test_crossed_sources_are_composed_and_letters_with_accents_are_crossed_between)
{
    expect_both(&letters, GIVEN("b\u00e9ta", "d\u00e9fi"), "b\u00e9fi", "d\u00e9ta");
}
END_TEST

START_TEST(test_crossed_sources_have_the_features_of_the_end)
{
    const lb_symbol_rule rule = {.normalize = LB_NORMAL_FORM_NFD, .features = ";"};
    expect_both(&rule, GIVEN("walken\tV;PST", "balkony\tN"), "walkony\tN", "balken\tV;PST");
}
END_TEST

START_TEST(test_crossed_sources_are_as_many_as_wanted_and_depend_on_the_seed_alone)
{
    const lb_symbol_rule rule = {.separator = " "};
    lb_strings given = GIVEN("a b c d e f", "g a b h c d i", "c d g a b k", "e f g a c d"), made[3];
    for (int i = 0; i < 3; i++) made[i] = make(&rule, given, 8, i < 2 ? 1 : 2);
    int same = 0;
    for (size_t i = 0; i < 8; i++) {
        ck_assert_str_eq(made[0].text[i], made[1].text[i]);
        same += strcmp(made[0].text[i], made[2].text[i]) == 0;
        for (size_t k = 0; k < i; k++) ck_assert_str_ne(made[0].text[i], made[0].text[k]);
    }
    ck_assert_int_lt(same, 8);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(made[i].count, 8);
        lb_strings_free(&made[i]);
    }
}
END_TEST

START_TEST(test_crossed_sources_of_short_ones_are_none)
{
    lb_strings made = make(&letters, GIVEN("a", "ab", "ba"), 5, 1);
    ck_assert_uint_eq(made.count, 0);
    lb_strings_free(&made);
    made = make(&letters, (lb_strings){0}, 5, 1);
    ck_assert_uint_eq(made.count, 0);
    lb_strings_free(&made);
}
END_TEST

START_TEST(test_crossed_sources_of_a_text_that_the_rule_refuses_are_an_error)
{
    lb_strings given = GIVEN("abc", "a\xff"), made;
    error = (lb_error){0};
    ck_assert_int_eq(lb_cross_sources(&letters, &given, 5, 1, &made, &error), LB_ERROR_FORMAT);
    lb_strings_free(&made);
}
END_TEST

START_TEST(test_crossed_sources_failing_allocation_is_an_error_and_leaks_nothing)
{
    lb_strings given = GIVEN("nation", "actif"), made;
    support_watch_allocations();
    made = make(&letters, given, 2, 1);
    lb_strings_free(&made);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 10);
    for (long n = 1; n <= all; n++) {
        error = (lb_error){0};
        support_fail_from_allocation(n);
        ck_assert_int_eq(lb_cross_sources(&letters, &given, 2, 1, &made, &error), LB_ERROR_MEMORY);
        support_fail_from_allocation(0);
        lb_strings_free(&made);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
