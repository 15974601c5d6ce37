/* report: what is in the page equals what evaluate and predict print; texts of the command line; errors. */
#include "lookback/translate.h"
#include "support/pair_model.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT   BIN_DIR "/lookback", "report"
#define PREDICT  BIN_DIR "/lookback", "predict"
#define EVALUATE BIN_DIR "/lookback", "evaluate"
#define TSH      "t\xca\x83"

/* Made once, in main. */
static const char *model, *blind, *layers;

static support_result result;

#define RUN(program, text, ...) SUPPORT_RUN(&result, text, program, __VA_ARGS__)

static const char pairs[] =
    "bad\tB A " TSH "\ncab\tC A B\na\tA\nbed\tB E " TSH "\ndeed\tB A " TSH "\nbb\tA A A A\n";

enum { PAIRS = 6 };

static const char *write_pairs(void)
{
    support_write_file(support_path("pairs.tsv"), pairs, sizeof pairs - 1);
    return support_path("pairs.tsv");
}

START_TEST(test_report_has_the_outputs_of_predict)
{
    char found[1024];
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_str_eq(result.output, "");
    support_page p = support_open_page("page.html");
    ck_assert_int_eq(support_count(p.data, "pairs"), PAIRS);
    RUN(PREDICT, "bad\ncab\na\nbed\ndeed\nbb\n", model, "--jsonl", "--n-best=5");
    const char *line = result.output;
    for (int i = 0; i < PAIRS; i++, line = strchr(line, '\n') + 1) {
        cJSON *predicted = cJSON_ParseWithLength(line, strcspn(line, "\n"));
        const cJSON *pair = cJSON_GetArrayItem(support_at(p.data, "pairs"), i), *output;
        ck_assert_str_eq(support_page_text(&p, support_at(pair, "source"), "", found),
                         support_at(predicted, "source")->valuestring);
        const cJSON *unknown = cJSON_GetObjectItem(pair, "unknown");
        ck_assert_int_eq(cJSON_GetArraySize(unknown), support_count(predicted, "unknown"));
        ck_assert_int_eq(support_count(pair, "outputs"), 5);
        int n = 0;
        cJSON_ArrayForEach(output, support_at(pair, "outputs"))
        {
            const cJSON *expected = cJSON_GetArrayItem(support_at(predicted, "outputs"), n++);
            ck_assert_str_eq(support_page_text(&p, support_at(output, "symbols"), " ", found),
                             support_at(expected, "text")->valuestring);
            ck_assert_double_eq_tol(support_number(output, "score"), support_number(expected, "score"), 2e-5);
            ck_assert_double_eq_tol(support_number(output, "probability"),
                                    support_number(expected, "probability"), 1e-5);
            int symbols = support_count(output, "symbols"),
                steps = symbols + cJSON_IsTrue(support_at(output, "finished"));
            ck_assert_int_eq(support_count(output, "steps"), steps);
            for (int k = 0; k < symbols; k++) {
                const cJSON *symbol = cJSON_GetArrayItem(support_at(expected, "symbols"), k);
                ck_assert_double_eq_tol(cJSON_GetArrayItem(support_at(output, "steps"), k)->valuedouble,
                                        support_number(symbol, "probability"), 6e-4);
            }
        }
        cJSON_Delete(predicted);
    }
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_has_the_attention_of_predict_in_bytes)
{
    lb_shape shape;
    lb_error error = {0};
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html");
    support_page p = support_open_page("page.html");
    RUN(PREDICT, "deed\n", model, "--attention", support_path("where.npy"));
    double *weights;
    ck_assert_msg(lb_npy_read(support_path("where.npy"), &shape, &weights, &error) == LB_OK, "%s",
                  error.message);
    const cJSON *output = support_at(p.data, "pairs.4.outputs.0");
    int64_t cells = lb_shape_count(shape);
    ck_assert_int_eq(cells, (int64_t)support_count(output, "steps") * 4);
    size_t offset = (size_t)support_number(output, "weights");
    ck_assert_uint_le(offset + (size_t)cells, p.blob_size);
    for (int64_t i = 0; i < cells; i++)
        ck_assert_double_eq_tol(p.blob[offset + (size_t)i] / 255.0, weights[i], 0.501 / 255);
    lb_release(weights);
    support_close_page(&p);
}
END_TEST

static void assert_lost(const support_page *p, const cJSON *shown, const cJSON *steps)
{
    const cJSON *step, *number;
    double most = support_number(shown, "most"), largest = 0;
    size_t at = (size_t)support_number(shown, "values");
    cJSON_ArrayForEach(step, steps)
    {
        cJSON_ArrayForEach(number, step)
        {
            double value = fmin(fmax(number->valuedouble, -20), 20);
            largest = fmax(largest, fabs(value));
            ck_assert_double_eq_tol((p->blob[at++] - 128) / 127.0 * most, value, 0.51 / 127 * most + 1e-3);
        }
    }
    ck_assert_double_gt(most, 0);
    ck_assert_double_eq_tol(most, largest, 1e-3 * most);
}

START_TEST(test_report_has_the_erasure_and_the_gradient_of_predict)
{
    enum { WHY = 5 };
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html", "--why=5");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    RUN(PREDICT, "bad\ncab\na\nbed\ndeed\nbb\n", model, "--jsonl", "--why");
    const char *line = result.output;
    double tau = 0;
    for (int i = 0; i < WHY; i++, line = strchr(line, '\n') + 1) {
        cJSON *predicted = cJSON_ParseWithLength(line, strcspn(line, "\n"));
        const cJSON *pair = cJSON_GetArrayItem(support_at(p.data, "pairs"), i),
                    *shown = support_at(pair, "why.erasure");
        ck_assert_int_eq(cJSON_IsNull(shown), i == 2); /* a source of one symbol */
        if (i != 2) assert_lost(&p, shown, support_at(predicted, "outputs.0.erasure"));
        assert_lost(&p, support_at(pair, "why.gradient"), support_at(predicted, "outputs.0.gradient"));
        if (i == 2)
            ck_assert(cJSON_IsNull(support_at(pair, "why.tau")));
        else
            tau += support_number(pair, "why.tau") / (WHY - 1);
        cJSON_Delete(predicted);
    }
    ck_assert_double_eq(support_number(p.data, "statistics.why.pairs"), WHY - 1);
    ck_assert_double_eq_tol(support_number(p.data, "statistics.why.rows.0.tau.0"), tau, 1e-3);
    ck_assert(!cJSON_HasObjectItem(support_at(p.data, "pairs.5"), "why"));
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_has_the_measures_of_evaluate)
{
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html", "--details=2");
    ck_assert_msg(strstr(result.error, "lookback report: only the first 2 of 6 pairs show their attention") !=
                      NULL,
                  "%s", result.error);
    RUN(REPORT, NULL, model, support_path("pairs.tsv"), "-o", "page.html", "--details=2", "--quiet");
    support_expect(&result, 0, "", "");
    support_page p = support_open_page("page.html");
    RUN(EVALUATE, NULL, model, support_path("pairs.tsv"), "--json", "--confusions=100");
    cJSON *measured = cJSON_Parse(result.output);
    const cJSON *statistics = support_at(p.data, "statistics"), *confusion;
    ck_assert_double_eq(support_number(statistics, "pairs"), PAIRS);
    ck_assert_double_eq_tol(support_number(statistics, "exact"),
                            support_number(measured, "exact_match.value") / 100, 1e-5);
    ck_assert_double_eq_tol(support_number(statistics, "symbol_error"),
                            support_number(measured, "symbol_error_rate.value") / 100, 1e-5);
    ck_assert_int_eq(support_count(statistics, "confusions"), support_count(measured, "confusions"));
    double edits = 0, counted = 0, wrong = 0, lengths = 0, binned = 0;
    cJSON_ArrayForEach(confusion, support_at(statistics, "confusions")) counted +=
        support_number(confusion, "count");
    for (int i = 0; i < PAIRS; i++) {
        const cJSON *pair = cJSON_GetArrayItem(support_at(p.data, "pairs"), i);
        edits += support_number(pair, "edits");
        wrong += support_number(pair, "edits") > 0;
        /* The first two have everything, the others their best output alone. */
        ck_assert_int_eq(support_count(pair, "outputs"), i < 2 ? 5 : 1);
        ck_assert((support_number(pair, "outputs.0.weights") >= 0) == (i < 2));
        ck_assert(cJSON_IsNull(support_at(pair, "likeliest")) == (i >= 2));
    }
    ck_assert_double_eq(counted, edits);
    ck_assert_double_eq_tol(support_number(statistics, "exact"), 1 - wrong / PAIRS, 1e-5);
    cJSON_ArrayForEach(confusion, support_at(statistics, "by_length")) lengths +=
        support_number(confusion, "pairs");
    cJSON_ArrayForEach(confusion, support_at(statistics, "calibration")) binned +=
        support_number(confusion, "pairs");
    ck_assert_double_eq(lengths, PAIRS);
    ck_assert_double_eq(binned, PAIRS);
    cJSON_Delete(measured);
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_has_what_the_attention_does_and_what_the_model_is_without_it)
{
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html");
    support_page p = support_open_page("page.html");
    const cJSON *head = support_at(p.data, "statistics.heads.0"),
                *alignment = support_at(p.data, "statistics.alignment");
    ck_assert_int_eq(support_count(p.data, "statistics.heads"), 1);
    ck_assert(support_number(head, "entropy") > 0 && support_number(head, "entropy") < 1);
    ck_assert(support_number(head, "monotonicity") > 0.3 && support_number(head, "coverage") > 0.3);
    ck_assert_double_eq(support_number(p.data, "statistics.with_all_heads.pairs"), PAIRS);
    ck_assert_double_lt(support_number(head, "without.exact"),
                        support_number(p.data, "statistics.with_all_heads.exact"));
    /* Each occurrence of a target symbol gives 1 in all; here all source symbols are shown. */
    int rows = support_count(alignment, "target"), columns = support_count(alignment, "source");
    const unsigned char *mean = p.blob + (size_t)support_number(alignment, "mean");
    for (int i = 0; i < rows; i++) {
        int sum = 0;
        for (int k = 0; k < columns; k++) sum += mean[i * columns + k];
        ck_assert_int_le(abs(sum - 255), columns);
    }
    RUN(REPORT, NULL, model, support_path("pairs.tsv"), "-o", "page.html", "--heads-off=0");
    support_close_page(&p);
    p = support_open_page("page.html");
    ck_assert(cJSON_IsNull(support_at(p.data, "statistics.heads.0.without")));
    ck_assert(!cJSON_HasObjectItem(p.data, "heads_off")); /* it has one head, too */
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_has_the_likeliest_symbols_of_each_step)
{
    char text[1024];
    RUN(REPORT, NULL, model, "--input", "bad", "-o", "page.html");
    support_page p = support_open_page("page.html");
    const cJSON *likeliest = support_at(p.data, "pairs.0.likeliest"),
                *output = support_at(p.data, "pairs.0.outputs.0");
    int steps = support_count(output, "steps");
    ck_assert_double_eq(support_number(likeliest, "count"), 5);
    ck_assert_int_eq(support_count(likeliest, "symbols"), 5 * steps);
    ck_assert_int_eq(support_count(likeliest, "probability"), 5 * steps);
    for (int i = 0; i < steps; i++) {
        const cJSON *first = cJSON_GetArrayItem(support_at(likeliest, "symbols"), 5 * i);
        const cJSON *written = cJSON_GetArrayItem(support_at(output, "symbols"), i);
        ck_assert_int_eq(first->valueint, written ? written->valueint : LB_EOS);
        ck_assert_double_eq_tol(cJSON_GetArrayItem(support_at(likeliest, "probability"), 5 * i)->valuedouble,
                                cJSON_GetArrayItem(support_at(output, "steps"), i)->valuedouble, 2e-3);
    }
    ck_assert_str_eq(support_page_text(&p, support_at(output, "symbols"), " ", text), "B A " TSH);
    ck_assert_str_eq(cJSON_GetArrayItem(support_at(p.data, "symbols"), LB_EOS)->valuestring, "<eos>");
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_of_texts_has_no_expected_outputs)
{
    char text[1024];
    RUN(REPORT, NULL, model, "--input", "bad\n\ncab", "-i", "a", "-o", "page.html", "--title",
        "</script>&\"'");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert_int_eq(support_count(p.data, "pairs"), 3);
    ck_assert_str_eq(support_page_text(&p, support_at(p.data, "pairs.1.source"), "", text), "cab");
    ck_assert(cJSON_IsNull(support_at(p.data, "pairs.0.expected")) &&
              cJSON_IsNull(support_at(p.data, "pairs.0.edits")));
    ck_assert(cJSON_IsNull(support_at(p.data, "statistics.exact")) &&
              cJSON_IsNull(support_at(p.data, "about.file")));
    ck_assert(cJSON_IsNull(support_at(p.data, "statistics.with_all_heads")));
    ck_assert_str_eq(support_at(p.data, "about.title")->valuestring, "</script>&\"'");
    ck_assert_ptr_nonnull(strstr(support_at(p.data, "about.command")->valuestring,
                                 "--input 'bad\n\ncab' -i a -o page.html --title '</script>&\"'\\'''"));
    support_close_page(&p);
    RUN(REPORT, NULL, model, "--input", "zaz", "-o", "page.html");
    p = support_open_page("page.html");
    ck_assert_str_eq(support_page_text(&p, support_at(p.data, "pairs.0.unknown"), "", text), "zz");
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_of_lists_has_blanks_between_numbers_and_none_between_digits)
{
    static const struct {
        lb_list_task what;
        const char *list, *separator;
    } cases[] = {{LB_LIST_SORT, "4 2 7", " "}, {LB_LIST_ADD, "27+5", ""}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3, .what = cases[i].what};
        lb_params *params = lb_params_new(1);
        lb_seq2seq lists;
        const int64_t vocabulary = lb_sort_vocab(&task);
        lb_seq2seq_init(&lists, params, "",
                        (lb_seq2seq_config){vocabulary, vocabulary, .embed = 4, .hidden = 4});
        ck_assert_int_eq(lb_translator_save(&lists.base, params, support_path("lists.safetensors"),
                                            (lb_translator_texts){.sort = &task}, NULL),
                         LB_OK);
        lb_params_free(params);
        RUN(REPORT, NULL, support_path("lists.safetensors"), "-i", cases[i].list, "-o", "page.html");
        ck_assert_msg(result.status == 0, "%s", result.error);
        support_page p = support_open_page("page.html");
        ck_assert_str_eq(support_at(p.data, "about.source_separator")->valuestring, cases[i].separator);
        ck_assert_str_eq(support_at(p.data, "about.target_separator")->valuestring, cases[i].separator);
        support_close_page(&p);
    }
}
END_TEST

/* "blind" for blind.safetensors. A folder gives its name to model.safetensors: test_report_training. */
START_TEST(test_report_without_a_title_is_named_after_the_model_and_the_file)
{
    static const struct {
        const char *pairs, *title;
    } cases[] = {{"-", "blind \xC2\xB7 standard input"}, {"./pairs.tsv", "blind \xC2\xB7 pairs.tsv"}};
    char command[SUPPORT_PATH];
    write_pairs();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        RUN(REPORT, "bad\tB\n", blind, cases[i].pairs, "-o", "page.html");
        ck_assert_msg(result.status == 0, "%s", result.error);
        support_page p = support_open_page("page.html");
        ck_assert_str_eq(support_at(p.data, "about.title")->valuestring, cases[i].title);
        /* The model is in a folder, which the page does not tell. */
        const char *file = support_at(p.data, "about.file")->valuestring;
        ck_assert_str_eq(file, i == 0 ? "-" : "pairs.tsv");
        ck_assert_str_eq(support_at(p.data, "about.model")->valuestring, "blind.safetensors");
        snprintf(command, sizeof command, "lookback report blind.safetensors %s -o page.html", file);
        ck_assert_str_eq(support_at(p.data, "about.command")->valuestring, command);
        support_close_page(&p);
    }
}
END_TEST

START_TEST(test_report_of_the_same_command_is_the_same_page)
{
    size_t first, second;
    RUN(REPORT, NULL, model, write_pairs(), "-o", "page.html");
    char *a = support_read_file(support_path("page.html"), &first);
    RUN(REPORT, NULL, model, support_path("pairs.tsv"), "-o", "page.html");
    char *b = support_read_file(support_path("page.html"), &second);
    ck_assert_uint_eq(first, second);
    ck_assert_mem_eq(a, b, first);
    free(a);
    free(b);
}
END_TEST

START_TEST(test_report_of_a_transformer_has_its_self_attention)
{
    RUN(REPORT, NULL, layers, "--input", "7 0 3", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    const cJSON *own = support_at(p.data, "pairs.0.self");
    size_t maps = (size_t)(support_number(own, "layers") * support_number(own, "heads"));
    size_t steps = (size_t)support_count(p.data, "pairs.0.outputs.0.steps"), length = 3;
    size_t encoder = (size_t)support_number(own, "encoder"), decoder = (size_t)support_number(own, "decoder");
    size_t rollout = (size_t)support_number(own, "rollout");
    ck_assert_str_eq(support_at(p.data, "about.kind")->valuestring, "transformer");
    ck_assert_uint_eq(decoder, encoder + maps * length * length);
    ck_assert_uint_eq(rollout, decoder + maps * steps * steps);
    for (size_t row = 0; row < maps * steps; row++)
        for (size_t k = row % steps + 1; k < steps; k++)
            ck_assert_int_eq(p.blob[decoder + row * steps + k], 0);
    for (size_t row = 0; row < length; row++) {
        int sum = 0;
        for (size_t k = 0; k < length; k++) sum += p.blob[rollout + row * length + k];
        ck_assert_int_le(abs(sum - 255), 2);
        ck_assert_int_ge(p.blob[rollout + row * length + row], 255 / 4); /* two residuals of a half */
    }
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_of_a_model_without_attention_has_no_weights)
{
    RUN(REPORT, NULL, blind, write_pairs(), "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert(support_number(p.data, "about.layers") == 0 && support_number(p.data, "about.heads") == 0);
    ck_assert_double_eq(support_number(p.data, "pairs.0.outputs.0.weights"), -1);
    ck_assert(support_count(p.data, "statistics.heads") == 0 &&
              support_count(p.data, "statistics.alignment.target") == 0);
    ck_assert_double_eq(support_number(p.data, "statistics.pairs"), PAIRS);
    support_close_page(&p);
}
END_TEST

/* In their order, with a line behind each; the page has no folders. */
static void expect_warnings(const support_page *p, const char *expected)
{
    char all[1024] = "";
    const cJSON *warning;
    cJSON_ArrayForEach(warning, support_at(p->data, "warnings"))
    {
        strcat(strcat(all, warning->valuestring), "|");
    }
    ck_assert_str_eq(all, expected);
}

START_TEST(test_report_says_why_there_is_no_measure)
{
    RUN(REPORT, NULL, model, "--input", "a", "-o", "page.html");
    support_page p = support_open_page("page.html");
    ck_assert_str_eq(support_at(p.data, "pairs.0.outputs.0.why_null")->valuestring,
                     "a source of one symbol has no erasure");
    expect_warnings(&p,
                    "found no output of the model for a source of several symbols, so nothing says whether "
                    "attention looks at what outputs depend on|");
    support_close_page(&p);
    RUN(REPORT, NULL, model, "--input", "ab", "-o", "page.html");
    p = support_open_page("page.html");
    ck_assert_ptr_null(cJSON_GetObjectItem(support_at(p.data, "pairs.0.outputs.0"), "why_null"));
    expect_warnings(&p, "");
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_of_bad_lines_stops_or_shows_them)
{
    static const char bad[] = "bad\tB\nbad\nczb\tC\n";
    const char *path = support_path("bad.tsv");
    support_write_file(path, bad, sizeof bad - 1);
    RUN(REPORT, NULL, model, path, "-o", "page.html");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "bad.tsv:2: found 1 column, expected 2"));
    ck_assert_uint_eq(support_match_count("page.html"), 0);
    RUN(REPORT, NULL, model, path, "-o", "page.html", "--skip-bad-lines");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, "lookback report: 1 of 3 pairs could not be read\n"));
    support_page p = support_open_page("page.html");
    ck_assert_int_eq(support_count(p.data, "pairs"), 3);
    ck_assert_ptr_nonnull(
        strstr(support_at(p.data, "pairs.1.error")->valuestring, "bad.tsv:2: found 1 column"));
    ck_assert_int_eq(support_count(p.data, "pairs.1.outputs"), 0);
    ck_assert(cJSON_IsNull(support_at(p.data, "pairs.2.error")));
    ck_assert_double_eq(support_number(p.data, "statistics.pairs"), 2);
    expect_warnings(&p, "1 of 3 pairs could not be read|"
                        "bad.tsv: the model does not know 1 of the 6 symbols: \"z\" 1 time|");
    support_close_page(&p);
    ck_assert_ptr_nonnull(strstr(result.error, "/bad.tsv: the model does not know 1 of the 6 symbols"));
}
END_TEST

START_TEST(test_report_of_nothing_usable_is_an_error)
{
    const char *path = write_pairs();
    RUN(REPORT, NULL, model);
    ck_assert_int_eq(result.status, 2);
    ck_assert_str_eq(result.error,
                     "lookback report: expected a FILE or --input; see lookback report --help\n");
    RUN(REPORT, NULL, model, path, "--input", "bad");
    ck_assert_int_eq(result.status, 2);
    RUN(REPORT, NULL, model, "--input", "\n");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.error, "lookback report: --input: found an empty text\n");
    RUN(REPORT, NULL, path, path);
    ck_assert_int_eq(result.status, 65);
    RUN(REPORT, NULL, model, path, "-o", "no/such/page.html");
    ck_assert_int_eq(result.status, 74);
    ck_assert_ptr_nonnull(strstr(result.error, "no/such/page.html: cannot write: "));
    RUN(REPORT, NULL, model, "missing.tsv");
    ck_assert_int_eq(result.status, 66);
    RUN(REPORT, NULL, model, path, "--beam=2000");
    ck_assert_int_eq(result.status, 2);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    blind = support_train_pair_model("blind.safetensors", 600, LB_ATTENTION_NONE);
    layers = support_train_model("layers.safetensors", 100, SUPPORT_TRANSFORMER);
    return support_run_tests();
}
