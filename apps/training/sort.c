/* Trains a sequence-to-sequence model with attention to sort lists of numbers, or to reverse, copy or add them. */
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"
#include "data/lists/sort_task.h"
#include "training/train_options.h"
#include "translate/run/stepper.h"

#include <assert.h>

enum { NINE = 9 }; /* the largest digit */

/* The model of --from decides all settings of a model that no option has set. */
lb_status app_sort_prepare(app_train_options *s, const app_program *program, bool compares, char **record,
                           lb_error *error)
{
    (void)program, (void)compares, (void)record; /* there is none */
    s->task.what = (lb_list_task)s->what;
    if (s->task.what == LB_LIST_ADD && !app_option_was_set(&s->task.max_value)) s->task.max_value = NINE;
    if (s->lengths && lb_sort_set_lengths(&s->task, "--", "lengths", s->lengths, error)) return error->status;
    lb_status status = lb_settings_fit_kind(&s->settings, &s->usual, true, error);
    app_settings_leave_open(&s->settings, false);
    app_settings_leave_open(&s->settings, true);
    return status;
}

/* Starts from the recipe; settings that depend on the model stay open until it is known. Several heads help to count
 * repeated numbers: docs/adr/0004. */
lb_status app_sort_begin(app_train_options *s, lb_error *error)
{
    *s = (app_train_options){.task = {.max_value = 99, .min_length = 1, .max_length = 10, .repeats = 0.3}};
    s->settings = (lb_training_config){.sort = &s->task,
                                       .steps = 3000,
                                       .target = 0.99,
                                       .seed = 1,
                                       .out = "out",
                                       .one_direction = true,
                                       .attention = LB_ATTENTION_MULTI_HEAD};
    lb_status status = lb_training_config_settle(&s->settings, error);
    s->settings.layers = 0;
    s->settings.lr = 0;
    s->usual = s->settings;
    return status;
}

int app_sort_list(app_train_options *t, app_option *to)
{
    const app_option lists[] = {
        APP_HEADING("Task"),
        APP_CHOICE(0, "task", "KIND", &t->what, lb_list_task_names,
                   "what is done to a list; to add, it has the digits of two numbers", .usual = true),
        APP_INT(0, "max-number", "N", &t->task.max_value, 0, 1000000,
                "largest number; the smallest is 0; to add, it is 9", .usual = true),
        APP_TEXT(0, "lengths", "N-N", &t->lengths,
                 "lengths of the shortest and of the longest list, such as 5-10", .usual = true),
        APP_INT(0, "min-length", "N", &t->task.min_length, 1, 1 << 20, "length of the shortest list"),
        APP_INT(0, "max-length", "N", &t->task.max_length, 1, 1 << 20, "length of the longest list"),
        APP_NUMBER(0, "repeats", "SHARE", &t->task.repeats, 0, 1,
                   "share of lists with at most four different numbers"),
        APP_FLAG(0, "one-length", &t->task.one_length,
                 "let all lists of a step have one length, so that none is padded"),
    };
    const app_option processes[] = {APP_SET, APP_THREADS, APP_QUIET};
    app_option *end = APP_ADD(to, lists);
    *end++ = app_setting_option(lb_setting_find("test"), &t->settings, LB_SETTING_OF_LISTS);
    end = app_setting_options(end, LB_SETTING_MODEL, &t->settings, LB_SETTING_OF_LISTS);
    end = app_setting_options(end, LB_SETTING_TRAINING, &t->settings, LB_SETTING_OF_LISTS);
    end = APP_ADD(end, processes);
    end = app_setting_options(end, LB_SETTING_FILES, &t->settings, LB_SETTING_OF_LISTS);
    assert(end - to <= APP_MOST_OPTIONS);
    return (int)(end - to);
}

static const app_example examples[] = {
    {"Learn to sort short lists of small numbers, in seconds.",
     "lookback sort --max-number 19 --lengths 2-5 \\\n"
     "      --hidden 64 --steps 200 --out out/sort"},
    {"Learn to reverse lists, and see how it does on longer ones.",
     "lookback sort --task reverse --lengths 1-10 --test long=11-30 \\\n"
     "      --max-number 9 --hidden 64 --steps 500 --out out/reverse"},
    {"Train a transformer instead, and use it.",
     "lookback sort --model transformer --max-number 9 --lengths 2-5 \\\n"
     "      --hidden 32 --steps 100 --out out/layers\n"
     "  echo 4 2 7 1 | lookback predict out/layers"},
};

int sort_main(int argc, char **argv)
{
    static app_train_options s;
    static app_option options[APP_MOST_OPTIONS];
    lb_error error = {0};
    if (app_sort_begin(&s, &error)) return app_fail(&error);
    const app_program program = {
        .name = "sort",
        .purpose =
            "Trains a model with attention to sort lists of numbers, or to reverse, copy or add them. The "
            "same command, run again, resumes where it stopped.",
        .options = options,
        .option_count = app_sort_list(&s, options),
        .examples = examples,
        .example_count = sizeof examples / sizeof *examples,
        .group = &s.settings.group,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    return app_sort_prepare(&s, &program, false, NULL, &error) ? app_fail(&error) : app_train_run(&s);
}
