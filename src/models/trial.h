/* Parameters of models that nobody will use, to find out whether they can be built. */
#ifndef LB_TRIAL_H
#define LB_TRIAL_H

#include "lookback/nn.h"

/** A store whose parameters are zeros: no random numbers are drawn, which would take most of the time.
 *  Memory: free it with lb_params_free; NULL if there is none. */
LB_MUST_USE lb_params *lb_trial_params(void);

#endif
