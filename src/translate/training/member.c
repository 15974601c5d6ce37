#include "translate/training/member.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/pairs.h"
#include "io/path.h"
#include "settings/settings.h"
#include "train/augment.h"
#include "train/group.h"
#include "translate/file/text_model.h"
#include "translate/training/log.h"
#include "translate/training/recipe.h"
#include "translate/training/run_identity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static lb_status name_files(lb_training *t, lb_error *error)
{
    const char *folder = t->run.folder;
    bool sorts = t->data->sorts;
    t->model_file = lb_model_place(folder, sorts, error);
    t->checkpoint = lb_folder_path(folder, "checkpoint.safetensors", error);
    t->log = lb_folder_path(folder, sorts ? "train.jsonl" : "log.jsonl", error);
    t->table = lb_folder_path(folder, sorts ? "train.csv" : "log.csv", error);
    t->film.path = t->film_file = lb_folder_path(folder, "film.jsonl", error);
    return t->model_file && t->checkpoint && t->log && t->table && t->film_file ? LB_OK : LB_ERROR_MEMORY;
}

lb_status lb_training_try(const lb_training_config *config, lb_error *error)
{
    lb_training_config c = *config;
    lb_start start;
    lb_training t = {.config = &c, .start = &start};
    c.listener.note = NULL; /* the training says it */
    lb_status status = lb_start_open(&start, &c, error);
    if (!status) status = lb_recipe_settle(&c, error);
    if (!status) lb_recipe_fit(&c, 0);
    if (!status && c.shards > 0) status = lb_group_check(NULL, c.shards, error);
    if (!status) status = lb_training_build_trial(&t, error);
    lb_training_free(&t);
    lb_start_free(&start);
    return status;
}

lb_status lb_training_fit(lb_training_config *config, lb_error *error)
{
    lb_training_config silent = *config;
    lb_start start = {0};
    lb_training_data data;
    lb_producer producer = {0};
    silent.listener = (lb_training_listener){0};
    silent.index = LB_INDEX_NEVER;
    lb_status status = lb_training_data_open(&data, &silent, &start, error);
    if (!status) {
        lb_recipe_fit(config, lb_training_data_pairs(&data));
        if (config->label_smoothing == 0) config->label_smoothing = -1; /* the recipe has none */
        status = lb_producer_init(&producer, &data, config, config->seed, 1, error);
    }
    if (!status && config->epochs == 0 && config->minutes == 0)
        config->steps = (int)lb_producer_steps(&producer, config);
    lb_producer_free(&producer);
    lb_training_data_close(&data);
    return status;
}

/* A run keeps its parts on any number of processes. */
static lb_status choose_shards(lb_training *t, lb_error *error)
{
    const lb_training_config *c = t->config;
    lb_run_facts run = {0};
    if (c->shards == 0 && !c->fresh && lb_run_identity_facts(t->checkpoint, &run, error))
        return error->status;
    t->shards = c->shards ? c->shards : run.shards ? run.shards : lb_group_size(c->group);
    return lb_group_check(c->group, t->shards, error);
}

lb_status lb_training_init(lb_training *t, lb_error *error)
{
    lb_status status = name_files(t, error);
    if (!status) status = choose_shards(t, error);
    if (!status) status = lb_producer_init(&t->producer, t->data, t->config, t->seed, t->shards, error);
    if (!status) status = lb_training_build(t, error);
    if (status) return status;
    t->smoothing = fmax(t->config->label_smoothing, 0);
    t->run.steps = lb_producer_steps(&t->producer, t->config);
    t->run.parameters = lb_params_learned(t->params);
    t->run.pairs = lb_training_data_pairs(t->data);
    t->run.history = &t->history;
    t->run.guessing = log((double)t->model->target_vocab);
    t->run.dropout = t->config->dropout;
    t->run.label_smoothing = t->smoothing;
    return LB_OK;
}

void lb_training_free(lb_training *t)
{
    lb_release(t->history.points);
    lb_release(t->model_file);
    lb_release(t->checkpoint);
    lb_release(t->log);
    lb_release(t->table);
    lb_film_free(&t->film);
    lb_release(t->film_file);
    lb_release(t->set_aside);
    lb_release(t->shared.target);
    lb_release(t->hidden);
    lb_producer_free(&t->producer);
    lb_params_free(t->params);
}

static lb_tensor *loss_of_part(void *training, lb_tape *tape, int64_t part, int64_t *tokens)
{
    lb_training *t = training;
    lb_batch batch = lb_producer_batch(&t->producer, tape, part);
    if (batch.source.batch == 0 && lb_tape_status(tape) == LB_OK) return NULL;
    batch = lb_hallucinate(batch, &t->shared, t->config->hallucinate, t->seed, part);
    batch = lb_hide_symbols(t->model, batch, t->hidden, t->seed, part);
    batch = lb_batch_for(t->model, batch);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    int64_t step = part / t->shards;
    double share = (double)step / (double)t->run.steps;
    lb_scheduled_sampling sampling = {.probability = share * fmax(t->config->scheduled_sampling, 0),
                                      .seed = t->seed};
    lb_tokens target_in = lb_scheduled_tokens(t->model, batch.source, batch.target_in, sampling, part);
    lb_tensor *logits = lb_model_forward(t->model, batch.source, target_in);
    return lb_model_loss(t->model, logits, batch.target_out, LB_PAD, (lb_real)t->smoothing);
}

static lb_status evaluate(void *context, lb_tape *tape, lb_evaluation *found)
{
    lb_training *t = context;
    return lb_producer_measure(&t->producer, t->model, tape, t->config->group, found);
}

static void tell_step(void *context, int64_t step, double loss, const lb_train_point *last, double tokens,
                      double seconds)
{
    const lb_training *t = context;
    const lb_training_listener *listener = &t->config->listener;
    const lb_training_step done = {step, loss, last, tokens, seconds};
    if (listener->stepped) listener->stepped(listener->context, &t->run, &done);
}

static bool shall_stop(void *context)
{
    const lb_training *t = context;
    const lb_training_listener *listener = &t->config->listener;
    return listener->stop && listener->stop(listener->context);
}

static const lb_train_point *last_point(const lb_training *t)
{
    return &t->history.points[t->history.count - 1];
}

/* The evaluation whose weights would be the result if the run ended now. */
static const lb_train_point *kept_point(const lb_training *t)
{
    bool last = !lb_recipe_trainer(t->config, t->run.steps).keep_best;
    return last ? last_point(t) : lb_train_best(&t->history);
}

/* What options may leave open, as it was in force; but the architecture is in the configuration of the model. */
static char *print_settings(const lb_training *t)
{
    lb_buffer json = {0};
    const lb_training_config c = lb_training_in_force(t);
    lb_json_open(&json, NULL, "{");
    lb_settings_print(&json, &c, LB_SETTINGS_IN_FORCE, 1, LB_SETTINGS_END);
    lb_buffer_print(&json, "}");
    return lb_buffer_end(&json);
}

char *lb_training_own_record(const lb_training *t, const lb_train_point *kept)
{
    char *settings = print_settings(t);
    char *record =
        settings ? lb_training_record(&t->history, kept, t->seed, t->config->options, settings) : NULL;
    lb_release(settings);
    return record;
}

static lb_status save_model(const lb_training *t, const char *path, const lb_train_point *kept,
                            lb_error *error)
{
    char *record = lb_training_own_record(t, kept);
    if (!record) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory while saving");
    lb_text_model model = lb_training_data_model(t->data, t->model, t->params);
    model.training = record;
    lb_status status = lb_text_model_save(path, &model, error);
    lb_release(record);
    return status;
}

/* The file name of the model of one evaluation. */
static char *name_snapshot(const lb_training *t, int64_t step, lb_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%lld.safetensors", t->data->sorts ? "sort" : "model", (long long)step);
    return lb_folder_path(t->run.folder, name, error);
}

/* Saves the model of the last evaluation, and removes all but the newest of these files. */
static lb_status save_snapshot(const lb_training *t, lb_error *error)
{
    const lb_train_history *history = &t->history;
    char *path = name_snapshot(t, last_point(t)->step, error);
    lb_status status = path ? save_model(t, path, last_point(t), error) : LB_ERROR_MEMORY;
    lb_release(path);
    for (int64_t i = 0; i < history->count - t->config->keep && !status; i++) {
        path = name_snapshot(t, history->points[i].step, error);
        if (!path) return LB_ERROR_MEMORY;
        if (remove(path) != 0 && errno != ENOENT)
            status = lb_error_set(error, LB_ERROR_WRITE, "%s: cannot remove: %s", path, strerror(errno));
        lb_release(path);
    }
    return status;
}

static void warn(void *context, const lb_error *error)
{
    const lb_training *t = context;
    const lb_training_listener *listener = &t->config->listener;
    if (listener->unsaved) listener->unsaved(listener->context, &t->run, error);
}

/* What cannot be written now is written at the end, with the weights that are kept in memory. */
static lb_status forgive(lb_training *t, lb_status status, const lb_error *found, lb_error *error)
{
    if (status != LB_ERROR_WRITE) return status ? lb_error_set(error, status, "%s", found->message) : LB_OK;
    warn(t, found);
    return LB_OK;
}

static lb_status film(lb_training *t, const lb_train_history *history, lb_error *error)
{
    lb_error found = {0};
    lb_text_model model = lb_training_data_model(t->data, t->model, t->params);
    lb_status status = lb_film_add(&t->film, &t->producer, &model, t->config->film, history, &found);
    return forgive(t, status, &found, error);
}

static lb_status save_evaluated(void *context, const lb_train_history *history, lb_error *error)
{
    lb_training *t = context;
    lb_error found = {0};
    bool kept = kept_point(t) == last_point(t);
    lb_status status = kept ? save_model(t, t->model_file, last_point(t), &found) : LB_OK;
    if (!status && t->config->keep > 0) status = save_snapshot(t, &found);
    status = forgive(t, status, &found, error);
    if (status) return status;
    return film(t, history, error);
}

static lb_status mark_point(void *context, const lb_train_history *history, lb_error *error)
{
    lb_training *t = context;
    const lb_training_listener *listener = &t->config->listener;
    lb_error found = {0};
    t->run.kept = kept_point(t);
    lb_status status = lb_training_log_append(t->log, history, &t->logged, &found);
    if (!status) status = lb_training_log_append(t->table, history, &t->tabled, &found);
    status = forgive(t, status, &found, error);
    if (!status && listener->evaluated) listener->evaluated(listener->context, &t->run);
    return status;
}

static lb_status check_run(void *context, const char *found, lb_error *error)
{
    const lb_training *t = context;
    return lb_run_identity_check(t, t->trainer, found, t->trainer->run, error);
}

static void name_setting(void *context, const char *name, const char *value, char *text, size_t size)
{
    const lb_training *t = context;
    const lb_training_listener *listener = &t->config->listener;
    listener->setting(listener->context, name, value, text, size);
}

lb_trainer_config lb_training_trainer(lb_training *t)
{
    lb_trainer_config trainer = lb_recipe_trainer(t->config, t->run.steps);
    trainer.params = t->params;
    trainer.context = t;
    trainer.loss = loss_of_part;
    trainer.evaluate = evaluate;
    trainer.progress = tell_step;
    trainer.stop = shall_stop;
    trainer.point = mark_point;
    trainer.unsaved = warn;
    trainer.evaluated = save_evaluated;
    trainer.seed = t->seed;
    trainer.shards = t->shards;
    trainer.group = t->config->group;
    trainer.trained = t->start->model.params != NULL;
    trainer.checkpoint = t->checkpoint;
    trainer.same_run = check_run;
    trainer.setting = t->config->listener.setting ? name_setting : NULL;
    return trainer;
}

static lb_status train(lb_training *t, lb_error *error)
{
    lb_trainer_config trainer = lb_training_trainer(t);
    char *run = lb_run_identity(t);
    if (!run) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    trainer.run = run;
    t->trainer = &trainer;
    lb_status status = lb_train(trainer, &t->history, error);
    t->trainer = NULL;
    lb_release(run);
    return status;
}

/* The model once more, now with the record of the whole training. */
static lb_status finish(lb_training *t, lb_error *error)
{
    const lb_training_listener *listener = &t->config->listener;
    lb_status status = save_model(t, t->model_file, t->run.kept, error);
    if (!status) status = lb_training_log_write(t->log, &t->history, error);
    if (!status) status = lb_training_log_write(t->table, &t->history, error);
    if (!status) status = lb_film_save(&t->film, error);
    if (!status && listener->ended) status = listener->ended(listener->context, &t->run, error);
    return status;
}

/* The model and its checkpoint may be links, to another disk. */
static lb_status check_links(const lb_training *t, lb_error *error)
{
    const char *const files[] = {t->log, t->table, t->film_file};
    lb_status status = LB_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !status; i++)
        status = lb_own_check(files[i], "a file", error);
    return status;
}

lb_status lb_training_do(lb_training *t, lb_error *error)
{
    const lb_training_listener *listener = &t->config->listener;
    bool leads = lb_group_leads(t->config->group);
    lb_status status = leads ? check_links(t, error) : LB_OK;
    if (!status && t->config->fresh && leads) status = lb_set_aside(t->model_file, &t->set_aside, error);
    if (status) return status;
    t->run.set_aside = t->set_aside;
    if (listener->begun) listener->begun(listener->context, &t->run);
    status = train(t, error);
    if (status) return status;
    t->run.kept = kept_point(t);
    return leads ? finish(t, error) : LB_OK;
}
