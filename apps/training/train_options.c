#include "training/train_options.h"

#include "apply/pair_input.h"
#include "console/console.h"
#include "several/ensemble.h"
#include "translate/training/member.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SEEDS = 64 }; /* models of one ensemble */

static const char *const index_uses[] = {
    [LB_INDEX_AUTO] = "auto", [LB_INDEX_ALWAYS] = "always", [LB_INDEX_NEVER] = "never", NULL};

int app_train_list(app_train_options *t, app_option *to)
{
    const app_option options[] = {
        APP_HEADING("Data"),
        APP_TEXT(0, "train", "FILE", &t->settings.train,
                 "file with a source and a target on each line; -: standard input", .usual = true),
        APP_TEXT(0, "dev", "FILE", &t->settings.dev,
                 "pairs for choosing the best model; default: a tenth of --train, held out", .usual = true),
        APP_FORMAT(&t->settings.format),
        APP_TARGETS("train-targets", "--train", &t->settings.train_targets),
        APP_TARGETS("dev-targets", "--dev", &t->settings.dev_targets),
        APP_FLAG(
            0, "hold-out", &t->choice.hold_out,
            "without --dev, hold pairs out; --no-hold-out trains on all pairs and keeps the last weights"),
        APP_INT(0, "source-column", "N", &t->settings.source_column, 0, 1 << 16,
                "column of the source; 0: the first of two"),
        APP_INT(0, "target-column", "N", &t->settings.target_column, 0, 1 << 16,
                "column of the target; 0: the second"),
        APP_INT(0, "features-column", "N", &t->settings.features_column, 0, 1 << 16,
                "column of the features of the source, such as V;PST;3;SG, each of which becomes a symbol; "
                "0: none"),
        APP_INT(0, "weight-column", "N", &t->settings.weight_column, 0, 1 << 16,
                "column of counts or weights: a pair with a weight of 3 is there three times; 0: none"),
        APP_TEXT(0, "features-separator", "TEXT", &t->settings.features_separator,
                 "separator between features; default: recognised, or a semicolon"),
        APP_TEXT(0, "source-separator", "TEXT", &t->settings.source_separator,
                 "separator between symbols of the source, such as ' '; default: each character is a symbol",
                 .usual = true),
        APP_TEXT(0, "target-separator", "TEXT", &t->settings.target_separator, "the same for the target",
                 .usual = true),
        APP_WORD(0, "symbols", "KIND", &t->settings.symbols, lb_symbol_kind_names, APP_SYMBOLS_HELP),
        APP_CHOICE(0, "normalize", "FORM", &t->choice.normalize, lb_normal_form_names,
                   "Unicode normal form inside the model; outputs are always composed"),
        APP_INT(0, "min-count", "N", &t->settings.min_count, 1, 1 << 30,
                "drop symbols that occur less often than this"),
        APP_FLAG(0, "skip-bad-lines", &t->settings.skip_bad_lines,
                 "skip and count bad lines instead of stopping at the first"),
        APP_FLAG(0, "any-target", &t->settings.any_target,
                 "in evaluations, count each source once, and its output as right if it equals any of its "
                 "targets"),
        APP_CHOICE(0, "index", "WHEN", &t->choice.index, index_uses,
                   "cache line offsets in FILE.index, so that the next run starts at once; always: next to "
                   "--train; auto: in the folder of --out, for 32 MiB or more"),
        APP_OUTPUT(0, "index-file", &t->settings.index_file, "cache line offsets in this file"),
        APP_TEXT(0, "teacher", "MODEL", &t->teaching.teacher,
                 "also learn the outputs of this model, such as an ensemble, for the sources of --train; "
                 "needs --dev or --no-hold-out"),
        APP_TEXT(0, "unlabelled", "FILE", &t->teaching.unlabelled,
                 "sources without targets; --teacher writes the targets"),
        APP_INT(0, "made-up", "N", &t->choice.made_up, 0, 1 << 30,
                "sources to make up for --teacher, from the beginnings and ends of the sources of --train; "
                "default: as many as --train has pairs"),
        APP_HEADING("Model"),
        APP_MODEL_OPTIONS(&t->settings, &t->model),
        APP_NUMBER(0, "dropout", "SHARE", &t->choice.dropout, 0, 0.99,
                   "share of activations dropped in training; default: the recipe's"),
        APP_FLAG(0, "tied", &t->settings.tied, "share one weight matrix between target embedding and output"),
        APP_FLAG(0, "feature-positions", &t->settings.feature_positions,
                 "with --features-column and a transformer: give features no position, since their order has "
                 "no meaning"),
        APP_HEADING("Training"),
        APP_LOSS(&t->model.loss),
        APP_INT(0, "batch", "N", &t->settings.batch, 0, 1 << 20, "pairs per step; 0: the recipe's"),
        APP_INT(0, "steps", "N", &t->settings.steps, 0, 1 << 30, "training steps; 0: the recipe's",
                .usual = true),
        APP_INT(0, "epochs", "N", &t->settings.epochs, 0, 1 << 20,
                "passes over the pairs, instead of --steps"),
        APP_NUMBER(0, "minutes", "N", &t->settings.minutes, 0, 1e6,
                   "instead of --steps: fit the training into N minutes; 0: as long as the recipe takes",
                   .usual = true),
        APP_NUMBER(0, "lr", "RATE", &t->settings.lr, 0, 1e30,
                   "peak learning rate, before the cosine decay; 0: 0.002, or 0.001 for a transformer"),
        APP_INT(0, "warm-up", "N", &t->choice.warm_up, 0, 1 << 30,
                "steps over which the learning rate rises to its peak"),
        APP_NUMBER(0, "label-smoothing", "SHARE", &t->choice.label_smoothing, 0, 0.99,
                   "share of the target probability spread over all symbols; default: the recipe's"),
        APP_NUMBER(0, "scheduled-sampling", "SHARE", &t->settings.scheduled_sampling, 0, 1,
                   "share of its own outputs that the decoder reads at the end of training; it rises from 0"),
        APP_NUMBER(0, "hallucinate", "SHARE", &t->settings.hallucinate, 0, 1,
                   "for few pairs: share of pairs in which half of the letters common to source and target, "
                   "in stretches of three or more, are replaced by random ones"),
        APP_NUMBER(0, "average", "DECAY", &t->choice.average, 0, 0.999999,
                   "evaluate and keep the average of the weights over about 1 / (1 - DECAY) steps; 0: the "
                   "weights of the last step"),
        APP_INT(0, "evaluate-every", "N", &t->settings.evaluate_every, 1, 1 << 30,
                "steps between evaluations"),
        APP_INT(0, "patience", "N", &t->choice.patience, 0, 1 << 30,
                "stop after N evaluations without a better model; 0: never; default: as many as fit in 1250 "
                "steps, or in three tenths of all steps"),
        APP_SEED(0, "seed", "N", &t->settings.seed, "seed of the initial weights and of all random choices"),
        APP_INT(0, "seeds", "N", &t->settings.seeds, 1, MOST_SEEDS,
                "train this many models, with --seed and the numbers after it, and save them as one "
                "ensemble"),
        APP_ENSEMBLE(&t->ensemble),
        APP_SHARDS(&t->settings.shards),
        APP_THREADS(&t->choice.threads),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &t->settings.out, "folder for the model, checkpoint, log and chart",
                 .usual = true),
        APP_INT(0, "keep", "N", &t->settings.keep, 0, 1 << 20,
                "also keep the models of the last N evaluations, as model-STEP.safetensors"),
        APP_INT(0, "film", "N", &t->choice.film, 0, 1000,
                "dev pairs whose outputs and attention are added to film.jsonl at each evaluation, for "
                "lookback report"),
        APP_FLAG(0, "fresh", &t->settings.fresh, "start over instead of resuming an earlier run"),
        APP_CONFIG_OPTIONS(&t->config),
        APP_QUIET(&t->quiet),
        APP_HEADING("Sweep"),
        APP_SWEEP_OPTIONS(&t->sweep),
    };
    _Static_assert(sizeof options <= APP_TRAIN_MOST * sizeof *options, "room");
    memcpy(to, options, sizeof options);
    return sizeof options / sizeof *options;
}

/* In the library, zero means the default, and a negative number none. */
static double or_none(double value)
{
    return value == 0 ? -1 : value;
}

/* The same for a choice that is below 0 if it was not made. */
static double or_recipe(double value)
{
    return value < 0 ? 0 : or_none(value);
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
    if (t->choice.made_up > 0 && !t->teaching.teacher)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--made-up needs --teacher");
    if (t->teaching.teacher && t->settings.group)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--teacher: expected no mpirun, found %d ranks",
                            t->settings.group->size);
    if (t->teaching.teacher && !t->settings.dev && t->choice.hold_out && !t->config.print)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--teacher needs --dev or --no-hold-out: the teacher has seen the pairs that would be held out");
    if (t->settings.index_file && t->choice.index == LB_INDEX_NEVER)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--index-file and --index never: expected only one of them");
    if (!t->choice.hold_out && t->settings.dev)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--no-hold-out and --dev: expected only one of them");
    if (!t->choice.hold_out && t->choice.patience > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--patience: --no-hold-out leaves no pairs to evaluate on");
    return app_choose_model(&t->model, &t->usual, &t->settings, error);
}

lb_status app_train_settle(app_train_options *t, lb_error *error)
{
    bool open = t->settings.from && !app_option_was_set(&t->choice.normalize);
    if (t->settings.from && !app_option_was_set(&t->settings.symbols)) t->settings.symbols = NULL;
    t->settings.normalize = open ? NULL : lb_normal_form_names[t->choice.normalize];
    app_leave_model_open(&t->model, &t->settings);
    t->settings.no_hold_out = !t->choice.hold_out;
    t->settings.index = (lb_index_use)t->choice.index;
    t->settings.warm_up = (int)or_none(t->choice.warm_up);
    t->settings.patience = (int)or_recipe(t->choice.patience);
    t->settings.film = (int)or_none(t->choice.film);
    t->settings.dropout = or_recipe(t->choice.dropout);
    t->settings.average = or_none(t->choice.average);
    t->settings.label_smoothing = or_recipe(t->choice.label_smoothing);
    return lb_training_config_settle(&t->settings, error);
}

lb_status app_train_fit(app_train_options *t, lb_error *error)
{
    lb_training_config *c = &t->settings;
    if (c->from || !c->train || strcmp(c->train, "-") == 0 || access(c->train, R_OK) != 0) return LB_OK;
    lb_status status = lb_training_fit(c, error);
    t->model.embed = c->embed;
    t->choice.dropout = fmax(c->dropout, 0);
    t->choice.label_smoothing = fmax(c->label_smoothing, 0);
    return status;
}

const char *const app_train_of_the_run[] = {
    "skip-bad-lines", "index", "index-file", "isa",         "threads",  "out",   "keep",
    "film",           "fresh", "sweep",      "sweep-count", "ensemble", "quiet", NULL};

lb_status app_train_begin(app_train_options *t, lb_error *error)
{
    t->settings = (lb_training_config){.seed = 1, .out = "out"};
    lb_status status = lb_training_config_settle(&t->settings, error);
    t->settings.layers = 0;
    t->settings.lr = 0;
    t->model = t->usual = (app_model_choice){.embed = t->settings.embed, .bidirectional = true};
    t->choice.normalize = LB_NORMAL_FORM_NFD;
    t->choice.dropout = -1;
    t->choice.average = t->settings.average;
    t->choice.warm_up = t->settings.warm_up;
    t->choice.film = t->settings.film;
    t->choice.hold_out = true;
    t->choice.patience = -1;
    t->choice.made_up = -1;
    t->choice.label_smoothing = -1;
    return status;
}

char *app_train_usual(const char *kind)
{
    lb_error error = {0};
    app_train_options t = {0};
    static app_option options[APP_TRAIN_MOST];
    const app_program program = {.options = options, .option_count = app_train_list(&t, options)};
    if (app_train_begin(&t, &error)) return NULL;
    int *model = &t.model.model;
    while (app_models[*model] && strcmp(app_models[*model], kind) != 0) ++*model;
    if (!app_models[*model] || app_choose_model(&t.model, &t.usual, &t.settings, &error) ||
        app_train_settle(&t, &error))
        return NULL;
    *model = t.usual.model; /* the kind is an option, too */
    return app_config_record(&program, app_train_of_the_run);
}
