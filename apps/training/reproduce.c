/* Trains a model again, and says whether it is what its record says. */
#include "base/format.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"
#include "settings/settings.h"

#include <lookback/translate.h>
#include <stdio.h>

typedef struct reproduction {
    lb_training_config data; /* where its pairs are now */
    int steps;
    lb_reproduction found;
    app_progress progress, counting;
    char place[APP_SHORT]; /* "member 2, ", or "" */
} reproduction;

static void show_begin(reproduction *r)
{
    const lb_reproduction *found = &r->found;
    app_progress_end(&r->counting);
    app_progress_end(&r->progress);
    r->progress = (app_progress){0};
    app_catch_interrupts();
    if (found->members) snprintf(r->place, sizeof r->place, "member %d, ", found->member);
    if (*found->made)
        app_note("%strained with %s", r->place, found->made);
    else
        app_note("%sits record has no hashes: measures are compared, and the weights of the file", r->place);
}

static lb_status show_event(void *context, const lb_event *event, lb_error *error)
{
    reproduction *r = context;
    (void)error;
    switch (event->kind) {
    case LB_EVENT_COUNTED:
        app_progress_count(&r->counting, event->unit, event->done, event->total);
        break;
    case LB_EVENT_BEGUN:
        show_begin(r);
        break;
    case LB_EVENT_STEPPED:
        if (!r->progress.updated)
            app_progress_init(&r->progress, (app_progress_config){.total = event->run->steps, .late = true});
        app_progress_update(&r->progress, event->step.step, "loss %.4f", event->step.loss);
        break;
    case LB_EVENT_POINT:
        if (r->found.same) app_print("%sstep %lld: same\n", r->place, (long long)r->found.step);
        return app_flush_stdout() ? LB_OK : LB_ERROR_WRITE;
    default:
        break;
    }
    return LB_OK;
}

static int say(const reproduction *r)
{
    const lb_reproduction *found = &r->found;
    const long long count = found->evaluations;
    if (found->same)
        app_print("same: %lld evaluation%s%s\n", count, lb_plural(count),
                  r->steps ? "" : ", and the weights of the file");
    else
        app_print("%sstep %lld: %s\n", r->place, (long long)found->step, found->what);
    if (!found->same && app_flush_stdout()) app_warn("%s", found->why);
    return app_close_stdout(!found->same);
}

static int reproduce_model(reproduction *r, const char *path)
{
    lb_error error = {0}, found = {0};
    r->data.context = r;
    r->data.tell = show_event;
    r->data.stop = app_interrupted;
    lb_translator *translator = lb_translator_open(path, &error);
    if (!translator) return app_fail(&error);
    const lb_status status = lb_translator_reproduce(translator, &r->data, r->steps, &r->found, &found);
    app_release_interrupts();
    app_progress_end(&r->counting);
    app_progress_end(&r->progress);
    lb_translator_close(translator);
    if (!status) return say(r);
    lb_error_set(&error, status, "%s%s", found.message,
                 status == LB_ERROR_OPEN ? "; --train, --dev and --test say where the pairs are now" : "");
    return app_fail(&error);
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
