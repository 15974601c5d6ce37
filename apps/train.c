/* Trains a sequence-to-sequence model, or several that decode together, on pairs of texts from a TSV file. */
#include "common/config.h"
#include "common/ensemble.h"
#include "common/interrupt.h"
#include "common/model_choice.h"
#include "common/option.h"
#include "common/options.h"
#include "common/ranks.h"
#include "common/report.h"
#include "common/sweep.h"
#include "common/taught.h"
#include "common/training_view.h"
#include "data/symbols.h"
#include "io/folder.h"
#include "io/lock.h"
#include "programs.h"
#include "translate/training.h"

#include <lookback/lookback.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_SEEDS = 64, /* models of one ensemble */
    MOST_OPTIONS = 96
};

static const char *const forms[] = {
    [LB_NORMALIZE_NONE] = "none", [LB_NORMALIZE_NFC] = "nfc", [LB_NORMALIZE_NFD] = "nfd", NULL};

static const char *const index_uses[] = {
    [LB_INDEX_AUTO] = "auto", [LB_INDEX_ALWAYS] = "always", [LB_INDEX_NEVER] = "never", NULL};

/* The settings of the command line and of a file: the configuration of the library, and choices for fields of another
 * form. */
typedef struct asked {
    lb_training_config settings;
    app_model_choice model, usual;
    struct {
        int normalize, index, warm_up, patience, film, threads, made_up;
        bool hold_out;
        double average;
        double dropout, label_smoothing; /* below 0: from the recipe, by the model and the number of pairs */
    } choice;
    app_config config;
    app_sweep sweep;
    const char *ensemble;
    app_teaching teaching;
    char pairs[APP_PATH], seal[APP_PATH]; /* of the teacher */
} asked;

/* Fills the table for these settings. Returns how many there are. */
static int list_options(asked *t, app_option *to)
{
    const app_option options[] = {
        APP_HEADING("Data"),
        APP_TEXT(0, "train", "FILE", &t->settings.train, "TSV file with a source and a target on each line"),
        APP_TEXT(0, "dev", "FILE", &t->settings.dev,
                 "pairs to choose the best model by; without it, a tenth of --train is held out"),
        APP_FLAG(
            0, "hold-out", &t->choice.hold_out,
            "without --dev, hold pairs out; --no-hold-out trains on all pairs and keeps the last weights"),
        APP_INT(0, "source-column", "N", &t->settings.source_column, 0, 1 << 16,
                "column of the source; 0: the first, and lines have two columns"),
        APP_INT(0, "target-column", "N", &t->settings.target_column, 0, 1 << 16,
                "column of the target; 0: the second"),
        APP_INT(0, "features-column", "N", &t->settings.features_column, 0, 1 << 16,
                "column of the features of the source, such as V;PST;3;SG: each becomes a symbol; 0: no "
                "features"),
        APP_TEXT(0, "features-separator", "TEXT", &t->settings.features_separator,
                 "separator between features; without it, a semicolon"),
        APP_TEXT(0, "source-separator", "TEXT", &t->settings.source_separator,
                 "separator between symbols, such as ' '; without it, each character is a symbol"),
        APP_TEXT(0, "target-separator", "TEXT", &t->settings.target_separator, "the same for the target"),
        APP_CHOICE(0, "normalize", "FORM", &t->choice.normalize, forms,
                   "Unicode form of texts inside the model; output is always composed"),
        APP_INT(0, "min-count", "N", &t->settings.min_count, 1, 1 << 30,
                "drop symbols that occur less often than this"),
        APP_FLAG(0, "skip-bad-lines", &t->settings.skip_bad_lines,
                 "count bad lines instead of stopping at the first"),
        APP_CHOICE(
            0, "index", "WHEN", &t->choice.index, index_uses,
            "keep the places of the pairs of --train in a file, with which the next training begins at "
            "once; auto: in the folder of --out, for 32 MiB or more; always: beside them, as FILE.index"),
        APP_OUTPUT(0, "index-file", &t->settings.index_file, "keep them in this file"),
        APP_TEXT(0, "teacher", "MODEL", &t->teaching.teacher,
                 "also learn what this model writes for the sources of --train, such as a vote; needs --dev "
                 "or --no-hold-out"),
        APP_TEXT(0, "unlabelled", "FILE", &t->teaching.unlabelled,
                 "sources without targets, for which --teacher writes targets, too"),
        APP_INT(
            0, "made-up", "N", &t->choice.made_up, 0, 1 << 30,
            "sources to make up for --teacher, from beginnings and ends of those of --train; without it, as "
            "many as --train has pairs"),
        APP_HEADING("Model"),
        APP_START_OPTIONS(&t->settings),
        APP_CHOICE(0, "model", "KIND", &t->model.model, app_models, "GRUs with attention, or a transformer"),
        APP_INT(0, "embed", "N", &t->model.embed, 1, 1 << 16,
                "width of the embeddings; for a transformer, set --hidden instead"),
        APP_INT(0, "hidden", "N", &t->settings.hidden, 1, 1 << 16,
                "width of the GRU states, or of the transformer"),
        APP_INT(0, "layers", "N", &t->settings.layers, 0, 64,
                "layers of the encoder and of the decoder; 0: 1, or 2 for a transformer"),
        APP_CELL(&t->model),
        APP_FLAG(0, "bidirectional", &t->model.bidirectional, "let the encoder read in both directions"),
        APP_ATTENTION(&t->model.attention, "how the decoder attends"),
        APP_ATTENTION_WEIGHTS(&t->model.attention_weights),
        APP_COPY(&t->model),
        APP_DIRECTION(&t->model.direction),
        APP_INT(0, "heads", "N", &t->settings.heads, 1, 1024,
                "heads of multi-head attention and of a transformer"),
        APP_TRANSFORMER_OPTIONS(&t->model),
        APP_NUMBER(0, "dropout", "SHARE", &t->choice.dropout, 0, 0.99,
                   "share of activations that training drops; without it, 0.5, or 0.1 for a transformer"),
        APP_FLAG(0, "tied", &t->settings.tied, "share one weight between target embedding and output"),
        APP_FLAG(
            0, "feature-positions", &t->settings.feature_positions,
            "with --features-column and a transformer: features have no position, since their order means "
            "nothing"),
        APP_HEADING("Training"),
        APP_LOSS(&t->model.loss),
        APP_INT(0, "batch", "N", &t->settings.batch, 0, 1 << 20,
                "pairs per step; 0: 64, or 16 for fewer than 2000 pairs"),
        APP_INT(0, "steps", "N", &t->settings.steps, 0, 1 << 30, "steps; 0 for 35 epochs, but at least 4000"),
        APP_INT(0, "epochs", "N", &t->settings.epochs, 0, 1 << 20,
                "number of passes over the pairs; use instead of --steps"),
        APP_NUMBER(0, "lr", "RATE", &t->settings.lr, 0, 1e30,
                   "peak learning rate, before the cosine decay; 0: 0.002, or 0.001 for a transformer"),
        APP_INT(0, "warm-up", "N", &t->choice.warm_up, 0, 1 << 30,
                "steps over which the learning rate rises to its peak"),
        APP_NUMBER(
            0, "label-smoothing", "SHARE", &t->choice.label_smoothing, 0, 0.99,
            "share of the target probability that is spread over all symbols; without it, 0.1 for fewer "
            "than 2000 pairs, otherwise 0"),
        APP_NUMBER(0, "scheduled-sampling", "SHARE", &t->settings.scheduled_sampling, 0, 1,
                   "share of its own outputs that the decoder reads at the end of training; it rises from 0"),
        APP_NUMBER(0, "hallucinate", "SHARE", &t->settings.hallucinate, 0, 1,
                   "for few pairs: share of the pairs of a step in which half of the letters that source and "
                   "target have "
                   "in common, in stretches of three or more, become random ones"),
        APP_NUMBER(0, "average", "DECAY", &t->choice.average, 0, 0.999999,
                   "evaluate and keep not the weights of the last step, but their average over about 1 / (1 "
                   "- DECAY) "
                   "steps; 0: no average"),
        APP_INT(0, "evaluate-every", "N", &t->settings.evaluate_every, 1, 1 << 30,
                "steps between two evaluations"),
        APP_INT(0, "patience", "N", &t->choice.patience, 0, 1 << 30,
                "stop after N evaluations without a better model; 0: never; without it, as many as in 1250 "
                "steps"),
        APP_SEED(0, "seed", "N", &t->settings.seed, "seed of the first weights and of all random choices"),
        APP_INT(
            0, "seeds", "N", &t->settings.seeds, 1, MOST_SEEDS,
            "train this many models, with --seed and the numbers after it, and save them as one ensemble; "
            "the ranks "
            "of mpirun share them out"),
        APP_ENSEMBLE(&t->ensemble),
        APP_SHARDS(&t->settings.shards),
        APP_THREADS(&t->choice.threads),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &t->settings.out, "folder for the model, checkpoint, log and chart"),
        APP_INT(0, "keep", "N", &t->settings.keep, 0, 1 << 20,
                "also keep the models of the last N evaluations, as model-STEP.safetensors"),
        APP_INT(0, "film", "N", &t->choice.film, 0, 1000,
                "pairs of dev whose outputs and attention each evaluation adds to film.jsonl, for lookback "
                "report"),
        APP_FLAG(0, "fresh", &t->settings.fresh, "start again instead of resuming an earlier run"),
        APP_CONFIG_OPTIONS(&t->config),
        APP_HEADING("Sweep"),
        APP_SWEEP_OPTIONS(&t->sweep),
    };
    _Static_assert(sizeof options <= MOST_OPTIONS * sizeof *options, "room");
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

/* Checks beyond the table of options. */
static lb_status check(asked *t, lb_error *error)
{
    if (!t->settings.train && !t->config.print)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected --train FILE; see %s --help",
                            app_name("train"));
    if (t->settings.steps > 0 && t->settings.epochs > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--steps and --epochs: expected only one of them");
    if (t->teaching.unlabelled && !t->teaching.teacher)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--unlabelled needs a --teacher");
    if (t->choice.made_up > 0 && !t->teaching.teacher)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--made-up needs a --teacher");
    if (t->teaching.teacher && t->settings.group)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--teacher: expected no mpirun, found %d ranks",
                            t->settings.group->size);
    if (t->teaching.teacher && !t->settings.dev && t->choice.hold_out && !t->config.print)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--teacher needs --dev or --no-hold-out: held-out pairs would be the teacher's, too");
    if (t->settings.index_file && t->choice.index == LB_INDEX_NEVER)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--index-file and --index never: expected only one of them");
    if (!t->choice.hold_out && t->settings.dev)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--no-hold-out and --dev: expected only one of them");
    if (!t->choice.hold_out && t->choice.patience > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--patience: --no-hold-out leaves no pairs to judge by");
    return app_choose_model(&t->model, &t->usual, &t->settings, error);
}

/* Replaces the pairs to train on by those of the teacher, in a folder that stays locked. */
static lb_status learn_from_teacher(asked *t, lb_lock **lock, lb_error *error)
{
    lb_normalization form = LB_NORMALIZE_NFD;
    if (!t->teaching.teacher) return LB_OK;
    lb_normalization_find(t->settings.normalize ? t->settings.normalize : forms[LB_NORMALIZE_NFD], &form);
    bool features = t->settings.features_column > 0;
    const char *between = t->settings.features_separator ? t->settings.features_separator : ";";
    t->teaching.train = t->settings.train;
    t->teaching.made_up = t->choice.made_up;
    t->teaching.seed = t->settings.seed;
    t->teaching.format =
        (lb_pair_format){.source_column = t->settings.source_column,
                         .target_column = t->settings.target_column,
                         .features_column = t->settings.features_column,
                         .source = {.separator = t->settings.source_separator,
                                    .normalize = form,
                                    .features = features ? between : NULL},
                         .target = {.separator = t->settings.target_separator, .normalize = form},
                         .skip_bad_lines = t->settings.skip_bad_lines};
    app_catch_interrupts();
    lb_status status = lb_folder_make(t->settings.out, error);
    t->teaching.pairs = app_path(t->settings.out, "taught.tsv", t->pairs);
    t->teaching.seal = app_path(t->settings.out, "taught.seal", t->seal);
    if (!status) status = lb_lock_folder(t->settings.out, lock, error);
    if (!status) status = app_taught_write(&t->teaching, error);
    t->settings.train = t->pairs;
    return status;
}

/* Converts the choices to the configuration of the library. */
static lb_status settle(asked *t, lb_error *error)
{
    bool open = t->settings.from && !app_option_was_set(&t->choice.normalize);
    t->settings.normalize = open ? NULL : forms[t->choice.normalize];
    app_leave_model_open(&t->model, &t->settings, &t->settings.hidden, &t->settings.heads);
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

static int train(asked *t)
{
    lb_error error = {0};
    lb_training_result result = {0};
    app_training_view view = {
        .chart = "training.png",
        .measure = {.loss = "dev loss",
                    .name = "dev error",
                    .label = "Share of wrong answers",
                    .error = true},
    };
    if (!t->choice.hold_out) {
        view.measure.loss = "loss at evaluation";
        view.measure.name = "error on training pairs";
    }
    lb_lock *lock = NULL;
    lb_status status = learn_from_teacher(t, &lock, &error);
    view.locked = lock;
    if (!status) status = app_train_in_view(&view, t->settings, &result, &error);
    lb_lock_free(lock);
    if (status) return app_fail(&error);
    if (!t->settings.group || t->settings.group->rank == 0)
        printf("exact match %.4f on %lld pairs %s%s%s\n", result.dev.exact_match, (long long)result.pairs,
               t->settings.dev || !t->choice.hold_out ? "of " : "held out of ",
               t->settings.dev ? t->settings.dev : t->settings.train,
               t->choice.hold_out ? "" : ", on which it was trained");
    return app_close_stdout(app_training_status(&view));
}

static int print_config(const char *json)
{
    fputs(json, stdout);
    return app_close_stdout(0);
}

/* These do not change the model. */
static const char *const of_the_run[] = {"skip-bad-lines", "index", "index-file", "threads", "out",
                                         "keep",           "film",  "fresh",      "sweep",   "sweep-count",
                                         "ensemble",       NULL};

static int check_and_run(asked *t, const app_program *program)
{
    lb_error error = {0};
    app_ranks_set_threads(t->choice.threads);
    if (check(t, &error) || settle(t, &error)) return app_fail(&error);
    char *json = t->config.print ? app_config_json(program) : app_config_record(program, of_the_run);
    if (!json) lb_error_set(&error, LB_ERROR_MEMORY, "out of memory");
    t->settings.options = json;
    int status = error.status ? app_fail(&error) : t->config.print ? print_config(json) : train(t);
    lb_release(json);
    return status;
}

/* Starts from the recipe; settings that depend on the model stay open until it is known. */
static lb_status begin_with_recipe(asked *t, lb_error *error)
{
    t->settings = (lb_training_config){.seed = 1, .out = "out"};
    lb_status status = lb_training_config_settle(&t->settings, error);
    t->settings.layers = 0;
    t->settings.lr = 0;
    t->model = t->usual = (app_model_choice){.embed = t->settings.embed, .bidirectional = true};
    t->choice.normalize = LB_NORMALIZE_NFD;
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

char *train_usual_options(const char *kind)
{
    lb_error error = {0};
    asked t = {0};
    app_option options[MOST_OPTIONS];
    const app_program program = {.options = options, .option_count = list_options(&t, options)};
    if (begin_with_recipe(&t, &error)) return NULL;
    int *model = &t.model.model;
    while (app_models[*model] && strcmp(app_models[*model], kind) != 0) ++*model;
    if (!app_models[*model] || app_choose_model(&t.model, &t.usual, &t.settings, &error) ||
        settle(&t, &error))
        return NULL;
    *model = t.usual.model; /* the kind is an option, too */
    return app_config_record(&program, of_the_run);
}

static const app_example examples[] = {
    {"Train a small model on pairs.tsv, in seconds.",
     "lookback train --train pairs.tsv --hidden 64 --steps 300 --out out/small"},
    {"Train two transformers that decode together; test them on dev.tsv.",
     "lookback train --train pairs.tsv --dev dev.tsv --model transformer \\\n"
     "      --hidden 32 --steps 50 --seeds 2 --out out/ensemble"},
    {"Train a model that copies what it does not know, such as names.",
     "lookback train --train pairs.tsv --copy --hidden 64 --steps 300 --out out/copy"},
    {"Write all settings to a file, to edit them and to use it with --config.",
     "lookback train --train pairs.tsv --attention luong --print-config > settings.json"},
};

/* Several trainings, each a process of its own. */
static bool is_given(const asked *t, const char *text)
{
    return text && !t->config.print;
}

/* Of the command line, and of each training with the options of its combination. */
static lb_status check_sweep(const asked *t, lb_error *error)
{
    return t->choice.hold_out ? LB_OK
                              : lb_error_set(error, LB_ERROR_ARGUMENT,
                                             "--sweep: --no-hold-out leaves no pairs to compare by");
}

static lb_status check_several(const asked *t, lb_error *error)
{
    bool several = is_given(t, t->sweep.file) && is_given(t, t->ensemble);
    if (several)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--sweep and --ensemble: expected only one of them");
    if (t->settings.seeds > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--%s and --seeds: expected only one of them; %s trains several",
                            is_given(t, t->ensemble) ? "ensemble" : "sweep",
                            is_given(t, t->ensemble) ? "additive:3" : "{\"seed\": [1, 2, 3]} in the file");
    if (is_given(t, t->sweep.file)) return check_sweep(t, error);
    if (t->settings.from)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--ensemble and --from: expected only one of them");
    return LB_OK;
}

static lb_status check_file(const char *path, lb_error *error)
{
    if (!path || access(path, R_OK) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
}

/* Whether one of several can be trained, before the first begins. */
static lb_status check_one(const app_program *program, int argc, char **argv, bool of_sweep, lb_error *error)
{
    asked t = {0};
    app_option options[MOST_OPTIONS];
    app_program one = *program;
    one.options = options;
    one.option_count = list_options(&t, options);
    app_options_forget();
    lb_status status = begin_with_recipe(&t, error);
    if (!status) status = app_config_parse(&one, &t.config, argc, argv, error);
    if (!status && of_sweep) status = check_sweep(&t, error);
    if (!status) status = check(&t, error);
    if (!status) status = settle(&t, error);
    if (!status) status = check_file(t.settings.train, error);
    if (!status) status = check_file(t.settings.dev, error);
    if (!status) status = check_file(t.teaching.unlabelled, error);
    if (!status) status = check_file(t.teaching.teacher, error);
    if (!status) status = lb_training_try(&t.settings, error);
    app_config_free(&t.config);
    return status;
}

static lb_status check_of_sweep(const app_program *program, int argc, char **argv, lb_error *error)
{
    return check_one(program, argc, argv, true, error);
}

static lb_status check_of_ensemble(const app_program *program, int argc, char **argv, lb_error *error)
{
    return check_one(program, argc, argv, false, error);
}

static int run_several(asked *t, app_repeated repeated)
{
    static char embed[32];
    static const char *const of_seq2seq[] = {embed, "bidirectional", "attention=additive", NULL};
    static const char *const of_transformer[] = {"positions=sinusoidal", "kv-heads=0", "softcap=0",
                                                 "window=0", NULL};
    lb_error error = {0};
    lb_training_config data = t->settings;
    data.no_hold_out = !t->choice.hold_out;
    data.group = NULL; /* the first rank joins them alone */
    repeated.out = t->settings.out;
    repeated.seed = t->settings.seed;
    repeated.threads = t->choice.threads;
    repeated.fresh = t->settings.fresh;
    repeated.group = t->settings.group;
    repeated.check = is_given(t, t->sweep.file) ? check_of_sweep : check_of_ensemble;
    if (check_several(t, &error)) return app_fail(&error);
    snprintf(embed, sizeof embed, "embed=%d", t->usual.embed);
    return is_given(t, t->ensemble)
               ? app_ensemble_run(
                     t->ensemble, &repeated, data,
                     (app_usual_options){of_seq2seq, of_transformer, (lb_attention_kind)t->model.attention})
               : app_sweep_run(&t->sweep, &repeated);
}

int train_main(int argc, char **argv)
{
    lb_error error = {0};
    asked t = {0};
    app_option options[MOST_OPTIONS];
    if (begin_with_recipe(&t, &error)) return app_fail(&error);
    const app_program program = {
        .name = "train",
        .purpose = "Trains a model with attention on pairs of texts. Run again, the same command resumes "
                   "where it stopped.",
        .options = options,
        .option_count = list_options(&t, options),
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
        .group = &t.settings.group,
        .alone = &t.config.print,
    };
    const app_repeated repeated = {.program = &program, .argc = argc, .argv = argv};
    int status = app_config_options(&program, &t.config, &argc, &argv);
    if (status == APP_RUN) {
        bool several = is_given(&t, t.sweep.file) || is_given(&t, t.ensemble);
        status = several ? run_several(&t, repeated) : check_and_run(&t, &program);
    }
    app_config_free(&t.config);
    return status;
}
