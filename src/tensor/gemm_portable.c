/* The kernel of our matrix product in 128 bits, without fused operations: elsewhere lb_gemm_base is this. */
#include "tensor/gemm.h"

#ifdef __aarch64__
#    define LB_GEMM_NAME lb_gemm_portable
#    define LB_GEMM_TARGET
#    define LB_GEMM_BYTES 16
#    define LB_GEMM_ROWS  8
#    include "tensor/gemm_vector_kernel.h"
#endif
