/* evaluate: its measures of models and of predictions, and one clear line for each kind of bad input. */
#include "lookback/translate.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EVALUATE BIN_DIR "/lookback", "evaluate"
#define PREDICT  BIN_DIR "/lookback", "predict"

/* Made once, in main; `folder` holds the first as model.safetensors. */
static const char *folder, *model, *sorter;

static support_result result;

/* Runs evaluate in the test's folder. */
#define RUN(...)          SUPPORT_RUN(&result, NULL, EVALUATE, __VA_ARGS__)
#define RUN_ON(text, ...) SUPPORT_RUN(&result, text, EVALUATE, __VA_ARGS__)

/* Asserts that the output begins like this. */
static void expect_begin(const char *begin)
{
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strncmp(result.output, begin, strlen(begin)) == 0, "%s", result.output);
}

static void expect_refused(int status, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_str_eq(result.output, "");
    ck_assert_int_eq(result.status, status);
}

/* One of ten is wrong, in one of thirty symbols: the last but one has B instead of A. */
static const char pairs[] = "abc\tA B C\n"
                            "cab\tC A B\n"
                            "bad\tB A t\xca\x83\n"
                            "e\xcc\x81"
                            "a\t\xc9\x9b \xcb\x90 A\n"
                            "\xc3\xa9"
                            "b\t\xc9\x9b \xcb\x90 B\n"
                            "bbb\tB B B\n"
                            "cbc\tC B C\n"
                            "dad\tt\xca\x83 A t\xca\x83\n"
                            "aca\tA C B\n"
                            "cca\tC C A\n";

static const char predictions[] = "abc\tA B C\n"
                                  "cab\tC A B\n"
                                  "bad\tB A t\xca\x83\n"
                                  "\xc3\xa9"
                                  "a\t\xc9\x9b \xcb\x90 A\n"
                                  "e\xcc\x81"
                                  "b\t\xc9\x9b \xcb\x90 B\n"
                                  "bbb\tB B B\n"
                                  "cbc\tC B C\n"
                                  "dad\tt\xca\x83 A t\xca\x83\n"
                                  "aca\tA C A\n"
                                  "cca\tC C A\n";

static double number_of(const cJSON *json, const char *measure, const char *key)
{
    const cJSON *found =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, measure), key);
    ck_assert_msg(cJSON_IsNumber(found), "no %s of %s: %s", key, measure, result.output);
    return found->valuedouble;
}

/* Asserts that the output is JSON with these rates and one confusion. */
static void expect_one_error(void)
{
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(result.status, 0);
    cJSON *json = cJSON_Parse(result.output);
    ck_assert_ptr_nonnull(json);
    ck_assert_double_eq_tol(number_of(json, "exact_match", "value"), 90, 1e-9);
    ck_assert_double_eq_tol(number_of(json, "sequence_error_rate", "value"), 10, 1e-9);
    ck_assert(!cJSON_HasObjectItem(json, "word_error_rate"));
    ck_assert_double_eq_tol(number_of(json, "symbol_error_rate", "value"), 100.0 / 30, 1e-5);
    ck_assert_double_le(number_of(json, "sequence_error_rate", "low"), 10);
    ck_assert_double_ge(number_of(json, "sequence_error_rate", "high"), 20);
    ck_assert_double_eq_tol(number_of(json, "exact_match", "low"),
                            100 - number_of(json, "sequence_error_rate", "high"), 1e-6);
    const cJSON *confusions = cJSON_GetObjectItemCaseSensitive(json, "confusions");
    ck_assert_int_eq(cJSON_GetArraySize(confusions), 1);
    char *text = cJSON_PrintUnformatted(confusions->child);
    ck_assert_str_eq(text, "{\"reference\":\"B\",\"output\":\"A\",\"count\":1}");
    free(text);
    cJSON_Delete(json);
}

/* Predictions have no perplexity. */
static void cut_perplexity(void)
{
    char *at = strstr(result.output, "\"perplexity\":"), *end = at ? strchr(at, '}') : NULL;
    ck_assert_ptr_nonnull(end);
    ck_assert_double_ge(strtod(strchr(at, '{') + strlen("{\"value\":"), NULL), 1);
    if (strncmp(end, "},\"word_perplexity\":", 20) == 0) end = strchr(end + 1, '}');
    memmove(at, end + 2, strlen(end + 2) + 1);
}

START_TEST(test_evaluate_errors_are_a_table_of_what_is_wrong_and_where)
{
    static const char few[] = "abc\tA B C\nbad\tB B C A\n\"\tA\nab\tA B\nab\tB B\n",
                      said[] = "abc\tA B C\nbad\tC B A A\n\"\tA A\nab\tB B\nab\tB B\n",
                      head[] = "line,source,target,output,probability,from,errors,where\n";
    char expected[512];
    size_t length;
    support_write_text("pairs.tsv", few);
    RUN_ON(said, "--predictions=-", "pairs.tsv", "--target-separator= ", "--errors=errors.csv",
           "--any-target");
    ck_assert_int_eq(result.status, 0);
    char *table = support_read_file(support_path("errors.csv"), &length);
    snprintf(expected, sizeof expected,
             "%s2,bad,B B C A,C B A A,,,2,\"1: C for B, 3: A for C\"\n"
             "3,\"\"\"\",A,A A,,,1,after 1: A too much\n",
             head);
    ck_assert_str_eq(table, expected);
    free(table);
    support_write_text("pairs.tsv", "bad\tB A A t\xca\x83\nab\tA B\n");
    RUN(model, "pairs.tsv", "--errors", "errors.csv");
    table = support_read_file(support_path("errors.csv"), &length);
    snprintf(expected, sizeof expected, "%s1,bad,B A A t\xca\x83,B A t\xca\x83,0.", head);
    ck_assert_int_eq(strncmp(table, expected, strlen(expected)), 0);
    ck_assert_str_eq(strstr(table, ",model,"), ",model,1,3: no A\n");
    free(table);
    RUN(model, "pairs.tsv", "pairs.tsv", "--errors", "errors.csv");
    expect_refused(2, "lookback evaluate: --errors needs one FILE\n");
}
END_TEST

START_TEST(test_evaluate_model_and_predictions_give_the_same_measures)
{
    support_write_text("pairs.tsv", pairs);
    support_write_text("predictions.tsv", predictions);
    RUN(folder, "pairs.tsv", "--json");
    expect_one_error();
    cut_perplexity();
    char *first = strdup(result.output);
    RUN(model, "pairs.tsv", "--json", "--batch=3", "--threads=1");
    cut_perplexity();
    ck_assert_str_eq(result.output, first);
    RUN(model, "pairs.tsv", "--json", "--beam=4", "--length-penalty=0.5");
    cut_perplexity();
    ck_assert_str_eq(result.output, first);
    RUN("--predictions", "predictions.tsv", "pairs.tsv", "--target-separator", " ", "--json");
    ck_assert_str_eq(result.output, first);
    RUN_ON(predictions, "--predictions=-", "pairs.tsv", "--target-separator= ", "--json");
    ck_assert_str_eq(result.output, first);
    free(first);
}
END_TEST

/* Of a target with two unknown symbols, too. Each symbol and each end has a share. */
START_TEST(test_evaluate_perplexity_is_that_of_all_targets)
{
    static const char *const sources[] = {"abc", "bad", "cab"}, *const targets[] = {"A B C", "X t\xca\x83",
                                                                                    "Y"};
    lb_translator *t = lb_translator_open(model, NULL);
    ck_assert_ptr_nonnull(t);
    lb_translations *all = lb_translator_score(t, sources, targets, 3, (lb_score_config){0}, NULL);
    ck_assert_ptr_nonnull(all);
    double score = 0;
    for (int i = 0; i < 3; i++) score += all->text[i].output->score;
    support_write_text("pairs.tsv", "abc\tA B C\nbad\tX t\xca\x83\ncab\tY\n");
    RUN(model, "pairs.tsv", "--json", "--batch=2");
    cJSON *json = cJSON_Parse(result.output);
    ck_assert_double_eq_tol(number_of(json, "perplexity", "value"), exp(-score / 9), 1e-4 * exp(-score / 9));
    ck_assert_ptr_null(cJSON_GetObjectItem(json, "word_perplexity")); /* sounds are no text */
    cJSON_Delete(json);
    lb_translations_free(all);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_evaluate_prints_a_line_for_each_measure)
{
    support_write_text("pairs.tsv", pairs);
    RUN(model, "pairs.tsv");
    expect_begin("pairs                     10\n"
                 "exact match            90.00 %  95 % interval 59.58 to 98.21\n"
                 "sequence error, WER    10.00 %  95 % interval 1.79 to 40.42\n"
                 "symbol error, PER       3.33 %  95 % interval 0.00 to ");
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU of symbols       "));
    ck_assert_ptr_nonnull(
        strstr(result.output, "\nmost frequent confusions, reference -> output\n       1  B -> A\n"));
    RUN(model, "pairs.tsv", "--confusions=0");
    ck_assert_ptr_null(strstr(result.output, "confusions"));
}
END_TEST

START_TEST(test_evaluate_no_interval_and_no_bleu_where_there_is_none)
{
    support_write_text("pairs.tsv", "a\tabc\nb\tcab\nc\tbca\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv");
    ck_assert_str_eq(result.output, "pairs                      3\n"
                                    "exact match           100.00 %  95 % interval 43.85 to 100.00\n"
                                    "sequence error rate     0.00 %  95 % interval 0.00 to 56.15\n"
                                    "symbol error rate       0.00 %\n"
                                    "BLEU of characters         -\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv", "--json");
    ck_assert_ptr_nonnull(strstr(result.output,
                                 "\"symbol_error_rate\":{\"value\":0,\"low\":null,\"high\":null},"
                                 "\"bleu\":{\"value\":null,\"low\":null,\"high\":null,"
                                 "\"why_null\":\"no output has four symbols\"},"
                                 "\"bleu_of\":\"characters\""));
    /* One output of four symbols, which half of the resamples do not have. */
    support_write_text("pairs.tsv", "a\tabcd\nb\tcab\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv");
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU of characters    100.00\n"));
}
END_TEST

/* The same outputs, divided in three ways: the number depends on it, and so does its name. */
START_TEST(test_evaluate_bleu_is_named_after_what_it_is_of)
{
    support_write_text("pairs.tsv", "a\tthe old house of stone\nb\ta red ball in the tree\n");
    support_write_text("said.tsv", "a\tthe old horse of stone\nb\ta red bell in the trees\n");
    RUN("--predictions=said.tsv", "pairs.tsv");
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU of characters     85.17"));
    RUN("--predictions=said.tsv", "pairs.tsv", "--symbols=graphemes");
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU of graphemes      85.17"));
    RUN("--predictions=said.tsv", "pairs.tsv", "--symbols=graphemes", "--json");
    ck_assert_ptr_nonnull(strstr(result.output, "\"bleu_of\":\"graphemes\""));
    RUN("--predictions=said.tsv", "pairs.tsv", "--target-separator= ");
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU                   18.43")); /* the same: one line */
    ck_assert_ptr_null(strstr(result.output, "BLEU of symbols"));
    RUN("--predictions=said.tsv", "pairs.tsv", "--target-separator= ", "--json");
    ck_assert_ptr_nonnull(strstr(result.output, "\"bleu_of\":\"symbols\""));
}
END_TEST

START_TEST(test_evaluate_what_predict_writes_can_be_compared)
{
    support_write_text("pairs.tsv", pairs);
    support_command command = {.argv = (const char *const[]){PREDICT, model, "--source-column=1", NULL},
                               .input = pairs,
                               .output_path = support_path("predictions.tsv")};
    support_run_as(&command, &result);
    ck_assert_int_eq(result.status, 0);
    RUN("--predictions", "predictions.tsv", "pairs.tsv", "--target-separator", " ", "--json");
    expect_one_error();
}
END_TEST

START_TEST(test_evaluate_pairs_can_come_through_a_pipe)
{
    RUN_ON(pairs, model, "-", "--json", "--batch=3");
    expect_one_error();
    RUN_ON("a\tA\n\nb\tB\nc\n", model, "-");
    expect_refused(65, "lookback evaluate: standard input:2: found an empty line, expected text; "
                       "--skip-bad-lines leaves such lines out\n");
    RUN_ON("a\tA\n\nb\tB\nc\n", model, "-", "--skip-bad-lines");
    expect_begin("pairs                      2\nskipped lines              2\n");
    RUN_ON("", model, "-");
    expect_refused(65, "lookback evaluate: standard input: found no pair, expected at least one\n");
}
END_TEST

/* The whole file is checked before the model runs: unknown symbols are not reported. */
START_TEST(test_evaluate_bad_line_at_the_end_is_found_first)
{
    support_write_text("pairs.tsv", "ax\tA\nb\n");
    RUN(model, "pairs.tsv", "--batch=1");
    expect_refused(65, "lookback evaluate: pairs.tsv:2: found 1 column, expected 2, separated by tabs; "
                       "--skip-bad-lines leaves such lines out\n");
}
END_TEST

START_TEST(test_evaluate_each_row_counts_on_its_own)
{
    support_write_text("pairs.tsv", "a\tA\na\tB\nb\tB\nb\tB\n");
    RUN(model, "pairs.tsv", "--json");
    expect_begin("{\"pairs\":4,\"skipped_lines\":0,\"ambiguous_sources\":1,\"possible\":3,\"exact_match\":{"
                 "\"value\":75,");
}
END_TEST

START_TEST(test_evaluate_empty_output_lacks_all_symbols)
{
    support_write_text("pairs.tsv", "a\tA B\n");
    RUN_ON("a\t\n", "--predictions=-", "pairs.tsv", "--target-separator= ");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.output, "symbol error, PER     100.00 %"));
    ck_assert_ptr_nonnull(strstr(result.output, "       1  A -> (nothing)\n       1  B -> (nothing)\n"));
}
END_TEST

/* By characters: two words of eight and four symbols of 38 are wrong, in two lines of three. */
START_TEST(test_evaluate_texts_of_words_have_a_word_error_rate)
{
    static const char texts[] = "1\tone two three\n2\tfour  five\n3\tsix seven eight\n";
    static const char outputs[] = "1\tone two three\n2\tfour five\n3\tsix  sevem eigh\n";
    support_write_text("pairs.tsv", texts);
    support_write_text("outputs.tsv", outputs);
    RUN("--predictions=outputs.tsv", "pairs.tsv", "--confusions=0");
    expect_begin("pairs                      3\n"
                 "exact match            33.33 %");
    ck_assert_ptr_nonnull(strstr(result.output, "\nword error rate        25.00 %  95 % interval 0.00 to "));
    RUN("--predictions=outputs.tsv", "pairs.tsv", "--confusions=0", "--json");
    cJSON *json = cJSON_Parse(result.output);
    ck_assert_double_eq_tol(number_of(json, "word_error_rate", "value"), 25, 1e-6);
    ck_assert_double_eq_tol(number_of(json, "symbol_error_rate", "value"), 100 * 4 / 38.0, 1e-5);
    cJSON_Delete(json);
}
END_TEST

START_TEST(test_evaluate_where_symbols_are_words_or_texts_one_word_there_is_one_rate)
{
    support_write_text("pairs.tsv", "1\tone two three\n");
    RUN_ON("1\tone too three\n", "--predictions=-", "pairs.tsv", "--target-separator= ");
    ck_assert_ptr_nonnull(strstr(result.output, "\nsymbol error rate      33.33 %"));
    ck_assert_ptr_null(strstr(result.output, "word error rate"));
    support_write_text("pairs.tsv", "1\tone\n");
    RUN_ON("1\to n\n", "--predictions=-", "pairs.tsv");
    expect_begin("pairs                      1\n");
    ck_assert_ptr_null(strstr(result.output, "word error rate"));
}
END_TEST

START_TEST(test_evaluate_columns_and_bad_lines_can_be_chosen)
{
    support_write_text("pairs.tsv", "1\tA\ta\n2\tB\tb\n\xff\n3\tC\n4\tC\tc\n");
    RUN(model, "pairs.tsv", "--source-column=3", "--target-column=2", "--skip-bad-lines");
    expect_begin("pairs                      3\n"
                 "skipped lines              2\n"
                 "exact match           100.00 %");
    RUN_ON("a\tA\nb\tB\n\t\n\t\nc\tC\n", "--predictions=-", "pairs.tsv", "--source-column=3",
           "--target-column=2", "--skip-bad-lines");
    expect_begin("pairs                      3\nskipped lines              2\n");
}
END_TEST

START_TEST(test_evaluate_symbols_that_the_model_does_not_know_are_counted)
{
    support_write_text("pairs.tsv", "ax\tA\nyyb\tB\n");
    RUN(model, "pairs.tsv");
    expect_begin("pairs                      2\n");
    ck_assert_str_eq(result.error, "lookback evaluate: pairs.tsv: the model does not know 3 of the 5 "
                                   "symbols: \"y\" 2 times, \"x\" 1 time\n");
}
END_TEST

START_TEST(test_evaluate_bad_pairs_are_refused_by_their_line)
{
    support_write_text("pairs.tsv", "a\tA\nb\n");
    RUN(model, "pairs.tsv");
    expect_refused(65, "lookback evaluate: pairs.tsv:2: found 1 column, expected 2, separated by tabs; "
                       "--skip-bad-lines leaves such lines out\n");
    support_write_text("pairs.tsv", "a\t\n");
    RUN(model, "pairs.tsv");
    expect_refused(65, "lookback evaluate: pairs.tsv:1: found an empty target, expected text\n");
    support_write_text("pairs.tsv", "a\t  \n");
    RUN(model, "pairs.tsv");
    expect_refused(65, "lookback evaluate: pairs.tsv:1: found an empty target, expected text\n");
    RUN(model, "nowhere.tsv");
    ck_assert_int_eq(result.status, 66);
    support_write_text("pairs.tsv", "");
    RUN(model, "pairs.tsv");
    ck_assert_int_eq(result.status, 65);
}
END_TEST

START_TEST(test_evaluate_bad_predictions_are_refused_by_their_line)
{
    static const struct {
        const char *predictions, *error;
    } cases[] = {
        {"a\tA\n", "standard input has fewer lines than pairs.tsv, expected the same number"},
        {"a\tA\nb\tB\nc\tC\n", "standard input has more lines than pairs.tsv, expected the same number"},
        {"a\tA\nc\tB\n", "standard input:2: the source differs from the one in line 2 of pairs.tsv"},
        {"a\tA\nb\n", "standard input:2: found 1 column, expected a source, a tab and its output"},
        {"a\tA\t-0.5\n", "standard input:1: found more than 2 columns, expected a source and its output"},
        {"a\t\xff\n", "standard input:1: found 0xFF at byte 1, expected UTF-8"},
        {"a\tA\nb\tB||B\n",
         "standard input:2: found an empty symbol, expected text before and after each separator"},
    };
    support_write_text("pairs.tsv", "a\tA\nb\tB\n");
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char error[256];
        snprintf(error, sizeof error, "lookback evaluate: %s\n", cases[i].error);
        RUN_ON(cases[i].predictions, "--predictions=-", "pairs.tsv", "--target-separator=|");
        expect_refused(65, error);
    }
    RUN("--predictions=nowhere.tsv", "pairs.tsv");
    expect_refused(66, "lookback evaluate: nowhere.tsv: cannot read: No such file or directory\n");
    support_write_text("empty.tsv", "");
    RUN("--predictions=empty.tsv", "empty.tsv");
    expect_refused(65, "lookback evaluate: empty.tsv: found no pair, expected at least one\n");
}
END_TEST

START_TEST(test_evaluate_model_that_sorts_is_measured_on_lists)
{
    support_write_text("lists.tsv", "3 1 2\t1 2 3\n9 0\t0 9\n7 7 5\t7 7 5\n");
    RUN(sorter, "lists.tsv", "--confusions=0");
    ck_assert_int_eq(result.status, 0);
    ck_assert_int_eq(
        strncmp(result.output, "pairs                      3\nexact match            66.67 %", 57), 0);
    support_write_text("pairs.tsv", pairs);
    RUN(sorter, "pairs.tsv");
    expect_refused(65, "lookback evaluate: pairs.tsv:1: abc is not a number from 0 to 9\n");
}
END_TEST

START_TEST(test_evaluate_wrong_usage_is_status_2)
{
    RUN("pairs.tsv");
    expect_refused(
        2,
        "lookback evaluate: expected a MODEL and a FILE, or --predictions; see lookback evaluate --help\n");
    RUN(model, "pairs.tsv", "--predictions=a");
    expect_refused(
        2,
        "lookback evaluate: expected a MODEL or --predictions, found both; see lookback evaluate --help\n");
    RUN(model, "pairs.tsv", "--normalize=nfc");
    expect_refused(
        2,
        "lookback evaluate: separators, --symbols and --normalize need --predictions: a model has its own\n");
    support_write_text("pairs.tsv", pairs);
    RUN(model, "pairs.tsv", "--source-column=2", "--target-column=2");
    expect_refused(2, "lookback evaluate: source and target cannot both be column 2\n");
}
END_TEST

int main(void)
{
    if (mkdir(folder = support_path("out"), 0777) != 0) return EXIT_FAILURE;
    model = support_train_pair_model("out/model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    sorter = support_train_model("sort.safetensors", 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
