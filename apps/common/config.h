/* A program's options from a JSON file: an object with the names that --help lists, without dashes. The command line
 * wins over the file. The options that ask for all this are part of the program's table:
 *
 *     app_config config = {0};
 *     const app_option options[] = {
 *         APP_INT(0, "batch", "N", &batch, 1, 65536, "lists in a batch"),
 *         APP_CONFIG_OPTIONS(&config),
 *     };
 *     ...
 *     int status = app_config_options(&program, &config, &argc, &argv);
 *     if (status == APP_RUN) status = work();
 *     app_config_free(&config);
 */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "common/options.h"

struct cJSON;

/** Zero before the options are read. */
typedef struct app_config {
    const char *file;   /* of --config; NULL without */
    bool print;         /* of --print-config */
    struct cJSON *json; /* what the file says; text options point into it */
} app_config;

/** --config FILE and --print-config. */
#define APP_CONFIG_OPTIONS(config)                                                                           \
    APP_TEXT(0, "config", "FILE", &(config)->file,                                                           \
             "read options from a JSON object; the command line overrides them"),                            \
        APP_FLAG(0, "print-config", &(config)->print, "print all options as such an object and exit")

/** As app_options, but a file that --config names sets the options before the command line does. Returns also 65 or 66
 *  if that file is bad or cannot be read. With --print-config the program prints app_config_json when it has filled in
 *  what it decides by itself. */
LB_MUST_USE int app_config_options(const app_program *program, app_config *config, int *argc, char ***argv);

/** Sets the program's options to what the file `path` says. A null leaves an option as it is.
 *  Memory: text options then point to what app_config_free frees.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT with file and line for what is no JSON object, for an unknown name, with the
 *          one that comes closest, for one that occurs twice, and for a value that the option does not take; then some
 *          options may have been set. LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_config_read(const app_program *program, app_config *config, const char *path,
                                      lb_error *error);

/** The values of all options but those of APP_CONFIG_OPTIONS, as a JSON object that app_config_read takes.
 *  Memory: to be released with lb_release; NULL if there is none. */
char *app_config_json(const app_program *program, const app_config *config);

/** Frees what a file said. */
void app_config_free(app_config *config);

#endif
