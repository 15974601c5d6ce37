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
