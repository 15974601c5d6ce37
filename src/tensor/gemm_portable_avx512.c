/* The kernel of our matrix product for AVX-512, without fused operations. */
#include "tensor/gemm.h"

#ifdef __x86_64__
#    define LB_GEMM_NAME   lb_gemm_portable_avx512
#    define LB_GEMM_TARGET __attribute__((target("avx512f")))
#    define LB_GEMM_BYTES  64
#    define LB_GEMM_ROWS   8
#    include "tensor/gemm_vector_kernel.h"
#endif
