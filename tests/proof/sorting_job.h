/* A small model that trains and writes, and the hash of what comes of it. */
#ifndef PROOF_SORTING_JOB_H
#define PROOF_SORTING_JOB_H

#include "proof/campaign.h"
#include "support/sorting.h"

/** What is trained, and the hash of the weights and outputs. */
typedef struct proof_sorting_job {
    support_sorter sorter;
    lb_sort_task task;
    int64_t batch;
    int threads;
    lb_status status;
    uint64_t hash;
} proof_sorting_job;

/** One at random, of up to three threads. */
proof_sorting_job proof_sorting_draw(proof_dice *dice);

/** Sets `status` and `hash`. */
void proof_sorting_work(proof_sorting_job *job);

#endif
