/* Trains the sort model with each kind of attention and without, and compares them on longer lists. */
#include "base/alloc.h"
#include "common/compared_kinds.h"
#include "common/comparison.h"
#include "common/model_choice.h"
#include "common/options.h"
#include "common/output.h"
#include "common/report.h"
#include "common/sort_training.h"
#include "io/folder.h"
#include "io/lock.h"
#include "programs.h"
#include "tensor/gemm.h"

#include <stdio.h>
#include <string.h>

enum { HELD_OUT = 1000, WATCHED = 500, HEADS = 4, TRANSFORMER_LAYERS = 2 };

/* The settings that --quick changes. */
typedef struct budget {
    int max_number, min_length, max_length, hidden, batch, steps;
} budget;

static const budget full = {49, 5, 30, 128, 64, 8000}, quick = {19, 2, 16, 64, 32, 3000};

typedef struct settings {
    budget size; /* -1: from the table above */
    bool quick, fresh;
    bool wanted[APP_COMPARED_KINDS];
    int threads;
    uint64_t seed;
    const char *kinds, *out;
} settings;

/* The models are trained one after the other. */
typedef struct run {
    settings set;
    lb_lock *lock; /* on the folder */
    const app_compared_kind *kind;
    app_sort_training training; /* of one of these */
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} run;

static lb_sort_task task_of(const run *r)
{
    const budget *size = &r->set.size;
    return (lb_sort_task){.max_value = size->max_number,
                          .min_length = size->min_length,
                          .max_length = size->max_length,
                          .seed = r->set.seed};
}

static lb_sort_task of_length(const lb_sort_task *task, int32_t length)
{
    lb_sort_task part = *task;
    part.min_length = part.max_length = length;
    return part;
}

/* All lists of a step have the same length, so that none needs padding. */
static lb_tensor *loss_of_step(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    const run *r = context;
    const lb_sort_task *task = &r->training.task;
    lb_rng rng = {task->seed, lb_rng_stream("length of a step"), (uint32_t)step};
    uint64_t lengths = (uint64_t)(task->max_length - task->min_length) + 1;
    lb_sort_task part = of_length(task, task->min_length + (int32_t)lb_rng_below(rng, 0, lengths));
    return app_sort_loss(&r->training, &part, tape, step, tokens);
}

static lb_status watch(void *context, lb_tape *tape, lb_evaluation *found)
{
    const run *r = context;
    return lb_sort_evaluate(r->training.model, &r->training.task, tape, WATCHED, &found->exact_match);
}

static void show_progress(void *context, int64_t step, double loss, const lb_train_point *last, double tokens,
                          double seconds)
{
    run *r = context;
    app_sort_show(&r->training, step, loss, last, tokens, seconds);
}

static lb_status build_seq2seq(run *r, int32_t vocabulary)
{
    lb_seq2seq_config config = {.source_vocab = vocabulary,
                                .target_vocab = vocabulary,
                                .embed = r->set.size.hidden / 2,
                                .hidden = r->set.size.hidden,
                                .attention = r->kind->attention,
                                .attention_weights = r->kind->weights,
                                .heads = HEADS,
                                .cell = r->kind->cell,
                                .copy = r->kind->copy};
    r->training.model = &r->seq2seq.base;
    return lb_seq2seq_init(&r->seq2seq, r->training.params, "", config);
}

/* With half the width, it has about as many parameters as the GRUs. */
static lb_status build_transformer(run *r, int32_t vocabulary)
{
    lb_transformer_config config = {.source_vocab = vocabulary,
                                    .target_vocab = vocabulary,
                                    .width = r->set.size.hidden / 2,
                                    .heads = HEADS,
                                    .layers = TRANSFORMER_LAYERS,
                                    .positions = r->kind->positions};
    r->training.model = &r->transformer.base;
    return lb_transformer_init(&r->transformer, r->training.params, "", config);
}

/* Every number is copied as itself. */
static lb_status copy_numbers(lb_model *model, lb_error *error)
{
    int32_t *as = lb_alloc_zero((size_t)model->source_vocab * sizeof *as);
    if (!as) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t id = LB_UNK; id < model->source_vocab; id++) as[id] = id;
    lb_status status = lb_model_set_copies(model, as, error);
    lb_release(as);
    return status;
}

/* Builds the model of a kind, and frees the one before it. */
static lb_status build(run *r, const app_compared_kind *kind, lb_error *error)
{
    const budget *size = &r->set.size;
    lb_params_free(r->training.params);
    r->kind = kind;
    r->training = (app_sort_training){.task = task_of(r),
                                      .steps = size->steps,
                                      .batch = size->batch,
                                      .lr = kind->lr,
                                      .params = lb_params_new(r->set.seed),
                                      .name = kind->name};
    if (!r->training.params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    int32_t vocabulary = lb_sort_vocab(&r->training.task);
    lb_status status = kind->transformer ? build_transformer(r, vocabulary) : build_seq2seq(r, vocabulary);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(r->training.params));
    return kind->copy ? copy_numbers(r->training.model, error) : LB_OK;
}

static lb_status train(run *r, lb_train_history *history, lb_error *error)
{
    char identity[APP_IDENTITY], name[APP_SHORT + 32], checkpoint[APP_PATH];
    snprintf(name, sizeof name, "%s.checkpoint.safetensors", r->kind->name);
    lb_trainer_config config = app_sort_recipe(&r->training);
    config.context = r;
    config.loss = loss_of_step;
    config.evaluate = watch;
    config.progress = show_progress;
    config.checkpoint = app_path(r->set.out, name, checkpoint);
    config.fresh = r->set.fresh;
    config.run = app_sort_identity(&r->training, identity);
    return app_sort_train(&r->training, &config, history, error);
}

/* Exact match on lists of each length. */
static lb_status evaluate(const run *r, double *exact_match, lb_error *error)
{
    const lb_sort_task *task = &r->training.task;
    lb_tape *tape = lb_tape_new();
    lb_status status = tape ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t length = task->min_length; length <= task->max_length && !status; length++) {
        lb_sort_task part = of_length(task, length);
        status = lb_sort_evaluate(r->training.model, &part, tape, HELD_OUT, exact_match++);
        if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    }
    lb_tape_free(tape);
    return status;
}

static lb_status train_and_save(run *r, app_compared *model, lb_error *error)
{
    char name[APP_SHORT + 32], path[APP_PATH];
    lb_train_history history = {0};
    snprintf(name, sizeof name, "%s.safetensors", r->kind->name);
    lb_status status = train(r, &history, error);
    if (!status) status = app_sort_save(&r->training, app_path(r->set.out, name, path), &history, error);
    if (!status) status = evaluate(r, model->exact_match, error);
    if (!status) {
        const lb_train_point *last = &history.points[history.count - 1];
        model->name = r->kind->name;
        model->parameters = lb_params_learned(r->training.params);
        model->loss = last->loss;
        model->seconds = last->seconds;
    }
    lb_release(history.points);
    return status;
}

static lb_status write_results(const run *r, const app_comparison *comparison, lb_error *error)
{
    char path[APP_PATH];
    lb_status status = app_comparison_draw(comparison, app_path(r->set.out, "exact_match.png", path), error);
    if (!status)
        status = app_comparison_write(comparison, app_path(r->set.out, "exact_match.json", path), error);
    return status;
}

/* Adds the name of the kind to an error. */
static lb_status name_kind(const app_compared_kind *kind, const lb_error *found, lb_error *error)
{
    return lb_error_set(error, found->status, "%s: %s", kind->name, found->message);
}

static lb_status compare(run *r, app_comparison *comparison, lb_error *error)
{
    app_note("%s, %d thread%s", lb_kernel_name(), lb_threads(), lb_threads() == 1 ? "" : "s");
    for (int k = 0; k < APP_COMPARED_KINDS; k++) {
        lb_error found = {0};
        if (!r->set.wanted[k]) continue;
        app_compared *model = &comparison->models[comparison->count++];
        if (build(r, &app_compared_kinds[k], &found) || train_and_save(r, model, &found))
            return name_kind(&app_compared_kinds[k], &found, error);
    }
    return write_results(r, comparison, error);
}

/* Reports invalid settings before the first training. */
static lb_status check(run *r, lb_error *error)
{
    lb_sort_task task = task_of(r);
    lb_status status = lb_sort_check(&task, error);
    for (int32_t length = task.min_length; length <= task.max_length && !status; length++) {
        lb_sort_task part = of_length(&task, length);
        status = lb_sort_check(&part, error);
    }
    for (int k = 0; k < APP_COMPARED_KINDS && !status; k++) {
        lb_error found = {0};
        if (r->set.wanted[k] && build(r, &app_compared_kinds[k], &found))
            status = name_kind(&app_compared_kinds[k], &found, error);
    }
    if (!status) status = lb_folder_make(r->set.out, error);
    return status ? status : lb_lock_folder(r->set.out, &r->lock, error);
}

static int compare_and_print(run *r)
{
    lb_error error = {0};
    const budget *size = &r->set.size;
    app_comparison comparison = {.task = {.max_value = size->max_number,
                                          .min_length = size->min_length,
                                          .max_length = size->max_length,
                                          .seed = r->set.seed},
                                 .steps = size->steps,
                                 .batch = size->batch,
                                 .lists = HELD_OUT};
    lb_status status = check(r, &error);
    if (!status) status = compare(r, &comparison, &error);
    if (!status) app_comparison_print(&comparison);
    lb_params_free(r->training.params);
    lb_lock_free(r->lock);
    return status ? app_fail(&error) : app_close_stdout(0);
}

static void choose(int *value, int usual)
{
    if (*value < 0) *value = usual;
}

/* Options that were not given come from the budget. */
static lb_status settle(settings *set, lb_error *error)
{
    const budget *usual = set->quick ? &quick : &full;
    choose(&set->size.max_number, usual->max_number);
    choose(&set->size.min_length, usual->min_length);
    choose(&set->size.max_length, usual->max_length);
    choose(&set->size.hidden, usual->hidden);
    choose(&set->size.batch, usual->batch);
    choose(&set->size.steps, usual->steps);
    return app_compared_kinds_read(set->kinds, set->wanted, error);
}

static const app_example examples[] = {
    {"Compare a model without attention with one that has it, in seconds.",
     "lookback compare --quick --kinds none,additive --max-length 8 --steps 100"},
    {"Compare two kinds of attention on short lists.",
     "lookback compare --kinds dot,scaled-dot --min-length 2 --max-length 5 \\\n"
     "      --hidden 32 --steps 100 --out out/scores"},
};

int compare_main(int argc, char **argv)
{
    run r = {
        .set = {
            .size = {-1, -1, -1, -1, -1, -1}, .seed = 1, .kinds = APP_USUAL_KINDS, .out = "out/attention"}};
    settings *s = &r.set;
    const app_option options[] = {
        APP_TEXT(0, "kinds", "LIST", &s->kinds,
                 "what to compare, separated by commas; also hard, monotonic, monotonic-1, local-m, local-p, "
                 "coverage, location, lstm, copy, and relative, alibi and rotary, transformers with these "
                 "positions"),
        APP_FLAG(0, "quick", &s->quick, "use shorter lists, smaller models and fewer steps"),
        APP_HEADING("Task"),
        APP_INT(0, "max-number", "N", &s->size.max_number, 0, 1000000, "largest number (49, quick 19)"),
        APP_INT(0, "min-length", "N", &s->size.min_length, 1, APP_LONGEST,
                "length of the shortest list (5, quick 2)"),
        APP_INT(0, "max-length", "N", &s->size.max_length, 1, APP_LONGEST,
                "length of the longest list (30, quick 16)"),
        APP_HEADING("Training"),
        APP_INT(0, "hidden", "N", &s->size.hidden, 2, 1 << 16,
                "width of the GRU states, twice that of the transformer (128, quick 64)"),
        APP_INT(0, "batch", "N", &s->size.batch, 1, 1 << 20, "lists per step (64, quick 32)"),
        APP_INT(0, "steps", "N", &s->size.steps, 1, 1 << 30, "steps of each training (8000, quick 3000)"),
        APP_SEED(0, "seed", "N", &s->seed, "seed of the first weights and of all lists"),
        APP_THREADS(&s->threads),
        APP_HEADING("Files"),
        APP_TEXT('o', "out", "DIR", &s->out, "folder for the chart, results and models"),
        APP_FLAG(0, "fresh", &s->fresh, "start again instead of resuming an earlier run"),
    };
    const app_program program = {
        .name = "compare",
        .purpose = "Trains a model to sort lists with each kind of attention and without any, and shows how "
                   "each copes with longer lists. Run again, the same command resumes where it stopped.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
        .kernel = lb_kernel_name(),
    };
    lb_error error = {0};
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    if (settle(s, &error)) return app_fail(&error);
    lb_set_threads(s->threads);
    return compare_and_print(&r);
}
