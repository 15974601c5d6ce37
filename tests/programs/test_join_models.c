/* The command that makes one model of finished ones, and the votes that predict and report show. It takes seconds. */
#include "support/pair_program.h"
#include "support/report_page.h"
#include "support/suite.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static support_result result;

#define RUN(input, ...) SUPPORT_RUN(&result, input, __VA_ARGS__)

static void train_two(void)
{
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--out", "a");
    support_assert_trained();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--out", "b", "--direction",
                  "backward");
    support_assert_trained();
}

/* The page has the votes that predict prints. */
static void check_report(const char *text)
{
    RUN(text, BIN_DIR "/lookback", "predict", "both", "--votes", "--jsonl");
    cJSON *printed = cJSON_Parse(result.output);
    RUN("", BIN_DIR "/lookback", "report", "both", "--input", text, "-o", "report.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page page = support_open_page("report.html");
    ck_assert_int_eq(support_count(page.data, "pairs.0.votes"), 2);
    ck_assert(cJSON_Compare(support_at(page.data, "pairs.0.votes"), support_at(printed, "votes"), true));
    support_close_page(&page);
    cJSON_Delete(printed);
    RUN("", BIN_DIR "/lookback", "report", "both", "dev.tsv", "--details", "3", "-o", "report.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    page = support_open_page("report.html");
    for (int i = 0; i < support_count(page.data, "pairs"); i++) {
        const cJSON *pair = cJSON_GetArrayItem(support_at(page.data, "pairs"), i);
        ck_assert_int_eq(cJSON_HasObjectItem(pair, "votes"), i < 3);
    }
    support_close_page(&page);
    RUN("", BIN_DIR "/lookback", "report", "a", "--input", text, "-o", "report.html");
    page = support_open_page("report.html");
    ck_assert(!cJSON_HasObjectItem(support_at(page.data, "pairs.0"), "votes"));
    support_close_page(&page);
}

START_TEST(test_join_prints_a_table_and_predict_shows_who_voted_for_what)
{
    train_two();
    RUN("", BIN_DIR "/lookback", "join", "a", "b", "--dev", "dev.tsv", "-o", "both", "--threads", "1");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_int_eq(strncmp(result.output, "weight   exact match  symbol error  dev loss   kind ", 52), 0);
    ck_assert_ptr_nonnull(strstr(result.output, " additive-backward    b/model.safetensors\n"));
    ck_assert_ptr_nonnull(strstr(result.output, " all                  together\nexact match "));
    ck_assert_ptr_nonnull(strstr(result.output, " on 60 pairs of dev.tsv\n"));
    RUN("abcd\n\nha\n", BIN_DIR "/lookback", "predict", "both", "--votes", "--threads", "1");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_int_eq(strncmp(result.output, "abcd\td c b a\t-0.", 16), 0);
    ck_assert_ptr_nonnull(strstr(result.output, "\t1\ttogether\nabcd\td c b a\t-0."));
    ck_assert_ptr_nonnull(strstr(result.output, "\tadditive-backward\n\nha\ta h\t"));
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "both", "--votes", "--jsonl", "--n-best", "2", "--threads",
        "1");
    ck_assert_ptr_nonnull(strstr(result.output, ",\"votes\":[{\"member\":\"additive\",\"weight\":0."));
    ck_assert_ptr_nonnull(strstr(result.output, ",\"text\":\"d c b a\",\"score\":-"));
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "both", "--attention", "where.npy", "--n-best", "2");
    ck_assert_int_eq(result.status, 0);
    ck_assert(support_exists("where.npy"));
    check_report("abcd");
    RUN("", BIN_DIR "/lookback", "inspect", "both");
    ck_assert_ptr_nonnull(strstr(result.output, "kind: vote\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "      direction: \"backward\"\n      weight: 0."));
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "both", "--sample");
    ck_assert_int_ne(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, "write in different directions"));
}
END_TEST

START_TEST(test_join_and_votes_refuse_what_cannot_be)
{
    train_two();
    RUN("", BIN_DIR "/lookback", "join", "a");
    ck_assert_int_eq(result.status, 2);
    RUN("", BIN_DIR "/lookback", "join", "a", "b", "--source-column", "2");
    ck_assert_ptr_nonnull(strstr(result.error, "columns, --skip-bad-lines and --any-target need --dev"));
    RUN("", BIN_DIR "/lookback", "join", "a", "b", "-o", "both");
    ck_assert_str_eq(strchr(result.output, '\n') - 5,
                     "model\n0.5000   additive             a/model.safetensors\n"
                     "0.5000   additive-backward    b/model.safetensors\n"
                     "2 models in both\n");
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "a", "--votes");
    ck_assert_ptr_nonnull(strstr(result.error, "--votes needs an ensemble, found a single model"));
}
END_TEST

START_TEST(test_join_keeps_the_earlier_model_of_the_folder)
{
    size_t before;
    train_two();
    RUN("", BIN_DIR "/lookback", "join", "a", "b", "-o", "both");
    ck_assert_str_eq(result.error, "");
    char *earlier = support_content("both/model.safetensors", &before);
    RUN("", BIN_DIR "/lookback", "join", "b", "a", "-o", "both");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error,
                     "lookback join: the earlier model is kept as both/model.old-1.safetensors\n");
    support_assert_content("both/model.old-1.safetensors", earlier, before);
}
END_TEST
