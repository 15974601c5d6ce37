/* A training for so many minutes: what it chooses, that it keeps its choice, and that the choice decides the bits. */
#include "translate/run/stepper.h"

#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/twins.h"

#include <string.h>

static lb_error error;
static const char *train_file;

START_TEST(test_budget_steps_fit_with_their_evaluations)
{
    const lb_training_cost cost = {.step = 0.01, .evaluation = 1};
    ck_assert_int_eq(lb_budget_steps(60, cost, 100), 2950); /* 29.5 and 29.5 s, and the last evaluation */
    ck_assert_int_eq(lb_budget_steps(60, (lb_training_cost){.step = 0.01}, 100), 6000);
    ck_assert_int_eq(lb_budget_steps(0.5, cost, 100), 1);
    ck_assert_int_eq(lb_budget_steps(0, cost, 100), 1);
    ck_assert_int_eq(lb_budget_steps(1e12, cost, 100), INT32_MAX);
}
END_TEST

START_TEST(test_budget_models_become_narrower_to_an_end)
{
    static const int widths[] = {320, 224, 128, 64, 64};
    for (size_t i = 0; i + 1 < sizeof widths / sizeof *widths; i++)
        ck_assert_int_eq(lb_budget_narrower(widths[i]), widths[i + 1]);
    ck_assert_int_eq(lb_budget_narrower(8), 8);
}
END_TEST

START_TEST(test_budget_is_fitted_again_by_the_last_steps)
{
    lb_train_point points[] = {{.step = 100, .seconds = 10}, {.step = 200, .seconds = 30}};
    const lb_train_history first = {.points = points, .count = 1}, second = {.points = points, .count = 2};
    ck_assert_int_eq(lb_budget_refit(&first, 60, 4000), 600);  /* 50 s of 0.1 s */
    ck_assert_int_eq(lb_budget_refit(&second, 60, 4000), 350); /* 30 s of 0.2 s */
    ck_assert_int_eq(lb_budget_refit(&second, 1e9, 4000), 4000);
    ck_assert_int_eq(lb_budget_refit(&second, 30, 4000), 200);
    ck_assert_int_eq(lb_budget_refit(&second, 1, 4000), 200);
    points[0] = points[1];
    ck_assert_int_eq(lb_budget_refit(&second, 60, 4000), 200);
}
END_TEST

/* What the training says about itself. */
typedef struct heard {
    int64_t steps;
    bool stop;
    char note[LB_MESSAGE_LENGTH];
} heard;

static lb_status hear(void *context, const lb_event *event, lb_error *failure)
{
    heard *h = context;
    (void)failure;
    if (event->kind == LB_EVENT_NOTE) strcpy(h->note, event->text);
    if (event->kind == LB_EVENT_BEGUN) h->steps = event->run->steps;
    return LB_OK;
}

static bool shall_stop(void *context)
{
    return ((heard *)context)->stop;
}

static lb_status stop_at_once(void *context, const lb_event *event, lb_error *failure)
{
    if (event->kind == LB_EVENT_POINT) ((heard *)context)->stop = true;
    return hear(context, event, failure);
}

static lb_training_config config_for(const char *name, heard *h)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 100, 1);
    train_file = support_path("train.tsv");
    *h = (heard){0};
    return (lb_training_config){.train = train_file,
                                .target_separator = " ",
                                .embed = 8,
                                .hidden = 16,
                                .evaluate_every = 2,
                                .seed = 1,
                                .out = support_path(name),
                                .context = h,
                                .tell = hear,
                                .stop = shall_stop};
}

/* There is no time for more than one step, whatever the machine; a narrow model stays as it is. */
START_TEST(test_budget_without_time_is_one_step)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.minutes = 1e-9;
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_int_eq(h.steps, 1);
    ck_assert_ptr_nonnull(strstr(h.note, "1e-09 min: width 16, 1 step of 4000, "));
}
END_TEST

/* Without end, it is the recipe. */
START_TEST(test_budget_with_enough_time_is_the_recipe)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.tell = stop_at_once;
    c.minutes = 1e6;
    ck_assert_int_eq(lb_translator_train(c, NULL, &error), LB_ERROR_INTERRUPTED);
    ck_assert_int_eq(h.steps, 4000);
}
END_TEST

/* A model of the recipe's width is made as narrow as may be; a run that is resumed keeps that, and its bits are those
 * of a run with the same width and steps. */
START_TEST(test_budget_choice_is_kept_and_decides_the_bits)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.hidden = c.embed = 0;
    c.minutes = 1e-9;
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(h.note, "width 64, 1 step of "));
    c.minutes = 1e6;
    *h.note = '\0';
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_int_eq(h.steps, 1);
    ck_assert_str_eq(h.note, "");
    lb_training_config same = config_for("other", &h);
    same.hidden = 64;
    same.embed = 64;
    same.steps = 1;
    ck_assert_msg(lb_translator_train(same, NULL, &error) == LB_OK, "%s", error.message);
    support_assert_same_weights("out/model.safetensors", "other/model.safetensors");
}
END_TEST

/* A width of the user's stays, however little time there is, and so does the width of a run that is resumed. */
START_TEST(test_budget_keeps_what_was_set)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.hidden = 128;
    c.embed = 0;
    c.minutes = 1e-9;
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(h.note, "width 128, 1 step of "));
    c.hidden = 64;
    ck_assert_int_eq(lb_translator_train(c, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "it was trained with hidden 128, this run has hidden 64"));
}
END_TEST

static lb_status stop_at_second(void *context, const lb_event *event, lb_error *failure)
{
    heard *h = context;
    if (event->kind == LB_EVENT_POINT) h->stop = event->history->count == 2;
    return hear(context, event, failure);
}

/* It goes on without time: the next evaluation ends it. The bits are those of the same steps with the same rates. */
START_TEST(test_budget_looks_again_and_the_checkpoint_has_what_it_chose)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.tell = stop_at_once;
    c.minutes = 1e6;
    ck_assert_int_eq(lb_translator_train(c, NULL, &error), LB_ERROR_INTERRUPTED);
    h.stop = false;
    c.tell = hear;
    c.minutes = 1e-9;
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    c.minutes = 1e6;
    ck_assert_msg(lb_translator_train(c, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_int_eq(h.steps, 4);
    lb_training_config same = config_for("other", &h);
    same.tell = stop_at_second;
    same.steps = 4000;
    ck_assert_int_eq(lb_translator_train(same, NULL, &error), LB_ERROR_INTERRUPTED);
    h.stop = false;
    same.steps = 4;
    ck_assert_msg(lb_translator_train(same, NULL, &error) == LB_OK, "%s", error.message);
    support_assert_same_weights("out/model.safetensors", "other/model.safetensors");
}
END_TEST

START_TEST(test_budget_for_what_it_cannot_be_is_refused)
{
    heard h;
    lb_training_config c = config_for("out", &h);
    c.minutes = 1;
    c.seeds = 2;
    ck_assert_int_eq(lb_translator_train(c, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "minutes: found several seeds, expected one training on a file");
    c.seeds = 1;
    c.steps = 3;
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(c, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found two of steps, epochs and minutes, expected only one of them");
}
END_TEST
