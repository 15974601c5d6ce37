/* Trains a sequence-to-sequence model, or several that decode together, on pairs of texts from a TSV file. */
#include "common/config.h"
#include "common/options.h"
#include "common/pair_training.h"
#include "common/report.h"
#include "programs.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "models/ensemble.h"
#include "tensor/gemm.h"
#include "train/pair_evaluate.h"
#include "train/translator.h"
#include <lookback/lookback.h>

#include <stdio.h>
#include <string.h>

/* Models of one ensemble, at most. */
enum { MOST_SEEDS = 64, NAME = 32 };

/* What the command line and a file set. */
static app_pair_settings settings;
static app_config config;

static const app_option options[] = {
    APP_HEADING("Data"),
    APP_TEXT(0, "train", "FILE", &settings.train, "TSV file with a source and a target in each line"),
    APP_TEXT(0, "dev", "FILE", &settings.dev,
             "pairs to choose the best model by; without it, a tenth of --train is held out"),
    APP_INT(0, "source-column", "N", &settings.source_column, 0, 1 << 16,
            "where the source stands; 0: the first, and there are no other columns"),
    APP_INT(0, "target-column", "N", &settings.target_column, 0, 1 << 16,
            "where the target stands; 0: the second"),
    APP_TEXT(0, "source-separator", "TEXT", &settings.source_separator,
             "stands between symbols, such as ' '; without it each character is a symbol"),
    APP_TEXT(0, "target-separator", "TEXT", &settings.target_separator, "the same for the target"),
    APP_CHOICE(0, "normalize", "FORM", &settings.normalize, app_normalizations,
               "how accents are written inside; output is composed again"),
    APP_INT(0, "min-count", "N", &settings.min_count, 1, 1 << 30, "drop symbols that are less frequent"),
    APP_FLAG(0, "skip-bad-lines", &settings.skip_bad_lines,
             "count bad lines instead of stopping at the first"),
    APP_HEADING("Model"),
    APP_CHOICE(0, "model", "KIND", &settings.model, app_pair_models, "GRUs with attention, or a transformer"),
    APP_INT(0, "embed", "N", &settings.embed, 1, 1 << 16,
            "width of an embedding; a transformer's is --hidden"),
    APP_INT(0, "hidden", "N", &settings.hidden, 1, 1 << 16,
            "width of the GRUs' state, or of the transformer"),
    APP_INT(0, "layers", "N", &settings.layers, 0, 64,
            "layers of encoder and decoder, 0 for 1, or 2 of a transformer"),
    APP_FLAG(0, "bidirectional", &settings.bidirectional, "let the encoder read in both directions"),
    APP_CHOICE(0, "attention", "KIND", &settings.attention, lb_attention_names, "how the decoder attends"),
    APP_INT(0, "heads", "N", &settings.heads, 1, 1024, "heads of multi-head attention and of a transformer"),
    APP_NUMBER(0, "dropout", "SHARE", &settings.dropout, 0, 0.99,
               "share of numbers that training leaves out"),
    APP_FLAG(0, "tied", &settings.tied, "one weight for target embedding and output"),
    APP_HEADING("Training"),
    APP_INT(0, "batch", "N", &settings.batch, 0, 1 << 20,
            "pairs in a step; 0 for 64, or 16 if there are less than 2000"),
    APP_INT(0, "steps", "N", &settings.steps, 0, 1 << 30, "steps; 0 for 35 epochs, but at least 4000"),
    APP_INT(0, "epochs", "N", &settings.epochs, 0, 1 << 20,
            "instead of --steps: times that each pair is seen"),
    APP_NUMBER(0, "lr", "RATE", &settings.lr, 0, 1e30,
               "highest learning rate; it falls along a cosine; 0 for 0.002, or 0.001 for a transformer"),
    APP_INT(0, "warm-up", "N", &settings.warm_up, 0, 1 << 30, "steps in which the learning rate climbs"),
    APP_NUMBER(
        0, "label-smoothing", "SHARE", &settings.label_smoothing, 0, 0.99,
        "share of the target that is spread over all symbols; unless given, 0.1 if there are less than 2000 "
        "pairs, else 0"),
    APP_NUMBER(0, "scheduled-sampling", "SHARE", &settings.scheduled_sampling, 0, 1,
               "share of tokens that the decoder reads of its own at the end; it rises from 0"),
    APP_INT(0, "evaluate-every", "N", &settings.evaluate_every, 1, 1 << 30, "steps between two evaluations"),
    APP_INT(0, "patience", "N", &settings.patience, 0, 1 << 30,
            "stop after so many evaluations that are no better than the best; 0: never"),
    APP_SEED(0, "seed", "N", &settings.seed, "decides the first weights and all that is drawn"),
    APP_INT(0, "seeds", "N", &settings.seeds, 1, MOST_SEEDS,
            "train so many models, with --seed and those that follow, and save them as one ensemble"),
    APP_INT(0, "threads", "N", &settings.threads, 0, 1024,
            "threads, 0 for one a processor; results do not depend on it"),
    APP_HEADING("Files"),
    APP_TEXT('o', "out", "DIR", &settings.out, "where model, checkpoint, log and chart are written"),
    APP_FLAG(0, "fresh", &settings.fresh, "start anew where an earlier run could go on"),
    APP_CONFIG_OPTIONS(&config),
};

/* One model of the run, with what it points to. */
typedef struct member {
    app_pair_training training;
    char folder[APP_PATH], name[NAME];
} member;

/* All that a run works with. */
typedef struct run {
    app_pair_data data;
    char *json; /* all options */
    member *members;
    int count; /* of those that have been begun */
} run;

/* One model writes into the folder itself, several into folders of their own. */
static lb_status begin_member(run *r, member *m, int number, lb_error *error)
{
    const app_pair_settings *s = &settings;
    unsigned long long seed = s->seed + (uint64_t)number;
    snprintf(m->folder, sizeof m->folder, "%s", s->out);
    if (s->seeds > 1) {
        snprintf(m->name, sizeof m->name, "seed %llu", seed);
        snprintf(m->folder, sizeof m->folder, "%s/seed-%llu", s->out, seed);
    }
    lb_status status = app_make_folder(m->folder, error);
    m->training = (app_pair_training){.settings = s,
                                      .data = &r->data,
                                      .seed = seed,
                                      .folder = m->folder,
                                      .options = r->json,
                                      .name = s->seeds > 1 ? m->name : NULL};
    return status ? status : app_pair_training_init(&m->training, error);
}

static lb_status train_member(run *r, member *m, int number, lb_error *error)
{
    r->count++;
    lb_status status = begin_member(r, m, number, error);
    if (status) return status;
    if (number == 0)
        app_note("%lld parameters, %s, %d thread%s", (long long)lb_params_learned(m->training.params),
                 lb_kernel_name(), lb_threads(), lb_threads() == 1 ? "" : "s");
    status = app_pair_training_run(&m->training, error);
    if (!status && settings.seeds > 1)
        app_note("%s: exact match %.4f", m->name, lb_train_best(&m->training.history)->measure);
    return status;
}

static lb_status measure(run *r, const lb_model *model, double *exact_match, lb_error *error)
{
    app_pair_data *d = &r->data;
    lb_tape *tape = lb_tape_new();
    if (!tape) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_status status = lb_pair_evaluate(model, d->dev, d->source, d->target, &d->sample, tape, exact_match);
    if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

/* The records of all members in one. */
static char *ensemble_record(const run *r, double exact_match)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"exact_match\":%.9g,\"members\":[", exact_match);
    for (int i = 0; i < r->count; i++) {
        char *record = app_pair_training_record(&r->members[i].training);
        json.failed = json.failed || !record;
        if (record) lb_buffer_print(&json, "%s%s", i ? "," : "", record);
        lb_release(record);
    }
    lb_buffer_print(&json, "]}");
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_status save_ensemble(run *r, lb_ensemble *ensemble, lb_params *params, double *exact_match,
                               lb_error *error)
{
    char path[APP_PATH];
    lb_status status = measure(r, &ensemble->base, exact_match, error);
    if (status) return status;
    char *record = ensemble_record(r, *exact_match);
    if (!record) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory while saving");
    lb_translator translator = app_pair_data_translator(&r->data, &ensemble->base, params);
    translator.training = record;
    status = lb_translator_save(app_path(settings.out, "model.safetensors", path), &translator, error);
    lb_release(record);
    return status;
}

static lb_status join_members(run *r, double *exact_match, lb_error *error)
{
    const lb_model *models[MOST_SEEDS];
    const lb_params *stores[MOST_SEEDS];
    for (int i = 0; i < r->count; i++) {
        models[i] = r->members[i].training.model;
        stores[i] = r->members[i].training.params;
    }
    lb_params *params = lb_params_new(0);
    if (!params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_ensemble *ensemble = lb_ensemble_gather(params, models, stores, r->count, NULL, error);
    lb_status status = ensemble ? save_ensemble(r, ensemble, params, exact_match, error) : error->status;
    lb_params_free(params);
    return status;
}

static lb_status train(run *r, double *exact_match, lb_error *error)
{
    lb_status status = app_pair_data_open(&r->data, &settings, error);
    if (!status) status = app_make_folder(settings.out, error);
    if (status) return status;
    r->members = lb_alloc_zero((size_t)settings.seeds * sizeof *r->members);
    if (!r->members) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < settings.seeds && !status; i++) status = train_member(r, &r->members[i], i, error);
    if (status) return status;
    if (settings.seeds > 1) return join_members(r, exact_match, error);
    *exact_match = lb_train_best(&r->members->training.history)->measure;
    return LB_OK;
}

static int train_and_save(run *r)
{
    lb_error error = {0};
    double exact_match = 0;
    lb_status status = train(r, &exact_match, &error);
    if (!status)
        printf("exact match %.4f on %lld pairs %s%s\n", exact_match, (long long)r->data.sample.count,
               settings.dev ? "of " : "", lb_pairs_path(r->data.dev));
    for (int i = 0; i < r->count; i++) app_pair_training_free(&r->members[i].training);
    lb_release(r->members);
    app_pair_data_close(&r->data);
    return status ? app_fail(&error) : app_close_stdout(0);
}

static int print_config(const char *json)
{
    fputs(json, stdout);
    return app_close_stdout(0);
}

static int check_and_run(const app_program *program)
{
    lb_error error = {0};
    lb_set_threads(settings.threads);
    if (app_pair_settings_check(&settings, &error)) return app_fail(&error);
    run r = {.json = app_config_json(program, &config)};
    if (!r.json) lb_error_set(&error, LB_ERROR_MEMORY, "out of memory");
    int status = error.status ? app_fail(&error) : config.print ? print_config(r.json) : train_and_save(&r);
    lb_release(r.json);
    return status;
}

int train_seq2seq_main(int argc, char **argv)
{
    settings = app_pair_settings_new();
    const app_program program = {
        .name = "train_seq2seq",
        .purpose = "Trains a model with attention on pairs of texts. Run again, it goes on where it was "
                   "stopped.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_kernel_name(),
    };
    int status = app_config_options(&program, &config, &argc, &argv);
    if (status == APP_RUN) status = check_and_run(&program);
    app_config_free(&config);
    return status;
}
