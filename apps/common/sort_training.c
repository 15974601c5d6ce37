#include "common/sort_training.h"

#include "common/report.h"
#include "data/sort_task_json.h"

#include <stdio.h>

lb_tensor *app_sort_loss(const app_sort_training *training, const lb_sort_task *task, lb_tape *tape,
                         int64_t step, int64_t *tokens)
{
    lb_batch batch = lb_sort_batch(task, tape, training->batch, step);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    lb_tensor *logits = lb_model_forward(training->model, batch.source, batch.target_in);
    return lb_cross_entropy(logits, batch.target_out, LB_PAD);
}

lb_trainer_config app_sort_recipe(const app_sort_training *training)
{
    return (lb_trainer_config){
        .params = training->params,
        .steps = training->steps,
        .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = training->lr, .period = training->steps},
        .adam = {.clip_norm = 1},
        .average = 0.998,
        .seed = training->task.seed,
    };
}

void app_sort_show(app_sort_training *training, int64_t step, double loss, const lb_train_point *last,
                   double tokens, double seconds)
{
    app_progress *progress = &training->progress;
    char rate[APP_SHORT], exact[APP_SHORT] = "";
    if (!progress->updated) {
        app_progress_config config = {.unit = training->name, .first = step - 1, .total = training->steps};
        app_progress_init(progress, config);
    }
    if (last) snprintf(exact, sizeof exact, "  exact match %.3f", last->measure);
    app_progress_update(progress, step, "loss %.4f%s  %s tokens/s", loss, exact,
                        app_short_count(seconds > 0 ? tokens / seconds : 0, rate));
}

lb_status app_sort_train(app_sort_training *training, const lb_trainer_config *config,
                         lb_train_history *history, lb_error *error)
{
    lb_status status = lb_train(config, history, error);
    app_progress_end(&training->progress);
    if (status == LB_ERROR_FORMAT)
        app_note("%s cannot be gone on from; --fresh starts anew", config->checkpoint);
    return status;
}

char *app_sort_identity(const app_sort_training *training, char text[APP_IDENTITY])
{
    const lb_model *model = training->model;
    char *config = model->kind->config_json(model), *task = lb_sort_task_print(&training->task);
    snprintf(text, APP_IDENTITY,
             "{\"steps\":%d,\"batch\":%d,\"lr\":%.9g,\"seed\":%llu,\"task\":%s,\"model\":%s}",
             training->steps, training->batch, training->lr, (unsigned long long)training->task.seed,
             task ? task : "", config ? config : "");
    lb_release(config);
    lb_release(task);
    return text;
}

lb_status app_sort_save(const app_sort_training *training, const char *path, const lb_train_history *history,
                        lb_error *error)
{
    char *task = lb_sort_task_print(&training->task), *log = lb_train_history_json(history);
    lb_status status =
        task && log ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    const lb_safetensors_metadata metadata[] = {{LB_SORT_TASK_KEY, task}, {"lookback.training", log}};
    if (!status) status = lb_model_save(path, training->model, training->params, metadata, 2, error);
    lb_release(task);
    lb_release(log);
    return status;
}
