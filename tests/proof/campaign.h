/* What the campaigns of `./run proof` have in common: their options, a time limit, counts, failures that can be
 * repeated, and trials in child processes. */
#ifndef PROOF_CAMPAIGN_H
#define PROOF_CAMPAIGN_H

#include "support/tempdir.h"

#include <lookback/base.h>

#include <stdbool.h>

enum { PROOF_KINDS = 8 };

/** Trials of one kind. */
typedef struct proof_count {
    char of[64]; /* "bit flips"; "" if the campaign has only one kind */
    long trials, failures;
} proof_count;

/** The part that children share with their parent. */
typedef struct proof_shared {
    proof_count count[PROOF_KINDS];
    uint64_t at; /* the trial that runs, for the parent of a child that dies */
    long printed;
} proof_shared;

typedef struct proof {
    const char *name;
    double seconds, begun;
    uint64_t seed;             /* the first round has this seed, the next one the next number */
    char folder[SUPPORT_PATH]; /* empty at the start; removed at the end */
    proof_shared *shared;
} proof;

/** Reads the options. A wrong one ends the process with a message and status 2. */
proof proof_begin(const char *name, int argc, char **argv);

/** Prints the counts. Returns the status of the process. */
int proof_end(const proof *p);

/** Seconds since the start. */
double proof_elapsed(const proof *p);

bool proof_has_time(const proof *p);

/** The count with this name; a new one starts at zero. */
proof_count *proof_kind(const proof *p, const char *of);

/** Counts a failure, and prints it with the seed of the round that repeats it, unless many are printed already. */
void proof_fail(const proof *p, proof_count *count, uint64_t seed, const char *format, ...) LB_PRINTF(4, 5);

/** Runs `work` in a child.
 *  Returns 0 if it returned, or the signal that ended it; a child that exits by itself counts as SIGABRT. */
int proof_in_child(void (*work)(void *context), void *context);

/** Random numbers, one after the other. */
typedef struct proof_dice {
    lb_rng rng;
    uint64_t at;
} proof_dice;

proof_dice proof_dice_new(uint64_t seed, const char *stream);

/** From 0 to count - 1. */
uint64_t proof_below(proof_dice *dice, uint64_t count);

/** True once in `times` on average. */
bool proof_once_in(proof_dice *dice, uint64_t times);

#endif
