/* Prints the contents of a model file. */
#include "base/alloc.h"
#include "cli/commands.h"
#include "console/console.h"
#include "figures/maps.h"

#include "data/lists/sort_task.h"
#include "io/json.h"
#include "io/path.h"
#include "io/safetensors.h"
#include "translate/file/text_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE = 20, MERGE = 600 /* bytes of one that is shown */ };

enum { CONFIG, TASK, SOURCE, TARGET, TRAINING, PARTS };

/* The keys of metadata whose values are JSON, and their names in the output. */
static const struct {
    const char *key, *name;
} parts[PARTS] = {{"lookback.config", "config"},
                  {LB_SORT_TASK_KEY, "task"},
                  {LB_SOURCE_VOCABULARY_KEY, "source_vocabulary"},
                  {LB_TARGET_VOCABULARY_KEY, "target_vocabulary"},
                  {LB_TRAINING_KEY, "training"}};

/* The keys of merges, a line for each; those of the targets are only there if they are others. */
enum { SIDES = 2 };
static const struct {
    const char *key, *name;
} merges[SIDES] = {{LB_SOURCE_SUBWORDS_KEY, "source_subwords"}, {LB_TARGET_SUBWORDS_KEY, "target_subwords"}};

/* A file and its contents. */
typedef struct subject {
    char *path;
    lb_safetensors *file;
    const char *kind, *direction;
    int64_t parameters;
    lb_text_model model;
    lb_error unusable;  /* why programs that apply the model refuse it */
    cJSON *part[PARTS]; /* NULL: missing, or not JSON */
    const char *merges[SIDES];
} subject;

/* The JSON value of a metadata key. Only memory that has run out is an error. */
static lb_status parse(const lb_safetensors *file, const char *key, cJSON **value, lb_error *error)
{
    const char *text = lb_safetensors_metadata_value(file, key);
    bool lost = text && lb_json_parse(text, strlen(text), NULL, value) == LB_ERROR_MEMORY;
    return lost ? lb_no_memory(error, NULL) : LB_OK;
}

/* Loads the model as `predict` does. What is wrong with it does not keep the rest from being shown. */
static lb_status open_subject(subject *s, const char *model, lb_error *error)
{
    lb_error found = {0};
    s->file = lb_model_file_open(model, &s->path, error);
    if (!s->file) return error->status;
    s->kind = lb_safetensors_metadata_value(s->file, "lookback.model");
    lb_status status = lb_text_model_load(s->file, NULL, &s->model, &found);
    if (status) lb_name_file(s->path, &found, &s->unusable);
    if (status == LB_ERROR_MEMORY || !s->kind) *error = s->unusable;
    return error->status;
}

static lb_status read_parts(subject *s, lb_error *error)
{
    lb_status status = LB_OK;
    s->direction = lb_safetensors_metadata_value(s->file, LB_DIRECTION_KEY);
    s->parameters = lb_text_model_parameters(s->file);
    for (int i = 0; i < PARTS && !status; i++) status = parse(s->file, parts[i].key, &s->part[i], error);
    for (int i = 0; i < SIDES; i++) s->merges[i] = lb_safetensors_metadata_value(s->file, merges[i].key);
    return status ? status : app_put_options_in_force(s->part[TRAINING], s->part[CONFIG], s->kind, error);
}

static void close_subject(subject *s)
{
    for (int i = 0; i < PARTS; i++) cJSON_Delete(s->part[i]);
    lb_text_model_free(&s->model);
    lb_safetensors_close(s->file);
    lb_release(s->path);
}

static lb_status print_value(const cJSON *value, lb_error *error)
{
    char *text = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    if (!text && !cJSON_IsString(value)) return lb_no_memory(error, NULL);
    if (!text) app_print("\"");
    app_put_visible(text ? text : value->valuestring, "");
    if (!text) app_print("\"");
    cJSON_free(text);
    return LB_OK;
}

/* Prints a line for each value; those of an object are below its name. */
static lb_status print_tree(const cJSON *object, int indent, lb_error *error)
{
    lb_status status = LB_OK;
    for (const cJSON *item = object ? object->child : NULL; item && !status; item = item->next) {
        app_print("%*s", indent, "");
        app_put_visible(item->string ? item->string : "-", "");
        bool deeper = cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child));
        if (!deeper) {
            app_print(": ");
            status = print_value(item, error);
        }
        app_print("\n");
        if (deeper) status = print_tree(item, indent + 2, error);
    }
    return status;
}

static lb_status print_section(const char *title, const cJSON *object, lb_error *error)
{
    if (!object) return LB_OK;
    app_print("%s\n", title);
    return print_tree(object, 2, error);
}

static void print_symbol(const cJSON *symbol)
{
    if (!cJSON_IsString(symbol)) return;
    app_print(" \"");
    app_put_visible(lb_symbol_name(symbol->valuestring), "");
    app_print("\"");
}

static void print_vocabulary(const char *which, const cJSON *symbols)
{
    if (!cJSON_IsArray(symbols)) return;
    int count = cJSON_GetArraySize(symbols), end = LB_FIRST_TOKEN + SAMPLE;
    app_print("vocabulary of the %s: %d symbols\n ", which, count);
    for (int id = LB_FIRST_TOKEN; id < count && id < end; id++) print_symbol(cJSON_GetArrayItem(symbols, id));
    app_print("%s\n", count > end ? " ..." : "");
}

/* The first merges, each as its two pieces. */
static void print_subwords(const char *which, const char *text)
{
    int64_t count = 0, shown = 0;
    if (!text) return;
    for (const char *at = text; *at; at++) count += *at == '\n';
    app_print("subwords of the %s: %" PRId64 " merges\n ", which, count);
    for (const char *end; *text && shown < SAMPLE && (end = strchr(text, '\n')); text = end + 1, shown++) {
        char merge[MERGE];
        snprintf(merge, sizeof merge, " \"%.*s\"", (int)(end - text), text);
        app_put_visible(merge, "");
    }
    app_print("%s\n", count > SAMPLE ? " ..." : "");
}

static void print_tensors(const lb_safetensors *file)
{
    app_print("tensors\n");
    for (int64_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        char shape[LB_SHAPE_TEXT];
        app_print("  ");
        app_put_visible(tensor->name, "");
        app_print(" %s %s\n", lb_dtype_name(tensor->dtype), lb_shape_format(tensor->shape, shape));
    }
}

static lb_status print_text(const subject *s, bool tensors, lb_error *error)
{
    app_print("file: %s\n", s->path);
    app_print("kind: ");
    app_put_visible(s->kind, "");
    app_print("\nparameters: %" PRId64 "\n", s->parameters);
    if (s->direction) {
        app_print("direction: ");
        app_put_visible(s->direction, "");
        app_print("\n");
    }
    lb_status status = print_section("configuration", s->part[CONFIG], error);
    if (!status) status = print_section("task", s->part[TASK], error);
    if (status) return status;
    print_vocabulary(s->part[TARGET] ? "sources" : "sources and targets", s->part[SOURCE]);
    print_vocabulary("targets", s->part[TARGET]);
    print_subwords(s->merges[1] ? "sources" : "sources and targets", s->merges[0]);
    print_subwords("targets", s->merges[1]);
    status = print_section("training", s->part[TRAINING], error);
    if (!status && tensors) print_tensors(s->file);
    return status;
}

static void add_tensors(lb_buffer *json, const lb_safetensors *file)
{
    lb_json_open(json, "tensors", "[");
    for (int64_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        lb_json_open(json, NULL, "{");
        lb_json_string(json, "name", tensor->name);
        lb_json_string(json, "dtype", lb_dtype_name(tensor->dtype));
        lb_json_open(json, "shape", "[");
        for (int d = 0; d < tensor->shape.ndim; d++) lb_json_whole(json, NULL, tensor->shape.dim[d]);
        lb_buffer_print(json, "]}");
    }
    lb_buffer_print(json, "]");
}

static lb_status print_json(const subject *s, bool tensors, lb_error *error)
{
    lb_buffer json = {0};
    lb_json_open(&json, NULL, "{");
    lb_json_string(&json, "file", s->path);
    lb_json_string(&json, "kind", s->kind);
    lb_json_whole(&json, "parameters", s->parameters);
    if (s->direction) lb_json_string(&json, "direction", s->direction);
    for (int i = 0; i < PARTS; i++)
        if (s->part[i]) lb_json_add(&json, parts[i].name, s->part[i]);
    for (int i = 0; i < SIDES; i++)
        if (s->merges[i]) lb_json_string(&json, merges[i].name, s->merges[i]);
    if (tensors) add_tensors(&json, s->file);
    lb_buffer_print(&json, "}");
    lb_status status = json.failed ? lb_no_memory(error, NULL) : LB_OK;
    if (!status) app_print("%s\n", json.text);
    lb_release(json.text);
    return status;
}

/* ---- The lexicon. ---- */

/* Prints a line for each answer: the source, its features if it has any, and the answer. */
static lb_status print_entries(const lb_text_model *model, lb_error *error)
{
    const lb_symbol_rule form = {.normalize = model->source_rule.normalize};
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    if (!model->lexicon.bytes) return lb_error_set(error, LB_ERROR_FORMAT, "found no lexicon");
    lb_buffer spelled = {0};
    size_t length;
    while (!error->status && lb_lexicon_walk_next(&walk, error)) {
        while (walk.answers && !error->status) {
            const char *spelling = lb_lexicon_spelling(walk.answers, &length);
            spelled.length = 0;
            lb_buffer_add(&spelled, spelling ? spelling : walk.key.text, spelling ? length : walk.key.length);
            const char *answer = lb_lexicon_next_answer(&walk.answers, &length), *text = spelled.text;
            if (spelled.failed) lb_no_memory(error, NULL);
            /* composed, as people write it */
            char *source = spelled.failed ? NULL : lb_symbols_join(&form, &text, 1, error);
            if (source) app_print("%s\t%.*s\n", source, (int)length, answer);
            lb_release(source);
        }
    }
    lb_release(spelled.text);
    lb_lexicon_walk_end(&walk);
    return error->status;
}

/* ---- What is asked for. ---- */

static int inspect(const char *model, bool json, bool tensors, bool lexicon, bool points)
{
    subject s = {0};
    lb_error error = {0}, found = {0};
    lb_status status = open_subject(&s, model, &error);
    if (!status && !lexicon && !points) {
        status = read_parts(&s, &error);
        if (!status) status = json ? print_json(&s, tensors, &error) : print_text(&s, tensors, &error);
    } else if (!status && !s.unusable.status) {
        status = points ? app_print_points(s.model.model, &found) : print_entries(&s.model, &found);
        if (status) lb_name_file(s.path, &found, &error);
    }
    if (!status && s.unusable.status) error = s.unusable;
    close_subject(&s);
    return app_close_stdout(error.status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Show the configuration, the training and the symbols of a model.", "lookback inspect out"},
    {"Give the model words that it must write as they are in a file, and list them.",
     "lookback join out --lexicon dev.tsv -o exact && lookback inspect exact --lexicon > words.tsv"},
    {"List its tensors, too, as JSON.", "lookback inspect out --tensors --json > model.json"},
};

int inspect_main(int argc, char **argv)
{
    bool json = false, tensors = false, lexicon = false, points = false;
    const app_option options[] = {
        APP_FLAG(0, "json", &json, "print a JSON object, with complete vocabularies"),
        APP_FLAG(0, "tensors", &tensors, "also print names, types and shapes of all tensors"),
        APP_FLAG(0, "lexicon", &lexicon,
                 "print only the lexicon, a line of --lexicon for each answer, in the order of sources"),
        APP_FLAG(0, "points", &points,
                 "print only the points that lb_watch reads or replaces, with their shapes: docs/points.md"),
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
    lb_error error = {0};
    if (lexicon + points + (json || tensors) > 1) {
        lb_error_set(&error, LB_ERROR_ARGUMENT,
                     "--lexicon, --points: expected one alone, without --json and --tensors");
        return app_fail(&error);
    }
    return inspect(argv[0], json, tensors, lexicon, points);
}
