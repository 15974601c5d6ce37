/* What a message says of a training that cannot go on. */
#ifndef LB_DIVERGED_H
#define LB_DIVERGED_H

#include "autograd/cause.h"
#include "lookback/nn.h"

enum { LB_BAD_TEXT = 256 };

/** Writes "net.weight is nan at [0,3]" into `text` and returns it: the first parameter whose values, or gradients, are
 *  not all finite; "" if there is none. */
char *lb_bad_parameter(const lb_params *params, bool gradients, char text[LB_BAD_TEXT]);

#endif
