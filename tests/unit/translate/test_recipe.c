/* The recipe is a function of the number of pairs, without a step between two numbers. */
#include "translate/training/recipe.h"

#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_training_config fitted(lb_training_config config, int64_t pairs)
{
    ck_assert_int_eq(lb_training_config_settle(&config, NULL), LB_OK);
    lb_recipe_fit(&config, pairs);
    return config;
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lb_training_config c = fitted((lb_training_config){0}, rows[i].pairs);
        ck_assert_int_eq(c.embed, rows[i].embed);
        ck_assert_int_eq(c.hidden, rows[i].hidden);
        ck_assert_int_eq(c.batch, rows[i].batch);
        ck_assert_double_eq_tol(c.dropout, rows[i].dropout, 1e-12);
        ck_assert_double_eq_tol(c.label_smoothing, rows[i].smoothing, 1e-12);
        ck_assert_int_eq(lb_recipe_steps(&c, rows[i].pairs, 1000), 1000 * rows[i].epochs);
    }
}
END_TEST

/* The number that a document has for a field, in the order of its table and of the header's fields. */
enum { EMBED, HIDDEN, DROPOUT, BATCH, SMOOTHING, EPOCHS, FIELDS };

static double chosen(int64_t pairs, int field)
{
    lb_training_config c = fitted((lb_training_config){0}, pairs);
    const double all[FIELDS] = {c.embed, c.hidden,          c.dropout,
                                c.batch, c.label_smoothing, (double)lb_recipe_steps(&c, pairs, 1000) / 1000};
    return all[field];
}

static void expect_number(const char *text, int64_t pairs, int field)
{
    double found;
    ck_assert_msg(sscanf(text, "%lf", &found) == 1 && fabs(found - chosen(pairs, field)) < 1e-9,
                  "%lld pairs, field %d: found \"%.20s\", expected %g", (long long)pairs, field, text,
                  chosen(pairs, field));
}

START_TEST(test_recipe_is_that_of_the_header)
{
    static const char *const fields[FIELDS] = {
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
    for (int field = 0; field < FIELDS; field++) {
        at = strstr(header, fields[field]);
        at = at ? strchr(at, '[') : NULL;
        for (int i = 0; i < 3 && at; i++) {
            expect_number(++at, pairs[i], field);
            at = i < 2 ? strchr(at, ',') : at;
        }
        ck_assert_msg(at != NULL, "%s", fields[field]);
    }
    free(header);
}
END_TEST

START_TEST(test_recipe_is_that_of_its_document)
{
    char *document = support_read_file(SOURCE_DIR "/docs/recipe.md", &(size_t){0}), *rest = NULL;
    int rows = 0;
    for (char *line = strtok_r(document, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        long long thousands, ones;
        if (sscanf(line, "| %lld,%lld |", &thousands, &ones) != 2) continue;
        const char *at = strchr(line + 1, '|');
        for (int field = 0; field < FIELDS; field++, at = strchr(at + 1, '|'))
            expect_number(at + 1, 1000 * thousands + ones, field);
        rows++;
    }
    ck_assert_int_eq(rows, 4);
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
    ck_assert_int_eq(lb_recipe_steps(&c, 110000, 10), 30);
    c.steps = 17;
    ck_assert_int_eq(lb_recipe_steps(&c, 110000, 10), 17);
    c = fitted((lb_training_config){.model = "transformer"}, 8000);
    ck_assert(c.embed == 0 && c.hidden == 192 && c.dropout == 0.1);
    ck_assert_int_eq(lb_recipe_steps(&c, 8000, 10), 4000);
}
END_TEST

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

int main(void)
{
    return support_run_tests(
        "recipe",
        SUPPORT_TESTS(test_recipe_between_and_beyond_its_rows, test_recipe_has_no_cliff,
                      test_recipe_is_that_of_the_header, test_recipe_is_that_of_its_document,
                      test_recipe_keeps_what_is_given, test_recipe_has_more_patience_in_a_long_run));
}
