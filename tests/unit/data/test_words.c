/* Lower case and words, compared with Python: tests/data/text/make_fixtures.py. It takes seconds. */
#include "reviews/reviews.h"

#include "data/text/symbols.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA  TEST_DATA "/text/"
#define SIGMA "\xce\xa3"

enum { CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, CHARACTERS = 0x110000, LONGEST = 512 };

/* Writes a character in UTF-8. Returns its number of bytes. */
static size_t write_character(int32_t character, char *text)
{
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t count = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = count - 1; i > 0; i--, character >>= 6) text[i] = (char)(0x80 | (character & 0x3F));
    text[0] = (char)(first[count] | character);
    return count;
}

/* The lower case of a text as a string. */
static char *lower(const char *text)
{
    static char result[LB_LOWER_CASE_ROOM(LONGEST) + 1];
    size_t length = strlen(text);
    ck_assert_uint_le(length, LONGEST);
    result[lb_lower_case(text, length, result)] = '\0';
    return result;
}

/* What follows the end of the text does not count. */
START_TEST(test_lower_case_of_sigma_at_the_end_of_a_text_in_another_is_final)
{
    char result[LB_LOWER_CASE_ROOM(4) + 1];
    result[lb_lower_case("\u0391\u03a3\u0391", 4, result)] = '\0';
    ck_assert_str_eq(result, "\u03b1\u03c2");
}
END_TEST

/* Fills `expected` with the lower case of each character, in UTF-8. */
static void read_lower_case(char (*expected)[12])
{
    size_t length;
    char *file = support_read_file(DATA "lower.txt", &length), *rest = NULL;
    for (int32_t c = 0; c < CHARACTERS; c++) expected[c][write_character(c, expected[c])] = '\0';
    for (char *line = strtok_r(file, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *to = expected[strtol(line, &line, 16)];
        while (*line) to += write_character((int32_t)strtol(line, &line, 16), to);
        *to = '\0';
    }
    free(file);
}

/* Calls `check` for each character of Unicode with its kind. Returns their number. */
static int each_character(void (*check)(const char *character, int32_t number, const char *kind))
{
    size_t length;
    int count = 0;
    char *file = support_read_file(DATA "characters.txt", &length), *rest = NULL;
    for (char *line = strtok_r(file, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int32_t first = (int32_t)strtol(line, &line, 16), last = (int32_t)strtol(line, &line, 16);
        for (int32_t c = first; c <= last; c++, count++) {
            char text[8] = "";
            write_character(c, text);
            check(text, c, line + 1);
        }
    }
    free(file);
    return count;
}

static char (*expected_lower)[12];

static void check_lower(const char *character, int32_t number, const char *kind)
{
    (void)kind;
    if (number == 0) return; /* ends a string */
    SUPPORT_CHECK(strcmp(lower(character), expected_lower[number]) == 0, "U+%04X becomes %s, not %s",
                  (unsigned)number, lower(character), expected_lower[number]);
}

START_TEST(test_lower_case_of_every_character_is_that_of_python)
{
    expected_lower = calloc(CHARACTERS, sizeof *expected_lower);
    ck_assert_ptr_nonnull(expected_lower);
    read_lower_case(expected_lower);
    ck_assert_str_eq(expected_lower['Q'], "q");
    ck_assert_int_gt(each_character(check_lower), 280000);
    free(expected_lower);
}
END_TEST

/* Whether the capital sigma in the text becomes a final sigma in lower case. */
static bool makes_final(const char *before, const char *character, const char *behind)
{
    char text[32], final[8] = "";
    snprintf(text, sizeof text, "%s%s%s", before, character, behind);
    write_character(FINAL_SIGMA, final);
    return strstr(lower(text), final) != NULL;
}

static void check_beside_sigma(const char *character, int32_t number, const char *kind)
{
    if (number == 0 || number == CAPITAL_SIGMA || number == FINAL_SIGMA) return;
    bool cased = strcmp(kind, "cased") == 0, ignored = strcmp(kind, "ignored") == 0;
    SUPPORT_CHECK(makes_final("", character, SIGMA) == cased, "U+%04X before a sigma", (unsigned)number);
    SUPPORT_CHECK(makes_final("A", character, SIGMA) == (cased || ignored),
                  "U+%04X between a letter and a sigma", (unsigned)number);
    SUPPORT_CHECK(makes_final("A" SIGMA, character, "") == !cased, "U+%04X behind a sigma", (unsigned)number);
    SUPPORT_CHECK(makes_final("A" SIGMA, character, "B") == !(cased || ignored),
                  "U+%04X between a sigma and a letter", (unsigned)number);
}

START_TEST(test_lower_case_of_sigma_beside_every_character_is_that_of_python)
{
    ck_assert_int_gt(each_character(check_beside_sigma), 280000);
}
END_TEST

static void check_white_space(const char *character, int32_t number, const char *kind)
{
    char text[16];
    review_words words;
    bool space = strcmp(kind, "space") == 0;
    if (number == 0) return;
    snprintf(text, sizeof text, "a%sb", character);
    SUPPORT_CHECK(reviews_words(text, &words, NULL) == LB_OK, "U+%04X", (unsigned)number);
    SUPPORT_CHECK(words.count == (space ? 2 : 1), "U+%04X makes %zu words", (unsigned)number, words.count);
    SUPPORT_CHECK(lb_words_none(character) == space, "U+%04X is a word of its own", (unsigned)number);
    reviews_words_free(&words);
}

START_TEST(test_split_takes_for_white_space_what_python_does)
{
    ck_assert_int_gt(each_character(check_white_space), 280000);
}
END_TEST

/* Undoes \uXXXX and \UXXXXXXXX in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        char digits[9] = "";
        size_t count = from[0] != '\\' ? 0 : from[1] == 'u' ? 4 : 8;
        if (count == 0) {
            *to++ = *from++;
            continue;
        }
        memcpy(digits, from + 2, count);
        to += write_character((int32_t)strtol(digits, NULL, 16), to);
        from += 2 + count;
    }
    *to = '\0';
}

/* Cuts off the text before `end`, or all of it; `text` is NULL after the last one. */
static char *next_field(char **text, char end)
{
    char *field = *text, *found = field ? strchr(field, end) : NULL;
    *text = found ? found + 1 : NULL;
    if (found) *found = '\0';
    return field;
}

/* One line of texts.txt: a text, and after each bar one of its words. */
static void check_line(char *line)
{
    review_words words;
    char *text = next_field(&line, '|');
    unescape(text);
    ck_assert_int_eq(reviews_words(text, &words, NULL), LB_OK);
    for (size_t i = 0; i < words.count; i++) {
        char *word = next_field(&line, '|');
        ck_assert_msg(word != NULL, "\"%s\" has %zu words", text, words.count);
        unescape(word);
        ck_assert_str_eq(words.word[i], word);
    }
    ck_assert_msg(line == NULL, "\"%s\" has %zu words", text, words.count);
    ck_assert(lb_words_none(text) == (words.count == 0));
    reviews_words_free(&words);
}

START_TEST(test_split_tricky_texts_gives_the_words_of_python)
{
    size_t length;
    int count = 0;
    char *file = support_read_file(DATA "texts.txt", &length), *rest = file;
    for (char *line; (line = next_field(&rest, '\n')) != NULL && rest; count++) check_line(line);
    ck_assert_int_eq(count, 20);
    free(file);
}
END_TEST

START_TEST(test_split_every_letter_may_take_more_bytes)
{
    enum { LETTERS = 999 };
    char text[2 * LETTERS + 1] = "";
    review_words words;
    for (int i = 0; i < LETTERS; i++) memcpy(text + 2 * i, "\xC8\xBA", 3); /* U+023A */
    ck_assert_int_eq(reviews_words(text, &words, NULL), LB_OK);
    ck_assert_uint_eq(words.count, 1);
    ck_assert_uint_eq(strlen(words.word[0]), 3 * LETTERS);
    reviews_words_free(&words);
}
END_TEST

START_TEST(test_split_what_is_not_utf8_is_refused)
{
    static const char *const bad[] = {"caf\xe9", "\xff", "a \xed\xa0\x80", "\xc3"};
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        review_words words;
        lb_error error = {0};
        ck_assert_int_eq(reviews_words(bad[i], &words, &error), LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, "expected text in UTF-8");
        ck_assert_uint_eq(words.count, 0);
        reviews_words_free(&words);
    }
}
END_TEST

START_TEST(test_split_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    for (long n = 1; n <= 2; n++) {
        review_words words;
        lb_error error = {0};
        support_fail_allocation(n);
        ck_assert_int_eq(reviews_words("one two", &words, &error), LB_ERROR_MEMORY);
        ck_assert_uint_eq(words.count, 0);
        reviews_words_free(&words);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    review_words words;
    ck_assert_int_eq(reviews_words("one two", &words, NULL), LB_OK);
    reviews_words_free(&words);
    ck_assert(!words.word && words.count == 0);
    reviews_words_free(&words);
}
END_TEST
