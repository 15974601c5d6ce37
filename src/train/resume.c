#include "train/resume.h"

#include "base/alloc.h"
#include "io/own_file.h"
#include "lookback/models.h"
#include "tensor/finite.h"
#include "train/optimizer.h"
#include "train/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char FIRST[] = "adam.first", SECOND[] = "adam.second", AVERAGE[] = "average", BEST[] = "best",
                  HISTORY[] = "history", PROGRESS[] = "progress";

/* Numbers in double per point. The step is one of them: double is exact up to 2^53. */
enum { POINT_NUMBERS = 9 };

/* The other numbers of a state, in double. */
enum { STEP, LOSS_SUM, SECONDS, TOKENS, PROGRESS_NUMBERS };

static void point_to_numbers(const lb_train_point *p, double *n)
{
    const double all[POINT_NUMBERS] = {(double)p->step,     p->loss,     p->dev.exact_match,
                                       p->dev.symbol_error, p->dev.loss, p->lr,
                                       p->grad_norm,        p->seconds,  p->tokens};
    memcpy(n, all, sizeof all);
}

static lb_train_point point_from_numbers(const double *n)
{
    return (lb_train_point){.step = (int64_t)n[0],
                            .loss = n[1],
                            .dev = {.exact_match = n[2], .symbol_error = n[3], .loss = n[4]},
                            .lr = n[5],
                            .grad_norm = n[6],
                            .seconds = n[7],
                            .tokens = n[8]};
}

lb_status lb_train_history_add(lb_train_history *history, lb_train_point point, lb_error *error)
{
    if (history->count == history->capacity) {
        int64_t capacity = history->capacity ? 2 * history->capacity : 64;
        lb_train_point *grown = lb_alloc_grow(history->points, (size_t)history->count * sizeof *grown,
                                              (size_t)capacity * sizeof *grown);
        if (!grown)
            return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the history of the training");
        history->points = grown;
        history->capacity = capacity;
    }
    history->points[history->count++] = point;
    return LB_OK;
}

lb_status lb_resume_save(const lb_trainer_config *config, const lb_train_state *state, lb_error *error)
{
    const lb_train_history *history = state->history;
    double *numbers = lb_alloc((size_t)(history->count * POINT_NUMBERS) * sizeof *numbers);
    if (!numbers)
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", config->checkpoint);
    for (int64_t i = 0; i < history->count; i++)
        point_to_numbers(&history->points[i], numbers + i * POINT_NUMBERS);
    const double progress[PROGRESS_NUMBERS] = {[STEP] = (double)state->step,
                                               [LOSS_SUM] = state->loss_sum,
                                               [SECONDS] = state->seconds,
                                               [TOKENS] = state->tokens};
    lb_shape slab = LB_SHAPE(lb_params_size(config->params));
    size_t count = 3;
    lb_safetensors_tensor tensors[6] = {
        {.name = PROGRESS, .dtype = LB_DTYPE_F64, .shape = LB_SHAPE(PROGRESS_NUMBERS), .data = progress},
        {.name = FIRST, .dtype = LB_DTYPE_REAL, .shape = slab, .data = lb_adam_first_moments(state->adam)},
        {.name = SECOND, .dtype = LB_DTYPE_REAL, .shape = slab, .data = lb_adam_second_moments(state->adam)},
    };
    if (history->count > 0)
        tensors[count++] =
            (lb_safetensors_tensor){HISTORY, LB_DTYPE_F64, LB_SHAPE(history->count, POINT_NUMBERS), numbers};
    if (state->average)
        tensors[count++] = (lb_safetensors_tensor){AVERAGE, LB_DTYPE_REAL, slab, state->average};
    if (state->best) tensors[count++] = (lb_safetensors_tensor){BEST, LB_DTYPE_REAL, slab, state->best};
    const lb_safetensors_metadata metadata[] = {{LB_RUN_KEY, config->run ? config->run : ""}};
    lb_checkpoint_extra extra = {tensors, count, metadata, 1};
    lb_status status = lb_checkpoint_save(config->checkpoint, config->params, extra, error);
    lb_release(numbers);
    return status;
}

static lb_status check_run(const lb_trainer_config *config, const lb_safetensors *file, lb_error *error)
{
    lb_run_differences differences;
    const char *run = lb_safetensors_metadata_value(file, LB_RUN_KEY), *ours = config->run ? config->run : "";
    if (!run) return lb_error_set(error, LB_ERROR_FORMAT, "it is not a checkpoint of a training run");
    if (config->same_run) return config->same_run(config->context, run, error);
    lb_status status = lb_run_compare(run, ours, &differences, error);
    return status ? status : lb_run_refuse(config, "", &differences, error);
}

static lb_status load_history(const lb_safetensors *file, lb_train_history *history, lb_error *error)
{
    const lb_safetensors_tensor *found = lb_safetensors_find(file, HISTORY);
    if (!found || found->dtype != LB_DTYPE_F64 || found->shape.ndim != 2 ||
        found->shape.dim[1] != POINT_NUMBERS || found->shape.dim[0] < 1)
        return lb_error_set(error, LB_ERROR_FORMAT, "it has no history of a training run");
    for (int64_t i = 0; i < found->shape.dim[0]; i++) {
        double numbers[POINT_NUMBERS];
        memcpy(numbers, (const double *)found->data + i * POINT_NUMBERS, sizeof numbers);
        if (lb_train_history_add(history, point_from_numbers(numbers), error)) return LB_ERROR_MEMORY;
    }
    return LB_OK;
}

static lb_status read_progress(const lb_safetensors *file, double numbers[PROGRESS_NUMBERS], lb_error *error)
{
    static const double MOST_STEPS = 9007199254740992.0; /* 2^53 */
    const lb_safetensors_tensor *found = lb_safetensors_find(file, PROGRESS);
    bool fits = found->dtype == LB_DTYPE_F64 && lb_shape_equal(found->shape, LB_SHAPE(PROGRESS_NUMBERS));
    if (fits) memcpy(numbers, found->data, PROGRESS_NUMBERS * sizeof *numbers);
    if (fits && numbers[STEP] >= 0 && numbers[STEP] <= MOST_STEPS) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "invalid \"%s\"", PROGRESS);
}

/* A checkpoint without a progress record was written right after an evaluation. */
static lb_status load_progress(const lb_safetensors *file, lb_train_state *state, lb_error *error)
{
    if (!lb_safetensors_find(file, PROGRESS)) {
        lb_status status = load_history(file, state->history, error);
        if (status) return status;
        const lb_train_point *last = &state->history->points[state->history->count - 1];
        state->step = last->step;
        state->seconds = last->seconds;
        state->tokens = last->tokens;
        return LB_OK;
    }
    double numbers[PROGRESS_NUMBERS] = {0};
    lb_status status = read_progress(file, numbers, error);
    if (status) return status;
    state->step = (int64_t)numbers[STEP];
    state->loss_sum = numbers[LOSS_SUM];
    state->seconds = numbers[SECONDS];
    state->tokens = numbers[TOKENS];
    return lb_safetensors_find(file, HISTORY) ? load_history(file, state->history, error) : LB_OK;
}

/* Numbers for each parameter. One that is none would spread through the weights, and be noticed late or never. */
static lb_status load_slab(const lb_trainer_config *config, const lb_safetensors *file, const char *name,
                           lb_real *slab, lb_error *error)
{
    int64_t size = lb_params_size(config->params);
    lb_status status = lb_safetensors_read(file, name, LB_SHAPE(size), slab, error);
    int64_t bad = status ? -1 : lb_first_not_finite(slab, size);
    if (bad < 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "array '%s': found %g at index %lld, expected a number", name,
                        (double)slab[bad], (long long)bad);
}

static lb_status load_slabs(const lb_trainer_config *config, const lb_safetensors *file,
                            lb_train_state *state, lb_error *error)
{
    lb_status status = lb_checkpoint_load(file, config->params, error);
    if (!status) status = load_slab(config, file, FIRST, lb_adam_first_moments(state->adam), error);
    if (!status) status = load_slab(config, file, SECOND, lb_adam_second_moments(state->adam), error);
    if (!status && state->average) status = load_slab(config, file, AVERAGE, state->average, error);
    if (!status && state->best) status = load_slab(config, file, BEST, state->best, error);
    return status;
}

static lb_status check_steps(const lb_trainer_config *config, int64_t done, lb_error *error)
{
    char steps[LB_RUN_WORD], setting[2 * LB_RUN_WORD];
    if (done <= config->steps) return LB_OK;
    snprintf(steps, sizeof steps, "%lld", (long long)config->steps);
    return lb_error_set(error, LB_ERROR_FORMAT, "it is at step %lld, this run has %s", (long long)done,
                        lb_run_setting(config, "steps", steps, setting));
}

static lb_status load(const lb_trainer_config *config, const lb_safetensors *file, lb_train_state *state,
                      lb_error *error)
{
    lb_status status = check_run(config, file, error);
    if (!status) status = load_slabs(config, file, state, error);
    if (!status) status = load_progress(file, state, error);
    if (!status) status = check_steps(config, state->step, error);
    if (!status) lb_adam_set_steps(state->adam, state->step);
    return status == LB_ERROR_SHAPE ? LB_ERROR_FORMAT : status;
}

lb_status lb_resume_load(const lb_trainer_config *config, lb_train_state *state, lb_error *error)
{
    const char *path = config->checkpoint;
    struct stat found_file;
    /* Anything else, such as a disk that fails or a link to nothing, must not start the training again. */
    if (lstat(path, &found_file) != 0 && errno == ENOENT) return LB_OK;
    lb_error found = {0};
    lb_status status = lb_own_check_content(path, &found);
    lb_safetensors *file = status ? NULL : lb_safetensors_open(path, &found);
    status = file ? load(config, file, state, &found) : found.status;
    lb_safetensors_close(file);
    if (!status) return LB_OK;
    /* Name the path first, and only once. */
    const char *why = found.message;
    if (strncmp(why, path, strlen(path)) == 0) why += strlen(path) + strspn(why + strlen(path), ": ");
    return lb_error_set(error, status, "cannot resume from %s: %s", path, why);
}
