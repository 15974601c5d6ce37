/* Messages and exit statuses of lookback train for bad input. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOOD "ab\tb a\nba\ta b\na\ta\nb\tb\n"

static void assert_one_line(void)
{
    const support_result *result = &support_ran;
    ck_assert_ptr_eq(strchr(result->error, '\n'), result->error + result->error_length - 1);
    ck_assert_int_eq(strncmp(result->error, "lookback train: ", 16), 0);
}

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "bad.tsv: found an empty file, expected one pair of texts per line"},
    {"ab\tb a\nab\n", "bad.tsv:2: found 1 column, expected 2"},
    {"ab\tb a\tc\n", "bad.tsv:1: found 3 columns, expected 2"},
    {"ab\tb a\n\tb\n", "bad.tsv:2: found an empty source, expected text"},
    {"ab\tb a\na\t\n", "bad.tsv:2: found an empty target, expected text"},
    {"ab\tb a\n\n", "bad.tsv:2: found an empty line, expected text"},
    {"ab\tb a\na\xff\ta\n", "bad.tsv:2: found 0xFF at byte 2 of the line, expected UTF-8"},
    {"\xff\xfe"
     "a",
     "bad.tsv:1: found text in UTF-16, expected text in UTF-8; try: iconv"},
    {"ab\tb  a\n",
     "bad.tsv: found 1 pair with too few different sources"}, /* a run of blanks separates once */
};

START_TEST(test_train_seq2seq_bad_file_is_status_65_with_file_and_line)
{
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        support_write_text("bad.tsv", bad[i].text);
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "bad.tsv");
        support_assert_refused(65, bad[i].message);
        assert_one_line();
        ck_assert(!support_exists("out"));
    }
    support_write_text("good.tsv", GOOD);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "good.tsv", "--dev", "bad.tsv", "--source-column", "3");
    support_assert_refused(65, "good.tsv:1: found 2 columns");
    support_write_text("bad.tsv", "x\ty\nx\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "good.tsv", "--dev", "bad.tsv");
    support_assert_refused(65, "bad.tsv:2: ");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "good.tsv", "--dev", "good.tsv", "--min-count", "99");
    support_assert_refused(65, "good.tsv: no symbol of the sources occurs 99 times");
}
END_TEST

START_TEST(test_train_seq2seq_line_of_a_megabyte_is_status_65)
{
    enum { MEGABYTE = 1 << 20 };
    char *line = malloc(MEGABYTE + 4);
    ck_assert_ptr_nonnull(line);
    memset(line, 'a', MEGABYTE);
    memcpy(line + MEGABYTE, "\tb\n", 4);
    support_write_file(support_path("bad.tsv"), line, MEGABYTE + 3);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "bad.tsv");
    support_assert_refused(65, "bad.tsv:1: ");
    assert_one_line();
    free(line);
}
END_TEST

START_TEST(test_train_seq2seq_file_that_cannot_be_read_is_status_66)
{
    support_write_text("good.tsv", GOOD);
    ck_assert_int_eq(mkdir(support_path("folder"), 0777), 0);
    SUPPORT_TRAIN("--train", "no.tsv");
    support_assert_refused(66, "no.tsv: cannot read: No such file");
    SUPPORT_TRAIN("--train", "good.tsv", "--dev", "no.tsv", "--target-separator", " ");
    support_assert_refused(66, "no.tsv: cannot read: No such file");
    SUPPORT_TRAIN("--train", "folder");
    support_assert_refused(66, "folder: cannot read: Is a directory");
    SUPPORT_TRAIN("--train", "-");
    support_assert_refused(65, "standard input: found an empty file");
    SUPPORT_TRAIN("--config", "no.json");
    support_assert_refused(66, "no.json");
}
END_TEST

static const struct {
    const char *arguments[8];
    const char *message;
} wrong[] = {
    {{"--batch", "4"}, "expected FILE or --train FILE"},
    {{"--train", "good.tsv", "operand"}, "operand"},
    {{"--train", "good.tsv", "--steps", "5", "--epochs", "5"},
     "--steps, --epochs and --minutes: expected only one of them"},
    {{"--train", "good.tsv", "--dropout", "1"}, "--dropout: expected a number from 0 to 0.99"},
    {{"--train", "good.tsv", "--normalize", "nfkc"}, "expected none, nfc or nfd, found \"nfkc\""},
    {{"--train", "good.tsv", "--model", "transformer", "--attention", "dot"},
     "are options of --model seq2seq"},
    {{"--train", "good.tsv", "--model", "transformer", "--no-bidirectional"},
     "are options of --model seq2seq"},
    {{"--train", "good.tsv", "--dev", "good.tsv", "--model", "transformer", "--heads", "5"},
     "cannot divide a width of 192 into 5 heads"},
    {{"--train", "good.tsv", "--source-column", "1", "--target-column", "1"}, "column"},
    {{"--train", "good.tsv", "--target-separator", "\t"}, "separator"},
};

START_TEST(test_train_seq2seq_wrong_usage_is_status_2)
{
    support_write_text("good.tsv", GOOD);
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        const char *arguments[9] = {NULL};
        memcpy(arguments, wrong[i].arguments, sizeof wrong[i].arguments);
        support_train_pairs(arguments, NULL);
        support_assert_refused(2, wrong[i].message);
    }
}
END_TEST

START_TEST(test_train_seq2seq_bad_lines_can_be_skipped_and_are_counted)
{
    support_write_text("train.tsv", GOOD "x\n\xff\ty\n\tz\n" GOOD);
    support_write_text("dev.tsv", GOOD "nothing\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--skip-bad-lines");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(
        support_ran.error, "train.tsv: 11 lines, 4 different pairs\n  3 bad lines skipped: 1 wrong number of "
                           "columns, 1 empty source or target, 1 not UTF-8\n    train.tsv:5: "));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "  1 bad line skipped: 1 wrong number of columns\n"));
    support_write_text("train.tsv", "x\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--skip-bad-lines");
    support_assert_refused(65, "train.tsv: found no valid line among 1");
}
END_TEST

START_TEST(test_train_seq2seq_swapped_files_are_pointed_out)
{
    support_write_pairs("big.tsv", 100, 1);
    support_write_pairs("small.tsv", 20, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "small.tsv", "--dev", "big.tsv", "--steps", "20");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(
        support_ran.error, "more pairs than in small.tsv, the training file: are big.tsv and it swapped?"));
}
END_TEST

/* The operand is --train by another name: it overrides a configuration, too. */
START_TEST(test_train_seq2seq_file_may_be_an_operand)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "20", "--out", "by_option");
    support_assert_trained();
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--steps", "20", "--out", "by_operand");
    support_assert_trained();
    support_assert_same_files("by_option/model.safetensors", "by_operand/model.safetensors");
    support_write_text("config.json", "{\"train\": \"missing.tsv\"}");
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--steps", "20", "--out", "both", "--config", "config.json");
    support_assert_trained();
    SUPPORT_TRAIN("train.tsv", "--train", "train.tsv");
    support_assert_refused(2, "--train and train.tsv: expected only one of them\n");
    SUPPORT_TRAIN("train.tsv", "dev.tsv");
    support_assert_refused(2, "unexpected argument \"dev.tsv\"");
}
END_TEST

START_TEST(test_train_seq2seq_quiet_prints_only_warnings_and_the_same_result)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--steps", "20", "--out", "loud");
    support_assert_trained();
    ck_assert_str_ne(support_ran.error, "");
    char *printed = strdup(support_ran.output);
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--steps", "20", "--out", "still", "-q");
    support_expect(&support_ran, 0, printed, "");
    support_assert_same_files("loud/model.safetensors", "still/model.safetensors");
    support_write_text("config.json", "{\"quiet\": true}");
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--steps", "20", "--out", "still", "--config", "config.json");
    support_expect(&support_ran, 0, printed, "");
    free(printed);
    SUPPORT_TRAIN(SUPPORT_SMALL, "train.tsv", "--target-separator", "", "--steps", "2", "--quiet");
    support_assert_trained();
    assert_one_line();
    ck_assert_ptr_nonnull(strstr(support_ran.error, "the targets are symbols between spaces"));
}
END_TEST

START_TEST(test_train_seq2seq_forgotten_separator_is_pointed_out)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--target-separator", "", "--steps", "2");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error,
                                 "lookback train: train.tsv: the targets are symbols between spaces, of 1.0 "
                                 "characters; set --target-separator to \" \"\n"));
    support_write_text("train.tsv", "a long time ago\tvor langer Zeit\nfar away\tweit weg\nb\tb\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "train.tsv", "--target-separator", "",
                  "--steps", "2", "--fresh");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, "separator"));
}
END_TEST

START_TEST(test_train_seq2seq_controls_in_the_data_do_not_reach_the_terminal)
{
    support_write_text("train.tsv", GOOD);
    support_write_text("dev.tsv", "\x1b[2J\ta\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "2");
    support_assert_trained();
    ck_assert_ptr_null(strchr(support_ran.error, '\x1b'));
}
END_TEST

START_TEST(test_train_seq2seq_folder_that_cannot_be_written_is_status_74)
{
    support_write_text("good.tsv", GOOD);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "good.tsv", "--dev", "good.tsv", "--out", "/proc/nothing/here");
    ck_assert_int_eq(support_ran.status, 74);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "cannot write to /proc/nothing"));
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "good.tsv", "--dev", "good.tsv", "--out", "good.tsv/x");
    ck_assert_int_eq(support_ran.status, 74);
}
END_TEST

/* ulimit -f counts blocks of 512 bytes: fewer than a model has, or more than a model but fewer than a checkpoint.
 * Sanitizers have their own files, which the limit would truncate. */
START_TEST(test_train_seq2seq_full_disk_is_status_74_and_old_files_stay)
{
    static const struct {
        const char *limit, *file;
    } cases[] = {{"20", "model.safetensors"}, {"400", "checkpoint.safetensors"}};
    if (SUPPORT_SANITIZED) return;
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    support_assert_trained();
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        char command[64], name[64];
        size_t before;
        snprintf(name, sizeof name, "out/%s", cases[i].file);
        char *old = support_content(name, &before);
        snprintf(command, sizeof command, "ulimit -f %s; exec \"$@\"", cases[i].limit);
        const char *argv[] = {"/bin/sh",           "-c",      command,       "sh",
                              BIN_DIR "/lookback", "train",   SUPPORT_SMALL, "--train",
                              "train.tsv",         "--fresh", NULL};
        support_run_as(&(support_command){.argv = argv, .directory = support_tempdir()}, &support_ran);
        ck_assert_int_eq(support_ran.status, 74);
        ck_assert_ptr_nonnull(strstr(support_ran.error, name));
        support_assert_content(name, old, before);
        ck_assert_uint_eq(support_match_count("out/*.tmp*"), 0);
    }
}
END_TEST

START_TEST(test_train_seq2seq_result_that_cannot_be_printed_is_status_74)
{
    support_write_pairs("train.tsv", 100, 1);
    const char *const argv[] = {BIN_DIR "/lookback", "train",   SUPPORT_SMALL, "--train",
                                "train.tsv",         "--steps", "5",           NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .output_path = "/dev/full"};
    ck_assert(support_run_command(&command, &support_ran));
    ck_assert_int_eq(support_ran.status, 74);
    ck_assert(support_exists("out/model.safetensors"));
}
END_TEST

START_TEST(test_train_seq2seq_divergence_is_status_75_and_the_checkpoint_stays)
{
    size_t before;
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    char *good = support_content("out/checkpoint.safetensors", &before);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--lr", "1e30", "--warm-up", "0", "--fresh");
    ck_assert_int_eq(support_ran.status, 75);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "diverged"));
    support_assert_content("out/checkpoint.safetensors", good, before);
}
END_TEST

static void expect_refusal(const char *reason)
{
    char message[1024];
    snprintf(
        message, sizeof message,
        "cannot resume from out/checkpoint.safetensors: %s; --fresh starts over, or choose another --out\n",
        reason);
    support_assert_refused(65, message);
}

/* Repeats the training of the test below with other settings. */
#define expect_other_run(reason, ...)                                                                        \
    do {                                                                                                     \
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", __VA_ARGS__);                                   \
        expect_refusal(reason);                                                                              \
    } while (0)

START_TEST(test_train_seq2seq_checkpoint_of_another_run_is_refused_and_fresh_replaces_it)
{
    size_t before;
    support_write_pairs("train.tsv", 100, 1);
    support_write_pairs("other.tsv", 100, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    char *good = support_content("out/checkpoint.safetensors", &before);
    expect_other_run("it was trained with --lr 0.02, this run has --lr 0.01", "--lr", "0.01");
    expect_other_run("it was trained with --target-separator ' ', this run has --target-separator ''",
                     "--target-separator", "");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "other.tsv");
    expect_refusal("it was trained on other pairs (other.tsv has changed, or is a different file)");
    expect_other_run("it was trained with --model seq2seq, this run has --model transformer", "--model",
                     "transformer", "--embed", "0", "--hidden", "32");
    expect_other_run(
        "it was trained with --batch 16, --seed 1, --hidden 32, --layers 1 and --no-tied, this run "
        "has --batch 8, --seed 2, --hidden 24, --layers 2 and --tied",
        "--batch", "8", "--seed", "2", "--hidden", "24", "--layers", "2", "--tied");
    expect_other_run("it is at step 300, this run has --steps 299", "--steps", "299");
    support_assert_content("out/checkpoint.safetensors", good, before);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "other.tsv", "--fresh");
    support_assert_trained();
}
END_TEST

START_TEST(test_train_seq2seq_damaged_checkpoint_is_refused)
{
    size_t count;
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    char *bytes = support_content("out/checkpoint.safetensors", &count);
    support_write_file(support_path("out/checkpoint.safetensors"), bytes, count / 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    ck_assert_int_eq(support_ran.status, 65);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "; --fresh starts over, or choose another --out"));
    free(bytes);
}
END_TEST
