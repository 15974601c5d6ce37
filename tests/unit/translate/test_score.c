/* Scoring given pairs: the probability of an output is the same as when the model wrote it. */
#include "support/pair_model.h"
#include "support/small_training.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <math.h>
#include <string.h>

/* Made once, in main. */
static const char *model, *ensemble, *sorter, *heads;

static lb_translations *score(lb_translator *translator, const char *const *sources,
                              const char *const *targets, size_t count)
{
    lb_error error = {0};
    lb_translations *all =
        lb_translator_score(translator, sources, targets, (int64_t)count, (lb_score_config){0}, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_int_eq(all->count, (int64_t)count);
    return all;
}

static void check_same(const lb_output *given, const lb_output *written)
{
    ck_assert_str_eq(given->text, written->text);
    ck_assert(given->finished);
    ck_assert_int_eq(given->steps, written->steps);
    ck_assert_double_eq_tol(given->score, log(written->probability), 1e-4);
    ck_assert_double_eq_tol(given->probability, written->probability, 1e-4);
    for (int64_t t = 0; t < given->steps; t++)
        ck_assert_double_eq_tol(given->symbol_probability[t], written->symbol_probability[t], 1e-4);
}

START_TEST(test_score_is_what_the_model_said_when_it_wrote)
{
    enum { TEXTS = 3, OUTPUTS = 4 };
    static const char *const texts[] = {"bad", "ec\xc3\xa9", "a"}, *const lists[] = {"7 3 1", "5 5", "9"};
    const char *const paths[] = {model, ensemble, sorter};
    for (int m = 0; SUPPORT_ROW(m, paths); m++) {
        const char *sources[TEXTS * OUTPUTS], *targets[TEXTS * OUTPUTS];
        lb_translator *translator = support_open_model(paths[m]);
        lb_translate_config config = {.n_best = OUTPUTS, .beam = 8};
        lb_translations *written = lb_translate_all(translator, m < 2 ? texts : lists, TEXTS, config, NULL);
        ck_assert_ptr_nonnull(written);
        size_t count = 0;
        for (int i = 0; i < TEXTS; i++)
            for (int n = 0; n < OUTPUTS; n++) {
                sources[count] = (m < 2 ? texts : lists)[i];
                targets[count++] = written->text[i].output[n].text;
            }
        ck_assert_uint_ge(count, TEXTS);
        lb_translations *scored = score(translator, sources, targets, count);
        for (size_t i = 0, at = 0; i < TEXTS; i++)
            for (int n = 0; n < OUTPUTS; n++, at++)
                if (written->text[i].output[n].finished)
                    check_same(scored->text[at].output, &written->text[i].output[n]);
        lb_translations_free(scored);
        lb_translations_free(written);
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_score_of_a_wrong_target_is_lower)
{
    static const char *const sources[] = {"bad", "bad"}, *const targets[] = {"B A t\xca\x83", "A B C"};
    lb_translator *translator = support_open_model(model);
    lb_translations *all = score(translator, sources, targets, 2);
    ck_assert_double_gt(all->text[0].output->score, all->text[1].output->score + 1);
    ck_assert_double_lt(all->text[0].output->score, 0);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_score_of_an_unknown_symbol_is_that_of_the_unknown_one)
{
    static const char *const sources[] = {"bad", "bad"}, *const targets[] = {"B x", "B y"};
    lb_translator *translator = support_open_model(model);
    lb_translations *all = score(translator, sources, targets, 2);
    ck_assert_str_eq(all->text[0].output->text, "B x");
    ck_assert_str_eq(all->text[1].output->symbol[1], "y");
    ck_assert_double_eq_tol(all->text[0].output->score, all->text[1].output->score, 1e-5);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_score_of_what_cannot_be_read_is_its_own_error)
{
    static const char *const sources[] = {"", "bad", "bad"}, *const targets[] = {"A", "A \xff",
                                                                                 "B A t\xca\x83"};
    lb_translator *translator = support_open_model(model);
    lb_translations *all = score(translator, sources, targets, 3), *alone;
    ck_assert_str_eq(all->text[0].error, "found an empty text");
    ck_assert_ptr_nonnull(strstr(all->text[1].error, "found 0xFF at byte 3, expected UTF-8"));
    ck_assert_int_eq(all->text[0].count + all->text[1].count, 0);
    alone = score(translator, sources + 2, targets + 2, 1);
    ck_assert_double_eq_tol(all->text[2].output->score, alone->text->output->score, 1e-5);
    lb_translations_free(alone);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

/* Targets of different lengths, side by side: each has the weights of its own steps, head by head. */
START_TEST(test_score_attention_of_several_heads_is_that_of_the_search)
{
    enum { TEXTS = 4 };
    static const char *const sources[TEXTS] = {"bad", "a", "cabe", "ed"};
    const char *targets[TEXTS];
    lb_translator *translator = support_open_model(heads);
    lb_error error = {0};
    lb_translations *written = lb_translate_all(translator, sources, TEXTS,
                                                (lb_translate_config){.beam = 1, .attention = true}, &error);
    ck_assert_msg(written != NULL && written->heads == 4, "%s", error.message);
    for (int i = 0; i < TEXTS; i++) targets[i] = written->text[i].output->text;
    lb_translations *scored = lb_translator_score(translator, sources, targets, TEXTS,
                                                  (lb_score_config){.attention = true}, &error);
    ck_assert_msg(scored != NULL, "%s", error.message);
    int64_t shortest = 1000, longest = 0;
    for (int i = 0; i < TEXTS; i++) {
        const lb_output *given = scored->text[i].output, *own = written->text[i].output;
        int64_t map = own->steps * written->text[i].length;
        ck_assert(own->finished && given->steps == own->steps);
        shortest = own->steps < shortest ? own->steps : shortest;
        longest = own->steps > longest ? own->steps : longest;
        for (int64_t k = 0; k < 4 * map; k++)
            ck_assert_double_eq_tol((double)given->weights[k], (double)own->weights[k], 1e-4);
        if (written->text[i].length < 2) continue;
        double apart = 0; /* of the first head and the last */
        for (int64_t k = 0; k < map; k++)
            apart += fabs((double)(own->weights[k] - own->weights[3 * map + k]));
        ck_assert_double_gt(apart, 0.01);
    }
    ck_assert_int_lt(shortest, longest);
    lb_translations_free(scored);
    lb_translations_free(written);
    lb_translator_close(translator);
}
END_TEST

int main(void)
{
    heads = support_train_pair_model("heads.safetensors", 300, LB_ATTENTION_MULTI_HEAD);
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    ensemble = support_train_pair_model("ensemble.safetensors", 600, SUPPORT_ENSEMBLE);
    sorter = support_train_model("sort.safetensors", 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
