/* Opens, reads, writes and locks files, tells what they are, and names them. */
#include "os/posix/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

lb_os_handle lb_os_open(const char *path, int how)
{
    static const int flags[][2] = {{LB_OS_APPEND, O_APPEND},
                                   {LB_OS_CREATE, O_CREAT},
                                   {LB_OS_NEW, O_CREAT | O_EXCL},
                                   {LB_OS_NO_LINK, O_NOFOLLOW},
                                   {LB_OS_NO_WAIT, O_NONBLOCK}};
    int flag = O_CLOEXEC | (!(how & LB_OS_WRITE) ? O_RDONLY : how & LB_OS_READ ? O_RDWR : O_WRONLY);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (how & flags[i][0]) flag |= flags[i][1];
    return lb_os_handle_of(open(path, flag, 0666));
}

lb_os_handle lb_os_input(void)
{
    return (lb_os_handle){-1};
}

lb_os_handle lb_os_again(lb_os_handle handle)
{
    return lb_os_handle_of(fcntl(lb_os_descriptor(handle), F_DUPFD_CLOEXEC, 0));
}

bool lb_os_close(lb_os_handle handle)
{
    return handle.number < 0 || close(lb_os_descriptor(handle)) == 0;
}

void lb_os_drop(lb_os_handle *handle)
{
    int reason = errno;
    if (lb_os_is_open(*handle)) (void)lb_os_close(*handle);
    *handle = (lb_os_handle){0};
    errno = reason;
}

/* ---- Bytes. More than SSIZE_MAX at once is undefined. ---- */

static size_t at_once(size_t count)
{
    return count < SSIZE_MAX ? count : SSIZE_MAX;
}

static bool waits_for(lb_os_handle handle, int timeout)
{
    struct pollfd input = {.fd = lb_os_descriptor(handle), .events = POLLIN};
    return poll(&input, 1, timeout) > 0;
}

bool lb_os_has_arrived(lb_os_handle handle)
{
    return waits_for(handle, 0);
}

/* Another process may have made the descriptor non-blocking. */
int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room)
{
    for (;;) {
        ssize_t count = read(lb_os_descriptor(handle), bytes, at_once(room));
        if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
        if (errno == EAGAIN) waits_for(handle, -1);
    }
}

/* Reads at the place of the handle, or at another that is not negative. */
static int64_t read_all_at(lb_os_handle handle, int64_t place, char *bytes, size_t count)
{
    size_t held = 0;
    while (held < count) {
        size_t room = at_once(count - held);
        int64_t got =
            place < 0 ? lb_os_read(handle, bytes + held, room)
                      : pread(lb_os_descriptor(handle), bytes + held, room, (off_t)(place + (int64_t)held));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        held += (size_t)got;
    }
    return (int64_t)held;
}

int64_t lb_os_read_all(lb_os_handle handle, void *bytes, size_t count)
{
    return read_all_at(handle, -1, bytes, count);
}

int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count)
{
    if (place >= 0) return read_all_at(handle, place, bytes, count);
    errno = EINVAL;
    return -1;
}

bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t written = write(lb_os_descriptor(handle), from, at_once(count));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        from += written;
        count -= (size_t)written;
    }
    return true;
}

int64_t lb_os_place(lb_os_handle handle)
{
    return lseek(lb_os_descriptor(handle), 0, SEEK_CUR);
}

bool lb_os_go(lb_os_handle handle, int64_t place)
{
    return lseek(lb_os_descriptor(handle), (off_t)place, SEEK_SET) == place;
}

bool lb_os_cut(lb_os_handle handle, int64_t bytes)
{
    return ftruncate(lb_os_descriptor(handle), (off_t)bytes) == 0;
}

bool lb_os_sync(lb_os_handle handle)
{
    return fsync(lb_os_descriptor(handle)) == 0;
}

lb_os_lock_result lb_os_lock(lb_os_handle handle)
{
    if (flock(lb_os_descriptor(handle), LOCK_EX | LOCK_NB) == 0) return LB_OS_LOCKED;
    return errno == EWOULDBLOCK ? LB_OS_LOCKED_BY_OTHERS : LB_OS_NO_LOCKS;
}

/* ---- What files are. ---- */

static bool keep(int result, const struct stat *found, lb_os_info *info)
{
    *info = (lb_os_info){0};
    if (result != 0) return false;
    info->kind = S_ISREG(found->st_mode)   ? LB_OS_IS_FILE
                 : S_ISDIR(found->st_mode) ? LB_OS_IS_FOLDER
                 : S_ISLNK(found->st_mode) ? LB_OS_IS_LINK
                                           : LB_OS_IS_OTHER;
    info->bytes = found->st_size;
    info->disk = (uint64_t)found->st_dev;
    info->number = (uint64_t)found->st_ino;
    return true;
}

bool lb_os_info_of(lb_os_handle handle, lb_os_info *info)
{
    struct stat found;
    return keep(fstat(lb_os_descriptor(handle), &found), &found, info);
}

bool lb_os_info_at(const char *path, bool follows, lb_os_info *info)
{
    struct stat found;
    return keep(follows ? stat(path, &found) : lstat(path, &found), &found, info);
}

bool lb_os_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool lb_os_may_read(const char *path)
{
    return access(path, R_OK) == 0;
}

bool lb_os_may_write_in(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0;
}

/* ---- Names. ---- */

_Static_assert(PATH_MAX <= LB_OS_PATH, "realpath writes up to PATH_MAX bytes");

const char lb_os_separators[] = "/";

bool lb_os_resolve(const char *path, char target[LB_OS_PATH])
{
    return realpath(path, target) != NULL;
}

bool lb_os_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0;
}

bool lb_os_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool lb_os_link(const char *path, const char *name)
{
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

bool lb_os_remove(const char *path)
{
    return remove(path) == 0;
}

const char *lb_os_temp_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

lb_os_handle lb_os_temp_file(void)
{
    char path[LB_OS_PATH];
    int length = snprintf(path, sizeof path, "%s/lookback-XXXXXX", lb_os_temp_folder());
    if (length < 0 || length >= LB_OS_PATH) {
        errno = ENAMETOOLONG;
        return (lb_os_handle){0};
    }
    int fd = mkstemp(path);
#ifdef __EMSCRIPTEN__ /* a second descriptor opens the path again there; the file goes with its instance */
    if (fd >= 0) close(fd);
    return lb_os_handle_of(fd >= 0 ? open(path, O_RDWR) : -1);
#else
    if (fd >= 0) unlink(path);
    return lb_os_handle_of(fd);
#endif
}
