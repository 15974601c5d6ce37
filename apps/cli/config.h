/* Options from a JSON file: an object with the names that --help lists, without dashes. The command line overrides the
 * file. APP_CONFIG_OPTIONS adds the options for this to the table of a program, whose `config` app_options then reads;
 * app_json_file_close frees what it has read. */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "cli/options.h"

/* ---- A JSON object in a file that somebody wrote by hand: messages name the line of what is wrong. ---- */

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

void app_json_file_close(app_json_file *file);

/* ---- Options from such a file. ---- */

/** Zero before the options are read. */
typedef struct app_config {
    const char *file;   /* of --config; NULL: none */
    bool print;         /* of --print-config */
    app_json_file read; /* the file; text options point into it */
} app_config;

/** --config FILE and --print-config: the program prints app_config_record after filling in its own defaults. */
#define APP_CONFIG_OPTIONS(config)                                                                           \
    APP_TEXT(0, "config", "FILE", &(config)->file,                                                           \
             "read options from a JSON file; the command line overrides them"),                              \
        APP_FLAG(0, "print-config", &(config)->print,                                                        \
                 "print all options as such a file, with what the recipe chooses for FILE, and exit")

/** Reads the file that a command line has named, and then the command line again, which wins.
 *  Errors: as app_config_read and app_options_parse. */
LB_MUST_USE lb_status app_config_add(const app_program *program, int *argc, char ***argv, lb_error *error);

/** The option that an item of a file names in full, except those named in `left_out`, which ends with NULL. NULL after
 *  an error. Errors: LB_ERROR_FORMAT with file and line, and the closest name; LB_ERROR_MEMORY. */
const app_option *app_config_find(const app_program *program, const char *const *left_out,
                                  const app_json_file *file, const struct cJSON *item, lb_error *error);

/** Sets the program's options from the file `path`. A null leaves an option unchanged.
 *  Memory: text options then point to memory that app_json_file_close frees.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT with file and line if it is not a JSON object, for an unknown name (with the
 *          closest known one), a duplicate name, or an invalid value; some options may then be set. LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_config_read(const app_program *program, app_config *config, const char *path,
                                      lb_error *error);

/** The values of all options except APP_CONFIG_OPTIONS, as a JSON object that app_config_read accepts. For the record
 *  in a model file, which is to be equal on every machine: without the options named in `left_out`, which ends with
 *  NULL, and with file names in place of paths; `left_out` is NULL otherwise.
 *  Memory: release it with lb_release; NULL if memory runs out. */
char *app_config_record(const app_program *program, const char *const *left_out);

#endif
