/* A list of trials that runs in children: one that dies is a failure, and the next child continues after it. */
#ifndef PROOF_WORK_LIST_H
#define PROOF_WORK_LIST_H

#include "proof/campaign.h"

/** A list. Trial i of a campaign with seed s belongs to seed s + i. */
typedef struct proof_list {
    const char *of;                                   /* name of the count */
    uint64_t total;                                   /* trials of the full list */
    void (*begin)(void);                              /* at the start of each child; NULL: nothing */
    void (*trial)(proof_count *count, uint64_t seed); /* reports failures with proof_fail */
    uint64_t next;
} proof_list;

/** Runs the lists in turns until the time is over or they are done; at least one trial of each. */
void proof_run_lists(const proof *p, proof_list *lists, int count);

#endif
