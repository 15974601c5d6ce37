/* report: what it says over all pairs is what their outputs and weights in the page give. */
#include "report/statistics.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <lookback/metrics.h>
#include <math.h>
#include <string.h>

#define REPORT BIN_DIR "/lookback", "report"

enum { SYMBOLS = 64, HEADS = 4, DEV = 80 };

static support_result result;

/* A model that has learned too little, so that some outputs are wrong, and its page. */
static support_page open_report(const char *heads_off)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", DEV, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "90", "--attention",
                  "multi-head");
    support_assert_trained();
    support_command command = {
        .argv = (const char *const[]){REPORT, "out", "dev.tsv", "-o", "page.html", heads_off, NULL},
        .directory = support_tempdir()};
    support_run_as(&command, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert_double_eq(support_number(p.data, "about.heads"), HEADS);
    ck_assert(support_number(p.data, "statistics.exact") > 0.05 &&
              support_number(p.data, "statistics.exact") < 0.95);
    return p;
}

static int item(const cJSON *list, int i)
{
    return cJSON_GetArrayItem(list, i)->valueint;
}

/* Sums of what each target symbol gives to each source symbol, of target symbols, and the most occurrences of a source
 * symbol in one source. */
typedef struct sums {
    double given[SYMBOLS][SYMBOLS];
    int times[SYMBOLS], most;
} sums;

static void add_pair(const support_page *p, const cJSON *pair, sums *s)
{
    const cJSON *source = support_at(pair, "source"), *symbols = support_at(pair, "outputs.0.symbols");
    int length = cJSON_GetArraySize(source), steps = support_count(pair, "outputs.0.steps"),
        occurs[SYMBOLS] = {0};
    const unsigned char *weight = p->blob + (size_t)support_number(pair, "outputs.0.weights");
    for (int k = 0; k < length; k++) {
        int times = ++occurs[item(source, k)];
        if (times > s->most) s->most = times;
    }
    for (int step = 0; step < cJSON_GetArraySize(symbols); step++) {
        int target = item(symbols, step);
        s->times[target]++;
        for (int k = 0; k < length; k++)
            for (int head = 0; head < HEADS; head++)
                s->given[target][item(source, k)] +=
                    weight[(head * steps + step) * length + k] / 255.0 / HEADS;
    }
}

START_TEST(test_report_has_the_alignment_that_its_weights_give)
{
    static sums s;
    support_page p = open_report("--heads-off=0");
    const cJSON *pair, *target = support_at(p.data, "statistics.alignment.target"),
                       *source = support_at(p.data, "statistics.alignment.source");
    ck_assert_int_le(support_count(p.data, "symbols"), SYMBOLS);
    cJSON_ArrayForEach(pair, support_at(p.data, "pairs"))
    {
        add_pair(&p, pair, &s);
    }
    int rows = cJSON_GetArraySize(target), columns = cJSON_GetArraySize(source);
    const unsigned char *mean = p.blob + (size_t)support_number(p.data, "statistics.alignment.mean");
    ck_assert_int_gt(rows, 4);
    ck_assert_int_gt(columns, 4);
    for (int i = 0; i < rows; i++) {
        int row = item(target, i);
        for (int k = 0; k < columns; k++) {
            double expected = s.given[row][item(source, k)] / s.times[row];
            ck_assert_double_eq_tol(mean[i * columns + k] / 255.0, expected, 0.501 / 255 * (1 + s.most));
        }
    }
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_counts_wrong_pairs_by_length)
{
    support_page p = open_report("--heads-off=0");
    const cJSON *pair, *bin;
    int pairs[SYMBOLS] = {0}, wrong[SYMBOLS] = {0}, all = 0;
    cJSON_ArrayForEach(pair, support_at(p.data, "pairs"))
    {
        int length = support_count(pair, "source");
        pairs[length]++;
        wrong[length] += support_number(pair, "edits") > 0;
    }
    cJSON_ArrayForEach(bin, support_at(p.data, "statistics.by_length"))
    {
        int length = (int)support_number(bin, "length");
        ck_assert_double_eq(support_number(bin, "pairs"), pairs[length]);
        ck_assert_double_eq(support_number(bin, "wrong"), wrong[length]);
        all += pairs[length];
    }
    ck_assert_int_eq(all, DEV);
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_calibrates_the_probabilities_of_its_outputs)
{
    support_page p = open_report("--heads-off=0");
    const cJSON *pair, *bin = support_at(p.data, "statistics.calibration")->child;
    double pairs[LB_CALIBRATION_BINS] = {0}, sum[LB_CALIBRATION_BINS] = {0}, right[LB_CALIBRATION_BINS] = {0},
           error = 0;
    cJSON_ArrayForEach(pair, support_at(p.data, "pairs"))
    {
        double probability = support_number(pair, "outputs.0.probability");
        int i = (int)fmin(probability * LB_CALIBRATION_BINS, LB_CALIBRATION_BINS - 1);
        pairs[i]++;
        sum[i] += probability;
        right[i] += support_number(pair, "edits") == 0;
    }
    for (int i = 0; SUPPORT_ROW(i, pairs); i++) {
        if (pairs[i] == 0) continue;
        ck_assert_ptr_nonnull(bin);
        ck_assert_double_eq(support_number(bin, "pairs"), pairs[i]);
        ck_assert_double_eq_tol(support_number(bin, "confidence"), sum[i] / pairs[i], 1e-5);
        ck_assert_double_eq_tol(support_number(bin, "exact"), right[i] / pairs[i], 1e-5);
        error += fabs(sum[i] - right[i]) / DEV;
        bin = bin->next;
    }
    ck_assert_ptr_null(bin);
    ck_assert_double_eq_tol(support_number(p.data, "statistics.calibration_error"), error, 1e-5);
    support_close_page(&p);
}
END_TEST

/* Two layers of two heads, whose weights are all different. */
START_TEST(test_report_aligns_by_the_heads_of_the_last_layer)
{
    enum {
        LAYERS = 2,
        OF_LAYER = 2,
        STEPS = 3,
        LENGTH = 2,
        MAP = STEPS * LENGTH,
        COUNT = LAYERS * OF_LAYER * MAP
    };
    const char *source[] = {"a", "b"}, *target[] = {"x", "y"};
    static app_alignment alignment;
    app_report_data report;
    lb_real weights[COUNT];
    for (int i = 0; i < COUNT; i++) weights[i] = (lb_real)(i * i) / 1000;
    lb_output output = {.symbol = target, .length = 2, .finished = true, .steps = STEPS, .weights = weights};
    lb_translation text = {.symbol = source, .length = LENGTH, .output = &output, .count = 1};
    const lb_translations all = {.text = &text, .count = 1, .layers = LAYERS, .heads = OF_LAYER};
    ck_assert_int_eq(app_report_data_open(&report, NULL), LB_OK);
    ck_assert_int_eq(app_alignment_add(&alignment, &report, &all, &text, NULL), LB_OK);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < LENGTH; k++) {
            const lb_real *last = weights + OF_LAYER * MAP + t * LENGTH + k;
            ck_assert_double_eq_tol(alignment.sum[t * APP_ALIGNED + k], (double)(last[0] + last[MAP]) / 2,
                                    1e-6);
        }
    app_alignment_free(&alignment);
    app_report_data_close(&report);
}
END_TEST

/* Of a text that is longer than the model can read, there is only what the lexicon has. */
START_TEST(test_report_counts_nothing_for_a_model_that_cannot_read_what_its_lexicon_knows)
{
    const char *path;
    char answer[] = "B A";
    const char *source[] = {"a"}, *target[] = {"B", "A"};
    path = support_train_pair_model("known.safetensors", 1, LB_ATTENTION_DOT);
    lb_translator *translator = lb_translator_open(path, NULL);
    ck_assert_ptr_nonnull(translator);
    const lb_translator_facts model = lb_translator_about(translator);
    lb_output output = {.text = answer, .symbol = target, .length = 2, .from_lexicon = true, .score = NAN};
    const lb_translation text = {.symbol = source, .length = 1, .output = &output, .count = 1};
    const lb_translations all = {.text = (lb_translation *)&text, .count = 1};
    lb_strings texts = {.text = (char *[]){answer}, .count = 1};
    app_report_data report;
    app_report_statistics s;
    app_answers expected = {0};
    ck_assert_int_eq(app_report_data_open(&report, NULL), LB_OK);
    ck_assert_int_eq(app_report_statistics_init(&s, &model, NULL), LB_OK);
    ck_assert_int_eq(app_answers_split(&expected, &model.target_rule, &texts, NULL), LB_OK);
    ck_assert_int_eq(app_report_statistics_add(&s, &report, &all, &text, NULL, &expected, NULL), LB_OK);
    ck_assert(expected.edits == 0 && s.known == 1);
    ck_assert(lb_measure(&s.sum, (lb_bleu_config){0}).sequence_error_rate == 0);
    ck_assert(lb_measure(&s.alone, (lb_bleu_config){0}).sequence_error_rate == 100);
    app_answers_free(&expected);
    app_report_statistics_free(&s);
    app_report_data_close(&report);
    lb_translator_close(translator);
}
END_TEST

/* How many of the outputs are those that are expected; null is what all heads write together. */
static int count_right(const support_page *p, const cJSON *outputs, const cJSON *whole)
{
    int right = 0;
    for (int i = 0; i < cJSON_GetArraySize(outputs); i++) {
        int pair = item(support_at(p->data, "heads_off.pairs"), i);
        const cJSON *found = cJSON_GetArrayItem(outputs, i);
        if (cJSON_IsNull(found)) found = cJSON_GetArrayItem(whole, i);
        const cJSON *expected =
            support_at(cJSON_GetArrayItem(support_at(p->data, "pairs"), pair), "expected");
        right += cJSON_Compare(found, expected, true);
    }
    return right;
}

START_TEST(test_report_has_what_the_model_writes_without_each_head)
{
    enum { PAIRS = 50 };
    support_page p = open_report("--heads-off=50");
    const cJSON *outputs = support_at(p.data, "heads_off.outputs"), *whole = outputs->child, *head,
                *without = whole;
    ck_assert_int_eq(cJSON_GetArraySize(outputs), 1 + HEADS);
    ck_assert_int_eq(support_count(p.data, "heads_off.pairs"), PAIRS);
    ck_assert_int_eq(cJSON_GetArraySize(whole), PAIRS);
    ck_assert_double_eq_tol(support_number(p.data, "statistics.with_all_heads.exact"),
                            count_right(&p, whole, whole) / (double)PAIRS, 1e-5);
    int changed = 0;
    cJSON_ArrayForEach(head, support_at(p.data, "statistics.heads"))
    {
        without = without->next;
        ck_assert_int_eq(cJSON_GetArraySize(without), PAIRS);
        ck_assert_double_eq_tol(support_number(head, "without.exact"),
                                count_right(&p, without, whole) / (double)PAIRS, 1e-5);
        for (int i = 0; i < PAIRS; i++) changed += !cJSON_IsNull(cJSON_GetArrayItem(without, i));
    }
    ck_assert_int_gt(changed, 0);
    support_close_page(&p);
}
END_TEST

/* The right answers are what greedy decoding writes, and a wider search does not. */
START_TEST(test_report_measures_heads_by_greedy_decoding)
{
    static const char *const sources[] = {"abc", "dab", "cad", "bed", "ace", "dec", "eba", "cab"};
    enum { TEXTS = 8 };
    const char *path = support_train_pair_model("heads.safetensors", 20, LB_ATTENTION_MULTI_HEAD);
    lb_translator *translator = lb_translator_open(path, NULL);
    ck_assert_ptr_nonnull(translator);
    lb_translations *found[2];
    for (int i = 0; i < 2; i++)
        found[i] =
            lb_translate_all(translator, sources, TEXTS, (lb_translate_config){.beam = i ? 5 : 1}, NULL);
    app_report_heads heads = {.most = TEXTS};
    char *greedy[TEXTS];
    lb_strings answer[TEXTS];
    int others = 0;
    for (int i = 0; SUPPORT_ROW(i, sources); i++) {
        greedy[i] = found[0]->text[i].output->text;
        others += strcmp(greedy[i], found[1]->text[i].output->text) != 0;
        answer[i] = (lb_strings){.text = &greedy[i], .count = 1};
        ck_assert_int_eq(app_report_heads_keep(&heads, i, sources[i], &answer[i], NULL), LB_OK);
    }
    ck_assert_int_gt(others, 0);
    app_report_data report;
    ck_assert_int_eq(app_report_data_open(&report, NULL), LB_OK);
    ck_assert_int_eq(app_report_heads_measure(&heads, translator, &report, NULL), LB_OK);
    app_report_data_close(&report);
    ck_assert_uint_eq(heads.count, TEXTS);
    ck_assert(heads.whole.known && heads.whole.found.sequence_error_rate == 0 &&
              heads.whole.found.symbol_error_rate == 0);
    double without = 0;
    for (int i = 0; i < HEADS; i++) without += heads.without[i].found.symbol_error_rate;
    ck_assert_double_gt(without, 0);
    app_report_heads_free(&heads);
    for (int i = 0; i < 2; i++) lb_translations_free(found[i]);
    lb_translator_close(translator);
}
END_TEST
