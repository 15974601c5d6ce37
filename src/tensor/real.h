/* The one number type. Compiled with LB_REAL_IS_DOUBLE, the same source computes in double (library lookback_f64). */
#ifndef LB_REAL_H
#define LB_REAL_H

#include "lookback/tensor.h"

#include <limits.h> /* any header of the C library says whether it is glibc */

/* A static function marked LB_KERNEL is compiled once for each instruction set, and the loader picks the best that the
 * processor has. It may call only inline functions and libm. Clang before 18 does not let other files find the clones,
 * hence static, and clang 14 lets them find the function that picks, hence a name that no other kernel has. Loaders
 * other than glibc's do not pick, musl's among them: the functions are compiled once there, for the instruction sets
 * that the whole is built for. */
#if defined(LB_NO_TARGET_CLONES) || !defined(__x86_64__) || !defined(__GLIBC__)
#    define LB_KERNEL
#elif defined(__clang__)
#    define LB_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define LB_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

#endif
