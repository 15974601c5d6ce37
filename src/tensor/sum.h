/* Sums whose order is written, for kernels: their bits do not depend on the compiler or on the width of vectors. */
#ifndef LB_SUM_H
#define LB_SUM_H

#include "tensor/kernel.h"

/* Term i goes to lane i % LB_LANES, from the first to the last. All instruction sets make whole vectors of as many. */
enum { LB_LANES = 16 };

/** Does a statement for i from 0 to `count` - 1, with the constant `lane` for i % LB_LANES: whole vectors, then the
 *  rest. */
#define LB_IN_LANES(i, lane, count, ...)                                                                     \
    do {                                                                                                     \
        const int64_t all_ = (count), whole_ = all_ & -(int64_t)LB_LANES;                                    \
        for (int64_t first_ = 0; first_ < whole_; first_ += LB_LANES)                                        \
            _Pragma("omp simd") for (int lane = 0; lane < LB_LANES; lane++)                                  \
            {                                                                                                \
                const int64_t i = first_ + lane;                                                             \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
        for (int64_t i = whole_; i < all_; i++) {                                                            \
            const int64_t lane = i - whole_;                                                                 \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
    } while (0)

/** Adds the lanes of an array: the second half to the first, until the sum is in the first lane. */
#define LB_FOLD(lanes)                                                                                       \
    do {                                                                                                     \
        _Pragma("GCC unroll 8") for (int half_ = LB_LANES / 2; half_ > 0; half_ /= 2)                        \
        {                                                                                                    \
            _Pragma("GCC unroll 8") for (int lane_ = 0; lane_ < half_; lane_++)                              \
            {                                                                                                \
                (lanes)[lane_] += (lanes)[lane_ + half_];                                                    \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

/** Declares `sum`, the sum of a term that is written for i from 0 to `count` - 1:
 *
 *     LB_SUM(lb_real, total, i, count, x[i] * y[i]);
 */
#define LB_SUM(type, sum, i, count, ...)                                                                     \
    type sum##_lanes[LB_LANES] = {0};                                                                        \
    LB_IN_LANES(i, lane_, count, sum##_lanes[lane_] += (__VA_ARGS__));                                       \
    LB_FOLD(sum##_lanes);                                                                                    \
    type sum = sum##_lanes[0]

/* Vectors of any length add and multiply well everywhere, but only short ones are shuffled well. */
typedef lb_real lb_four
    __attribute__((vector_size(4 * sizeof(lb_real)), aligned(sizeof(lb_real)), may_alias));

/* The second half of the lanes added to the first, and once more. */
static inline LB_INLINED void lb_fold_twice(const lb_real *lanes, lb_four *sums)
{
    const lb_four *part = (const lb_four *)lanes;
    *sums = (part[0] + part[2]) + (part[1] + part[3]);
}

/** LB_FOLD of four arrays of lanes. (A vector of doubles is not passed by value: that would depend on the instruction
 *  set.) */
static inline LB_INLINED void lb_fold_four(const lb_real *a, const lb_real *b, const lb_real *c,
                                           const lb_real *d, lb_four *sums)
{
    lb_four side[4];
    lb_fold_twice(a, &side[0]);
    lb_fold_twice(b, &side[1]);
    lb_fold_twice(c, &side[2]);
    lb_fold_twice(d, &side[3]);
    const lb_four ab = __builtin_shufflevector(side[0], side[1], 0, 4, 1, 5) +
                       __builtin_shufflevector(side[0], side[1], 2, 6, 3, 7),
                  cd = __builtin_shufflevector(side[2], side[3], 0, 4, 1, 5) +
                       __builtin_shufflevector(side[2], side[3], 2, 6, 3, 7);
    *sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

#endif
