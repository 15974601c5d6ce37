/* A line that is not of the format: others decide what that is, and the message names this line. It takes seconds. */
#include "data/pairs/pairs.h"

#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LINES = 400, ROOM = 1 << 16, PLACES = 3 };

/* An example of each format: its name, whether its first line has the names of the columns, and what is read. */
static const struct {
    const char *file, *kind;
    bool header;
    lb_pair_format format;
} files[] = {
    {"words.jsonl", "jsonl", false, {0}},
    {"words.csv", "csv", true, {0}},
    {"plain.csv", "csv:;", false, {0}},
    {"words.dict", "cmudict", false, {0}},
    {"words.lexiconp", "lexiconp", false, {0}},
    {"words.scan", "scan", false, {0}},
    {"words.conllu", "conllu", false, {0}},
    {"words.arrow", "lines: -> ", false, {0}},
    {"words.bars", "lines: ||| ", false, {0}},
    {"words.list", "lists:->", false, {0}},
    {"unimorph.tsv", "unimorph", false, {0}},
    {"forms.tsv", "unimorph", false, {0}},
    {"sigmorphon.tsv", "unimorph", false, {0}},
    {"words.tsv", "", false, {0}},
    {"header.tsv", "", true, {0}},
    {"tatoeba.tsv", "", false, {0}},
    {"counts.tsv", "", false, {.source_column = 2, .target_column = 1, .weight_column = 3}},
};

/* Lines that are bad in all of them, but for the one of that name. */
static const struct {
    const char *text, *but_in;
    size_t length; /* 0: that of the text */
} bad_lines[] = {
    {"abc", NULL, 0},
    {"hello world", NULL, 0},
    {"Hello, you", NULL, 0},
    {"abc,x,y,z,u", NULL, 0},
    {"a\tb\tc\td\te", NULL, 0},
    {"{\"source\":NaN,\"target\":\"x\"}", NULL, 0},
    {"{\"source\":\"\\ud800\",\"target\":\"x\"}", NULL, 0},
    {"{\"source\":\"\\u0000\",\"target\":\"x\"}", NULL, 0},
    {"{'source':'abc','target':'x'}", NULL, 0},
    {"{\"source\":\"abc\",\"target\":", NULL, 0},
    {"[\"abc\",\"x\"]", NULL, 0},
    {"{\"source\":\"abc\",\"target\":\"x\"}", "jsonl", 0},
    {"a -> b -> c", NULL, 0},
    {"a ||| b", "lines: ||| ", 0},
    {"\"abc,x", NULL, 0},
    {"a\0b", NULL, 3},
    {"\xFF\xFE\xFD", NULL, 0},
};

/* A file with so many lines of an example, over and over, and a bad one among them. Returns the number of that. */
static int write_example(size_t file, size_t line, int place, const char *path, bool packed)
{
    static char text[ROOM];
    size_t count, used = 0, length = bad_lines[line].length;
    char from[SUPPORT_PATH];
    int at = 0, number = 0, where = place * LINES / (PLACES - 1);
    snprintf(from, sizeof from, TEST_DATA "/formats/%s", files[file].file);
    char *example = support_read_file(from, &count);
    if (length == 0) length = strlen(bad_lines[line].text);
    for (bool first = true; at <= LINES;) {
        for (const char *begin = example, *end; begin < example + count && at <= LINES; begin = end) {
            const char *stop = memchr(begin, '\n', (size_t)(example + count - begin));
            end = stop ? stop + 1 : example + count;
            bool names = files[file].header && begin == example;
            if ((names && !first) || end - begin < 3) continue; /* or it is blank */
            if (at == where && !names) {
                memcpy(text + used, bad_lines[line].text, length);
                text[used + length] = '\n';
                used += length + 1;
                at++;
                number = at + files[file].header;
            }
            memcpy(text + used, begin, (size_t)(end - begin));
            used += (size_t)(end - begin);
            at += !names;
            first = false;
        }
    }
    free(example);
    ck_assert_uint_lt(used, sizeof text);
    if (!packed) {
        support_write_file(path, text, used);
        return number;
    }
    gzFile zipped = gzopen(path, "wb");
    ck_assert_int_eq(gzwrite(zipped, text, (unsigned)used), (int)used);
    ck_assert_int_eq(gzclose(zipped), Z_OK);
    return number;
}

/* The message names the line; with the flag, it is left out and counted, and the format is that of the others. */
static void expect_named(size_t file, size_t line, int place, bool packed)
{
    char expected[SUPPORT_PATH + 32];
    lb_error error = {0};
    lb_pair_format format = files[file].format;
    const char *path = support_path(files[file].file);
    int number = write_example(file, line, place, path, packed);
    snprintf(expected, sizeof expected, "%s:%d: found ", path, number);
    ck_assert_ptr_null(lb_pairs_open(path, format, &error));
    ck_assert_msg(error.status == LB_ERROR_FORMAT &&
                      strncmp(error.message, expected, strlen(expected)) == 0 &&
                      strstr(error.message, ", expected ") && !strstr(error.message, "try: "),
                  "%s, line %d, %s: %s", files[file].file, number, bad_lines[line].text, error.message);
    if (files[file].kind[0] == 'c' && files[file].kind[1] == 's' && strchr(bad_lines[line].text, '"'))
        return; /* a quote that nothing closes may go on over any lines */
    format.skip_bad_lines = true;
    lb_pairs *pairs = lb_pairs_open(path, format, &error);
    int64_t bad = 0;
    ck_assert_msg(pairs != NULL, "%s: %s", files[file].file, error.message);
    for (int kind = 0; kind < LB_BAD_LINES; kind++) bad += pairs->facts.bad[kind];
    ck_assert_msg(strcmp(pairs->file.kind, files[file].kind) == 0 && pairs->file.header == files[file].header,
                  "%s, %s: read as %s", files[file].file, bad_lines[line].text, pairs->file.kind);
    ck_assert_int_eq(bad, 1);
    ck_assert_int_gt(lb_pairs_count(pairs), LINES / 4);
    lb_pairs_close(pairs);
}

START_TEST(test_bad_line_is_named_and_does_not_change_the_format)
{
    for (size_t file = 0; SUPPORT_ROW(file, files); file++)
        for (size_t line = 0; SUPPORT_ROW(line, bad_lines); line++)
            for (int place = 0; place < PLACES; place++)
                if (!bad_lines[line].but_in || strcmp(bad_lines[line].but_in, files[file].kind) != 0)
                    expect_named(file, line, place, (file + line + (size_t)place) % 5 == 0);
}
END_TEST

/* Members and columns are those of most lines, also where the first line has others. */
START_TEST(test_bad_first_line_does_not_say_what_the_columns_are)
{
    static const struct {
        const char *first, *other, *expected;
        lb_pair_format format;
    } cases[] = {
        {"{\"source\":\"a\"}",
         "{\"source\":\"a\",\"target\":\"b\"}",
         "found an empty target, expected text",
         {0}},
        {"{\"id\":1,\"x\":\"y\"}",
         "{\"source\":\"a\",\"target\":\"b\"}",
         "found an empty source, expected",
         {0}},
        {"a\tb\tc\td", "a\tb\tc", "found 4 columns, expected 3 as in most lines", {.target_column = 3}},
        {"a,b,c,d", "a,b,c", "found 4 columns, expected 3 as in most lines", {.target_column = 3}},
        {"made, by hand", "a\tb", "found 1 column, expected 2, separated by tabs", {0}},
        {"cat k ae t", "a\tb", "found 1 column, expected 2, separated by tabs", {0}},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char text[ROOM], expected[2 * SUPPORT_PATH];
        lb_error error = {0};
        int used = snprintf(text, sizeof text, "%s\n", cases[i].first);
        for (int k = 0; k < LINES; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s\n", cases[i].other);
        support_write_file(support_path("file"), text, (size_t)used);
        const char *path = support_path("file");
        snprintf(expected, sizeof expected, "%s:1: %s", path, cases[i].expected);
        ck_assert_ptr_null(lb_pairs_open(path, cases[i].format, &error));
        ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s", error.message);
        lb_pair_format format = cases[i].format;
        format.skip_bad_lines = true;
        lb_pairs *pairs = lb_pairs_open(path, format, &error);
        ck_assert_int_eq(lb_pairs_count(pairs), LINES);
        lb_pairs_close(pairs);
    }
}
END_TEST

/* Of two files, the one with the bad line is named, and the byte in it. */
START_TEST(test_bad_line_of_a_file_of_targets_is_named_there)
{
    static const struct {
        const char *line, *expected;
        size_t length;
    } cases[] = {
        {"ab\xFF", "found 0xFF at byte 3 of the line, expected UTF-8", 3},
        {"ab\0", "found a zero byte at byte 3 of the line, expected text", 3},
        {"abcdef", "found a target of 6 symbols, expected at most 5", 6},
        {"", "found an empty target, expected text", 0},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            char text[32] = "x\n", expected[2 * SUPPORT_PATH];
            lb_error error = {0};
            memcpy(text + 2, cases[i].line, cases[i].length);
            text[2 + cases[i].length] = '\n';
            support_write_file(support_path("good"), "x\nyyy\n", 6);
            support_write_file(support_path("bad"), text, cases[i].length + 3);
            snprintf(expected, sizeof expected, "%s:2: %s", support_path("bad"), cases[i].expected);
            if (swapped && i > 1) continue; /* there it is no target */
            const lb_pair_format format = {.targets = swapped ? support_path("good") : support_path("bad"),
                                           .longest = 5};
            ck_assert_ptr_null(
                lb_pairs_open(swapped ? support_path("bad") : support_path("good"), format, &error));
            ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s", error.message);
        }
}
END_TEST

/* The name of a file says that its lines are objects, even if most are bad. */
START_TEST(test_bad_lines_of_a_file_named_jsonl_are_named)
{
    static const char *const names[] = {"a.jsonl", "a.ndjson", "a.jsonl.gz"};
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        char expected[2 * SUPPORT_PATH];
        lb_error error = {0};
        static const char text[] = "{'source':'a','target':'b'}\n{'source':'c','target':'d'}\n";
        support_write_file(support_path(names[i]), text, sizeof text - 1);
        const char *path = support_path(names[i]);
        snprintf(expected, sizeof expected,
                 "%s:1: found 'source at byte 2 of the line, expected a JSON object", path);
        ck_assert_ptr_null(lb_pairs_open(path, (lb_pair_format){0}, &error));
        ck_assert_str_eq(error.message, expected);
    }
}
END_TEST

/* What most lines are not, or too few of few, stays as it was. */
START_TEST(test_many_bad_lines_are_of_no_format)
{
    static const char *const texts[] = {"a -> b\nc -> d\ne\n", "A  AH0\nB  BOY\n",
                                        "{\"a\":\"b\"\n{\"a\":\"c\"\n"};
    for (size_t i = 0; SUPPORT_ROW(i, texts); i++) {
        lb_error error = {0};
        support_write_file(support_path("file"), texts[i], strlen(texts[i]));
        ck_assert_ptr_null(lb_pairs_open(support_path("file"), (lb_pair_format){0}, &error));
        ck_assert_ptr_nonnull(strstr(error.message, "file:1: found "));
    }
}
END_TEST
