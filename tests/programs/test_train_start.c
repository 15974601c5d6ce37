/* lookback train from a trained model, and what it says where nothing was measured.
 * It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* The base has other sizes than the defaults, and the second run does not give any. */
START_TEST(test_train_seq2seq_from_a_model_takes_its_architecture_and_refuses_another)
{
    support_write_pairs("train.tsv", 100, 1);
    support_write_text("new.tsv", "xyz\tz y x\nyx\tx y\nzzy\ty z z\nyz\tz y\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--out", "base", "--steps", "60");
    support_assert_trained();
    SUPPORT_TRAIN("--from", "base", "--train", "new.tsv", "--dev", "new.tsv", "--steps", "60",
                  "--evaluate-every", "20", "--set", "freeze=attention");
    support_assert_trained();
    SUPPORT_TRAIN("--from", "base", "--train", "new.tsv", "--dev", "new.tsv", "--hidden", "192", "--out",
                  "other");
    support_assert_refused(2, "cannot start from base: it has --hidden 32, this run has --hidden 192");
    SUPPORT_TRAIN("--from", "base", "--train", "new.tsv", "--out", "base");
    support_assert_refused(2, "this run would overwrite it");
}
END_TEST

static void assert_said(const char *text)
{
    support_assert_trained();
    ck_assert_msg(strstr(support_ran.error, text), "\"%s\" does not say \"%s\"", support_ran.error, text);
}

START_TEST(test_train_seq2seq_from_a_better_model_keeps_it_and_says_so)
{
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 40, 2);
    support_write_text("other.tsv", "abc\ta a a\nbc\ta a\ncc\ta a\nba\ta a\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--out", "base");
    SUPPORT_TRAIN("--from", "base", "--train", "other.tsv", "--dev", "dev.tsv", "--steps", "40", "--out",
                  "worse");
    assert_said("kept the model it started from: exact match ");
    support_assert_same_weights("base/model.safetensors", "worse/model.safetensors");
    SUPPORT_TRAIN("--from", "base", "--train", "other.tsv", "--dev", "dev.tsv", "--steps", "40", "--out",
                  "worse");
    assert_said("kept the model it started from: exact match "); /* again, from its checkpoint */
    SUPPORT_TRAIN("--from", "base", "--train", "other.tsv", "--no-hold-out", "--steps", "80", "--lr", "0.02",
                  "--out", "last");
    assert_said("the model it started from: exact match 0.00 %");
    assert_said("kept the model of step 80: exact match 100.00 %");
}
END_TEST

/* No target of dev.tsv can be written: its symbols count as unknown ones. */
START_TEST(test_train_seq2seq_on_dev_targets_that_cannot_be_written_has_a_loss)
{
    support_write_pairs("train.tsv", 100, 1);
    support_write_text("dev.tsv", "abc\tx y\nbc\ty z\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "4");
    support_assert_trained();
    size_t count;
    char *log = support_content("out/log.jsonl", &count), *loss = strstr(log, "\"dev_loss\":");
    ck_assert_ptr_nonnull(loss);
    ck_assert_double_gt(atof(loss + strlen("\"dev_loss\":")), 1);
    ck_assert_ptr_nonnull(strstr(log, "\"exact_match\":0,"));
    free(log);
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "join", "out", "out", "--dev", "dev.tsv", "--out",
                "joined");
    support_assert_trained();
}
END_TEST
