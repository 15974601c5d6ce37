/* The command that trained a model, from the options in its record. */
#ifndef APP_TRAIN_COMMAND_H
#define APP_TRAIN_COMMAND_H

struct cJSON;

/** A command line of `lookback train` with the options whose values are not the usual ones. Both are objects, as
 *  app_config_record writes them.
 *  Memory: release it with lb_release; NULL if memory runs out. */
char *app_train_command(const struct cJSON *options, const struct cJSON *usual);

#endif
