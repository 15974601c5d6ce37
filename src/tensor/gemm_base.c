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
#include "tensor/gemm_vector_kernel.h"
