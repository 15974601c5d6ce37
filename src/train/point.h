/* An evaluation in JSON. */
#ifndef LB_POINT_H
#define LB_POINT_H

#include "base/buffer.h"
#include "lookback/train.h"

/** Prints the members of a point without braces, up to its seconds and tokens. */
void lb_train_point_print(lb_buffer *json, const lb_train_point *point);

/** The points as lines of JSON. Release the string with lb_release; NULL if out of memory. */
char *lb_train_history_json(const lb_train_history *history);

#endif
