#include "cli/json_file.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/file.h"
#include "io/file_kind.h"
#include "io/json.h"

#include <string.h>

enum { FOUND = 64 };

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

/* The first line that is not text, as a place in it; NULL: all are. No character of UTF-8 goes beyond its line. */
static const char *find_no_text(const char *text, size_t length)
{
    for (const char *line = text, *end = text + length; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t bytes = (size_t)((next ? next : end) - line);
        if (memchr(line, '\0', bytes) || !lb_utf8_valid(line, bytes)) return line;
        line += bytes + 1;
    }
    return NULL;
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
