/* Opens, reads, writes and locks files, tells what they are, and names them. Others may rename and remove an open file,
 * as on other systems. */
#include "os/windows/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>

lb_os_handle lb_os_open_as(const char *path, DWORD access, DWORD made, DWORD flags)
{
    wchar_t wide[LB_WIDE_PATH];
    if (!lb_os_wide(path, wide)) return (lb_os_handle){0};
    HANDLE file = CreateFileW(wide, access, LB_SHARED, NULL, made, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    const int way = _O_BINARY | _O_NOINHERIT | (access & FILE_APPEND_DATA ? _O_APPEND : 0);
    return lb_os_handle_of(lb_os_told(file != INVALID_HANDLE_VALUE) ? _open_osfhandle((intptr_t)file, way)
                                                                    : -1);
}

static bool is_link(HANDLE file)
{
    FILE_ATTRIBUTE_TAG_INFO found;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &found, sizeof found) &&
           (found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (found.ReparseTag == IO_REPARSE_TAG_SYMLINK || found.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

lb_os_handle lb_os_open(const char *path, int how)
{
    const DWORD access = (how & LB_OS_READ ? GENERIC_READ : 0) | (how & LB_OS_WRITE ? GENERIC_WRITE : 0) |
                         (how & LB_OS_APPEND ? FILE_APPEND_DATA : 0);
    const DWORD made = how & LB_OS_NEW ? CREATE_NEW : how & LB_OS_CREATE ? OPEN_ALWAYS : OPEN_EXISTING;
    const DWORD flags = how & LB_OS_NO_LINK ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    lb_os_info info;
    int reason = 0;
    if ((how & LB_OS_NO_LINK || made != OPEN_EXISTING) && lb_os_is_odd(path)) {
        errno = EINVAL;
        return (lb_os_handle){0};
    }
    lb_os_handle file = lb_os_open_as(path, access, made, flags);
    if (lb_os_is_open(file) && lb_os_info_of(file, &info)) {
        if ((how & LB_OS_NO_LINK) && info.kind == LB_OS_IS_LINK) reason = ELOOP;
        if ((how & LB_OS_WRITE) && info.kind == LB_OS_IS_FOLDER) reason = EISDIR;
    }
    if (reason == 0) return file;
    lb_os_drop(&file);
    errno = reason;
    return file;
}

lb_os_handle lb_os_again(lb_os_handle handle)
{
    const int again = _dup(lb_os_descriptor(handle));
    if (again >= 0) SetHandleInformation((HANDLE)_get_osfhandle(again), HANDLE_FLAG_INHERIT, 0);
    return lb_os_handle_of(again);
}

int64_t lb_os_place(lb_os_handle handle)
{
    LARGE_INTEGER place, none = {.QuadPart = 0};
    errno = ESPIPE;
    if (GetFileType(lb_os_system(handle)) != FILE_TYPE_DISK) return -1;
    return lb_os_told(SetFilePointerEx(lb_os_system(handle), none, &place, FILE_CURRENT)) ? place.QuadPart
                                                                                          : -1;
}

/* Nobody else can read a locked byte, so it is one that no file has. */
lb_os_lock_result lb_os_lock(lb_os_handle handle)
{
    OVERLAPPED last = {.Offset = UINT32_MAX - 1, .OffsetHigh = INT32_MAX};
    const DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    if (LockFileEx(lb_os_system(handle), how, 0, 1, 0, &last)) return LB_OS_LOCKED;
    const DWORD found = GetLastError();
    return found == ERROR_LOCK_VIOLATION || found == ERROR_IO_PENDING ? LB_OS_LOCKED_BY_OTHERS
                                                                      : LB_OS_NO_LOCKS;
}

/* ---- What files are. ---- */

bool lb_os_info_of(lb_os_handle handle, lb_os_info *info)
{
    BY_HANDLE_FILE_INFORMATION found;
    HANDLE file = lb_os_system(handle);
    *info = (lb_os_info){0};
    const DWORD type = GetFileType(file);
    if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) return true;
    /* wine does not know files that a shell of Linux has opened */
    if (!GetFileInformationByHandle(file, &found)) {
        LARGE_INTEGER size;
        if (type != FILE_TYPE_DISK || !GetFileSizeEx(file, &size)) return lb_os_told(false);
        *info = (lb_os_info){LB_OS_IS_FILE, size.QuadPart, UINT64_MAX, (uint64_t)handle.number};
        return true;
    }
    const bool folder = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    info->kind = is_link(file) ? LB_OS_IS_LINK : folder ? LB_OS_IS_FOLDER : LB_OS_IS_FILE;
    info->bytes = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    info->disk = found.dwVolumeSerialNumber;
    info->number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    return true;
}

/* Where no link is followed, a name that no file can have is taken. */
bool lb_os_info_at(const char *path, bool follows, lb_os_info *info)
{
    const bool odd = lb_os_is_odd(path);
    *info = (lb_os_info){0};
    if (odd && !follows) return true;
    lb_os_handle file =
        lb_os_open_as(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, follows ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    bool done = lb_os_is_open(file) && lb_os_info_of(file, info);
    lb_os_drop(&file);
    if (odd) info->kind = LB_OS_IS_OTHER;
    return done;
}

bool lb_os_may(const char *path, int how)
{
    const DWORD access = FILE_READ_ATTRIBUTES | (how & LB_OS_READ ? GENERIC_READ : 0) |
                         (how & LB_OS_WRITE ? FILE_ADD_FILE : 0);
    lb_os_handle file = lb_os_open_as(path, access, OPEN_EXISTING, 0);
    bool open = lb_os_is_open(file);
    lb_os_drop(&file);
    return open;
}

/* ---- Names. ---- */

bool lb_os_resolve(const char *path, char target[LB_OS_PATH])
{
    wchar_t wide[LB_WIDE_PATH];
    lb_os_handle file = lb_os_open_as(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0);
    DWORD length =
        lb_os_is_open(file) ? GetFinalPathNameByHandleW(lb_os_system(file), wide, LB_WIDE_PATH, 0) : 0;
    lb_os_drop(&file);
    return length > 0 && length < LB_WIDE_PATH && lb_os_narrow(wide, target);
}

/* A disk or a share, which is a folder already, is refused for another reason. */
bool lb_os_make_folder(const char *path)
{
    wchar_t wide[LB_WIDE_PATH];
    if (!lb_os_wide(path, wide)) return false;
    if (lb_os_told(CreateDirectoryW(wide, NULL))) return true;
    const int reason = errno;
    errno = lb_os_exists(path) ? EEXIST : reason;
    return false;
}

/* Windows 10 replaces a file that others have open, if it is asked to; older ones refuse. */
bool lb_os_rename(const char *from, const char *to)
{
    enum { HOW = 22 /* FileRenameInfoEx */, REPLACE = 1, LIKE_POSIX = 2 };
    struct {
        DWORD flags;
        HANDLE folder;
        DWORD bytes;
        wchar_t name[LB_WIDE_PATH];
    } new = {.flags = REPLACE | LIKE_POSIX};
    wchar_t old[LB_WIDE_PATH];
    if (!lb_os_wide(from, old) || !lb_os_wide(to, new.name)) return false;
    new.bytes = (DWORD)(wcslen(new.name) * sizeof *new.name);
    lb_os_handle file =
        lb_os_open_as(from, DELETE | SYNCHRONIZE, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    bool done =
        lb_os_is_open(file) &&
        SetFileInformationByHandle(lb_os_system(file), (FILE_INFO_BY_HANDLE_CLASS)HOW, &new, sizeof new);
    lb_os_drop(&file);
    return done || lb_os_told(MoveFileExW(old, new.name, MOVEFILE_REPLACE_EXISTING));
}

bool lb_os_link(const char *path, const char *name)
{
    wchar_t old[LB_WIDE_PATH], new[LB_WIDE_PATH];
    return lb_os_wide(path, old) && lb_os_wide(name, new) && lb_os_told(CreateHardLinkW(new, old, NULL));
}

bool lb_os_remove(const char *path)
{
    wchar_t wide[LB_WIDE_PATH];
    return lb_os_wide(path, wide) && (DeleteFileW(wide) || lb_os_told(RemoveDirectoryW(wide)));
}
