/* The recipe is a function of the number of pairs, without a step between two numbers. */
#include "translate/training/recipe.h"

#include "support/suite.h"

#include <math.h>

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
    return support_run_tests("recipe",
                             SUPPORT_TESTS(test_recipe_between_and_beyond_its_rows, test_recipe_has_no_cliff,
                                           test_recipe_keeps_what_is_given,
                                           test_recipe_has_more_patience_in_a_long_run));
}
