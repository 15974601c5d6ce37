/* A training once more, by the library: what it finds, and what it leaves as it was. */
#include "base/instruction_set.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <string.h>

static lb_error error;
static lb_reproduction found;

static lb_translator *train(bool lists)
{
    static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
    lb_training_config config = support_small_config("out");
    if (lists)
        config = (lb_training_config){
            .sort = &task, .embed = 8, .hidden = 16, .lr = 0.01, .batch = 8, .seed = 3, .out = config.out};
    config.steps = 60;
    config.evaluate_every = 20;
    support_small_train(&config);
    return support_open_model(config.out);
}

/* No options are in the record of a program that gives none, and no pairs. */
START_TEST(test_reproduce_needs_no_options_but_pairs)
{
    support_small_files();
    lb_translator *translator = train(false);
    lb_training_config data = {.dev = support_small_dev_file};
    ck_assert_int_ne(lb_translator_reproduce(translator, &data, 0, &found, &error), LB_OK); /* no pairs */
    data.train = support_small_train_file;
    error = (lb_error){0};
    ck_assert_msg(!lb_translator_reproduce(translator, &data, 0, &found, &error), "%s", error.message);
    ck_assert_msg(found.same && found.evaluations == 3 && found.step == 60 && found.members == 0, "%s %s",
                  found.what, found.why);
    ck_assert_int_eq(strncmp(found.made, lb_version(), strlen(lb_version())), 0);
    data.lr = 0.5; /* whatever the caller sets */
    ck_assert(!lb_translator_reproduce(translator, &data, 0, &found, &error));
    ck_assert(!found.same && found.evaluations == 0 && found.step == 20);
    ck_assert_ptr_nonnull(strstr(found.why, "it was trained with lr 0.02, this run has lr 0.5"));
    lb_translator_close(translator);
}
END_TEST

static lb_status count_points(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    if (event->kind == LB_EVENT_POINT) {
        *(int *)context += 1;
        ck_assert_int_eq(found.step, event->history->points[event->history->count - 1].step);
    }
    return LB_OK;
}

static bool stop_at_once(void *context)
{
    return *(int *)context > 0;
}

START_TEST(test_reproduce_tells_of_each_evaluation_and_stops_when_it_is_asked_to)
{
    int points = 0;
    lb_translator *translator = train(true);
    lb_training_config data = {.context = &points, .tell = count_points};
    ck_assert_msg(!lb_translator_reproduce(translator, &data, 40, &found, &error), "%s", error.message);
    ck_assert(found.same && points == 2 && found.evaluations == 2);
    data.stop = stop_at_once;
    ck_assert_int_eq(lb_translator_reproduce(translator, &data, 0, &found, &error), LB_ERROR_INTERRUPTED);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_reproduce_leaves_the_instruction_set)
{
    const int here = (int)lb_instruction_set_here();
    atomic_store(&lb_instruction_set_in_force, LB_SET_BASE);
    lb_translator *translator = train(true);
    atomic_store(&lb_instruction_set_in_force, here);
    ck_assert_msg(!lb_translator_reproduce(translator, NULL, 20, &found, &error), "%s", error.message);
    ck_assert_msg(found.same || !LB_HAS_VARIANTS, "%s %s", found.what, found.why);
    ck_assert_int_eq((int)lb_instruction_set_here(), here);
    ck_assert_int_eq(lb_instruction_set_find("VAX"), LB_SET_WIDEST);
    ck_assert_int_eq(lb_instruction_set_find(""), LB_SET_WIDEST);
    ck_assert_int_eq(lb_instruction_set_find(lb_instruction_set_name()), here);
    lb_translator_close(translator);
}
END_TEST
