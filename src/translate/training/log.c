#include "translate/training/log.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/file.h"
#include "io/json.h"
#include "train/point.h"

#include <string.h>

/* Prints one line of JSON as a row of the table, or its member names as the header. */
static void print_row(lb_buffer *csv, const char *line, bool names)
{
    cJSON *json;
    const char *comma = "";
    if (lb_json_parse(line, strcspn(line, "\n"), NULL, &json)) csv->failed = true;
    for (const cJSON *member = json ? json->child : NULL; member; member = member->next, comma = ",") {
        char *value = lb_json_print(member);
        const char *cell = cJSON_IsNull(member) ? "" : value; /* what was not measured */
        csv->failed = csv->failed || !value;
        lb_buffer_print(csv, "%s%s", comma, names || !value ? member->string : cell);
        cJSON_free(value);
    }
    lb_buffer_print(csv, "\n");
    cJSON_Delete(json);
}

/* The points as JSON, one per line, or as CSV; NULL if memory runs out. */
static char *print_points(const char *path, const lb_train_history *history, bool header)
{
    const char *ending = strrchr(path, '.');
    char *json = lb_train_history_json(history);
    if (!json || !ending || strcmp(ending, ".csv") != 0) return json;
    lb_buffer csv = {0};
    lb_buffer_print(&csv, "%s", "");
    if (header && *json) print_row(&csv, json, true);
    for (const char *line = json; *line; line += strcspn(line, "\n") + 1) print_row(&csv, line, false);
    lb_release(json);
    return lb_buffer_end(&csv);
}

static lb_status write_points(const char *path, const lb_train_history *history, bool append, lb_error *error)
{
    char *log = print_points(path, history, !append);
    if (!log) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", path);
    lb_status status = append ? lb_file_append(path, log, strlen(log), error)
                              : lb_file_write_own(path, &(lb_bytes){log, strlen(log)}, 1, error);
    lb_release(log);
    return status;
}

lb_status lb_training_log_write(const char *path, const lb_train_history *history, lb_error *error)
{
    return write_points(path, history, false, error);
}

lb_status lb_training_log_append(const char *path, const lb_train_history *history, int64_t *logged,
                                 lb_error *error)
{
    bool appends = *logged > 0 && *logged == history->count - 1 && !lb_file_is_missing(path);
    const lb_train_history last = {.points = history->points + *logged, .count = 1};
    lb_status status = write_points(path, appends ? &last : history, appends, error);
    *logged = status ? 0 : history->count;
    return status;
}
