/* The kernel of our matrix product for AVX-512. */
#include "tensor/gemm.h"

#ifdef __x86_64__
#    include <immintrin.h>

#    ifdef LB_REAL_IS_DOUBLE
#        define LB_GEMM_FUSED(x, y, sum) _mm512_fmadd_pd(_mm512_set1_pd(x), y, sum)
#    else
#        define LB_GEMM_FUSED(x, y, sum) _mm512_fmadd_ps(_mm512_set1_ps(x), y, sum)
#    endif
#    define LB_GEMM_NAME   lb_gemm_avx512
#    define LB_GEMM_TARGET __attribute__((target("avx512f")))
#    define LB_GEMM_BYTES  64
#    define LB_GEMM_ROWS   8
#    include "tensor/gemm_vector_kernel.h"
#endif
