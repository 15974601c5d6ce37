/* Names of files: folders, links, files that are left behind, and files that nobody finds. */
#include "os/windows/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lb_os_resolve(const char *path, char target[LB_OS_PATH])
{
    wchar_t wide[LB_WIDE_PATH];
    lb_os_handle file = lb_os_open(path, LB_OS_READ);
    DWORD length = 0;
    if (lb_os_is_open(file)) length = GetFinalPathNameByHandleW(lb_os_system(file), wide, LB_WIDE_PATH, 0);
    bool done = lb_os_is_open(file) && lb_os_told(length > 0 && length < LB_WIDE_PATH);
    lb_os_drop(&file);
    return done && lb_os_narrow(wide, target);
}

/* A disk or a share, which is a folder already, is refused with another reason. */
bool lb_os_make_folder(const char *path)
{
    wchar_t wide[LB_WIDE_PATH];
    lb_os_info found;
    if (!lb_os_wide(path, wide) || lb_os_told(CreateDirectoryW(wide, NULL))) return *wide;
    const int reason = errno;
    errno = lb_os_info_at(path, &found) ? EEXIST : reason;
    return false;
}

/* Windows 10 replaces a file that is open, if it is asked for this; older ones refuse. */
bool lb_os_rename(const char *from, const char *to)
{
    enum { REPLACE = 1, POSIX = 2 }; /* FILE_RENAME_FLAG_... */
    struct {
        DWORD flags;
        HANDLE folder;
        DWORD bytes;
        wchar_t name[LB_WIDE_PATH];
    } asked = {.flags = REPLACE | POSIX};
    wchar_t wide[LB_WIDE_PATH];
    if (!lb_os_wide(from, wide) || !lb_os_wide(to, asked.name)) return false;
    HANDLE file =
        CreateFileW(wide, DELETE | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    asked.bytes = (DWORD)(wcslen(asked.name) * sizeof *asked.name);
    bool done = file != INVALID_HANDLE_VALUE &&
                SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)22, &asked, sizeof asked);
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    return done || lb_os_told(MoveFileExW(wide, asked.name, MOVEFILE_REPLACE_EXISTING));
}

bool lb_os_link(const char *path, const char *name)
{
    wchar_t old[LB_WIDE_PATH], new[LB_WIDE_PATH];
    return lb_os_wide(path, old) && lb_os_wide(name, new) && lb_os_told(CreateHardLinkW(new, old, NULL));
}

bool lb_os_remove(const char *path)
{
    wchar_t wide[LB_WIDE_PATH];
    return lb_os_wide(path, wide) && lb_os_told(DeleteFileW(wide));
}

bool lb_os_remove_folder(const char *folder)
{
    wchar_t wide[LB_WIDE_PATH];
    return lb_os_wide(folder, wide) && lb_os_told(RemoveDirectoryW(wide));
}

/* Writes the path of a name in an open folder. */
static bool path_in(lb_os_handle folder, const wchar_t *name, wchar_t path[LB_WIDE_PATH])
{
    DWORD length = GetFinalPathNameByHandleW(lb_os_system(folder), path, LB_WIDE_PATH, 0);
    if (length == 0 || length + 1 + wcslen(name) >= LB_WIDE_PATH) return false;
    if (path[length - 1] != L'\\') path[length++] = L'\\';
    memcpy(path + length, name, (wcslen(name) + 1) * sizeof *name);
    return true;
}

void lb_os_list(lb_os_handle folder, void (*visit)(void *context, const char *name), void *context)
{
    wchar_t pattern[LB_WIDE_PATH];
    char name[LB_OS_PATH];
    WIN32_FIND_DATAW found;
    if (!path_in(folder, L"*", pattern)) return;
    HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE) return;
    do {
        if (lb_os_narrow(found.cFileName, name)) visit(context, name);
    } while (FindNextFileW(search, &found));
    FindClose(search);
}

/* Its writer may have given it another name since it was opened. */
static bool has_name(HANDLE file, const wchar_t *name)
{
    wchar_t path[LB_WIDE_PATH];
    DWORD length = GetFinalPathNameByHandleW(file, path, LB_WIDE_PATH, 0);
    const wchar_t *slash = length > 0 && length < LB_WIDE_PATH ? wcsrchr(path, L'\\') : NULL;
    return slash && wcscmp(slash + 1, name) == 0;
}

/* Where there are no locks, it stays. */
void lb_os_remove_abandoned(lb_os_handle folder, const char *name, int64_t seconds)
{
    wchar_t wide[LB_OS_PATH], path[LB_WIDE_PATH];
    FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
    (void)seconds;
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, LB_OS_PATH) ||
        !path_in(folder, wide, path))
        return;
    HANDLE file =
        CreateFileW(path, GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE) return;
    if (!lb_os_is_reparsed(file) && lb_os_lock((lb_os_handle){(intptr_t)file}) == LB_OS_LOCKED &&
        has_name(file, wide))
        SetFileInformationByHandle(file, FileDispositionInfo, &gone, sizeof gone);
    CloseHandle(file);
}

/* Each file has a name here. */
lb_os_handle lb_os_nameless(lb_os_handle folder)
{
    (void)folder;
    errno = ENOTSUP;
    return (lb_os_handle){0};
}

bool lb_os_give_name(lb_os_handle handle, const char *name)
{
    (void)handle, (void)name;
    errno = ENOTSUP;
    return false;
}

const char *lb_os_temp_folder(void)
{
    static _Thread_local char folder[LB_OS_PATH];
    wchar_t wide[LB_OS_PATH];
    DWORD length = GetTempPathW(LB_OS_PATH, wide);
    if (length > 1 && length < LB_OS_PATH) wide[length - 1] = L'\0'; /* without the \ at its end */
    return length > 1 && length < LB_OS_PATH && lb_os_narrow(wide, folder) ? folder : ".";
}

lb_os_handle lb_os_temp_file(void)
{
    char path[LB_OS_PATH];
    wchar_t wide[LB_WIDE_PATH];
    HANDLE file = INVALID_HANDLE_VALUE;
    do {
        const int64_t now = lb_os_clock();
        int length = snprintf(path, sizeof path, "%s\\lookback-%llx-%llx", lb_os_temp_folder(),
                              (unsigned long long)lb_os_process(), (unsigned long long)now);
        errno = ENAMETOOLONG;
        if (length < 0 || length >= LB_OS_PATH || !lb_os_wide(path, wide)) return (lb_os_handle){0};
        file = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_NEW,
                           FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    } while (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS);
    return lb_os_handle_of(file);
}
