/* Trains a model again, and says whether it is what its record says. */
#include "base/format.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"
#include "os/program.h"
#include "settings/settings.h"

#include <lookback/translate.h>
#include <stdio.h>

typedef struct reproduction {
    lb_training_config data; /* where its pairs are now */
    int steps;
    lb_reproduction found;
    app_progress progress;
    char place[APP_SHORT];
} reproduction;

/* "member 2, ", or "" */
static const char *place_of(reproduction *r)
{
    if (r->found.members) snprintf(r->place, sizeof r->place, "member %d, ", (int)r->found.member);
    return r->place;
}

static lb_status show_event(void *context, const lb_event *event, lb_error *error)
{
    reproduction *r = context;
    const lb_reproduction *found = &r->found;
    (void)error;
    if (event->kind == LB_EVENT_COUNTED)
        app_progress_count(&r->progress, event->unit, event->done, event->total);
    if (event->kind == LB_EVENT_STEPPED)
        app_progress_count(&r->progress, "step", event->step.step, event->run->steps);
    if (event->kind == LB_EVENT_POINT && found->same) {
        app_print("%sstep %lld: same\n", place_of(r), (long long)found->step);
        return app_flush_stdout() ? LB_OK : LB_ERROR_WRITE;
    }
    if (event->kind != LB_EVENT_BEGUN) return LB_OK;
    lb_os_catch_interrupts();
    app_note("%strained with %s", place_of(r), found->made);
    return LB_OK;
}

static int say(reproduction *r)
{
    const lb_reproduction *found = &r->found;
    if (found->same) {
        app_print("same: %lld evaluation%s, and the weights of the file\n", (long long)found->evaluations,
                  lb_plural(found->evaluations));
        return app_close_stdout(0);
    }
    app_print("%sstep %lld: %s\n", place_of(r), (long long)found->step, found->what);
    if (app_flush_stdout()) app_warn("%s", found->why);
    return app_close_stdout(1);
}

static int reproduce_model(reproduction *r, const char *path)
{
    lb_error error = {0}, found = {0};
    r->data.context = r;
    r->data.tell = show_event;
    r->data.stop = app_interrupted;
    lb_translator *translator = lb_translator_open(path, &error);
    if (!translator) return app_fail(&error);
    lb_status status = lb_translator_reproduce(translator, &r->data, r->steps, &r->found, &found);
    lb_os_release_interrupts();
    app_progress_end(&r->progress);
    lb_translator_close(translator);
    lb_error_set(&error, status, status == LB_ERROR_OPEN ? "%s (--train, --dev and --test name pairs)" : "%s",
                 found.message);
    return status ? app_fail(&error) : say(r);
}

static const app_example examples[] = {
    {"Prove that the model in out/ is what training on its pairs gives.", "lookback reproduce out"},
    {"Look at the first 100 steps only, with pairs that have another name here.",
     "lookback reproduce out --train pairs.tsv --steps 100"},
};

int reproduce_main(int argc, char **argv)
{
    static const char *const of_pairs[] = {"train", "dev", "test", "train_targets", "dev_targets"};
    enum { PAIRS = sizeof of_pairs / sizeof *of_pairs };
    reproduction r = {.steps = 0};
    const app_option rest[] = {
        APP_INT(0, "steps", "N", &r.steps, 0, 1 << 30, "compare the evaluations up to this step; 0: all"),
        APP_THREADS,
        APP_QUIET,
    };
    app_option options[PAIRS + sizeof rest / sizeof *rest], *end = options;
    for (int i = 0; i < PAIRS; i++)
        *end++ = app_setting_option(lb_setting_find(of_pairs[i]), &r.data, LB_SETTING_OF_PAIRS);
    end = APP_ADD(end, rest);
    const app_program program = {
        .name = "reproduce",
        .purpose = "Trains the model in MODEL again as its record says, and compares each evaluation and the "
                   "weights. It writes no file. Without --train it reads the files of the training in the "
                   "present folder. The status is 0 if all is the same, and 1 if something differs.",
        .operands = "MODEL",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = (int)(end - options),
        .examples = examples,
        .example_count = sizeof examples / sizeof *examples,
    };
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? reproduce_model(&r, argv[0]) : status;
}
