/* Translators: opening models, translating texts and lists, and errors. It takes seconds. */
#include "support/alloc.h"
#include "support/pair_model.h"
#include "support/small_training.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/translate.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TSH    "t\xca\x83"
#define OPEN_E "\xc9\x9b"
#define LONG   "\xcb\x90"

/* Made once, in main; `folder` holds the first as model.safetensors, `sort_folder` the sorter as sort.safetensors. */
static const char *folder, *model, *ensemble, *plain, *sort_folder, *sorter;

static lb_error error;

static void expect_translation(lb_translator *translator, const char *text, const char *output)
{
    char *found = lb_translate(translator, text, &error);
    ck_assert_msg(found != NULL, "%s", error.message);
    ck_assert_str_eq(found, output);
    lb_release(found);
}

static lb_translations *translate_all(lb_translator *translator, const char *const *texts, size_t count,
                                      lb_translate_config config)
{
    lb_translations *all = lb_translate_all(translator, texts, (int64_t)count, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_int_eq(all->count, (int64_t)count);
    return all;
}

START_TEST(test_translate_gives_the_best_output_of_a_file_a_folder_or_an_ensemble)
{
    const char *const paths[] = {model, folder, ensemble, plain};
    for (size_t i = 0; SUPPORT_ROW(i, paths); i++) {
        lb_translator *translator = support_open_model(paths[i]);
        expect_translation(translator, "bad", "B A " TSH);
        expect_translation(translator, "ec\xc3\xa9", OPEN_E " C " OPEN_E " " LONG);
        lb_translator_close(translator);
    }
    lb_translator_close(NULL);
}
END_TEST

START_TEST(test_translate_of_a_list_is_the_list_in_order)
{
    const char *const paths[] = {sorter, sort_folder};
    for (size_t i = 0; SUPPORT_ROW(i, paths); i++) {
        lb_translator *translator = support_open_model(paths[i]);
        expect_translation(translator, "7 3 9 1", "1 3 7 9");
        expect_translation(translator, " 5\t 00 05 ", "0 5 5");
        ck_assert(lb_translator_about(translator).sorts);
        lb_translator_close(translator);
    }
}
END_TEST

/* Writes the sorter in the old format, with a task and a log, but without vocabularies and rules. */
static void write_old_sorter(const char *path)
{
    lb_params *params = lb_params_new(0);
    lb_safetensors *file = lb_safetensors_open(sorter, &error);
    ck_assert_ptr_nonnull(file);
    const lb_model *old = lb_model_load(file, params, NULL, &error);
    const lb_safetensors_metadata metadata[] = {
        {"lookback.task", "{\"task\":\"sort\",\"max_number\":9,\"min_length\":2,\"max_length\":4}"},
        {"lookback.training", "{\"step\":250}\n{\"step\":500}\n"}};
    ck_assert_int_eq(lb_model_save(old, params, path,
                                   (lb_checkpoint_extra){.metadata = metadata, .metadata_count = 2}, &error),
                     LB_OK);
    lb_params_free(params);
    lb_safetensors_close(file);
}

START_TEST(test_translator_opens_a_model_that_sorts_without_vocabularies)
{
    write_old_sorter(support_path("old.safetensors"));
    lb_translator *translator = support_open_model(support_path("old.safetensors"));
    lb_translator_facts facts = lb_translator_about(translator);
    ck_assert(facts.sorts && facts.source == facts.target);
    ck_assert_int_eq(lb_vocabulary_size(facts.source), LB_FIRST_TOKEN + 10);
    ck_assert_int_eq(facts.shortest_source, 2);
    ck_assert_int_eq(facts.longest_source, 4);
    ck_assert_int_eq(facts.most, 40);
    expect_translation(translator, "7 3 9 1", "1 3 7 9");
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translator_about_tells_the_facts)
{
    lb_translator *translator = support_open_model(folder);
    lb_translator_facts facts = lb_translator_about(translator);
    ck_assert_str_eq(facts.path, model);
    ck_assert_str_eq(facts.model->kind->name, "seq2seq");
    ck_assert_str_eq(lb_vocabulary_symbol(facts.source, LB_FIRST_TOKEN), "a");
    ck_assert_str_eq(lb_vocabulary_symbol(facts.target, LB_FIRST_TOKEN), "A");
    ck_assert_int_eq(facts.source_rule.normalize, LB_NORMAL_FORM_NFD);
    ck_assert_str_eq(facts.target_rule.separator, " ");
    ck_assert_int_eq(facts.shortest_source, 1);
    ck_assert_int_eq(facts.longest_source, 6);
    ck_assert_int_eq(facts.longest_target, 6);
    ck_assert_int_eq(facts.most, 1000);
    ck_assert(!facts.sorts);
    ck_assert_str_eq(facts.training, "{\"steps\":500,\"seconds\":1.5}");
    lb_translator_close(translator);
}
END_TEST

static const struct {
    bool list;
    const char *text, *error;
} bad_texts[] = {
    {false, "", "found an empty text"},
    {false, "a\xff", "found 0xFF at byte 2, expected UTF-8"},
    {true, "3 10", "10 is not a number from 0 to 9"},
    {true, "3,1", "3,1 is not a number from 0 to 9"},
    {true, "", "found no number, expected numbers from 0 to 9, separated by spaces"},
    {true, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "found a list of 41 numbers, expected at most 40"},
};

START_TEST(test_translate_text_that_cannot_be_read_is_an_error_or_skipped)
{
    for (size_t i = 0; SUPPORT_ROW(i, bad_texts); i++) {
        char message[128];
        const char *good = bad_texts[i].list ? "7 3" : "bad",
                   *result = bad_texts[i].list ? "3 7" : "B A " TSH;
        const char *const texts[] = {good, bad_texts[i].text, good};
        lb_translator *translator = support_open_model(bad_texts[i].list ? sorter : model);
        error = (lb_error){0};
        ck_assert_ptr_null(lb_translate(translator, bad_texts[i].text, &error));
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, bad_texts[i].error);
        error = (lb_error){0};
        ck_assert_ptr_null(lb_translate_all(translator, texts, 3, (lb_translate_config){0}, &error));
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        snprintf(message, sizeof message, "text 1: %s", bad_texts[i].error);
        ck_assert_str_eq(error.message, message);
        lb_translations *all =
            translate_all(translator, texts, 3, (lb_translate_config){.skip_bad_texts = true});
        ck_assert_str_eq(all->text[1].error, bad_texts[i].error);
        ck_assert_int_eq(all->text[1].count, 0);
        ck_assert_ptr_null(all->text[0].error);
        ck_assert_str_eq(all->text[0].output->text, result);
        ck_assert_str_eq(all->text[2].output->text, result);
        lb_translations_free(all);
        lb_translator_close(translator);
    }
}
END_TEST

static void expect_refused(const char *path, lb_status status, const char *why)
{
    error = (lb_error){0};
    ck_assert_ptr_null(lb_translator_open(path, &error));
    ck_assert_msg(error.status == status, "%s: %s", path, error.message);
    ck_assert_msg(strncmp(error.message, path, strlen(path)) == 0, "%s", error.message);
    ck_assert_msg(strstr(error.message, why) != NULL, "\"%s\" does not say \"%s\"", error.message, why);
    ck_assert_ptr_null(lb_translator_open(path, NULL));
}

START_TEST(test_translator_open_of_anything_else_is_refused_with_its_name)
{
    size_t count;
    const lb_safetensors_metadata run = {LB_RUN_KEY, "{}"};
    expect_refused("/nowhere/model", LB_ERROR_OPEN, "No such file");
    expect_refused(support_tempdir(), LB_ERROR_OPEN, "found a folder without a model");
    const char *path = support_path("model.safetensors");
    ck_assert_int_eq(symlink("nothing", path), 0);
    expect_refused(support_tempdir(), LB_ERROR_OPEN, "No such file");
    ck_assert_int_eq(unlink(path), 0);
    expect_refused(SOURCE_DIR "/LICENSE", LB_ERROR_FORMAT, "found text, expected a model");
    expect_refused(SOURCE_DIR "/tests/data/fixtures/linear.safetensors", LB_ERROR_FORMAT,
                   "weights, but no model description");
    path = support_path("checkpoint");
    ck_assert_int_eq(lb_safetensors_write(NULL, 0, &run, 1, path, NULL), LB_OK);
    expect_refused(path, LB_ERROR_FORMAT, "found the checkpoint of a training");
    char *bytes = support_read_file(model, &count);
    for (size_t at = 20; at < count; at += count / 5) {
        bytes[at] ^= 1;
        path = support_path("damaged");
        support_write_file(path, bytes, count);
        expect_refused(path, LB_ERROR_FORMAT, "");
        bytes[at] ^= 1;
    }
    support_write_file(path, bytes, count / 2);
    expect_refused(path, LB_ERROR_FORMAT, "");
    free(bytes);
}
END_TEST

/* root may search everywhere, so this drops root privileges in a child. */
static bool is_forbidden_unprivileged(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
        error = (lb_error){0};
        bool opened = lb_translator_open(path, &error) != NULL;
        _exit(!opened && error.status == LB_ERROR_OPEN && strstr(error.message, strerror(EACCES)) ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

START_TEST(test_translator_open_of_a_folder_that_may_not_be_searched_says_so)
{
    support_write_file(support_path("model.safetensors"), "", 0);
    ck_assert_int_eq(chmod(support_tempdir(), 0444), 0);
    bool forbidden = is_forbidden_unprivileged(support_tempdir());
    ck_assert_int_eq(chmod(support_tempdir(), 0700), 0);
    ck_assert(forbidden);
}
END_TEST

/* Opens the model and applies it to three texts, one of which it skips. */
static lb_status translate_three(const char *path, const char *const *texts)
{
    const lb_translate_config config = {.attention = true, .n_best = 2, .skip_bad_texts = true};
    error = (lb_error){0};
    lb_translator *translator = lb_translator_open(path, &error);
    if (!translator) return error.status;
    lb_translations *all = lb_translate_all(translator, texts, 3, config, &error);
    lb_status status = all ? LB_OK : error.status;
    char *one = status ? NULL : lb_translate(translator, texts[0], &error);
    if (!status && !one) status = error.status;
    lb_release(one);
    lb_translations_free(all);
    lb_translator_close(translator);
    return status;
}

START_TEST(test_translate_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    static const char *const texts[] = {"bxd", "", "cab"}, *const lists[] = {"7 3", "x", "1 2"};
    const char *const paths[] = {folder, sorter};
    support_watch_allocations();
    lb_set_threads(1);
    for (int p = 0; SUPPORT_ROW(p, paths); p++) {
        const char *const *given = p ? lists : texts;
        ck_assert_int_eq(translate_three(paths[p], given), LB_OK);
        long live = support_live_allocations(), before = support_allocation_count();
        ck_assert_int_eq(translate_three(paths[p], given), LB_OK);
        long all = support_allocation_count() - before;
        ck_assert_int_gt(all, 30);
        for (long n = 1; n <= all; n++) {
            support_fail_from_allocation(n);
            lb_status status = translate_three(paths[p], given);
            SUPPORT_CHECK(status == LB_ERROR_MEMORY, "allocation %ld: %s", n, error.message);
            SUPPORT_CHECK(support_live_allocations() == live, "allocation %ld leaks", n);
            support_fail_from_allocation(0);
        }
    }
}
END_TEST

int main(void)
{
    if (mkdir(folder = support_path("out"), 0777) != 0) return EXIT_FAILURE;
    if (mkdir(sort_folder = support_path("sorts"), 0777) != 0) return EXIT_FAILURE;
    model = support_train_pair_model("out/model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    plain = support_train_pair_model("plain.safetensors", 600, LB_ATTENTION_NONE);
    ensemble = support_train_pair_model("ensemble.safetensors", 600, SUPPORT_ENSEMBLE);
    sorter = support_train_model("sorts/sort.safetensors", 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
