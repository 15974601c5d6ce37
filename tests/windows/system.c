/* What tests ask of the system beside POSIX. --wrap puts the clock of a test in the place of that of the system, as
 * support/stop.c does it elsewhere. */
#include "os/os.h"
#include "support/alloc.h"
#include "support/stop.h"

#include <windows.h>

#include <psapi.h>

int64_t __real_lb_os_clock(void);
int64_t __wrap_lb_os_clock(void);

static int64_t ahead;
static bool is_broken;

void support_advance_clock(int64_t ns)
{
    ahead += ns;
}

void support_fail_clock(bool fails)
{
    is_broken = fails;
}

int64_t __wrap_lb_os_clock(void)
{
    return is_broken ? 0 : __real_lb_os_clock() + ahead;
}

size_t support_touched_pages(const void *memory, size_t bytes)
{
    enum { PAGE = 4096 };
    size_t touched = 0;
    for (size_t at = 0; at + PAGE <= bytes; at += PAGE) {
        PSAPI_WORKING_SET_EX_INFORMATION page = {.VirtualAddress = (char *)(uintptr_t)memory + at};
        if (QueryWorkingSetEx(GetCurrentProcess(), &page, sizeof page))
            touched += page.VirtualAttributes.Valid;
    }
    return touched;
}
