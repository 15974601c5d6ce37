/* The state of a training in its checkpoint: what lb_train writes at evaluations and reads to resume. */
#include "base/alloc.h"
#include "io/path.h"
#include "io/run_differences.h"
#include "io/safetensors.h"
#include "lookback/models.h"
#include "models/file/model_formats.h"
#include "train/optimizer.h"
#include "train/trainer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char AVERAGE[] = "average", BEST[] = "best", HISTORY[] = "history", PROGRESS[] = "progress";

enum { OTHERS = 4 }; /* arrays that are not of the optimiser */

/* Numbers in double per point: those of each test come last. */
enum {
    POINT_NUMBERS = 9,
    ALL_NUMBERS = POINT_NUMBERS + LB_OWN_MEASURES,
    TEST_NUMBERS = 3,
    MOST_NUMBERS = ALL_NUMBERS + TEST_NUMBERS * LB_MOST_TESTS
};

/* The other numbers of a state, in double. */
enum { STEP, LOSS_SUM, SECONDS, TOKENS, PROGRESS_NUMBERS };

static void copy_number(double *field, double *number, bool loads)
{
    *(loads ? field : number) = *(loads ? number : field);
}

/* Copies the numbers of a point, `width` without those of the tests, from the file or to it. The step is the first:
 * double is exact up to 2^53. */
static void copy_point(lb_train_point *p, double *number, int64_t width, int tests, bool loads)
{
    double step = (double)p->step, *own = p->dev.own;
    double *const fields[ALL_NUMBERS] = {&step,
                                         &p->loss,
                                         &p->dev.exact_match,
                                         &p->dev.symbol_error,
                                         &p->dev.loss,
                                         &p->lr,
                                         &p->grad_norm,
                                         &p->seconds,
                                         &p->tokens,
                                         &own[0],
                                         &own[1],
                                         &own[2],
                                         &own[3]};
    for (int64_t i = 0; i < width; i++) copy_number(fields[i], number++, loads);
    for (lb_evaluation *test = p->test; test < p->test + tests; test++) {
        copy_number(&test->exact_match, number++, loads);
        copy_number(&test->symbol_error, number++, loads);
        copy_number(&test->loss, number++, loads);
    }
    p->step = (int64_t)step;
}

lb_status lb_train_history_add(lb_train_history *history, lb_train_point point, lb_error *error)
{
    size_t capacity = (size_t)history->capacity;
    if (!lb_alloc_more(&history->points, (size_t)history->count, &capacity, sizeof point))
        return lb_no_memory(error, "the history of the training");
    history->capacity = (int64_t)capacity;
    history->points[history->count++] = point;
    return LB_OK;
}

/* Only a program with measures of its own has more numbers. */
static int64_t point_width(const lb_train_history *history)
{
    for (int64_t i = 0; i < history->count; i++)
        for (int k = 0; k < LB_OWN_MEASURES; k++)
            if (history->points[i].dev.own[k] != 0) return ALL_NUMBERS;
    return POINT_NUMBERS;
}

lb_status lb_resume_save(const lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *config = t->config;
    const lb_train_history *history = t->history;
    const int64_t own = point_width(history), width = own + (int64_t)config->tests * TEST_NUMBERS;
    double *numbers = lb_alloc((size_t)(history->count * width) * sizeof *numbers);
    if (!numbers)
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", config->checkpoint);
    for (int64_t i = 0; i < history->count; i++)
        copy_point(&history->points[i], numbers + i * width, own, config->tests, false);
    const double progress[PROGRESS_NUMBERS] = {
        [STEP] = (double)t->step, [LOSS_SUM] = t->loss_sum, [SECONDS] = t->seconds, [TOKENS] = t->tokens};
    lb_shape slab = LB_SHAPE(lb_params_size(config->params));
    lb_safetensors_tensor tensors[OTHERS + LB_OPTIMIZER_SLABS] = {
        {.name = PROGRESS, .dtype = LB_DTYPE_F64, .shape = LB_SHAPE(PROGRESS_NUMBERS), .data = progress}};
    int64_t count = 1 + lb_optimizer_state(t->optimizer, tensors + 1);
    if (history->count > 0)
        tensors[count++] =
            (lb_safetensors_tensor){HISTORY, LB_DTYPE_F64, LB_SHAPE(history->count, width), numbers};
    if (t->average) tensors[count++] = (lb_safetensors_tensor){AVERAGE, LB_DTYPE_REAL, slab, t->average};
    if (t->best) tensors[count++] = (lb_safetensors_tensor){BEST, LB_DTYPE_REAL, slab, t->best};
    const lb_safetensors_metadata metadata[] = {{LB_RUN_KEY, config->run ? config->run : ""}};
    lb_checkpoint_extra extra = {tensors, count, metadata, 1};
    lb_status status = lb_checkpoint_save(config->params, config->checkpoint, extra, error);
    lb_release(numbers);
    return status;
}

static lb_run_words words_of(const lb_trainer_config *config)
{
    return (lb_run_words){config->setting, config->context};
}

static lb_status check_run(const lb_trainer_config *config, const lb_safetensors *file, lb_error *error)
{
    lb_run_differences differences;
    const char *run = lb_safetensors_metadata_value(file, LB_RUN_KEY), *ours = config->run ? config->run : "";
    if (!run) return lb_error_set(error, LB_ERROR_FORMAT, "it is not a checkpoint of a training run");
    if (config->same_run) return config->same_run(config->context, run, error);
    const lb_run_words words = words_of(config);
    lb_status status = lb_run_compare(run, ours, &differences, error);
    return status ? status : lb_run_refuse(&words, "", &differences, error);
}

static lb_status load_history(const lb_safetensors *file, int tests, lb_train_history *history,
                              lb_error *error)
{
    const lb_safetensors_tensor *found = lb_safetensors_find(file, HISTORY);
    const int64_t width = found && found->shape.ndim == 2 ? found->shape.dim[1] : 0,
                  own = width - (int64_t)tests * TEST_NUMBERS;
    if (!found || found->dtype != LB_DTYPE_F64 || (own != POINT_NUMBERS && own != ALL_NUMBERS) ||
        found->shape.dim[0] < 1)
        return lb_error_set(error, LB_ERROR_FORMAT, "it has no history of a training run");
    for (int64_t i = 0; i < found->shape.dim[0]; i++) {
        double numbers[MOST_NUMBERS];
        lb_train_point point = {0};
        memcpy(numbers, (const double *)found->data + i * width, (size_t)width * sizeof *numbers);
        copy_point(&point, numbers, own, tests, true);
        if (lb_train_history_add(history, point, error)) return LB_ERROR_MEMORY;
    }
    return LB_OK;
}

lb_status lb_train_history_load(const char *checkpoint, int tests, lb_train_history *history, lb_error *error)
{
    lb_error found = {0};
    lb_status status = lb_own_check_content(checkpoint, error);
    lb_safetensors *file = status ? NULL : lb_safetensors_open(checkpoint, error);
    if (!file) return error->status;
    status = load_history(file, tests, history, &found);
    lb_safetensors_close(file);
    return status ? lb_name_file(checkpoint, &found, error) : LB_OK;
}

/* A checkpoint without a progress record was written right after an evaluation. */
static lb_status load_progress(const lb_safetensors *file, lb_trainer *t, lb_error *error)
{
    static const double MOST_STEPS = 9007199254740992.0; /* 2^53 */
    const lb_safetensors_tensor *found = lb_safetensors_find(file, PROGRESS);
    double numbers[PROGRESS_NUMBERS] = {[STEP] = -1};
    if (!found) {
        lb_status status = load_history(file, t->config->tests, t->history, error);
        if (status) return status;
        const lb_train_point *last = lb_train_last(t->history);
        t->step = last->step;
        t->seconds = last->seconds;
        t->tokens = last->tokens;
        return LB_OK;
    }
    if (found->dtype == LB_DTYPE_F64 && lb_shape_equal(found->shape, LB_SHAPE(PROGRESS_NUMBERS)))
        memcpy(numbers, found->data, sizeof numbers);
    if (!(numbers[STEP] >= 0 && numbers[STEP] <= MOST_STEPS))
        return lb_error_set(error, LB_ERROR_FORMAT, "invalid \"%s\"", PROGRESS);
    t->step = (int64_t)numbers[STEP];
    t->loss_sum = numbers[LOSS_SUM];
    t->seconds = numbers[SECONDS];
    t->tokens = numbers[TOKENS];
    return lb_safetensors_find(file, HISTORY) ? load_history(file, t->config->tests, t->history, error)
                                              : LB_OK;
}

static lb_status load_slabs(const lb_safetensors *file, const lb_trainer *t, lb_error *error)
{
    lb_params *params = t->config->params;
    lb_status status = lb_checkpoint_load(file, params, error);
    lb_shape slab = LB_SHAPE(lb_params_size(params));
    if (!status) status = lb_optimizer_load_state(t->optimizer, file, error);
    if (!status && t->average) status = lb_checkpoint_read(file, AVERAGE, slab, t->average, error);
    if (!status && t->best) status = lb_checkpoint_read(file, BEST, slab, t->best, error);
    return status;
}

static lb_status check_steps(const lb_trainer_config *config, int64_t done, lb_error *error)
{
    char steps[LB_RUN_WORD], setting[2 * LB_RUN_WORD];
    if (done <= config->steps) return LB_OK;
    const lb_run_words words = words_of(config);
    snprintf(steps, sizeof steps, "%lld", (long long)config->steps);
    return lb_error_set(error, LB_ERROR_FORMAT, "it is at step %lld, this run has %s", (long long)done,
                        lb_run_setting(&words, "steps", steps, setting));
}

static lb_status load(const lb_safetensors *file, lb_trainer *t, lb_error *error)
{
    lb_status status = check_run(t->config, file, error);
    if (!status) status = load_slabs(file, t, error);
    if (!status) status = load_progress(file, t, error);
    if (!status) status = check_steps(t->config, t->step, error);
    if (!status) t->optimizer->steps = t->step;
    return status;
}

lb_status lb_resume_load(lb_trainer *t, lb_error *error)
{
    const char *path = t->config->checkpoint;
    lb_os_info found_file;
    /* Anything else, such as a disk that fails or a link to nothing, must not start the training again. */
    if (!lb_os_info_at(path, false, &found_file) && errno == ENOENT) return LB_OK;
    lb_error found = {0};
    lb_status status = lb_own_check_content(path, &found);
    lb_safetensors *file = status ? NULL : lb_safetensors_open(path, &found);
    status = file ? load(file, t, &found) : found.status;
    lb_safetensors_close(file);
    if (!status) return LB_OK;
    /* Name the path first, and only once. */
    const char *why = found.message;
    if (strncmp(why, path, strlen(path)) == 0) why += strlen(path) + strspn(why + strlen(path), ": ");
    return lb_error_set(error, status, "cannot resume from %s: %s", path, why);
}
