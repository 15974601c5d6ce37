/* The exponentials of keys that an op attends to (tensor/attention_kernel.h): one for each number of each key. They are
 * made tile by tile (tensor/row_tiles.h), when the thread that has the tile first asks; a tile with a key beyond their
 * range has none. */
#ifndef LB_KEY_POWERS_H
#define LB_KEY_POWERS_H

#include "autograd/op.h"

typedef struct lb_key_powers lb_key_powers;

/** Room for those of keys [batch, keys, width], until lb_tape_reset; NULL, with the error recorded, if there is no
 *  memory. */
lb_key_powers *lb_key_powers_new(const lb_node *node, const lb_tensor *keys);

/** The same, kept by the tape for all ops that ask these keys: from the second one on, because one alone would not win
 *  back what they cost. NULL for the first, or if the tape does not evaluate. */
lb_key_powers *lb_key_powers_kept(const lb_node *node, const lb_tensor *keys);

/** Those of one row of the batch, [keys, width]. NULL if its tile has none, or without `powers`. Two threads must not
 *  ask for rows of the same tile. */
const lb_real *lb_key_powers_of_row(lb_key_powers *powers, int64_t row);

#endif
