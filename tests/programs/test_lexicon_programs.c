/* The words that one knows, first: a lexicon in a model by train and join, and what predict, evaluate, inspect, score
 * and export make of it. It takes seconds. */
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <lookback/translate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static support_result result;

#define RUN(input, ...) SUPPORT_RUN(&result, input, __VA_ARGS__)
#define LOOKBACK        BIN_DIR "/lookback"

/* Made once, in main: the model of pair_model.h, which writes "bad" as "B A tʃ". */
static char model[SUPPORT_PATH];

/* "ab" has two answers, and one of them a symbol that the model lacks; the model lacks the letters of "xyz", too. */
static const char words[] = "bad\tA A\nab\tnew B\nab\tA B\nxyz\tB\n\xc3\xa9"
                            "a\tA\n";

static void join_words(const char *out, const char *option)
{
    support_write_text("words.tsv", words);
    RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", out, option);
    ck_assert_msg(result.status == 0, "%s", result.error);
}

static void expect(const char *output)
{
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_str_eq(result.output, output);
}

static void expect_refused(const char *message)
{
    ck_assert_int_ne(result.status, 0);
    ck_assert_msg(strstr(result.error, message) != NULL, "%s", result.error);
}

START_TEST(test_lexicon_of_join_is_written_whatever_the_search)
{
    join_words("exact", NULL);
    ck_assert_ptr_nonnull(strstr(result.output, "1 model in exact\n4 entries in the lexicon\n"));
    ck_assert_ptr_nonnull(
        strstr(result.error, "1 of 4 entries of the lexicon have several targets; the first"));
    const char *const searches[][2] = {{"--beam", "1"}, {"--beam", "8"}, {"--batch", "1"}};
    for (int i = 0; i < 3; i++) {
        RUN("bad\nab\nxyz\ne\xcc\x81"
            "a\nBad\n",
            LOOKBACK, "predict", "exact", "--only-outputs", searches[i][0], searches[i][1]);
        ck_assert_int_eq(strncmp(result.output, "A A\nnew B\nB\nA\n", strlen("A A\nnew B\nB\nA\n")), 0);
    }
    RUN("bad\n", LOOKBACK, "predict", "exact", "--only-outputs", "--no-lexicon");
    expect("B A t\xca\x83\n");
    RUN("bad\n", LOOKBACK, "predict", "exact", "--only-outputs", "--sample", "--temperature", "0");
    expect("B A t\xca\x83\n");
    RUN("", LOOKBACK, "inspect", "exact", "--lexicon");
    expect("ab\tnew B\nab\tA B\nbad\tA A\n\xc3\xa9"
           "a\tA\nxyz\tB\n");
}
END_TEST

START_TEST(test_lexicon_is_first_among_the_best_and_scored_as_score_does)
{
    join_words("exact", NULL);
    RUN("ab\n", LOOKBACK, "predict", "exact", "--jsonl", "--n-best", "4");
    cJSON *line = cJSON_Parse(result.output);
    const cJSON *outputs = cJSON_GetObjectItem(line, "outputs");
    ck_assert_int_eq(cJSON_GetArraySize(outputs), 4);
    const char *const texts[] = {"new B", "A B"};
    for (int i = 0; i < 4; i++) {
        const cJSON *output = cJSON_GetArrayItem(outputs, i);
        const char *from = cJSON_GetStringValue(cJSON_GetObjectItem(output, "from"));
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(output, "text"));
        ck_assert_int_eq(from && strcmp(from, "lexicon") == 0, i < 2);
        ck_assert_int_eq(cJSON_IsNull(cJSON_GetObjectItem(output, "probability")), i == 0);
        ck_assert_int_eq(cJSON_IsNull(cJSON_GetObjectItem(output, "score")), i == 0);
        for (int k = 0; k < 2; k++) ck_assert_int_eq(strcmp(text, texts[k]) == 0, k == i);
    }
    double probability = cJSON_GetObjectItem(cJSON_GetArrayItem(outputs, 1), "probability")->valuedouble;
    RUN("ab\tA B\n", LOOKBACK, "score", "exact", "-");
    ck_assert_double_eq_tol(log(probability), atof(strrchr(result.output, '\t')), 1e-4);
    cJSON_Delete(line);
    RUN("ab\n", LOOKBACK, "predict", "exact", "--n-best", "1");
    expect("ab\tnew B\t\n");
    RUN("ab\n", LOOKBACK, "predict", "exact", "--attention", "where.npy");
    expect_refused("found an answer of the lexicon, for which the model has no attention");
    RUN("bad\n", LOOKBACK, "predict", "exact", "--attention", "where.npy");
    expect("bad\tA A\n");
    RUN("ab\tA\n", LOOKBACK, "predict", "exact", "--prefix-column", "2", "--only-outputs");
    expect("A B\n");
}
END_TEST

START_TEST(test_lexicon_leaves_other_outputs_and_the_file_without_it_as_they_were)
{
    join_words("exact", NULL);
    RUN("dad\nbe\nabe\n", LOOKBACK, "predict", model, "--jsonl", "--n-best", "3");
    char *plain = strdup(result.output);
    RUN("dad\nbe\nabe\n", LOOKBACK, "predict", "exact", "--jsonl", "--n-best", "3");
    expect(plain);
    free(plain);
    RUN("", LOOKBACK, "join", "exact", "--no-lexicon", "-o", "back");
    ck_assert_int_eq(result.status, 0);
    RUN("", "/usr/bin/cmp", model, "back/model.safetensors");
    expect("");
}
END_TEST

START_TEST(test_lexicon_case_folds)
{
    support_write_text("words.tsv", "Stra\xc3\x9f"
                                    "e\tA A\n");
    RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "--lexicon-case", "fold", "-o", "folded");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("STRASSE\nstrasse\nStra\xc3\x9f"
        "e\n",
        LOOKBACK, "predict", "folded", "--only-outputs");
    expect("A A\nA A\nA A\n");
}
END_TEST

START_TEST(test_lexicon_in_evaluate_gives_both_figures)
{
    join_words("exact", NULL);
    support_write_text("test.tsv", "bad\tA A\ndad\tt\xca\x83 A t\xca\x83\n");
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv", "--json", "--confusions", "0");
    cJSON *found = cJSON_Parse(result.output);
    ck_assert_msg(found != NULL, "%s", result.error);
    const cJSON *without = cJSON_GetObjectItem(found, "without_lexicon");
    ck_assert_int_eq(cJSON_GetObjectItem(found, "of_lexicon")->valueint, 1);
    double with = cJSON_GetObjectItem(cJSON_GetObjectItem(found, "exact_match"), "value")->valuedouble;
    double bare = cJSON_GetObjectItem(cJSON_GetObjectItem(without, "exact_match"), "value")->valuedouble;
    ck_assert_double_eq(with - bare, 50);
    cJSON_Delete(found);
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv");
    ck_assert_ptr_nonnull(
        strstr(result.output, "\nof the lexicon             1\nwithout the lexicon\nexact match"));
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv", "--no-lexicon");
    ck_assert_ptr_null(strstr(result.output, "lexicon"));
    RUN("", LOOKBACK, "evaluate", model, "test.tsv");
    ck_assert_ptr_null(strstr(result.output, "lexicon"));
}
END_TEST

START_TEST(test_lexicon_of_a_training_is_given_or_learned_and_stays_in_the_next_one)
{
    support_write_text("words.tsv", "ha\tx\n");
    support_write_text("train.tsv", "ha\ta h\nda\ta d\nda\td\nda\td\nbe\te b\nab\tb a\n");
    support_write_text("dev.tsv", "ad\td a\n");
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--target-separator", " ", "--steps", "1",
                  "--hidden", "8", "--embed", "4", "--lexicon", "words.tsv", "--lexicon-from-train", "--out",
                  "a");
    support_assert_trained();
    RUN("", LOOKBACK, "inspect", "a", "--lexicon");
    expect("ab\tb a\nbe\te b\nda\td\nda\ta d\nha\tx\n");
    SUPPORT_TRAIN("--from", "a", "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "1", "--out", "b");
    support_assert_trained();
    RUN("ha\n", LOOKBACK, "predict", "b", "--only-outputs");
    expect("x\n");
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--target-separator", " ", "--steps", "1",
                  "--hidden", "8", "--embed", "4", "--lexicon", "words.tsv", "--seeds", "2", "--out", "two");
    support_assert_trained();
    RUN("ha\n", LOOKBACK, "predict", "two", "--only-outputs");
    expect("x\n");
    RUN("", LOOKBACK, "join", "a", "two/seed-1", "-o", "both");
    expect_refused("they have different lexicons");
    RUN("", LOOKBACK, "join", "a", "two/seed-1", "-o", "both", "--lexicon", "words.tsv");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("ha\n", LOOKBACK, "predict", "both", "--only-outputs");
    expect("x\n");
}
END_TEST

START_TEST(test_lexicon_that_cannot_be_is_refused_with_its_line)
{
    static const struct {
        const char *text, *message;
    } bad[] = {{"bad\tA\nab\t\n", "words.tsv:2: "},
               {"bad\tA\nab\n", "words.tsv:2: "},
               {"bad\tV;PST\tA\n", "words.tsv:1: "},
               {"bad\tA  B\n\xff\tA\n", "words.tsv:2: "},
               {"", "words.tsv"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        support_write_text("words.tsv", bad[i].text);
        RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", "out");
        expect_refused(bad[i].message);
        ck_assert(!support_exists("out/model.safetensors"));
    }
    join_words("exact", NULL);
    RUN("", LOOKBACK, "join", "exact", "--lexicon", "words.tsv", "--no-lexicon", "-o", "out");
    expect_refused("--lexicon and --no-lexicon: expected only one of them");
    RUN("", LOOKBACK, "join", "exact", "-o", "out");
    expect_refused("found 1 MODEL, expected several, or --lexicon or --no-lexicon");
    RUN("", LOOKBACK, "export", "exact", "-o", "g2p.c");
    expect_refused("found a model with a lexicon");
    RUN("", LOOKBACK, "export", "exact", "-o", "g2p.onnx");
    expect_refused("found a model with a lexicon");
    RUN("", LOOKBACK, "inspect", model, "--lexicon");
    expect_refused("found no lexicon");
    RUN("", LOOKBACK, "train", "words.tsv", "--lexicon-case", "fold", "--out", "out");
    expect_refused("lexicon_case: found no lexicon");
}
END_TEST

int main(void)
{
    support_train_pair_model(support_path(model, "model.safetensors"), 600, LB_ATTENTION_ADDITIVE);
    return support_run_tests(
        "lexicon_programs",
        SUPPORT_TESTS(test_lexicon_of_join_is_written_whatever_the_search,
                      test_lexicon_is_first_among_the_best_and_scored_as_score_does,
                      test_lexicon_leaves_other_outputs_and_the_file_without_it_as_they_were,
                      test_lexicon_case_folds, test_lexicon_in_evaluate_gives_both_figures,
                      test_lexicon_of_a_training_is_given_or_learned_and_stays_in_the_next_one,
                      test_lexicon_that_cannot_be_is_refused_with_its_line));
}
