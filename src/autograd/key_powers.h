/* The exponentials of keys that an op attends to (tensor/attention_kernel.h): one for each number of each key. */
#ifndef LB_KEY_POWERS_H
#define LB_KEY_POWERS_H

#include "autograd/op.h"

typedef struct lb_key_powers {
    lb_real *all; /* [batch, keys, width]; NULL: there are none */
    int64_t row;  /* keys * width */
    bool filled;  /* they are there already */
} lb_key_powers;

/** Memory that the tape keeps for them, where an op asks the same keys again: from the second time on. */
lb_key_powers lb_key_powers_kept(const lb_node *node, const lb_tensor *keys);

/** Those of rows `first` to `first + height` of the batch, filled in if they are not: where [keys, width] of row `first` begins. NULL
 *  if there are none, or if a key of these rows is beyond their range. The rows must be the same ones whenever they are asked for. */
const lb_real *lb_key_powers_of_rows(lb_key_powers powers, const lb_tensor *keys, int64_t first,
                                     int64_t height);

#endif
