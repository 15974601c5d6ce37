/* The value of one option, from text. */
#ifndef APP_OPTION_VALUE_H
#define APP_OPTION_VALUE_H

#include "common/options.h"

/** Sets the option's variable to what the text says; a flag to true, whatever it says. A text option will point to it.
 *  False, and nothing is set, if it is not what the option expects. */
LB_MUST_USE bool app_option_set(const app_option *option, const char *text);

/** Has app_option_set been called for an option of this variable? Then its value was asked for, default or not. */
bool app_option_was_set(const void *variable);

/** Writes what the option expects, such as "a whole number from 1 to 65536". */
void app_option_expects(const app_option *option, char *text, size_t size);

/** Writes what --help says of the option: what it is for, its choices and its default. */
void app_option_describe(const app_option *option, char *text, size_t size);

/** Is it a flag that is on unless --no-NAME turns it off? */
bool app_option_is_on(const app_option *option);

/** What every program has. */
extern const app_option app_option_help, app_option_version;

#endif
