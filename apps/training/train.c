/* Trains a sequence-to-sequence model, or several that decode together, on pairs of texts from a TSV file. */
#include "training/train_options.h"

#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/options.h"
#include "console/console.h"
#include "io/path.h"
#include "several/side_by_side.h"
#include "several/sweep.h"
#include "translate/run/stepper.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- The options. ---- */

int app_train_list(app_train_options *t, app_option *to)
{
    const app_option teaching[] = {
        APP_TEXT(0, "teacher", "MODEL", &t->teaching.teacher,
                 "also learn the outputs of this model, such as an ensemble, for the sources of --train; "
                 "needs --dev or --no-hold-out"),
        APP_TEXT(0, "unlabelled", "FILE", &t->teaching.unlabelled,
                 "sources without targets; --teacher writes the targets"),
        APP_INT(0, "made-up", "N", &t->teaching.made_up, 0, 1 << 30,
                "sources to make up for --teacher, from the beginnings and ends of the sources of --train; "
                "default: as many as --train has pairs"),
    };
    const app_option processes[] = {
        APP_OPTIONAL_TEXT(
            "ensemble", "LIST", &t->ensemble,
            "train an ensemble of different models, such as additive:3,backward:2,transformer:2: kinds "
            "of attention, transformer, forward or backward; additive-backward writes from the end; a number "
            "alone: that many with different seeds; auto: kinds and number by the pairs; --no-ensemble "
            "overrides --config",
            .usual = true),
        APP_SET,
        APP_THREADS,
    };
    const app_option rest[] = {
        APP_CONFIG_OPTIONS(&t->config),
        APP_QUIET,
        APP_HEADING("Sweep"),
        APP_OPTIONAL_TEXT("sweep", "FILE", &t->sweep,
                          "train once for each combination of the values in this JSON file, such as "
                          "{\"hidden\": [128, 192]}, side by side; --no-sweep overrides --config"),
        APP_INT(0, "sweep-count", "N", &t->sweep_count, 0, 1 << 20,
                "number of combinations to train, drawn with --seed; 0: all of them"),
    };
    app_option *end = app_setting_options(to, LB_SETTING_DATA, &t->settings, LB_SETTING_OF_PAIRS);
    end = APP_ADD(end, teaching);
    end = app_setting_options(end, LB_SETTING_MODEL, &t->settings, LB_SETTING_OF_PAIRS);
    end = app_setting_options(end, LB_SETTING_TRAINING, &t->settings, LB_SETTING_OF_PAIRS);
    end = APP_ADD(end, processes);
    end = app_setting_options(end, LB_SETTING_FILES, &t->settings, LB_SETTING_OF_PAIRS);
    end = APP_ADD(end, rest);
    assert(end - to <= APP_MOST_OPTIONS);
    return (int)(end - to);
}

lb_status app_train_begin(app_train_options *t, lb_error *error)
{
    t->settings = (lb_training_config){.seed = 1, .out = "out"};
    lb_status status = lb_training_config_settle(&t->settings, error);
    t->settings.lr = 0;
    t->usual = t->settings;
    t->teaching.made_up = -1;
    return status;
}

/* A sweep needs pairs that are held out, on the command line and in each of its combinations. */
static lb_status check_sweep(const app_train_options *t, lb_error *error)
{
    return !t->settings.no_hold_out ? LB_OK
                                    : lb_error_set(error, LB_ERROR_ARGUMENT,
                                                   "--no-hold-out leaves no pairs to compare the models on");
}

/* What several options say together. */
static lb_status check_options(app_train_options *t, lb_error *error)
{
    const lb_training_config *c = &t->settings;
    const char *teacher = t->teaching.teacher;
    char ranks[64];
    snprintf(ranks, sizeof ranks, "--teacher: expected no mpirun, found %d ranks",
             c->group ? c->group->size : 1);
    const struct {
        bool broken;
        const char *message;
    } rules[] = {
        {(c->steps > 0) + (c->epochs > 0) + (c->minutes > 0) > 1,
         "--steps, --epochs and --minutes: expected only one of them"},
        {t->teaching.unlabelled && !teacher, "--unlabelled needs --teacher"},
        {t->teaching.made_up > 0 && !teacher, "--made-up needs --teacher"},
        {teacher && c->group, ranks},
        {teacher && !c->dev && !c->no_hold_out && !t->config.print,
         "--teacher needs --dev or --no-hold-out: the teacher has seen the pairs that would be held out"},
        {teacher && c->lexicon_from_train, "--lexicon-from-train and --teacher: expected only one of them: "
                                           "what a teacher writes is no pair that "
                                           "is known to be right"},
        {c->index_file && c->index == LB_INDEX_NEVER,
         "--set index-file and --set index=never: expected only one of them"},
        {c->no_hold_out && c->dev, "--no-hold-out and --dev: expected only one of them"},
        {c->no_hold_out && c->patience > 0, "--patience: --no-hold-out leaves no pairs to evaluate on"},
    };
    if (!c->train && !t->config.print)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected FILE or --train FILE; see %s --help",
                            app_name("train"));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].broken) return lb_error_set(error, LB_ERROR_ARGUMENT, "%s", rules[i].message);
    return lb_settings_fit_kind(&t->settings, &t->usual, true, error);
}

/* Leaves open what a model to start from decides but words, which app_config_record prints: app_settings_leave_open
 * does the rest. */
static lb_status fill_in(app_train_options *t, lb_error *error)
{
    app_settings_leave_open(&t->settings, false);
    return lb_training_config_settle(&t->settings, error);
}

/* The options beside settings that do not change the model. */
static const char *const of_the_run[] = {"isa", "threads", "sweep", "sweep-count", "ensemble", "quiet", NULL};

char *app_train_usual(const char *kind)
{
    lb_error error = {0};
    app_train_options t = {0};
    static app_option options[APP_MOST_OPTIONS];
    const app_program program = {.options = options, .option_count = app_train_list(&t, options)};
    if (app_train_begin(&t, &error)) return NULL;
    t.settings.model = kind;
    if (fill_in(&t, &error)) return NULL;
    t.settings.model = t.usual.model; /* the kind is an option, too */
    return app_config_record(&program, of_the_run);
}

/* ---- One training. ---- */

static lb_status settle_options(app_train_options *t, const app_program *program, char **record,
                                lb_error *error)
{
    lb_status status = check_options(t, error);
    if (!status) status = fill_in(t, error);
    if (status) return status;
    *record = app_config_record(program, of_the_run);
    t->settings.options = *record;
    app_settings_leave_open(&t->settings, true);
    return *record ? LB_OK : lb_no_memory(error, NULL);
}

/* With few pairs, the last line of a training that left mistakes says what a vote would take. */
static void say_what_a_vote_takes(const app_train_options *t, const app_training_view *view,
                                  const lb_training_result *result)
{
    char time[APP_SHORT];
    const lb_training_config *c = &t->settings;
    int members = app_ensemble_of_few(view->pairs);
    bool one = c->seeds == 1 && !c->sort && !c->from && !c->group && !t->teaching.teacher;
    if (one && members > 0 && result->dev.exact_match < 1 && app_flush_stdout())
        app_note("%lld pairs are few: an ensemble of %d models often makes fewer mistakes; --ensemble auto "
                 "trains it in about %s",
                 (long long)view->pairs, members, app_short_time(members * view->seconds, time));
}

int app_train_run(app_train_options *t)
{
    lb_error error = {0};
    lb_training_result result = {0};
    lb_lock *lock = NULL;
    lb_status status = app_learn_from_teacher(&t->teaching, &t->settings, &lock, &error);
    app_training_view view = {.locked = lock};
    if (!status) status = app_train_in_view(&view, t->settings, &result, &error);
    lb_lock_free(lock);
    if (status) return app_fail(&error);
    t->settings.choose = view.choose;
    app_print_result(&t->settings, t->settings.seeds > 1 ? "beam 5" : "greedy", &result.dev, result.pairs,
                     result.test, result.test_pairs);
    int exit_status = app_training_status(&view);
    if (exit_status == 0) say_what_a_vote_takes(t, &view, &result);
    return app_close_stdout(exit_status);
}

/* What the recipe chooses for the file to train on, if it can be read. */
static lb_status fit(lb_training_config *c, lb_error *error)
{
    if (c->from || !c->train || strcmp(c->train, "-") == 0 || !lb_os_may(c->train, LB_OS_READ)) return LB_OK;
    return lb_training_fit(c, error);
}

lb_status app_train_print(app_train_options *t, const app_program *program, lb_error *error)
{
    const lb_training_config given = t->settings;
    lb_status status = check_options(t, error);
    if (!status) status = fill_in(t, error);
    if (!status && (t->ensemble || t->sweep))
        t->settings = given; /* each training settles its own */
    else if (!status)
        status = fit(&t->settings, error);
    if (status) return status;
    char *json = app_config_record(program, NULL);
    if (!json) return lb_no_memory(error, NULL);
    app_put(json);
    lb_release(json);
    return LB_OK;
}

static int check_and_run(app_train_options *t, const app_program *program)
{
    lb_error error = {0};
    char *record = NULL;
    if (t->config.print) return app_train_print(t, program, &error) ? app_fail(&error) : app_close_stdout(0);
    lb_status status = settle_options(t, program, &record, &error);
    int exit_status = status ? app_fail(&error) : app_train_run(t);
    lb_release(record);
    return exit_status;
}

/* ---- Several trainings, each a process of its own. ---- */

/* Ranks share the batches of one model. `by` is the option that trains several; NULL: none. */
static lb_status check_several(const app_train_options *t, const char *by, lb_error *error)
{
    const lb_training_config *c = &t->settings;
    if (c->group && (by || c->seeds > 1))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--%s: expected no mpirun, found %d ranks, which train one model together; start each "
            "training as a job of its own, and let lookback join make one model of them",
            by ? by : "seeds", c->group->size);
    if (!by) return LB_OK;
    if (t->sweep && t->ensemble)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--sweep and --ensemble: expected only one of them");
    if (c->seeds > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--%s and --seeds: expected only one of them; %s trains several", by,
                            t->ensemble ? "additive:3" : "{\"seed\": [1, 2, 3]} in the file");
    if (t->sweep) return check_sweep(t, error);
    if (c->from)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--ensemble and --from: expected only one of them");
    return LB_OK;
}

static lb_status check_file(const char *path, lb_error *error)
{
    if (!path || lb_os_may(path, LB_OS_READ)) return LB_OK;
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
}

static lb_status check_files(const app_train_options *t, lb_error *error)
{
    const lb_training_config *c = &t->settings;
    lb_status status = check_file(c->train, error);
    if (!status) status = check_file(c->dev, error);
    for (int i = 0; i < LB_MOST_TESTS && *c->test[i].name && !status; i++)
        status = check_file(c->test[i].file, error);
    if (!status) status = check_file(t->teaching.unlabelled, error);
    return status ? status : check_file(t->teaching.teacher, error);
}

lb_status app_train_prepare(app_train_options *t, const app_program *program, bool compares, char **record,
                            lb_error *error)
{
    lb_status status = compares ? check_sweep(t, error) : LB_OK;
    if (!status) status = settle_options(t, program, record, error);
    return status ? status : check_files(t, error);
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

int train_main(int argc, char **argv)
{
    lb_error error = {0};
    app_train_options t = {0};
    static app_option options[APP_MOST_OPTIONS];
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
        .example_count = sizeof examples / sizeof *examples,
        .config = &t.config,
        .group = &t.settings.group,
        .alone = &t.config.print,
    };
    app_side_by_side several = {.program = &program,
                                .options = &t,
                                .command = &program,
                                .argc = argc,
                                .argv = argv,
                                .prepare = app_train_prepare,
                                .run = app_train_run,
                                .settings = &t.settings,
                                .error = &error};
    int status = app_options(&program, &argc, &argv);
    if (status == APP_RUN) {
        const char *by = t.config.print ? NULL : t.sweep ? "sweep" : t.ensemble ? "ensemble" : NULL;
        several.compares = t.sweep;
        status = check_several(&t, by, &error) ? app_fail(&error)
                 : !by                         ? check_and_run(&t, &program)
                 : t.ensemble                  ? app_ensemble_run(t.ensemble, &several)
                                               : app_sweep_run(t.sweep, t.sweep_count, &several);
    }
    app_json_file_close(&t.config.read);
    return status;
}
