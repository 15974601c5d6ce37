/* A fused op against its unfused twin: the same operands, outputs and gradients. */
#ifndef SUPPORT_TWINS_H
#define SUPPORT_TWINS_H

#include "support/unfused.h"

enum { SUPPORT_TWINS_LEAVES = 10 };

/** One comparison: operands, and what else the ops need. */
typedef struct support_twins {
    char name[128];
    lb_tensor *leaf[SUPPORT_TWINS_LEAVES];
    int leaves;
    const int32_t *lengths, *ids;
    bool reverse, masked, biased;
    lb_real number;
    lb_normalizer normalizer;
} support_twins;

/** One of the twins. */
typedef lb_unfused_result (*support_twin)(lb_tape *tape, const support_twins *t, lb_tensor *const *in);

/** Adds an operand of random numbers. */
void support_twins_leaf(support_twins *t, lb_shape shape);

/** A random number below `bound`, the same for each `at`. */
uint64_t support_draw_below(uint64_t at, uint64_t bound);

/** Lengths from 0 to steps, including both ends if there are enough rows; valid until the next call. */
const int32_t *support_draw_lengths(int64_t batch, int64_t steps);

/** Asserts that both have the same outputs, with so many elements each (0 after the last), and the same gradients, up
 *  to rounding. Frees the operands. */
void support_twins_compare(support_twins *t, support_twin fused, support_twin unfused,
                           const int64_t *output_counts);

#endif
