/* Opens, reads, writes and locks files, and tells what they are. Others may rename and remove an open file, as on other
 * systems. */
#include "os/windows/system.h"

#include <errno.h>

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* Links are refused where they are asked to be, and folders where they would be read or written as files. */
static lb_os_handle check(lb_os_handle file, int how)
{
    FILE_BASIC_INFO info;
    if (!lb_os_is_open(file)) return file;
    const bool known = GetFileInformationByHandleEx(lb_os_system(file), FileBasicInfo, &info, sizeof info);
    const bool folder = known && (info.FileAttributes & FILE_ATTRIBUTE_DIRECTORY);
    int reason = 0;
    if ((how & LB_OS_NO_LINK) && lb_os_is_reparsed(lb_os_system(file))) reason = ELOOP;
    if (folder && (how & LB_OS_WRITE)) reason = EISDIR;
    if (!folder && (how & LB_OS_FOLDER)) reason = ENOTDIR;
    if (reason == 0) return file;
    lb_os_drop(&file);
    errno = reason;
    return file;
}

lb_os_handle lb_os_open(const char *path, int how)
{
    wchar_t wide[LB_WIDE_PATH];
    DWORD access = how & LB_OS_READ ? GENERIC_READ : 0;
    if (how & LB_OS_APPEND) access |= FILE_APPEND_DATA | SYNCHRONIZE | FILE_READ_ATTRIBUTES;
    if ((how & LB_OS_WRITE) && !(how & LB_OS_APPEND)) access |= GENERIC_WRITE;
    const DWORD made = how & LB_OS_NEW ? CREATE_NEW : how & LB_OS_CREATE ? OPEN_ALWAYS : OPEN_EXISTING;
    const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (how & LB_OS_NO_LINK ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    if ((how & (LB_OS_NO_LINK | LB_OS_NEW | LB_OS_CREATE)) && lb_os_is_odd(path)) {
        errno = EINVAL;
        return (lb_os_handle){0};
    }
    if (!lb_os_wide(path, wide)) return (lb_os_handle){0};
    return check(lb_os_handle_of(CreateFileW(wide, access, SHARED, NULL, made, flags, NULL)), how);
}

bool lb_os_close(lb_os_handle handle)
{
    return lb_os_told(CloseHandle(lb_os_system(handle)));
}

void lb_os_drop(lb_os_handle *handle)
{
    int reason = errno;
    if (lb_os_is_open(*handle)) CloseHandle(lb_os_system(*handle));
    *handle = (lb_os_handle){0};
    errno = reason;
}

lb_os_handle lb_os_input(void)
{
    return (lb_os_handle){(intptr_t)GetStdHandle(STD_INPUT_HANDLE)};
}

lb_os_handle lb_os_again(lb_os_handle handle)
{
    HANDLE again, own = GetCurrentProcess();
    bool done = DuplicateHandle(own, lb_os_system(handle), own, &again, 0, FALSE, DUPLICATE_SAME_ACCESS);
    return lb_os_handle_of(done ? again : INVALID_HANDLE_VALUE);
}

/* ---- Bytes. ---- */

enum { AT_ONCE = 1 << 30 };

static DWORD at_once(size_t count)
{
    return count < AT_ONCE ? (DWORD)count : AT_ONCE;
}

bool lb_os_has_arrived(lb_os_handle handle)
{
    DWORD bytes = 0;
    switch (GetFileType(lb_os_system(handle))) {
    case FILE_TYPE_PIPE:
        return !PeekNamedPipe(lb_os_system(handle), NULL, 0, NULL, &bytes, NULL) || bytes > 0;
    case FILE_TYPE_CHAR:
        return WaitForSingleObject(lb_os_system(handle), 0) == WAIT_OBJECT_0;
    default:
        return true;
    }
}

/* A console gives UTF-16; asked for bytes, it loses letters that are not ASCII. Ctrl-Z at the start of a line ends it. */
static int64_t read_console(HANDLE console, char *bytes, size_t room)
{
    enum { LETTERS = 256, BYTES_OF_LETTER = 3, END = 26 };
    wchar_t text[LETTERS];
    static wchar_t half; /* of a letter of four bytes, which did not come whole */
    DWORD count = at_once(room / BYTES_OF_LETTER), first = half ? 1 : 0;
    if (count > LETTERS) count = LETTERS;
    errno = EINVAL;
    if (count < 2) return -1;
    text[0] = half;
    if (!lb_os_told(ReadConsoleW(console, text + first, count - first, &count, NULL))) return -1;
    count += first;
    half = count > 0 && IS_HIGH_SURROGATE(text[count - 1]) ? text[--count] : 0;
    if (count == 0 || text[0] == END) return 0;
    return WideCharToMultiByte(CP_UTF8, 0, text, (int)count, bytes, (int)at_once(room), NULL, NULL);
}

int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room)
{
    DWORD count = 0, mode;
    if (GetConsoleMode(lb_os_system(handle), &mode)) return read_console(lb_os_system(handle), bytes, room);
    if (ReadFile(lb_os_system(handle), bytes, at_once(room), &count, NULL)) return count;
    const DWORD found = GetLastError();
    if (found == ERROR_BROKEN_PIPE || found == ERROR_HANDLE_EOF) return 0;
    lb_os_told(false);
    return -1;
}

bool lb_os_read_all(lb_os_handle handle, void *bytes, size_t count, size_t *held)
{
    int64_t got = 1;
    for (*held = 0; *held < count && got > 0; *held += (size_t)got) {
        got = lb_os_read(handle, (char *)bytes + *held, count - *held);
        if (got < 0) return false;
    }
    return true;
}

static OVERLAPPED at(int64_t place)
{
    return (OVERLAPPED){.Offset = (DWORD)(uint64_t)place, .OffsetHigh = (DWORD)((uint64_t)place >> 32)};
}

/* Windows moves the place of the handle all the same. */
int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count)
{
    size_t held = 0;
    bool fine = true;
    const int64_t before = lb_os_place(handle);
    while (held < count && fine) {
        DWORD got = 0;
        OVERLAPPED from = at(place + (int64_t)held);
        fine = ReadFile(lb_os_system(handle), (char *)bytes + held, at_once(count - held), &got, &from);
        if (!fine && GetLastError() != ERROR_HANDLE_EOF) {
            lb_os_told(false);
            held = 0;
            count = SIZE_MAX;
        }
        fine = fine && got > 0;
        held += got;
    }
    const int reason = errno;
    if (before >= 0) lb_os_go(handle, before);
    errno = reason;
    return count == SIZE_MAX ? -1 : (int64_t)held;
}

bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
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
    return lb_os_told(
        SetFilePointerEx(lb_os_system(handle), (LARGE_INTEGER){.QuadPart = place}, NULL, FILE_BEGIN));
}

/* A handle that only appends may not cut. */
bool lb_os_cut(lb_os_handle handle, int64_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile = {.QuadPart = bytes}};
    if (SetFileInformationByHandle(lb_os_system(handle), FileEndOfFileInfo, &end, sizeof end)) return true;
    lb_os_handle again = lb_os_handle_of(ReOpenFile(lb_os_system(handle), GENERIC_WRITE, SHARED, 0));
    bool done =
        lb_os_is_open(again) &&
        lb_os_told(SetFileInformationByHandle(lb_os_system(again), FileEndOfFileInfo, &end, sizeof end));
    lb_os_drop(&again);
    return done;
}

bool lb_os_sync(lb_os_handle handle)
{
    return lb_os_told(FlushFileBuffers(lb_os_system(handle)));
}

/* Windows writes names through a journal of its own, and has no call for it. */
bool lb_os_sync_folder(lb_os_handle folder)
{
    (void)folder;
    return true;
}

/* Nobody else could read a byte that is locked, so it is one that no file has. */
lb_os_lock_result lb_os_lock(lb_os_handle handle)
{
    OVERLAPPED last = at(INT64_MAX - 1);
    if (LockFileEx(lb_os_system(handle), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last))
        return LB_OS_LOCKED;
    const DWORD found = GetLastError();
    return found == ERROR_LOCK_VIOLATION || found == ERROR_IO_PENDING ? LB_OS_LOCKED_BY_OTHERS
                                                                      : LB_OS_NO_LOCKS;
}

/* ---- What files are. ---- */

enum { PERMISSIONS = 0666, OF_READ_ONLY = 0444 };

bool lb_os_info_of(lb_os_handle handle, lb_os_info *info)
{
    BY_HANDLE_FILE_INFORMATION found;
    HANDLE file = lb_os_system(handle);
    *info = (lb_os_info){0};
    const DWORD type = GetFileType(file);
    if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) return true;
    if (!lb_os_told(GetFileInformationByHandle(file, &found))) return false;
    info->kind = lb_os_is_reparsed(file)                             ? LB_OS_IS_LINK
                 : found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? LB_OS_IS_FOLDER
                                                                     : LB_OS_IS_FILE;
    info->permissions = found.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? OF_READ_ONLY : PERMISSIONS;
    info->bytes = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    info->disk = found.dwVolumeSerialNumber;
    info->number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    return true;
}

static lb_os_handle look_at(const char *path, DWORD access, DWORD flags)
{
    wchar_t wide[LB_WIDE_PATH];
    if (!lb_os_wide(path, wide)) return (lb_os_handle){0};
    return lb_os_handle_of(
        CreateFileW(wide, access, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL));
}

static bool info_at(const char *path, DWORD flags, lb_os_info *info)
{
    lb_os_handle file = look_at(path, FILE_READ_ATTRIBUTES, flags);
    *info = (lb_os_info){0};
    bool done = lb_os_is_open(file) && lb_os_info_of(file, info);
    lb_os_drop(&file);
    if (done && lb_os_is_odd(path)) info->kind = LB_OS_OTHER;
    return done;
}

bool lb_os_info_at(const char *path, lb_os_info *info)
{
    return info_at(path, 0, info);
}

/* A name that no file can have is taken. */
bool lb_os_info_of_name(const char *path, lb_os_info *info)
{
    return info_at(path, FILE_FLAG_OPEN_REPARSE_POINT, info) || lb_os_is_odd(path);
}

/* A new file inherits them from its folder. */
bool lb_os_permit(lb_os_handle handle, int permissions)
{
    (void)handle, (void)permissions;
    return true;
}

static bool may(const char *path, DWORD access)
{
    lb_os_handle file = look_at(path, access, 0);
    bool open = lb_os_is_open(file);
    lb_os_drop(&file);
    return open;
}

bool lb_os_may_read(const char *path)
{
    return may(path, GENERIC_READ);
}

bool lb_os_may_write_in(const char *folder)
{
    return may(folder, FILE_ADD_FILE);
}
