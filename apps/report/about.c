/* Prints the card of the model, with the command of its training, and the history of that training, for a report. */
#include "report/report.h"

#include "base/bytes.h"
#include "cli/options.h"
#include "data/text/symbols.h"
#include "io/json.h"
#include "settings/settings.h"
#include "training/train_options.h"
#include "translate/apply/translator.h"
#include "translate/plan/recipe.h"

#include <math.h>
#include <string.h>

/* Arguments may be any bytes: those that are not UTF-8 become U+FFFD. */
static void print_string(app_report_data *report, const char *key, const char *text)
{
    lb_buffer readable = {0};
    if (text) lb_buffer_print(&readable, "%s", "");
    for (const char *end = text ? text + strlen(text) : text; text < end; text++) {
        size_t valid = lb_utf8_prefix(text, (size_t)(end - text));
        lb_buffer_add(&readable, text, valid);
        text += valid;
        if (text < end) lb_buffer_print(&readable, "%s", "\xEF\xBF\xBD");
    }
    report->failed = report->failed || readable.failed;
    lb_json_string(&report->json, key, readable.failed ? NULL : readable.text);
    lb_release(readable.text);
}

const char *app_report_name_of(const char *path)
{
    const char *name = path;
    for (const char *c = path; c && *c; c++)
        if (strchr(lb_os_separators, *c) && !strchr(lb_os_separators, c[1])) name = c + 1;
    return name;
}

void app_report_drop_folders(char *text, const char *path)
{
    const char *name = app_report_name_of(path);
    if (!path || name == path || !text) return;
    for (char *c = text; (c = strstr(c, path)); c += strlen(name))
        memmove(c, c + (name - path), strlen(c + (name - path)) + 1);
}

char *app_report_command(int argc, char *const *argv)
{
    lb_buffer text = {0};
    lb_buffer_print(&text, "lookback report");
    for (int i = 1; i < argc; i++) {
        lb_buffer_print(&text, " ");
        lb_buffer_shell_word(&text, argv[i]);
    }
    return lb_buffer_end(&text);
}

/* The last part of a path, as long as `length`. */
static const char *last_part(const char *path, size_t length, size_t *part)
{
    size_t begin = length;
    while (begin > 0 && !strchr(lb_os_separators, path[begin - 1])) begin--;
    *part = length - begin;
    return path + begin;
}

/* "french" for french/model.safetensors, "model-250" for french/model-250.safetensors. */
static const char *model_name(const char *path, size_t *length)
{
    static const char *const usual[] = {"model.safetensors", "sort.safetensors"};
    static const char ending[] = ".safetensors";
    const char *file = last_part(path, strlen(path), length);
    bool of_folder = strcmp(file, usual[0]) == 0 || strcmp(file, usual[1]) == 0;
    if (of_folder && file > path) return last_part(path, (size_t)(file - path) - 1, length);
    size_t end = sizeof ending - 1;
    if (*length > end && strcmp(file + *length - end, ending) == 0) *length -= end;
    return file;
}

static void print_title(const app_report_asked *asked, const lb_translator_facts *model,
                        app_report_data *report)
{
    lb_buffer title = {0};
    size_t length;
    const char *name = model_name(model->path, &length);
    const char *file = asked->file ? lb_os_name_of(asked->file) : "";
    if (!asked->title)
        lb_buffer_print(&title, "%.*s%s%s", (int)length, name, asked->file ? " \xC2\xB7 " : "",
                        strcmp(file, "-") == 0 ? "standard input" : file);
    report->failed = report->failed || title.failed;
    print_string(report, "title", asked->title ? asked->title : title.text);
    lb_release(title.text);
}

static void print_vocabulary(app_report_data *report, const char *key, const lb_vocabulary *vocabulary)
{
    lb_json_open(&report->json, key, "[");
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(vocabulary); id++) {
        const char *symbol = lb_symbol_name(lb_vocabulary_symbol(vocabulary, id));
        lb_json_whole(&report->json, NULL, app_report_id(report, symbol));
    }
    lb_buffer_print(&report->json, "]");
}

/* The tree of a text; NULL if there is no text, or it is not JSON. */
static cJSON *parse(app_report_data *report, const char *text)
{
    cJSON *json = NULL;
    if (text && lb_json_parse(text, strlen(text), NULL, &json) == LB_ERROR_MEMORY) report->failed = true;
    return json;
}

static void print_value(lb_buffer *text, const cJSON *value)
{
    char *number = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    lb_buffer_shell_word(text, cJSON_IsString(value) ? value->valuestring : number ? number : "");
    text->failed = text->failed || !(number || cJSON_IsString(value));
    cJSON_free(number);
}

/* A command line of `lookback train` with the options whose values are not the usual ones; NULL if memory runs out.
 * Both are objects, as app_config_record writes them. */
static char *train_command(const cJSON *options, const cJSON *usual)
{
    lb_buffer text = {0};
    const cJSON *option;
    lb_buffer_print(&text, "lookback train");
    cJSON_ArrayForEach(option, options)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(usual, option->string);
        if (cJSON_IsNull(option) || (other && cJSON_Compare(option, other, true))) continue;
        const lb_setting *setting = lb_setting_find(option->string);
        const cJSON *test;
        if (cJSON_IsObject(option)) {
            cJSON_ArrayForEach(test, option)
            {
                lb_buffer_print(&text, " --%s %s=", option->string, test->string);
                print_value(&text, test);
            }
            continue;
        }
        bool rare = setting && setting->rare, flag = cJSON_IsBool(option) && !rare;
        if (rare)
            lb_buffer_print(&text, " --set %s=", option->string);
        else
            lb_buffer_print(&text, " --%s%s%s", cJSON_IsFalse(option) ? "no-" : "", option->string,
                            flag ? "" : " ");
        if (!flag) print_value(&text, option);
    }
    return lb_buffer_end(&text);
}

/* The command of the training; null for a record that does not tell its options. */
static void print_training_command(const cJSON *record, app_report_data *report)
{
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(record, "options"),
                *kind = cJSON_GetObjectItemCaseSensitive(options, "model");
    char *text = cJSON_IsString(kind) ? app_train_usual(kind->valuestring) : NULL;
    cJSON *usual = parse(report, text);
    char *command = usual ? train_command(options, usual) : NULL;
    report->failed = report->failed || (cJSON_IsString(kind) && !command);
    print_string(report, "training_command", command);
    cJSON_Delete(usual);
    lb_release(text);
    lb_release(command);
}

static void drop_details(cJSON *record)
{
    cJSON_DeleteItemFromObjectCaseSensitive(record, "history");
    cJSON_DeleteItemFromObjectCaseSensitive(record, "made");
}

/* Prints the configuration, and the record without its history, which is elsewhere, and with the options in force. */
static void print_records(const lb_translator_facts *model, app_report_data *report)
{
    lb_safetensors *file = lb_safetensors_open(model->path, NULL);
    const char *text = file ? lb_safetensors_metadata_value(file, LB_CONFIG_KEY) : NULL;
    cJSON *config = parse(report, text), *record = parse(report, model->training), *member;
    drop_details(record);
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(record, "members"))
    {
        drop_details(member);
    }
    report->failed = report->failed || !config;
    const cJSON *attention = cJSON_GetObjectItemCaseSensitive(config, "attention");
    print_string(report, "attention", cJSON_IsString(attention) ? attention->valuestring : NULL);
    lb_json_add(&report->json, "configuration", config);
    print_training_command(record, report);
    report->failed =
        app_put_options_in_force(record, config, model->model->kind->name, NULL) || report->failed;
    report->by = lb_criterion_find(cJSON_GetStringValue(lb_settings_recorded(record, "choose")), NULL);
    lb_json_string(&report->json, "choose", report->by->name);
    lb_json_add(&report->json, "training", record);
    cJSON_Delete(config);
    cJSON_Delete(record);
    lb_safetensors_close(file);
}

/* Null: symbols are pieces of words. */
static void print_separator(app_report_data *report, const char *key, const lb_symbol_rule *rule)
{
    print_string(report, key, rule->subwords ? NULL : rule->separator ? rule->separator : "");
}

void app_report_about_print(const app_report_asked *asked, int beam, const lb_translator *translator,
                            app_report_data *report)
{
    const lb_translator_facts facts = lb_translator_about(translator), *model = &facts;
    lb_buffer *json = &report->json;
    lb_json_open(json, "about", "{");
    print_title(asked, model, report);
    print_string(report, "model", app_report_name_of(asked->model));
    print_string(report, "file", app_report_name_of(asked->file));
    print_string(report, "lookback", lb_version());
    print_string(report, "command", asked->command);
    print_string(report, "kind", model->model->kind->name);
    print_separator(report, "source_separator", &model->source_rule);
    print_separator(report, "target_separator", &model->target_rule);
    print_records(model, report);
    lb_json_whole(json, "parameters", lb_params_learned(translator->model.params));
    lb_json_whole(json, "layers", model->model->layers);
    lb_json_whole(json, "heads", model->model->heads);
    lb_json_bool(json, "sorts", model->sorts);
    lb_json_whole(json, "shortest_source", model->shortest_source);
    lb_json_whole(json, "longest_source", model->longest_source);
    lb_json_bool(json, "backward", model->model->from_end);
    lb_json_whole(json, "beam", beam);
    lb_json_number(json, "length_penalty", asked->length_penalty, 6);
    print_vocabulary(report, "source_symbols", model->source);
    print_vocabulary(report, "target_symbols", model->target);
    lb_buffer_print(json, "}");
}

enum { DIGITS = 9 };

/* "tests":{"long":0.25}: of each what the model was chosen by, or what stands in for it. */
static void print_tests(app_report_data *report, const cJSON *point)
{
    const char *measure = lb_criterion_find(report->by->name, &(lb_evaluation){0})->key;
    const cJSON *member;
    lb_json_open(&report->json, "tests", "{");
    cJSON_ArrayForEach(member, point)
    {
        char name[LB_TEST_NAME];
        const char *dot = strchr(member->string, '.');
        if (!dot || strcmp(dot + 1, measure) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - member->string), member->string);
        lb_json_number(&report->json, name, cJSON_IsNumber(member) ? member->valuedouble : NAN, DIGITS);
    }
    lb_buffer_print(&report->json, "}");
}

static void print_point(app_report_data *report, const cJSON *point)
{
    static const char *const keys[] = {"step",         "loss",     "dev_loss", "exact_match",
                                       "symbol_error", "bleu_13a", "chrf2"};
    lb_json_open(&report->json, NULL, "{");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(point, keys[i]);
        if (!value && i > 4) continue; /* texts were not compared */
        double number = value && cJSON_IsNumber(value) ? value->valuedouble : NAN;
        lb_json_number(&report->json, keys[i], number, DIGITS);
    }
    print_tests(report, point);
    lb_buffer_print(&report->json, "}");
}

void app_report_history_print(const lb_translator_facts *model, app_report_data *report)
{
    cJSON *record = parse(report, model->training);
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(record, "history"), *point;
    const cJSON *kept = cJSON_GetObjectItemCaseSensitive(record, "best_step");
    if (cJSON_IsArray(points) && cJSON_IsNumber(kept)) {
        lb_json_open(&report->json, "history", "{");
        lb_buffer_print(&report->json, "\"kept\":%.0f,\"points\":[", kept->valuedouble);
        cJSON_ArrayForEach(point, points)
        {
            print_point(report, point);
        }
        lb_buffer_print(&report->json, "]}");
    } else {
        lb_json_string(&report->json, "history", NULL);
    }
    cJSON_Delete(record);
}
