/* The weights of members that vote, learned from outputs that are known to be right. */
#ifndef LB_VOTE_FIT_H
#define LB_VOTE_FIT_H

#include <stdint.h>

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
