#include "cli/config.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "io/file.h"
#include "io/json.h"

#include <string.h>

enum { NUMBER = 32, FOUND = 64, EXPECTED = 256 };

/* ---- The file. ---- */

static int line_of(const char *text, const char *place)
{
    int line = 1;
    for (; text < place; text++) line += *text == '\n';
    return line;
}

/* The next place from `at` on where the text has this name; NULL if there is none. */
static const char *find_name(const char *at, const char *name)
{
    size_t length = strlen(name);
    for (; (at = strchr(at, '"')) != NULL; at++) {
        if (strncmp(at + 1, name, length) != 0 || at[length + 1] != '"') continue;
        const char *behind = at + length + 2;
        if (behind[strspn(behind, " \t\r\n")] == ':') return at;
    }
    return NULL;
}

int app_json_file_line(const app_json_file *file, const cJSON *item)
{
    const char *place = find_name(file->text, item->string);
    for (const cJSON *other = file->json->child; place && other != item; other = other->next)
        if (strcmp(other->string, item->string) == 0) place = find_name(place + 1, item->string);
    return place ? line_of(file->text, place) : 1;
}

lb_status app_json_file_refuse(const app_json_file *file, const cJSON *item, const cJSON *value,
                               const char *expected, lb_error *error)
{
    char *found = cJSON_PrintUnformatted(value);
    lb_status status =
        lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: \"%s\": found %.*s, expected %s", file->path,
                     app_json_file_line(file, item), item->string, FOUND, found ? found : "?", expected);
    cJSON_free(found);
    return status;
}

lb_status app_json_file_check_name(const app_json_file *file, const cJSON *item, lb_error *error)
{
    if (cJSON_GetObjectItemCaseSensitive(file->json, item->string) == item) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: found \"%s\" twice, expected it once", file->path,
                        app_json_file_line(file, item), item->string);
}

/* The first byte that is not text; NULL: all of it is. */
static const char *find_no_text(const char *text, size_t length)
{
    size_t valid = lb_utf8_prefix(text, length);
    const char *zero = memchr(text, '\0', valid);
    return zero ? zero : valid < length ? text + valid : NULL;
}

static lb_status parse(app_json_file *file, size_t length, const char *expected, lb_error *error)
{
    const char *end = file->text, *no_text = find_no_text(file->text, length);
    const lb_file_kind *kind = lb_file_kind_find(file->text, length);
    char told[LB_FILE_KIND_TEXT];
    if (kind && !kind->is_text)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s", file->path,
                            lb_file_kind_print(kind, file->path, "JSON", false, told));
    if (no_text)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: expected text in UTF-8", file->path,
                            line_of(file->text, no_text));
    if (lb_json_parse(file->text, length, &end, &file->json) == LB_ERROR_MEMORY)
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", file->path);
    if (cJSON_IsObject(file->json)) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: %s, expected a JSON object %s", file->path,
                        file->json ? 1 : line_of(file->text, end),
                        file->json ? "found another value" : "found no JSON", expected);
}

lb_status app_json_file_open(app_json_file *file, const char *path, const char *expected, lb_error *error)
{
    void *text;
    size_t length;
    *file = (app_json_file){.path = path};
    lb_status status = lb_file_read(path, LB_JSON_LONGEST, &text, &length, error);
    file->text = text;
    return status ? status : parse(file, length, expected, error);
}

void app_json_file_close(app_json_file *file)
{
    lb_release(file->text);
    cJSON_Delete(file->json);
    *file = (app_json_file){0};
}

/* ---- Its options. ---- */

/* A double, and so a JSON number, is exact for integers up to this one. */
#define EXACT (UINT64_C(1) << 53)

static bool is_settable(const app_option *option, const char *const *left_out)
{
    return option->kind != APP_IS_HEADING && option->kind != APP_IS_SET &&
           !app_is_one_of(option->name, left_out);
}

static const char *const config_options[] = {"config", "print-config", NULL};

const app_option *app_config_find(const app_program *program, const char *const *left_out,
                                  const app_json_file *file, const cJSON *item, lb_error *error)
{
    app_nearest nearest = {.word = item->string};
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!is_settable(option, left_out)) continue;
        if (strcmp(option->name, item->string) == 0) return option;
        app_nearest_try(&nearest, option->name);
    }
    lb_error_set(error, LB_ERROR_FORMAT,
                 "%s:%d: found \"%.*s\", expected the name of an option, such as \"%s\"", file->path,
                 app_json_file_line(file, item), FOUND, item->string, nearest.name ? nearest.name : "");
    return NULL;
}

/* Whether its value is a JSON string; a seed may be one. */
static bool is_string(const app_option *option)
{
    return option->kind == APP_IS_TEXT || option->kind == APP_IS_CHOICE || option->kind == APP_IS_ONE_OF;
}

/* A JSON value as the text of a command line; NULL if its type does not fit the option. */
static const char *text_of(const app_option *option, const cJSON *item, char number[NUMBER])
{
    bool wants_number =
        option->kind == APP_IS_INT || option->kind == APP_IS_NUMBER || option->kind == APP_IS_SEED;
    if (option->kind == APP_IS_FLAG && cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "true" : "false";
    if ((is_string(option) || option->kind == APP_IS_SEED) && cJSON_IsString(item)) return item->valuestring;
    if (!wants_number || !cJSON_IsNumber(item)) return NULL;
    snprintf(number, NUMBER, "%.17g", item->valuedouble);
    return number;
}

static lb_status set_value(const app_json_file *file, const app_option *option, const cJSON *item,
                           lb_error *error)
{
    char number[NUMBER], expected[EXPECTED] = "a string", hint[APP_HINT] = "";
    if (cJSON_IsNull(item)) return LB_OK;
    if (option->kind == APP_IS_TESTS) /* {"long": "long.tsv"} */
        return lb_setting_read_tests(option->value.tests, item)
                   ? LB_OK
                   : app_json_file_refuse(file, item, item, "an object of files by the names of tests",
                                          error);
    const char *text = text_of(option, item, number);
    if (text && app_option_set(option, text)) return LB_OK;
    if (text || option->kind != APP_IS_TEXT) app_option_expects(option, expected, sizeof expected);
    if (text) app_option_hint(option, text, hint);
    size_t length = strlen(expected);
    snprintf(expected + length, sizeof expected - length, "%s", hint);
    return app_json_file_refuse(file, item, item, expected, error);
}

static lb_status set_all(const app_program *program, const app_json_file *file, lb_error *error)
{
    const cJSON *item;
    lb_status status = LB_OK;
    cJSON_ArrayForEach(item, file->json)
    {
        const app_option *option = app_config_find(program, config_options, file, item, error);
        if (!option) return error->status;
        status = app_json_file_check_name(file, item, error);
        if (!status) status = set_value(file, option, item, error);
        if (status) return status;
    }
    return status;
}

lb_status app_config_read(const app_program *program, app_config *config, const char *path, lb_error *error)
{
    app_json_file_close(&config->read);
    lb_status status = app_json_file_open(&config->read, path, "with options", error);
    return status ? status : set_all(program, &config->read, error);
}

lb_status app_config_add(const app_program *program, int *argc, char ***argv, lb_error *error)
{
    app_request request;
    lb_status status = app_config_read(program, program->config, program->config->file, error);
    return status ? status : app_options_parse(program, argc, argv, &request, error);
}

/* The name of a file, without folders, which are those of this machine. */
static const char *file_name(const char *path)
{
    const char *name = lb_os_name_of(path);
    return *name ? name : path;
}

static void print_tests(lb_buffer *json, const lb_test *tests, bool record)
{
    lb_buffer_print(json, "{");
    for (int i = 0; i < LB_MOST_TESTS && *tests[i].name; i++) {
        lb_buffer_print(json, i ? ", \"%s\": " : "\"%s\": ", tests[i].name);
        lb_buffer_json_string(json, record ? file_name(tests[i].file) : tests[i].file);
    }
    lb_buffer_print(json, "}");
}

static void print_value(lb_buffer *json, const app_option *option, bool record)
{
    char number[APP_OPTION_NUMBER];
    if (option->kind == APP_IS_TESTS) {
        print_tests(json, option->value.tests, record);
        return;
    }
    const char *value = app_option_value(option, number);
    bool is_text = is_string(option) || (option->kind == APP_IS_SEED && *option->value.seed > EXACT);
    if (value && option->kind == APP_IS_TEXT && record && app_option_is_path(option))
        value = file_name(value);
    if (value && is_text)
        lb_buffer_json_string(json, value);
    else
        lb_buffer_print(json, "%s", value ? value : "null");
}

char *app_config_record(const app_program *program, const char *const *left_out)
{
    lb_buffer json = {0};
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        bool of_session = left_out && option->setting && option->setting->of_session;
        if (of_session || !is_settable(option, config_options) || app_is_one_of(option->name, left_out))
            continue;
        lb_buffer_print(&json, json.length ? ",\n  " : "{\n  ");
        lb_buffer_json_string(&json, option->name);
        lb_buffer_print(&json, ": ");
        print_value(&json, option, left_out != NULL);
    }
    lb_buffer_print(&json, "\n}\n");
    return lb_buffer_end(&json);
}
