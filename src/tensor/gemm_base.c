/* The kernel of our matrix product in 128 bits, which every processor has. */
#include "tensor/gemm.h"

#define LB_GEMM_NAME lb_gemm_base
#define LB_GEMM_TARGET
#define LB_GEMM_BYTES 16
/* WebAssembly runs on x86-64 and on ARM, mostly on the former. */
#if defined(__x86_64__) || defined(__wasm__)
#    define LB_GEMM_ROWS 4
#else
#    define LB_GEMM_ROWS 8
#endif
#ifdef __aarch64__
#    include <arm_neon.h>

#    ifdef LB_REAL_IS_DOUBLE
#        define LB_GEMM_FUSED(x, y, sum) vfmaq_n_f64(sum, y, x)
#    else
#        define LB_GEMM_FUSED(x, y, sum) vfmaq_n_f32(sum, y, x)
#    endif
#endif
#include "tensor/gemm_vector_kernel.h"
