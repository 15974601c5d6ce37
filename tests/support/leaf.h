/* Tensors without a tape, like parameters, for tests that need operands with a gradient. */
#ifndef SUPPORT_LEAF_H
#define SUPPORT_LEAF_H

#include "lookback/tensor.h"

/** Values uniform in [low, high), different for each `which`; the gradient is required, and zero. */
lb_tensor *support_leaf(lb_shape shape, double low, double high, uint64_t which);

void support_leaf_free(lb_tensor *leaf);

#endif
