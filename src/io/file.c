#include "io/file.h"

#include "base/alloc.h"
#include "io/own_file.h"
#include "io/path.h"
#include "io/temp_file.h"
#include "io/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 4096 };

static lb_status write_error(lb_error *error, const char *path, int reason)
{
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, strerror(reason));
}

static bool write_parts(int fd, const lb_bytes *parts, size_t part_count)
{
    for (size_t p = 0; p < part_count; p++)
        if (!lb_write_all(fd, parts[p].data, parts[p].count)) return false;
    return fsync(fd) == 0;
}

/* A descriptor of the folder of `path`, or -1. */
static int open_folder(const char *path)
{
    char *folder = lb_folder_of(path);
    if (!folder) {
        errno = ENOMEM;
        return -1;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = errno;
    lb_release(folder);
    errno = reason;
    return fd;
}

/* Some file systems cannot sync a folder and return EINVAL; this cannot be helped. */
static bool sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool lb_file_sync_name(const char *path)
{
    int folder = open_folder(path);
    if (folder < 0) return true;
    bool synced = sync_folder(folder);
    int reason = errno;
    close(folder);
    errno = reason;
    return synced;
}

/* `name` has room for the name of the new file. */
static lb_status replace(const char *path, const char *target, int folder, char *name, size_t size,
                         const lb_bytes *parts, size_t part_count, lb_error *error)
{
    struct stat old;
    bool exists = lstat(target, &old) == 0;
    if (!exists && errno != ENOENT) return write_error(error, path, errno);
    if (exists && S_ISDIR(old.st_mode)) return write_error(error, path, EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: not a regular file", path);
    int fd = lb_temp_open(folder, target, 0666, name, size);
    if (fd < 0) return write_error(error, path, errno);
    lb_status status = LB_OK;
    if ((exists && fchmod(fd, old.st_mode & 0777) != 0) || !write_parts(fd, parts, part_count) ||
        !lb_temp_rename(fd, target, name, size)) {
        status = write_error(error, path, errno);
        lb_temp_remove(name);
    } else if (!sync_folder(folder)) {
        status = write_error(error, path, errno);
    }
    close(fd);
    return status;
}

/* Writes `target`, which messages call `path`. */
static lb_status write_file(const char *path, const char *target, const lb_bytes *parts, size_t part_count,
                            lb_error *error)
{
    size_t size = strlen(target) + LB_TEMP_SUFFIX;
    char *name = lb_alloc(size);
    int folder = name ? open_folder(target) : -1;
    lb_status status;
    if (!name || (folder < 0 && errno == ENOMEM))
        status = lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    else if (folder < 0)
        status = write_error(error, path, errno);
    else
        status = replace(path, target, folder, name, size, parts, part_count, error);
    if (folder >= 0) close(folder);
    lb_release(name);
    return status;
}

lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    char target[PATH_MAX];
    struct stat found;
    if (lstat(path, &found) != 0 || !S_ISLNK(found.st_mode))
        return write_file(path, path, parts, part_count, error);
    if (realpath(path, target)) return write_file(path, target, parts, part_count, error);
    if (errno != ENOENT) return write_error(error, path, errno);
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: a link to a file that does not exist",
                        path);
}

lb_status lb_file_write_own(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : write_file(path, path, parts, part_count, error);
}

lb_status lb_file_write_atomic(const char *path, const void *bytes, size_t count, lb_error *error)
{
    return lb_file_write_parts(path, &(lb_bytes){bytes, count}, 1, error);
}

static lb_status read_error(lb_error *error, const char *path, int reason)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(reason));
}

/* Reads up to the end of the file; the size reported by the system is only an estimate (a pipe has none). */
static lb_status read_to_end(int fd, const char *path, size_t guess, void **bytes, size_t *count,
                             lb_error *error)
{
    size_t capacity = guess + 1, used = 0;
    char *buffer = lb_alloc(capacity);
    while (buffer) {
        ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int reason = errno;
            lb_release(buffer);
            return read_error(error, path, reason);
        }
        if (got == 0) {
            buffer[used] = '\0';
            *bytes = buffer;
            *count = used;
            return LB_OK;
        }
        used += (size_t)got;
        if (used < capacity) continue;
        capacity = 2 * capacity + FIRST_READ;
        char *grown = lb_alloc_grow(buffer, used, capacity);
        if (!grown) lb_release(buffer);
        buffer = grown;
    }
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %zu bytes", path, capacity);
}

bool lb_file_is_missing(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

lb_status lb_file_read(const char *path, void **bytes, size_t *count, lb_error *error)
{
    *bytes = NULL;
    *count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_error(error, path, errno);
    struct stat info;
    lb_status status;
    if (fstat(fd, &info) != 0)
        status = read_error(error, path, errno);
    else
        status = read_to_end(fd, path, S_ISREG(info.st_mode) ? (size_t)info.st_size : FIRST_READ, bytes,
                             count, error);
    close(fd);
    return status;
}
