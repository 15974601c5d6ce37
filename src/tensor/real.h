/* The number type. With LB_REAL_IS_DOUBLE, the same source computes in double (library lookback_f64). */
#ifndef LB_REAL_H
#define LB_REAL_H

#include "lookback/tensor.h"

#include <limits.h> /* any header of the C library defines whether it is glibc */

/* A static function marked LB_KERNEL is compiled once per instruction set, and the loader picks the best one for the
 * processor. It may call only inline functions and libm. It must be static, because with clang before 18 other files do
 * not find the clones. Its name must be unique, because with clang 14 other files do find the function that picks.
 * Loaders other than that of glibc, such as that of musl, do not pick: there, functions are compiled once, for the
 * target of the build. */
#if defined(LB_NO_TARGET_CLONES) || !defined(__x86_64__) || !defined(__GLIBC__)
#    define LB_KERNEL
#elif defined(__clang__)
#    define LB_KERNEL __attribute__((target_clones(LB_CPU_AVX512, LB_CPU_AVX2, "default")))
#else
#    define LB_KERNEL __attribute__((target_clones("arch=" LB_CPU_AVX512, "arch=" LB_CPU_AVX2, "default")))
#endif

/* What the loader asks the processor for, as __builtin_cpu_supports names it. */
#ifdef __clang__
#    define LB_CPU_AVX512 "avx512f"
#    define LB_CPU_AVX2   "avx2"
#else
#    define LB_CPU_AVX512 "x86-64-v4"
#    define LB_CPU_AVX2   "x86-64-v3"
#endif

#endif
