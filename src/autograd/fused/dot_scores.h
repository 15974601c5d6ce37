/* Rows of scores of dot-product attention: to weights, and back. */
#ifndef LB_DOT_SCORES_H
#define LB_DOT_SCORES_H

#include "lookback/op.h"

/** Turns row `i` of the products of a head, in place, into weights before dropout; `slope` receives the derivative of
 *  the softcap, unless it is NULL. A row with nothing to attend to becomes zeros. */
void lb_dot_weigh_row(const lb_node *node, int64_t index, int64_t i, int64_t keys, lb_real *x,
                      lb_real *slope);

/** Turns the gradient of a row of weights, in place, into `scale` times that of what the normaliser read. `weight` is
 *  `probability` times what dropout made of it. */
void lb_dot_weights_backward(lb_normalizer normalizer, int64_t count, const lb_real *probability,
                             const lb_real *weight, lb_real scale, lb_real *d);

/** Turns the gradient of what the normaliser read, in place, into that of the products; `dbias` receives that of the
 *  bias. Both `slope` and `dbias` may be NULL. */
void lb_dot_scores_backward(const lb_dot_options *options, int64_t count, const lb_real *slope,
                            lb_real *dbias, lb_real *d);

#endif
