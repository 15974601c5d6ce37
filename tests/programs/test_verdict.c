/* Whether attention looks where erasure says: evaluate --why and report --why, against a computation by hand from what
 * lb_translate_all gives. */
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

#define LOOKBACK BIN_DIR "/lookback"

enum { TEXTS = 9, MOST_CELLS = 256 };

/* One source has a single symbol, and none of the others is as long as "decabe". */
static const char *const sources[TEXTS] = {"abc", "da", "cad", "b", "be", "ace", "decabe", "ce", "eba"};

static const char *model;
static support_result result;

#define RUN(...) SUPPORT_RUN(&result, NULL, LOOKBACK, __VA_ARGS__)

static void write_pairs(void)
{
    char text[1024] = "";
    for (int i = 0; i < TEXTS; i++) {
        strcat(text, sources[i]);
        strcat(text, "\tA B\n");
    }
    support_write_file(support_path("pairs.tsv"), text, strlen(text));
}

/* The object of `evaluate --json --why`, to be deleted. */
static cJSON *evaluate_json(const char *of)
{
    RUN("evaluate", of, "pairs.tsv", "--why", "--json");
    ck_assert_msg(result.status == 0, "%s", result.error);
    cJSON *all = cJSON_Parse(result.output), *why = cJSON_DetachItemFromObject(all, "why");
    cJSON_Delete(all);
    return why;
}

/* Tau-b and the share of equal first symbols of one row, by their definitions. */
static void add_row(const double *a, const lb_real *b, int64_t count, double *tau, double *first)
{
    double product = 0, square_a = 0, square_b = 0, both = 0, largest_a = 0, largest_b = 0;
    for (int64_t i = 0; i < count; i++) {
        bool is_a = true, is_b = true;
        for (int64_t j = 0; j < count; j++) {
            double x = a[i] < a[j] ? -1 : a[i] > a[j], y = b[i] < b[j] ? -1 : b[i] > b[j];
            product += x * y;
            square_a += x * x;
            square_b += y * y;
            is_a = is_a && x >= 0;
            is_b = is_b && y >= 0;
        }
        both += is_a && is_b;
        largest_a += is_a;
        largest_b += is_b;
    }
    *tau += square_a * square_b > 0 ? product / sqrt(square_a * square_b) : 0;
    *first += both / largest_a / largest_b;
}

/* One or more maps of a text, as their mean, beside the erasure of another, or of its own. */
static void compare(const lb_translation *looks, int64_t map, int64_t maps, const lb_translation *depends,
                    double *tau, double *first)
{
    const lb_output *a = looks->output, *b = depends->output;
    int64_t length = looks->length, steps = a->steps < b->steps ? a->steps : b->steps;
    double sum_tau = 0, sum_first = 0, row[MOST_CELLS];
    ck_assert_int_le(length, MOST_CELLS);
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t k = 0; k < length; k++) {
            row[k] = 0;
            for (int64_t m = map; m < map + maps; m++)
                row[k] += (double)a->weights[(m * a->steps + step) * length + k] / (double)maps;
        }
        add_row(row, b->erasure + step * length, length, &sum_tau, &sum_first);
    }
    *tau += sum_tau / (double)steps;
    *first += sum_first / (double)steps;
}

static void expect_row(const cJSON *why, int row, const char *name, int pairs, double tau, double first)
{
    const cJSON *found = cJSON_GetArrayItem(support_at(why, "rows"), row);
    ck_assert_str_eq(support_at(found, "name")->valuestring, name);
    ck_assert_double_eq(support_number(found, "pairs"), pairs);
    ck_assert_double_eq_tol(support_number(found, "tau.0"), tau / pairs, 1e-5);
    ck_assert_double_eq_tol(support_number(found, "first.0"), first / pairs, 1e-5);
}

static const lb_translation *last_as_long(const lb_translations *all, int64_t before)
{
    for (int64_t i = before - 1; i >= 0; i--)
        if (all->text[i].length == all->text[before].length) return &all->text[i];
    return NULL;
}

START_TEST(test_verdict_is_what_the_rows_give)
{
    lb_translator *translator = lb_translator_open(model, NULL);
    lb_translations *all = lb_translate_all(translator, sources, TEXTS,
                                            (lb_translate_config){.attention = true, .erasure = true}, NULL);
    ck_assert_ptr_nonnull(all);
    enum { HEADS = 4 };
    ck_assert_int_eq(all->layers * all->heads, HEADS);
    double tau[HEADS + 3] = {0}, first[HEADS + 3] = {0}; /* mean, heads, uniform, another */
    int others = 0, pairs = 0;
    for (int i = 0; i < TEXTS; i++) {
        const lb_translation *text = &all->text[i], *last = last_as_long(all, i);
        if (text->length == 1) continue;
        pairs++;
        compare(text, 0, HEADS, text, &tau[0], &first[0]);
        for (int h = 0; h < HEADS; h++) compare(text, h, 1, text, &tau[1 + h], &first[1 + h]);
        first[HEADS + 1] += 1 / (double)text->length;
        others += last != NULL;
        if (last) compare(last, 0, HEADS, text, &tau[HEADS + 2], &first[HEADS + 2]);
    }
    write_pairs();
    cJSON *why = evaluate_json(model);
    ck_assert_double_eq(support_number(why, "pairs"), pairs);
    ck_assert_int_eq(support_count(why, "rows"), HEADS + 3);
    ck_assert_int_eq(pairs, 8);
    ck_assert_int_eq(others, 5);
    expect_row(why, 0, "mean of the heads", pairs, tau[0], first[0]);
    for (int h = 0; h < HEADS; h++) {
        char name[] = "layer 0, head 0";
        name[14] = (char)('0' + h);
        expect_row(why, 1 + h, name, pairs, tau[1 + h], first[1 + h]);
    }
    expect_row(why, HEADS + 1, "uniform", pairs, tau[HEADS + 1], first[HEADS + 1]);
    expect_row(why, HEADS + 2, "another pair", others, tau[HEADS + 2], first[HEADS + 2]);
    ck_assert_double_lt(support_number(why, "rows.0.tau.1"), tau[0] / pairs);
    ck_assert_double_gt(support_number(why, "rows.0.tau.2"), tau[0] / pairs);
    cJSON_Delete(why);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_verdict_of_a_report_is_that_of_evaluate)
{
    write_pairs();
    cJSON *why = evaluate_json(model);
    RUN("report", model, "pairs.tsv", "--heads-off", "0", "-o", "page.html");
    support_page page = support_open_page("page.html");
    ck_assert(cJSON_Compare(support_at(page.data, "statistics.why"), why, true));
    support_close_page(&page);
    /* The first five lines: four have two symbols or more, and two of them come after one as long. */
    RUN("report", model, "pairs.tsv", "--heads-off", "0", "--why", "5", "-o", "page.html");
    page = support_open_page("page.html");
    ck_assert_double_eq(support_number(page.data, "statistics.why.pairs"), 4);
    ck_assert_double_eq(support_number(page.data, "statistics.why.rows.6.pairs"), 2);
    support_close_page(&page);
    RUN("report", model, "pairs.tsv", "--heads-off", "0", "--why", "0", "-o", "page.html");
    page = support_open_page("page.html");
    ck_assert_ptr_null(cJSON_GetObjectItem(support_at(page.data, "statistics"), "why"));
    support_close_page(&page);
    cJSON_Delete(why);
}
END_TEST

START_TEST(test_verdict_has_three_lines)
{
    write_pairs();
    RUN("evaluate", model, "pairs.tsv", "--why", "--confusions", "0");
    ck_assert_int_eq(result.status, 0);
    const char *mean = strstr(result.output, "\nmean of the heads "),
               *uniform = strstr(result.output, "\nuniform "),
               *another = strstr(result.output, "\nanother pair ");
    ck_assert_msg(mean && uniform && another, "%s", result.output);
    ck_assert(mean < uniform && uniform < another);
    ck_assert_ptr_nonnull(strstr(mean, "; best: --layer 0 --head "));
    ck_assert_ptr_nonnull(strstr(uniform, "    0.00 tau (0.00 to 0.00)   37.50 % same first symbol ("));
    ck_assert_ptr_nonnull(strstr(another, "; 5 pairs\n"));
    const char *last = strchr(another + 1, '\n');
    ck_assert_str_eq(last, "\n");
    support_write_file(support_path("pairs.tsv"), "abc\tA B C\n", 10); /* without another pair */
    RUN("evaluate", model, "pairs.tsv", "--why", "--confusions", "0");
    ck_assert_ptr_nonnull(
        strstr(result.output, "\nanother pair              - tau       - % same first symbol; 0 pairs\n"));
}
END_TEST

/* Two layers of heads. */
START_TEST(test_verdict_of_a_transformer_names_its_layers)
{
    static const char lists[] = "4 2 7\t2 4 7\n9 1\t1 9\n3 8\t3 8\n";
    const char *of = support_train_model("sorter.safetensors", 0, SUPPORT_TRANSFORMER);
    support_write_file(support_path("pairs.tsv"), lists, strlen(lists));
    cJSON *why = evaluate_json(of);
    int heads = (support_count(why, "rows") - 3) / 2;
    char name[64];
    ck_assert_str_eq(support_at(why, "rows.0.name")->valuestring, "mean of the heads");
    ck_assert_str_eq(support_at(why, "rows.1.name")->valuestring, "layer 0, head 0");
    snprintf(name, sizeof name, "layer 1, head %d", heads - 1);
    ck_assert_str_eq(cJSON_GetArrayItem(support_at(why, "rows"), 2 * heads)->child->valuestring, name);
    ck_assert_double_eq(support_number(why, "rows.0.pairs"), 3);
    /* "9 1" comes before "3 8". */
    ck_assert_double_eq(cJSON_GetArrayItem(support_at(why, "rows"), 2 * heads + 2)->child->next->valuedouble,
                        1);
    cJSON_Delete(why);
}
END_TEST

START_TEST(test_verdict_refuses_what_has_none)
{
    const char *none = support_train_pair_model("none.safetensors", 0, LB_ATTENTION_NONE);
    write_pairs();
    RUN("evaluate", none, "pairs.tsv", "--why");
    ck_assert_int_ne(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, "none.safetensors: --why needs a model with attention\n"));
    RUN("report", none, "pairs.tsv", "-o", "page.html");
    support_page page = support_open_page("page.html");
    ck_assert_ptr_null(cJSON_GetObjectItem(support_at(page.data, "statistics"), "why"));
    support_close_page(&page);
    RUN("evaluate", model, "pairs.tsv", "pairs.tsv", "--why");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "--why needs a MODEL and one FILE, or --json"));
    RUN("evaluate", "--predictions", "pairs.tsv", "pairs.tsv", "--why");
    ck_assert_int_eq(result.status, 2);
    support_write_file(support_path("pairs.tsv"), "a\tA\n", 4);
    RUN("evaluate", model, "pairs.tsv", "--why");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, "--why: found no source of several symbols in pairs.tsv"));
    ck_assert_ptr_null(strstr(result.output, " tau"));
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 60, LB_ATTENTION_MULTI_HEAD);
    return support_run_tests();
}
