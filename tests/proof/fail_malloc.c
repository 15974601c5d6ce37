/* For LD_PRELOAD: the n-th allocation fails, n from the environment variable FAIL_AT, and with FAIL_ALL all after it. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long calls;
static long at;
static int all;

__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("FAIL_AT");
    all = getenv("FAIL_ALL") != NULL;
    at = text ? atol(text) : 0;
}

static int fails(void)
{
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
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
