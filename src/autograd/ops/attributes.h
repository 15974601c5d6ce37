/* The attributes of ops that their references read, too. */
#ifndef LB_OPS_ATTRIBUTES_H
#define LB_OPS_ATTRIBUTES_H

#include "lookback/autograd.h"

/* The columns of the weight that multiply x. The columns after them multiply `beside`. */
typedef struct lb_affine_part {
    bool some; /* false: all columns, whose number must be the width of x and `beside` together */
    int64_t first;
    bool band; /* whether only some rows of the weight and of the bias are used: */
    int64_t top, rows;
    bool rectify; /* y = max(x w' + b, 0) */
} lb_affine_part;

typedef struct lb_rotary_attributes {
    lb_rotary_options options;
    int64_t turned; /* heads, the first ones; the others stay */
} lb_rotary_attributes;

typedef struct lb_norm_attributes {
    lb_real epsilon;
    lb_real dropout; /* of the branch that is added to x */
} lb_norm_attributes;

typedef struct lb_join_range {
    int axis;
    int64_t first, length; /* of a slice */
} lb_join_range;

typedef struct lb_matmul_sides {
    bool transpose_a, transpose_b;
} lb_matmul_sides;

/* The operand is treated as [outer, length, inner], and the middle axis is summed. */
typedef struct lb_reduction {
    int axis; /* as the user gave it */
    bool all, mean, keep;
} lb_reduction;

typedef struct lb_permutation {
    int axis[LB_MAX_DIMS]; /* axis d of the result is axis[d] of x */
    int count;
} lb_permutation;

/* Either way, a row wants q_c of each class, loses -sum_c q_c ln softmax(x)_c, and counts for something in the mean. */
typedef struct lb_wanted_options {
    lb_tokens targets; /* without `soft` */
    int32_t ignored;
    lb_real smoothing;
    bool soft; /* operand WANTED has the distributions */
} lb_wanted_options;

#endif
