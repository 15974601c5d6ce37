/* The kernel of our matrix product for AVX2. */
#include "tensor/gemm.h"

#ifdef __x86_64__
#    include <immintrin.h>

#    ifdef LB_REAL_IS_DOUBLE
#        define LB_GEMM_FUSED(x, y, sum) _mm256_fmadd_pd(_mm256_set1_pd(x), y, sum)
#    else
#        define LB_GEMM_FUSED(x, y, sum) _mm256_fmadd_ps(_mm256_set1_ps(x), y, sum)
#    endif
#    define LB_GEMM_NAME   lb_gemm_avx2
#    define LB_GEMM_TARGET __attribute__((target("avx2,fma")))
#    define LB_GEMM_BYTES  32
#    define LB_GEMM_ROWS   6
#    include "tensor/gemm_vector_kernel.h"
#endif
