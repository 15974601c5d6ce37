/* Several models that decode together, as one. */
#ifndef LB_ENSEMBLE_H
#define LB_ENSEMBLE_H

#include "lookback/models.h"

/** Of lb_ensemble.base. */
extern const lb_model_kind lb_ensemble_kind;

/** A copy of models from different stores whose parameters are all in one, below "member.0", "member.1" ...: such an
 *  ensemble can be saved by lb_model_save. `stores[i]` holds the parameters of members[i] and no others; `params` must
 *  be empty, and own the copy. `own` is what lb_model_load of these models would need. NULL after an error.
 *  Errors: those of lb_ensemble_init; LB_ERROR_ARGUMENT if a store does not hold what its model needs;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_model *const *members,
                                            const lb_params *const *stores, int count,
                                            const lb_extensions *own, lb_error *error);

#endif
