/* Kernels, which are compiled for each instruction set. */
#ifndef LB_KERNEL_H
#define LB_KERNEL_H

#include "base/instruction_set.h"
#include "lookback/tensor.h"

/* How a variant is compiled. The portable one for AVX2 has no instruction that fuses; AVX-512 cannot leave them out. */
#ifdef __clang__
#    define LB_TARGET(name) __attribute__((target(name ",fma")))
#else
#    define LB_TARGET(name) __attribute__((target("arch=" name)))
#endif
#define LB_TARGET_PORTABLE __attribute__((target("avx2")))

/* A function of which each variant needs its own copy, so that it is compiled for the same set. */
#define LB_INLINED __attribute__((always_inline))

/* A static function that is compiled for each instruction set, and chooses the one in force when it is called
 * (docs/adr/0005-kernels-for-several-processors.md):
 *
 *     LB_KERNEL(add, (int64_t count, lb_real share, const lb_real *from, lb_real *to), (count, share, from, to))
 *     {
 *         for (int64_t i = 0; i < count; i++) to[i] = lb_multiply_add(fused, share, from[i], to[i]);
 *     }
 *
 * It may call only inline functions, libm and other kernels. The constant `fused` says whether the set has the fused
 * multiply-add. LB_KERNEL_OF is for a function that returns a value; LB_SHARED_KERNEL and LB_SHARED_KERNEL_OF are for
 * functions that a header declares. */
#define LB_KERNEL(name, parameters, arguments) LB_VARIANTS(static, void, , name, parameters, arguments)
#define LB_KERNEL_OF(type, name, parameters, arguments)                                                      \
    LB_VARIANTS(static, type, return, name, parameters, arguments)
#define LB_SHARED_KERNEL(name, parameters, arguments) LB_VARIANTS(, void, , name, parameters, arguments)
#define LB_SHARED_KERNEL_OF(type, name, parameters, arguments)                                               \
    LB_VARIANTS(, type, return, name, parameters, arguments)

#define LB_WITH_FUSED(...) (__attribute__((unused)) bool fused, __VA_ARGS__)
#define LB_FUSED(...)      (true, __VA_ARGS__)
#define LB_NOT_FUSED(...)  (false, __VA_ARGS__)

#if LB_HAS_VARIANTS
#    define LB_VARIANTS(linkage, type, give, name, parameters, arguments)                                    \
        static inline LB_INLINED type name##_inline LB_WITH_FUSED parameters;                                \
        LB_TARGET(LB_CPU_AVX512) static type name##_avx512 parameters                                        \
        {                                                                                                    \
            give name##_inline LB_FUSED arguments;                                                           \
        }                                                                                                    \
        LB_TARGET(LB_CPU_AVX2) static type name##_avx2 parameters                                            \
        {                                                                                                    \
            give name##_inline LB_FUSED arguments;                                                           \
        }                                                                                                    \
        LB_TARGET(LB_CPU_AVX512) static type name##_portable_avx512 parameters                               \
        {                                                                                                    \
            give name##_inline LB_NOT_FUSED arguments;                                                       \
        }                                                                                                    \
        LB_TARGET_PORTABLE static type name##_portable_avx2 parameters                                       \
        {                                                                                                    \
            give name##_inline LB_NOT_FUSED arguments;                                                       \
        }                                                                                                    \
        linkage type name parameters                                                                         \
        {                                                                                                    \
            const lb_instruction_set here = lb_instruction_set_here();                                       \
            give(here == LB_SET_AVX512            ? name##_avx512 arguments                                  \
                 : here == LB_SET_AVX2            ? name##_avx2 arguments                                    \
                 : here == LB_SET_PORTABLE_AVX512 ? name##_portable_avx512 arguments                         \
                 : here == LB_SET_PORTABLE_AVX2   ? name##_portable_avx2 arguments                           \
                                                  : name##_inline LB_NOT_FUSED arguments);                     \
        }                                                                                                    \
        static inline type name##_inline LB_WITH_FUSED parameters
#else
#    if defined(__FMA__) || defined(__aarch64__)
#        define LB_HAS_FUSED 1
#    else
#        define LB_HAS_FUSED 0
#    endif
#    define LB_VARIANTS(linkage, type, give, name, parameters, arguments)                                    \
        static inline LB_INLINED type name##_inline LB_WITH_FUSED parameters;                                \
        linkage type name parameters                                                                         \
        {                                                                                                    \
            give(LB_HAS_FUSED &&lb_instruction_set_here() < LB_SET_PORTABLE                                  \
                     ? name##_inline LB_FUSED arguments                                                      \
                     : name##_inline LB_NOT_FUSED arguments);                                                \
        }                                                                                                    \
        static inline type name##_inline LB_WITH_FUSED parameters
#endif

/** x y + z, rounded once if `fused`. It is written, since compilers differ in which sums of products they fuse, and one
 *  chooses differently in two places; the build forbids it (-ffp-contract=off). */
static inline lb_real lb_multiply_add(bool fused, lb_real x, lb_real y, lb_real z)
{
#ifdef LB_REAL_IS_DOUBLE
    return fused ? __builtin_fma(x, y, z) : x * y + z;
#else
    return fused ? __builtin_fmaf(x, y, z) : x * y + z;
#endif
}

#endif
