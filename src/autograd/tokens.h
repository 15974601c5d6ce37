/* A padded batch of sequences of token ids: the integers that enter a model. */
#ifndef LB_TOKENS_H
#define LB_TOKENS_H

#include "autograd/tape.h"
#include "tensor/special_ids.h"

typedef struct lb_tokens {
    lb_tape *tape; /* owns the arrays */
    int64_t batch;
    int64_t length;         /* of the longest row */
    const int32_t *id;      /* [batch, length]; LB_PAD behind a row's end */
    const int32_t *lengths; /* [batch], each from 0 to length */
} lb_tokens;

/** An all-padding batch to fill in; arrays on the tape. `id` and `lengths` receive the writable arrays.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY; then batch is 0. */
lb_tokens lb_tokens_new(lb_tape *tape, int64_t batch, int64_t length, int32_t **id, int32_t **lengths);

/** 1 where there is a token, 0 where there is padding: [batch, length]. */
lb_tensor *lb_tokens_mask(lb_tokens tokens);

#endif
