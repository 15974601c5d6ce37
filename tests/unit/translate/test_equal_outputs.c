/* Outputs that are equal as text, since their combining marks are in another order, are one output. */
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/lookback.h>

#include "data/text/symbols.h"

#include <math.h>
#include <string.h>

/* A letter, and marks of different classes, whose order means nothing. */
static const char *const marks[] = {"o",        "\xCC\xA3", "\xCC\x82", "\xCC\xA7",
                                    "\xCC\x95", "\xCD\x85", "\xCC\xB4", "\xCC\x9B"};
enum { MARKS = 8, IDS = LB_FIRST_TOKEN + MARKS, LIMIT = 3, DRAWN = 60, SEEDS = 20 };

static lb_error error;
static lb_translator *translator;
static lb_tape *tape;

/* An untrained model with this seed. */
static void open_model(uint64_t seed)
{
    const char *letter = "a";
    lb_seq2seq model;
    lb_params *params = lb_params_new(seed);
    lb_vocabulary *source = lb_vocabulary_new_reserved(&error), *target = lb_vocabulary_new_reserved(&error);
    ck_assert_int_eq(lb_vocabulary_add(source, &letter, 1, &error), LB_OK);
    ck_assert_int_eq(lb_vocabulary_add(target, marks, MARKS, &error), LB_OK);
    const lb_seq2seq_config config = {
        .source_vocab = LB_FIRST_TOKEN + 1, .target_vocab = IDS, .embed = 4, .hidden = 6};
    const lb_translator_texts texts = {.source = source,
                                       .target = target,
                                       .source_rule = {.normalize = LB_NORMAL_FORM_NFD},
                                       .target_rule = {.normalize = LB_NORMAL_FORM_NFD}};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    lb_status status =
        lb_translator_save(&model.base, params, support_path("model.safetensors"), texts, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    translator = lb_translator_open(support_path("model.safetensors"), &error);
    ck_assert_msg(translator, "%s", error.message);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_params_free(params);
    tape = lb_tape_new();
}

static void close_model(void)
{
    lb_translator_close(translator);
    lb_tape_free(tape);
}

/* The hypotheses for "a", as they are found. */
static lb_beam find(bool sample)
{
    static const int32_t id = LB_FIRST_TOKEN, length = 1;
    const lb_tokens source = {tape, 1, 1, &id, &length};
    const lb_model *model = lb_translator_about(translator).model;
    lb_beam found =
        sample ? lb_sample(model, source, (lb_sample_config){.count = DRAWN, .limit = LIMIT, .seed = 7})
               : lb_beam_search(model, source, (lb_beam_config){.beam = IDS, .limit = LIMIT});
    ck_assert_msg(found.batch == 1, "%s", lb_tape_error(tape));
    return found;
}

static char *spell(const lb_hypothesis *h)
{
    const lb_translator_facts model = lb_translator_about(translator);
    const char *symbols[LIMIT];
    for (int64_t i = 0; i < h->length; i++)
        symbols[i] =
            h->id[i] < LB_FIRST_TOKEN ? "\xEF\xBF\xBD" : lb_vocabulary_symbol(model.target, h->id[i]);
    char *text = lb_symbols_join(&model.target_rule, symbols, (size_t)h->length, &error);
    ck_assert_ptr_nonnull(text);
    return text;
}

static bool same_ids(const lb_hypothesis *a, const lb_hypothesis *b)
{
    return a->length == b->length && memcmp(a->id, b->id, (size_t)a->length * sizeof *a->id) == 0;
}

/* The probability of a text: of all hypotheses that spell it, each counted once. `count` receives their number. */
static double probability_of(const lb_beam *found, const char *text, bool finished, int *count)
{
    double sum = 0;
    *count = 0;
    for (int64_t i = 0; i < found->n_best; i++) {
        const lb_hypothesis *h = &found->hypothesis[i];
        bool again = false;
        for (int64_t k = 0; k < i; k++) again = again || same_ids(h, &found->hypothesis[k]);
        char *own = spell(h);
        bool same = !again && h->finished == finished && strcmp(own, text) == 0;
        lb_release(own);
        if (!same) continue;
        sum += exp(h->score * (double)h->steps);
        ++*count;
    }
    return sum;
}

static lb_translations *translate(bool sample)
{
    static const char *const text = "a";
    lb_translate_config config = {
        .beam = IDS, .n_best = sample ? DRAWN : IDS, .limit = LIMIT, .sample = sample, .seed = 7};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, &error);
    ck_assert_msg(all, "%s", error.message);
    return all;
}

/* An output that stands for several is the best of them: it has its symbols, which spell the same in another order. */
static void expect_the_best(const lb_beam *found, const lb_output *output)
{
    const lb_hypothesis *best = NULL;
    for (int64_t i = 0; i < found->n_best && !best; i++) {
        char *own = spell(&found->hypothesis[i]);
        if (found->hypothesis[i].finished == output->finished && strcmp(own, output->text) == 0)
            best = &found->hypothesis[i];
        lb_release(own);
    }
    ck_assert(best && best->length == output->length);
    for (int64_t i = 0; i < best->length; i++)
        if (best->id[i] >= LB_FIRST_TOKEN)
            ck_assert_str_eq(output->symbol[i],
                             lb_vocabulary_symbol(lb_translator_about(translator).target, best->id[i]));
}

/* Checks one output. Returns how many hypotheses it stands for. */
static int expect_output(const lb_beam *found, const lb_output *output)
{
    int count;
    double expected = probability_of(found, output->text, output->finished, &count);
    ck_assert_int_gt(count, 0);
    ck_assert_double_eq_tol(output->probability, expected, 1e-9);
    ck_assert_double_eq_tol(output->score, log(expected) / (double)output->steps, 1e-7);
    return count;
}

START_TEST(test_equal_outputs_of_a_search_are_one_with_the_probability_of_all)
{
    int merged = 0, moved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int all = 0;
        open_model(seed);
        lb_beam found = find(false);
        lb_translations *list = translate(false);
        const lb_translation *t = list->text;
        for (int64_t i = 0; i < t->count; i++) {
            const lb_output *output = &t->output[i];
            for (int64_t k = 0; k < i; k++)
                ck_assert(t->output[k].finished != output->finished ||
                          strcmp(t->output[k].text, output->text) != 0);
            if (i > 0 && output->finished == output[-1].finished)
                ck_assert(output->score <= output[-1].score);
            if (i > 0) ck_assert(output[-1].finished || !output->finished);
            all += expect_output(&found, output);
            expect_the_best(&found, output);
        }
        char *best = spell(found.hypothesis);
        moved += strcmp(best, t->output->text) != 0;
        ck_assert_int_eq(all, found.n_best);
        merged += (int)(found.n_best - t->count);
        lb_release(best);
        lb_translations_free(list);
        close_model();
    }
    ck_assert_int_gt(merged, 0);
    ck_assert_int_gt(moved, 0); /* two orders together were likelier than the best one */
}
END_TEST

START_TEST(test_equal_outputs_that_are_drawn_stay_and_have_one_probability)
{
    int merged = 0;
    open_model(3);
    lb_beam found = find(true);
    lb_translations *list = translate(true);
    const lb_translation *t = list->text;
    ck_assert_int_eq(t->count, DRAWN);
    for (int64_t i = 0; i < DRAWN; i++) {
        char *text = spell(&found.hypothesis[i]);
        ck_assert_str_eq(t->output[i].text, text);
        merged += expect_output(&found, &t->output[i]) > 1;
        lb_release(text);
    }
    ck_assert_int_gt(merged, 1);
    lb_translations_free(list);
    close_model();
}
END_TEST
