/* For LD_PRELOAD: the n-th allocation fails, n from the environment variable FAIL_AT, and with FAIL_ALL all after it.
 * Those of OpenBLAS's kernels for small products never fail: on processors with AVX-512 they write to what malloc
 * returns without a look at it. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long calls;
static long at;
static int all;

__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("FAIL_AT");
    all = getenv("FAIL_ALL") != NULL;
    at = text ? atol(text) : 0;
}

static int unchecked(const void *caller)
{
    Dl_info found;
    return dladdr(caller, &found) && found.dli_sname && strstr(found.dli_sname, "gemm_small_kernel");
}

static int fails(const void *caller)
{
    if (unchecked(caller)) return 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (at == 0 || (all ? call < at : call != at)) return 0;
    errno = ENOMEM;
    return 1;
}

/* What glibc calls its own.
 * NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
