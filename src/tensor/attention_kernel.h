/* Additive attention of one query, forward and backward: score_k = v' tanh(query + key_k).
 * Query and keys are projected (W_q q, W_k k). The tanh of all keys, most of the work, is computed twice instead of
 * stored: batch x queries x keys x width numbers would not fit a cache. If many queries use the same keys, e^2k is
 * computed once, and a tanh needs no exponential: tanh(q + k) = 1 - 2 / (1 + e^2q e^2k). */
#ifndef LB_ATTENTION_KERNEL_H
#define LB_ATTENTION_KERNEL_H

#include "tensor/kernel.h"

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
    const lb_real *exp2k;  /* [count, width]: e^2k of the keys, by lb_attend_exp2x; NULL: it is not used */
    lb_real *exp2q;        /* [width]: working memory for e^2q of the query; NULL without `exp2k` */
    lb_normalizer normalizer;
} lb_attended;

/** exp2x = e^(2 x). Returns false if some |x| is so large that this may not be a normal number; the results are then
 *  unusable. Otherwise, a product of two of them is infinite or 0 only if the tanh of the sum is 1 or -1.
 *  A tanh from such a product has an absolute error of at most 1.8e-7 in float; that of tanh on the rounded sum is
 *  1.0e-7. */
bool lb_attend_exp2x(int64_t count, const lb_real *x, lb_real *exp2x);

/** Shapes: query [width] -> weights [count], context [depth]. A row with nothing to attend to gives zeros. */
void lb_attend(const lb_attended *to, const lb_real *query, lb_real *weights, lb_real *context);

/** The gradients of the attention of one query. Those that queries share are added to; the others are set. */
typedef struct lb_attended_grad {
    lb_real *keys, *values, *v; /* added to; values NULL: left to the caller */
    lb_real *query;             /* [width] */
    lb_real *scores;            /* [count]: intermediate */
} lb_attended_grad;

/** Shapes: weights [count] as forward left them; dcontext [depth], dweights [count]. */
void lb_attend_backward(const lb_attended *to, const lb_real *query, const lb_real *weights,
                        const lb_real *dcontext, const lb_real *dweights, lb_attended_grad into);

#endif
