/* Ensembles of models that have a store each. */
#ifndef SUPPORT_GATHER_H
#define SUPPORT_GATHER_H

#include "models/ensemble/ensemble.h"

/** lb_ensemble_gather of models of which stores[i] has the parameters of members[i] and no others. */
LB_MUST_USE lb_ensemble *support_gather(lb_params *params, const lb_model *const *members,
                                        const lb_params *const *stores, int count, const lb_extensions *own,
                                        lb_error *error);

#endif
