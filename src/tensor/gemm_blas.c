/* Matrix products by OpenBLAS, the only file that calls it. */
#include "tensor/gemm.h"

#include <stddef.h>

#ifdef LB_OPENBLAS

#    include "base/alloc.h"
#    include "base/threads.h"
#    include "os/os.h"

#    include <cblas.h>
#    include <pthread.h>
#    include <stdatomic.h>
#    include <stdio.h>
#    include <string.h>
#    include <strings.h>

#    ifdef LB_REAL_IS_DOUBLE
#        define BLAS_GEMM cblas_dgemm
#    else
#        define BLAS_GEMM cblas_sgemm
#    endif

static void call_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                      int64_t stride)
{
    BLAS_GEMM(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, lb_narrow(m), lb_narrow(n), lb_narrow(k), 1, a.data,
              lb_narrow(a.stride), b.data, lb_narrow(b.stride), beta, c, lb_narrow(stride));
}

/* The instruction set of a kernel of OpenBLAS. Kernels that are not named here have neither AVX2 nor AVX-512. */
static lb_instruction_set set_of(const char *kernel)
{
    static const struct {
        const char *name;
        lb_instruction_set set;
    } kernels[] = {{"Haswell", LB_SET_AVX2},
                   {"Zen", LB_SET_AVX2},
                   {"SkylakeX", LB_SET_AVX512},
                   {"Cooperlake", LB_SET_AVX512},
                   {"SapphireRapids", LB_SET_AVX512}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcasecmp(kernels[i].name, kernel) == 0) return kernels[i].set;
    return LB_SET_BASE;
}

static lb_instruction_set set_of_blas;

static void find_set(void)
{
    set_of_blas = set_of(openblas_get_corename());
}

bool lb_gemm_blas_serves(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_set);
    return set_of_blas == lb_instruction_set_here();
}

void lb_gemm_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                  int64_t stride)
{
    if (m == 0 || n == 0) return;
    /* Such a build of OpenBLAS uses the threads of OpenMP, unless it is called inside a parallel region or its number
     * of threads is set to one. */
    bool by_openmp = openblas_get_parallel() == OPENBLAS_OPENMP && !lb_in_parallel();
    int threads = by_openmp ? lb_threads() : 1;
    if (by_openmp) lb_use_threads(1);
    call_blas(m, n, k, a, b, beta, c, stride);
    if (by_openmp) lb_use_threads(threads);
}

/* A build of OpenBLAS with its own threads has one number of threads for the whole process. This counts the holders
 * that keep it at one. It is CHANGING while the first sets the number or the last restores it; others wait
 * meanwhile. */
enum { CHANGING = -1 };
static atomic_int holders;
static int threads_before;

static bool has_own_threads(void)
{
    return openblas_get_parallel() == OPENBLAS_THREAD;
}

void lb_gemm_hold(void)
{
    if (!has_own_threads()) return;
    int count = atomic_load(&holders);
    while (count == CHANGING || !atomic_compare_exchange_weak(&holders, &count, count ? count + 1 : CHANGING))
        if (count == CHANGING) {
            lb_os_pause(0);
            count = atomic_load(&holders);
        }
    if (count) return;
    threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
    atomic_store(&holders, 1);
}

void lb_gemm_release(void)
{
    if (!has_own_threads()) return;
    int count = atomic_load(&holders);
    assert(count > 0); /* each release has its hold */
    while (!atomic_compare_exchange_weak(&holders, &count, count == 1 ? CHANGING : count - 1)) {
    }
    if (count > 1) return;
    /* A number other than one was set by the program meanwhile. */
    if (openblas_get_num_threads() == 1) openblas_set_num_threads(threads_before);
    atomic_store(&holders, 0);
}

static char kernel[64];

static void name_kernel(void)
{
    /* The configuration reads "OpenBLAS 0.3.21 ...": its first two words. */
    const char *config = openblas_get_config();
    const char *version = strchr(config, ' ');
    int length =
        version ? (int)(version - config + 1 + (long)strcspn(version + 1, " ")) : (int)strlen(config);
    snprintf(kernel, sizeof kernel, "%.*s %s", length, config, openblas_get_corename());
}

const char *lb_gemm_blas_kernel(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, name_kernel);
    return kernel;
}

#else

bool lb_gemm_blas_serves(void)
{
    return false;
}

void lb_gemm_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                  int64_t stride)
{
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)beta, (void)c, (void)stride;
}

void lb_gemm_hold(void)
{
}

void lb_gemm_release(void)
{
}

const char *lb_gemm_blas_kernel(void)
{
    return NULL;
}

#endif
