/* score: pairs and their log-probabilities, as lines and as JSON, and one clear line for each kind of bad input. */
#include "support/pair_model.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCORE   BIN_DIR "/lookback", "score"
#define PREDICT BIN_DIR "/lookback", "predict"
#define TSH     "t\xca\x83"

/* Made once, in main. */
static const char *model;

static support_result result;

#define RUN(text, ...) SUPPORT_RUN(&result, text, SCORE, __VA_ARGS__)

START_TEST(test_score_prints_pairs_with_their_log_probability)
{
    double right, wrong, score;
    int end = 0;
    RUN("bad\tB A " TSH "\ncab\tA A A\n", model, "-");
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(
        sscanf(result.output, "bad\tB A " TSH "\t%lf\ncab\tA A A\t%lf\n%n", &right, &wrong, &end), 2);
    ck_assert_int_eq(end, (int)result.output_length);
    ck_assert(wrong < right && right < 0);
    SUPPORT_RUN(&result, "bad\n", PREDICT, model, "--n-best=1", "--length-penalty=0");
    ck_assert_int_eq(sscanf(result.output, "bad\tB A " TSH "\t%lf", &score), 1);
    ck_assert_double_eq_tol(right, score, 1e-4);
}
END_TEST

START_TEST(test_score_of_a_file_does_not_depend_on_the_batch)
{
    static const char pairs[] = "1\tbad\tB A " TSH "\n2\tcab\tC A B\n3\ta\tA\n";
    const char *path = support_path("pairs.tsv");
    support_write_file(path, pairs, sizeof pairs - 1);
    double all[3], one[3];
    static const char form[] = "bad\tB A " TSH "\t%lf\ncab\tC A B\t%lf\na\tA\t%lf\n";
    RUN(NULL, model, path, "--source-column=2", "--target-column=3");
    ck_assert_int_eq(sscanf(result.output, form, &all[0], &all[1], &all[2]), 3);
    RUN(NULL, model, path, "--source-column=2", "--target-column=3", "--batch=1");
    ck_assert_int_eq(sscanf(result.output, form, &one[0], &one[1], &one[2]), 3);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(all[i], one[i], 1e-4);
}
END_TEST

START_TEST(test_score_jsonl_has_the_probability_of_each_symbol)
{
    RUN("bad\tB A " TSH "\n", model, "-", "--jsonl");
    cJSON *line = cJSON_Parse(result.output);
    const cJSON *output = cJSON_GetObjectItemCaseSensitive(line, "outputs")->child, *symbol;
    double sum = log(cJSON_GetObjectItemCaseSensitive(output, "end")->valuedouble);
    cJSON_ArrayForEach(symbol, cJSON_GetObjectItemCaseSensitive(output, "symbols")) sum +=
        log(cJSON_GetObjectItemCaseSensitive(symbol, "probability")->valuedouble);
    ck_assert_double_eq_tol(cJSON_GetObjectItemCaseSensitive(output, "score")->valuedouble, sum, 1e-6);
    cJSON_Delete(line);
}
END_TEST

/* An output may be empty, and then it can be scored. */
START_TEST(test_score_of_an_empty_target_is_that_of_the_end)
{
    double score;
    RUN("bad\t\n", model, "-");
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(sscanf(result.output, "bad\t\t%lf\n", &score), 1);
    ck_assert_double_lt(score, 0);
    RUN("bad\t\n", model, "-", "--jsonl");
    cJSON *line = cJSON_Parse(result.output);
    const cJSON *output = cJSON_GetObjectItemCaseSensitive(line, "outputs")->child;
    ck_assert_double_eq_tol(log(cJSON_GetObjectItemCaseSensitive(output, "end")->valuedouble), score, 1e-5);
    cJSON_Delete(line);
    RUN("\tB\n", model, "-");
    ck_assert_str_eq(result.error,
                     "lookback score: standard input:1: found an empty source, expected text\n");
}
END_TEST

START_TEST(test_score_says_what_is_unknown_and_what_is_bad)
{
    RUN("bxd\tB y " TSH "\n", model, "-");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(
        result.error,
        "lookback score: standard input: the model does not know 1 of the 3 symbols: \"x\" 1 time\n"
        "lookback score: standard input: 1 of the 3 target symbols are unknown and were scored as "
        "such\n");
    RUN("bad\tB\nbad\n", model, "-");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.error,
                     "lookback score: standard input:2: found 1 column, expected 2, separated by tabs; "
                     "--skip-bad-lines leaves such lines out\n");
    RUN("bad\nbad\tB\n", model, "-", "--skip-bad-lines");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error, "lookback score: standard input: 1 bad line was skipped\n");
    ck_assert_int_eq(strncmp(result.output, "bad\tB\t-", 7), 0);
    RUN(NULL, model);
    ck_assert_int_eq(result.status, 2);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
