/* Trains a sequence-to-sequence model with attention to sort lists of numbers, or to reverse, copy or add them. */
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"
#include "data/sort_task.h"
#include "several/ensemble.h"
#include "training/training_view.h"

#include <lookback/lookback.h>

#include <assert.h>

enum { MOST = 64, NINE = 9 }; /* options; the largest digit */

static lb_training_config settings, usual; /* of the command line; without any option */
static lb_sort_task task = {.max_value = 99, .min_length = 1, .max_length = 10, .repeats = 0.3};
static const char *lengths;
static int what, threads; /* what is done to a list: an lb_list_task */
static bool quiet;

static int train_to_sort(void)
{
    lb_error error = {0};
    lb_training_result result = {0};
    app_training_view view = {
        .chart = "loss.png",
        .measure = {.loss = "dev loss", .label = "Exact match on held-out lists"},
    };
    lb_status status = lb_settings_fit_kind(&settings, &usual, true, &error);
    /* The model of --from decides all settings of a model that no option has set. */
    app_settings_leave_open(&settings, false);
    app_settings_leave_open(&settings, true);
    if (!status) status = app_train_in_view(&view, settings, &result, &error);
    if (status) return app_fail(&error);
    if (!settings.group || settings.group->rank == 0) {
        app_print("exact match %.2f %% (greedy) on %lld held-out lists\n", 100 * result.dev.exact_match,
                  (long long)result.pairs);
        app_print_tests(&settings, "greedy", result.test, result.test_pairs);
    }
    return app_close_stdout(app_training_status(&view));
}

static lb_status settle_task(lb_error *error)
{
    task.what = (lb_list_task)what;
    if (task.what == LB_LIST_ADD && !app_option_was_set(&task.max_value)) task.max_value = NINE;
    if (!lengths || lb_sort_set_lengths(&task, lengths)) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--lengths: found %.40s, expected the shortest and the longest, such as 5-10",
                        lengths);
}

/* Starts from the recipe; settings that depend on the model stay open until it is known. Several heads help to count
 * repeated numbers: docs/adr/0004. */
static lb_status begin_with_recipe(lb_error *error)
{
    settings = (lb_training_config){.sort = &task,
                                    .steps = 3000,
                                    .target = 0.99,
                                    .seed = 1,
                                    .out = "out",
                                    .one_direction = true,
                                    .attention = LB_ATTENTION_MULTI_HEAD};
    lb_status status = lb_training_config_settle(&settings, error);
    settings.layers = 0;
    settings.lr = 0;
    usual = settings;
    return status;
}

static const app_example examples[] = {
    {"Learn to sort short lists of small numbers, in seconds.",
     "lookback sort --max-number 19 --min-length 2 --max-length 5 \\\n"
     "      --hidden 64 --steps 200 --out out/sort"},
    {"Learn to reverse lists, and see how it does on longer ones.",
     "lookback sort --task reverse --lengths 1-10 --test long=11-30 \\\n"
     "      --max-number 9 --hidden 64 --steps 500 --out out/reverse"},
    {"Train a transformer instead, and use it.",
     "lookback sort --model transformer --max-number 9 --min-length 2 --max-length 5 \\\n"
     "      --hidden 32 --steps 100 --out out/layers\n"
     "  echo 4 2 7 1 | lookback predict out/layers"},
};

int sort_main(int argc, char **argv)
{
    lb_error error = {0};
    if (begin_with_recipe(&error)) return app_fail(&error);
    const app_option lists[] = {
        APP_HEADING("Task"),
        APP_CHOICE(0, "task", "KIND", &what, lb_list_task_names,
                   "what is done to a list; to add, it has the digits of two numbers", .usual = true),
        APP_INT(0, "max-number", "N", &task.max_value, 0, 1000000,
                "largest number; the smallest is 0; to add, it is 9", .usual = true),
        APP_TEXT(0, "lengths", "N-N", &lengths,
                 "lengths of the shortest and of the longest list, such as 5-10", .usual = true),
        APP_INT(0, "min-length", "N", &task.min_length, 1, 1 << 20, "length of the shortest list"),
        APP_INT(0, "max-length", "N", &task.max_length, 1, 1 << 20, "length of the longest list"),
        APP_NUMBER(0, "repeats", "SHARE", &task.repeats, 0, 1,
                   "share of lists with at most four different numbers"),
    };
    const app_option processes[] = {app_set_option(LB_SETTING_OF_LISTS), APP_THREADS(&threads),
                                    APP_QUIET(&quiet)};
    static app_option options[MOST];
    app_option *end = APP_ADD(options, lists);
    *end++ = app_setting_option(lb_setting_find("test"), &settings, LB_SETTING_OF_LISTS);
    end = app_setting_options(end, LB_SETTING_MODEL, &settings, LB_SETTING_OF_LISTS);
    end = app_setting_options(end, LB_SETTING_TRAINING, &settings, LB_SETTING_OF_LISTS);
    end = APP_ADD(end, processes);
    end = app_setting_options(end, LB_SETTING_FILES, &settings, LB_SETTING_OF_LISTS);
    assert(end - options <= MOST);
    const app_program program = {
        .name = "sort",
        .purpose =
            "Trains a model with attention to sort lists of numbers, or to reverse, copy or add them. The "
            "same command, run again, resumes where it stopped.",
        .options = options,
        .option_count = (int)(end - options),
        .examples = examples,
        .example_count = sizeof examples / sizeof *examples,
        .threads = &threads,
        .group = &settings.group,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    return settle_task(&error) ? app_fail(&error) : train_to_sort();
}
