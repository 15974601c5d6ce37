#include "io/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lb_status lb_own_check(const char *path, const char *expected, lb_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0 || !S_ISLNK(found.st_mode)) return LB_OK;
    return lb_error_set(error, LB_ERROR_WRITE, "%s: found a symbolic link, expected %s", path, expected);
}

/* Whoever opens a pipe must not wait for its other end. */
int lb_own_open(const char *path, int flags, lb_error *error)
{
    struct stat file;
    int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666), reason = errno;
    if (fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) return fd;
    if (fd >= 0) {
        close(fd);
        lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: not a regular file", path);
    } else if (!lb_own_check(path, "a file", error)) {
        lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, strerror(reason));
    }
    return -1;
}
