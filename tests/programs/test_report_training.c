/* report: what it tells about the training of its model: the command, the history, the film. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REPORT BIN_DIR "/lookback", "report"

static support_result result;

#define RUN(program, text, ...) SUPPORT_RUN(&result, text, program, __VA_ARGS__)

START_TEST(test_report_has_the_command_that_trains_the_model_again)
{
    support_write_pairs("train.tsv", 300, 1);
    SUPPORT_TRAIN("--train", "train.tsv", "--target-separator", " ", "--model", "transformer", "--hidden",
                  "16", "--tied", "--steps", "2", "--seed", "7", "--threads", "1", "--set", "merge=false");
    support_assert_trained();
    RUN(REPORT, NULL, "out", "--input", "abc", "-o", "page.html");
    ck_assert_msg(result.status == 0 && strstr(result.error, " (1 pair, "), "%s", result.error);
    support_page p = support_open_page("page.html");
    const char *command = support_at(p.data, "about.training_command")->valuestring;
    ck_assert_str_eq(command, "lookback train --train train.tsv --set merge=false --target-separator ' ' "
                              "--model transformer --hidden 16 --tied --steps 2 --seed 7");
    const char *begin = command + strlen("lookback train ");
    char script[SUPPORT_PATH];
    snprintf(script, sizeof script, "exec '" BIN_DIR "/lookback' train %s --threads 1 --out again", begin);
    RUN("/bin/sh", NULL, "-c", script);
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_assert_same_files("out/model.safetensors", "again/model.safetensors");
    support_close_page(&p);
    const char *sorts = support_train_model("sort.safetensors", 5, SUPPORT_TRANSFORMER);
    RUN(REPORT, NULL, sorts, "--input", "7 0 3", "-o", "page.html");
    p = support_open_page("page.html");
    ck_assert(cJSON_IsNull(support_at(p.data, "about.training_command")));
    support_close_page(&p);
}
END_TEST

/* Not the zeros and nulls that stand for them. */
static void expect_options(const cJSON *options, bool transformer)
{
    ck_assert_double_eq(support_number(options, "batch"), 16);
    ck_assert_double_eq(support_number(options, "steps"), 2);
    ck_assert_double_eq(support_number(options, "heads"), transformer ? 4 : 1);
    ck_assert_double_eq(support_number(options, "dropout"), transformer ? 0.1 : 0.5);
    ck_assert_double_eq(support_number(options, "label-smoothing"), 0.1);
    ck_assert_double_eq(support_number(options, "patience"), 5);
    ck_assert_int_eq(cJSON_HasObjectItem(options, "kv-heads"), transformer);
    ck_assert_int_eq(cJSON_HasObjectItem(options, "attention"), !transformer);
    if (transformer) ck_assert_double_eq(support_number(options, "kv-heads"), 4);
}

START_TEST(test_report_and_inspect_have_the_options_that_were_in_force)
{
    static const char *const kinds[] = {"seq2seq", "transformer"};
    support_write_pairs("train.tsv", 300, 1);
    for (int i = 0; SUPPORT_ROW(i, kinds); i++) {
        SUPPORT_TRAIN("--train", "train.tsv", "--target-separator", " ", "--model", kinds[i], "--hidden",
                      "16", "--steps", "2", "--threads", "1", "--fresh");
        support_assert_trained();
        RUN(REPORT, NULL, "out", "--input", "abc", "-o", "page.html");
        ck_assert_msg(result.status == 0, "%s", result.error);
        support_page p = support_open_page("page.html");
        expect_options(support_at(p.data, "about.training.options"), i == 1);
        ck_assert_double_eq(support_number(p.data, "about.configuration.heads"),
                            support_number(p.data, "about.heads"));
        ck_assert_ptr_null(
            cJSON_GetObjectItemCaseSensitive(support_at(p.data, "about.training"), "settings"));
        support_close_page(&p);
        RUN(BIN_DIR "/lookback", NULL, "inspect", "out", "--json");
        cJSON *json = cJSON_Parse(result.output);
        expect_options(support_at(json, "training.options"), i == 1);
        cJSON_Delete(json);
    }
}
END_TEST

START_TEST(test_report_of_a_training_has_its_history_and_its_film)
{
    char text[1024];
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 30, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--test", "same=dev.tsv",
                  "--set", "film=3");
    support_assert_trained();
    RUN(REPORT, NULL, "out", "dev.tsv", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert_str_eq(support_at(p.data, "about.title")->valuestring, "out \xC2\xB7 dev.tsv");
    ck_assert_str_eq(support_at(p.data, "about.lookback")->valuestring, lb_version());
    ck_assert_double_eq(support_number(p.data, "about.training.seed"), 1);
    /* Without what is usual, such as the seed, and what does not change the model. */
    ck_assert_str_eq(
        support_at(p.data, "about.training_command")->valuestring,
        "lookback train --train train.tsv --dev dev.tsv --test same=dev.tsv --target-separator ' ' --embed "
        "16 "
        "--hidden 32 --dropout 0 --steps 300 --lr 0.02 --warm-up 20 --label-smoothing 0 --evaluate-every 50");
    const cJSON *last = support_at(p.data, "history.points")->child->prev;
    ck_assert_double_eq(support_number(last, "tests.same"), support_number(last, "exact_match"));
    ck_assert_double_eq(support_number(p.data, "about.training.test.same"),
                        support_number(p.data, "about.training.exact_match"));
    ck_assert_int_eq(support_count(p.data, "history.points"), support_line_count("out/log.jsonl"));
    ck_assert_int_eq(support_count(p.data, "film"), 3);
    const cJSON *film, *frame;
    cJSON_ArrayForEach(film, support_at(p.data, "film"))
    {
        double before = 0;
        ck_assert_int_eq(support_count(film, "frames"), support_line_count("out/film.jsonl") / 3);
        support_page_text(&p, support_at(film, "source"), "", text);
        cJSON_ArrayForEach(frame, support_at(film, "frames"))
        {
            size_t steps =
                (size_t)support_count(frame, "symbols") + (size_t)cJSON_IsTrue(support_at(frame, "finished"));
            ck_assert_double_gt(support_number(frame, "step"), before);
            ck_assert_uint_le((size_t)support_number(frame, "weights") + steps * strlen(text), p.blob_size);
            before = support_number(frame, "step");
        }
    }
    support_close_page(&p);
}
END_TEST

/* A link to itself may be a film for all that the system can tell. */
/* A model that was chosen by a measure of texts is told by it. */
START_TEST(test_report_has_the_measure_that_the_model_was_chosen_by)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 30, 2);
    support_write_text("one.tsv", "abc\tc b a\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--test", "same=dev.tsv",
                  "--test", "one=one.tsv", "--steps", "60", "--evaluate-every", "20", "--choose", "chrf");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, " (greedy) on 1 pair of one.tsv, test one\n"));
    RUN(REPORT, NULL, "out", "dev.tsv", "--beam", "1", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert_str_eq(support_at(p.data, "about.choose")->valuestring, "chrf");
    const cJSON *points = support_at(p.data, "history.points"), *kept = NULL, *point;
    cJSON_ArrayForEach(point, points)
    {
        ck_assert_double_eq(support_number(point, "tests.same"), support_number(point, "symbol_error"));
        if (support_number(point, "step") == support_number(p.data, "history.kept")) kept = point;
    }
    static const char *const keys[] = {"bleu_13a", "chrf2", "symbol_error"};
    for (int i = 0; SUPPORT_ROW(i, keys); i++) {
        const double found = support_number(support_at(p.data, "statistics"), keys[i]);
        ck_assert_double_gt(found, 0);
        ck_assert_double_eq_tol(found, support_number(kept, keys[i]), 1e-4);
        ck_assert_double_eq_tol(support_number(support_at(p.data, "statistics.with_all_heads"), keys[i]),
                                found, 1e-4);
    }
    support_close_page(&p);
}
END_TEST

START_TEST(test_report_does_not_leave_out_a_film_that_it_cannot_read)
{
    support_write_pairs("train.tsv", 60, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "2");
    support_assert_trained();
    const char *film = support_path("out/film.jsonl");
    ck_assert_int_eq(remove(film), 0);
    ck_assert_int_eq(symlink("film.jsonl", film), 0);
    RUN(REPORT, NULL, "out", "--input", "abc", "-o", "page.html");
    ck_assert_int_eq(result.status, 66);
    ck_assert_msg(strstr(result.error, "out/film.jsonl: found a symbolic link") != NULL, "%s", result.error);
    ck_assert_int_eq(remove(film), 0);
    RUN(REPORT, NULL, "out", "--input", "abc", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
}
END_TEST
