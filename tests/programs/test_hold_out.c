/* train --no-hold-out: every pair is trained on, and the last weights are kept. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <stdlib.h>
#include <string.h>

#define WHOLE SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out"

/* The learning rate rises to the end, far too high: the last weights are the worst. */
#define WORSE                                                                                                \
    "--lr", "5", "--warm-up", "100", "--set", "average=0", "--steps", "100", "--evaluate-every", "10"

START_TEST(test_no_hold_out_trains_on_all_pairs_and_keeps_the_last_weights)
{
    support_write_pairs("train.tsv", 500, 1);
    SUPPORT_TRAIN(WHOLE, WORSE, "--set", "keep=1", "--out", "whole");
    ck_assert_msg(support_run_result.status == 75, "%s", support_run_result.error); /* worse than guessing */
    ck_assert_ptr_nonnull(
        strstr(support_run_result.output, " on 500 pairs of train.tsv, on which it was trained\n"));
    ck_assert_ptr_nonnull(strstr(support_run_result.error, "train.tsv: 500 lines, 393 different pairs\n"));
    ck_assert_ptr_null(strstr(support_run_result.error, "held out"));
    ck_assert_ptr_nonnull(strstr(support_run_result.error, ", loss at evaluation "));
    support_assert_same_files("whole/model.safetensors", "whole/model-100.safetensors");
    char path[SUPPORT_PATH];
    lb_error error = {0};
    lb_safetensors *model = lb_safetensors_open(support_path(path, "whole/model.safetensors"), &error);
    ck_assert_msg(model, "%s", error.message);
    const char *record = lb_safetensors_metadata_value(model, LB_TRAINING_KEY);
    ck_assert_ptr_nonnull(strstr(record, ",\"best_step\":100,"));
    lb_safetensors_close(model);
}
END_TEST

START_TEST(test_hold_out_from_a_pipe_is_said_with_its_name)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_RUN(&support_run_result, NULL, "/bin/sh", "-c",
                BIN_DIR "/lookback train - --embed 8 --hidden 8 --steps 2 --out piped < train.tsv");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_run_result.output, " pairs held out from standard input\n"));
    ck_assert_ptr_nonnull(strstr(support_run_result.error, "\nheld out from standard input: "));
}
END_TEST

START_TEST(test_no_hold_out_killed_and_run_again_ends_with_the_same_file)
{
    support_write_pairs("train.tsv", 500, 1);
    SUPPORT_TRAIN(WHOLE, "--steps", "400", "--dropout", "0.3", "--out", "whole");
    support_assert_trained();
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(WHOLE, "--steps", "400", "--dropout", "0.3", "--out", "killed"), 5);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
}
END_TEST

START_TEST(test_no_hold_out_is_another_run)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(WHOLE, "--steps", "20", "--out", "whole");
    support_assert_trained();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "train.tsv", "--steps", "20", "--out",
                  "whole");
    support_assert_refused(65, "it was evaluated on the pairs that it was trained on");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "train.tsv", "--steps", "20", "--out",
                  "dev");
    support_assert_trained();
    SUPPORT_TRAIN(WHOLE, "--steps", "20", "--out", "dev");
    support_assert_refused(65, "it was evaluated on pairs that it was not trained on");
}
END_TEST

/* Nobody can weigh the members. */
START_TEST(test_no_hold_out_members_have_equal_weights)
{
    size_t count;
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(WHOLE, "--steps", "20", "--ensemble", "additive:1,backward:1", "--out", "all");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_run_result.output, "exact match"));
    char *table = support_content("all/ensemble.tsv", &count);
    ck_assert_ptr_nonnull(strstr(table, "\n0.5000\t\t\t\tadditive\tall/additive-1/model.safetensors\n"));
    ck_assert_ptr_nonnull(strstr(table, "\n1.0000\t\t\t\tall\ttogether\n"));
    free(table);
}
END_TEST

START_TEST(test_no_hold_out_with_a_teacher_needs_no_dev)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(WHOLE, "--steps", "20", "--out", "teacher");
    support_assert_trained();
    SUPPORT_TRAIN(WHOLE, "--steps", "20", "--teacher", "teacher", "--out", "pupil");
    support_assert_trained();
    ck_assert(support_exists("pupil/taught.tsv"));
}
END_TEST

START_TEST(test_no_hold_out_with_what_needs_other_pairs_is_refused)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(WHOLE, "--dev", "train.tsv");
    support_assert_refused(2, "--no-hold-out and --dev: expected only one of them");
    SUPPORT_TRAIN(WHOLE, "--patience", "3");
    support_assert_refused(2, "--patience: --no-hold-out leaves no pairs to evaluate on");
    SUPPORT_TRAIN(WHOLE, "--sweep", "sweep.json");
    support_assert_refused(2, "--no-hold-out leaves no pairs to compare the models on");
}
END_TEST
