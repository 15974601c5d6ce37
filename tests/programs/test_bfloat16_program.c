/* A training in bfloat16: one result on any number of threads and after kills, a record that says so, and evaluations
 * in float32. It takes seconds. */
#include "lookback/autograd.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>

#define RUN(...)   SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", __VA_ARGS__)
#define ROUNDED    "--set", "precision=bfloat16"
#define TRAIN(...) SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "-q", __VA_ARGS__)

static bool is_skipped(void)
{
    lb_error error = {0};
    if (!lb_tape_set_precision(NULL, LB_BFLOAT16, &error)) return false;
    support_skip("training in bfloat16", "this processor has no avx512_bf16");
    return true;
}

START_TEST(test_bfloat16_program_has_the_same_bits_on_any_threads_and_after_kills)
{
    if (is_skipped()) return;
    support_write_pairs("train.tsv", 100, 1);
    TRAIN("--steps", "60", "--out", "one", ROUNDED);
    support_assert_trained();
    TRAIN("--steps", "60", "--out", "two", "--threads", "2", ROUNDED);
    support_assert_same_files("one/model.safetensors", "two/model.safetensors");
    SUPPORT_TRAIN_KILLED(SUPPORT_SMALL, "--train", "train.tsv", "-q", "--steps", "60", "--out", "killed",
                         ROUNDED);
    support_assert_same_weights("one/model.safetensors", "killed/model.safetensors");
    TRAIN("--steps", "90", "--out", "one");
    support_assert_refused(65,
                           "it was trained with --set precision=bfloat16, this run has no --set precision");
}
END_TEST

/* The measures of the record are those of the weights in float32, on any processor. */
START_TEST(test_bfloat16_program_evaluates_in_float32)
{
    if (is_skipped()) return;
    support_write_pairs("train.tsv", 100, 1);
    support_write_pairs("dev.tsv", 40, 2);
    TRAIN("--steps", "60", "--dev", "dev.tsv", "--out", "out", ROUNDED);
    support_assert_trained();
    RUN("reproduce", "out/model.safetensors", "-q");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    RUN("inspect", "out/model.safetensors");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "precision: \"bfloat16\""));
}
END_TEST

START_TEST(test_bfloat16_program_refuses_other_instruction_sets)
{
    support_write_pairs("train.tsv", 60, 1);
    static const char *const sets[] = {"baseline", "portable"};
    for (int i = 0; SUPPORT_ROW(i, sets); i++) {
        TRAIN("--steps", "2", "--out", "out", "--isa", sets[i], ROUNDED);
        support_assert_refused(2, "precision: found bfloat16, but ");
    }
}
END_TEST
