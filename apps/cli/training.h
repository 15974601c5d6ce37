/* The options of a training, as a command line and a file set them. */
#ifndef APP_TRAINING_H
#define APP_TRAINING_H

#include "cli/config.h"
#include "console/console.h"

#include <lookback/translate.h>

/** Who teaches, and what. */
typedef struct app_teaching {
    const char *teacher;    /* a model; NULL: none */
    const char *unlabelled; /* a file of sources without targets; NULL: none */
    int made_up; /* sources to make up from those of the pairs; negative: as many as there are pairs */
    char pairs[APP_PATH]; /* the file that the teacher has written */
} app_teaching;

/** The settings of the command line and of a file. */
typedef struct app_train_options {
    lb_training_config settings, usual; /* the latter without any option */
    app_config config;
    const char *sweep, *ensemble; /* a file, a list; NULL: none */
    int sweep_count;              /* of combinations to draw; 0: all */
    app_teaching teaching;
    lb_sort_task task;   /* of lists: `settings.sort` */
    const char *lengths; /* NULL: not given */
    int what;            /* is done to a list: an lb_list_task */
} app_train_options;

#endif
