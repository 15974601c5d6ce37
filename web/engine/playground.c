/* What the page asks of the library: a training, step by step, or an open model. Every answer is JSON, which lives
 * until the next question; {"error": "..."} if there is none. */
#include "model.h"

#include <cJSON.h>
#include <emscripten.h>
#include <limits.h>
#include <lookback/lookback.h>
#include <math.h>
#include <string.h>

/** Begins a training with these settings, in place of whatever there was. */
EMSCRIPTEN_KEEPALIVE const char *playground_begin(const char *json);

/** Takes up to `count` steps, fewer at the end of the training: "losses" has one number for each. */
EMSCRIPTEN_KEEPALIVE const char *playground_step(int count);

/** The share of `count` held-out lists or pairs that come out right, and their loss. */
EMSCRIPTEN_KEEPALIVE const char *playground_measure(int count);

/** Sets the peak of the learning rate. */
EMSCRIPTEN_KEEPALIVE void playground_set_lr(double lr);

/** Writes the model that is trained as a file. */
EMSCRIPTEN_KEEPALIVE const char *playground_save(const char *path);

/** Opens a model, in place of whatever there was. */
EMSCRIPTEN_KEEPALIVE const char *playground_open(const char *path);

/** What the model makes of a text, greedily, and where it looks. Commas in a list become blanks. If a sorter stops
 *  before it has as many numbers as the list, "target" goes on with those that it finds likeliest; "length" counts the
 *  symbols that it writes by itself. */
EMSCRIPTEN_KEEPALIVE const char *playground_look(char *source);

enum { LIKELIEST = 5, MOST_SYMBOLS = 200, HELD_OUT = 200, MOST_ROWS = 16, MOST_DIGITS = 12 };

static lb_stepper *stepper;
static lb_translator *opened;
static cJSON *settings; /* owns the strings of the configuration */
static lb_sort_task task;
static char *answer;

static const char *say(cJSON *json)
{
    cJSON_free(answer);
    answer = json ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return answer ? answer : "{\"error\":\"out of memory\"}";
}

static const char *fail(const lb_error *error)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "error", error->message);
    return say(json);
}

static double number(const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(settings, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text(const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, key));
}

static lb_attention_kind attention(void)
{
    const char *name = text("attention");
    for (int i = 0; name && lb_attention_names[i]; i++)
        if (strcmp(lb_attention_names[i], name) == 0) return (lb_attention_kind)i;
    return LB_ATTENTION_ADDITIVE;
}

static lb_training_config configuration(void)
{
    lb_training_config config = {
        .train = text("pairs"),
        .source_separator = text("source_separator"),
        .target_separator = text("target_separator"),
        .model = text("model"),
        .embed = (int)number("embed"),
        .hidden = (int)number("hidden"),
        .layers = (int)number("layers"),
        .heads = (int)number("heads"),
        .attention = attention(),
        .one_direction = number("one_direction") != 0,
        .dropout = number("dropout"),
        .batch = (int)number("batch"),
        .steps = (int)number("steps"),
        .evaluate_every = INT_MAX, /* the page asks for measures */
        .lr = number("lr"),
        .seed = (uint64_t)number("seed"),
    };
    if (config.train) return config;
    task = (lb_sort_task){.max_value = (int32_t)number("max_value"),
                          .min_length = (int32_t)number("min_length"),
                          .max_length = (int32_t)number("max_length"),
                          .seed = config.seed,
                          .repeats = number("repeats")};
    config.sort = &task;
    return config;
}

lb_translator *engine_model(void)
{
    return stepper ? lb_stepper_translator(stepper) : opened;
}

static void drop_models(void)
{
    lb_stepper_free(stepper);
    lb_translator_close(opened);
    stepper = NULL;
    opened = NULL;
}

static cJSON *facts(void)
{
    cJSON *json = cJSON_CreateObject();
    lb_stepper_facts now = lb_stepper_about(stepper);
    cJSON_AddNumberToObject(json, "step", (double)now.step);
    cJSON_AddNumberToObject(json, "steps", (double)now.steps);
    cJSON_AddNumberToObject(json, "parameters", (double)now.parameters);
    cJSON_AddNumberToObject(json, "lr", now.lr);
    cJSON_AddNumberToObject(json, "held_out", (double)now.held_out);
    return json;
}

const char *playground_begin(const char *json)
{
    lb_error error = {0};
    drop_models();
    cJSON_Delete(settings);
    settings = cJSON_Parse(json);
    lb_training_config config = configuration();
    stepper = lb_stepper_new(config, &error);
    return stepper ? say(facts()) : fail(&error);
}

const char *playground_step(int count)
{
    lb_error error = {.message = "found no training, expected one"};
    if (!stepper) return fail(&error);
    cJSON *losses = cJSON_CreateArray();
    lb_status status = LB_OK;
    while (count-- > 0 && !status && lb_stepper_about(stepper).step < lb_stepper_about(stepper).steps) {
        double loss;
        status = lb_stepper_step(stepper, &loss, &error);
        if (!status) cJSON_AddItemToArray(losses, cJSON_CreateNumber(loss));
    }
    cJSON *json = facts();
    cJSON_AddItemToObject(json, "losses", losses);
    if (status) cJSON_AddStringToObject(json, "error", error.message);
    return say(json);
}

const char *playground_measure(int count)
{
    lb_error error = {.message = "found no training, expected one"};
    lb_evaluation found;
    if (!stepper || lb_stepper_measure(stepper, count > 0 ? count : HELD_OUT, &found, &error))
        return fail(&error);
    cJSON *json = facts();
    cJSON_AddNumberToObject(json, "exact_match", found.exact_match);
    cJSON_AddNumberToObject(json, "symbol_error", found.symbol_error);
    cJSON_AddNumberToObject(json, "loss", found.loss);
    return say(json);
}

void playground_set_lr(double lr)
{
    if (stepper) lb_stepper_set_lr(stepper, lr);
}

const char *playground_save(const char *path)
{
    lb_error error = {.message = "found no training, expected one"};
    if (!stepper || lb_stepper_save(stepper, path, &error)) return fail(&error);
    return say(facts());
}

/* The lengths of the texts in training; 0: not known. */
static void add_lengths(cJSON *json, lb_translator *model)
{
    lb_translator_facts about = lb_translator_about(model);
    cJSON_AddBoolToObject(json, "sorts", about.sorts);
    cJSON_AddNumberToObject(json, "shortest", (double)about.shortest_source);
    cJSON_AddNumberToObject(json, "longest", (double)about.longest_source);
}

const char *playground_open(const char *path)
{
    lb_error error = {0};
    lb_translator *model = lb_translator_open(path, &error);
    if (!model) return fail(&error);
    drop_models();
    opened = model;
    lb_translator_facts about = lb_translator_about(model);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", about.model->kind->name);
    cJSON_AddNumberToObject(json, "source_symbols", lb_vocabulary_size(about.source) - LB_FIRST_TOKEN);
    cJSON_AddNumberToObject(json, "target_symbols", lb_vocabulary_size(about.target) - LB_FIRST_TOKEN);
    add_lengths(json, model);
    return say(json);
}

static cJSON *strings(const char *const *symbol, int64_t count)
{
    cJSON *array = cJSON_CreateArray();
    for (int64_t i = 0; i < count; i++) cJSON_AddItemToArray(array, cJSON_CreateString(symbol[i]));
    return array;
}

/* In ten-thousandths: what a picture or its caption can show. */
static cJSON *rounded(double value)
{
    return cJSON_CreateNumber(round(value * 1e4) / 1e4);
}

static void add_weights(cJSON *json, const lb_translations *all)
{
    const lb_output *output = all->text->output;
    int64_t count = all->layers * all->heads * output->steps * all->text->length;
    cJSON *array = cJSON_CreateArray();
    cJSON_AddNumberToObject(json, "layers", (double)all->layers);
    cJSON_AddNumberToObject(json, "heads", (double)all->heads);
    for (int64_t i = 0; i < count && output->weights; i++)
        cJSON_AddItemToArray(array, rounded((double)output->weights[i]));
    cJSON_AddItemToObject(json, "weights", array);
}

static void add_likeliest(cJSON *json, lb_translator *model, const lb_translations *all)
{
    lb_error error = {0};
    const lb_output *output = all->text->output;
    lb_likeliest *found = lb_translate_likeliest(model, all->text, output, LIKELIEST, &error);
    if (!found) return;
    cJSON *symbols = cJSON_AddArrayToObject(json, "likeliest");
    cJSON *probabilities = cJSON_AddArrayToObject(json, "probabilities");
    for (int64_t step = 0; step < found->steps; step++) {
        cJSON *row = cJSON_CreateArray();
        for (int64_t i = 0; i < found->count; i++)
            cJSON_AddItemToArray(row, rounded(found->probability[step * found->count + i]));
        cJSON_AddItemToArray(probabilities, row);
        cJSON_AddItemToArray(symbols, strings(found->symbol + step * found->count, found->count));
    }
    lb_likeliest_free(found);
}

/* The likeliest number after those of `output`, which is neither the end nor the unknown symbol; NULL after an error. */
static const char *number_after(lb_translator *model, const lb_translation *list, lb_output output,
                                lb_error *error)
{
    output.steps = output.length + 1;
    lb_likeliest *found = lb_translate_likeliest(model, list, &output, 3, error);
    if (!found) return NULL;
    const char **last = found->symbol + output.length * found->count;
    const char *symbol = NULL;
    for (int64_t i = found->count - 1; i >= 0; i--)
        if (last[i][0] != '<') symbol = last[i];
    lb_likeliest_free(found);
    return symbol;
}

/* The output of a sorter that has stopped too early, and the numbers that it finds likeliest after it; NULL if it has
 * not, or after an error. */
static lb_translations *go_on(lb_translator *model, const char *source, const lb_translation *list,
                              lb_error *error)
{
    const char *symbol[MOST_ROWS];
    char list_text[MOST_ROWS * MOST_DIGITS] = "";
    const char *target = list_text;
    const int64_t length = list->length < MOST_ROWS ? list->length : MOST_ROWS;
    lb_output output = {.symbol = symbol, .length = list->output->length};
    if (!lb_translator_about(model).sorts || output.length >= length) return NULL;
    memcpy(symbol, list->output->symbol, (size_t)output.length * sizeof *symbol);
    while (output.length < length) {
        const char *next = number_after(model, list, output, error);
        if (!next) return NULL;
        symbol[output.length++] = next;
    }
    for (int64_t i = 0; i < length; i++) {
        strncat(list_text, symbol[i], MOST_DIGITS - 2);
        strcat(list_text, " ");
    }
    return lb_translator_score(model, &source, &target, 1, (lb_score_config){.attention = true}, error);
}

const char *playground_look(char *source)
{
    lb_error error = {.message = "found no model, expected one"};
    lb_translator *model = engine_model();
    for (char *c = source; model && lb_translator_about(model).sorts && *c; c++)
        if (*c == ',') *c = ' ';
    const char *list = source;
    lb_translate_config config = {
        .beam = 1, .attention = true, .skip_bad_texts = true, .limit = MOST_SYMBOLS};
    lb_translations *all = model ? lb_translate_all(model, &list, 1, config, &error) : NULL;
    if (!all) return fail(&error);
    cJSON *json = cJSON_CreateObject();
    const lb_translation *found = all->text;
    if (found->error) {
        cJSON_AddStringToObject(json, "error", found->error);
    } else {
        const lb_output *output = found->output;
        lb_translations *longer = go_on(model, list, found, &error);
        const lb_translations *shown = longer ? longer : all;
        cJSON_AddItemToObject(json, "source", strings(found->symbol, found->length));
        cJSON_AddItemToObject(json, "unknown", strings(found->unknown, found->unknown_count));
        cJSON_AddItemToObject(json, "target",
                              strings(shown->text->output->symbol, shown->text->output->length));
        cJSON_AddNumberToObject(json, "length", (double)output->length);
        cJSON_AddStringToObject(json, "text", output->text);
        cJSON_AddBoolToObject(json, "finished", output->finished);
        cJSON_AddItemToObject(json, "probability", rounded(output->probability));
        add_lengths(json, model);
        add_weights(json, shown);
        add_likeliest(json, model, shown);
        lb_translations_free(longer);
    }
    lb_translations_free(all);
    return say(json);
}
