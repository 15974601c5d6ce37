/* The recipe is a function of the number of pairs, without a step between two numbers, and knows sentences. */
#include "translate/plan/recipe.h"

#include "base/format.h"
#include "data/review/pair_report.h"
#include "lookback/data.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_training_config fitted_to(lb_training_config config, lb_recipe_facts facts)
{
    ck_assert_int_eq(lb_training_config_settle(&config, NULL), LB_OK);
    lb_recipe_fit(&config, &facts);
    return config;
}

static lb_training_config fitted(lb_training_config config, int64_t pairs)
{
    return fitted_to(config, (lb_recipe_facts){.pairs = pairs, .symbols = 30});
}

static lb_recipe_facts sentences(int64_t pairs)
{
    return (lb_recipe_facts){.pairs = pairs, .sentences = true};
}

static int64_t steps_of(const lb_training_config *config, lb_recipe_facts facts, int64_t batches)
{
    return lb_recipe_steps(config, &facts, batches);
}

START_TEST(test_recipe_between_and_beyond_its_rows)
{
    static const struct {
        int64_t pairs;
        int embed, hidden, batch;
        double dropout, smoothing;
        int64_t epochs;
    } rows[] = {{1, 128, 192, 16, 0.5, 0.1, 35},     {2000, 128, 192, 16, 0.5, 0.1, 35},
                {8000, 128, 192, 64, 0.5, 0, 35},    {10000, 128, 192, 64, 0.5, 0, 35},
                {110000, 192, 448, 128, 0.3, 0, 18}, {100000000, 192, 448, 128, 0.3, 0, 18}};
    for (size_t i = 0; SUPPORT_ROW(i, rows); i++) {
        lb_training_config c = fitted((lb_training_config){0}, rows[i].pairs);
        ck_assert_int_eq(c.embed, rows[i].embed);
        ck_assert_int_eq(c.hidden, rows[i].hidden);
        ck_assert_int_eq(c.batch, rows[i].batch);
        ck_assert_double_eq_tol(c.dropout, rows[i].dropout, 1e-12);
        ck_assert_double_eq_tol(c.label_smoothing, rows[i].smoothing, 1e-12);
        ck_assert_int_eq(steps_of(&c, (lb_recipe_facts){.pairs = rows[i].pairs}, 1000),
                         1000 * rows[i].epochs);
        ck_assert(c.layers == 1 && c.subwords == -1 && c.tied == -1);
        ck_assert_str_eq(c.choose, "exact");
    }
}
END_TEST

/* The number that a document has for a field, in the order of its table and of the header's fields. */
enum { EMBED, HIDDEN, DROPOUT, BATCH, SMOOTHING, EPOCHS, LAYERS, MERGES, FIELDS };

static double chosen(const char *model, lb_recipe_facts facts, int field)
{
    lb_training_config c = fitted_to((lb_training_config){.model = model}, facts);
    const double all[FIELDS] = {c.embed,  c.hidden,          c.dropout,
                                c.batch,  c.label_smoothing, (double)steps_of(&c, facts, 1000) / 1000,
                                c.layers, c.subwords};
    return all[field];
}

static void expect_number(const char *text, const char *model, lb_recipe_facts facts, int field)
{
    double found, expected = chosen(model, facts, field);
    ck_assert_msg(sscanf(text, "%lf", &found) == 1 && fabs(found - expected) < 1e-9,
                  "%s, %lld pairs, field %d: found \"%.20s\", expected %g", model, (long long)facts.pairs,
                  field, text, expected);
}

START_TEST(test_recipe_is_that_of_the_header)
{
    static const char *const fields[LAYERS] = {
        "int embed;", "int hidden;", "double dropout;", "int batch;", "double label_smoothing;",
        "int steps;"};
    long long pairs[3];
    char *header = support_read_file(SOURCE_DIR "/include/lookback/translate.h", &(size_t){0});
    const char *at = strstr(header, "A default that depends on the number of pairs is shown for ");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at,
                            "A default that depends on the number of pairs is shown for %lld, %lld and %lld:",
                            &pairs[0], &pairs[1], &pairs[2]),
                     3);
    for (int field = 0; field < LAYERS; field++) {
        at = strstr(header, fields[field]);
        at = at ? strchr(at, '[') : NULL;
        for (int i = 0; i < 3 && at; i++) {
            expect_number(++at, NULL, (lb_recipe_facts){.pairs = pairs[i]}, field);
            at = i < 2 ? strchr(at, ',') : at;
        }
        ck_assert_msg(at != NULL, "%s", fields[field]);
    }
    free(header);
}
END_TEST

/* Whether a line is a row of the document, `| 2,000 | 128 | 192 ...`; those of sentences begin with the model. */
static bool expect_row(const char *line)
{
    const char *model = strncmp(line, "| transformer, ", 15) == 0 ? "transformer" : "seq2seq";
    bool of_sentences = *model == 't' || strncmp(line, "| GRU, ", 7) == 0;
    long long thousands, ones;
    if (of_sentences) line = strchr(line, ',');
    if (sscanf(line, of_sentences ? ", %lld,%lld |" : "| %lld,%lld |", &thousands, &ones) != 2) return false;
    int64_t pairs = 1000 * thousands + ones;
    lb_recipe_facts facts = of_sentences ? sentences(pairs) : (lb_recipe_facts){.pairs = pairs};
    const int fields = of_sentences ? FIELDS : LAYERS;
    for (int field = 0; field < fields; field++) {
        line = strchr(line + 1, '|');
        /* A transformer has no width of the embedding. */
        if (field > EMBED || *model != 't') expect_number(line + 1, model, facts, field);
    }
    return true;
}

START_TEST(test_recipe_is_that_of_its_document)
{
    char *document = support_read_file(SOURCE_DIR "/docs/recipe.md", &(size_t){0}), *rest = NULL;
    int rows = 0;
    for (char *line = strtok_r(document, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        rows += expect_row(line);
    ck_assert_int_eq(rows, 4 + 4);
    free(document);
}
END_TEST

START_TEST(test_recipe_has_no_cliff)
{
    lb_training_config last = fitted((lb_training_config){0}, 50);
    for (int64_t pairs = 51; pairs < 200000; pairs += 1 + pairs / 100) {
        lb_training_config c = fitted((lb_training_config){0}, pairs);
        ck_assert_int_ge(c.hidden, last.hidden);
        ck_assert_int_le(c.hidden - last.hidden, 32);
        ck_assert_int_ge(c.batch, last.batch);
        ck_assert_int_le(c.batch - last.batch, 8);
        ck_assert_double_le(fabs(c.dropout - last.dropout), 0.01);
        ck_assert_double_le(fabs(c.label_smoothing - last.label_smoothing), 0.01);
        last = c;
    }
}
END_TEST

START_TEST(test_recipe_keeps_what_is_given)
{
    const lb_training_config given = {
        .embed = 3, .hidden = 5, .batch = 7, .dropout = -1, .label_smoothing = -1};
    lb_training_config c = fitted(given, 110000);
    ck_assert(c.embed == 3 && c.hidden == 5 && c.batch == 7);
    ck_assert(c.dropout < 0 && c.label_smoothing < 0);
    c.epochs = 3;
    ck_assert_int_eq(steps_of(&c, (lb_recipe_facts){.pairs = 110000}, 10), 30);
    c.steps = 17;
    ck_assert_int_eq(steps_of(&c, (lb_recipe_facts){.pairs = 110000}, 10), 17);
    c = fitted((lb_training_config){.model = "transformer"}, 8000);
    ck_assert(c.embed == 0 && c.hidden == 192 && c.dropout == 0.1 && c.layers == 2);
    ck_assert_int_eq(steps_of(&c, (lb_recipe_facts){.pairs = 8000}, 10), 4000);
}
END_TEST

/* ---- Sentences. ---- */

START_TEST(test_recipe_of_sentences_keeps_what_is_given)
{
    lb_training_config c = fitted_to((lb_training_config){0}, sentences(25000));
    ck_assert(c.subwords > 0 && c.tied == 1);
    ck_assert_str_eq(c.choose, "chrf");
    c = fitted_to((lb_training_config){.subwords = 7,
                                       .tied = -1,
                                       .choose = "exact",
                                       .layers = 2,
                                       .hidden = 5,
                                       .embed = 3,
                                       .batch = 2,
                                       .dropout = -1,
                                       .label_smoothing = -1,
                                       .epochs = 1},
                  sentences(25000));
    ck_assert(c.subwords == 7 && c.tied == -1 && c.layers == 2 && c.hidden == 5 && c.embed == 3);
    ck_assert(c.batch == 2 && c.dropout < 0 && c.label_smoothing < 0);
    ck_assert_str_eq(c.choose, "exact");
    ck_assert_int_eq(steps_of(&c, sentences(25000), 10), 10);
    c = fitted_to((lb_training_config){.no_hold_out = true}, sentences(25000));
    ck_assert_str_eq(c.choose, "exact"); /* there is nothing to choose by */
}
END_TEST

START_TEST(test_recipe_ties_many_symbols)
{
    ck_assert_int_eq(fitted_to((lb_training_config){0}, (lb_recipe_facts){.symbols = 1999}).tied, -1);
    ck_assert_int_eq(fitted_to((lb_training_config){0}, (lb_recipe_facts){.symbols = 2000}).tied, 1);
    ck_assert_int_eq(fitted_to((lb_training_config){.tied = -1}, (lb_recipe_facts){.symbols = 2000}).tied,
                     -1);
}
END_TEST

enum { PAIRS = 400, TEXT = 80 };
static char source[PAIRS][TEXT], target[PAIRS][TEXT];

/* What the recipe sees in `count` pairs, of which so many are different, and half have so many words. In each is a word
 * of its own, as in a language. */
static lb_recipe_facts look(int count, int different, int words, int target_words, const char *separator)
{
    static const char *texts[2][PAIRS];
    lb_pair_format format = {.target.separator = separator};
    for (int i = 0; i < count; i++) {
        const int number = i < different ? i : different - 1;
        const bool longer = 2 * i >= count; /* the others have one word */
        const char letters[] = {(char)('a' + number % 26), (char)('a' + number / 26), '\0'};
        lb_snprintf(source[i], TEXT, "own%s%.*s", letters, longer ? 5 * (words - 1) : 0,
                    " more more more more");
        lb_snprintf(target[i], TEXT, "eigen%s%.*s", letters, longer ? 5 * (target_words - 1) : 0,
                    " mehr mehr mehr mehr");
        texts[0][i] = source[i];
        texts[1][i] = target[i];
    }
    lb_error error = {0};
    lb_recipe_facts facts;
    lb_pairs *pairs = lb_pairs_from_memory(
        (lb_pair_texts){.source = texts[0], .target = texts[1], .count = count}, format, &error);
    ck_assert_msg(pairs, "%s", error.message);
    lb_vocabulary *symbols[2] = {lb_vocabulary_new_reserved(&error), lb_vocabulary_new_reserved(&error)};
    ck_assert_int_eq(lb_pairs_take_stock(pairs, symbols[0], symbols[1], &error), LB_OK);
    ck_assert_int_eq(lb_recipe_look(pairs, &facts, &error), LB_OK);
    lb_vocabulary_free(symbols[0]);
    lb_vocabulary_free(symbols[1]);
    lb_pairs_close(pairs);
    return facts;
}

static int64_t patience_with(lb_training_config config, int64_t steps)
{
    lb_training_config c = fitted(config, 8000);
    return lb_recipe_trainer(&c, steps).patience;
}

START_TEST(test_recipe_has_more_patience_in_a_long_run)
{
    ck_assert_int_eq(patience_with((lb_training_config){0}, 100), 5);
    ck_assert_int_eq(patience_with((lb_training_config){0}, 4000), 5);
    ck_assert_int_eq(patience_with((lb_training_config){0}, 20000), 24);
    ck_assert_int_eq(patience_with((lb_training_config){.evaluate_every = 400}, 20000), 15);
    ck_assert_int_eq(patience_with((lb_training_config){.patience = 2}, 20000), 2);
    ck_assert_int_eq(patience_with((lb_training_config){.patience = -1}, 20000), 0);
    ck_assert_int_eq(patience_with((lb_training_config){.no_hold_out = true}, 20000), 0);
}
END_TEST

START_TEST(test_recipe_knows_sentences)
{
    const lb_recipe_facts found = look(PAIRS, PAIRS, 5, 4, NULL), few = look(100, 100, 5, 4, NULL);
    ck_assert(found.pairs == PAIRS && found.sentences && few.sentences);
    const lb_recipe_facts none[] = {look(PAIRS, 99, 5, 4, NULL),
                                    look(PAIRS, PAIRS, 3, 4, NULL),
                                    look(PAIRS, PAIRS, 5, 3, NULL),
                                    look(PAIRS, PAIRS, 5, 4, " "),
                                    {0}};
    for (size_t i = 0; SUPPORT_ROW(i, none); i++) ck_assert_msg(!none[i].sentences, "number %zu", i);
}
END_TEST

START_TEST(test_recipe_says_what_it_chose_for_sentences)
{
    char note[LB_MESSAGE_LENGTH];
    const lb_recipe_facts facts = sentences(25000), none = {.pairs = 25000};
    const lb_training_config c = fitted_to((lb_training_config){.hidden = 32}, facts);
    ck_assert(!lb_recipe_note(&c, &none, note));
    ck_assert(lb_recipe_note(&c, &facts, note));
    ck_assert_str_eq(
        note, "sentences, since half of the texts have 4 words or more: subwords 5000, width 32, tied, "
              "chosen by chrf; subwords 0 makes characters the symbols, and \" \" as both separators words");
}
END_TEST
