/* train --no-hold-out: every pair is trained on, and the last weights are kept. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <stdio.h>
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
    ck_assert_msg(support_ran.status == 75, "%s", support_ran.error); /* worse than guessing */
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, " on 500 pairs of train.tsv, on which it was trained\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "train.tsv: 500 lines, 393 different pairs\n"));
    ck_assert_ptr_null(strstr(support_ran.error, "held out"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, ", loss at evaluation "));
    support_assert_same_files("whole/model.safetensors", "whole/model-100.safetensors");
    lb_error error = {0};
    lb_safetensors *model = lb_safetensors_open(support_path("whole/model.safetensors"), &error);
    ck_assert_msg(model, "%s", error.message);
    const char *record = lb_safetensors_metadata_value(model, LB_TRAINING_KEY);
    ck_assert_ptr_nonnull(strstr(record, ",\"best_step\":100,"));
    lb_safetensors_close(model);
}
END_TEST

START_TEST(test_hold_out_from_a_pipe_is_said_with_its_name)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c",
                BIN_DIR "/lookback train - --embed 8 --hidden 8 --steps 2 --out piped < train.tsv");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, " pairs held out from standard input\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "\nheld out from standard input: "));
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
    ck_assert_ptr_null(strstr(support_ran.output, "exact match"));
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

/* The number behind the last `key` of a text. */
static double number_of(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    ck_assert_msg(found, "no %s in %s", key, text);
    for (const char *at = found; at; at = strstr(at + 1, key)) found = at;
    return atof(found + strlen(key));
}

/* A training and evaluate find the same pairs: as many, with the same mistakes of greedy search. */
static void assert_held_out(const char *train, const char *evaluate)
{
    char words[512];
    size_t bytes;
    snprintf(words, sizeof words,
             BIN_DIR "/lookback train %s --hidden 16 --embed 8 --steps 150 --quiet --fresh --out held",
             train);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", words);
    support_assert_trained();
    const double told = number_of(support_ran.output, "(greedy) on ");
    char *logged = support_content("held/log.jsonl", &bytes);
    snprintf(words, sizeof words, BIN_DIR "/lookback evaluate held %s --held-out --beam 1 --json", evaluate);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", words);
    support_assert_trained();
    const char *measured = support_ran.output;
    ck_assert_double_gt(told, 1);
    ck_assert_double_eq(number_of(measured, "\"pairs\":"), told);
    ck_assert_double_eq_tol(number_of(measured, "\"symbol_error_rate\":{\"value\":"),
                            100 * number_of(logged, "\"symbol_error\":"), 1e-4);
    free(logged);
}

START_TEST(test_hold_out_is_found_again_by_evaluate_and_report)
{
    char csv[8192] = "\xef\xbb\xbfword,sound\n", tsv[8192] = "", de[8192] = "", en[8192] = "";
    for (int i = 0; i < 90; i++) {
        const char word[] = {(char)('a' + i % 5), (char)('a' + i / 5 % 5), (char)('a' + i / 25 % 5), '\0'};
        sprintf(csv + strlen(csv), "%s,\"%s%s\"\n", word, word, word);
        sprintf(tsv + strlen(tsv), "%s\t%s\n", word, word);
        sprintf(de + strlen(de), "das ist das %s von %c\n", word, 'a' + i % 7);
        sprintf(en + strlen(en), "this is the %s of %c\n", word, 'a' + i % 7);
    }
    support_write_text("a.csv", csv);
    support_write_text("a.tsv", tsv);
    support_write_text("de", de);
    support_write_text("en", en);
    assert_held_out("a.csv", "a.csv");
    assert_held_out("de --train-targets en --subwords 40", "de --targets en");
    assert_held_out("a.tsv", "a.tsv");
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "report", "held", "a.tsv", "--held-out", "-o",
                "a.html");
    ck_assert_ptr_nonnull(strstr(support_ran.error, "wrote a.html ("));
    ck_assert_ptr_null(strstr(support_ran.error, "(90 pairs"));
}
END_TEST

START_TEST(test_hold_out_what_cannot_be_found_again_is_refused)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "5", "--out", "held");
    support_assert_trained();
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c",
                BIN_DIR "/lookback evaluate held - --held-out < train.tsv");
    support_assert_refused(66, "--held-out: found standard input, expected a file, which is read twice");
    support_write_text("one.tsv", "a\tb\n");
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "evaluate", "held", "one.tsv", "--held-out");
    support_assert_refused(65, "too few different sources to hold some out");
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "evaluate", "train.tsv", "--predictions",
                "train.tsv", "--held-out");
    support_assert_refused(2, "--held-out needs a MODEL");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "train.tsv", "--steps", "5", "--out",
                  "dev");
    support_assert_trained();
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "evaluate", "dev", "train.tsv", "--held-out");
    support_assert_refused(2, "was trained with --dev train.tsv, which holds no pair out");
    SUPPORT_TRAIN(WHOLE, "--steps", "5", "--out", "whole");
    support_assert_trained();
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "report", "whole", "train.tsv", "--held-out");
    support_assert_refused(2, "was trained with --no-hold-out, which holds no pair out");
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "join", "held", "held", "--held-out", "-o", "both");
    support_assert_refused(2, "--held-out needs --dev, the file of the training");
}
END_TEST

/* join fits the weights on the same pairs as --ensemble. */
START_TEST(test_hold_out_joins_as_an_ensemble_does)
{
    support_write_pairs("train.tsv", 300, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "40", "--ensemble", "additive:2", "--out",
                  "all");
    support_assert_trained();
    SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "join", "all/additive-1", "all/additive-2", "--dev",
                "train.tsv", "--held-out", "-o", "joined");
    support_assert_trained();
    support_assert_same_files("all/model.safetensors", "joined/model.safetensors");
}
END_TEST
