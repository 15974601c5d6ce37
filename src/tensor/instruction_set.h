/* The instruction set that kernels use: the widest one of the processor, or a narrower one that the user asks for. It
 * decides the last bits of results. And how a kernel is compiled for each of them. */
#ifndef LB_INSTRUCTION_SET_H
#define LB_INSTRUCTION_SET_H

#include "lookback/tensor.h"

#include <stdatomic.h>

/** The name of the narrowest one. */
#if defined(__x86_64__)
#    define LB_SET_BASE_NAME "SSE2"
#elif defined(__aarch64__)
#    define LB_SET_BASE_NAME "NEON"
#elif defined(__wasm_simd128__)
#    define LB_SET_BASE_NAME "SIMD128"
#else
#    define LB_SET_BASE_NAME "128 bits"
#endif

/* A build for one kind of processor, by -march, has each kernel once. */
#if defined(__x86_64__) && !defined(__SSE3__)
#    define LB_HAS_VARIANTS 1
#else
#    define LB_HAS_VARIANTS 0
#endif

/* The name by which a variant is compiled, and by which the processor is asked whether it can run it. */
#ifdef __clang__
#    define LB_CPU_AVX512   "avx512f"
#    define LB_CPU_AVX2     "avx2"
#    define LB_TARGET(name) __attribute__((target(name ",fma")))
#else
#    define LB_CPU_AVX512   "x86-64-v4"
#    define LB_CPU_AVX2     "x86-64-v3"
#    define LB_TARGET(name) __attribute__((target("arch=" name)))
#endif

/** The instruction sets, from the narrowest to the widest. LB_SET_WIDEST stands for the widest one that there is. */
typedef enum lb_instruction_set { LB_SET_WIDEST, LB_SET_BASE, LB_SET_AVX2, LB_SET_AVX512 } lb_instruction_set;

/** A user asks for one by its name, in an environment variable that is read when it is first needed. */
extern const char *const lb_instruction_set_names[]; /* by their numbers; ends with NULL */
#define LB_SET_VARIABLE "LOOKBACK_ISA"

/** The widest one that this processor can run. */
lb_instruction_set lb_instruction_set_widest(void);

/** Decides which one is in force, and returns it. */
lb_instruction_set lb_instruction_set_decide(void);

/** The one in force, or LB_SET_WIDEST until it is needed. Only tests change it. */
extern atomic_int lb_instruction_set_in_force;

static inline lb_instruction_set lb_instruction_set_here(void)
{
    const int set = atomic_load_explicit(&lb_instruction_set_in_force, memory_order_relaxed);
    return set == LB_SET_WIDEST ? lb_instruction_set_decide() : (lb_instruction_set)set;
}

/** Whether this processor has what the user asks for. `by` is the name of the variable or of the option in the message.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status lb_instruction_set_check(const char *by, lb_error *error);

/** The name of the one in force, such as "AVX-512", in static memory. */
const char *lb_instruction_set_name(void);

/* ---- Kernels, which are compiled for each instruction set. ---- */

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
        static inline __attribute__((always_inline)) type name##_inline LB_WITH_FUSED parameters;            \
        LB_TARGET(LB_CPU_AVX512) static type name##_avx512 parameters                                        \
        {                                                                                                    \
            give name##_inline LB_FUSED arguments;                                                           \
        }                                                                                                    \
        LB_TARGET(LB_CPU_AVX2) static type name##_avx2 parameters                                            \
        {                                                                                                    \
            give name##_inline LB_FUSED arguments;                                                           \
        }                                                                                                    \
        linkage type name parameters                                                                         \
        {                                                                                                    \
            const lb_instruction_set here = lb_instruction_set_here();                                       \
            give(here == LB_SET_AVX512 ? name##_avx512 arguments                                             \
                 : here == LB_SET_AVX2 ? name##_avx2 arguments                                               \
                                       : name##_inline LB_NOT_FUSED arguments);                              \
        }                                                                                                    \
        static inline type name##_inline LB_WITH_FUSED parameters
#else
#    if defined(__FMA__) || defined(__aarch64__)
#        define LB_AS_HERE LB_FUSED
#    else
#        define LB_AS_HERE LB_NOT_FUSED
#    endif
#    define LB_VARIANTS(linkage, type, give, name, parameters, arguments)                                    \
        static inline __attribute__((always_inline)) type name##_inline LB_WITH_FUSED parameters;            \
        linkage type name parameters                                                                         \
        {                                                                                                    \
            give name##_inline LB_AS_HERE arguments;                                                         \
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
