/* Optimisers: one flat loop over the slab of parameters. They set the gradients to zero after using them. */
#ifndef LB_OPTIMIZER_H
#define LB_OPTIMIZER_H

#include "lookback/train.h"

/** The state, for checkpoints: two slabs with the layout of the parameters, and the number of steps so far. */
lb_real *lb_adam_first_moments(lb_adam *adam);
lb_real *lb_adam_second_moments(lb_adam *adam);
int64_t lb_adam_steps(const lb_adam *adam);
void lb_adam_set_steps(lb_adam *adam, int64_t steps);

#endif
