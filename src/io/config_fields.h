/* A value of a struct that a table of fields describes, whatever its type. */
#ifndef LB_CONFIG_FIELDS_H
#define LB_CONFIG_FIELDS_H

#include "lookback/io.h"

/** The value of a field that is a number, a flag or a choice, in a configuration. */
double lb_config_number(const lb_config_field *field, const void *config);

/** Sets the value of such a field. */
void lb_config_put(const lb_config_field *field, void *config, double value);

#endif
