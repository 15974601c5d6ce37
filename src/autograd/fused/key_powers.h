/* The exponentials of the keys of an op (tensor/attention_kernel.h), one per number of each key. They are computed row
 * by row of the batch, when the thread of the row first needs them. A row with a key outside their range has none. */
#ifndef LB_KEY_POWERS_H
#define LB_KEY_POWERS_H

#include "autograd/op.h"

typedef struct lb_key_powers lb_key_powers;

/** Memory for the exponentials of keys [batch, keys, width], until lb_tape_reset. If there is none, records the error
 *  and returns NULL. */
lb_key_powers *lb_key_powers_new(const lb_node *node, const lb_tensor *keys);

/** The same, kept by the tape for all ops with these keys. NULL for the first op, because a single op would not recover
 *  their cost, and unless the tape is in LB_MODE_EVALUATE. */
lb_key_powers *lb_key_powers_kept(const lb_node *node, const lb_tensor *keys);

/** The exponentials of one row of the batch, [keys, width]; NULL if it has none, or without `powers`. Two threads must
 *  not ask for the same row at once. */
const lb_real *lb_key_powers_of_row(lb_key_powers *powers, int64_t row);

#endif
