/* Trains a sequence-to-sequence model, or several that decode together, on pairs of texts from a TSV file. */
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/options.h"
#include "console/console.h"
#include "io/path.h"
#include "several/ensemble.h"
#include "several/sweep.h"
#include "training/train_options.h"
#include "training/training_view.h"
#include "translate/training/data.h"
#include "translate/training/recipe.h"
#include "translate/training/stepper.h"

#include <lookback/lookback.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file of the teacher, with what the one before it said about itself beyond `given`. */
static void take_taught(app_train_options *t, const lb_training_config *given)
{
    const lb_pair_format *f = &t->teaching.format;
    lb_training_config *c = &t->settings;
    c->train = t->pairs;
    c->train_targets = NULL;
    c->weight_column = 0;
    c->format = NULL;
    if (!given->target_separator) c->target_separator = f->target.separator;
    if (!given->features_separator) c->features_separator = f->source.features;
    lb_recipe_take_columns(c, f);
}

/* Replaces the pairs to train on by those of the teacher, in a folder that stays locked. */
static lb_status write_taught(app_train_options *t, const lb_training_config *c, lb_lock **lock,
                              lb_error *error)
{
    t->teaching.train = c->train;
    t->teaching.seed = c->seed;
    t->teaching.format = lb_recipe_format(c);
    app_catch_interrupts();
    lb_status status = lb_folder_make(t->settings.out, error);
    t->teaching.pairs = app_path(t->settings.out, "taught.tsv", t->pairs);
    t->teaching.seal = app_path(t->settings.out, "taught.seal", t->seal);
    if (!status) status = lb_lock_folder(t->settings.out, lock, error);
    if (!status) status = app_taught_write(&t->teaching, error);
    take_taught(t, c);
    return status;
}

/* A model to start from decides how the pairs are read. */
static lb_status learn_from_teacher(app_train_options *t, lb_lock **lock, lb_error *error)
{
    lb_warm_start start;
    lb_training_config c = t->settings;
    if (!t->teaching.teacher) return LB_OK;
    lb_status status = lb_warm_start_open(&start, &c, error);
    if (!status) status = write_taught(t, &c, lock, error);
    lb_warm_start_free(&start);
    return status;
}

/* With few pairs, the last line of a training that left mistakes says what a vote would take. */
static void say_what_a_vote_takes(const app_train_options *t, const app_training_view *view,
                                  const lb_training_result *result)
{
    char time[APP_SHORT];
    const lb_training_config *c = &t->settings;
    int members = app_ensemble_of_few(view->pairs);
    bool one = c->seeds == 1 && !c->from && !c->group && !t->teaching.teacher;
    if (one && members > 0 && result->dev.exact_match < 1 && app_flush_stdout())
        app_note(
            "%lld pairs are few: a vote of %d models makes fewer mistakes; --ensemble auto trains them in "
            "about %s",
            (long long)view->pairs, members, app_short_time(members * view->seconds, time));
}

static int train_on_pairs(app_train_options *t)
{
    lb_error error = {0};
    lb_training_result result = {0};
    app_training_view view = {0};
    lb_lock *lock = NULL;
    lb_status status = learn_from_teacher(t, &lock, &error);
    view.locked = lock;
    if (!status) status = app_train_in_view(&view, t->settings, &result, &error);
    lb_lock_free(lock);
    if (status) return app_fail(&error);
    app_print_result(&t->settings, t->settings.seeds > 1 ? "beam 5" : "greedy", &result.dev, result.pairs,
                     result.test, result.test_pairs);
    int exit_status = app_training_status(&view);
    if (exit_status == 0) say_what_a_vote_takes(t, &view, &result);
    return app_close_stdout(exit_status);
}

static int print_config(const char *json)
{
    app_put(json);
    return app_close_stdout(0);
}

static int check_and_run(app_train_options *t, const app_program *program)
{
    lb_error error = {0};
    const lb_training_config given = t->settings;
    app_ranks_set_threads(t->threads);
    if (app_train_check(t, &error) || app_train_settle(t, &error)) return app_fail(&error);
    if (t->ensemble || t->sweep)
        t->settings = given; /* to be printed: each training settles its own */
    else if (t->config.print && app_train_fit(t, &error))
        return app_fail(&error);
    char *json = app_config_record(program, t->config.print ? NULL : app_train_of_the_run);
    if (!json) lb_error_set(&error, LB_ERROR_MEMORY, "out of memory");
    t->settings.options = json;
    app_settings_leave_open(&t->settings, true);
    int status = error.status ? app_fail(&error) : t->config.print ? print_config(json) : train_on_pairs(t);
    lb_release(json);
    return status;
}

static const app_example examples[] = {
    {"Train a small model on pairs.tsv, in seconds.",
     "lookback train pairs.tsv --hidden 64 --steps 300 --out out/small"},
    {"Train two transformers that decode together; test them on dev.tsv.",
     "lookback train pairs.tsv --dev dev.tsv --model transformer \\\n"
     "      --hidden 32 --steps 50 --seeds 2 --out out/ensemble"},
    {"Train a model that copies symbols it does not know, such as names.",
     "lookback train pairs.tsv --copy --hidden 64 --steps 300 --out out/copy"},
    {"Write all options to a file, to be edited and used with --config.",
     "lookback train pairs.tsv --attention luong --print-config > settings.json"},
};

/* ---- Several trainings, each a process of its own. ---- */

/* Whether --sweep or --ensemble trains; --print-config only prints. */
static bool is_given(const app_train_options *t, const char *text)
{
    return text && !t->config.print;
}

/* A sweep needs pairs that are held out, on the command line and in each of its combinations. */
static lb_status check_sweep(const app_train_options *t, lb_error *error)
{
    return !t->settings.no_hold_out ? LB_OK
                                    : lb_error_set(error, LB_ERROR_ARGUMENT,
                                                   "--no-hold-out leaves no pairs to compare the models on");
}

static lb_status check_several(const app_train_options *t, lb_error *error)
{
    bool several = is_given(t, t->sweep) && is_given(t, t->ensemble);
    if (several)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--sweep and --ensemble: expected only one of them");
    if (t->settings.seeds > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--%s and --seeds: expected only one of them; %s trains several",
                            is_given(t, t->ensemble) ? "ensemble" : "sweep",
                            is_given(t, t->ensemble) ? "additive:3" : "{\"seed\": [1, 2, 3]} in the file");
    if (is_given(t, t->sweep)) return check_sweep(t, error);
    if (t->settings.from)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--ensemble and --from: expected only one of them");
    return LB_OK;
}

static lb_status check_file(const char *path, lb_error *error)
{
    if (!path || access(path, R_OK) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
}

lb_status app_train_check_command(const app_repeated *repeated, int argc, char **argv, lb_error *error)
{
    app_train_options t = {0};
    static app_option options[APP_TRAIN_MOST];
    const app_program one = {.name = repeated->program->name,
                             .operands = "[FILE]",
                             .max_operands = 1,
                             .operand_of = "train",
                             .config = &t.config,
                             .options = options,
                             .option_count = app_train_list(&t, options)};
    lb_status status = app_train_begin(&t, error);
    if (!status) status = app_config_parse(&one, argc, argv, error);
    if (!status && repeated->compares) status = check_sweep(&t, error);
    if (!status) status = app_train_check(&t, error);
    if (!status) status = app_train_settle(&t, error);
    if (!status) status = check_file(t.settings.train, error);
    if (!status) status = check_file(t.settings.dev, error);
    for (int i = 0; i < LB_MOST_TESTS && *t.settings.test[i].name && !status; i++)
        status = check_file(t.settings.test[i].file, error);
    if (!status) status = check_file(t.teaching.unlabelled, error);
    if (!status) status = check_file(t.teaching.teacher, error);
    app_settings_leave_open(&t.settings, true);
    if (!status) status = lb_training_try(&t.settings, error);
    app_config_free(&t.config);
    return status;
}

static int run_several(app_train_options *t, app_repeated repeated)
{
    lb_error error = {0};
    repeated.settings = &t->settings;
    repeated.usual = &t->usual;
    repeated.threads = t->threads;
    repeated.compares = is_given(t, t->sweep);
    repeated.check = app_train_check_command;
    if (check_several(t, &error)) return app_fail(&error);
    return is_given(t, t->ensemble) ? app_ensemble_run(t->ensemble, &repeated)
                                    : app_sweep_run(t->sweep, t->sweep_count, &repeated);
}

/* Ranks share the batches of one model. */
static lb_status check_ranks(const app_train_options *t, lb_error *error)
{
    const char *several = t->sweep                ? "sweep"
                          : t->ensemble           ? "ensemble"
                          : t->settings.seeds > 1 ? "seeds"
                                                  : NULL;
    if (!t->settings.group || !several) return LB_OK;
    return lb_error_set(
        error, LB_ERROR_ARGUMENT,
        "--%s: expected no mpirun, found %d ranks, which train one model together; start each "
        "training as a job of its own, and let lookback join make one model of them",
        several, t->settings.group->size);
}

int train_main(int argc, char **argv)
{
    lb_error error = {0};
    app_train_options t = {0};
    static app_option options[APP_TRAIN_MOST];
    if (app_train_begin(&t, &error)) return app_fail(&error);
    const app_program program = {
        .name = "train",
        .purpose =
            "Trains a model with attention on the pairs of texts in FILE, a source, a tab and a target "
            "on each line. The same command, run again, resumes where it stopped.",
        .operands = "[FILE]",
        .max_operands = 1,
        .operand_of = "train",
        .options = options,
        .option_count = app_train_list(&t, options),
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
        .config = &t.config,
        .group = &t.settings.group,
        .alone = &t.config.print,
    };
    const app_repeated repeated = {.program = &program, .argc = argc, .argv = argv};
    int status = app_options(&program, &argc, &argv);
    if (status == APP_RUN) {
        bool several = is_given(&t, t.sweep) || is_given(&t, t.ensemble);
        status = check_ranks(&t, &error) ? app_fail(&error)
                 : several               ? run_several(&t, repeated)
                                         : check_and_run(&t, &program);
    }
    app_config_free(&t.config);
    return status;
}
