#include "training/sort_training.h"

#include "console/interrupt.h"
#include "data/sort_task_json.h"
#include "models/file/model_formats.h"
#include "training/training_view.h"
#include "translate/file/list.h"
#include "translate/file/record.h"
#include "translate/file/text_model.h"

#include <stdio.h>

lb_tensor *app_sort_loss(const app_sort_training *training, const lb_sort_task *task, lb_tape *tape,
                         int64_t step, int64_t *tokens)
{
    lb_batch batch = lb_sort_batch(task, tape, training->batch, step);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    lb_tensor *logits = lb_model_forward(training->model, batch.source, batch.target_in);
    return lb_model_loss(training->model, logits, batch.target_out, LB_PAD, 0);
}

lb_trainer_config app_sort_recipe(const app_sort_training *training)
{
    return (lb_trainer_config){
        .params = training->params,
        .steps = training->steps,
        .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = training->lr, .period = training->steps},
        .optimizer = {.clip_norm = 1},
        .average = 0.998,
        .seed = training->task.seed,
    };
}

void app_sort_show(app_sort_training *training, int64_t step, double loss, const lb_train_point *last,
                   double tokens, double seconds)
{
    const lb_training_run run = {.name = training->name, .steps = training->steps};
    const lb_training_step done = {step, loss, last, tokens, seconds};
    app_show_step(&training->progress, &run, &done);
}

lb_status app_sort_train(app_sort_training *training, const lb_trainer_config *config,
                         lb_train_history *history, lb_error *error)
{
    lb_error found = {0};
    lb_trainer_config stoppable = *config;
    stoppable.stop = app_interrupted;
    stoppable.setting = app_name_setting;
    app_catch_interrupts();
    lb_status status = lb_train(stoppable, history, &found);
    app_release_interrupts();
    app_progress_end(&training->progress);
    return status ? app_say_what_helps(NULL, config->fresh, &found, error) : LB_OK;
}

char *app_sort_identity(const app_sort_training *training, char text[APP_IDENTITY])
{
    const lb_model *model = training->model;
    char *config = lb_model_config_json(model), *task = lb_sort_task_print(&training->task);
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
    lb_vocabulary *numbers = lb_list_vocabulary(&training->task, error);
    if (!numbers) return LB_ERROR_MEMORY;
    lb_text_model model = {.params = training->params,
                           .model = training->model,
                           .source = numbers,
                           .target = numbers,
                           .source_rule = lb_list_rule,
                           .target_rule = lb_list_rule,
                           .shortest_source = training->task.min_length,
                           .longest_source = training->task.max_length,
                           .longest_target = training->task.max_length,
                           .sorts = true,
                           .task = training->task};
    const lb_train_point *last = &history->points[history->count - 1];
    char *record = lb_training_record(history, last, training->task.seed, NULL, NULL);
    model.training = record;
    lb_status status = record ? lb_text_model_save(path, &model, error)
                              : lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    lb_release(record);
    lb_vocabulary_free(numbers);
    return status;
}
