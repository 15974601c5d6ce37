/* The card of a model in a report, and the history of its training. */
#ifndef APP_REPORT_ABOUT_H
#define APP_REPORT_ABOUT_H

#include "report/data.h"
#include <lookback/translate.h>

/** What the command line says about a report. */
typedef struct app_report_about {
    const char *title;   /* NULL: from the names of model and file */
    const char *model;   /* as given */
    const char *file;    /* as given; NULL: texts of the command line */
    const char *command; /* as typed */
    int beam;
    double length_penalty; /* of lb_beam_config */
} app_report_about;

/** Prints "about":{...}. Errors: LB_ERROR_MEMORY; those of lb_model_file_open. */
LB_MUST_USE lb_status app_report_about_print(const app_report_about *about, const lb_translator_facts *model,
                                             app_report_data *report, lb_error *error);

/** Prints "history":{...}, from the record in the model file; null if it has none. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_history_print(const lb_translator_facts *model, app_report_data *report,
                                               lb_error *error);

/** The command line as a shell would read it. Memory: release it with lb_release; NULL if memory runs out. Bytes that
 *  are not UTF-8 become U+FFFD. */
char *app_report_command(int argc, char *const *argv);

#endif
