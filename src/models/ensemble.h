/* Several models that decode together, as one. */
#ifndef LB_ENSEMBLE_H
#define LB_ENSEMBLE_H

#include "models/model.h"

/** Models of any kind with the same vocabularies, each trained on its own. Its logits are the mean of the members'
 *  log-probabilities, so that it prefers what none of them finds unlikely; it attends with the mean of their weights.
 *  Cost:   the sum of its members'.
 *  Source: Sutskever, Vinyals, Le 2014, arXiv:1409.3215. Differs: log-probabilities are averaged, not probabilities. */
typedef struct lb_ensemble {
    lb_model base;                 /* comes first; layers and heads are 0 unless all members have as many */
    const lb_model *const *member; /* [count] */
    int count;
} lb_ensemble;

/** Of lb_ensemble.base. */
extern const lb_model_kind lb_ensemble_kind;

/** Makes one model of several, which may have their parameters in different stores. `members` and all in it must outlive
 *  the ensemble.
 *  Errors: LB_ERROR_ARGUMENT without a member, or if their vocabularies differ in size. */
LB_MUST_USE lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int count,
                                       lb_error *error);

/** A copy of models from different stores whose parameters are all in one, below "member.0", "member.1" ...: such an
 *  ensemble can be saved by lb_model_save. `stores[i]` holds the parameters of members[i] and no others; `params` must be
 *  empty, and own the copy. NULL after an error.
 *  Errors: those of lb_ensemble_init; LB_ERROR_ARGUMENT if a store does not hold what its model needs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_model *const *members,
                                            const lb_params *const *stores, int count, lb_error *error);

#endif
