/* The kernel of our matrix product for AVX2, without fused operations. */
#include "tensor/gemm.h"

#ifdef __x86_64__
#    define LB_GEMM_NAME   lb_gemm_portable_avx2
#    define LB_GEMM_TARGET __attribute__((target("avx2")))
#    define LB_GEMM_BYTES  32
#    define LB_GEMM_ROWS   6
#    include "tensor/gemm_vector_kernel.h"
#endif
