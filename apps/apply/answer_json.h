/* The result for a text as a line of JSON; docs/terminal.md describes the fields. */
#ifndef APP_ANSWER_JSON_H
#define APP_ANSWER_JSON_H

#include "base/buffer.h"
#include <lookback/translate.h>

/** Appends a JSON object, without a line end. `source` is the text; NULL if it is invalid. */
void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text);

#endif
