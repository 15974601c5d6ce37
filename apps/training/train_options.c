#include "training/train_options.h"

#include "cli/options.h"
#include "console/console.h"
#include "translate/training/stepper.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

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
            "train different models and let them vote, such as additive:3,backward:2,transformer:2: kinds "
            "of attention, transformer, forward or backward; additive-backward writes from the end; a number "
            "alone: that many with different seeds; auto: kinds and number by the pairs; --no-ensemble "
            "overrides --config",
            .usual = true),
        app_set_option(LB_SETTING_OF_PAIRS),
        APP_THREADS(&t->threads),
    };
    const app_option rest[] = {
        APP_CONFIG_OPTIONS(&t->config),
        APP_QUIET(&t->quiet),
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
    assert(end - to <= APP_TRAIN_MOST);
    return (int)(end - to);
}

lb_status app_train_check(app_train_options *t, lb_error *error)
{
    if (!t->settings.train && !t->config.print)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected FILE or --train FILE; see %s --help",
                            app_name("train"));
    if ((t->settings.steps > 0) + (t->settings.epochs > 0) + (t->settings.minutes > 0) > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--steps, --epochs and --minutes: expected only one of them");
    if (t->teaching.unlabelled && !t->teaching.teacher)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--unlabelled needs --teacher");
    if (t->teaching.made_up > 0 && !t->teaching.teacher)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--made-up needs --teacher");
    if (t->teaching.teacher && t->settings.group)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--teacher: expected no mpirun, found %d ranks",
                            t->settings.group->size);
    if (t->teaching.teacher && !t->settings.dev && !t->settings.no_hold_out && !t->config.print)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--teacher needs --dev or --no-hold-out: the teacher has seen the pairs that would be held out");
    if (t->teaching.teacher && t->settings.lexicon_from_train)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--lexicon-from-train and --teacher: expected only one of them: what a teacher "
                            "writes is no pair that is known to be right");
    if (t->settings.index_file && t->settings.index == LB_INDEX_NEVER)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--set index_file and --set index=never: expected only one of them");
    if (t->settings.no_hold_out && t->settings.dev)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--no-hold-out and --dev: expected only one of them");
    if (t->settings.no_hold_out && t->settings.patience > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--patience: --no-hold-out leaves no pairs to evaluate on");
    return lb_settings_fit_kind(&t->settings, &t->usual, true, error);
}

lb_status app_train_settle(app_train_options *t, lb_error *error)
{
    app_settings_leave_open(&t->settings, false);
    return lb_training_config_settle(&t->settings, error);
}

lb_status app_train_fit(app_train_options *t, lb_error *error)
{
    lb_training_config *c = &t->settings;
    if (c->from || !c->train || strcmp(c->train, "-") == 0 || access(c->train, R_OK) != 0) return LB_OK;
    return lb_training_fit(c, error);
}

const char *const app_train_of_the_run[] = {"isa",      "threads", "sweep", "sweep-count",
                                            "ensemble", "quiet",   NULL};

lb_status app_train_begin(app_train_options *t, lb_error *error)
{
    t->settings = (lb_training_config){.seed = 1, .out = "out"};
    lb_status status = lb_training_config_settle(&t->settings, error);
    t->settings.lr = 0;
    t->usual = t->settings;
    t->teaching.made_up = -1;
    return status;
}

char *app_train_usual(const char *kind)
{
    lb_error error = {0};
    app_train_options t = {0};
    static app_option options[APP_TRAIN_MOST];
    const app_program program = {.options = options, .option_count = app_train_list(&t, options)};
    if (app_train_begin(&t, &error)) return NULL;
    t.settings.model = kind;
    if (app_train_settle(&t, &error)) return NULL;
    t.settings.model = t.usual.model; /* the kind is an option, too */
    return app_config_record(&program, app_train_of_the_run);
}
