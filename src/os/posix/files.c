/* Opens, reads, writes and locks files, tells what they are, and names them. */
#include "os/os.h"

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

lb_os_handle lb_os_again(lb_os_handle handle)
{
    return lb_os_handle_of(fcntl(lb_os_descriptor(handle), F_DUPFD_CLOEXEC, 0));
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
        ssize_t count = read(lb_os_descriptor(handle), bytes, lb_os_at_once(room));
        if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
        if (errno == EAGAIN) waits_for(handle, -1);
    }
}

int64_t lb_os_place(lb_os_handle handle)
{
    return lseek(lb_os_descriptor(handle), 0, SEEK_CUR);
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

bool lb_os_may(const char *path, int how)
{
    return access(path, (how & LB_OS_READ ? R_OK : F_OK) | (how & LB_OS_WRITE ? W_OK | X_OK : F_OK)) == 0;
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
