/* The linear layer. */
#ifndef LB_LINEAR_H
#define LB_LINEAR_H

#include "lookback/nn.h"

/** The layer applied to [a; b], without copying the two tensors together.
 *  Shapes: a [..., n], b [..., inputs - n] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward_pair(const lb_linear *linear, lb_tensor *a, lb_tensor *b);

#endif
