/* The options of `train`, and the configuration of the library that follows from them. */
#ifndef APP_TRAIN_OPTIONS_H
#define APP_TRAIN_OPTIONS_H

#include "cli/config.h"
#include "console/output.h"
#include "several/sweep.h"
#include "training/teacher.h"

#include <lookback/translate.h>

enum { APP_TRAIN_MOST = 96 }; /* options */

/** The settings of the command line and of a file. */
typedef struct app_train_options {
    lb_training_config settings, usual; /* the latter without any option */
    int threads;
    app_config config;
    app_sweep sweep;
    const char *ensemble;
    bool quiet;
    app_teaching teaching;
    char pairs[APP_PATH], seal[APP_PATH]; /* of the teacher */
} app_train_options;

/** Fills a table of at most APP_TRAIN_MOST options for these settings. Returns how many there are. */
int app_train_list(app_train_options *t, app_option *to);

/** Starts from the recipe; settings that depend on the model stay open until it is known.
 *  Errors: those of lb_training_config_settle. */
LB_MUST_USE lb_status app_train_begin(app_train_options *t, lb_error *error);

/** Checks beyond the table of options. Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_train_check(app_train_options *t, lb_error *error);

/** Fills in the defaults, and leaves open what a model to start from decides but words, which app_config_record prints:
 *  app_settings_leave_open does the rest. Errors: those of lb_training_config_settle. */
LB_MUST_USE lb_status app_train_settle(app_train_options *t, lb_error *error);

/** Fills in what the recipe chooses for the file to train on, if it can be read, after app_train_settle.
 *  Errors: those of lb_training_fit. */
LB_MUST_USE lb_status app_train_fit(app_train_options *t, lb_error *error);

/** The options beside settings that do not change the model; NULL follows the last. */
extern const char *const app_train_of_the_run[];

/** The options for a model of this kind if none is given, as in the record of a model file.
 *  Memory: release it with lb_release; NULL for an unknown kind, or if memory runs out. */
char *app_train_usual(const char *kind);

#endif
