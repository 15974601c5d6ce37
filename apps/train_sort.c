/* Trains a sequence-to-sequence model with attention to sort lists of numbers. */
#include "common/options.h"
#include "common/output.h"
#include "common/report.h"
#include "common/sort_training.h"
#include "io/folder.h"
#include "translate/training_log.h"

#include "tensor/gemm.h"
#include <lookback/lookback.h>

#include <stdio.h>

enum { HELD_OUT = 2000, EMBED = 64 };

enum { SEQ2SEQ, TRANSFORMER };
static const char *const model_names[] = {[SEQ2SEQ] = "seq2seq", [TRANSFORMER] = "transformer", NULL};

/* What each kind of model does well with. */
static const struct {
    int layers;
    double lr;
} recipe[] = {[SEQ2SEQ] = {1, 5e-3}, [TRANSFORMER] = {2, 1e-3}};

typedef struct settings {
    int max_number, min_length, max_length;
    int model, embed, hidden, layers, attention, heads;
    bool bidirectional, fresh;
    int batch, steps, threads;
    double lr, target;
    uint64_t seed;
    const char *out;
} settings;

/* All that a run works with. */
typedef struct run {
    settings set;
    app_sort_training training; /* of one of these */
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} run;

static lb_tensor *loss_of_step(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    run *r = context;
    return app_sort_loss(&r->training, &r->training.task, tape, step, tokens);
}

static lb_status exact_match(void *context, lb_tape *tape, double *measure)
{
    run *r = context;
    return lb_sort_evaluate(r->training.model, &r->training.task, tape, HELD_OUT, measure);
}

static void show_progress(void *context, int64_t step, double loss, const lb_train_point *last, double tokens,
                          double seconds)
{
    run *r = context;
    app_sort_show(&r->training, step, loss, last, tokens, seconds);
}

static lb_status write_log(void *context, const lb_train_history *history, lb_error *error)
{
    run *r = context;
    char path[APP_PATH];
    return lb_training_log_write(app_path(r->set.out, "train.jsonl", path), history, error);
}

static lb_status build_seq2seq(run *r)
{
    const settings *s = &r->set;
    lb_seq2seq_config config = {
        .source_vocab = lb_sort_vocab(&r->training.task),
        .target_vocab = lb_sort_vocab(&r->training.task),
        .embed = s->embed,
        .hidden = s->hidden,
        .layers = s->layers,
        .bidirectional = s->bidirectional,
        .attention = (lb_attention_kind)s->attention,
        .heads = s->heads,
    };
    r->training.model = &r->seq2seq.base;
    return lb_seq2seq_init(&r->seq2seq, r->training.params, "", config);
}

static lb_status build_transformer(run *r)
{
    const settings *s = &r->set;
    lb_transformer_config config = {
        .source_vocab = lb_sort_vocab(&r->training.task),
        .target_vocab = lb_sort_vocab(&r->training.task),
        .width = s->hidden,
        .heads = s->heads,
        .layers = s->layers,
    };
    r->training.model = &r->transformer.base;
    return lb_transformer_init(&r->transformer, r->training.params, "", config);
}

/* What the table of options cannot say. */
static lb_status check(settings *s, lb_error *error)
{
    if (s->layers == 0) s->layers = recipe[s->model].layers;
    if (s->lr == 0) s->lr = recipe[s->model].lr;
    bool of_seq2seq = s->embed != EMBED || s->bidirectional || s->attention != LB_ATTENTION_ADDITIVE;
    if (s->model == SEQ2SEQ || !of_seq2seq) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--embed, --bidirectional and --attention belong to --model %s, not to %s",
                        model_names[SEQ2SEQ], model_names[s->model]);
}

static lb_status build(run *r, lb_error *error)
{
    const settings *s = &r->set;
    r->training = (app_sort_training){.task = {s->max_number, s->min_length, s->max_length, s->seed},
                                      .steps = s->steps,
                                      .batch = s->batch,
                                      .lr = s->lr,
                                      .params = lb_params_new(s->seed)};
    if (!r->training.params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    if (lb_sort_check(&r->training.task, error)) return error->status;
    lb_status status = s->model == TRANSFORMER ? build_transformer(r) : build_seq2seq(r);
    return status ? lb_error_set(error, status, "%s", lb_params_error(r->training.params)) : LB_OK;
}

static lb_status train(run *r, lb_train_history *history, lb_error *error)
{
    char identity[APP_IDENTITY], checkpoint[APP_PATH];
    const settings *s = &r->set;
    lb_trainer_config config = app_sort_recipe(&r->training);
    config.context = r;
    config.loss = loss_of_step;
    config.evaluate = exact_match;
    config.progress = show_progress;
    config.point = write_log;
    config.target = s->target;
    config.checkpoint = app_path(s->out, "checkpoint.safetensors", checkpoint);
    config.fresh = s->fresh;
    config.run = app_sort_identity(&r->training, identity);
    app_note("%lld parameters, %s, %d thread%s", (long long)lb_params_learned(r->training.params),
             lb_gemm_kernel(), lb_threads(), lb_threads() == 1 ? "" : "s");
    return app_sort_train(&r->training, &config, history, error);
}

static lb_status save(const run *r, const lb_train_history *history, lb_error *error)
{
    char path[APP_PATH];
    lb_status status =
        app_sort_save(&r->training, app_path(r->set.out, "sort.safetensors", path), history, error);
    if (!status) status = lb_training_log_write(app_path(r->set.out, "train.jsonl", path), history, error);
    app_measure measure = {.name = "exact match", .label = "Exact match on held-out lists"};
    if (!status) status = app_draw_training(app_path(r->set.out, "loss.png", path), history, measure, error);
    return status;
}

static int train_and_save(run *r)
{
    lb_error error = {0};
    lb_train_history history = {0};
    lb_status status = check(&r->set, &error);
    if (!status) status = lb_folder_make(r->set.out, &error);
    if (!status) status = build(r, &error);
    if (!status) status = train(r, &history, &error);
    if (!status) status = save(r, &history, &error);
    double measure = history.count ? history.points[history.count - 1].measure : 0;
    lb_release(history.points);
    lb_params_free(r->training.params);
    if (status) return app_fail(&error);
    printf("exact match %.4f on %d held-out lists\n", measure, HELD_OUT);
    return app_close_stdout(0);
}

int main(int argc, char **argv)
{
    run r = {.set = {.max_number = 99,
                     .min_length = 5,
                     .max_length = 10,
                     .embed = EMBED,
                     .hidden = 128,
                     .heads = 4,
                     .batch = 64,
                     .steps = 4000,
                     .target = 0.99,
                     .seed = 1,
                     .out = "out"}};
    settings *s = &r.set;
    const app_option options[] = {
        APP_HEADING("Task"),
        APP_INT(0, "max-number", "N", &s->max_number, 0, 1000000, "numbers are 0 to N"),
        APP_INT(0, "min-length", "N", &s->min_length, 1, 1 << 20, "numbers in the shortest list"),
        APP_INT(0, "max-length", "N", &s->max_length, 1, 1 << 20, "numbers in the longest list"),
        APP_HEADING("Model"),
        APP_CHOICE(0, "model", "KIND", &s->model, model_names, "GRUs with attention, or a transformer"),
        APP_INT(0, "embed", "N", &s->embed, 1, 1 << 16, "width of an embedding; a transformer's is --hidden"),
        APP_INT(0, "hidden", "N", &s->hidden, 1, 1 << 16, "width of the GRUs' state, or of the transformer"),
        APP_INT(0, "layers", "N", &s->layers, 0, 64,
                "layers of encoder and decoder, 0 for 1, or 2 of a transformer"),
        APP_FLAG(0, "bidirectional", &s->bidirectional, "let the encoder read in both directions"),
        APP_CHOICE(0, "attention", "KIND", &s->attention, lb_attention_names, "how the decoder attends"),
        APP_INT(0, "heads", "N", &s->heads, 1, 1024, "heads of multi-head attention and of a transformer"),
        APP_HEADING("Training"),
        APP_INT(0, "batch", "N", &s->batch, 1, 1 << 20, "lists in a step"),
        APP_INT(0, "steps", "N", &s->steps, 1, 1 << 30, "steps, if the target is not reached before"),
        APP_NUMBER(0, "lr", "RATE", &s->lr, 0, 1e30,
                   "learning rate at the start; it falls along a cosine; 0 for 0.005, or 0.001 for a "
                   "transformer"),
        APP_NUMBER(0, "target", "SHARE", &s->target, 0, 1,
                   "stop at this exact match on held-out lists; 0: never"),
        APP_SEED(0, "seed", "N", &s->seed, "decides the first weights and all lists"),
        APP_INT(0, "threads", "N", &s->threads, 0, 1024,
                "threads, 0 for one a processor; results do not depend on it"),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &s->out, "where model, log and chart are written"),
        APP_FLAG(0, "fresh", &s->fresh, "start anew where an earlier run could go on"),
    };
    const app_program program = {
        .name = "train_sort",
        .purpose = "Trains a model with attention to sort lists of numbers. Run again, it goes on where it "
                   "was stopped.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_gemm_kernel(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_set_threads(s->threads);
    return train_and_save(&r);
}
