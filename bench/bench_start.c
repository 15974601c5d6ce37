/* Writes the start of a run of train_sort: the initial weights, the lists of all its steps, and its recipe.
 * bench/torch_sort.py starts from it, so that both train the same model on the same lists. */
#include "cli/options.h"
#include "console/console.h"

#include "data/lists/sort_task.h"
#include <cJSON.h>
#include <lookback/lookback.h>

#include <stdio.h>

enum { HELD_OUT = 2000, MOST_TENSORS = 64, RECIPE = 512 };

/* The fixed settings of train_sort, in addition to those in a checkpoint. */
static const char recipe[] = "{\"embed\":%lld,\"hidden\":%lld,\"batch\":%lld,\"steps\":%lld,\"lr\":%.9g,"
                             "\"clip_norm\":1,\"average\":0.998,\"target\":0.99,\"evaluate_every\":250}";

typedef struct start {
    lb_params *params;
    lb_sort_task task;
    int64_t lists; /* of all steps */
    char recipe[RECIPE];
} start;

static long long whole(const cJSON *run, const char *field)
{
    return (long long)cJSON_GetNumberValue(cJSON_GetObjectItem(run, field));
}

static lb_status read_run(start *s, const cJSON *run, lb_error *error)
{
    const cJSON *model = cJSON_GetObjectItem(run, "model");
    double lr = cJSON_GetNumberValue(cJSON_GetObjectItem(run, "lr")),
           seed = cJSON_GetNumberValue(cJSON_GetObjectItem(run, "seed"));
    char *task = cJSON_PrintUnformatted(cJSON_GetObjectItem(run, "task"));
    lb_status status = lb_sort_task_parse(task, &s->task, error);
    cJSON_free(task);
    if (status) return status;
    s->task.seed = (uint64_t)seed;
    s->lists = whole(run, "steps") * whole(run, "batch");
    s->params = lb_params_new(s->task.seed);
    if (!s->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    char *json = cJSON_PrintUnformatted(model);
    lb_seq2seq_config config = {0};
    lb_seq2seq made;
    status = lb_config_read(lb_model_fields("seq2seq"), json ? json : "", &config, error);
    cJSON_free(json);
    if (!status && lb_seq2seq_init(&made, s->params, "", config))
        status = lb_error_set(error, lb_params_status(s->params), "%s", lb_params_error(s->params));
    if (status) return status;
    snprintf(s->recipe, sizeof s->recipe, recipe, whole(model, "embed"), whole(model, "hidden"),
             whole(run, "batch"), whole(run, "steps"), lr);
    return LB_OK;
}

static lb_status read_checkpoint(start *s, const char *path, lb_error *error)
{
    lb_safetensors *file = lb_safetensors_open(path, error);
    if (!file) return error->status;
    const char *text = lb_safetensors_metadata_value(file, "lookback.run");
    cJSON *run = text ? cJSON_Parse(text) : NULL;
    lb_status status = run ? read_run(s, run, error)
                           : lb_error_set(error, LB_ERROR_FORMAT, "%s is no checkpoint of train_sort", path);
    cJSON_Delete(run);
    lb_safetensors_close(file);
    return status;
}

/* Lists as rows of numbers, with -1 after their ends. */
static lb_safetensors_tensor draw(const start *s, const char *name, lb_split split, int64_t count,
                                  int32_t *values)
{
    int32_t width = s->task.max_length;
    for (int64_t i = 0; i < count; i++) {
        int32_t *row = values + i * width;
        for (int32_t j = lb_sort_draw(&s->task, split, (uint64_t)i, row); j < width; j++) row[j] = -1;
    }
    return (lb_safetensors_tensor){name, LB_DTYPE_I32, LB_SHAPE(count, width), values};
}

static lb_status write_start(const start *s, const char *path, lb_error *error)
{
    lb_safetensors_tensor tensors[MOST_TENSORS];
    size_t count = 0;
    for (int i = 0; i < lb_params_count(s->params) && count < MOST_TENSORS - 2; i++) {
        const lb_tensor *weight = lb_params_tensor(s->params, i);
        tensors[count++] =
            (lb_safetensors_tensor){lb_params_name(s->params, i), LB_DTYPE_REAL, weight->shape, weight->data};
    }
    size_t width = (size_t)s->task.max_length;
    int32_t *lists = lb_alloc(((size_t)s->lists + HELD_OUT) * width * sizeof *lists);
    if (!lists)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld lists", (long long)s->lists);
    tensors[count++] = draw(s, "lists", LB_SPLIT_TRAIN, s->lists, lists);
    tensors[count++] = draw(s, "held_out", LB_SPLIT_TEST, HELD_OUT, lists + (size_t)s->lists * width);
    const lb_safetensors_metadata metadata = {"recipe", s->recipe};
    lb_status status = lb_safetensors_write(tensors, (int64_t)count, &metadata, 1, path, error);
    lb_release(lists);
    return status;
}

int main(int argc, char **argv)
{
    const app_program program = {
        .name = "bench_start",
        .purpose =
            "Writes the initial weights and all lists of a run of train_sort to FILE, given its checkpoint.",
        .operands = "CHECKPOINT FILE",
        .min_operands = 2,
        .max_operands = 2,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    start s = {.params = NULL};
    lb_status failed = read_checkpoint(&s, argv[0], &error);
    if (!failed) failed = write_start(&s, argv[1], &error);
    lb_params_free(s.params);
    return failed ? app_fail(&error) : 0;
}
