/* A model with learned positions has room for some tokens and no more: outputs end there, and longer texts are errors
 * of their own. */
#include "models/built_in.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/translate.h>

#include <string.h>

enum { POSITIONS = 5 };

static const char *const letters[] = {"a", "b", "c"};
static lb_error error;

/* A model that never ends an output by itself. */
static lb_translator *open_endless(void)
{
    lb_text_model made = {.params = lb_params_new(1),
                          .source = lb_vocabulary_new_reserved(&error),
                          .shortest_source = 1,
                          .longest_source = 3,
                          .longest_target = 4};
    made.target = made.source;
    ck_assert_int_eq(lb_vocabulary_add(made.source, letters, 3, &error), LB_OK);
    int64_t vocabulary = lb_vocabulary_size(made.source);
    lb_transformer *model = lb_params_alloc(made.params, sizeof *model);
    lb_transformer_config config = {vocabulary, vocabulary, .width = 8, .heads = 2, .layers = 1};
    config.positions = LB_POSITIONAL_LEARNED;
    config.max_length = POSITIONS;
    ck_assert_int_eq(lb_transformer_init(model, made.params, "", config), LB_OK);
    model->output.bias->data[LB_EOS] = -100;
    made.model = &model->base;
    ck_assert_int_eq(lb_text_model_save(support_path("model.safetensors"), &made, &error), LB_OK);
    lb_text_model_free(&made);
    lb_translator *translator = lb_translator_open(support_path("model.safetensors"), &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    return translator;
}

START_TEST(test_translate_outputs_end_with_the_positions)
{
    static const lb_translate_config configs[] = {
        {.beam = 1}, {.sample = true}, {.beam = 1, .limit = 100}, {.beam = 5, .n_best = 5}};
    const char *text = "abc";
    lb_translator *translator = open_endless();
    for (size_t i = 0; SUPPORT_ROW(i, configs); i++) {
        lb_translations *all = lb_translate_all(translator, &text, 1, configs[i], &error);
        ck_assert_msg(all != NULL, "%s", error.message);
        const lb_output *output = &all->text->output[all->text->count - 1]; /* finished ones come first */
        ck_assert_int_eq(output->length, POSITIONS);
        ck_assert(!output->finished);
        lb_translations_free(all);
    }
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_text_beyond_the_positions_is_its_own_error)
{
    static const char *const texts[] = {"abcab", "abcabc"};
    lb_translator *translator = open_endless();
    lb_translate_config config = {.skip_bad_texts = true};
    lb_translations *all = lb_translate_all(translator, texts, 2, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_ptr_null(all->text[0].error);
    ck_assert_str_eq(all->text[1].error, "found a text of 6 symbols, expected at most 5");
    ck_assert_int_eq(lb_translator_about(translator).most, POSITIONS);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_score_target_beyond_the_positions_is_its_own_error)
{
    static const char *const sources[] = {"a", "a"}, *const targets[] = {"abca", "abcab"};
    lb_translator *translator = open_endless();
    lb_translations *all = lb_translator_score(translator, sources, targets, 2, (lb_score_config){0}, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_int_eq(all->text[0].output->steps, POSITIONS);
    ck_assert_str_eq(all->text[1].error, "found a target of 5 symbols, expected at most 4");
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST
