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

static const struct {
    const char *before, *pattern, *after, *options, *said; /* NULL: nothing */
    int count;
} cases[] = {
    {"", "%s\t%s\n", "", "", NULL, LINES},
    {"head\tpronunciation\n", "%s\t%s\n", "", "",
     "  line 1 is like no other: --format tsv+header leaves it out\n", 30},
    {"orth\tqqq\n", "%s\t%s\n", "", "", "  line 1 is like no other: --format tsv+header leaves it out\n", 30},
    {"one,WXY\n", "%s,%s\n", "", "", "  line 1 is like no other: --format csv+header leaves it out\n", 30},
    {"", "IN: %s OUT: %s\n", "", "--format 'lines: OUT: '",
     "  all sources begin with \"IN:\", which tells a model nothing: --format scan leaves it out\n", 30},
    {"", "IN: %s OUT: %s\n", "x OUT: y\n", "--format 'lines: OUT: '", NULL, 30},
    {"", "%s\t%s\n", "aab(2)\ta\naab(3)\tb\nf(2)\tb\n", "",
     "  2 sources end with the number of a variant, such as (2) (line 31): --format cmudict takes it away\n",
     30},
    {"word\tipa\n", "%s\t%s\n", "aab(2)\ta\n", "",
     "  1 source ends with the number of a variant, such as (2) (line 32): --format cmudict+header takes it "
     "away\n",
     30},
    {"", "%s\t%s\n", "f(2)\ta\n", "", NULL, 30},
    {"", "%s\t%s\n", "a b(2)\ta\na b\ta\n", "", NULL, 30},
    {"", "%s\t%s\n", "ab\t#a b#\nac\ta #\nad\t# a\nae\ta #1 b\n", "", NULL, 30},
    {"", "%s\t%s\n", "a b\ta # b\n", "", NULL, 30},
    {"", "%s -> %s\n", "ab -> a # b\n", "", NULL, 30},
    {"", "%s\t\"%s\"\n", "ab\t\"a \"\"b\"\"\"\n", "",
     "  1 text is in quotes, with two quotes for each within (line 7): --format csv:tab takes them away\n",
     6},
    {"", "%s\t%s\n", "ab\t\"a\" \"b\"\nac\t\"a \"\"b\"\"\"\n", "", NULL, 6},
    {"", "%s\t\"%s\"\n", "", "", NULL, 6},
    {"", "%s\t/%s/\n", "", "",
     "  all targets are between slashes or brackets: take them out, or the model writes them, too\n", 6},
    {"", "%s\t[%s]\n", "ab\t[a]; [b]\n", "",
     "  1 target seems to have several answers (line 7): a line for each of them, or a list in JSON lines, "
     "makes "
     "a pair of each\n",
     6},
    {"", "%s\t/%s/\n", "ab\ta\n", "", NULL, 6},
    {"", "%s\t%s\n", "ab\ta, b\nac\ta | b\n", "", "  2 targets seem to have several answers (line 7): a line",
     6},
    {"", "%s\t%s\n", "ab\ta, b\nac\ta b\n", "", NULL, 6},
    {"", "%s\t%s\n", "a\xC2\xA0z\ta\n", "",
     "  1 source has U+00A0 (line 7), a no-break space, which is another symbol than a space: sed "
     "'s/\\xC2\\xA0/ /g' makes spaces of them\n",
     6},
    {"", "%s\t%s\t.01\n", "x\ty\t1\n", "--weight-column 3", "has small weights: only 1 of ", 200},
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
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        write_lines(cases[i].before, cases[i].pattern, cases[i].count, cases[i].after);
        support_shell("data pairs.tsv %s", cases[i].options);
        const char *output = support_ran.output;
        ck_assert_msg(support_ran.status == 0, "%zu: %s", i, support_ran.error);
        if (cases[i].said)
            ck_assert_msg(strstr(output, cases[i].said) != NULL, "%zu: %s", i, output);
        else
            ck_assert_msg(!has_oddity(output), "%zu: %s", i, output);
    }
}
END_TEST

/* Whether a lexicon is told the same, whose weights have another meaning, and which trains nothing. */
static bool is_of_lexicons(const char *said)
{
    return said && !strstr(said, "small weights") && !strstr(said, "--min-count") && !strstr(said, "at most");
}

START_TEST(test_data_oddities_of_a_lexicon_are_named_with_what_mends_them)
{
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        if (!is_of_lexicons(cases[i].said)) continue;
        write_lines(cases[i].before, cases[i].pattern, cases[i].count, cases[i].after);
        support_shell("data pairs.tsv --lexicon pairs.tsv %s", cases[i].options);
        const char *lexicon = strstr(support_ran.output, "\nlexicon pairs.tsv: ");
        ck_assert_msg(lexicon != NULL, "%zu: %s", i, support_ran.error);
        ck_assert_msg(strstr(lexicon, cases[i].said) != NULL, "%zu: %s", i, lexicon);
    }
}
END_TEST

/* What a file is taken for, as far as another reading is possible. */
static const struct {
    const char *text, *options, *output, *error;
} readings[] = {
    {"abc,bcd\n\"cde\ndef\",\"efgefg\n\nfghfgh\"\nghi,hij\n", "",
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
    {"1,5; eins\n2,5; zwei\n3,5; drei\n4,5; vier\n5,5; acht\n", "", "pairs.tsv: csv, 5 lines, 5 pairs\n",
     "lookback data: pairs.tsv: read as csv, but semicolons divide all lines, too: --format 'csv:;' reads it "
     "so\n"},
    {"word,ipa\na,b;c\n", "", "pairs.tsv: csv+header, 2 lines, 1 pair\n", ""},
    {"{\"source\":\"abcdefg\\nb\",\"target\":\"abcdefg\\td\"}\n{\"source\":\"e\",\"target\":\"f\"}\n", "",
     "pairs.tsv: jsonl, 2 lines, 2 pairs\n  2 texts have a line break or a tab (line 1), which became a "
     "space\n",
     ""},
    {"a,b;c\nd,e;f\ng,h;i\nk,l;m\nn,o;p\n", "--format csv", "pairs.tsv: csv, 5 lines, 5 pairs\n", ""},
    {"\"a;b\",\"c;d\"\n", "", "pairs.tsv: csv, 1 line, 1 pair\n", ""},
    {"sep=;\nword;ipa\na;b\n", "",
     "pairs.tsv: csv:;+header, 3 lines, 1 pair\n  left out line 2, the names of the columns\n"
     "  left out 1 comment and 0 blank lines\n",
     ""},
};

START_TEST(test_data_other_readings_are_named)
{
    for (size_t i = 0; SUPPORT_ROW(i, readings); i++) {
        support_write_text("pairs.tsv", readings[i].text);
        support_shell("data pairs.tsv %s", readings[i].options);
        ck_assert_msg(support_ran.status == 0, "%zu: %s", i, support_ran.error);
        ck_assert_msg(strncmp(support_ran.output, readings[i].output, strlen(readings[i].output)) == 0,
                      "%zu: %s", i, support_ran.output);
        ck_assert_str_eq(support_ran.error, readings[i].error);
    }
}
END_TEST

START_TEST(test_data_distributions_are_printed_and_drawn)
{
    support_write_text("pairs.tsv", "a\tx y\nbb\tx\nccc\tx z\ndddd\tx\n");
    support_write_text("dev.tsv", "a\tx z\nbb\tx\n");
    support_shell("data pairs.tsv --dev dev.tsv --target-separator ' ' -o data.png");
    support_expect(&support_ran, 0,
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
    support_shell("data pairs.tsv -o data.jpg");
    support_expect(&support_ran, 2, "",
                   "lookback data: --output: expected a name that ends in .png, .svg or .pdf, found "
                   "\"data.jpg\"\n");
    support_shell("data pairs.tsv --format lines:x");
    support_expect(&support_ran, 65, "",
                   "lookback data: pairs.tsv:2: found an empty target, expected text; try: --format tsv\n");
    support_write_text("pairs.tsv", "a\tx\n\nb\tx\n");
    support_shell("data pairs.tsv");
    support_expect(
        &support_ran, 65, "",
        "lookback data: pairs.tsv:2: found an empty line, expected text; --skip-bad-lines leaves such "
        "lines out\n");
    support_write_text("pairs.tsv", "a\tx\n# b\nb\tx\n");
    support_shell("data pairs.tsv");
    support_expect(
        &support_ran, 65, "",
        "lookback data: pairs.tsv:2: found 1 column, expected 2, separated by tabs; --skip-bad-lines "
        "leaves such lines out\n");
}
END_TEST

#define HAS(text) (strstr(support_ran.output, text) != NULL)
START_TEST(test_data_combining_marks_are_shown_by_number_and_explained)
{
    static const char mark[] = "\"U+0308\" 2",
                      said[] = "U+0308 is a combining mark: by default, --normalize nfd, ";
    support_write_text("pairs.tsv", "\u00fc\tx\nu\u0308b\ty\n");
    support_shell("data pairs.tsv");
    ck_assert_msg(HAS(mark) && HAS(said), "%s", support_ran.output);
    support_shell("data pairs.tsv --normalize nfc");
    ck_assert_msg(HAS("\"\u00fc\" 2") && !HAS("combining mark"), "%s", support_ran.output);
    support_shell("data pairs.tsv --symbols graphemes");
    ck_assert_msg(!HAS("U+0308"), "%s", support_ran.output);
    support_shell("data pairs.tsv --normalize none");
    ck_assert_msg(HAS("\"U+0308\" 1") && !HAS("combining mark"), "%s", support_ran.output);
}
END_TEST

static const struct {
    const char *text, *options, *said;
} refused[] = {
    {"a\tb\t.0001\nc\td\t.0002\n", "--weight-column 3",
     "the weights of all 2 lines in column 3 came to nothing, expected weights of about 1 for most of "
     "them\n"},
    {"word,ipa\n", "", "found no pair in 1 line, expected at least one: there are only names of columns\n"},
    {";;; a\n", "--format cmudict",
     "found no pair in 1 line, expected at least one: there is nothing but comments\n"},
    {"mat m a t\npit p i t\n", "",
     "1: found 1 column, expected 2, separated by tabs; try: --format cmudict\n"},
    {"the cat sat\n", "",
     "1: found 1 column, expected 2, separated by tabs; --targets names a file of the targets\n"},
    {"a\t\n", "--skip-bad-lines",
     "found no valid line among 1; the first: pairs.tsv:1: found an empty target, expected text\n"},
    {"{\"source\":\"a\",\"target\":null}\n", "", "1: found null for a target, expected text\n"},
    {"{\"source\":\"a\",\"target\":\"b\"}\n{\"source\":true,\"target\":\"b\"}\n", "",
     "2: found true for a source, expected text; --skip-bad-lines leaves such lines out\n"},
    {"{\"source\":\"a\",\"target\":\"b\"}\n{\"source\":\"a\",\"target\":[\"b\",null]}\n", "",
     "2: found null for a target, expected text; --skip-bad-lines leaves such lines out\n"},
    {"{\"source\":\"a\",\"target\":\"b\"}\n{\"source\":\"a\",\"target\":[]}\n", "",
     "2: found an empty list for a target, expected text; --skip-bad-lines leaves such lines out\n"},
    {"a\tb\n", "--source-column 5", "pairs.tsv:1: found 2 columns, expected at least 5, separated by tabs\n"},
    {"a\tb\nc\td\n", "--min-count 2",
     "no symbol of the sources occurs 2 times, expected at least one (min_count)\n"},
};

START_TEST(test_data_what_is_no_pair_is_named_with_what_helps)
{
    for (size_t i = 0; SUPPORT_ROW(i, refused); i++) {
        support_write_text("pairs.tsv", refused[i].text);
        support_shell("data pairs.tsv %s", refused[i].options);
        ck_assert_msg(support_ran.status == 65, "%zu: %s", i, support_ran.output);
        ck_assert_msg(strstr(support_ran.error, refused[i].said) != NULL, "%zu: %s", i, support_ran.error);
    }
}
END_TEST

/* Twenty pairs below a first line, in two files or with something between both texts. */
static const struct {
    const char *source, *target, *between, *options, *said;
} first_lines[] = {
    {"eng", "pcm", NULL, "--targets targets", "targets in targets, tsv+header, 21 lines, 20 pairs\n"},
    {"eng_Latn", "pt-BR", NULL, "--targets targets", "tsv+header, 21 lines, 20 pairs\n"},
    {"source", "target", NULL, "--targets targets", "tsv+header, 21 lines, 20 pairs\n"},
    {"eng", "pcm", NULL, "--targets targets --format tsv", "targets in targets, 21 lines, 21 pairs\n"},
    {"a dog", "one dog", NULL, "--targets targets --format tsv+header", "tsv+header, 21 lines, 20 pairs\n"},
    {"a dog", "one dog", NULL, "--targets targets", "targets in targets, 21 lines, 21 pairs\n"},
    {"a dog", "one dog", NULL, "--targets targets --targets targets",
     "targets in targets, targets, 21 lines, 21 "
     "different pairs\n"},
    {"en", "fr", "\t", "", "pairs.tsv: tsv+header, 21 lines, 20 pairs\n"},
    {"en", "fr", ",", "", "pairs.tsv: csv+header, 21 lines, 20 pairs\n"},
    {"en", "fr", "\t", "--format tsv", "pairs.tsv: tsv, 21 lines, 21 pairs\n"},
    {"English", "German", ";", "", "pairs.tsv: csv:;+header, 21 lines, 20 pairs\n"},
    {"do", "faire", "\t", "", "pairs.tsv: 21 lines, 21 pairs\n"},
    {"gos", "ogs", "\t", "", "pairs.tsv: 21 lines, 21 pairs\n"}, /* short, and no codes */
};

START_TEST(test_data_first_line_with_names_or_codes_of_languages_is_a_header)
{
    for (size_t i = 0; SUPPORT_ROW(i, first_lines); i++) {
        char sources[2048], targets[1024];
        const char *between = first_lines[i].between ? first_lines[i].between : "\n";
        size_t used = (size_t)snprintf(sources, sizeof sources, "%s", first_lines[i].source), of_targets = 0;
        if (first_lines[i].between)
            used += (size_t)snprintf(sources + used, sizeof sources - used, "%s%s\n", between,
                                     first_lines[i].target);
        else
            used += (size_t)snprintf(sources + used, sizeof sources - used, "\n");
        of_targets = (size_t)snprintf(targets, sizeof targets, "%s\n", first_lines[i].target);
        for (int k = 0; k < 20; k++) {
            used +=
                (size_t)snprintf(sources + used, sizeof sources - used, "%c boy sees it%s", 'a' + k, between);
            if (first_lines[i].between)
                used += (size_t)snprintf(sources + used, sizeof sources - used, "%c garcon\n", 'a' + k);
            of_targets +=
                (size_t)snprintf(targets + of_targets, sizeof targets - of_targets, "%c garcon\n", 'a' + k);
        }
        support_write_text("pairs.tsv", sources);
        support_write_text("targets", targets);
        support_shell("data pairs.tsv %s", first_lines[i].options);
        ck_assert_msg(strstr(support_ran.output, first_lines[i].said) != NULL, "%s: %s%s",
                      first_lines[i].said, support_ran.output, support_ran.error);
    }
}
END_TEST

START_TEST(test_data_says_what_a_training_says)
{
    support_write_text("pairs.tsv", "w\tB AH N\nw\tM AA T\nx\tM AA P\n");
    support_shell("data pairs.tsv --min-count 2");
    ck_assert_str_eq(
        support_ran.error,
        "lookback data: pairs.tsv: the targets are symbols between spaces, of 1.3 characters; set "
        "--target-separator to \" \"\n");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "source symbols: 1 left, 1 unknown by --min-count\n"
                                                     "source symbols, most frequent: \"w\" 2\n"));
    support_shell("data pairs.tsv --target-separator ' '");
    ck_assert_str_eq(support_ran.error, "");
}
END_TEST

START_TEST(test_data_conflicts_of_dev_are_listed_with_their_lines)
{
    support_write_text("pairs.tsv", "e\t5\nd\t4\nc\t3\nb\t2\na\t1\na\t9\nf\t6\n");
    support_write_text("dev.tsv", "a\t9\nz\t0\nb\t0\nc\t3\n");
    support_shell("data pairs.tsv --dev dev.tsv");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "other targets in dev.tsv than in pairs.tsv:\n"
                                                     "  \"b\": \"0\" in line 3, \"2\" in line 4 of "
                                                     "pairs.tsv\nsource lengths"));
    support_write_text("dev.tsv", "a\t0\nb\t0\nc\t0\nd\t0\ne\t0\nf\t0\n");
    support_shell("data pairs.tsv --dev dev.tsv");
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, "  \"a\": \"0\" in line 1, \"1\" in line 5 of pairs.tsv\n"));
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, "  \"e\": \"0\" in line 5, \"5\" in line 1 of pairs.tsv\n  ...\n"));
    support_write_text("dev.tsv", "a\t9\nb\t2\n");
    support_shell("data pairs.tsv --dev dev.tsv");
    ck_assert_ptr_null(strstr(support_ran.output, "other targets"));
}
END_TEST

START_TEST(test_data_pairs_are_shown_symbol_by_symbol_with_their_lines)
{
    support_write_text("pairs.tsv", "ab c\tx y\n\nn\xcc\x83\tz\n");
    support_shell("data pairs.tsv --pairs 2 --skip-bad-lines --target-separator ' '");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n1\ta b \xe2\x90\xa3 c\tx y\n3\tn U+0303\tz\n"));
    support_shell("data pairs.tsv --pairs 1 --skip-bad-lines");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n1\ta b \xe2\x90\xa3 c\tx \xe2\x90\xa3 y\n"));
    ck_assert_ptr_null(strstr(support_ran.output, "\n3\t"));
    support_shell("data pairs.tsv --skip-bad-lines");
    ck_assert_ptr_null(strchr(support_ran.output, '\t'));
}
END_TEST
