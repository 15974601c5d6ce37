/* The memory, the clocks, the processors and the locales of the machine. */
#include "os/windows/system.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory. Large pages need a privilege that users do not have. ---- */

void lb_os_prefer_large_pages(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void *lb_os_large_memory(size_t bytes)
{
    return malloc(bytes);
}

/* Windows has a file for memory that gets scarce. */
void *lb_os_map_nameless(const char *folder, size_t bytes)
{
    (void)folder, (void)bytes;
    return NULL;
}

void lb_os_unmap(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

/* ---- Clocks, threads and processes. ---- */

enum { NANOSECONDS = 1000000000, TICK = 100 /* nanoseconds */ };

/* In two parts, which do not overflow. */
int64_t lb_os_clock(void)
{
    LARGE_INTEGER now, second;
    if (!QueryPerformanceCounter(&now) || !QueryPerformanceFrequency(&second)) return 0;
    return now.QuadPart / second.QuadPart * NANOSECONDS +
           now.QuadPart % second.QuadPart * NANOSECONDS / second.QuadPart;
}

int64_t lb_os_time(void)
{
    const int64_t since_1601 = INT64_C(116444736000000000); /* ticks until 1970 */
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return ((int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - since_1601) * TICK;
}

void lb_os_yield(void)
{
    SwitchToThread();
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

/* ---- Locales. Most programs never leave the locale C. ---- */

lb_os_locale lb_os_locale_enter(void)
{
    static char ours[] = "C", shared[] = "";
    const char *host = setlocale(LC_ALL, NULL);
    if (!host || strcmp(host, ours) == 0) return (lb_os_locale){ours, NULL};
    lb_os_locale locale = {.host = _strdup(host)};
    if (!locale.host) return locale;
    locale.plain =
        _configthreadlocale(_ENABLE_PER_THREAD_LOCALE) == _ENABLE_PER_THREAD_LOCALE ? ours : shared;
    setlocale(LC_ALL, ours);
    return locale;
}

void lb_os_locale_leave(lb_os_locale locale)
{
    if (!locale.host) return;
    setlocale(LC_ALL, locale.host);
    free(locale.host);
    if (!*(const char *)locale.plain) _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
}
