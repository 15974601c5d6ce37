#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "support/alloc.h"
#include "support/suite.h"

START_TEST(test_string_specials_are_escaped)
{
    lb_buffer json = {0};
    lb_buffer_json_string(&json, "a\"\\\b\f\n\r\t\x01\x1f/\x7f\xe2\x82\xac");
    ck_assert_str_eq(json.text, "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\x7f\xe2\x82\xac\"");
    ck_assert_uint_eq(json.length, strlen(json.text));
    ck_assert(!json.failed);
    lb_release(json.text);
}
END_TEST

/* What a shell makes of a word; to be compared with the word. */
static void assert_shell_reads(const char *word)
{
    lb_buffer command = {0};
    char read[512];
    lb_buffer_print(&command, "printf %%s ");
    lb_buffer_shell_word(&command, word);
    lb_buffer_print(&command, " \"|\"");
    FILE *shell = popen(command.text, "r"); /* NOLINT(cert-env33-c): the shell is what is tested */
    ck_assert_ptr_nonnull(shell);
    size_t count = fread(read, 1, sizeof read - 1, shell);
    read[count] = '\0';
    ck_assert_int_eq(pclose(shell), 0);
    ck_assert_uint_eq(count, strlen(word) + 1);
    ck_assert_mem_eq(read, word, count - 1);
    ck_assert_int_eq(read[count - 1], '|');
    lb_release(command.text);
}

START_TEST(test_shell_reads_a_word_as_it_is)
{
    static const char *const ends[] = {
        "",   "'", "''", "a'b", "'; echo x; '", "$(echo x)", "`echo x`", "a\nb", "\\",    "\\'",
        "#x", "~", "-x", "*",   "a b",          "${HOME}",   "x&&y",     "<a>b", "\"'\"", "!!"};
    char all[256], one[2] = "";
    for (int byte = 1; byte < 256; byte++) all[byte - 1] = (char)byte;
    all[255] = '\0';
    assert_shell_reads(all);
    for (size_t i = 0; SUPPORT_ROW(i, ends); i++) assert_shell_reads(ends[i]);
    for (int c = ' '; c <= '~'; c++) {
        *one = (char)c;
        assert_shell_reads(one);
    }
}
END_TEST

START_TEST(test_shell_word_has_quotes_only_if_it_needs_them)
{
    lb_buffer words = {0};
    lb_buffer_shell_word(&words, "out/a-b_c.tsv:1,2=@%+");
    lb_buffer_print(&words, " ");
    lb_buffer_shell_word(&words, "it's");
    ck_assert_str_eq(words.text, "out/a-b_c.tsv:1,2=@%+ 'it'\\''s'");
    lb_release(words.text);
}
END_TEST

START_TEST(test_cell_ends_neither_itself_nor_its_row)
{
    lb_buffer cell = {0};
    lb_buffer_cell(&cell, "\ta\r\nb \"c\",\xe2\x82\xac\\t\t");
    ck_assert_str_eq(cell.text, "\uFFFDa\uFFFD\uFFFDb \"c\",\xe2\x82\xac\\t\uFFFD");
    cell.length = 0;
    lb_buffer_cell(&cell, "");
    ck_assert_str_eq(cell.text, "");
    lb_release(cell.text);
}
END_TEST

START_TEST(test_csv_cell_is_quoted_where_it_must)
{
    static const struct {
        const char *text, *cell;
    } cases[] = {
        {"", ""},         {"a b", "a b"},       {"a,b", "\"a,b\""}, {"\"", "\"\"\"\""},
        {" a", "\" a\""}, {"a\nb", "\"a\nb\""}, {"a ", "\"a \""},   {"a\tb;\xc3\xa9", "a\tb;\xc3\xa9"}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_buffer cell = {0};
        lb_buffer_print(&cell, "%s", "");
        lb_buffer_csv_cell(&cell, cases[i].text, strlen(cases[i].text));
        ck_assert_str_eq(cell.text, cases[i].cell);
        lb_release(cell.text);
    }
}
END_TEST

START_TEST(test_print_many_pieces_join_to_one_text)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "[");
    for (int i = 0; i < 1000; i++) {
        lb_buffer_print(&json, "%s", i ? "," : "");
        lb_buffer_json_string(&json, "x");
    }
    lb_buffer_print(&json, "%d]", 7);
    ck_assert_uint_eq(json.length, 1 + 1000 * 3 + 999 + 2);
    ck_assert_uint_eq(strlen(json.text), json.length);
    ck_assert_str_eq(json.text + json.length - 9, "\"x\",\"x\"7]");
    char *text = lb_buffer_end(&json);
    ck_assert_ptr_eq(text, json.text);
    lb_release(text);
}
END_TEST

START_TEST(test_print_failing_allocation_sticks_and_leaks_nothing)
{
    support_watch_allocations();
    lb_buffer json = {0};
    lb_buffer_print(&json, "kept");
    support_fail_allocation(1);
    lb_buffer_print(&json, "%1000d", 7);
    ck_assert(json.failed);
    lb_buffer_print(&json, "!");
    lb_buffer_json_string(&json, "!");
    ck_assert_str_eq(json.text, "kept");
    ck_assert_ptr_null(lb_buffer_end(&json));
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_json_commas_are_between_values)
{
    static const char *const words[] = {"{", "b\n"};
    lb_buffer json = {0};
    for (int line = 0; line < 2; line++) {
        lb_json_open(&json, NULL, "{");
        lb_json_whole(&json, "a", INT64_MIN);
        lb_json_strings(&json, "words", words, 2);
        lb_json_open(&json, "list", "[");
        for (int i = 0; i < 2; i++) lb_json_number(&json, NULL, i / 0.3, 3);
        lb_buffer_print(&json, "]");
        lb_json_bool(&json, "\"no\"", false);
        lb_json_string(&json, "none", NULL);
        lb_json_open(&json, "empty", "[");
        lb_buffer_print(&json, "]}\n");
    }
    const char *expected =
        "{\"a\":-9223372036854775808,\"words\":[\"{\",\"b\\n\"],\"list\":[0,3.33],\"\\\"no\\\"\":false,"
        "\"none\":null,\"empty\":[]}\n";
    ck_assert_uint_eq(json.length, 2 * strlen(expected));
    ck_assert_str_eq(json.text + strlen(expected), expected);
    ck_assert(strncmp(json.text, expected, strlen(expected)) == 0);
    lb_release(json.text);
}
END_TEST

START_TEST(test_print_of_what_cannot_be_printed_fails)
{
    static const wchar_t beyond_ascii[] = {0xE9, 0}; /* in the locale C */
    lb_buffer text = {0};
    lb_buffer_print(&text, "kept");
    lb_buffer_print(&text, "%ls", beyond_ascii);
    ck_assert(text.failed);
    ck_assert_str_eq(text.text, "kept");
    lb_release(text.text);
}
END_TEST

START_TEST(test_utf8_valid_accepts_what_the_standard_does)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "\xe2\x82\xac!"};
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xc2!",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xe2\x82!",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf0\x90\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "a\xfe"};
    for (size_t i = 0; SUPPORT_ROW(i, good); i++)
        ck_assert_msg(lb_utf8_valid(good[i], strlen(good[i])), "good %zu", i);
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++)
        ck_assert_msg(!lb_utf8_valid(bad[i], strlen(bad[i])), "bad %zu", i);
}
END_TEST

START_TEST(test_utf8_prefix_ends_before_the_first_fault)
{
    ck_assert_uint_eq(lb_utf8_prefix("", 0), 0);
    ck_assert_uint_eq(lb_utf8_prefix("a\xc2\x80z", 4), 4);
    ck_assert_uint_eq(lb_utf8_prefix("a\xc2\x80z", 2), 1);
    ck_assert_uint_eq(lb_utf8_prefix("ab\xe2\x82!\xff", 6), 2);
    ck_assert_uint_eq(lb_utf8_prefix("\xff", 1), 0);
}
END_TEST

START_TEST(test_strings_split_has_each_part_and_empty_ones)
{
    static const struct {
        const char *list, *parts[4];
    } cases[] = {{"", {""}}, {"a", {"a"}}, {"a,,bc", {"a", "", "bc"}}, {"none,", {"none", ""}}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_strings parts = {0};
        ck_assert_int_eq(lb_strings_split(&parts, cases[i].list, NULL), LB_OK);
        size_t count = 0;
        for (; cases[i].parts[count]; count++) ck_assert_str_eq(parts.text[count], cases[i].parts[count]);
        ck_assert_uint_eq(parts.count, count);
        lb_strings_free(&parts);
    }
}
END_TEST
