/* Writes and reads the task of lists as JSON, for the file of a model. */
#include "data/lists/sort_task.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "io/json.h"

#include <string.h>

char *lb_sort_task_print(const lb_sort_task *task)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"task\":\"%s\",\"max_number\":%d,\"min_length\":%d,\"max_length\":%d",
                    lb_list_task_names[task->what], (int)task->max_value, (int)task->min_length,
                    (int)task->max_length);
    /* Left out if there are none, as in files from before repeats existed. */
    if (task->repeats > 0) lb_buffer_print(&json, ",\"repeats\":%.9g", task->repeats);
    if (task->one_length) lb_buffer_print(&json, ",\"one_length\":true");
    lb_buffer_print(&json, "}");
    return lb_buffer_end(&json);
}

static int32_t whole(const cJSON *json, const char *key)
{
    const cJSON *item = lb_json_get(json, key);
    bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble == (double)item->valueint;
    return fits ? item->valueint : -1;
}

lb_status lb_sort_task_parse(const char *text, lb_sort_task *task, lb_error *error)
{
    cJSON *json = NULL;
    *task = (lb_sort_task){0};
    if (text && lb_json_parse(text, strlen(text), NULL, &json) == LB_ERROR_MEMORY)
        return lb_no_memory(error, "a sort task");
    const char *name = lb_json_text(json, "task");
    int what = lb_choice_find(lb_list_task_names, name ? name : "");
    bool is_sort = what >= 0;
    *task = (lb_sort_task){.max_value = whole(json, "max_number"),
                           .min_length = whole(json, "min_length"),
                           .max_length = whole(json, "max_length"),
                           .repeats = lb_json_get(json, "repeats") ? lb_json_member(json, "repeats", -1) : 0,
                           .what = is_sort ? (lb_list_task)what : LB_LIST_SORT,
                           .one_length = cJSON_IsTrue(lb_json_get(json, "one_length"))};
    static const char *const needed[] = {"max_length", "min_length",
                                         "max_number"}; /* the last is named first */
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && is_sort; i++)
        if (!lb_json_get(json, needed[i])) missing = needed[i];
    cJSON_Delete(json);
    if (missing)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no \"%s\"", LB_SORT_TASK_KEY, missing);
    lb_status status = is_sort ? lb_sort_check(task, NULL) : LB_ERROR_FORMAT;
    if (status == LB_OK) return LB_OK;
    if (status == LB_ERROR_MEMORY) return lb_error_set(error, status, "out of memory for a sort task");
    return lb_error_set(error, LB_ERROR_FORMAT, "%s is %.160s, expected a valid sort task", LB_SORT_TASK_KEY,
                        text ? text : "missing");
}
