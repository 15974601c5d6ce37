#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lb_is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

char *lb_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = lb_alloc(length + 1);
    if (!folder) return NULL;
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    return folder;
}

char *lb_folder_path(const char *folder, const char *name, lb_error *error)
{
    size_t room = strlen(folder) + strlen(name) + sizeof "/";
    char *path = lb_alloc(room);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    else
        lb_error_set(error, LB_ERROR_MEMORY, "%s/%s: out of memory", folder, name);
    return path;
}

lb_status lb_cannot_read(const char *path, const char *why, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, why);
}

lb_status lb_cannot_write(const char *path, const char *why, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, why);
}

lb_status lb_out_of_memory_for(const char *path, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
}

lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error)
{
    bool named = strncmp(found->message, path, strlen(path)) == 0;
    return lb_error_set(error, found->status, "%s%s%s", named ? "" : path, named ? "" : ": ", found->message);
}

/* ---- Names that we choose ourselves. ---- */

static const char NO_FILE[] = "not a regular file";

static bool is_link(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

static lb_status refuse_link(const char *path, lb_status status, const char *expected, lb_error *error)
{
    return lb_error_set(error, status, "%s: found a symbolic link, expected %s", path, expected);
}

lb_status lb_own_check(const char *path, const char *expected, lb_error *error)
{
    return is_link(path) ? refuse_link(path, LB_ERROR_WRITE, expected, error) : LB_OK;
}

lb_status lb_own_check_content(const char *path, lb_error *error)
{
    struct stat found;
    if (stat(path, &found) != 0 || S_ISREG(found.st_mode)) return LB_OK;
    return lb_cannot_read(path, S_ISDIR(found.st_mode) ? strerror(EISDIR) : NO_FILE, error);
}

/* Whoever opens a pipe must not wait for its other end. */
int lb_own_open(const char *path, int flags, lb_error *error)
{
    bool reads = (flags & O_ACCMODE) == O_RDONLY;
    struct stat file;
    int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666), reason = errno;
    if (fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) return fd;
    if (fd < 0 && is_link(path))
        refuse_link(path, reads ? LB_ERROR_OPEN : LB_ERROR_WRITE, "a file", error);
    else
        (reads ? lb_cannot_read : lb_cannot_write)(path, fd < 0 ? strerror(reason) : NO_FILE, error);
    if (fd >= 0) close(fd);
    return -1;
}
