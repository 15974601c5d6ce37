/* Targets of a model that writes from the end. Everything outside the kinds of models is in reading order. */
#ifndef LB_DIRECTION_H
#define LB_DIRECTION_H

#include "lookback/models.h"

/** The same rows with ids `first` to `first` + count - 1 of each row in reverse order. `count` is the number of tokens
 *  of the row without `spared` ones: LB_BOS before them, or LB_EOS after them.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; batch is then 0. */
lb_tokens lb_tokens_reversed(lb_tokens rows, int64_t first, int64_t spared);

/** Reverses `count` rows of `width` numbers in place. */
void lb_rows_reverse(lb_real *rows, int64_t count, int64_t width);

/** The weights of a model that read its sources from their end, in reading order; without a gradient.
 *  Shapes: weights [batch, T, S], mask [batch, S] -> [batch, T, S]. */
lb_tensor *lb_weights_reversed(const lb_tensor *weights, const lb_tensor *mask);

/** Puts a hypothesis of a model that writes from the end into reading order. The end stays the last step. `maps` is
 *  layers times heads. */
void lb_hypothesis_reverse(lb_hypothesis *hypothesis, int64_t maps, int64_t source_length);

/** Puts the outputs of greedy decoding into reading order. */
void lb_decoded_reverse(lb_decoded *all);

#endif
