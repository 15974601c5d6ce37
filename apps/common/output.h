/* The folder that a training program writes to, and what lies in it. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <lookback/train/trainer.h>

enum { APP_PATH = 4096 };

/** Makes the folder and its parents, and checks that it can be written to: better now than after the training.
 *  Errors: LB_ERROR_WRITE with the path and the system's reason. */
LB_MUST_USE lb_status app_make_folder(const char *folder, lb_error *error);

/** Checks that the picture's name, given as --output, ends in .png: whoever wants a PDF should know that this is none,
 *  and no other file can be overwritten by accident. Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_check_png(const char *output, lb_error *error);

/** Writes "folder/name" into `path` and returns it. */
char *app_path(const char *folder, const char *name, char path[APP_PATH]);

/** Writes FOLDER/train.jsonl: a line of JSON for each point. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_write_log(const char *folder, const lb_train_history *history, lb_error *error);

/** Draws FOLDER/loss.png: loss and exact match over the steps. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_draw_training(const char *folder, const lb_train_history *history, lb_error *error);

#endif
