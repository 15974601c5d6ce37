/* Texts that are unlike the sources of a training are marked, if pairs were held out; the file of the model says what
 * the sources were like. */
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {"pata", "tapa", "papa", "tata", "pitapa", "tipa", "pati", "tatipa"};
enum { WORDS = sizeof words / sizeof *words };

static lb_error error;

static lb_familiar learned(void)
{
    lb_familiar made = {.grams = lb_vocabulary_new_reserved(&error)};
    for (int i = 0; i < WORDS; i++) ck_assert_int_eq(lb_familiar_look(&made, words[i], NULL, &error), LB_OK);
    return made;
}

static double measure(const lb_familiar *familiar, const char *text)
{
    double found;
    ck_assert_int_eq(lb_familiar_look(familiar, text, &found, &error), LB_OK);
    return found;
}

START_TEST(test_familiar_look_finds_more_in_texts_of_the_same_kind)
{
    lb_familiar made = learned();
    double own = measure(&made, "patipa");
    ck_assert_double_gt(own, 0);
    ck_assert_double_gt(own, measure(&made, "paatip")); /* its letters in another order */
    ck_assert_double_gt(measure(&made, "paatip"), measure(&made, "paxtip"));
    ck_assert_double_gt(measure(&made, "paxtip"), measure(&made, "\xd0\xb4\xd0\xbe\xd0\xbc"));
    lb_vocabulary_free(made.grams);
}
END_TEST

START_TEST(test_familiar_look_of_a_letter_of_several_bytes_sees_one_letter)
{
    lb_familiar made = {.grams = lb_vocabulary_new_reserved(&error)};
    ck_assert_int_eq(lb_familiar_look(&made, "d\xc3\xa9\xe4\xbd\xa0", NULL, &error), LB_OK);
    static const char *const there[] = {"", " d\xc3\xa9\xe4\xbd\xa0", "\xc3\xa9\xe4\xbd\xa0 "};
    for (int i = 0; i < 3; i++) ck_assert_int_ne(lb_vocabulary_id(made.grams, there[i]), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(made.grams, "\xc3"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_count(made.grams, lb_vocabulary_id(made.grams, "")), 5);
    lb_vocabulary_free(made.grams);
}
END_TEST

START_TEST(test_familiar_look_leaves_features_out)
{
    lb_familiar made = learned();
    ck_assert(measure(&made, "patipa") == measure(&made, "patipa\tN;ZZZ"));
    lb_vocabulary_free(made.grams);
}
END_TEST

/* The result of loading a file that has this text. */
static lb_status load(const char *text, lb_familiar *familiar)
{
    const lb_safetensors_metadata metadata = {LB_FAMILIAR_KEY, text};
    error = (lb_error){0};
    ck_assert_int_eq(lb_safetensors_write(NULL, 0, &metadata, 1, support_path("file"), &error), LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("file"), &error);
    lb_status status = lb_familiar_load(file, familiar, &error);
    lb_safetensors_close(file);
    return status;
}

START_TEST(test_familiar_load_gives_what_was_printed)
{
    lb_familiar made = learned(), found = {0};
    made.least = -0.25;
    char *text = lb_familiar_print(&made);
    ck_assert_int_eq(load(text, &found), LB_OK);
    ck_assert(found.least == -0.25 && measure(&found, "paatixp") == measure(&made, "paatixp"));
    ck_assert_int_eq(lb_vocabulary_size(found.grams), lb_vocabulary_size(made.grams));
    lb_vocabulary_free(found.grams);
    lb_vocabulary_free(made.grams);
    lb_release(text);
}
END_TEST

START_TEST(test_familiar_load_of_anything_else_is_refused)
{
    static const char *const texts[] = {
        "",   "-3",    "-3\n", "-3\n2 a\n", "-3\n9 \n0 a\n", "-3\n9 \n-1 a\n", "-3\n9 \n1 a", "-3\n9 \na\n",
        "{}", "\n\n\n"};
    for (size_t i = 0; SUPPORT_ROW(i, texts); i++) {
        lb_familiar found = {0};
        ck_assert_int_eq(load(texts[i], &found), LB_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "lookback.familiar: expected"));
        lb_vocabulary_free(found.grams);
    }
}
END_TEST

/* ---- Trainings. ---- */

enum { PAIRS = 120, LONGEST = 10 };
static char spelt[PAIRS][LONGEST];
static const char *sources[PAIRS];

/* A configuration on words of syllables, all different: at most `dev` of them held out. */
static lb_training_config syllables(const char *name, int dev)
{
    static const char consonants[] = "ptkmn", vowels[] = "aiu";
    for (int n = 0; n < PAIRS; n++) {
        int i = n * 1009 % 3375; /* of 15 syllables in three places */
        for (int k = 0; k < 3; k++, i /= 15)
            snprintf(spelt[n] + 2 * k, 3, "%c%c", consonants[i % 15 / 3], vowels[i % 3]);
        sources[n] = spelt[n];
    }
    lb_training_config config = support_small_config(name);
    config.train = config.dev = NULL;
    config.target_separator = NULL;
    config.pairs = (lb_pair_texts){PAIRS - dev, sources, sources, NULL};
    if (dev > 0) config.dev_pairs = (lb_pair_texts){dev, sources + PAIRS - dev, sources + PAIRS - dev, NULL};
    config.steps = config.evaluate_every = 2;
    config.no_hold_out = dev == 0;
    return config;
}

/* Which of the texts "pitaku", "pktaiu" and "xq" are unlike the training, as bits. */
static int unlike(const char *model, bool *likeness)
{
    static const char *const asked[] = {"pitaku", "pktaiu", "xq"};
    lb_translator *translator = support_open_model(model);
    lb_translations *found = lb_translate_all(translator, asked, 3, (lb_translate_config){0}, &error);
    ck_assert_msg(found != NULL, "%s", error.message);
    int bits = 0;
    for (int i = 0; i < 3; i++) bits |= found->text[i].unlike << i;
    *likeness = lb_translator_about(translator).likeness;
    lb_translations_free(found);
    lb_translator_close(translator);
    return bits;
}

START_TEST(test_familiar_texts_are_told_from_others_if_enough_were_held_out)
{
    static const struct {
        int dev, unlike;
    } cases[] = {{50, 6}, {49, 0}, {0, 0}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char name[32];
        bool likeness;
        snprintf(name, sizeof name, "dev-%d", cases[i].dev);
        const lb_training_config config = syllables(name, cases[i].dev);
        support_small_train(&config);
        ck_assert_int_eq(unlike(config.out, &likeness), cases[i].unlike);
        ck_assert_int_eq(likeness, cases[i].unlike != 0);
    }
}
END_TEST

START_TEST(test_familiar_texts_are_those_of_the_members_in_an_ensemble)
{
    bool likeness;
    lb_training_config config = syllables("seeds", 50);
    config.seeds = 2;
    support_small_train(&config);
    ck_assert_int_eq(unlike(config.out, &likeness), 6);
}
END_TEST

START_TEST(test_familiar_is_a_text_that_the_lexicon_has)
{
    static const char *const strange[] = {"xq"};
    bool likeness;
    lb_training_config config = syllables("lexicon", 50);
    config.lexicon_pairs = (lb_pair_texts){1, strange, sources, NULL};
    support_small_train(&config);
    ck_assert_int_eq(unlike(config.out, &likeness), 2);
}
END_TEST
