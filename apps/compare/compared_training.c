#include "compare/comparison.h"

#include "base/alloc.h"
#include "console/console.h"
#include "console/output.h"
#include "data/sort_task.h"
#include "io/path.h"
#include "models/file/model_formats.h"
#include "training/training_view.h"
#include "translate/file/text_model.h"

#include <stdio.h>

enum { WATCHED = 500, HEADS = 4, TRANSFORMER_LAYERS = 2, IDENTITY = 1024 };

lb_sort_task app_compared_task(const app_compared_training *t)
{
    const app_compared_budget *size = &t->size;
    return (lb_sort_task){.max_value = size->max_number,
                          .min_length = size->min_length,
                          .max_length = size->max_length,
                          .seed = t->seed};
}

lb_sort_task app_compared_length(const lb_sort_task *task, int32_t length)
{
    lb_sort_task part = *task;
    part.min_length = part.max_length = length;
    return part;
}

/* All lists of a step have the same length, so that none needs padding. */
static lb_tensor *loss_of_step(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    const app_compared_training *t = context;
    const lb_sort_task *task = &t->task;
    lb_rng rng = {task->seed, lb_rng_stream("length of a step"), (uint32_t)step};
    uint64_t lengths = (uint64_t)(task->max_length - task->min_length) + 1;
    lb_sort_task part = app_compared_length(task, task->min_length + (int32_t)lb_rng_below(rng, 0, lengths));
    lb_batch batch = lb_sort_batch(&part, tape, t->size.batch, step);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    lb_tensor *logits = lb_model_forward(t->model, batch.source, batch.target_in);
    return lb_model_loss(t->model, logits, batch.target_out, LB_PAD, 0);
}

static lb_status watch(void *context, lb_tape *tape, lb_evaluation *found)
{
    const app_compared_training *t = context;
    return lb_sort_evaluate(t->model, &t->task, tape, WATCHED, &found->exact_match);
}

static lb_status show_event(void *context, const lb_event *event, lb_error *error)
{
    app_compared_training *t = context;
    const lb_training_run run = {.name = t->kind->name, .steps = t->size.steps};
    (void)error;
    if (event->kind == LB_EVENT_STEPPED) app_show_step(&t->progress, &run, &event->step);
    if (event->kind == LB_EVENT_UNSAVED) app_warn_unsaved(&t->warned, event->error);
    return LB_OK;
}

static lb_status build_seq2seq(app_compared_training *t, int32_t vocabulary)
{
    lb_seq2seq_config config = {.source_vocab = vocabulary,
                                .target_vocab = vocabulary,
                                .embed = t->size.hidden / 2,
                                .hidden = t->size.hidden,
                                .attention = t->kind->attention,
                                .attention_weights = t->kind->weights,
                                .heads = HEADS,
                                .cell = t->kind->cell,
                                .copy = t->kind->copy};
    t->model = &t->seq2seq.base;
    return lb_seq2seq_init(&t->seq2seq, t->params, "", config);
}

/* With half the width, it has about as many parameters as the GRUs. */
static lb_status build_transformer(app_compared_training *t, int32_t vocabulary)
{
    lb_transformer_config config = {.source_vocab = vocabulary,
                                    .target_vocab = vocabulary,
                                    .width = t->size.hidden / 2,
                                    .heads = HEADS,
                                    .layers = TRANSFORMER_LAYERS,
                                    .positions = t->kind->positions};
    t->model = &t->transformer.base;
    return lb_transformer_init(&t->transformer, t->params, "", config);
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

lb_status app_compared_build(app_compared_training *t, const app_compared_kind *kind, lb_error *error)
{
    app_compared_free(t);
    t->kind = kind;
    t->task = app_compared_task(t);
    t->progress = (app_progress){0};
    t->params = lb_params_new(t->seed);
    if (!t->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    int32_t vocabulary = lb_sort_vocab(&t->task);
    lb_status status = kind->transformer ? build_transformer(t, vocabulary) : build_seq2seq(t, vocabulary);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(t->params));
    return kind->copy ? copy_numbers(t->model, error) : LB_OK;
}

static double lr_of(const app_compared_kind *kind)
{
    return kind->transformer ? 1e-3 : 3e-3;
}

/* The settings that identify this training. */
static void print_identity(const app_compared_training *t, char text[IDENTITY])
{
    char *config = lb_model_config_json(t->model), *task = lb_sort_task_print(&t->task);
    snprintf(text, IDENTITY, "{\"steps\":%d,\"batch\":%d,\"lr\":%.9g,\"seed\":%llu,\"task\":%s,\"model\":%s}",
             t->size.steps, t->size.batch, lr_of(t->kind), (unsigned long long)t->task.seed, task ? task : "",
             config ? config : "");
    lb_release(config);
    lb_release(task);
}

/* Stops at Ctrl-C or SIGTERM. */
static lb_status train_model(app_compared_training *t, lb_train_history *history, lb_error *error)
{
    lb_error found = {0};
    char identity[IDENTITY], name[APP_SHORT + 32], checkpoint[APP_PATH];
    snprintf(name, sizeof name, "%s.checkpoint.safetensors", t->kind->name);
    print_identity(t, identity);
    const lb_trainer_config config = {
        .params = t->params,
        .steps = t->size.steps,
        .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = lr_of(t->kind), .period = t->size.steps},
        .optimizer = {.clip_norm = 1},
        .average = 0.998,
        .seed = t->task.seed,
        .context = t,
        .loss = loss_of_step,
        .evaluate = watch,
        .tell = show_event,
        .stop = app_interrupted,
        .setting = app_name_setting,
        .checkpoint = app_path(t->out, name, checkpoint),
        .fresh = t->fresh,
        .run = identity,
    };
    app_catch_interrupts();
    lb_status status = lb_train(config, history, &found);
    app_release_interrupts();
    app_progress_end(&t->progress);
    return status ? app_say_what_helps(NULL, t->fresh, &found, error) : LB_OK;
}

/* The model with its task and its history. */
static lb_status save(const app_compared_training *t, const char *path, const lb_train_history *history,
                      lb_error *error)
{
    lb_vocabulary *numbers = lb_list_vocabulary(&t->task, error);
    if (!numbers) return LB_ERROR_MEMORY;
    const lb_train_point *last = &history->points[history->count - 1];
    char *record = lb_training_record(history, last, t->task.seed, NULL, NULL);
    const lb_text_model model = {.params = t->params,
                                 .model = t->model,
                                 .source = numbers,
                                 .target = numbers,
                                 .source_rule = lb_list_rule(&t->task),
                                 .target_rule = lb_list_rule(&t->task),
                                 .shortest_source = t->task.min_length,
                                 .longest_source = t->task.max_length,
                                 .longest_target = t->task.max_length,
                                 .sorts = true,
                                 .task = t->task,
                                 .training = record};
    lb_status status = record ? lb_text_model_save(path, &model, error)
                              : lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    lb_release(record);
    lb_vocabulary_free(numbers);
    return status;
}

static lb_status keep_earlier_model(const app_compared_training *t, const char *path, lb_error *error)
{
    char *kept = NULL;
    lb_status status = t->fresh ? lb_set_aside(path, &kept, error) : LB_OK;
    if (kept) app_note("%s: the earlier model is kept as %s", t->kind->name, kept);
    lb_release(kept);
    return status;
}

lb_status app_compared_train(app_compared_training *t, lb_train_history *history, lb_error *error)
{
    char name[APP_SHORT + 32], path[APP_PATH];
    snprintf(name, sizeof name, "%s.safetensors", t->kind->name);
    app_path(t->out, name, path);
    lb_status status = keep_earlier_model(t, path, error);
    if (!status) status = train_model(t, history, error);
    return status ? status : save(t, path, history, error);
}

lb_status app_compared_measure(const app_compared_training *t, double *exact_match, lb_error *error)
{
    const lb_sort_task *task = &t->task;
    lb_tape *tape = lb_tape_new();
    lb_status status = tape ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t length = task->min_length; length <= task->max_length && !status; length++) {
        lb_sort_task part = app_compared_length(task, length);
        status = lb_sort_evaluate(t->model, &part, tape, APP_HELD_OUT, exact_match++);
        if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    }
    lb_tape_free(tape);
    return status;
}

void app_compared_free(app_compared_training *t)
{
    lb_params_free(t->params);
    t->params = NULL;
}
