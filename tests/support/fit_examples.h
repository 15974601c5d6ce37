/* Examples for lb_fit: a column of their own numbers, values, labels, tags, and rows of ids of different lengths. */
#ifndef SUPPORT_FIT_EXAMPLES_H
#define SUPPORT_FIT_EXAMPLES_H

#include "lookback/train.h"

enum { COUNT = 57, LENGTH = 5, IDS = 4, CLASSES = 2 };

static lb_real numbers[COUNT][2], values[COUNT];
static int32_t ids[COUNT][LENGTH], lengths[COUNT], labels[COUNT];
/* The first number of an example is its own. */
static inline void make_examples(void)
{
    for (int i = 0; i < COUNT; i++) {
        lb_rng rng = {.seed = 4, .step = (uint32_t)i};
        numbers[i][0] = (lb_real)i;
        numbers[i][1] = (lb_real)lb_rng_uniform(rng, 0);
        values[i] = (lb_real)lb_rng_uniform(rng, 1);
        labels[i] = (int32_t)lb_rng_below(rng, 2, CLASSES);
        lengths[i] = (int32_t)lb_rng_below(rng, 3, LENGTH + 1);
        for (int k = 0; k < LENGTH; k++) ids[i][k] = (int32_t)lb_rng_below(rng, 4 + (uint64_t)k, IDS);
    }
    lengths[0] = 2;
    lengths[1] = 1;
    lengths[COUNT - 1] = LENGTH - 2; /* with room after it */
}

static inline lb_examples of_values(void)
{
    return (lb_examples){.count = COUNT, .numbers = numbers[0], .width = 2, .values = values, .outputs = 1};
}

static inline lb_examples of_labels(void)
{
    return (lb_examples){
        .count = COUNT, .numbers = numbers[0], .width = 2, .labels = labels, .classes = CLASSES};
}

/* To each id a tag, of which some do not count. */
static inline lb_examples of_tags(void)
{
    static int32_t tags[COUNT][LENGTH];
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < LENGTH; k++) tags[i][k] = k == 2 ? -1 : ids[i][(k + 1) % LENGTH];
    return (lb_examples){.count = COUNT,
                         .ids = ids[0],
                         .lengths = lengths,
                         .length = LENGTH,
                         .vocabulary = IDS,
                         .tags = tags[0],
                         .classes = IDS};
}

static inline lb_examples of_ids(void)
{
    return (lb_examples){
        .count = COUNT, .ids = ids[0], .lengths = lengths, .length = LENGTH, .vocabulary = IDS, .next = true};
}

#endif
