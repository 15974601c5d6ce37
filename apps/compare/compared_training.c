#include "compare/compared_training.h"

#include "base/alloc.h"
#include "console/console.h"
#include "console/output.h"
#include "io/set_aside.h"
#include "training/training_view.h"

#include <stdio.h>

enum { WATCHED = 500, HEADS = 4, TRANSFORMER_LAYERS = 2 };

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
    const lb_sort_task *task = &t->training.task;
    lb_rng rng = {task->seed, lb_rng_stream("length of a step"), (uint32_t)step};
    uint64_t lengths = (uint64_t)(task->max_length - task->min_length) + 1;
    lb_sort_task part = app_compared_length(task, task->min_length + (int32_t)lb_rng_below(rng, 0, lengths));
    return app_sort_loss(&t->training, &part, tape, step, tokens);
}

static lb_status watch(void *context, lb_tape *tape, lb_evaluation *found)
{
    const app_compared_training *t = context;
    return lb_sort_evaluate(t->training.model, &t->training.task, tape, WATCHED, &found->exact_match);
}

static void show_progress(void *context, int64_t step, double loss, const lb_train_point *last, double tokens,
                          double seconds)
{
    app_compared_training *t = context;
    app_sort_show(&t->training, step, loss, last, tokens, seconds);
}

static void warn_unsaved(void *context, const lb_error *error)
{
    app_compared_training *t = context;
    app_warn_unsaved(&t->warned, error);
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
    t->training.model = &t->seq2seq.base;
    return lb_seq2seq_init(&t->seq2seq, t->training.params, "", config);
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
    t->training.model = &t->transformer.base;
    return lb_transformer_init(&t->transformer, t->training.params, "", config);
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
    const app_compared_budget *size = &t->size;
    lb_params_free(t->training.params);
    t->kind = kind;
    t->training = (app_sort_training){.task = app_compared_task(t),
                                      .steps = size->steps,
                                      .batch = size->batch,
                                      .lr = kind->lr,
                                      .params = lb_params_new(t->seed),
                                      .name = kind->name};
    if (!t->training.params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    int32_t vocabulary = lb_sort_vocab(&t->training.task);
    lb_status status = kind->transformer ? build_transformer(t, vocabulary) : build_seq2seq(t, vocabulary);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(t->training.params));
    return kind->copy ? copy_numbers(t->training.model, error) : LB_OK;
}

static lb_status train(app_compared_training *t, lb_train_history *history, lb_error *error)
{
    char identity[APP_IDENTITY], name[APP_SHORT + 32], checkpoint[APP_PATH];
    snprintf(name, sizeof name, "%s.checkpoint.safetensors", t->kind->name);
    lb_trainer_config config = app_sort_recipe(&t->training);
    config.context = t;
    config.loss = loss_of_step;
    config.evaluate = watch;
    config.progress = show_progress;
    config.unsaved = warn_unsaved;
    config.checkpoint = app_path(t->out, name, checkpoint);
    config.fresh = t->fresh;
    config.run = app_sort_identity(&t->training, identity);
    return app_sort_train(&t->training, &config, history, error);
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
    if (!status) status = train(t, history, error);
    return status ? status : app_sort_save(&t->training, path, history, error);
}

lb_status app_compared_measure(const app_compared_training *t, double *exact_match, lb_error *error)
{
    const lb_sort_task *task = &t->training.task;
    lb_tape *tape = lb_tape_new();
    lb_status status = tape ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t length = task->min_length; length <= task->max_length && !status; length++) {
        lb_sort_task part = app_compared_length(task, length);
        status = lb_sort_evaluate(t->training.model, &part, tape, APP_HELD_OUT, exact_match++);
        if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    }
    lb_tape_free(tape);
    return status;
}

void app_compared_free(app_compared_training *t)
{
    lb_params_free(t->training.params);
    t->training.params = NULL;
}
