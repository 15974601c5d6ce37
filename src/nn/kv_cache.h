/* A decoder that writes step by step: the keys and values of its tokens, which it keeps, and attention to them and to
 * the source (docs/adr/0011-one-face-for-models.md). Nothing here has a gradient. */
#ifndef LB_KV_CACHE_H
#define LB_KV_CACHE_H

#include "lookback/nn.h"

/** Memory for the keys and values of some tokens. */
typedef struct lb_kv_room lb_kv_room;

/** The keys and values of all tokens of a batch in all layers. Their numbers are written once, by the step that reads
 *  the token, and stay where they are: what moves when rows are selected or go on is the list of where they are. So
 *  two steps can go on from one cache, and share it. */
typedef struct lb_kv_cache {
    int64_t batch, length; /* tokens of each row */
    int64_t layers, width; /* of the keys of a token in one layer; its values have as many numbers */
    lb_real **entry;       /* [batch, length]: the keys of a token in the first layer */
    lb_kv_room *room;      /* of the last tokens; NULL before the first */
    int64_t used;          /* places of the room up to the last token */
} lb_kv_cache;

/** The cache with room for `count` more tokens in each row. `before` has the tokens so far; NULL: none, and `sizes` has
 *  batch, layers and width. The list lives as long as a step of the tape, the numbers until it is reset.
 *  Errors: NULL without memory, recorded on the tape. */
lb_kv_cache *lb_kv_cache_extend(lb_tape *tape, const lb_kv_cache *before, lb_kv_cache sizes, int64_t count);

/** Rows row[0], row[1], ... of the cache: a list of the same numbers. NULL stays NULL, without an error. */
lb_kv_cache *lb_kv_cache_select(lb_tape *tape, const lb_kv_cache *from, const int64_t *row, int64_t count);

/** Writes keys and values of one layer, the last columns of `projected` [batch, count, 2 width or more], into the last
 *  `count` tokens of each row. */
void lb_kv_cache_write(lb_kv_cache *cache, int64_t layer, const lb_tensor *projected);

/** The keys and values of one layer as one tensor [batch, length, 2 width], for steps that are recorded. */
lb_key_values lb_kv_cache_read(lb_tape *tape, const lb_kv_cache *cache, int64_t layer);

/** What the layers of a decoder attend to in a step. */
typedef struct lb_decoder_step {
    lb_kv_cache *cache;          /* with room for the tokens of the step */
    const lb_key_values *source; /* [layers] of [sources, S, 2 width] */
    const lb_tensor *mask;       /* [sources, 1, 1, S]: 1 for the keys of a source, then 0 for its padding */
    const int64_t *row;          /* [batch]: the source of each row; NULL: its own number */
} lb_decoder_step;

/** Self-attention of the tokens of a step: each attends to those before it and to itself. Writes their keys and values
 *  into the cache.
 *  Shapes: x [batch, n, embed], bias [heads, n, length] or NULL -> context [batch, n, embed], weights
 *          [batch, heads, n, length]. */
lb_attended_result lb_multi_head_ask_cache(const lb_multi_head *attention, lb_tensor *x,
                                           const lb_decoder_step *step, int64_t layer, const lb_tensor *bias);

/** Attention of the tokens of a step to the source.
 *  Shapes: x [batch, n, embed] -> context [batch, n, embed], weights [batch, heads, n, S]. */
lb_attended_result lb_multi_head_ask_source(const lb_multi_head *attention, lb_tensor *x,
                                            const lb_decoder_step *step, int64_t layer);

#endif
