/* The gradient of a step: the sum over the parts of this process and, while backward still runs, over all processes. */
#ifndef LB_EXCHANGE_H
#define LB_EXCHANGE_H

#include "lookback/train.h"
#include "train/shards.h"

/** The sum in the making, chunk by chunk from the end of the parameters on: backward ends with the first layers. */
typedef struct lb_exchange lb_exchange;

/** `group` may be NULL. If its functions may be called by another thread, that one works beside backward.
 *  Memory: freed with lb_exchange_free; NULL after an error. Errors: LB_ERROR_MEMORY. */
lb_exchange *lb_exchange_new(const lb_group *group, lb_shards *shards, lb_params *params, lb_error *error);

/** Begins with the last part of this process, before its backward. Returns whether it works beside backward, and so wants
 *  to hear from lb_exchange_final. */
bool lb_exchange_begin(lb_exchange *exchange);

/** From number `from` of the parameters on, the gradients of the last part are final: for lb_final_grads. */
void lb_exchange_final(void *exchange, int64_t from);

/** Waits until the parameters have the sum of all gradients. Errors: those of lb_group_add. */
LB_MUST_USE lb_status lb_exchange_finish(lb_exchange *exchange, lb_error *error);

/** Frees it; NULL is allowed. A sum that has begun need not be finished. */
void lb_exchange_free(lb_exchange *exchange);

#endif
