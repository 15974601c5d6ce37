/* A model of a training loop of one's own is saved in one call, and every program opens it. */
#include "lookback/lookback.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

static const char *path;
static lb_error error;
static support_result result;

static void assert_saved(lb_status status)
{
    ck_assert_msg(status == LB_OK, "%s", error.message);
}

/* All programs that open a model give no error; `text` and `target` are a pair for it. */
static void assert_programs_open(const char *text, const char *target)
{
    char line[64];
    snprintf(line, sizeof line, "%s\n", text);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "inspect", path);
    ck_assert_msg(result.status == 0, "%s", result.error);
    SUPPORT_RUN(&result, line, LOOKBACK, "predict", path);
    ck_assert_msg(result.status == 0, "%s", result.error);
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_ptr_nonnull(translator);
    char *output = lb_translate(translator, text, &error), expected[256];
    ck_assert_ptr_nonnull(output);
    /* After its text, unless it is a list. */
    size_t length = (size_t)snprintf(expected, sizeof expected, "%s\n", output);
    ck_assert_uint_ge(result.output_length, length);
    ck_assert_str_eq(result.output + result.output_length - length, expected);
    snprintf(expected, sizeof expected, "%s\t%s\n", text, target);
    lb_release(output);
    lb_translator_close(translator);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "visualize", path, "--input", text, "-o", "v.png");
    ck_assert_msg(result.status == 0, "%s", result.error);
    SUPPORT_RUN(&result, expected, LOOKBACK, "evaluate", path, "-");
    ck_assert_msg(result.status == 0, "%s", result.error);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "join", path, path, "-o", "joined");
    ck_assert_msg(result.status == 0, "%s", result.error);
}

/* docs/guide.md, "Files". */
START_TEST(test_save_of_a_model_that_sorts_is_opened_by_all_programs)
{
    const lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 4, .seed = 7};
    lb_params *params = lb_params_new(7);
    lb_seq2seq model;
    lb_seq2seq_config config = {
        .source_vocab = lb_sort_vocab(&task), .target_vocab = lb_sort_vocab(&task), .embed = 8, .hidden = 8};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    lb_translator_texts texts = {.sort = &task};
    assert_saved(
        lb_translator_save(&model.base, params, path = support_path("sort.safetensors"), texts, &error));
    lb_params_free(params);
    assert_programs_open("7 3 9", "3 7 9");
}
END_TEST

static lb_vocabulary *new_vocabulary(const char *const *symbols, int64_t count)
{
    lb_vocabulary *made = lb_vocabulary_new_reserved(&error);
    ck_assert_int_eq(lb_vocabulary_add(made, symbols, count, &error), LB_OK);
    return made;
}

/* A model of pairs, which nobody has trained. */
typedef struct pairs {
    lb_params *params;
    lb_vocabulary *source, *target;
    lb_seq2seq model;
    lb_translator_texts texts;
} pairs;

static void open_pairs(pairs *p)
{
    static const char *const letters[] = {"a", "b", "c"}, *const sounds[] = {"A", "B"};
    p->source = new_vocabulary(letters, 3);
    p->target = new_vocabulary(sounds, 2);
    p->params = lb_params_new(7);
    lb_seq2seq_config config = {.source_vocab = lb_vocabulary_size(p->source),
                                .target_vocab = lb_vocabulary_size(p->target),
                                .embed = 4,
                                .hidden = 4};
    ck_assert_int_eq(lb_seq2seq_init(&p->model, p->params, "", config), LB_OK);
    p->texts = (lb_translator_texts){p->source, p->target, .target_rule = {.separator = " "}};
    path = support_path("pairs.safetensors");
}

static void close_pairs(pairs *p)
{
    lb_params_free(p->params);
    lb_vocabulary_free(p->source);
    lb_vocabulary_free(p->target);
}

static lb_status save(const pairs *p)
{
    error = (lb_error){0};
    return lb_translator_save(&p->model.base, p->params, path, p->texts, &error);
}

START_TEST(test_save_of_a_model_of_pairs_is_opened_by_all_programs)
{
    pairs p;
    open_pairs(&p);
    assert_saved(save(&p));
    assert_programs_open("abc", "A B");
    p.texts.longest_source = 5;
    p.texts.longest_target = 6;
    assert_saved(save(&p));
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_ptr_nonnull(translator);
    lb_translator_facts facts = lb_translator_about(translator);
    ck_assert_int_eq(facts.shortest_source, 0);
    ck_assert_int_eq(facts.longest_source, 5);
    ck_assert_int_eq(facts.longest_target, 6);
    ck_assert_str_eq(facts.target_rule.separator, " ");
    ck_assert_str_eq(lb_vocabulary_symbol(facts.source, LB_FIRST_TOKEN + 2), "c");
    lb_translator_close(translator);
    close_pairs(&p);
}
END_TEST

static void assert_refused(const pairs *p, const char *why)
{
    ck_assert_int_eq(save(p), LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
    ck_assert_uint_eq(support_file_count(), 0);
}

START_TEST(test_save_refuses_what_could_not_be_opened)
{
    static const char *const specials[] = {"-", "?"}, *const tab[] = {"a\tb", "c", "d"};
    pairs p;
    open_pairs(&p);
    lb_vocabulary *own = lb_vocabulary_new(specials, 2, 1, &error), *odd = new_vocabulary(tab, 3);
    lb_seq2seq named;
    const lb_translator_texts texts = p.texts;
    lb_params *params = lb_params_new(1);
    ck_assert_int_eq(lb_seq2seq_init(&named, params, "named", p.model.config), LB_OK);
    ck_assert_int_eq(lb_translator_save(&named.base, params, path, texts, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "found no parameter 'source_embedding.weight'"));
    lb_params_free(params);
    p.texts.source = NULL;
    assert_refused(&p, "found no source vocabulary, expected one");
    p.texts.source = own;
    assert_refused(&p, "the source vocabulary: symbol 0 is \"-\", expected <pad>");
    p.texts.source = odd;
    assert_refused(&p, "the source vocabulary: symbol 4 is invalid: it contains a tab or a line end");
    p.texts.source = p.target;
    assert_refused(&p, "the vocabularies have 6 and 6 symbols, expected 7 and 6 as in the model");
    p.texts =
        (lb_translator_texts){.sort = &(lb_sort_task){.max_value = 9, .min_length = 2, .max_length = 3}};
    assert_refused(&p, "the vocabularies have 14 and 14 symbols, expected 7 and 6 as in the model");
    p.texts = (lb_translator_texts){.sort = &(lb_sort_task){.max_value = -1}};
    ck_assert_int_eq(save(&p), LB_ERROR_ARGUMENT);
    lb_vocabulary_free(odd);
    lb_vocabulary_free(own);
    close_pairs(&p);
}
END_TEST

/* The message of a model that was saved without them names the remedy. */
START_TEST(test_model_without_vocabularies_names_the_remedy)
{
    pairs p;
    open_pairs(&p);
    assert_saved(lb_model_save(&p.model.base, p.params, path, (lb_checkpoint_extra){0}, &error));
    close_pairs(&p);
    ck_assert_ptr_null(lb_translator_open(path, &error));
    ck_assert_ptr_nonnull(
        strstr(error.message, "saved without its vocabularies; lb_translator_save saves both"));
}
END_TEST
