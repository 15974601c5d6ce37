/* An evaluation in JSON. */
#ifndef LB_POINT_H
#define LB_POINT_H

#include "base/buffer.h"
#include "lookback/train.h"

/** Prints the members of a point without braces, up to its seconds and tokens. */
void lb_train_point_print(lb_buffer *json, const lb_train_point *point);

#endif
