/* Randomness as a function: a key and a position give the bits, and nothing else does. No generator has a state
 * that a thread could change or a checkpoint could forget.
 * Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (Philox4x32-10). */
#ifndef LB_RNG_H
#define LB_RNG_H

#include <stdint.h>

/** Names one sequence of random numbers: what it is for (`stream`) and when (`step`). */
typedef struct lb_rng {
    uint64_t seed;
    uint32_t stream;
    uint32_t step;
} lb_rng;

/** 128 random bits at position `index` of the sequence. */
typedef struct lb_rng_block {
    uint32_t word[4];
} lb_rng_block;

lb_rng_block lb_rng_bits(lb_rng rng, uint64_t index);

/** A number in [0, 1) at position `index`, a multiple of 2^-53. */
double lb_rng_uniform(lb_rng rng, uint64_t index);

/** A number of the standard normal distribution at position `index` (Box and Muller). */
double lb_rng_normal(lb_rng rng, uint64_t index);

/** A whole number in [0, bound) at position `index`; bound > 0. Its bias is less than bound / 2^64. */
uint64_t lb_rng_below(lb_rng rng, uint64_t index, uint64_t bound);

/** A stream number made from a name, so that streams need no central list (FNV-1a). */
uint32_t lb_rng_stream(const char *name);

#endif
