#include "common/pair_training.h"

#include "common/report.h"

#include "base/buffer.h"
#include "base/utf8.h"

#include <string.h>

static const char MODEL[] = "model.safetensors", CHECKPOINT[] = "checkpoint.safetensors", LOG[] = "log.jsonl",
                  CHART[] = "training.png";

lb_status app_pair_training_init(app_pair_training *t, lb_error *error)
{
    const app_pair_data *data = t->data;
    int batch = app_pair_settings_batch(t->settings, lb_pairs_count(data->train));
    t->smoothing = app_pair_settings_smoothing(t->settings, lb_pairs_count(data->train));
    t->order = lb_pair_order_new(data->train, batch, t->seed, error);
    if (!t->order) return error->status;
    t->steps = app_pair_settings_steps(t->settings, lb_pair_order_batches(t->order));
    t->params = lb_params_new(t->seed);
    if (!t->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    t->model = app_pair_settings_model(t->settings, lb_vocabulary_size(data->source),
                                       lb_vocabulary_size(data->target), t->params, error);
    return t->model ? LB_OK : error->status;
}

void app_pair_training_free(app_pair_training *t)
{
    lb_release(t->history.points);
    lb_pair_order_free(t->order);
    lb_params_free(t->params);
}

static lb_tensor *loss_of_step(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    app_pair_training *t = context;
    app_pair_data *data = t->data;
    lb_pair_step now = lb_pair_order_at(t->order, step);
    lb_batch batch = lb_pair_batch(data->train, data->source, data->target, tape, now.pair, now.count);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    double share = (double)step / (double)t->steps;
    lb_scheduled_sampling sampling = {.probability = share * t->settings->scheduled_sampling,
                                      .seed = t->seed};
    lb_tokens target_in = lb_scheduled_tokens(t->model, batch.source, batch.target_in, sampling, step);
    lb_tensor *logits = lb_model_forward(t->model, batch.source, target_in);
    return lb_cross_entropy_smoothed(logits, batch.target_out, LB_PAD, (lb_real)t->smoothing);
}

static lb_status exact_match(void *context, lb_tape *tape, double *measure)
{
    app_pair_training *t = context;
    app_pair_data *data = t->data;
    return lb_pair_evaluate(t->model, data->dev, data->source, data->target, &data->sample, tape, measure);
}

static void begin_progress(app_pair_training *t, int64_t done)
{
    t->stepped = true;
    if (done > 0)
        app_note("%s%sgoes on after step %lld of %lld", t->name ? t->name : "", t->name ? ": " : "",
                 (long long)done, (long long)t->steps);
    app_progress_init(&t->progress, (app_progress_config){.unit = t->name, .first = done, .total = t->steps});
}

static void show_progress(void *context, int64_t step, double loss, const lb_train_point *last, double tokens,
                          double seconds)
{
    app_pair_training *t = context;
    char rate[APP_SHORT], exact[APP_SHORT] = "";
    if (!t->progress.updated) begin_progress(t, step - 1);
    if (last) snprintf(exact, sizeof exact, "  exact match %.3f", last->measure);
    app_progress_update(&t->progress, step, "loss %.4f%s  %s tokens/s", loss, exact,
                        app_short_count(seconds > 0 ? tokens / seconds : 0, rate));
}

/* The lines of the log as a list. */
static void print_history(lb_buffer *json, const lb_train_history *history)
{
    char *lines = lb_train_history_json(history);
    json->failed = json->failed || !lines;
    if (!lines) return;
    size_t length = strlen(lines);
    for (size_t i = 0; i + 1 < length; i++)
        if (lines[i] == '\n') lines[i] = ',';
    lb_buffer_print(json, "[%.*s]", length > 0 ? (int)length - 1 : 0, lines);
    lb_release(lines);
}

char *app_pair_training_record(const app_pair_training *t)
{
    lb_buffer json = {0};
    const lb_train_history *history = &t->history;
    const lb_train_point *best = lb_train_best(history), none = {0};
    const lb_train_point *last = best ? &history->points[history->count - 1] : &none;
    best = best ? best : &none;
    lb_buffer_print(&json, "{\"steps\":%lld,\"seconds\":%.3f,\"exact_match\":%.9g,\"best_step\":%lld,",
                    (long long)last->step, last->seconds, best->measure, (long long)best->step);
    lb_buffer_print(&json, "\"seed\":%llu,", (unsigned long long)t->seed);
    /* a file name need not be UTF-8, which a model's file must be */
    if (t->options && lb_utf8_valid(t->options, strlen(t->options)))
        lb_buffer_print(&json, "\"options\":%s,", t->options);
    lb_buffer_print(&json, "\"history\":");
    print_history(&json, history);
    lb_buffer_print(&json, "}");
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_status save_model(const app_pair_training *t, lb_error *error)
{
    char path[APP_PATH];
    char *record = app_pair_training_record(t);
    if (!record) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory while saving");
    lb_translator translator = app_pair_data_translator(t->data, t->model, t->params);
    translator.training = record;
    lb_status status = lb_translator_save(app_path(t->folder, MODEL, path), &translator, error);
    lb_release(record);
    return status;
}

static lb_status save_better(void *context, const lb_train_history *history, lb_error *error)
{
    app_pair_training *t = context;
    t->history = *history; /* the loop's own, which has grown; that of the training when it is done */
    return save_model(t, error);
}

static lb_status write_log(void *context, const lb_train_history *history, lb_error *error)
{
    app_pair_training *t = context;
    char path[APP_PATH];
    return app_append_log(app_path(t->folder, LOG, path), history, &t->logged, error);
}

/* What tells this training from any other; NULL if there is no memory. Patience is not in it: a run that has stopped can
 * be told to go on with more. */
static char *identity(const app_pair_training *t)
{
    lb_buffer json = {0};
    const app_pair_settings *s = t->settings;
    char *model = t->model->kind->config_json(t->model);
    lb_buffer_print(&json, "{\"train\":\"%016llx\",\"dev\":\"%016llx\",\"min_count\":%d,",
                    (unsigned long long)lb_pairs_facts_of(t->data->train)->hash,
                    (unsigned long long)lb_pairs_facts_of(t->data->dev)->hash, s->min_count);
    lb_buffer_print(&json,
                    "\"batches\":%lld,\"steps\":%lld,\"evaluate_every\":%d,\"lr\":%.9g,\"warm_up\":%d,",
                    (long long)lb_pair_order_batches(t->order), (long long)t->steps, s->evaluate_every, s->lr,
                    s->warm_up);
    lb_buffer_print(&json, "\"label_smoothing\":%.9g,\"scheduled_sampling\":%.9g,\"seed\":%llu,\"model\":%s}",
                    t->smoothing, s->scheduled_sampling, (unsigned long long)t->seed, model ? model : "");
    bool failed = json.failed || !model;
    lb_release(model);
    if (!failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_trainer_config make_config(app_pair_training *t)
{
    const app_pair_settings *s = t->settings;
    return (lb_trainer_config){
        .params = t->params,
        .context = t,
        .loss = loss_of_step,
        .evaluate = exact_match,
        .progress = show_progress,
        .point = write_log,
        .better = save_better,
        .steps = t->steps,
        .evaluate_every = s->evaluate_every,
        .patience = s->patience,
        .keep_best = true,
        .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = s->lr, .warm_up = s->warm_up, .period = t->steps},
        .adam = {.clip_norm = (lb_real)app_pair_default.clip_norm},
        .average = app_pair_default.average,
        .seed = t->seed,
        .fresh = s->fresh,
    };
}

/* Once more, now with the record of the whole training. */
static lb_status save_all(app_pair_training *t, lb_error *error)
{
    char path[APP_PATH];
    app_measure measure = {.name = "dev error", .label = "Share of wrong answers", .error = true};
    lb_status status = save_model(t, error);
    if (!status) status = app_write_log(app_path(t->folder, LOG, path), &t->history, error);
    if (!status) status = app_draw_training(app_path(t->folder, CHART, path), &t->history, measure, error);
    return status;
}

lb_status app_pair_training_run(app_pair_training *t, lb_error *error)
{
    char checkpoint[APP_PATH];
    lb_train_history history;
    lb_trainer_config config = make_config(t);
    char *run = identity(t);
    if (!run) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    config.checkpoint = app_path(t->folder, CHECKPOINT, checkpoint);
    config.run = run;
    lb_status status = lb_train(&config, &history, error);
    t->history = history;
    app_progress_end(&t->progress);
    lb_release(run);
    if (status == LB_ERROR_FORMAT && strncmp(error->message, checkpoint, strlen(checkpoint)) == 0)
        app_note("%s cannot be gone on from; --fresh starts anew in its place, another --out beside it",
                 checkpoint);
    if (!status && !t->stepped)
        app_note("the model in %s has been trained already; --fresh trains it again", t->folder);
    return status ? status : save_all(t, error);
}
