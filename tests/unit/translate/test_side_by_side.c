/* Texts are decoded and scored side by side as far as memory is meant for them: what a model says that it needs is near
 * what it takes. It takes seconds. */
#include "lookback/translate.h"
#include "support/alloc.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <string.h>

enum { TEXTS = 40, LETTERS = 300, MEANT = 1 << 23 }; /* numbers */

static const char *texts[TEXTS], *targets[TEXTS];
static char text[LETTERS + 1], target[2 * LETTERS];
static lb_error error;

/* The most numbers at once, as a part of those that are meant. */
static double measure(const char *path, bool given)
{
    lb_translations *all;
    lb_translator *t = lb_translator_open(path, &error);
    ck_assert_msg(t != NULL, "%s", error.message);
    support_watch_allocations();
    if (given)
        all = lb_translator_score(t, texts, targets, TEXTS, (lb_score_config){0}, &error);
    else
        all = lb_translate_all(t, texts, TEXTS, (lb_translate_config){.limit = 3}, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    double part = (double)support_most_bytes() / sizeof(lb_real) / MEANT;
    lb_translations_free(all);
    lb_translator_close(t);
    return part;
}

/* The parts are as measured, within a quarter. */
START_TEST(test_side_by_side_texts_take_the_memory_that_is_meant_for_them)
{
    static const struct {
        lb_training_config config;
        double searched, given; /* 0: not measured */
    } cases[] = {
        {{.attention = LB_ATTENTION_ADDITIVE, .embed = 64}, 1.33, 0.84},
        {{.attention = LB_ATTENTION_GENERAL, .embed = 64}, 1.38, 1.65},
        {{.attention = LB_ATTENTION_COVERAGE, .embed = 64}, 1.17, 0},
        {{.attention = LB_ATTENTION_HARD, .embed = 64}, 1.18, 0},
        {{.model = "transformer", .layers = 2}, 0.54, 1.24},
        {{.model = "transformer", .layers = 3, .heads = 8}, 0.35, 2.07},
    };
    memset(text, 'a', LETTERS);
    memset(target, ' ', sizeof target - 1);
    for (int i = 0; i < LETTERS; i++) target[2 * i] = 'a';
    for (int i = 0; i < TEXTS; i++) texts[i] = text;
    for (int i = 0; i < TEXTS; i++) targets[i] = target;
    support_small_files();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        const lb_training_config *asked = &cases[i].config;
        lb_training_config c = support_small_config("model");
        c.fresh = true;
        c.steps = 1;
        c.model = asked->model;
        c.attention = asked->attention;
        c.embed = asked->embed;
        c.hidden = 64;
        c.layers = asked->layers;
        c.heads = asked->heads;
        support_small_train(&c);
        double searched = measure(c.out, false), given = cases[i].given > 0 ? measure(c.out, true) : 0;
        ck_assert_double_eq_tol(searched, cases[i].searched, cases[i].searched / 4);
        if (cases[i].given > 0) ck_assert_double_eq_tol(given, cases[i].given, cases[i].given / 4);
    }
}
END_TEST
