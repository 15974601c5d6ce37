/* report: where a source has several right answers, the page counts what evaluate counts. */
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

#define REPORT   BIN_DIR "/lookback", "report"
#define EVALUATE BIN_DIR "/lookback", "evaluate"

static const char *model;

static support_result result;

#define RUN(program, ...) SUPPORT_RUN(&result, NULL, program, __VA_ARGS__)

/* Six lines of four sources, one of which is said twice. The second answer for "cab" is what the model writes. */
static void write_answers(void)
{
    char text[512], best[64];
    SUPPORT_RUN(&result, "cab\n", BIN_DIR "/lookback", "predict", model, "--only-outputs");
    ck_assert_msg(result.status == 0, "%s", result.error);
    snprintf(best, sizeof best, "%.*s", (int)strcspn(result.output, "\n"), result.output);
    snprintf(text, sizeof text,
             "cab\tE E E E E E\nbad\tB A\ncab\t%s\nbad\tB A\nbed\tB E\ncab\tC A B B\ncab\t%s\ndeed\tD\n",
             best, best);
    support_write_text("pairs.tsv", text);
}

START_TEST(test_report_any_target_has_the_measures_of_evaluate)
{
    char found[1024];
    write_answers();
    RUN(REPORT, model, "pairs.tsv", "-o", "page.html", "--any-target", "--heads-off", "10");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    RUN(EVALUATE, model, "pairs.tsv", "--json", "--any-target", "--confusions=100");
    cJSON *measured = cJSON_Parse(result.output);
    const cJSON *statistics = support_at(p.data, "statistics");
    ck_assert_double_eq(support_number(statistics, "pairs"), support_number(measured, "sources"));
    ck_assert_double_gt(support_number(statistics, "exact"), 0);
    ck_assert_double_eq_tol(support_number(statistics, "exact"),
                            support_number(measured, "exact_match.value") / 100, 1e-5);
    ck_assert_double_eq_tol(support_number(statistics, "symbol_error"),
                            support_number(measured, "symbol_error_rate.value") / 100, 1e-5);
    ck_assert_int_eq(support_count(statistics, "confusions"), support_count(measured, "confusions"));
    ck_assert_double_gt(support_number(statistics, "with_all_heads.exact"), 0);
    ck_assert_ptr_null(cJSON_GetObjectItem(statistics, "possible"));
    cJSON_Delete(measured);
    /* "cab" is first, and has three different answers; the nearest one is the right one. */
    ck_assert_double_eq(support_number(p.data, "pairs.0.edits"), 0);
    ck_assert_int_eq(support_count(p.data, "pairs.0.also"), 2);
    ck_assert_str_eq(support_page_text(&p, support_at(p.data, "pairs.0.also.0.symbols"), " ", found),
                     "E E E E E E");
    ck_assert_ptr_null(cJSON_GetObjectItem(support_at(p.data, "pairs.1"), "also"));
    ck_assert_str_eq(support_page_text(&p, support_at(p.data, "pairs.3.source"), "", found), "deed");
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_says_how_many_pairs_can_be_right)
{
    write_answers();
    RUN(REPORT, model, "pairs.tsv", "-o", "page.html", "--heads-off", "0");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert_double_eq(support_number(p.data, "statistics.ambiguous_sources"), 1);
    ck_assert_double_eq_tol(support_number(p.data, "statistics.possible"), 6.0 / 8, 1e-6);
    support_close_page(&p);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
