/* Prints the contents of a model file. */
#include "cli/options.h"
#include "cli/options_in_force.h"
#include "cli/programs.h"
#include "console/console.h"

#include "data/sort_task_json.h"
#include "io/dtype.h"
#include "io/json.h"
#include "io/path.h"
#include "translate/file/model_path.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE = 20 };

/* A file and its contents. */
typedef struct subject {
    char *path;
    lb_safetensors *file;
    const char *kind;
    int64_t parameters;
    lb_error unusable;                                 /* why programs that apply the model refuse it */
    cJSON *config, *task, *training, *source, *target; /* NULL: missing, or not JSON */
} subject;

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

/* The JSON value of a metadata key. Only memory that has run out is an error. */
static lb_status parse(const lb_safetensors *file, const char *key, cJSON **value, lb_error *error)
{
    const char *text = lb_safetensors_metadata_value(file, key);
    bool lost = text && lb_json_parse(text, strlen(text), NULL, value) == LB_ERROR_MEMORY;
    return lost ? out_of_memory(error) : LB_OK;
}

/* Loads the model as `predict` does. What is wrong with it does not keep the rest from being shown. */
static lb_status try_model(subject *s, lb_error *error)
{
    lb_text_model model;
    lb_error found = {0};
    lb_status status = lb_text_model_load(s->file, NULL, &model, &found);
    lb_text_model_free(&model);
    if (status == LB_ERROR_MEMORY || (status && !s->kind)) return lb_name_file(s->path, &found, error);
    if (status) lb_name_file(s->path, &found, &s->unusable);
    return LB_OK;
}

static lb_status open_subject(subject *s, const char *model, lb_error *error)
{
    s->file = lb_model_file_open(model, &s->path, error);
    if (!s->file) return error->status;
    s->kind = lb_safetensors_metadata_value(s->file, "lookback.model");
    for (int64_t i = 0; i < lb_safetensors_count(s->file); i++)
        s->parameters += lb_shape_count(lb_safetensors_at(s->file, i)->shape);
    lb_status status = try_model(s, error);
    if (!status) status = parse(s->file, "lookback.config", &s->config, error);
    if (!status) status = parse(s->file, LB_SORT_TASK_KEY, &s->task, error);
    if (!status) status = parse(s->file, LB_TRAINING_KEY, &s->training, error);
    if (!status) status = parse(s->file, LB_SOURCE_VOCABULARY_KEY, &s->source, error);
    if (!status) status = parse(s->file, LB_TARGET_VOCABULARY_KEY, &s->target, error);
    return status ? status : app_put_options_in_force(s->training, s->config, s->kind, error);
}

static void close_subject(subject *s)
{
    cJSON_Delete(s->config);
    cJSON_Delete(s->task);
    cJSON_Delete(s->training);
    cJSON_Delete(s->source);
    cJSON_Delete(s->target);
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

static lb_status print_value(const cJSON *value, lb_error *error)
{
    char *text = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    if (!text && !cJSON_IsString(value)) return out_of_memory(error);
    if (!text) putchar('"');
    print_visible(text ? text : value->valuestring);
    if (!text) putchar('"');
    cJSON_free(text);
    return LB_OK;
}

/* Prints a line for each value; those of an object are below its name. */
static lb_status print_tree(const cJSON *object, int indent, lb_error *error)
{
    lb_status status = LB_OK;
    for (const cJSON *item = object ? object->child : NULL; item && !status; item = item->next) {
        printf("%*s", indent, "");
        print_visible(item->string ? item->string : "-");
        bool deeper = cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child));
        if (!deeper) {
            printf(": ");
            status = print_value(item, error);
        }
        putchar('\n');
        if (deeper) status = print_tree(item, indent + 2, error);
    }
    return status;
}

static lb_status print_section(const char *title, const cJSON *object, lb_error *error)
{
    if (!object) return LB_OK;
    printf("%s\n", title);
    return print_tree(object, 2, error);
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
    for (int64_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        char shape[LB_SHAPE_TEXT];
        printf("  ");
        print_visible(tensor->name);
        printf(" %s %s\n", lb_dtype_name(tensor->dtype), lb_shape_format(tensor->shape, shape));
    }
}

static lb_status print_text(const subject *s, bool tensors, lb_error *error)
{
    printf("file: %s\n", s->path);
    printf("kind: ");
    print_visible(s->kind);
    printf("\nparameters: %" PRId64 "\n", s->parameters);
    const char *direction = lb_safetensors_metadata_value(s->file, LB_DIRECTION_KEY);
    if (direction) {
        printf("direction: ");
        print_visible(direction);
        putchar('\n');
    }
    lb_status status = print_section("configuration", s->config, error);
    if (!status) status = print_section("task", s->task, error);
    if (status) return status;
    print_vocabulary(s->target ? "sources" : "sources and targets", s->source);
    print_vocabulary("targets", s->target);
    status = print_section("training", s->training, error);
    if (!status && tensors) print_tensors(s->file);
    return status;
}

static bool add_tensor(cJSON *all, const lb_safetensors_tensor *tensor)
{
    cJSON *one = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(all, one)) return false;
    cJSON *shape = cJSON_AddStringToObject(one, "name", tensor->name) &&
                           cJSON_AddStringToObject(one, "dtype", lb_dtype_name(tensor->dtype))
                       ? cJSON_AddArrayToObject(one, "shape")
                       : NULL;
    for (int d = 0; shape && d < tensor->shape.ndim; d++)
        if (!cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape.dim[d]))) return false;
    return shape != NULL;
}

static bool add_tensors(cJSON *json, const lb_safetensors *file)
{
    cJSON *all = cJSON_AddArrayToObject(json, "tensors");
    for (int64_t i = 0; all && i < lb_safetensors_count(file); i++)
        if (!add_tensor(all, lb_safetensors_at(file, i))) return false;
    return all != NULL;
}

/* Moves a part of the subject into the object, if it exists. */
static bool move(cJSON *json, const char *key, cJSON **part)
{
    if (*part && !cJSON_AddItemToObject(json, key, *part)) return false;
    *part = NULL;
    return true;
}

static bool fill(cJSON *json, subject *s, bool tensors)
{
    const char *direction = lb_safetensors_metadata_value(s->file, LB_DIRECTION_KEY);
    return cJSON_AddStringToObject(json, "file", s->path) && cJSON_AddStringToObject(json, "kind", s->kind) &&
           cJSON_AddNumberToObject(json, "parameters", (double)s->parameters) &&
           (!direction || cJSON_AddStringToObject(json, "direction", direction)) &&
           move(json, "config", &s->config) && move(json, "task", &s->task) &&
           move(json, "source_vocabulary", &s->source) && move(json, "target_vocabulary", &s->target) &&
           move(json, "training", &s->training) && (!tensors || add_tensors(json, s->file));
}

static lb_status print_json(subject *s, bool tensors, lb_error *error)
{
    cJSON *json = cJSON_CreateObject();
    char *text = json && fill(json, s, tensors) ? cJSON_PrintUnformatted(json) : NULL;
    if (text) puts(text);
    cJSON_Delete(json);
    lb_status status = text ? LB_OK : out_of_memory(error);
    cJSON_free(text);
    return status;
}

static int inspect(const char *model, bool json, bool tensors)
{
    subject s = {0};
    lb_error error = {0};
    lb_status status = open_subject(&s, model, &error);
    if (!status) status = json ? print_json(&s, tensors, &error) : print_text(&s, tensors, &error);
    if (!status && s.unusable.status)
        status = lb_error_set(&error, s.unusable.status, "%s", s.unusable.message);
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
        .purpose =
            "Prints what a model file contains: kind, configuration, size, training and vocabularies. "
            "MODEL is a model file or its folder. A file that cannot be applied is shown, too, followed by "
            "the reason, with the exit status of predict.",
        .operands = "MODEL",
        .min_operands = 1,
        .max_operands = 1,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    return inspect(argv[0], json, tensors);
}
