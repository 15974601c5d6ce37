/* The output folder of a training program, and its contents. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <lookback/plot.h>
#include <lookback/train.h>

enum { APP_PATH = 4096, APP_MEASURED = 32 };

/** Names of colour maps, for APP_WORD; ends with NULL. */
extern const char *const app_colormaps[];

/** Checks that the picture's name, given as `option`, ends in .png, .svg or .pdf. Other formats are not supported, and
 *  this keeps users from overwriting other files by accident. Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_check_picture(const char *option, const char *output, lb_error *error);

/** Writes "folder/name" into `path` and returns it. */
char *app_path(const char *folder, const char *name, char path[APP_PATH]);

/** A measure for people, with `digits` decimals; "-" for NaN, which was not measured. Returns `text`. */
char *app_measured(double measure, int digits, char text[APP_MEASURED]);

/** lb_chart_save in a folder that the user named, under a name of ours: a link there is an error. */
LB_MUST_USE lb_status app_save_chart(const lb_chart *chart, const char *path, lb_error *error);

/** The evaluations in the chart of a training. */
typedef struct app_measure {
    const char *training; /* the loss of the steps, in the legend */
    const char *loss;     /* that of evaluations, in the legend and in messages, such as "dev loss" */
    const char *label;    /* of the axis of exact match */
} app_measure;

/** Draws both losses, exact match, and that of each test over the steps as the PNG file `path`.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_draw_training(const char *path, const lb_train_history *history,
                                        app_measure measure, lb_error *error);

#endif
