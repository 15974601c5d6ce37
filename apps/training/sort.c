/* Trains a sequence-to-sequence model with attention to sort lists of numbers. */
#include "cli/model_choice.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "console/console.h"
#include "training/training_view.h"

#include <lookback/lookback.h>

#include <stdio.h>

/* The settings of the command line: the configuration of the library, except for the choice of the model. */
static lb_training_config settings;
static lb_sort_task task = {.max_value = 99, .min_length = 1, .max_length = 10, .repeats = 0.3};
static app_model_choice model, usual;
static int threads, film;
static bool quiet;

static int train(void)
{
    lb_error error = {0};
    lb_training_result result = {0};
    app_training_view view = {
        .chart = "loss.png",
        .measure = {.loss = "dev loss", .label = "Exact match on held-out lists"},
    };
    settings.film = film ? film : -1;
    lb_status status = app_choose_model(&model, &usual, &settings, &error);
    app_leave_model_open(&model, &settings);
    if (!status) status = app_train_in_view(&view, settings, &result, &error);
    if (status) return app_fail(&error);
    if (!settings.group || settings.group->rank == 0)
        app_print("exact match %.2f %% (greedy) on %lld held-out lists\n", 100 * result.dev.exact_match,
                  (long long)result.pairs);
    return app_close_stdout(app_training_status(&view));
}

/* Starts from the recipe; settings that depend on the model stay open until it is known. Several heads help to count
 * repeated numbers: docs/adr/0004. */
static lb_status begin_with_recipe(lb_error *error)
{
    settings = (lb_training_config){.sort = &task, .steps = 3000, .target = 0.99, .seed = 1, .out = "out"};
    lb_status status = lb_training_config_settle(&settings, error);
    film = settings.film;
    settings.layers = 0;
    settings.lr = 0;
    model = usual = (app_model_choice){.embed = settings.embed, .attention = LB_ATTENTION_MULTI_HEAD};
    return status;
}

static const app_example examples[] = {
    {"Learn to sort short lists of small numbers, in seconds.",
     "lookback sort --max-number 19 --min-length 2 --max-length 5 \\\n"
     "      --hidden 64 --steps 200 --out out/sort"},
    {"Train a transformer instead, and use it.",
     "lookback sort --model transformer --max-number 9 --min-length 2 --max-length 5 \\\n"
     "      --hidden 32 --steps 100 --out out/layers\n"
     "  echo 4 2 7 1 | lookback predict out/layers"},
};

int sort_main(int argc, char **argv)
{
    lb_error error = {0};
    if (begin_with_recipe(&error)) return app_fail(&error);
    const app_option options[] = {
        APP_HEADING("Task"),
        APP_INT(0, "max-number", "N", &task.max_value, 0, 1000000, "largest number; the smallest is 0",
                .usual = true),
        APP_INT(0, "min-length", "N", &task.min_length, 1, 1 << 20, "length of the shortest list",
                .usual = true),
        APP_INT(0, "max-length", "N", &task.max_length, 1, 1 << 20, "length of the longest list",
                .usual = true),
        APP_NUMBER(0, "repeats", "SHARE", &task.repeats, 0, 1,
                   "share of lists with at most four different numbers"),
        APP_HEADING("Model"),
        APP_MODEL_OPTIONS(&settings, &model),
        APP_HEADING("Training"),
        APP_LOSS(&model.loss),
        APP_INT(0, "batch", "N", &settings.batch, 1, 1 << 20, "lists per step"),
        APP_INT(0, "steps", "N", &settings.steps, 1, 1 << 30,
                "training steps, unless --target is reached first", .usual = true),
        APP_NUMBER(0, "lr", "RATE", &settings.lr, 0, 1e30,
                   "initial learning rate, before the cosine decay; 0: 0.005, or 0.001 for a transformer"),
        APP_NUMBER(0, "target", "SHARE", &settings.target, 0, 1,
                   "stop once exact match on held-out lists reaches this; 0: never"),
        APP_SEED(0, "seed", "N", &settings.seed, "seed of the initial weights and of all lists",
                 .usual = true),
        APP_SHARDS(&settings.shards),
        APP_THREADS(&threads),
        APP_QUIET(&quiet),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &settings.out, "folder for the model, log and chart", .usual = true),
        APP_INT(0, "film", "N", &film, 0, 1000,
                "held-out lists whose outputs and attention are added to film.jsonl at each evaluation, for "
                "lookback report"),
        APP_FLAG(0, "fresh", &settings.fresh, "start over instead of resuming an earlier run", .usual = true),
    };
    const app_program program = {
        .name = "sort",
        .purpose = "Trains a model with attention to sort lists of numbers. The same command, run again, "
                   "resumes where it stopped.",
        APP_TABLES(options, examples),
        .threads = &threads,
        .group = &settings.group,
    };
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? train() : status;
}
