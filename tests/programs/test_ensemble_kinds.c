/* train --ensemble: models that differ, side by side, and their vote.
 * This is too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS "additive:1,backward:1,transformer-backward:1"
#define SHORT   SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "150"

static void write_files(void)
{
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
}

START_TEST(test_ensemble_trains_its_kinds_and_joins_them)
{
    double together = 0;
    size_t count;
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", MEMBERS, "--out", "all", "--seed", "5");
    support_assert_trained();
    const char *line = strstr(support_ran.output, "\nexact match ");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, "\nexact match %lf %% (beam 5) on 60 pairs of dev.tsv", &together), 1);
    ck_assert(support_exists("all/additive-5/model.safetensors") &&
              support_exists("all/backward-6/log.jsonl") &&
              support_exists("all/transformer-backward-7/model.safetensors"));
    char *table = support_content("all/ensemble.tsv", &count), last[64];
    ck_assert_int_eq(support_line_count("all/ensemble.tsv"), 5);
    ck_assert_ptr_nonnull(strstr(table, "\tadditive-backward\tall/backward-6/model.safetensors\n"));
    ck_assert_ptr_nonnull(
        strstr(table, "\ttransformer-backward\tall/transformer-backward-7/model.safetensors\n"));
    snprintf(last, sizeof last, "\n1.0000\t%.4f", together / 100);
    ck_assert_ptr_nonnull(strstr(table, last));
    free(table);
    SUPPORT_TRAIN(SHORT, "--direction", "backward", "--seed", "6", "--out", "alone");
    support_assert_trained();
    support_assert_same_files("all/backward-6/model.safetensors", "alone/model.safetensors");
}
END_TEST

START_TEST(test_ensemble_killed_and_run_again_ends_with_the_same_file)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", MEMBERS, "--out", "whole");
    support_assert_trained();
    char *output = strdup(support_ran.output);
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(SHORT, "--ensemble", MEMBERS, "--out", "killed"), 5);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
    SUPPORT_TRAIN(SHORT, "--ensemble", MEMBERS, "--out", "whole");
    support_assert_trained();
    ck_assert_str_eq(support_ran.output, output);
    free(output);
}
END_TEST

START_TEST(test_ensemble_keeps_an_earlier_model_that_is_not_its_own)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--out", "alone");
    SUPPORT_TRAIN(SHORT, "--out", "all");
    support_assert_trained();
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--out", "all");
    support_assert_trained();
    ck_assert_ptr_nonnull(
        strstr(support_ran.error, "the earlier model is kept as all/model.old-1.safetensors\n"));
    support_assert_same_files("alone/model.safetensors", "all/model.old-1.safetensors");
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--out", "all");
    support_assert_trained();
    ck_assert(!support_exists("all/model.old-2.safetensors"));
    size_t count;
    char *joined = support_content("all/model.safetensors", &count);
    SUPPORT_TRAIN(SHORT, "--ensemble", "additive:1,backward:1", "--out", "all", "--fresh");
    support_assert_trained();
    support_assert_content("all/model.old-2.safetensors", joined, count);
}
END_TEST

START_TEST(test_ensemble_of_a_number_is_the_same_model_with_other_seeds)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", "general:1,transformer:1", "--steps", "20", "--embed", "8", "--set",
                  "window=3", "--no-bidirectional", "--out", "mixed");
    support_assert_trained();
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--attention", "general", "--steps", "50");
    support_assert_trained();
    ck_assert(support_exists("out/model-1/model.safetensors") &&
              support_exists("out/model-2/model.safetensors"));
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, " general              out/model-2/model.safetensors\n"));
}
END_TEST

/* The configuration is JSON in a value of JSON. */
static bool has_window_of_3(const char *name)
{
    size_t count;
    char *model = support_content(name, &count);
    enum { LENGTH = 8 }; /* bytes, the lowest first */
    size_t header = 0;
    for (int i = LENGTH; i-- > 0;) header = header << 8 | (unsigned char)model[i];
    ck_assert_uint_lt(header, count - LENGTH);
    model[LENGTH + header - 1] = '\0';
    bool has = strstr(model + LENGTH, "\\\"window\\\":3") != NULL;
    free(model);
    return has;
}

/* Of few pairs, ten. */
START_TEST(test_ensemble_auto_is_chosen_by_the_pairs)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", "auto", "--steps", "2", "--out", "all");
    support_assert_trained();
    ck_assert_ptr_nonnull(
        strstr(support_ran.error, "ensemble additive:3,backward:3,monotonic-1:2,monotonic-1-backward:2"));
    ck_assert(support_exists("all/monotonic-1-backward-10/model.safetensors"));
    SUPPORT_TRAIN("--train", "train.tsv", "--no-hold-out", "--hidden", "8", "--embed", "8", "--ensemble",
                  "auto", "--steps", "2", "--out", "kept");
    support_assert_trained();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--ensemble", "auto", "--train", "no.tsv");
    support_assert_refused(66, "no.tsv: cannot read");
}
END_TEST

START_TEST(test_few_pairs_say_last_what_a_vote_takes)
{
    static const char vote[] = " pairs are few: an ensemble of 10 models ";
    write_files();
    SUPPORT_TRAIN(SHORT, "--steps", "2", "--out", "one");
    support_assert_trained();
    const char *said = strstr(support_ran.error, vote);
    ck_assert_msg(said != NULL, "%s", support_ran.error);
    ck_assert_ptr_eq(strchr(said, '\n') + 1, support_ran.error + strlen(support_ran.error));
    SUPPORT_TRAIN(SHORT, "--steps", "2", "--seeds", "2", "--out", "two");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, vote));
}
END_TEST

START_TEST(test_ensemble_members_with_a_window_have_that_of_the_options)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", "local-m:1,transformer:1,general:1,backward:1", "--attention",
                  "local-p", "--steps", "20", "--embed", "8", "--set", "window=3", "--out", "mixed", "--seed",
                  "1");
    support_assert_trained();
    ck_assert(has_window_of_3("mixed/local-m-1/model.safetensors"));
    ck_assert(has_window_of_3("mixed/transformer-2/model.safetensors"));
    ck_assert(!has_window_of_3("mixed/general-3/model.safetensors"));
    ck_assert(has_window_of_3("mixed/backward-4/model.safetensors"));
}
END_TEST

START_TEST(test_ensemble_that_cannot_be_is_refused_before_anything_is_trained)
{
    static const struct {
        const char *list, *text;
    } cases[] = {
        {"additve:2",
         "--ensemble: found \"additve\" (did you mean additive?), expected one of none, additive, "},
        {"trnsformer-backward", "found \"trnsformer\" (did you mean transformer?), expected one of"},
        {"additive:0", "found \"0\" after additive, expected a number of models, such as additive:3"},
        {"additive:", "found \"\" after additive"},
        {"additive:2,", "found \"\", expected one of"},
        {"additive:60,general:5", "expected 1 to 64 models in all"},
        {"65", "expected 1 to 64 models in all"},
        {"-backward", "found \"-backward\" (did you mean backward?), expected one of"},
        {"", "--ensemble: expected LIST, found \"\""},
        {"additive,dot", "dot-2: attention: dot needs encoder states as wide"},
    };
    write_files();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        SUPPORT_TRAIN(SHORT, "--ensemble", cases[i].list);
        support_assert_refused(2, cases[i].text);
    }
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--ensemble", "2", "--dev", "no.tsv");
    support_assert_refused(66, "model-1: no.tsv: cannot read: No such file or directory\n");
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--seeds", "2");
    support_assert_refused(2, "--ensemble and --seeds: expected only one of them");
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--sweep", "sweep.json");
    support_assert_refused(2, "--sweep and --ensemble: expected only one of them");
    SUPPORT_TRAIN(SHORT, "--ensemble", "2", "--from", "out");
    support_assert_refused(2, "--ensemble and --from: expected only one of them");
    ck_assert(!support_exists("out"));
}
END_TEST

START_TEST(test_ensemble_with_a_member_that_fails_is_not_joined)
{
    write_files();
    SUPPORT_TRAIN(SHORT, "--ensemble", "additive:1,general:1", "--lr", "1e30", "--steps", "20");
    ck_assert_int_eq(support_ran.status, 75);
    ck_assert_ptr_nonnull(strstr(support_ran.error, ": 2 of 2 trainings failed: "));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "; the same command tries them again\n"));
    ck_assert(!support_exists("out/model.safetensors"));
}
END_TEST

START_TEST(test_ensemble_has_its_folder_while_it_writes_its_table)
{
    write_files();
    SUPPORT_TRAIN_UNTIL("rename /ensemble.tsv 1 sh test -e out/.lock && touch locked", SHORT, "--ensemble",
                        "additive:2", "--steps", "20");
    support_assert_trained();
    ck_assert(support_exists("locked"));
    ck_assert(!support_exists("out/.lock"));
}
END_TEST
