/* The two example programs for the two calls: they are short, and they train and predict. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN   BIN_DIR "/train_tsv"
#define PREDICT BIN_DIR "/predict_text"

enum { PREDICT_LINES = 12, TRAIN_LINES = 30 };

static support_result result;

#define RUN(...) SUPPORT_RUN(&result, NULL, __VA_ARGS__)

/* The non-empty lines of a program after its first comment. */
static int lines_of(const char *path)
{
    size_t count;
    char *text = support_read_file(path, &count), *code = strstr(text, "#include");
    int lines = 0;
    for (char *line = strtok(code, "\n"); line; line = strtok(NULL, "\n")) lines++;
    free(text);
    return lines;
}

/* The code after the first comment of the program is also in docs/guide.md. */
static void expect_shown(const char *path)
{
    size_t count;
    char *readme = support_read_file(SOURCE_DIR "/docs/guide.md", &count),
         *program = support_read_file(path, &count);
    const char *code = strstr(program, "#include");
    ck_assert_ptr_nonnull(code);
    ck_assert_msg(strstr(readme, code) != NULL, "docs/guide.md shows another %s", path);
    free(readme);
    free(program);
}

START_TEST(test_programs_are_shown_in_the_guide_and_short)
{
    expect_shown(SOURCE_DIR "/examples/predict/predict_text.c");
    expect_shown(SOURCE_DIR "/examples/train/train_tsv.c");
    int predict = lines_of(SOURCE_DIR "/examples/predict/predict_text.c"),
        train = lines_of(SOURCE_DIR "/examples/train/train_tsv.c");
    ck_assert_msg(predict <= PREDICT_LINES, "%d lines", predict);
    ck_assert_msg(train <= TRAIN_LINES, "%d lines", train);
}
END_TEST

START_TEST(test_programs_train_on_a_file_and_predict)
{
    support_write_pairs("train.tsv", 200, 1);
    RUN(TRAIN, "train.tsv", "made", "2");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_eq(strstr(result.output, "step 2 of 2: loss "), result.output);
    ck_assert_ptr_nonnull(strstr(result.output, "exact match 0.0000 on "));
    RUN(PREDICT, "made", "abc");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_uint_gt(result.output_length, 1);
    ck_assert_str_eq(result.error, "");
}
END_TEST

START_TEST(test_programs_say_what_is_wrong)
{
    RUN(PREDICT, "nowhere", "abc");
    support_expect(&result, 66, "", "nowhere: cannot read: No such file or directory\n");
    RUN(TRAIN);
    support_expect(&result, 2, "", "expected pairs to train on: a file, or texts in memory\n");
    support_write_text("bad.tsv", "a\tA\nb\n");
    RUN(TRAIN, "bad.tsv", "made");
    support_expect(&result, 65, "",
                   "bad.tsv:2: found 1 column, expected 2, separated by tabs; --skip-bad-lines leaves such "
                   "lines out\n");
}
END_TEST
