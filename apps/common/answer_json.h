/* What became of a text as a line of JSON; docs/guide.md tells its fields. */
#ifndef APP_ANSWER_JSON_H
#define APP_ANSWER_JSON_H

#include "base/buffer.h"
#include <lookback/translate.h>

/** Appends a JSON object, without the end of the line. `source` is the text as it was read; NULL if it could not be
 *  read. */
void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text);

#endif
