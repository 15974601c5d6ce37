/* Ensembles: several models that decode as one. */
#ifndef LB_ENSEMBLE_H
#define LB_ENSEMBLE_H

#include "lookback/models.h"

/** The kinds of lb_ensemble.base: whose members decode together, and whose members write in different directions, have
 *  no step in common, and vote. */
extern const lb_model_kind lb_ensemble_kind, lb_vote_kind;

/** Makes one model of several, whose parameters may be in different stores. `members` and its models must outlive the
 *  ensemble.
 *  Errors: LB_ERROR_ARGUMENT if there are no members, or if the sizes of their vocabularies differ. */
LB_MUST_USE lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int64_t count,
                                       lb_error *error);

/* ---- models/file/model_formats.c ---- */

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

/* ---- vote.c: hypotheses of all members are pooled, and every member scores each of them. ---- */

/** The hypotheses for a batch of sources, with what each member thinks of them; arrays on the tape. */
typedef struct lb_vote_pool {
    int64_t batch; /* 0 after an error */
    int64_t most;  /* hypotheses of a row */
    int64_t *count;
    /* [batch, most] all different within a row, in reading order, scored by the weights of the members */
    lb_hypothesis *hypothesis;
    double *score; /* [batch, most, members] as lb_hypothesis.score, by each member alone */
} lb_vote_pool;

/** Pools the hypotheses of an ensemble: the members of each direction decode together, and everyone scores all that
 *  they find. The tape must be in LB_MODE_EVALUATE.
 *  Config: with defaults filled in, as in lb_beam_search; `beam` hypotheses of each direction.
 *  Errors: as lb_beam_search, recorded on the tape. */
lb_vote_pool lb_vote_gather(const lb_ensemble *ensemble, lb_tokens source, lb_beam_config config);

/* ---- vote_fit.c: the weights of members that vote, learned from outputs that are known to be right. ---- */

/** The hypotheses for one source. */
typedef struct lb_vote_case {
    const double *score; /* [count, members] of each hypothesis by each member alone */
    int64_t count;
    int64_t right; /* which of them is right; -1: none, and the case teaches nothing */
} lb_vote_case;

/** Finds the weights, not negative and with the sum 1, under which the right hypotheses are likeliest: the softmax over
 *  the hypotheses of a case, of g times their weighted score. The sharpness g is fitted, too, and each weight is
 *  regularised toward 1 / members, by 5 nats times the square of its relative distance.
 *  Exact: a function of the cases in their order. Weights are multiples of 0.0001, so that a file has them exactly.
 *  `weight` receives [members]; equal ones if no case teaches anything. */
void lb_vote_fit(const lb_vote_case *cases, int64_t case_count, int members, double *weight);

/** The most members that can be fitted. */
enum { LB_VOTE_MOST = 64 };

#endif
