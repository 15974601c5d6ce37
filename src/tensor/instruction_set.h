/* Which clone of a function marked LB_KERNEL runs on this processor. It decides the last bits of results. */
#ifndef LB_INSTRUCTION_SET_H
#define LB_INSTRUCTION_SET_H

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

/** From the narrowest to the widest. */
typedef enum lb_instruction_set { LB_SET_BASE, LB_SET_AVX2, LB_SET_AVX512 } lb_instruction_set;

/** The widest one that this processor can run. */
lb_instruction_set lb_instruction_set_here(void);

/** Its name, such as "AVX-512". Static memory. */
const char *lb_instruction_set_name(void);

#endif
