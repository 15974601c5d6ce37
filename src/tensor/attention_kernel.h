/* Additive attention of one query, forward and backward: score_k = v' tanh(query + key_k).
 * Query and keys come projected (W_q q, W_k k). The tanh of all keys, which is the bulk, is computed twice instead of
 * being kept: batch x queries x keys x width numbers would not fit a cache. It needs no exponential where those of the
 * keys are there, because many queries ask the same keys: tanh(q + k) = 1 - 2 / (1 + e^2q e^2k). */
#ifndef LB_ATTENTION_KERNEL_H
#define LB_ATTENTION_KERNEL_H

#include "tensor/real.h"

#include <stdbool.h>
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
    const lb_real *powers; /* [count, width]: of the keys, by lb_attend_powers; NULL: there are none */
    lb_real *power;        /* [width]: working memory for the query's; NULL without `powers` */
} lb_attended;

/** powers = e^(2 x). Returns false, and the powers are of no use, where some |x| is so large that its power may not be
 *  a normal number. A product of two is then infinite or 0 only where the tanh of the sum is 1 or -1.
 *  A tanh by powers has an absolute error of 1.8e-7 at most in float; of the rounded sum itself it would be 1.0e-7. */
bool lb_attend_powers(int64_t count, const lb_real *x, lb_real *powers);

/** Shapes: query [width] -> weights [count], context [depth]. A row with nothing to attend to gives zeros. */
void lb_attend(const lb_attended *to, const lb_real *query, lb_real *weights, lb_real *context);

/** Where the gradients of one query's attention go. Those of what many queries share are added to, the others set. */
typedef struct lb_attended_grad {
    lb_real *keys, *values, *v; /* added to */
    lb_real *query;             /* [width] */
    lb_real *scores;            /* [count]: on the way to the others */
} lb_attended_grad;

/** Shapes: weights [count] as forward left them; dcontext [depth], dweights [count]. */
void lb_attend_backward(const lb_attended *to, const lb_real *query, const lb_real *weights,
                        const lb_real *dcontext, const lb_real *dweights, lb_attended_grad into);

#endif
