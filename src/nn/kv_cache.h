/* A decoder that writes step by step: the keys and values of its tokens, which it keeps, and attention to them and to
 * the source (docs/adr/0011-one-face-for-models.md). Nothing here has a gradient. */
#ifndef LB_KV_CACHE_H
#define LB_KV_CACHE_H

#include "lookback/nn.h"

/** Where the keys and values of a batch are, in all layers. They are written once and stay where they are: what moves
 *  when rows are selected or go on is this list. So two steps can go on from one cache, and share it. */
typedef struct lb_kv_cache {
    int64_t batch, length; /* tokens of each row */
    int64_t layers,
        width;       /* of the keys of a token in one layer; as many numbers behind them are its values */
    lb_real **entry; /* [layers, batch, length] */
} lb_kv_cache;

/** The cache with room for `count` more tokens in each row. The list lives as long as a step of the tape, the numbers
 *  until it is reset. Errors: NULL without memory, recorded on the tape. */
lb_kv_cache *lb_kv_cache_extend(lb_tape *tape, const lb_kv_cache *before, int64_t count);

/** Keys and values [layers] of [batch, length, 2 width] as a cache: a list of the same numbers. NULL stays NULL.
 *  Errors: NULL without memory, recorded on the tape, or if one of the tensors is poison. */
lb_kv_cache *lb_kv_cache_of(lb_tape *tape, const lb_key_values *source, int64_t layers);

/** Rows row[0], row[1], ... of the cache: a list of the same numbers. NULL stays NULL, without an error. */
lb_kv_cache *lb_kv_cache_select(lb_tape *tape, const lb_kv_cache *from, const int64_t *row, int64_t count);

/** Writes keys and values of one layer, the last columns of `projected` [batch, count, 2 width or more], into the last
 *  `count` tokens of each row. */
void lb_kv_cache_write(lb_kv_cache *cache, int64_t layer, const lb_tensor *projected);

/** The cache as tensors [layers] of [batch, length, 2 width], for steps that are recorded. NULL without memory, and
 *  without a cache. */
lb_key_values *lb_kv_cache_read(lb_tape *tape, const lb_kv_cache *cache);

/** What the layers of a decoder attend to in a step. */
typedef struct lb_decoder_step {
    lb_kv_cache *cache; /* with room for the tokens of the step */
    const lb_kv_cache *source;
    const lb_tensor *mask; /* [batch, 1, 1, S]: 1 for the keys of a source, then 0 for its padding */
} lb_decoder_step;

/** Attention of the tokens of a step to the source; or, with `to_self`, of each to the tokens before it and to itself,
 *  whose keys and values are written into the cache.
 *  Shapes: x [batch, n, embed], bias [heads, n, K] or NULL -> context [batch, n, embed], weights [batch, heads, n, K],
 *          where K is the length of the source or of the cache. */
lb_attended_result lb_multi_head_step(const lb_multi_head *attention, lb_tensor *x,
                                      const lb_decoder_step *step, int64_t layer, bool to_self,
                                      const lb_tensor *bias);

#endif
