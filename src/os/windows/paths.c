/* Paths and errors of Windows, for the files of this folder. Everybody else has paths in UTF-8, with / or \ in them. */
#include "os/windows/system.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

lb_os_handle lb_os_handle_of(HANDLE opened)
{
    lb_os_told(opened != INVALID_HANDLE_VALUE);
    return (lb_os_handle){opened == INVALID_HANDLE_VALUE ? 0 : (intptr_t)opened};
}

/* A file in use is a matter of permission for the C library of Windows, too, which has no words for EBUSY. */
bool lb_os_told(bool done)
{
    static const struct {
        DWORD found;
        int reason;
    } known[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                 {ERROR_PATH_NOT_FOUND, ENOENT},
                 {ERROR_INVALID_NAME, ENOENT},
                 {ERROR_BAD_NETPATH, ENOENT},
                 {ERROR_BAD_NET_NAME, ENOENT},
                 {ERROR_INVALID_DRIVE, ENOENT},
                 {ERROR_FILE_EXISTS, EEXIST},
                 {ERROR_ALREADY_EXISTS, EEXIST},
                 {ERROR_ACCESS_DENIED, EACCES},
                 {ERROR_SHARING_VIOLATION, EACCES},
                 {ERROR_LOCK_VIOLATION, EACCES},
                 {ERROR_WRITE_PROTECT, EROFS},
                 {ERROR_DISK_FULL, ENOSPC},
                 {ERROR_HANDLE_DISK_FULL, ENOSPC},
                 {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                 {ERROR_OUTOFMEMORY, ENOMEM},
                 {ERROR_INVALID_HANDLE, EBADF},
                 {ERROR_BROKEN_PIPE, EPIPE},
                 {ERROR_NO_DATA, EPIPE},
                 {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                 {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
                 {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                 {ERROR_DIRECTORY, ENOTDIR},
                 {ERROR_INVALID_FUNCTION, EISDIR},
                 {ERROR_NOT_SAME_DEVICE, EXDEV},
                 {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
                 {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
                 {ERROR_INSUFFICIENT_BUFFER, ENAMETOOLONG}};
    if (done) return true;
    const DWORD found = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].found == found) errno = known[i].reason;
    return false;
}

const char lb_os_separators[] = "/\\";

/* Where Windows still has the limit of 260 letters, it is 248 for a folder. */
enum { LONG_PATH = 248 };

bool lb_os_wide(const char *path, wchar_t wide[LB_WIDE_PATH])
{
    static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC\\";
    wchar_t given[LB_OS_PATH], *whole = wide;
    if (!lb_os_told(MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, LB_OS_PATH) > 0))
        return false;
    DWORD length = GetFullPathNameW(given, LB_OS_PATH, wide, NULL);
    errno = length ? ENAMETOOLONG : ENOENT;
    if (length == 0 || length >= LB_OS_PATH) return false;
    if (length < LONG_PATH || wide[2] == L'?' || wide[2] == L'.') return true;
    const bool shared = wide[0] == L'\\' && wide[1] == L'\\';
    const size_t added = shared ? sizeof share / sizeof *share - 1 : sizeof prefix / sizeof *prefix - 1;
    if (shared) whole += 2;
    memmove(wide + added, whole, (wcslen(whole) + 1) * sizeof *wide);
    memcpy(wide, shared ? share : prefix, added * sizeof *wide);
    return true;
}

bool lb_os_narrow(const wchar_t *wide, char path[LB_OS_PATH])
{
    char *begin = path;
    if (wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0) {
        *begin++ = '\\';
        wide += 7;
    } else if (wcsncmp(wide, L"\\\\?\\", 4) == 0) {
        wide += 4;
    }
    const int room = LB_OS_PATH - (int)(begin - path);
    return lb_os_told(WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, begin, room, NULL, NULL) >
                      0);
}

/* With an extension, too: NUL.txt is the device. */
static bool is_device(const char *name)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
    size_t length = strcspn(name, ".:");
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
    return strchr(path + (drive ? 2 : 0), ':') || is_device(drive && name == path ? path + 2 : name);
}

bool lb_os_is_reparsed(HANDLE opened)
{
    FILE_ATTRIBUTE_TAG_INFO found;
    return GetFileInformationByHandleEx(opened, FileAttributeTagInfo, &found, sizeof found) &&
           (found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (found.ReparseTag == IO_REPARSE_TAG_SYMLINK || found.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}
