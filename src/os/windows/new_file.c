/* The new content of a file while it is written: it is to be deleted until it gets its name, so that a kill leaves
 * nothing behind. And files that nobody finds. */
#include "os/windows/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

/* `begin` with what no other file has: process, time and a counter. */
static bool choose_name(const char *begin, char *name, size_t size)
{
    static atomic_uint count;
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    const int length = snprintf(name, size, "%s.tmp-%lx-%lx%08lx-%x", begin, GetCurrentProcessId(),
                                now.dwHighDateTime, now.dwLowDateTime, atomic_fetch_add(&count, 1));
    errno = ENAMETOOLONG;
    return length > 0 && (size_t)length < size;
}

static bool set_deleted(lb_os_handle file, bool deleted)
{
    FILE_DISPOSITION_INFO how = {.DeleteFile = deleted};
    return lb_os_told(SetFileInformationByHandle(lb_os_system(file), FileDispositionInfo, &how, sizeof how));
}

/* Its permissions are those that its folder gives. */
lb_os_handle lb_os_new_open(const char *path, char *name, size_t size)
{
    lb_os_handle file = {0};
    if (choose_name(path, name, size)) file = lb_os_open_as(name, GENERIC_WRITE | DELETE, CREATE_NEW, 0);
    if (lb_os_is_open(file) && !set_deleted(file, true)) lb_os_drop(&file);
    return file;
}

bool lb_os_new_name(lb_os_handle file, const char *path, char *name, size_t size)
{
    (void)path, (void)name, (void)size;
    return set_deleted(file, false);
}

/* Windows keeps names by a journal of its own, and has no call for it. */
bool lb_os_sync_name(const char *path)
{
    (void)path;
    return true;
}

/* Windows has a file for memory that gets scarce. */
void *lb_os_map_beside(const char *path, size_t bytes)
{
    (void)path, (void)bytes;
    return NULL;
}

void lb_os_unmap(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

/* TMPDIR is for those who have it from other systems. */
const char *lb_os_temp_folder(void)
{
    static _Thread_local char folder[LB_OS_PATH];
    wchar_t wide[LB_OS_PATH];
    DWORD length = GetEnvironmentVariableW(L"TMPDIR", wide, LB_OS_PATH);
    if (length == 0 || length >= LB_OS_PATH) length = GetTempPathW(LB_OS_PATH, wide);
    if (length == 0 || length >= LB_OS_PATH || !lb_os_narrow(wide, folder)) return ".";
    const size_t end = strlen(folder) - 1;
    if (folder[end] == '\\') folder[end] = '\0';
    return folder;
}

lb_os_handle lb_os_temp_file(void)
{
    char begin[LB_OS_PATH], path[LB_OS_PATH];
    snprintf(begin, sizeof begin, "%s\\lookback", lb_os_temp_folder());
    if (!choose_name(begin, path, sizeof path)) return (lb_os_handle){0};
    return lb_os_open_as(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW,
                         FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
}
