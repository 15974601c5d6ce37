/* The combinations of a sweep or a comparison: values of settings from a JSON file or from lists on the command
 * line. */
#include "several/sweep.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "cli/config.h"
#include "cli/option.h"
#include "settings/settings.h"

#include <cJSON.h>
#include <string.h>

/* A sweep gives these to each of its trainings, or needs a single model of each. */
static const char *const of_the_sweep[] = {"out",         "isa",      "threads",   "sweep",
                                           "sweep-count", "ensemble", "seeds",     "print-config",
                                           "quiet",       "test",     "choose-on", NULL};

/* Lists that a program treats apart. */
static const char KINDS[] = "kinds", SEED[] = "seed";

static lb_status check_kind(const app_json_file *file, const cJSON *list, const cJSON *value, lb_error *error)
{
    lb_kind kind;
    lb_error found = {0};
    const char *name = cJSON_GetStringValue(value);
    if (!name) return app_json_file_refuse(file, list, value, "names of kinds", error);
    if (!app_kind_read(&kind, name, KINDS, &found)) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: %.*s", file->path, app_json_file_line(file, list),
                        LB_MESSAGE_LENGTH / 2, found.message);
}

static lb_status check_list(const app_program *program, const app_json_file *file, const cJSON *list,
                            lb_error *error)
{
    const bool kinds = strcmp(list->string, KINDS) == 0;
    const cJSON *value;
    if (app_is_one_of(list->string, of_the_sweep))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: found \"%s\", which cannot vary in a sweep",
                            file->path, app_json_file_line(file, list), list->string);
    if (!kinds && !app_config_find(program, of_the_sweep, file, list, error)) return error->status;
    if (!cJSON_IsArray(list) || !list->child)
        return app_json_file_refuse(file, list, list, "a list of values", error);
    cJSON_ArrayForEach(value, list)
    {
        if (!cJSON_IsString(value) && !cJSON_IsNumber(value) && !cJSON_IsBool(value))
            return app_json_file_refuse(file, list, value, "strings, numbers, true or false", error);
        if (kinds && check_kind(file, list, value, error)) return error->status;
    }
    return app_json_file_check_name(file, list, error);
}

lb_status app_grid_open(app_grid *grid, const app_program *program, const char *path, lb_error *error)
{
    const app_json_file *file = &grid->file;
    const cJSON *list;
    *grid = (app_grid){.count = 1};
    if (!path) {
        grid->file.json = cJSON_CreateObject();
        return file->json ? LB_OK : lb_no_memory(error, "a sweep");
    }
    lb_status status = app_json_file_open(
        &grid->file, path, "with a list of values for each option, such as {\"hidden\": [128, 192]}", error);
    if (status) return status;
    cJSON_ArrayForEach(list, file->json)
    {
        status = check_list(program, file, list, error);
        if (status) return status;
        grid->count *= cJSON_GetArraySize(list);
        if (grid->count > INT32_MAX)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s:%d: found more combinations than can be counted",
                                path, app_json_file_line(file, list));
    }
    return file->json->child ? LB_OK
                             : lb_error_set(error, LB_ERROR_FORMAT,
                                            "%s:1: found {}, expected at least one option with values", path);
}

lb_status app_grid_add(app_grid *grid, const char *name, const char *list, lb_error *error)
{
    lb_strings values = {0};
    lb_status status = strcmp(name, KINDS) == 0 ? app_kinds_sort(list, &values, error)
                                                : lb_strings_split(&values, list, error);
    if (!status && app_grid_varies(grid, name))
        status =
            lb_error_set(error, LB_ERROR_ARGUMENT, "found \"%.40s\" twice%s%.200s, expected it once", name,
                         grid->file.path ? ", once in " : "", grid->file.path ? grid->file.path : "");
    if (!status &&
        !cJSON_AddItemToObject(grid->file.json, name,
                               cJSON_CreateStringArray((const char *const *)values.text, (int)values.count)))
        status = lb_no_memory(error, "a sweep");
    if (!status && (grid->count *= (int64_t)values.count) > INT32_MAX)
        status = lb_error_set(error, LB_ERROR_ARGUMENT, "found more combinations than can be counted");
    lb_strings_free(&values);
    return status;
}

bool app_grid_varies(const app_grid *grid, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(grid->file.json, name) != NULL;
}

int64_t app_grid_seeds_last(app_grid *grid)
{
    cJSON *seeds = cJSON_DetachItemFromObjectCaseSensitive(grid->file.json, SEED);
    if (!seeds) return 1;
    cJSON_AddItemToArray(grid->file.json, seeds); /* it keeps its name */
    return cJSON_GetArraySize(seeds);
}

void app_grid_close(app_grid *grid)
{
    app_json_file_close(&grid->file);
    *grid = (app_grid){0};
}

static const cJSON *value_of(const cJSON *list, int64_t combination)
{
    for (const cJSON *later = list->next; later; later = later->next)
        combination /= cJSON_GetArraySize(later);
    return cJSON_GetArrayItem(list, (int)(combination % cJSON_GetArraySize(list)));
}

static void print_value(lb_buffer *text, const cJSON *value)
{
    char *printed = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    const char *found = printed ? printed : cJSON_GetStringValue(value);
    text->failed = text->failed || !found;
    if (found) lb_buffer_print(text, "%s", found);
    cJSON_free(printed);
}

char *app_grid_name(const app_grid *grid, int64_t combination, bool seed)
{
    lb_buffer name = {0};
    const cJSON *list;
    cJSON_ArrayForEach(list, grid->file.json)
    {
        if (!seed && strcmp(list->string, SEED) == 0) continue;
        if (name.length) lb_buffer_print(&name, ",");
        if (strcmp(list->string, KINDS) != 0) lb_buffer_print(&name, "%s=", list->string);
        print_value(&name, value_of(list, combination));
    }
    if (!name.length) lb_buffer_print(&name, "model");
    return lb_buffer_end(&name);
}

static char *argument_of(const char *option, const cJSON *value)
{
    lb_buffer argument = {0};
    const bool set = lb_setting_find(option), flag = cJSON_IsBool(value) && !set;
    lb_buffer_print(&argument, set ? "--set=%s=" : cJSON_IsFalse(value) ? "--no-%s" : "--%s", option);
    if (!set && !flag) lb_buffer_print(&argument, "=");
    if (!flag) print_value(&argument, value);
    return lb_buffer_end(&argument);
}

/* Values come after those that all trainings have, but for a file of options, which comes before them. */
static lb_status read_config(const cJSON *list, int64_t combination, app_side_by_side *s, lb_error *error)
{
    const char *file = cJSON_GetStringValue(value_of(list, combination));
    int argc = s->argc;
    char **argv = s->argv;
    s->options->settings = s->options->usual;
    s->options->config = (app_config){.file = file ? file : ""};
    return app_config_add(s->command, &argc, &argv, error);
}

static lb_status apply_value(const cJSON *list, int64_t combination, const app_side_by_side *s,
                             lb_strings *words, lb_error *error)
{
    const cJSON *value = value_of(list, combination);
    lb_kind kind;
    if (strcmp(list->string, KINDS) == 0) {
        const char *name = cJSON_GetStringValue(value);
        lb_status status = app_kind_read(&kind, name ? name : "", KINDS, error);
        if (!status) app_kind_apply(&kind, s->options);
        return status;
    }
    lb_status status = lb_strings_add(words, argument_of(list->string, value), error);
    if (status) return status;
    app_request request;
    int argc = 2;
    char *argv[] = {words->text[words->count - 1], words->text[words->count - 1], NULL}, **at = argv;
    return app_options_parse(s->program, &argc, &at, &request, error);
}

lb_status app_grid_apply(const app_grid *grid, int64_t combination, app_side_by_side *s, lb_strings *words,
                         lb_error *error)
{
    static const char CONFIG[] = "config";
    const cJSON *list = s->command ? cJSON_GetObjectItemCaseSensitive(grid->file.json, CONFIG) : NULL;
    lb_status status = list ? read_config(list, combination, s, error) : LB_OK;
    cJSON_ArrayForEach(list,
                       grid->file.json) if (!status && (!s->command || strcmp(list->string, CONFIG) != 0))
        status = apply_value(list, combination, s, words, error);
    return status;
}
