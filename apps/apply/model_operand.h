/* The operands MODEL and FILE. */
#ifndef APP_MODEL_OPERAND_H
#define APP_MODEL_OPERAND_H

#include <lookback/translate.h>

/** lb_translator_open. If `file`, unless NULL, is the model instead, the message says so. */
LB_MUST_USE lb_translator *app_open_model(const char *model, const char *file, lb_error *error);

#endif
