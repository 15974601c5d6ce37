/* A JSON object in a file that somebody wrote by hand: messages name the line of what is wrong. */
#ifndef APP_JSON_FILE_H
#define APP_JSON_FILE_H

#include <lookback/base.h>

struct cJSON;

/** Zero is closed. */
typedef struct app_json_file {
    const char *path;
    char *text;
    struct cJSON *json;
} app_json_file;

/** Reads the file `path`, which must outlive the result. `expected` completes "expected a JSON object".
 *  Memory: freed by app_json_file_close, also after an error.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT with file and line if it is anything else; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_json_file_open(app_json_file *file, const char *path, const char *expected,
                                         lb_error *error);

/** The line of the name of an item of the object; 1 if that is written with escapes. */
int app_json_file_line(const app_json_file *file, const struct cJSON *item);

/** Sets LB_ERROR_FORMAT, and returns it: a value, which is `item` or a part of it, is not what was expected. */
lb_status app_json_file_refuse(const app_json_file *file, const struct cJSON *item, const struct cJSON *value,
                               const char *expected, lb_error *error);

/** Refuses an item of whose name the object has an earlier one. Errors: LB_ERROR_FORMAT. */
LB_MUST_USE lb_status app_json_file_check_name(const app_json_file *file, const struct cJSON *item,
                                               lb_error *error);

/** Frees the text and the object. */
void app_json_file_close(app_json_file *file);

#endif
