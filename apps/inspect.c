/* Prints the contents of a model file. */
#include "common/options.h"
#include "common/report.h"
#include "programs.h"

#include "data/sort_task_json.h"
#include "io/dtype.h"
#include "translate/model_path.h"
#include "translate/text_model.h"
#include <lookback/lookback.h>

#include <cJSON.h>
#include <inttypes.h>
#include <stdio.h>

enum { SAMPLE = 20 };

/* A file and its contents. */
typedef struct subject {
    char *path;
    lb_safetensors *file;
    lb_params *params;
    const lb_model *model;
    cJSON *config, *task, *training, *source, *target; /* NULL: missing */
} subject;

/* The JSON value of a metadata key; NULL if it is missing or invalid. */
static cJSON *parse(const lb_safetensors *file, const char *key)
{
    const char *text = lb_safetensors_metadata_value(file, key);
    return text ? cJSON_ParseWithOpts(text, NULL, true) : NULL;
}

static lb_status open_subject(subject *s, const char *model, lb_error *error)
{
    lb_error found = {0};
    s->params = lb_params_new(0);
    if (!s->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    s->file = lb_model_file_open(model, &s->path, error);
    if (!s->file) return error->status;
    s->model = lb_model_load(s->file, s->params, NULL, &found);
    if (!s->model) return lb_name_file(s->path, &found, error);
    s->config = parse(s->file, "lookback.config");
    s->task = parse(s->file, LB_SORT_TASK_KEY);
    s->training = parse(s->file, LB_TRAINING_KEY);
    s->source = parse(s->file, LB_SOURCE_VOCABULARY_KEY);
    s->target = parse(s->file, LB_TARGET_VOCABULARY_KEY);
    return LB_OK;
}

static void close_subject(subject *s)
{
    cJSON_Delete(s->config);
    cJSON_Delete(s->task);
    cJSON_Delete(s->training);
    cJSON_Delete(s->source);
    cJSON_Delete(s->target);
    lb_params_free(s->params);
    lb_safetensors_close(s->file);
    lb_release(s->path);
}

/* Prints a text from a file that may be untrusted: escapes characters that control a terminal. */
static void print_visible(const char *text)
{
    while (*text) {
        size_t bytes = app_visible(text);
        if (bytes > 0)
            fwrite(text, 1, bytes, stdout);
        else
            printf("\\x%02x", (unsigned)(unsigned char)*text);
        text += bytes ? bytes : 1;
    }
}

static void print_value(const cJSON *value)
{
    char *text = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    if (cJSON_IsString(value)) printf("\"");
    print_visible(text ? text : cJSON_IsString(value) ? value->valuestring : "");
    if (cJSON_IsString(value)) printf("\"");
    cJSON_free(text);
}

/* Prints a line for each value; those of an object are below its name. */
static void print_tree(const cJSON *object, int indent)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        printf("%*s", indent, "");
        print_visible(item->string ? item->string : "-");
        bool deeper = cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child));
        if (!deeper) {
            printf(": ");
            print_value(item);
        }
        putchar('\n');
        if (deeper) print_tree(item, indent + 2);
    }
}

static void print_section(const char *title, const cJSON *object)
{
    if (!object) return;
    printf("%s\n", title);
    print_tree(object, 2);
}

static void print_symbol(const cJSON *symbol)
{
    if (!cJSON_IsString(symbol)) return;
    printf(" \"");
    print_visible(lb_symbol_name(symbol->valuestring));
    putchar('"');
}

static void print_vocabulary(const char *which, const cJSON *symbols)
{
    if (!cJSON_IsArray(symbols)) return;
    int count = cJSON_GetArraySize(symbols), end = LB_FIRST_TOKEN + SAMPLE;
    printf("vocabulary of the %s: %d symbols\n ", which, count);
    for (int id = LB_FIRST_TOKEN; id < count && id < end; id++) print_symbol(cJSON_GetArrayItem(symbols, id));
    printf("%s\n", count > end ? " ..." : "");
}

static void print_tensors(const lb_safetensors *file)
{
    printf("tensors\n");
    for (size_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        char shape[LB_SHAPE_TEXT];
        printf("  ");
        print_visible(tensor->name);
        printf(" %s %s\n", lb_dtype_name(tensor->dtype), lb_shape_format(tensor->shape, shape));
    }
}

static void print_text(const subject *s, bool tensors)
{
    printf("file: %s\n", s->path);
    printf("kind: %s\n", s->model->kind->name);
    printf("parameters: %" PRId64 "\n", lb_params_learned(s->params));
    print_section("configuration", s->config);
    print_section("task", s->task);
    print_vocabulary(s->target ? "sources" : "sources and targets", s->source);
    print_vocabulary("targets", s->target);
    print_section("training", s->training);
    if (tensors) print_tensors(s->file);
}

static void add_tensors(cJSON *json, const lb_safetensors *file)
{
    cJSON *all = cJSON_AddArrayToObject(json, "tensors");
    for (size_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", tensor->name);
        cJSON_AddStringToObject(one, "dtype", lb_dtype_name(tensor->dtype));
        cJSON *shape = cJSON_AddArrayToObject(one, "shape");
        for (int d = 0; d < tensor->shape.ndim; d++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape.dim[d]));
        cJSON_AddItemToArray(all, one);
    }
}

/* Moves a part of the subject into the object, if it exists. */
static void move(cJSON *json, const char *key, cJSON **part)
{
    if (*part) cJSON_AddItemToObject(json, key, *part);
    *part = NULL;
}

static lb_status print_json(subject *s, bool tensors, lb_error *error)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "file", s->path);
    cJSON_AddStringToObject(json, "kind", s->model->kind->name);
    cJSON_AddNumberToObject(json, "parameters", (double)lb_params_learned(s->params));
    move(json, "config", &s->config);
    move(json, "task", &s->task);
    move(json, "source_vocabulary", &s->source);
    move(json, "target_vocabulary", &s->target);
    move(json, "training", &s->training);
    if (tensors) add_tensors(json, s->file);
    char *text = cJSON_PrintUnformatted(json);
    if (text) puts(text);
    cJSON_Delete(json);
    lb_status status = text ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    cJSON_free(text);
    return status;
}

static int inspect(const char *model, bool json, bool tensors)
{
    subject s = {0};
    lb_error error = {0};
    lb_status status = open_subject(&s, model, &error);
    if (s.model && json)
        status = print_json(&s, tensors, &error);
    else if (s.model)
        print_text(&s, tensors);
    close_subject(&s);
    return app_close_stdout(status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Show the configuration, the training and the symbols of a model.", "lookback inspect out"},
    {"List its tensors, too, as JSON.", "lookback inspect out --tensors --json > model.json"},
};

int inspect_main(int argc, char **argv)
{
    bool json = false, tensors = false;
    const app_option options[] = {
        APP_FLAG(0, "json", &json, "print a JSON object, with complete vocabularies"),
        APP_FLAG(0, "tensors", &tensors, "also print names, types and shapes of all tensors"),
    };
    const app_program program = {
        .name = "inspect",
        .purpose = "Prints what a model file contains: kind, configuration, size, training and vocabularies. "
                   "MODEL is a file or the folder that it was written to.",
        .operands = "MODEL",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    return inspect(argv[0], json, tensors);
}
