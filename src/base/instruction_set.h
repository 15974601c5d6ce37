/* The instruction set that kernels use: the widest one of the processor, or a narrower one that the user asks for. It
 * decides the last bits of results. tensor/kernel.h compiles a kernel for each of them. */
#ifndef LB_INSTRUCTION_SET_H
#define LB_INSTRUCTION_SET_H

#include "lookback/base.h"

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

/* The name by which the processor is asked whether it can run a variant, and by which that is compiled. */
#ifdef __clang__
#    define LB_CPU_AVX512 "avx512f"
#    define LB_CPU_AVX2   "avx2"
#else
#    define LB_CPU_AVX512 "x86-64-v4"
#    define LB_CPU_AVX2   "x86-64-v3"
#endif

/** The instruction sets, from the narrowest to the widest. LB_SET_WIDEST stands for the widest one that there is.
 *  Portable ones follow in the same order: their kernels fuse nothing, and give the same bits on every processor. */
typedef enum lb_instruction_set {
    LB_SET_WIDEST,
    LB_SET_BASE,
    LB_SET_AVX2,
    LB_SET_AVX512,
    LB_SET_PORTABLE, /* of LB_SET_BASE; asked for by name, that of the widest set */
    LB_SET_PORTABLE_AVX2,
    LB_SET_PORTABLE_AVX512
} lb_instruction_set;

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

/** The one with this name, if this processor can run it in this build; otherwise LB_SET_WIDEST. */
lb_instruction_set lb_instruction_set_find(const char *name);

/** The name of the one in force, such as "AVX-512", in static memory. */
const char *lb_instruction_set_name(void);

#endif
