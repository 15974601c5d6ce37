/* The one number type. Compiled with LB_REAL_IS_DOUBLE, the same source computes in double (library lookback_f64). */
#ifndef LB_REAL_H
#define LB_REAL_H

#include "lookback/tensor.h"

/* A function marked LB_KERNEL is compiled once for each instruction set, and the loader picks the best that
 * the processor has. It may call only inline functions and libm. Older clang names the clones so that other files do not
 * find them: there is one version for all processors then. */
#if defined(LB_NO_TARGET_CLONES) || !defined(__x86_64__) || !defined(__linux__)
#    define LB_KERNEL
#elif defined(__clang__) && __clang_major__ < 18
#    define LB_KERNEL
#elif defined(__clang__)
#    define LB_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define LB_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

#endif
