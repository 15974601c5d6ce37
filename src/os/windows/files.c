/* Opens, reads, writes and locks files, tells what they are, and names them. Others may rename and remove an open file,
 * as on other systems. */
#include "os/windows/system.h"

#include <errno.h>

lb_os_handle lb_os_open_as(const char *path, DWORD access, DWORD made, DWORD flags)
{
    wchar_t wide[LB_WIDE_PATH];
    HANDLE file = INVALID_HANDLE_VALUE;
    if (!lb_os_wide(path, wide)) return (lb_os_handle){0};
    file = CreateFileW(wide, access, LB_SHARED, NULL, made, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    return (lb_os_handle){lb_os_told(file != INVALID_HANDLE_VALUE) ? (intptr_t)file : 0};
}

static bool is_link(HANDLE file)
{
    FILE_ATTRIBUTE_TAG_INFO found;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &found, sizeof found) &&
           (found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (found.ReparseTag == IO_REPARSE_TAG_SYMLINK || found.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

/* Who appends gets the right to do nothing else, so that each write goes to the end. */
lb_os_handle lb_os_open(const char *path, int how)
{
    const DWORD writes = how & LB_OS_APPEND  ? FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE
                         : how & LB_OS_WRITE ? GENERIC_WRITE
                                             : 0;
    const DWORD made = how & LB_OS_NEW ? CREATE_NEW : how & LB_OS_CREATE ? OPEN_ALWAYS : OPEN_EXISTING;
    const DWORD flags = how & LB_OS_NO_LINK ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    lb_os_info info;
    int reason = 0;
    if ((how & LB_OS_NO_LINK || made != OPEN_EXISTING) && lb_os_is_odd(path)) {
        errno = EINVAL;
        return (lb_os_handle){0};
    }
    lb_os_handle file = lb_os_open_as(path, writes | (how & LB_OS_READ ? GENERIC_READ : 0), made, flags);
    if (lb_os_is_open(file) && lb_os_info_of(file, &info)) {
        if ((how & LB_OS_NO_LINK) && info.kind == LB_OS_IS_LINK) reason = ELOOP;
        if ((how & LB_OS_WRITE) && info.kind == LB_OS_IS_FOLDER) reason = EISDIR;
    }
    if (reason == 0) return file;
    lb_os_drop(&file);
    errno = reason;
    return file;
}

lb_os_handle lb_os_input(void)
{
    return (lb_os_handle){-1};
}

lb_os_handle lb_os_again(lb_os_handle handle)
{
    HANDLE again, own = GetCurrentProcess();
    bool done = DuplicateHandle(own, lb_os_system(handle), own, &again, 0, FALSE, DUPLICATE_SAME_ACCESS);
    return (lb_os_handle){lb_os_told(done) ? (intptr_t)again : 0};
}

bool lb_os_close(lb_os_handle handle)
{
    return handle.number < 0 || lb_os_told(CloseHandle(lb_os_system(handle)));
}

void lb_os_drop(lb_os_handle *handle)
{
    int reason = errno;
    if (lb_os_is_open(*handle)) (void)lb_os_close(*handle);
    *handle = (lb_os_handle){0};
    errno = reason;
}

/* ---- Bytes. ---- */

static DWORD at_once(size_t count)
{
    enum { MOST = 1 << 30 };
    return count < MOST ? (DWORD)count : MOST;
}

bool lb_os_has_arrived(lb_os_handle handle)
{
    DWORD bytes = 0;
    HANDLE file = lb_os_system(handle);
    switch (GetFileType(file)) {
    case FILE_TYPE_PIPE:
        return !PeekNamedPipe(file, NULL, 0, NULL, &bytes, NULL) || bytes > 0;
    case FILE_TYPE_CHAR:
        return WaitForSingleObject(file, 0) == WAIT_OBJECT_0;
    default:
        return true;
    }
}

/* A console that is asked for bytes loses letters that are not ASCII. Ctrl-Z at the start of a line is the end. */
static int64_t read_console(HANDLE console, char *bytes, size_t room)
{
    enum { LETTERS = 512, BYTES_OF_LETTER = 3, END = 26 };
    static wchar_t text[LETTERS], half; /* of a letter in two parts, of which the second has not come */
    const DWORD first = half ? 1 : 0, most = at_once(room / BYTES_OF_LETTER);
    DWORD count = 0;
    text[0] = half;
    errno = EINVAL;
    if (most < 2) return -1;
    if (!lb_os_told(
            ReadConsoleW(console, text + first, (most < LETTERS ? most : LETTERS) - first, &count, NULL)))
        return -1;
    count += first;
    half = count > 0 && IS_HIGH_SURROGATE(text[count - 1]) ? text[--count] : 0;
    if (count == 0 || *text == END) return 0;
    return WideCharToMultiByte(CP_UTF8, 0, text, (int)count, bytes, (int)at_once(room), NULL, NULL);
}

static int64_t read_some(lb_os_handle handle, void *bytes, size_t room, OVERLAPPED *at)
{
    DWORD count = 0;
    if (ReadFile(lb_os_system(handle), bytes, at_once(room), &count, at)) return count;
    if (GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF) return 0;
    return lb_os_told(false) ? 0 : -1;
}

int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room)
{
    DWORD mode;
    if (GetConsoleMode(lb_os_system(handle), &mode)) return read_console(lb_os_system(handle), bytes, room);
    return read_some(handle, bytes, room, NULL);
}

static OVERLAPPED at(int64_t place)
{
    return (OVERLAPPED){.Offset = (DWORD)(uint64_t)place, .OffsetHigh = (DWORD)((uint64_t)place >> 32)};
}

static int64_t read_all_at(lb_os_handle handle, int64_t place, char *bytes, size_t count)
{
    int64_t held = 0, got = 1;
    for (; (size_t)held < count && got > 0; held += got) {
        OVERLAPPED from = at(place + held);
        got = place < 0 ? lb_os_read(handle, bytes + held, count - (size_t)held)
                        : read_some(handle, bytes + held, count - (size_t)held, &from);
        if (got < 0) return -1;
    }
    return held;
}

int64_t lb_os_read_all(lb_os_handle handle, void *bytes, size_t count)
{
    return read_all_at(handle, -1, bytes, count);
}

/* Windows moves the place of the handle all the same. */
int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count)
{
    const int64_t before = lb_os_place(handle);
    errno = EINVAL;
    if (place < 0) return -1;
    const int64_t held = read_all_at(handle, place, bytes, count);
    const int reason = errno;
    if (before >= 0) (void)lb_os_go(handle, before);
    errno = reason;
    return held;
}

bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count)
{
    for (const char *from = bytes; count > 0;) {
        DWORD written = 0;
        if (!lb_os_told(WriteFile(lb_os_system(handle), from, at_once(count), &written, NULL))) return false;
        from += written;
        count -= written;
    }
    return true;
}

int64_t lb_os_place(lb_os_handle handle)
{
    LARGE_INTEGER place, none = {.QuadPart = 0};
    errno = ESPIPE;
    if (GetFileType(lb_os_system(handle)) != FILE_TYPE_DISK) return -1;
    return lb_os_told(SetFilePointerEx(lb_os_system(handle), none, &place, FILE_CURRENT)) ? place.QuadPart
                                                                                          : -1;
}

bool lb_os_go(lb_os_handle handle, int64_t place)
{
    const LARGE_INTEGER to = {.QuadPart = place};
    return lb_os_told(SetFilePointerEx(lb_os_system(handle), to, NULL, FILE_BEGIN));
}

/* Who appends has to ask for the right to cut. */
bool lb_os_cut(lb_os_handle handle, int64_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile = {.QuadPart = bytes}};
    HANDLE file = ReOpenFile(lb_os_system(handle), GENERIC_WRITE, LB_SHARED, 0);
    bool done = file != INVALID_HANDLE_VALUE;
    done = lb_os_told(done && SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end));
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    return done;
}

bool lb_os_sync(lb_os_handle handle)
{
    return lb_os_told(FlushFileBuffers(lb_os_system(handle)));
}

/* Nobody else can read a locked byte, so it is one that no file has. */
lb_os_lock_result lb_os_lock(lb_os_handle handle)
{
    OVERLAPPED last = at(INT64_MAX - 1);
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
    if (!GetFileInformationByHandle(file,
                                    &found)) { /* wine does not know files that a shell of Linux has opened */
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

static bool may(const char *path, DWORD access)
{
    lb_os_handle file = lb_os_open_as(path, access, OPEN_EXISTING, 0);
    bool open = lb_os_is_open(file);
    lb_os_drop(&file);
    return open;
}

bool lb_os_exists(const char *path)
{
    return may(path, FILE_READ_ATTRIBUTES);
}

bool lb_os_may_read(const char *path)
{
    return may(path, GENERIC_READ);
}

bool lb_os_may_write_in(const char *folder)
{
    return may(folder, FILE_ADD_FILE);
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
