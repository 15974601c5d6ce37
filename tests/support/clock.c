#include "support/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static atomic_bool failing;
static atomic_int calls;

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!atomic_load(&failing)) return __real_clock_gettime(clock, now);
    *now = (struct timespec){.tv_sec = 1000 * atomic_fetch_add(&calls, 1) + 7, .tv_nsec = 7};
    errno = EINVAL;
    return -1;
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

void support_fail_clock(bool fails)
{
    atomic_store(&failing, fails);
}
