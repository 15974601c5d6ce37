/* A message about a file that is something else says what it seems to be, and what to type. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback "
#define TRAIN    "train --threads 1 --embed 8 --hidden 8 --evaluate-every 10 --steps 10 --out other "
#define COLUMNS                                                                                              \
    "found 3 columns, expected 2, separated by tabs; choose two of them: --source-column 1 "                 \
    "--target-column 2"
#define NO_MODEL "found text with tabs, such as pairs, expected a model in safetensors"

static void write_files(void)
{
    support_write_pairs("train.tsv", 60, 1);
    support_shell(
        "train --threads 1 --embed 8 --hidden 8 --steps 2 --evaluate-every 1 --out out --train train.tsv");
    support_assert_trained();
    support_write_text("a.csv", "abc,c b a\n");
    support_write_text("a.jsonl", "{\"source\":\"abc\"}\n");
    support_write_text("a.json", "[{\"source\":\"abc\"}]\n");
    support_write_text("three.tsv", "abc\tc b a\tx\n");
    support_write_file(support_path("a.gz"), "\x1F\x8B\x08\0", 4);
    support_write_file(support_path("wide.tsv"), "\xFF\xFE\x61\0\t\0b\0\n", 9);
    support_write_file(support_path("wider.tsv"), "\xFF\xFE\0\0\x61\0\0\0\t\0\0\0b\0\0\0\n", 17);
}

static const struct {
    const char *words;
    int status;
    const char *said;
} cases[] = {
    {TRAIN "--train a.gz", 65, "a.gz: damaged gzip data\n"},
    {TRAIN "--train a.csv --format tsv", 65,
     "a.csv:1: found text with commas, such as CSV, expected columns with tabs between them; try: --format "
     "csv\n"},
    {TRAIN "--train a.jsonl", 65, "a.jsonl:1: found 1 member, expected 2\n"},
    {TRAIN "--train a.json", 65, "a.json:1: found 1 member, expected 2\n"},
    {TRAIN "--train wide.tsv", 65,
     "wide.tsv:1: found text in UTF-16, expected text in UTF-8; try: iconv -f UTF-16 -t UTF-8 wide.tsv > "
     "NEW\n"},
    {TRAIN "--train wider.tsv", 65,
     "wider.tsv:1: found text in UTF-32, expected text in UTF-8; try: iconv -f UTF-32 -t UTF-8 wider.tsv > "
     "NEW\n"},
    {TRAIN "--train out/model.safetensors", 65,
     "found safetensors, such as a model, expected text in UTF-8; try: lookback inspect "
     "out/model.safetensors\n"},
    {TRAIN "--train three.tsv", 65, "three.tsv:1: " COLUMNS "\n"},
    {TRAIN "--train train.tsv --config a.gz", 65, "a.gz: found gzip data, expected JSON; try: gunzip a.gz\n"},
    {TRAIN "--train train.tsv --attention dot", 2,
     "attention: dot needs encoder states as wide as those of the decoder, found twice the width, from two "
     "directions; expected one_direction (--no-bidirectional) or the attention general\n"},
    {TRAIN "--train train.tsv --attention dot --no-bidirectional", 0, ""},
    {"evaluate out three.tsv", 65, "three.tsv:1: " COLUMNS "\n"},
    {"score out three.tsv", 65, "three.tsv:1: " COLUMNS "\n"},
    {"report out three.tsv", 65, "three.tsv:1: " COLUMNS "\n"},
    {"predict out a.gz", 65, "a.gz: damaged gzip data\n"},
    {"predict out < a.gz", 65, "standard input: damaged gzip data\n"},
    {"inspect a.gz", 65, "a.gz: found gzip data, expected a model in safetensors; try: gunzip a.gz\n"},
    {"inspect a.csv", 65, "a.csv: found text with commas, such as CSV, expected a model in safetensors\n"},
    {"join train.tsv out -o joined", 65, "train.tsv: " NO_MODEL "\n"},
    {"visualize --matrix train.tsv", 65,
     "train.tsv: found text with tabs, such as pairs, expected a .npy file\n"},
    {"predict train.tsv out", 65, "train.tsv: " NO_MODEL "; the model comes first: out train.tsv\n"},
    {"evaluate train.tsv out", 65, "train.tsv: " NO_MODEL "; the model comes first: out train.tsv\n"},
    {"score train.tsv out", 65, "train.tsv: " NO_MODEL "; the model comes first: out train.tsv\n"},
    {"report train.tsv out/model.safetensors", 65,
     "train.tsv: " NO_MODEL "; the model comes first: out/model.safetensors train.tsv\n"},
    {"predict train.tsv three.tsv", 65, "train.tsv: " NO_MODEL "\n"},
};

START_TEST(test_message_says_what_a_file_seems_to_be_and_what_to_type)
{
    write_files();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        support_shell("%s", cases[i].words);
        const char *error = support_ran.error;
        ck_assert_msg(support_ran.status == cases[i].status, "%s: %s", cases[i].words, error);
        ck_assert_msg(strstr(error, cases[i].said) != NULL, "%s: %s", cases[i].words, error);
    }
}
END_TEST

/* Files of which something is said, and their first and later lines; NULL: no advice. */
static const struct {
    const char *first, *line, *advice;
    int count;
} advised[] = {
    {"", "1:%02d - 1 hours %d\n", "--format 'lines: - '", 20},
    {"", "w%d | v%d\n", "--format 'lines: | '", 20},
    {"", "w%d|v%d\n", "--format 'lines:|'", 20},
    {"", "w%d \u2014 v%d\n", "--format 'lines: \u2014 '", 20},
    {"", "w%d means v%d x\n", "--format 'lines: means '", 20},
    {"", "word%d    value%d number\n", "--format 'lines:  '", 20},
    {"", "w%d v%d\n", "--format 'lines: '", 20},
    {"", "w%d, v%d\n", "--format csv", 20},
    {"", "w%d;v%d\n", "--format 'csv:;'", 3},
    {"", "w%d|v%d|x\n", "--format 'csv:|' --source-column 1 --target-column 2", 20},
    {"", "w%d,v%d,x\n", "--format csv --source-column 1 --target-column 2", 3},
    {"", "w%dab\t\u0259 \u028c %d\n", NULL, 20},
    {"", "w%dab \u0259 \u028c %d\n", "--format cmudict", 20},
    {"", "w%d\tv%d\t2\n", "--source-column 1 --target-column 2 --weight-column 3", 20},
    {"", "%d\tw%d\tv\n", "--source-column 2 --target-column 3", 20},
    {"", "w%d\tv%d\tx\tV;PST\tz\n", "--source-column 1 --target-column 2 --features-column 4", 20},
    {"a\tb\tc\n", "w%d\tv%d\n", "--skip-bad-lines", 20},
    {"a\n", "w%d | v%d\n", "--format 'lines: | ' --skip-bad-lines", 20},
    {"a\n", "w%d\tv%d\n", "--skip-bad-lines", 20},
    {"\tb\n", "w%d\tv%d\n", "--skip-bad-lines", 20},
    {"", "w%d\n", NULL, 20},
    {"The cat sat.\nWell, I know - or do I?\nNo: nobody does, they say.\nYes.\nSo be it, then.\n", "", NULL,
     0},
    {"", "msgid \"w%d\"\nmsgstr \"v%d\"\n", NULL, 20},
    {"<?xml version=\"1.0\"?>\n", "<tu><seg>w%d</seg><seg>v%d</seg></tu>\n", NULL, 20},
    {"", "{\"messages\": [{\"content\": \"w%d\"}, {\"content\": \"v%d\"}]}\n", NULL, 20},
    {"\"w\",\"it was\", so,x\n", "\"w%d\",\"v%d\"\n", NULL, 20},
};

START_TEST(test_advice_gives_pairs)
{
    for (size_t i = 0; SUPPORT_ROW(i, advised); i++) {
        char text[4096], advice[256] = "";
        int used = snprintf(text, sizeof text, "%s", advised[i].first);
        for (int line = 0; line < advised[i].count; line++)
            used += snprintf(text + used, sizeof text - (size_t)used, advised[i].line, line, line);
        support_write_text("file.txt", text);
        support_shell("data file.txt");
        const bool refused = support_ran.status != 0; /* else hints follow */
        const char *option = refused ? strstr(support_ran.error, " --") : NULL;
        bool of_targets = option && strncmp(option, " --targets names", strlen(" --targets names")) == 0;
        if (option && !of_targets)
            snprintf(advice, sizeof advice, "%.*s", (int)strcspn(option + 1, "\n"), option + 1);
        if (strstr(advice, " leaves ")) *strstr(advice, " leaves ") = '\0';
        ck_assert_msg(strcmp(advice, advised[i].advice ? advised[i].advice : "") == 0, "%s",
                      support_ran.error);
        if (!advised[i].advice) continue;
        support_shell("data file.txt %s", advice);
        const char *pairs = strstr(support_ran.output, " lines, ");
        ck_assert_msg(support_ran.status == 0 && pairs, "%s: %s", advice, support_ran.error);
    }
}
END_TEST

START_TEST(test_command_makes_pairs_of_a_table_of_markdown)
{
    support_write_text("it's.md", "| word | sounds |\r\n|---|:-:|\r\n| ab | a b |\n|cd|c d|\n");
    support_shell("data \"it's.md\"");
    const char *command = strstr(support_ran.error, "this seems to be a table of Markdown; try: sed ");
    ck_assert_msg(command, "%s", support_ran.error);
    support_shell("version; %s %sdata NEW --pairs 9 --source-column 2 --target-column 3",
                  strstr(command, "sed"), LOOKBACK);
    ck_assert_msg(strstr(support_ran.output, "\n1\ta b\ta ␣ b\n2\tc d\tc ␣ d\n"), "%s%s", support_ran.output,
                  support_ran.error);
}
END_TEST

START_TEST(test_separator_that_no_line_has_is_said)
{
    static const char of_source[] = "  no source has the separator \"|\": each is one symbol\n";
    static const char of_target[] = "  no target has the separator \"_\": each is one symbol\n";
    support_write_pairs("train.tsv", 60, 1);
    support_shell(TRAIN "--train train.tsv --source-separator '|' --target-separator _");
    ck_assert_ptr_nonnull(strstr(support_ran.error, of_source));
    ck_assert_ptr_nonnull(strstr(support_ran.error, of_target));
    support_shell(TRAIN "--train train.tsv --fresh --target-separator ' '");
    ck_assert_ptr_null(strstr(support_ran.error, "has the separator"));
    ck_assert_int_eq(support_ran.status, 0);
}
END_TEST

static void assert_last_line(const char *expected)
{
    const char *error = support_ran.error;
    size_t length = support_ran.error_length;
    ck_assert_uint_gt(length, 1);
    const char *line = error + length - 1;
    while (line > error && line[-1] != '\n') line--;
    ck_assert_msg(strstr(line, expected) != NULL, "%s", error);
}

START_TEST(test_training_that_ends_worse_than_guessing_says_so_and_fails)
{
    support_write_pairs("train.tsv", 60, 1);
    support_shell(TRAIN "--train train.tsv --steps 60 --lr 5 2>&1 | tail -n 1 >&2; exit 0");
    assert_last_line("lookback train: the training ended worse than guessing: loss ");
    support_shell(TRAIN "--train train.tsv --steps 60 --lr 5");
    ck_assert_int_eq(support_ran.status, 75);
    assert_last_line(", and 2."); /* ln 12: the logarithm of the symbols of the target */
    assert_last_line("; a smaller --lr may help");
    ck_assert(support_exists("other/model.safetensors"));
    support_shell(TRAIN "--train train.tsv --steps 60 --lr 0.01 --fresh");
    ck_assert_int_eq(support_ran.status, 0);
    /* With one weight for embedding and output, the first weights are far worse. */
    support_shell(
        "train --train train.tsv --target-separator ' ' --model transformer --tied --hidden 16 --steps 2 "
        "--out tied");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    support_shell("sort --steps 20 --hidden 8 --lr 50 --out sorts");
    ck_assert_int_eq(support_ran.status, 75);
    assert_last_line("lookback sort: the training ended worse than guessing");
    support_shell(TRAIN "--train train.tsv --steps 60 --lr 1e20 --fresh");
    ck_assert_int_eq(support_ran.status, 75);
    assert_last_line("training diverged"); /* the loss, or the norm of a gradient */
}
END_TEST
