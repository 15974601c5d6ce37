/* Texts as symbols and back; normal forms against Python's: tests/data/text/make_fixtures.py. */
#include "data/text/symbols.h"

#include "base/alloc.h"
#include "base/format.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>

static lb_error error;
static lb_symbols symbols;

static lb_status split(lb_symbol_rule rule, const char *text)
{
    error = (lb_error){0};
    return lb_symbols_split(&rule, text, strlen(text), &symbols, &error);
}

/* Splits a text and expects these symbols, ending with NULL. */
static void expect(lb_symbol_rule rule, const char *text, const char *const *expected)
{
    ck_assert_msg(split(rule, text) == LB_OK, "%s: %s", text, error.message);
    for (size_t i = 0; i < symbols.count; i++) {
        ck_assert_msg(expected[i] != NULL, "there is \"%s\" too", symbols.symbol[i]);
        ck_assert_str_eq(symbols.symbol[i], expected[i]);
    }
    ck_assert_msg(!expected[symbols.count], "there is no \"%s\"", expected[symbols.count]);
}

#define EXPECT(rule, text, ...) expect(rule, text, (const char *const[]){__VA_ARGS__, NULL})

static void expect_fault(lb_symbol_rule rule, const char *text, const char *message)
{
    ck_assert_int_eq(split(rule, text), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, message);
}

static const lb_symbol_rule characters = {0}, words = {.separator = " "}, bars = {.separator = "||"};

START_TEST(test_split_without_separator_each_character_is_a_symbol)
{
    EXPECT(characters, "aé 日\U0001f600", "a", "é", " ", "日", "\U0001f600");
    EXPECT(characters, "e\u0301", "e", "\u0301");
    EXPECT(((lb_symbol_rule){.separator = ""}), "<eos>", "<", "e", "o", "s", ">");
    ck_assert_int_eq(split(characters, ""), LB_OK);
    ck_assert_uint_eq(symbols.count, 0);
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_features_are_symbols_of_their_own)
{
    const lb_symbol_rule rule = {.features = ";"},
                         of_words = {.separator = " ", .normalize = LB_NORMAL_FORM_NFC, .features = "+"};
    EXPECT(rule, "wV\tV;PST;3", "w", "V", "\tV", "\tPST", "\t3");
    ck_assert_str_eq(lb_symbol_name(symbols.symbol[1]), "V");
    ck_assert_str_eq(lb_symbol_name(symbols.symbol[2]), "V");
    char *joined = lb_symbols_join(&rule, symbols.symbol, symbols.count, &error);
    ck_assert_str_eq(joined, "wV\tV;PST;3");
    lb_release(joined);
    EXPECT(of_words, "a bc\te\u0301+PL", "a", "bc", "\té", "\tPL");
    joined = lb_symbols_join(&of_words, symbols.symbol, symbols.count, &error);
    ck_assert_str_eq(joined, "a bc\té+PL");
    lb_release(joined);
    expect_fault(rule, "walk", "found no features, expected a tab and features such as A;B");
    static const char *const empty[] = {"walk\t", "walk\tV;", "walk\t;V", "walk\tV;;3", "\tV"};
    for (int i = 0; i < 5; i++)
        expect_fault(rule, empty[i], "found an empty symbol, expected text before and after each separator");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_features_brackets_keep_together_what_is_in_them)
{
    const lb_symbol_rule semicolons = {.features = ";"}, commas = {.features = ","},
                         signs = {.features = "(;"};
    EXPECT(semicolons, "w\tN;non{NOM;ACC};PL", "w", "\tN", "\tnon{NOM;ACC}", "\tPL");
    EXPECT(commas, "w\tPSS(1,PL),{A,[B,C]},V", "w", "\tPSS(1,PL)", "\t{A,[B,C]}", "\tV");
    EXPECT(commas, "a(b,c)\tV", "a", "(", "b", ",", "c", ")", "\tV");
    /* without a partner, a bracket is a letter */
    EXPECT(commas, "w\tA(1,PL,V", "w", "\tA(1", "\tPL", "\tV");
    EXPECT(commas, "w\tA),B,(C", "w", "\tA)", "\tB", "\t(C");
    EXPECT(((lb_symbol_rule){.features = ",", .flat_features = true}), "w\tPSS(1,PL)", "w", "\tPSS(1",
           "\tPL)");
    EXPECT(signs, "w\tA(;B),(;C)", "w", "\tA", "\tB),", "\tC)");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_at_separator)
{
    EXPECT(words, "one", "one");
    EXPECT(words, "B AH0 T <eos> é", "B", "AH0", "T", "<eos>", "é");
    EXPECT(bars, "a|b||c d", "a|b", "c d");
    EXPECT(bars, "a|", "a|");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_empty_symbol_is_refused)
{
    static const char *const faulty[] = {"||", "||a", "a||", "a||||b", "||||"};
    for (size_t i = 0; SUPPORT_ROW(i, faulty); i++)
        expect_fault(bars, faulty[i], "found an empty symbol, expected text before and after each separator");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_runs_of_blanks_are_one_separator_and_outer_ones_none)
{
    const lb_symbol_rule wide = {.separator = "  "}, tagged = {.separator = " ", .features = " "};
    EXPECT(words, " a", "a");
    EXPECT(words, "a ", "a");
    EXPECT(words, "  one   two  ", "one", "two");
    EXPECT(wide, "   a b     c ", "a b", "c");
    EXPECT(tagged, " a  b \t V  PST ", "a", "b", "\tV", "\tPST");
    EXPECT(characters, " a", " ", "a");
    EXPECT(bars, " a|| b ", " a", " b ");
    ck_assert_int_eq(split(words, "   "), LB_OK);
    ck_assert_uint_eq(symbols.count, 0);
    expect_fault(tagged, "a\t ", "found an empty symbol, expected text before and after each separator");
    expect_fault(tagged, " \tV", "found an empty symbol, expected text before and after each separator");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_what_is_not_utf8_is_refused_with_its_place)
{
    expect_fault(characters, "\xff", "found 0xFF at byte 1, expected UTF-8");
    expect_fault(words, "aé \xc3(", "found 0xC3 at byte 5, expected UTF-8");
    expect_fault((lb_symbol_rule){.normalize = LB_NORMAL_FORM_NFC}, "ab\xed\xa0\x80",
                 "found 0xED at byte 3, expected UTF-8");
    expect_fault(characters, "a\xe6\x97", "found 0xE6 at byte 2, expected UTF-8");
    error = (lb_error){0};
    ck_assert_int_eq(lb_symbols_split(&characters, "ab\0c", 4, &symbols, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "found a zero byte at byte 3, expected text");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_split_normal_form_decides_what_a_symbol_is)
{
    lb_symbol_rule nfc = {.normalize = LB_NORMAL_FORM_NFC}, nfd = {.normalize = LB_NORMAL_FORM_NFD};
    EXPECT(nfc, "e\u0301x", "é", "x");
    EXPECT(nfd, "éx", "e", "\u0301", "x");
    EXPECT(nfd, "각", "ᄀ", "ᅡ", "ᆨ");
    EXPECT(nfc, "plain", "p", "l", "a", "i", "n");
    EXPECT(((lb_symbol_rule){.separator = " ", .normalize = LB_NORMAL_FORM_NFC}), "e\u0301a \u212b", "éa",
           "Å");
    lb_symbols_free(&symbols);
}
END_TEST

static void check_form(lb_normal_form form, const char *text, const char *normal, const char *composed)
{
    lb_symbol_rule rule = {.normalize = form};
    ck_assert_msg(split(rule, text) == LB_OK, "%s: %s", text, error.message);
    char *found = lb_symbols_join(&characters, symbols.symbol, symbols.count, NULL);
    char *joined = lb_symbols_join(&rule, symbols.symbol, symbols.count, NULL);
    ck_assert_str_eq(found, normal);
    ck_assert_str_eq(joined, composed);
    lb_release(found);
    lb_release(joined);
}

START_TEST(test_split_and_join_normal_forms_are_those_of_python)
{
    size_t length;
    int lines = 0;
    char *file = support_read_file(TEST_DATA "/text/normal.txt", &length), *rest = NULL;
    for (char *line = strtok_r(file, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        char *nfc = strchr(line, '\t') + 1, *nfd = strchr(nfc, '\t') + 1;
        nfc[-1] = nfd[-1] = '\0';
        check_form(LB_NORMAL_FORM_NFC, line, nfc, nfc);
        check_form(LB_NORMAL_FORM_NFD, line, nfd, nfc);
        check_form(LB_NORMAL_FORM_NONE, line, line, line);
    }
    ck_assert_int_eq(lines, 183);
    free(file);
    lb_symbols_free(&symbols);
}
END_TEST

/* Without a limit, sorting them would take minutes. */
START_TEST(test_split_endless_marks_are_refused_in_time)
{
    enum { MARKS = 300000 };
    char *text = malloc(2 * MARKS + 1);
    for (int i = 0; i < MARKS; i++) memcpy(text + 2 * i, i % 2 ? "\u0323" : "\u0301", 2);
    text[2 * MARKS] = '\0';
    ck_assert_int_eq(split(characters, text), LB_OK);
    ck_assert_uint_eq(symbols.count, MARKS);
    char *joined = lb_symbols_join(&(lb_symbol_rule){.normalize = LB_NORMAL_FORM_NFD}, symbols.symbol,
                                   symbols.count, NULL);
    ck_assert_str_eq(joined, text);
    lb_release(joined);
    expect_fault((lb_symbol_rule){.normalize = LB_NORMAL_FORM_NFC}, text,
                 "found more than 255 combining marks in a row, expected letters between them");
    text[(size_t)2 * LB_SYMBOL_MARKS] = '\0';
    ck_assert_int_eq(split((lb_symbol_rule){.normalize = LB_NORMAL_FORM_NFC}, text), LB_OK);
    free(text);
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_join_puts_the_separator_between)
{
    static const char *const three[] = {"a", "e\u0301", "<unk>"};
    static const struct {
        lb_symbol_rule rule;
        size_t count;
        const char *text;
    } cases[] = {{{0}, 3, "ae\u0301<unk>"},
                 {{.separator = " ", .normalize = LB_NORMAL_FORM_NONE}, 3, "a e\u0301 <unk>"},
                 {{.separator = "||", .normalize = LB_NORMAL_FORM_NFD}, 3, "a||é||<unk>"},
                 {{.separator = " ", .normalize = LB_NORMAL_FORM_NFC}, 1, "a"},
                 {{.separator = " ", .normalize = LB_NORMAL_FORM_NFC}, 0, ""}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char *text = lb_symbols_join(&cases[i].rule, three, cases[i].count, NULL);
        ck_assert_str_eq(text, cases[i].text);
        lb_release(text);
    }
}
END_TEST

static void expect_bad_rule(const char *separator, lb_normal_form normalize, const char *message)
{
    lb_symbol_rule rule = {.separator = separator, .normalize = normalize};
    error = (lb_error){0};
    ck_assert_int_eq(lb_symbol_rule_check(&rule, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
}

START_TEST(test_rule_check_separators_that_no_text_can_contain_are_refused)
{
    static const char *const unfit[] = {"\t", "a\n", "\r", "\xff"};
    for (size_t i = 0; SUPPORT_ROW(i, unfit); i++)
        expect_bad_rule(unfit[i], LB_NORMAL_FORM_NONE,
                        "invalid symbol separator, expected UTF-8 without tabs and line ends");
    expect_bad_rule("é", LB_NORMAL_FORM_NFD, "separator \"é\" is not in nfd: no text would contain it");
    expect_bad_rule("e\u0301", LB_NORMAL_FORM_NFC,
                    "separator \"e\u0301\" is not in nfc: no text would contain it");
    ck_assert_int_eq(
        lb_symbol_rule_check(&(lb_symbol_rule){.separator = "é", .normalize = LB_NORMAL_FORM_NFC}, NULL),
        LB_OK);
    ck_assert_int_eq(
        lb_symbol_rule_check(&(lb_symbol_rule){.separator = "é", .normalize = LB_NORMAL_FORM_NONE}, NULL),
        LB_OK);
    ck_assert_int_eq(lb_symbol_rule_check(&characters, NULL), LB_OK);
    expect_bad_rule("é", (lb_normal_form)3, "normalize is 3, expected 0 to 2");
    expect_bad_rule("", (lb_normal_form)-1, "normalize is -1, expected 0 to 2");
}
END_TEST

START_TEST(test_normalization_names_are_found)
{
    for (int i = LB_NORMAL_FORM_NONE; i <= LB_NORMAL_FORM_NFD; i++)
        ck_assert_int_eq(lb_choice_find(lb_normal_form_names, lb_normal_form_names[i]), i);
    ck_assert_int_eq(lb_choice_find(lb_normal_form_names, "NFKC"), -1);
}
END_TEST

/* Splits a text and joins it until memory runs out. */
static lb_status there_and_back(void)
{
    lb_symbol_rule rule = {.separator = " ", .normalize = LB_NORMAL_FORM_NFD};
    error = (lb_error){0};
    lb_status status = lb_symbol_rule_check(&rule, &error);
    if (!status) status = split(rule, "각 ΐ é");
    char *text = status ? NULL : lb_symbols_join(&rule, symbols.symbol, symbols.count, &error);
    if (text) ck_assert_str_eq(text, "각 ΐ é");
    lb_release(text);
    lb_symbols_free(&symbols);
    return error.status;
}

#define FLAG_DE "\U0001f1e9\U0001f1ea"
#define FLAG_FR "\U0001f1eb\U0001f1f7"
#define FAMILY  "\U0001f468\u200d\U0001f469\u200d\U0001f467"
#define HEART   "\u2764\ufe0f"

START_TEST(test_split_graphemes_are_what_people_take_for_a_character)
{
    const lb_symbol_rule rule = {.graphemes = true},
                         composed = {.graphemes = true, .normalize = LB_NORMAL_FORM_NFC},
                         decomposed = {.graphemes = true, .normalize = LB_NORMAL_FORM_NFD};
    EXPECT(rule, FLAG_DE FLAG_FR "a", FLAG_DE, FLAG_FR, "a");
    EXPECT(rule, FAMILY HEART " x", FAMILY, HEART, " ", "x");
    EXPECT(rule, "e\u0301e", "e\u0301", "e");
    EXPECT(composed, "e\u0301e", "\u00e9", "e");
    EXPECT(decomposed, "\u00e9e\ud55c", "e\u0301", "e", "\u1112\u1161\u11ab");
    char *text = lb_symbols_join(&decomposed, symbols.symbol, symbols.count, &error);
    ck_assert_str_eq(text, "\u00e9e\ud55c");
    lb_release(text);
    EXPECT(((lb_symbol_rule){.graphemes = true, .separator = " "}), "ab " FLAG_DE, "ab", FLAG_DE);
    EXPECT(((lb_symbol_rule){.graphemes = true, .features = ";"}), FLAG_DE "a\tX;Y", FLAG_DE, "a", "\tX",
           "\tY");
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_show_prints_the_numbers_of_what_cannot_be_seen)
{
    static const char *const cases[][2] = {{"a", "a"},
                                           {"\u00a0", "U+00A0"},
                                           {"\u200d", "U+200D"},
                                           {"\u2028", "U+2028"},
                                           {"\ufe0f", "U+FE0F"},
                                           {"a\u200b", "aU+200B"},
                                           {HEART, HEART},
                                           {FAMILY, FAMILY},
                                           {FLAG_DE, FLAG_DE},
                                           {"1\ufe0f\u20e3", "1\ufe0f\u20e3"},
                                           {"\u203c\ufe0f", "\u203c\ufe0f"},
                                           {"1\ufe0f", "1U+FE0F"},
                                           {"\tPL", "PL"},
                                           {" ", " "},
                                           {"\u0301", "U+0301"},
                                           {"\u0308\u0301a\u0301", "U+0308U+0301a\u0301"},
                                           {"\u20dd", "U+20DD"},
                                           {"\u093e", "\u093e"},
                                           {"\u3000", "U+3000"},
                                           {"\x1b", "\x1b"},
                                           {"\xc2\x85", "U+0085"},
                                           {"\U000e0100", "U+E0100"}};
    char shown[LB_SYMBOL_SHOWN], longest[4 * LB_SYMBOL_SHOWN] = "";
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++)
        ck_assert_str_eq(lb_symbol_show(cases[i][0], shown), cases[i][1]);
    for (int i = 0; i < LB_SYMBOL_SHOWN; i++) strcat(longest, "\u00a0");
    ck_assert_uint_lt(strlen(lb_symbol_show(longest, shown)), LB_SYMBOL_SHOWN);
}
END_TEST

START_TEST(test_split_and_join_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    ck_assert_int_eq(there_and_back(), LB_OK);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 5);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_int_eq(there_and_back(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
