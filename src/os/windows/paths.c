/* Paths and errors of Windows, for this folder. Everybody else has paths in UTF-8, with / or \ in them. */
#include "os/windows/system.h"

#include <errno.h>
#include <strings.h>

/* The C library of Windows has no words for a file in use but those for a matter of permission. */
bool lb_os_told(bool done)
{
    static const DWORD missing[] = {ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND, ERROR_INVALID_NAME,
                                    ERROR_BAD_NETPATH,    ERROR_BAD_NET_NAME,   ERROR_INVALID_DRIVE};
    static const DWORD refused[] = {ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION,
                                    ERROR_WRITE_PROTECT};
    static const struct {
        DWORD found;
        int reason;
    } others[] = {{ERROR_FILE_EXISTS, EEXIST},
                  {ERROR_ALREADY_EXISTS, EEXIST},
                  {ERROR_DISK_FULL, ENOSPC},
                  {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                  {ERROR_INVALID_HANDLE, EBADF},
                  {ERROR_BROKEN_PIPE, EPIPE},
                  {ERROR_NO_DATA, EPIPE},
                  {ERROR_DIRECTORY, ENOTDIR},
                  {ERROR_INVALID_FUNCTION, EISDIR}, /* a folder that is read */
                  {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
                  {ERROR_INSUFFICIENT_BUFFER, ENAMETOOLONG},
                  {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    if (done) return true;
    const DWORD found = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i] == found) errno = ENOENT;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i] == found) errno = EACCES;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].found == found) errno = others[i].reason;
    return false;
}

const char lb_os_separators[] = "/\\";

bool lb_os_wide(const char *path, wchar_t wide[LB_WIDE_PATH])
{
    enum { LONG_PATH = 248 }; /* the limit is 260, and 248 for a folder */
    static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
    wchar_t given[LB_OS_PATH];
    if (!lb_os_told(MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, LB_OS_PATH) > 0))
        return false;
    const DWORD length = GetFullPathNameW(given, LB_OS_PATH, wide, NULL);
    if (length == 0 || length >= LB_OS_PATH) {
        errno = length ? ENAMETOOLONG : ENOENT;
        return false;
    }
    if (length < LONG_PATH || wide[2] == L'?' || wide[2] == L'.') return true;
    const bool shared = wide[0] == L'\\'; /* \\server\share, of which one \ is kept */
    const size_t added = (shared ? sizeof share : sizeof prefix) / sizeof *share - 1;
    memmove(wide + added, wide + shared, (length + 1 - shared) * sizeof *wide);
    memcpy(wide, shared ? share : prefix, added * sizeof *wide);
    return true;
}

bool lb_os_narrow(const wchar_t *wide, char path[LB_OS_PATH])
{
    const bool shared = wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0, prefixed = wcsncmp(wide, L"\\\\?\\", 4) == 0;
    *path = '\\';
    wide += shared ? 7 : prefixed ? 4 : 0;
    return lb_os_told(WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, path + shared,
                                          LB_OS_PATH - shared, NULL, NULL) > 0);
}

/* With an extension, too: NUL.txt is the device. */
static bool is_device(const char *name)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
    size_t length = strcspn(name, ".");
    while (length > 0 && name[length - 1] == ' ') length--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strlen(devices[i]) == length && strncasecmp(name, devices[i], length) == 0) return true;
    return length == 4 && (strncasecmp(name, "COM", 3) == 0 || strncasecmp(name, "LPT", 3) == 0) &&
           name[3] >= '0' && name[3] <= '9';
}

bool lb_os_is_odd(const char *path)
{
    const bool drive = *path && path[1] == ':';
    const char *name = lb_os_name_of(path);
    if (strncmp(path, "\\\\.\\", 4) == 0 || strncmp(path, "//./", 4) == 0) return true;
    if (strncmp(path, "\\\\?\\", 4) == 0) return is_device(name);
    return strchr(path + (drive ? 2 : 0), ':') || is_device(drive && name == path ? path + 2 : name);
}
