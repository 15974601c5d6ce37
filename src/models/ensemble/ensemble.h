/* Ensembles: several models that decode as one. */
#ifndef LB_ENSEMBLE_H
#define LB_ENSEMBLE_H

#include "lookback/models.h"

/** The kinds of lb_ensemble.base: whose members decode together, and whose members write in different directions, have
 *  no step in common, and vote (models/ensemble/vote.h). */
extern const lb_model_kind lb_ensemble_kind, lb_vote_kind;

/** A model and where its parameters are. */
typedef struct lb_ensemble_part {
    const lb_model *model;
    const lb_params *params;
    int first, count; /* of its parameters, by index; count 0: all from `first` on */
} lb_ensemble_part;

/** Copies models, also the members of other ensembles, into one store, below "member.0", "member.1" ..., so that
 *  lb_model_save can save the ensemble. `params` must be empty and will own the copy. `own` are the custom kinds of
 *  these models, as for lb_model_load. NULL after an error.
 *  Errors: as lb_ensemble_init; LB_ERROR_ARGUMENT if a store does not match its model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_ensemble_part *parts, int count,
                                            const lb_extensions *own, lb_error *error);

/** The index of the first parameter of a member in the store of an ensemble; for `member` = count, of all of them. */
int lb_ensemble_member_first(const lb_params *params, int member);

/** Gives the members weights with the sum 1, a copy of `weight` in `params`. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_ensemble_weigh(lb_ensemble *ensemble, lb_params *params, const double *weight,
                                        lb_error *error);

#endif
