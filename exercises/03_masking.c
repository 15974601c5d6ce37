/* Exercise 3: masking. Read docs/lessons/03_masking.md first, then work here. `./run check 3` checks both parts, and
 * `git checkout exercises/03_masking.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: the weights of one query that may not see every key.
 *
 *   score [keys], mask [keys] -> weight [keys]
 *
 * A key with mask 1 is visible. Its weight is e^score divided by the sum of e^score over the visible keys. A key with
 * mask 0 is hidden: its weight is 0, whatever its score. If no key is visible, all weights are 0. e^1000 is infinite in
 * a computer: first subtract the largest visible score from the scores, which does not change the weights. */
void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
}

/* To mend: the attention of a padded batch.
 *
 *   query [batch, queries, width], key [batch, keys, width], value [batch, keys, depth], lengths [batch]
 *   -> output [batch, queries, depth]
 *
 * Row b has lengths[b] words; the keys and values after them are padding, which no query may see. */
lb_tensor *attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, const int32_t *lengths)
{
    int64_t batch = lb_dim(value, 0), keys = lb_dim(value, 1);
    lb_tensor *is_word = lb_length_mask(value->tape, lengths, batch, keys);

    /* Padding has no information, so its values become zero. */
    lb_tensor *words = lb_mul(value, lb_reshape(is_word, LB_SHAPE(batch, keys, 1)));
    return lb_attend_dot(query, key, words, NULL, NULL, 1, 1 / sqrtf((float)lb_dim(query, 2)), 0);
}
