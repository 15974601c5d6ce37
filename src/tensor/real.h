/* The number type. With LB_REAL_IS_DOUBLE, the same source computes in double (library lookback_f64). */
#ifndef LB_REAL_H
#define LB_REAL_H

#include "lookback/tensor.h"
#include "tensor/instruction_set.h"

/* A static function that is compiled for each instruction set, and chooses the one in force when it is called
 * (docs/adr/0005-kernels-for-several-processors.md):
 *
 *     LB_KERNEL(add, (int64_t count, const lb_real *from, lb_real *to), (count, from, to))
 *     {
 *         for (int64_t i = 0; i < count; i++) to[i] += from[i];
 *     }
 *
 * It may call only inline functions and libm. LB_KERNEL_OF is for a function that returns a value. */
#define LB_KERNEL(name, parameters, arguments)          LB_VARIANTS(void, , name, parameters, arguments)
#define LB_KERNEL_OF(type, name, parameters, arguments) LB_VARIANTS(type, return, name, parameters, arguments)

#if LB_HAS_VARIANTS
#    define LB_VARIANTS(type, give, name, parameters, arguments)                                             \
        static inline __attribute__((always_inline)) type name##_inline parameters;                          \
        LB_TARGET(LB_CPU_AVX512) static type name##_avx512 parameters                                        \
        {                                                                                                    \
            give name##_inline arguments;                                                                    \
        }                                                                                                    \
        LB_TARGET(LB_CPU_AVX2) static type name##_avx2 parameters                                            \
        {                                                                                                    \
            give name##_inline arguments;                                                                    \
        }                                                                                                    \
        static type name parameters                                                                          \
        {                                                                                                    \
            const lb_instruction_set here = lb_instruction_set_here();                                       \
            give(here == LB_SET_AVX512 ? name##_avx512 arguments                                             \
                 : here == LB_SET_AVX2 ? name##_avx2 arguments                                               \
                                       : name##_inline arguments);                                           \
        }                                                                                                    \
        static inline type name##_inline parameters
#else
#    define LB_VARIANTS(type, give, name, parameters, arguments) static type name parameters
#endif

#endif
