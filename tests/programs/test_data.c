/* lookback data: what is odd about a file, and how lengths and symbols are distributed. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 1200, LINE = 64 };

/* Writes lines from a pattern with the number of the line, a word and its end, and a line in front and behind. */
static void write_lines(const char *before, const char *pattern, int count, const char *after)
{
    static char text[LINES * LINE];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", before);
    for (int i = 0; i < count; i++) {
        const char word[] = {(char)('a' + i % 5), (char)('a' + i / 5 % 5), (char)('a' + i / 25 % 5), '\0'};
        used += (size_t)snprintf(text + used, sizeof text - used, pattern, word, word + 1);
    }
    snprintf(text + used, sizeof text - used, "%s", after);
    support_write_text("pairs.tsv", text);
}

static void look(const char *options)
{
    char command[512];
    snprintf(command, sizeof command, BIN_DIR "/lookback data pairs.tsv %s", options);
    SUPPORT_RUN(&support_run_result, NULL, "/bin/sh", "-c", command);
}

static const struct {
    const char *before, *pattern, *after, *options, *said; /* NULL: nothing */
    int count;
} cases[] = {
    {"", "%s\t%s\n", "", "", NULL, LINES},
    {"head\tpronunciation\n", "%s\t%s\n", "", "",
     "  line 1 is like no other: --format tsv+header leaves it out\n", 30},
    {"orth\tqqq\n", "%s\t%s\n", "", "", "  line 1 is like no other: --format tsv+header leaves it out\n", 30},
    {"", "%s\t%s\n", "ab(2)\ta\n", "",
     "  1 source ends with the number of a variant, such as (2) (line 31): --format cmudict takes it away\n",
     30},
    {"", "%s\t%s\n", "ab\ta # b\nac\td # c\n", "",
     "  2 targets have # (line 31): --format cmudict leaves comments out\n", 30},
    {"", "\"%s\"\t\"%s\"\n", "", "", "  all texts are in quotes: --format csv:tab takes them away\n", 30},
    {"", "%s\tV,PST\t%s\n", "", "--features-column 2",
     "  all features are single, and have commas (line 1): --features-separator , divides them\n", 30},
    {"", "x\tV;PST\t%s%s\n", "", "--features-column 3",
     "  column 3 has 30 different features, 30 of them once: --features-column names the column of the "
     "features\n",
     30},
    {"", "%s\t%s\n", "x\ty\n", "",
     "  1 source symbol occurs once or twice: \"x\" (line 1201); --min-count 3 makes them unknown\n"
     "  1 target symbol occurs once or twice: \"y\" (line 1201); --min-count 3 makes them unknown\n",
     LINES},
    {"", "%s\t%s\n", "", "--target-separator ' '",
     "  no target has the separator \" \": each is one symbol\n", 30},
    {"", "%s\t%s\n", "abc\tx\nabc\ty\n", "", " 1 source with several targets: at most ", 30},
};

static bool has_oddity(const char *text)
{
    return strstr(text, "--") || strstr(text, "no target has") || strstr(text, "at most");
}

START_TEST(test_data_oddities_are_named_with_what_mends_them)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_lines(cases[i].before, cases[i].pattern, cases[i].count, cases[i].after);
        look(cases[i].options);
        const char *output = support_run_result.output;
        ck_assert_msg(support_run_result.status == 0, "%zu: %s", i, support_run_result.error);
        if (cases[i].said)
            ck_assert_msg(strstr(output, cases[i].said) != NULL, "%zu: %s", i, output);
        else
            ck_assert_msg(!has_oddity(output), "%zu: %s", i, output);
    }
}
END_TEST

/* What a file is taken for, as far as another reading is possible. */
static const struct {
    const char *text, *options, *output, *error;
} readings[] = {
    {"a,b\n\"c\nd\",\"e\n\nf\"\ng,h\n", "",
     "pairs.tsv: csv, 6 lines, 3 pairs\n  2 quoted fields go over several lines: a quote opens in line 2 and "
     "closes "
     "in line 3\n",
     ""},
    {"a\tb\tid=7\nc\td\tid=8\n", "",
     "pairs.tsv: 2 lines, 2 pairs\n  columns: source 1, target 2\n"
     "  columns that are not used: 3 (--features-column 3 reads it)\n",
     ""},
    {"a\tb\tid=7\nc\td\tid=8\n", "--features-column 3", "pairs.tsv: 2 lines, 2 pairs\n  source: 2 to 2", ""},
    {"a,b;c\nd,e;f\ng,h;i\nk,l;m\nn,o;p\n", "", "pairs.tsv: csv, 5 lines, 5 pairs\n",
     "lookback data: pairs.tsv: read as csv, but semicolons divide all lines, too: --format 'csv:;' reads it "
     "so\n"},
    {"a,b;c\nd,e;f\ng,h;i\nk,l;m\nn,o;p\n", "--format csv", "pairs.tsv: csv, 5 lines, 5 pairs\n", ""},
    {"\"a;b\",\"c;d\"\n", "", "pairs.tsv: csv, 1 line, 1 pair\n", ""},
    {"sep=;\nword;ipa\na;b\n", "",
     "pairs.tsv: csv:;+header, 3 lines, 1 pair\n  left out line 2, the names of the columns\n"
     "  left out 1 comment and 0 blank lines\n",
     ""},
};

START_TEST(test_data_other_readings_are_named)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        support_write_text("pairs.tsv", readings[i].text);
        look(readings[i].options);
        ck_assert_msg(support_run_result.status == 0, "%zu: %s", i, support_run_result.error);
        ck_assert_msg(strncmp(support_run_result.output, readings[i].output, strlen(readings[i].output)) == 0,
                      "%zu: %s", i, support_run_result.output);
        ck_assert_str_eq(support_run_result.error, readings[i].error);
    }
}
END_TEST

START_TEST(test_data_distributions_are_printed_and_drawn)
{
    support_write_text("pairs.tsv", "a\tx y\nbb\tx\nccc\tx z\ndddd\tx\n");
    support_write_text("dev.tsv", "a\tx z\nbb\tx\n");
    look("--dev dev.tsv --target-separator ' ' -o data.png");
    support_expect(&support_run_result, 0,
                   "pairs.tsv: 4 lines, 4 pairs\n"
                   "  source: 1 to 4 symbols, median 2; 4 different\n"
                   "  target: 1 to 2 symbols, median 1; 3 different\n"
                   "  0 repeated pairs, 0 sources with several targets\n"
                   "dev.tsv: 2 lines, 2 pairs\n"
                   "  source: 1 to 2 symbols, median 1; 2 different\n"
                   "  target: 1 to 2 symbols, median 1; 2 different\n"
                   "  0 repeated pairs, 0 sources with several targets\n"
                   "  2 pairs with a source that is also in pairs.tsv, 1 of them with the same target\n"
                   "other targets in dev.tsv than in pairs.tsv:\n"
                   "  \"a\": \"x z\" in line 1, \"x y\" in line 1 of pairs.tsv\n"
                   "source lengths: 5 % up to 1, 25 % up to 1, half up to 2, 75 % up to 3, 95 % up to 4\n"
                   "source symbols, most frequent: \"d\" 4, \"c\" 3, \"b\" 2, \"a\" 1\n"
                   "target lengths: 5 % up to 1, 25 % up to 1, half up to 1, 75 % up to 2, 95 % up to 2\n"
                   "target symbols, most frequent: \"x\" 4, \"y\" 1, \"z\" 1\n",
                   "");
    ck_assert(support_exists("data.png"));
    look("--format lines:x");
    support_expect(&support_run_result, 65, "",
                   "lookback data: pairs.tsv:2: found an empty target, expected text\n");
    support_write_text("pairs.tsv", "a\tx\n\nb\tx\n");
    look("");
    support_expect(
        &support_run_result, 65, "",
        "lookback data: pairs.tsv:2: found an empty line, expected text; --skip-bad-lines leaves it "
        "out\n");
    support_write_text("pairs.tsv", "a\tx\n# b\nb\tx\n");
    look("");
    support_expect(
        &support_run_result, 65, "",
        "lookback data: pairs.tsv:2: found 1 column, expected 2, separated by tabs; --format names "
        "another format, and --skip-bad-lines leaves such lines out\n");
}
END_TEST

START_TEST(test_data_conflicts_of_dev_are_listed_with_their_lines)
{
    support_write_text("pairs.tsv", "e\t5\nd\t4\nc\t3\nb\t2\na\t1\na\t9\nf\t6\n");
    support_write_text("dev.tsv", "a\t9\nz\t0\nb\t0\nc\t3\n");
    look("--dev dev.tsv");
    ck_assert_ptr_nonnull(strstr(support_run_result.output, "other targets in dev.tsv than in pairs.tsv:\n"
                                                            "  \"b\": \"0\" in line 3, \"2\" in line 4 of "
                                                            "pairs.tsv\nsource lengths"));
    support_write_text("dev.tsv", "a\t0\nb\t0\nc\t0\nd\t0\ne\t0\nf\t0\n");
    look("--dev dev.tsv");
    ck_assert_ptr_nonnull(
        strstr(support_run_result.output, "  \"a\": \"0\" in line 1, \"1\" in line 5 of pairs.tsv\n"));
    ck_assert_ptr_nonnull(
        strstr(support_run_result.output, "  \"e\": \"0\" in line 5, \"5\" in line 1 of pairs.tsv\n  ...\n"));
    support_write_text("dev.tsv", "a\t9\nb\t2\n");
    look("--dev dev.tsv");
    ck_assert_ptr_null(strstr(support_run_result.output, "other targets"));
}
END_TEST

int main(void)
{
    return support_run_tests("data", SUPPORT_TESTS(test_data_oddities_are_named_with_what_mends_them,
                                                   test_data_other_readings_are_named,
                                                   test_data_distributions_are_printed_and_drawn,
                                                   test_data_conflicts_of_dev_are_listed_with_their_lines));
}
