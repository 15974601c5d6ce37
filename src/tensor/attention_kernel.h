/* Additive attention of one query, forward and backward: score_k = v' tanh(query + key_k).
 * Query and keys come projected (W_q q, W_k k). The tanh of all keys, which is the bulk, is computed twice instead of
 * being kept: batch x queries x keys x width numbers would not fit a cache. */
#ifndef LB_ATTENTION_KERNEL_H
#define LB_ATTENTION_KERNEL_H

#include "tensor/real.h"

#include <stdint.h>

/** What one row of a batch attends to. */
typedef struct lb_attended {
    int64_t count;         /* keys */
    int64_t width;         /* of a projected key */
    int64_t depth;         /* of a value */
    const lb_real *keys;   /* [count, width] */
    const lb_real *values; /* [count, depth] */
    const lb_real *mask;   /* [count], 0 hides; NULL hides nothing */
    const lb_real *v;      /* [width] */
} lb_attended;

/** Shapes: query [width] -> weights [count], context [depth]. A row with nothing to attend to gives zeros. */
void lb_attend(const lb_attended *to, const lb_real *query, lb_real *weights, lb_real *context);

/** Where the gradients of the attended go: each is added to. */
typedef struct lb_attended_grad {
    lb_real *keys, *values, *v;
} lb_attended_grad;

/** Shapes: weights [count] as forward left them; dcontext [depth], dweights [count] -> dquery [width], overwritten.
 *  dscores [count] is working memory. */
void lb_attend_backward(const lb_attended *to, const lb_real *query, const lb_real *weights,
                        const lb_real *dcontext, const lb_real *dweights, lb_real *dscores,
                        lb_attended_grad into, lb_real *dquery);

#endif
