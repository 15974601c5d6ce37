/* Lists of trainings: the models are those of each training alone, wherever they run. The rate is so high that the last
 * weights are not the best.
 * It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/plan/kinds.h"
#include <lookback/translate.h>

#include <string.h>

enum { COUNT = 3, STEPS = 60 };

static lb_error error;
static const char *train_file, *folder[COUNT + 1];
static lb_training list[COUNT];
static const char *const kinds[COUNT] = {"additive", "transformer-backward", "lstm"};

static lb_training_config usual(const char *out)
{
    return (lb_training_config){.train = train_file,
                                .target_separator = " ",
                                .hidden = 16,
                                .batch = 32,
                                .evaluate_every = 20,
                                .steps = STEPS,
                                .lr = 0.03,
                                .average = -1,
                                .seed = 1,
                                .out = out};
}

static lb_training_config of_kind(const char *kind, const char *out)
{
    lb_training_config config = usual(out);
    ck_assert_int_eq(lb_training_config_set_kind(&config, kind, NULL), LB_OK);
    return config;
}

static void make_list(void)
{
    static const char *const names[COUNT + 1] = {"all/a", "all/b", "all/c", "alone"};
    lb_set_threads(1);
    error = (lb_error){0};
    support_write_pairs("train.tsv", 120, 1);
    train_file = support_path("train.tsv");
    for (int i = 0; i <= COUNT; i++) folder[i] = support_path(names[i]);
    for (int i = 0; i < COUNT; i++)
        list[i] = (lb_training){.config = of_kind(kinds[i], folder[i]), .name = names[i]};
}

static void free_list(void)
{
    for (int i = 0; i < COUNT; i++) lb_release(list[i].history.points);
}

static void train_alone(int i)
{
    ck_assert_int_eq(lb_translator_train(of_kind(kinds[i], folder[COUNT]), NULL, NULL), LB_OK);
}

START_TEST(test_train_all_makes_the_model_of_each_training_alone_and_gives_its_evaluations)
{
    make_list();
    ck_assert_msg(!lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error), "%s",
                  error.message);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(list[i].history.count, STEPS / 20);
        ck_assert_int_eq(list[i].history.points[1].step, 40);
        ck_assert_ptr_eq(list[i].kept, &list[i].history.points[1]);
    }
    train_alone(1);
    support_assert_same_files("all/b/model.safetensors", "alone/model.safetensors");
    free_list();
}
END_TEST

/* What `lookback train --ensemble` does with its list. */
START_TEST(test_train_all_and_join_make_a_vote_with_weights)
{
    static lb_join_result joined;
    make_list();
    const char *const models[COUNT] = {folder[0], folder[1], folder[2]};
    const lb_training_config data = usual(NULL);
    ck_assert_msg(!lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error), "%s",
                  error.message);
    const lb_join_config join = {.models = models, .count = COUNT, .out = folder[COUNT], .data = &data};
    ck_assert_msg(!lb_translator_join(join, &joined, &error), "%s", error.message);
    double sum = 0;
    for (int i = 0; i < COUNT; i++) sum += joined.member[i].weight;
    ck_assert_double_eq_tol(sum, 1, 1e-9);
    ck_assert_str_eq(joined.member[1].label, "transformer-backward");
    ck_assert_int_eq(joined.pairs, 16);
    lb_translator *vote = lb_translator_open(folder[COUNT], &error);
    ck_assert_msg(vote != NULL, "%s", error.message);
    lb_translator_close(vote);
    free_list();
}
END_TEST

/* A host that trains at once, two at a time, and tells the ends in the other order, the second as a failure. */
typedef struct away {
    int64_t running[2];
    int count, most, told[COUNT], stops, asked;
} away;

static lb_status begin_away(void *context, int64_t i, lb_error *why)
{
    away *a = context;
    ck_assert_int_lt(a->count, 2);
    a->running[a->count++] = i;
    a->most = a->count > a->most ? a->count : a->most;
    return lb_translator_train(list[i].config, NULL, why);
}

static int64_t wait_away(void *context, bool stop, lb_error *why)
{
    away *a = context;
    a->stops += stop;
    if (a->count == 0) return -1;
    const int64_t i = a->running[--a->count];
    if (i == 1) lb_error_set(why, LB_ERROR_DIVERGED, "it diverged");
    return i;
}

static lb_status hear_end(void *context, int64_t i, lb_error *why)
{
    away *a = context;
    (void)why;
    a->told[i]++;
    return LB_OK;
}

static bool stop_after_the_first(void *context)
{
    away *a = context;
    return a->told[0] + a->told[1] + a->told[2] == 1 && a->asked++ == 0;
}

START_TEST(test_train_all_with_a_host_goes_on_after_a_training_that_fails)
{
    away a = {.count = 0};
    const lb_training_host host = {.begin = begin_away, .wait = wait_away, .most = 2, .context = &a};
    make_list();
    const lb_trainings all = {
        .training = list, .count = COUNT, .host = &host, .context = &a, .ended = hear_end};
    ck_assert_msg(!lb_translator_train_all(all, &error), "%s", error.message);
    ck_assert_int_eq(a.most, 2);
    for (int i = 0; i < COUNT; i++) ck_assert_int_eq(a.told[i], 1);
    ck_assert_int_eq(list[0].history.count, 3);
    ck_assert_int_eq(list[1].history.count, 0);
    ck_assert_ptr_null(list[1].kept);
    ck_assert_str_eq(list[1].error.message, "it diverged");
    ck_assert_int_eq(list[2].error.status, LB_OK);
    train_alone(2);
    support_assert_same_files("all/c/model.safetensors", "alone/model.safetensors");
    free_list();
}
END_TEST

START_TEST(test_train_all_stopped_begins_no_other_training_and_tells_the_host)
{
    away a = {.count = 0};
    const lb_training_host host = {.begin = begin_away, .wait = wait_away, .most = 2, .context = &a};
    make_list();
    const lb_trainings all = {.training = list,
                              .count = COUNT,
                              .host = &host,
                              .context = &a,
                              .stop = stop_after_the_first,
                              .ended = hear_end};
    ck_assert_int_eq(lb_translator_train_all(all, &error), LB_ERROR_INTERRUPTED);
    ck_assert_int_eq(a.stops, 1);
    ck_assert_int_eq(a.told[2], 0);
    ck_assert(!support_exists("all/c"));
    free_list();
}
END_TEST

static bool stop_in_the_second(void *context)
{
    return ++*(int *)context > STEPS + 20;
}

START_TEST(test_train_all_interrupted_resumes_with_the_same_weights)
{
    int steps = 0;
    make_list();
    for (int i = 0; i < COUNT; i++) {
        list[i].config.context = &steps;
        list[i].config.stop = stop_in_the_second;
    }
    ck_assert_int_eq(lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error),
                     LB_ERROR_INTERRUPTED);
    ck_assert(!support_exists("all/c"));
    free_list();
    make_list();
    ck_assert_msg(!lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error), "%s",
                  error.message);
    train_alone(1);
    support_assert_same_files("all/b/model.safetensors", "alone/model.safetensors");
    free_list();
}
END_TEST

START_TEST(test_train_all_refuses_an_impossible_list_before_anything_is_trained)
{
    make_list();
    list[2].config.out = folder[0];
    ck_assert_int_eq(lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "found all/a and all/c with the same folder, "));
    make_list();
    list[2].config.shards = 3;
    ck_assert_int_eq(lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "all/c: shards: found 3, expected a power of two up to 1024");
    make_list();
    list[1].config.seeds = 2;
    ck_assert_int_eq(lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "all/b: seeds: found 2, expected 1");
    make_list();
    list[0].config.out = NULL;
    ck_assert_int_eq(lb_translator_train_all((lb_trainings){.training = list, .count = COUNT}, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert(!support_exists("all"));
}
END_TEST

START_TEST(test_set_kind_sets_what_makes_the_kind_and_resets_what_it_lacks)
{
    lb_training_config c = {.positions = LB_POSITIONAL_ROTARY, .kv_heads = 2, .window = 3, .lr = 0.5};
    ck_assert_int_eq(lb_training_config_set_kind(&c, "lstm-backward", NULL), LB_OK);
    ck_assert_str_eq(c.model, "seq2seq");
    ck_assert_str_eq(c.direction, "backward");
    ck_assert_int_eq(c.cell, LB_CELL_LSTM);
    ck_assert_int_eq(c.attention, LB_ATTENTION_ADDITIVE);
    ck_assert(c.positions == 0 && c.kv_heads == 0 && c.window == 0 && c.lr == 0.5);
    ck_assert_int_eq(lb_training_config_set_kind(&c, "rotary", NULL), LB_OK);
    ck_assert_str_eq(c.model, "transformer");
    ck_assert(c.positions == LB_POSITIONAL_ROTARY && c.cell == 0);
    ck_assert_int_eq(lb_training_config_set_kind(&c, "forward", NULL), LB_OK);
    ck_assert_str_eq(c.direction, "forward");
    for (const char *const *name = lb_kind_names(); *name; name++)
        ck_assert_int_eq(lb_training_config_set_kind(&c, *name, NULL), LB_OK);
    ck_assert_int_eq(lb_training_config_set_kind(&c, "-backward", &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(
        strstr(error.message, "found the kind \"-backward\", expected one of none, additive, "));
}
END_TEST
