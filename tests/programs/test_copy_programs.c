/* A model that copies, in the programs that train and apply it. It takes seconds. */
#include "support/pair_program.h"
#include "support/report_page.h"
#include "support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHAR "\xef\xbf\xbd"
#define SHORT   SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--copy"

/* Letters that the training does not have. */
static const char strange[] = "abXd\td X b a\nZc\tc Z\nQbaY\tY a b Q\nha\ta h\n";

static support_result result;

static void run(const char *input, const char *const *argv)
{
    support_run_in_tempdir(argv, input, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
}

#define RUN(input, ...) run(input, (const char *const[]){__VA_ARGS__, NULL})

static void write_files(void)
{
    support_write_pairs("train.tsv", 500, 1);
    support_write_pairs("dev.tsv", 60, 2);
    support_write_text("strange.tsv", strange);
}

static void expect_in_file(const char *name, const char *text)
{
    size_t count;
    char *content = support_content(name, &count);
    ck_assert_msg(strstr(content, text), "%s: no %s", name, text);
    free(content);
}

START_TEST(test_programs_show_what_a_model_copies)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--steps", "500");
    support_assert_trained();
    RUN("abXd\nZc\nQbaY\nha\n", BIN_DIR "/lookback", "predict", "out");
    ck_assert_str_eq(result.output, "abXd\td X b a\nZc\tc Z\nQbaY\tY a b Q\nha\ta h\n");
    RUN("abXd\nha\n", BIN_DIR "/lookback", "predict", "out", "--jsonl", "--beam", "1");
    ck_assert_ptr_nonnull(strstr(result.output, "\"unknown\":[\"X\"]"));
    const char *copied = strstr(result.output, "{\"symbol\":\"X\",\"probability\":");
    ck_assert_ptr_nonnull(copied);
    ck_assert_ptr_nonnull(strstr(copied, ",\"copied\":2}"));
    ck_assert_ptr_null(strstr(strchr(result.output, '\n'), "copied"));
    RUN("", BIN_DIR "/lookback", "evaluate", "out", "strange.tsv");
    ck_assert_msg(strstr(result.output, "\nexact match           100.00 %"), "%s", result.output);
    RUN("", BIN_DIR "/lookback", "inspect", "out", "--tensors");
    ck_assert_msg(strstr(result.output, "copy: true"), "%s", result.output);
    ck_assert_ptr_nonnull(strstr(result.output, "copy.symbols"));
    RUN("", BIN_DIR "/lookback", "report", "out", "strange.tsv", "-o", "report.html");
    support_page page = support_open_page("report.html");
    ck_assert_int_eq((int)support_number(page.data, "pairs.0.outputs.0.copied.1"), 2);
    ck_assert_int_eq((int)support_number(page.data, "pairs.0.outputs.0.copied.0"), -1);
    ck_assert_ptr_null(
        cJSON_GetObjectItemCaseSensitive(support_at(page.data, "pairs.3.outputs.0"), "copied"));
    support_close_page(&page);
}
END_TEST

START_TEST(test_training_that_copies_killed_and_run_again_ends_with_the_same_file)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--dropout", "0.2", "--out", "whole");
    support_assert_trained();
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(SHORT, "--dropout", "0.2", "--threads", "2", "--out", "killed"), 5);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
}
END_TEST

START_TEST(test_ensemble_has_members_that_copy)
{
    write_files();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "500", "--ensemble",
                  "copy:1,copy-backward:1");
    support_assert_trained();
    ck_assert(support_exists("out/copy-1/model.safetensors"));
    expect_in_file("out/ensemble.tsv", "\tadditive-copy-backward\tout/copy-backward-2/model.safetensors\n");
    RUN("abXd\nZc\n", BIN_DIR "/lookback", "predict", "out");
    ck_assert_str_eq(result.output, "abXd\td X b a\nZc\tc Z\n");
    RUN("abXd\n", BIN_DIR "/lookback", "predict", "out", "--votes", "--jsonl");
    ck_assert_ptr_nonnull(strstr(result.output, "\"votes\":["));
}
END_TEST

START_TEST(test_copying_with_what_it_cannot_have_is_refused)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--attention", "monotonic");
    support_assert_refused(2, "found the attention monotonic, expected a soft one");
    SUPPORT_TRAIN(SHORT, "--set", "loss=sparsemax");
    support_assert_refused(2, "found the loss sparsemax, expected cross-entropy");
}
END_TEST
