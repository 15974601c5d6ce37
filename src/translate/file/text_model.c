#include "translate/file/text_model.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/lists/sort_task.h"
#include "data/pairs/pair_line.h"
#include "data/text/subwords.h"
#include "data/text/symbols.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "translate/batches/evaluate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 1 << 16 };

/* Every model stores its task under the same key. */
static const char TASK_KEY[] = LB_SORT_TASK_KEY, PAIRS[] = "pairs";

/* The task of a model with a lexicon: a program that knows of none refuses the model instead of leaving it out. */
static const char PAIRS_AND_LEXICON[] = "pairs+lexicon";

/* The first id of the target that an output can have. Files from before do not have it. */
static const char FIRST_WRITTEN[] = "first_written";

/* The key of the format of the training's file, beside the columns. */
static const char FORMAT[] = "format";

static const char *const column_keys[] = {"source", "target", "features"};
static const char *const name_keys[] = {"source_name", "target_name", "features_name"};

/* Prints only the columns that were given: most files have none. */
static void print_columns(lb_buffer *json, lb_pair_columns c)
{
    const int32_t column[] = {c.source, c.target, c.features};
    const char *const name[] = {c.source_name, c.target_name, c.features_name};
    bool named = *c.source_name || *c.target_name;
    if (!named && !*c.kind && !c.source && !c.target && !c.features) return;
    lb_json_open(json, "columns", "{");
    if (*c.kind) lb_json_string(json, FORMAT, c.kind);
    for (int i = 0; i < 3; i++)
        if (column[i] != 0) lb_json_whole(json, column_keys[i], column[i]);
    for (int i = 0; i < 3; i++)
        if (*name[i]) lb_json_string(json, name_keys[i], name[i]);
    lb_buffer_print(json, "}");
}

/* The task of the model; NULL if there is no memory. */
static char *print_task(const lb_text_model *t)
{
    lb_buffer json = {0};
    char *sort = t->sorts ? lb_sort_task_print(&t->task) : NULL;
    if (t->sorts && !sort) return NULL;
    if (sort)
        lb_buffer_print(&json, "%.*s", (int)strlen(sort) - 1, sort); /* up to its closing brace */
    else
        lb_buffer_print(&json, "{\"task\":\"%s\"", t->lexicon.bytes ? PAIRS_AND_LEXICON : PAIRS);
    lb_release(sort);
    lb_model_rule_print(&json, "source", &t->source_rule);
    lb_model_rule_print(&json, "target", &t->target_rule);
    print_columns(&json, t->columns);
    lb_json_whole(&json, "shortest_source", t->shortest_source);
    lb_json_whole(&json, "longest_source", t->longest_source);
    lb_json_whole(&json, "longest_target", t->longest_target);
    lb_json_whole(&json, FIRST_WRITTEN, LB_EOS);
    lb_buffer_print(&json, "}");
    return lb_buffer_end(&json);
}

/* The format of the lines of the training. */
static lb_pair_format format_of(const lb_text_model *t)
{
    lb_pair_format format = {.kind = t->columns.kind, .source = t->source_rule, .target = t->target_rule};
    lb_pair_columns_ask(&format, t->columns);
    if (!format.source.features) format.source.features = ""; /* a model has found out what divides them */
    return format;
}

/* Each id of the model needs a symbol. */
static lb_status check_sizes(const lb_text_model *t, int32_t source, int32_t target, lb_status otherwise,
                             lb_error *error)
{
    if (t->model->source_vocab == source && t->model->target_vocab == target) return LB_OK;
    return lb_error_set(
        error, otherwise, "the vocabularies have %d and %d symbols, expected %lld and %lld as in the model",
        (int)source, (int)target, (long long)t->model->source_vocab, (long long)t->model->target_vocab);
}

/* Features, which have tabs before them, are of sources alone: no output has a tab. */
static lb_status check_vocabularies(const lb_text_model *t, lb_status otherwise, lb_error *error)
{
    bool features = lb_symbol_rule_has_features(&t->target_rule);
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(t->target); id++)
        features = features || lb_symbol_is_feature(lb_vocabulary_symbol(t->target, id));
    if (features) return lb_error_set(error, otherwise, "found features of targets, expected none");
    return check_sizes(t, lb_vocabulary_size(t->source), lb_vocabulary_size(t->target), otherwise, error);
}

lb_status lb_text_model_save(const char *path, const lb_text_model *t, lb_error *error)
{
    lb_status status = check_vocabularies(t, LB_ERROR_ARGUMENT, error);
    const lb_pair_format format = format_of(t);
    if (!status) status = lb_pair_format_check(&format, error);
    if (status) return status;
    bool shared = t->source == t->target;
    char *task = print_task(t), *source = lb_vocabulary_print(t->source);
    char *target = shared ? NULL : lb_vocabulary_print(t->target);
    char *familiar = t->familiar.grams ? lb_familiar_print(&t->familiar) : NULL;
    if (task && source && (target || shared) && (familiar || !t->familiar.grams)) {
        lb_safetensors_metadata metadata[7] = {{TASK_KEY, task}, {LB_SOURCE_VOCABULARY_KEY, source}};
        size_t count = 2;
        if (target) metadata[count++] = (lb_safetensors_metadata){LB_TARGET_VOCABULARY_KEY, target};
        count += lb_model_subwords_name(t, metadata + count);
        if (familiar) metadata[count++] = (lb_safetensors_metadata){LB_FAMILIAR_KEY, familiar};
        if (t->training) metadata[count++] = (lb_safetensors_metadata){LB_TRAINING_KEY, t->training};
        const lb_safetensors_tensor lexicon = {.name = LB_LEXICON_ARRAY,
                                               .dtype = LB_DTYPE_U8,
                                               .shape = LB_SHAPE((int64_t)t->lexicon.size),
                                               .data = t->lexicon.bytes};
        const lb_checkpoint_extra extra = {&lexicon, t->lexicon.bytes ? 1 : 0, metadata, (int64_t)count};
        status = lb_model_save(t->model, t->params, path, extra, error);
    } else {
        status = lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    }
    lb_release(familiar);
    lb_release(target);
    lb_release(source);
    lb_release(task);
    return status;
}

static bool is_task(const cJSON *json, const char *task)
{
    const char *name = lb_json_text(json, "task");
    return name && strcmp(name, task) == 0;
}

/* The number of symbols with this key; 0 if it is missing or invalid. */
static int32_t parse_length(const cJSON *json, const char *key)
{
    const double value = lb_json_member(json, key, 0);
    return value >= 1 && value <= LB_PAIR_LONGEST ? (int32_t)value : 0;
}

static lb_status parse_rules(const cJSON *json, lb_text_model *t, lb_error *error)
{
    /* In old models, sort tasks have no rules. */
    if (t->sorts && !cJSON_HasObjectItem(json, "source")) {
        t->source_rule = t->target_rule = lb_list_rule(&t->task);
        return LB_OK;
    }
    lb_status status = lb_model_rule_parse(t, json, "source", &t->source_rule, error);
    return status ? status : lb_model_rule_parse(t, json, "target", &t->target_rule, error);
}

/* A column of the training; 0 if it is missing. */
static lb_status parse_column(const cJSON *columns, int which, int32_t *column, lb_error *error)
{
    const double value = lb_json_member(columns, column_keys[which], 0);
    bool valid = !lb_json_get(columns, column_keys[which]) ||
                 (value >= 1 && value <= MOST_COLUMNS && value == (int32_t)value);
    *column = (int32_t)(valid ? value : 0);
    return valid ? LB_OK
                 : lb_error_set(error, LB_ERROR_FORMAT, "%s: \"%s\" in \"columns\": expected 1 to %d",
                                TASK_KEY, column_keys[which], MOST_COLUMNS);
}

/* A text that a file may lack. */
static lb_status parse_text(const cJSON *columns, const char *key, size_t room, char *text, lb_error *error)
{
    const cJSON *item = lb_json_get(columns, key);
    const char *found = item ? cJSON_GetStringValue(item) : "";
    if (!found || strlen(found) >= room)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: \"%s\" in \"columns\": expected a text of at most %zu bytes", TASK_KEY, key,
                            room - 1);
    memcpy(text, found, strlen(found) + 1);
    return LB_OK;
}

/* Files from before, and those of pairs without further columns, do not have them. */
static lb_status parse_columns(const cJSON *json, lb_text_model *t, lb_error *error)
{
    lb_error found = {0};
    const cJSON *columns = lb_json_get(json, "columns");
    if (!columns) return LB_OK;
    if (!cJSON_IsObject(columns) || t->sorts)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: \"columns\": expected %s", TASK_KEY,
                            t->sorts ? "none, since lists have none" : "an object");
    lb_pair_columns *c = &t->columns;
    int32_t *const column[] = {&c->source, &c->target, &c->features};
    char *const name[] = {c->source_name, c->target_name, c->features_name};
    lb_status status = LB_OK;
    for (int i = 0; i < 3 && !status; i++) status = parse_column(columns, i, column[i], error);
    if (!status) status = parse_text(columns, FORMAT, sizeof c->kind, c->kind, error);
    for (int i = 0; i < 3 && !status; i++)
        status = parse_text(columns, name_keys[i], LB_PAIR_COLUMN_NAME, name[i], error);
    const lb_pair_format format = format_of(t);
    if (status || lb_pair_format_check(&format, &found) == LB_OK) return status;
    status = found.status == LB_ERROR_ARGUMENT ? LB_ERROR_FORMAT : found.status;
    return lb_error_set(error, status, "%s: \"columns\": %s", TASK_KEY, found.message);
}

static lb_status check_written(const cJSON *json, lb_error *error)
{
    const cJSON *first = lb_json_get(json, FIRST_WRITTEN);
    if (!first || (cJSON_IsNumber(first) && first->valuedouble == LB_EOS)) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: \"%s\": expected %d", TASK_KEY, FIRST_WRITTEN, LB_EOS);
}

static lb_status parse_task(const char *text, const cJSON *json, lb_text_model *t, lb_error *error)
{
    lb_status status = LB_OK;
    for (int i = 0; lb_list_task_names[i]; i++) t->sorts = t->sorts || is_task(json, lb_list_task_names[i]);
    if (t->sorts)
        status = lb_sort_task_parse(text, &t->task, error);
    else if (cJSON_IsObject(json) && !lb_json_get(json, "task"))
        status = lb_error_set(error, LB_ERROR_FORMAT, "%s: found no \"task\"", TASK_KEY);
    else if (!is_task(json, PAIRS) && !is_task(json, PAIRS_AND_LEXICON))
        status = text ? lb_error_set(error, LB_ERROR_FORMAT,
                                     "%s is %.160s, expected the task \"pairs\" or \"sort\"", TASK_KEY, text)
                      : lb_error_set(error, LB_ERROR_FORMAT,
                                     "%s is missing from the metadata: the model was saved without its "
                                     "vocabularies; lb_translator_save saves both",
                                     TASK_KEY);
    if (!status) status = parse_rules(json, t, error);
    if (!status) status = parse_columns(json, t, error);
    const lb_sort_task *task = &t->task;
    int32_t longest = lb_sort_longest(task, task->max_length);
    t->shortest_source =
        t->sorts ? lb_sort_longest(task, task->min_length) : parse_length(json, "shortest_source");
    t->longest_source = t->sorts ? longest : parse_length(json, "longest_source");
    t->longest_target = t->sorts ? longest : parse_length(json, "longest_target");
    return status ? status : check_written(json, error);
}

/* The task says whether there is one, so that it cannot be lost. */
static lb_status load_lexicon(const lb_safetensors *file, bool expected, lb_text_model *t, lb_error *error)
{
    const lb_safetensors_tensor *array = lb_safetensors_find(file, LB_LEXICON_ARRAY);
    if (!array && !expected) return LB_OK;
    if (array && expected && array->dtype == LB_DTYPE_U8)
        return lb_lexicon_open(&t->lexicon, &t->source_rule, &t->target_rule, array->data,
                               lb_safetensors_bytes(array), error);
    return lb_error_set(error, LB_ERROR_FORMAT, "%s and the array %s of U8: found one without the other",
                        TASK_KEY, LB_LEXICON_ARRAY);
}

static lb_vocabulary *load_vocabulary(const char *key, const char *text, int64_t most, lb_error *error)
{
    lb_error found = {0};
    lb_vocabulary *vocabulary = text ? lb_vocabulary_parse(text, (int32_t)most, &found) : NULL;
    if (!text)
        lb_error_set(error, LB_ERROR_FORMAT, "%s is missing from the metadata", key);
    else if (!vocabulary)
        lb_error_set(error, found.status, "%s: %s", key, found.message);
    return vocabulary;
}

static lb_status load_vocabularies(const lb_safetensors *file, lb_text_model *t, lb_error *error)
{
    const char *source = lb_safetensors_metadata_value(file, LB_SOURCE_VOCABULARY_KEY);
    const char *target = lb_safetensors_metadata_value(file, LB_TARGET_VOCABULARY_KEY);
    bool implied = t->sorts && !source; /* in old files, the task defines the numbers */
    int32_t numbers = implied ? lb_sort_vocab(&t->task) : 0;
    if (implied && check_sizes(t, numbers, numbers, LB_ERROR_FORMAT, error)) return LB_ERROR_FORMAT;
    t->source = implied ? lb_list_vocabulary(&t->task, error)
                        : load_vocabulary(LB_SOURCE_VOCABULARY_KEY, source, t->model->source_vocab, error);
    if (!t->source) return error->status;
    t->target =
        target ? load_vocabulary(LB_TARGET_VOCABULARY_KEY, target, t->model->target_vocab, error) : t->source;
    return t->target ? LB_OK : error->status;
}

static lb_status load_task(const lb_safetensors *file, lb_text_model *t, lb_error *error)
{
    const char *text = lb_safetensors_metadata_value(file, TASK_KEY);
    cJSON *json = NULL;
    if (text && lb_json_check_length(TASK_KEY, text, error)) return LB_ERROR_FORMAT;
    if (text && lb_json_parse(text, strlen(text), NULL, &json) == LB_ERROR_MEMORY)
        return lb_no_memory(error, "a model");
    lb_status status = parse_task(text, json, t, error);
    if (!status) status = load_vocabularies(file, t, error);
    if (!status) status = lb_model_subwords_load(file, t, error);
    if (!status) status = check_vocabularies(t, LB_ERROR_FORMAT, error);
    if (!status) status = lb_familiar_load(file, &t->familiar, error);
    if (!status) status = load_lexicon(file, is_task(json, PAIRS_AND_LEXICON), t, error);
    cJSON_Delete(json);
    return status;
}

lb_status lb_text_model_load(const lb_safetensors *file, const lb_extensions *own, lb_text_model *model,
                             lb_error *error)
{
    lb_error found = {0};
    const char *training = lb_safetensors_metadata_value(file, LB_TRAINING_KEY);
    *model = (lb_text_model){.params = lb_params_new(0)};
    lb_status status = model->params ? LB_OK : lb_no_memory(&found, "a model");
    if (!status) model->model = lb_model_load(file, model->params, own, &found);
    if (!status) status = model->model ? load_task(file, model, &found) : found.status;
    if (!status && training) status = lb_model_keep(model, training, &model->training, &found);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

int64_t lb_text_model_parameters(const lb_safetensors *file)
{
    int64_t sum = 0;
    const lb_safetensors_tensor *array;
    for (int64_t i = 0; (array = lb_safetensors_at(file, i)) != NULL; i++)
        if (strcmp(array->name, LB_LEXICON_ARRAY) != 0) sum += lb_shape_count(array->shape);
    return sum;
}

void lb_text_model_trim(const lb_vocabulary *known, lb_symbols *s)
{
    size_t first = 0, end = 0;
    if (s->count == 0 || lb_vocabulary_id(known, " ") != LB_UNK) return;
    while (end < s->count && !lb_symbol_is_feature(s->symbol[end])) end++;
    size_t features = end;
    while (first < end && strcmp(s->symbol[first], " ") == 0) first++;
    while (end > first && strcmp(s->symbol[end - 1], " ") == 0) end--;
    memmove(s->symbol + end, s->symbol + features, (s->count - features) * sizeof *s->symbol);
    s->count -= first + features - end;
    memmove(s->symbol, s->symbol + first, s->count * sizeof *s->symbol);
}

int64_t lb_text_model_limit(const lb_text_model *model, int64_t source_length)
{
    return lb_output_limit(lb_text_model_longest(model), source_length);
}

void lb_text_model_free(lb_text_model *model)
{
    lb_strings_free(&model->texts);
    lb_lexicon_free(&model->lexicon);
    lb_vocabulary_free(model->familiar.grams);
    lb_subwords_free(model->subwords[0]);
    lb_subwords_free(model->subwords[1]);
    if (model->target != model->source) lb_vocabulary_free(model->target);
    lb_vocabulary_free(model->source);
    lb_params_free(model->params);
    *model = (lb_text_model){0};
}

const char *lb_model_label(const lb_model *model, char text[LB_LABEL])
{
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    bool copies = model->copies && !lb_is_ensemble(model);
    snprintf(text, LB_LABEL, "%.40s%s%s", seq2seq ? seq2seq->attention.type->name : model->kind->name,
             copies ? "-copy" : "", model->from_end ? "-backward" : "");
    return text;
}

char *lb_model_settings(const lb_model *model)
{
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    const lb_transformer *transformer = lb_transformer_of(model);
    const void *config = seq2seq ? (const void *)&seq2seq->config : transformer ? &transformer->config : NULL;
    return config ? lb_config_write(lb_model_fields(model->kind->name), config) : NULL;
}
