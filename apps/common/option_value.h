/* The value of one option, from text. */
#ifndef APP_OPTION_VALUE_H
#define APP_OPTION_VALUE_H

#include "common/options.h"

/** Sets the option's variable from the text; a flag is set to true, whatever the text. A text option will point to it.
 *  Returns false, and sets nothing, if the value is invalid. */
LB_MUST_USE bool app_option_set(const app_option *option, const char *text);

/** Whether app_option_set has been called for an option of this variable: its value was then given, default or not. */
bool app_option_was_set(const void *variable);

/** Writes what the option expects, such as "a whole number from 1 to 65536". */
void app_option_expects(const app_option *option, char *text, size_t size);

/** Writes the text of the option in --help: its purpose, its choices and its default. */
void app_option_describe(const app_option *option, char *text, size_t size);

/** Whether its text names a file, a folder or a model. */
bool app_option_is_path(const app_option *option);

/** Whether it is a flag that is on unless --no-NAME turns it off. */
bool app_option_is_on(const app_option *option);

/** The options that every program has. */
extern const app_option app_option_help, app_option_version;

#endif
