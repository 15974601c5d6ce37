/* The memory, the clocks, the processors and the locales of the machine. */
#include "os/windows/system.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* ---- Memory. Large pages need a privilege that users do not have. ---- */

void lb_os_prefer_large_pages(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void *lb_os_large_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

/* ---- Clocks, threads and processes. ---- */

/* In two parts, which do not overflow. */
int64_t lb_os_clock(void)
{
    enum { NANOSECONDS = 1000000000 };
    LARGE_INTEGER now, second;
    if (!QueryPerformanceCounter(&now) || !QueryPerformanceFrequency(&second)) return 0;
    return now.QuadPart / second.QuadPart * NANOSECONDS +
           now.QuadPart % second.QuadPart * NANOSECONDS / second.QuadPart;
}

/* SwitchToThread gives way to threads of the same processor alone. */
void lb_os_pause(int milliseconds)
{
    Sleep((DWORD)milliseconds);
}

int64_t lb_os_process(void)
{
    return GetCurrentProcessId();
}

/* Control groups are a matter of Linux. */
double lb_os_granted_processors(const char *groups, const char *mounted)
{
    (void)groups, (void)mounted;
    return INFINITY;
}

/* A process is never copied. */
void lb_os_before_fork(void (*call)(void))
{
    (void)call;
}

/* ---- Locales. `plain` tells whether the thread had a locale of its own. Most never leave the locale C. ---- */

static char alone[] = "C", together[] = "C";

lb_os_locale lb_os_locale_enter(void)
{
    enum { LONGEST = 256 };
    static _Thread_local char before[LONGEST];
    const char *host = setlocale(LC_ALL, NULL);
    if (!host || strcmp(host, alone) == 0) return (lb_os_locale){alone, NULL};
    if (strlen(host) >= sizeof before) return (lb_os_locale){NULL, NULL};
    strcpy(before, host);
    const bool was_alone = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE) == _ENABLE_PER_THREAD_LOCALE;
    setlocale(LC_ALL, alone);
    return (lb_os_locale){was_alone ? alone : together, before};
}

void lb_os_locale_leave(lb_os_locale locale)
{
    if (!locale.host) return;
    setlocale(LC_ALL, locale.host);
    if (locale.plain == (void *)together) _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
}
