/* report --engine: a page that carries its model. The page itself is tested in Chromium, by tests/web. */
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <lookback/op.h>
#include <stdlib.h>
#include <string.h>

#define REPORT BIN_DIR "/lookback", "report"
#define ENGINE "<script type=\"text/plain\" id=\"wasm\" data-encoding=\"gzip+base64\">abc</script>\n"

static const char *model;

static support_result result;

/* Reports about a text, with an engine of this content. */
static void report(const char *engine)
{
    support_write_file(support_path("engine.html"), engine, strlen(engine));
    const char *const argv[] = {REPORT,      model,      "--input",     "bad",         "-o",
                                "page.html", "--engine", "engine.html", "--threads=1", NULL};
    support_run_in_tempdir(argv, NULL, &result);
}

START_TEST(test_report_carries_the_engine_and_the_model_byte_for_byte)
{
    size_t size, count, expected_count;
    report(ENGINE);
    ck_assert_msg(result.status == 0, "%s", result.error);
    char *html = support_read_file(support_path("page.html"), &size);
    char *expected = support_read_file(model, &expected_count);
    unsigned char *found = support_inflate_element(html, "model", &count);
    ck_assert_ptr_nonnull(strstr(html, ENGINE));
    ck_assert_ptr_nonnull(strstr(html, "' 'wasm-unsafe-eval'; worker-src blob:;"));
    ck_assert_uint_eq(count, expected_count);
    ck_assert_mem_eq(found, expected, count);
    free(found);
    free(expected);
    free(html);
}
END_TEST

START_TEST(test_report_without_an_engine_may_run_none)
{
    size_t size;
    const char *const argv[] = {REPORT, model, "--input", "bad", "-o", "page.html", "--threads=1", NULL};
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
    char *html = support_read_file(support_path("page.html"), &size);
    static const char *const absent[] = {"wasm-unsafe-eval", "worker-src", "@POLICY@", "@MODEL@", "@ENGINE@"};
    for (int i = 0; SUPPORT_ROW(i, absent); i++)
        ck_assert_msg(strstr(html, absent[i]) == NULL, "found %s", absent[i]);
    free(html);
}
END_TEST

START_TEST(test_report_refuses_what_is_no_engine_before_it_decodes)
{
    static const char *const bad[] = {"", "<script", "<!doctype html>"};
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        report(bad[i]);
        ck_assert_int_eq(result.status, 65);
        ck_assert_ptr_nonnull(strstr(result.error, "engine.html: not the engine of a page; expected "));
        ck_assert(!support_exists("page.html"));
    }
}
END_TEST

START_TEST(test_report_without_a_file_of_the_engine_says_so)
{
    const char *const argv[] = {REPORT, model, "--input", "bad", "--engine", "none.html", NULL};
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_int_eq(result.status, 66);
    ck_assert_ptr_nonnull(strstr(result.error, "none.html: "));
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 50, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
